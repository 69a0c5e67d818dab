"""Settings of an answer in the words of a release."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.release_spelling import duration_text, size_text, spelled
from flink_flint.linter.flink.releases import parse_release


@pytest.mark.parametrize(
    ("version", "key"),
    [("1.12", "state.backend.fs.memory-threshold"), ("1.18", "state.storage.fs.memory-threshold"),
     ("1.20", "execution.checkpointing.data-inline-threshold")],
)  # fmt: skip
def test_a_key_is_spelled_as_the_release_does(version: str, key: str) -> None:
    settings = {"execution.checkpointing.data-inline-threshold": 1 << 20}
    assert list(spelled(settings, parse_release(version)).settings) == [key]


def test_durations_become_milliseconds_where_the_option_counts_them() -> None:
    assert spelled({"heartbeat.timeout": 70.0}, parse_release("1.13")).settings == {"heartbeat.timeout": "70000"}
    assert spelled({"heartbeat.timeout": 70.0}, parse_release("2.1")).settings == {"heartbeat.timeout": "70 s"}


def test_an_option_the_release_lacks_is_told() -> None:
    found = spelled({"taskmanager.memory.process.size": 1 << 30}, parse_release("1.9"))
    assert found.settings == {}
    assert found.unknown == ("taskmanager.memory.process.size",)


def test_texts_mean_the_same_in_every_release() -> None:
    assert duration_text(52.0) == "52 s"
    assert duration_text(600.0) == "10 min"
    assert duration_text(61.1) == "61100 ms"
    assert duration_text(5400.0) == "90 min"
    assert duration_text(0.0) == "0 ms"
    assert size_text(1728 << 20) == "1728mb"
    assert size_text(20 << 10) == "20kb"
    assert size_text(12345) == "12345 bytes"


def test_no_text_is_more_than_its_option_holds() -> None:
    settings = {
        "execution.checkpointing.tolerable-failed-checkpoints": 5_000_000_000,
        "execution.checkpointing.interval": 1e30,
        "jobmanager.memory.heap.size": 1 << 70,
    }
    assert spelled(settings, parse_release("2.3")).settings == {
        "execution.checkpointing.tolerable-failed-checkpoints": "2147483647",
        "execution.checkpointing.interval": "9223372036854775807 ms",
        "jobmanager.memory.heap.size": "9223372036854775807 bytes",
    }
