"""What is known of an option: its default as text, who reads it, and how the default changed."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.output.option_facts import default_history, is_read, spell_default


@pytest.mark.parametrize(
    ("key", "reads", "expected"),
    [
        ("a.b", ("a.b",), True), ("a.b", ("c", "a.b"), True), ("a.b", ("a.",), True), ("a.b", ("a",), False),
        ("a.b", ("a.b.c",), False), ("ab", ("a.",), False), ("c.d", ("a.",), False), ("a.b", (), False),
    ],
)  # fmt: skip
def test_who_reads_an_option(key: str, reads: tuple[str, ...], expected: bool) -> None:
    assert is_read(key, reads) is expected


def test_defaults_as_text() -> None:
    def newest(key: str) -> str:
        option = catalogue().option(key, len(MINORS) - 1)
        assert option is not None
        return spell_default(option)

    assert newest("rest.port") == "8081"
    assert newest("execution.checkpointing.unaligned.enabled") == "false"
    assert newest("execution.checkpointing.dir") == "(none)"


def test_the_history_of_a_default() -> None:
    assert default_history("rest.port", catalogue()) == []
    assert default_history("no.such.key", catalogue()) == []
    changed = default_history("taskmanager.memory.network.max", catalogue())
    assert [(MINORS[first], MINORS[last], default) for first, last, default in changed] == [
        ("1.10", "1.16", "1 gb"), ("1.17", MINORS[-1], "9223372036854775807 bytes (unlimited)"),
    ]  # fmt: skip
