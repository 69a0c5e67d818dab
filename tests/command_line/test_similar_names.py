"""Names that a mistyped one may mean."""

from __future__ import annotations

import pytest

from flink_flint.calculators.command_line.similar_names import near_names

NAMES = ["async-io", "jobmanager-memory", "kafka-transactions", "parallelism", "taskmanager-memory"]


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("Par", ["parallelism"]),
        ("memory", ["jobmanager-memory", "taskmanager-memory"]),
        ("asnc-oi", ["async-io"]),
        ("io", []),
        ("", []),
    ],
)
def test_a_start_a_part_or_a_similar_spelling_is_enough(word: str, names: list[str]) -> None:
    assert near_names(word, NAMES) == names
