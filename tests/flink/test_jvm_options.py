"""JVM options: splitting, naming and removing them."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.memory.jvm_options import keys_for, split_options, without


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", []),
        ("-Xmx1g  -Dx=y", ["-Xmx1g", "-Dx=y"]),
        ('"-Xmx1g -Dx=y"', ["-Xmx1g", "-Dx=y"]),
        ("-Dx='a b' -Xss4m", ["-Dx='a b'", "-Xss4m"]),
        ('-Dx="a b"', ['-Dx="a b"']),
    ],
)
def test_options_are_split_at_blanks_outside_quotes(text: str, options: list[str]) -> None:
    found = split_options(text)
    assert [option.text for option in found] == options
    assert all(text[option.start : option.end] == option.text for option in found)


@pytest.mark.parametrize(
    ("text", "flag", "enabled"),
    [
        ("-XX:+UseG1GC", "UseG1GC", True),
        ("-XX:-UseG1GC", "UseG1GC", False),
        ("-XX:MaxHeapSize=1g", "MaxHeapSize", False),
        ("-Xmx1g", "-Xmx1g", False),
        ("-Dflag=UseG1GC", "-Dflag=UseG1GC", False),
    ],
)
def test_flags_have_names_and_signs(text: str, flag: str, enabled: bool) -> None:
    (option,) = split_options(text)
    assert (option.flag, option.is_enabled) == (flag, enabled)


@pytest.mark.parametrize(
    ("text", "drop", "left"),
    [
        ("-A -B -C", ["-B"], "-A -C"),
        ("-A -B -C", ["-A", "-C"], "-B"),
        ('"-A -B"', ["-B"], '"-A"'),
        ('"-A -B"', ["-A"], '"-B"'),
        ("-A", ["-A"], ""),
        ("-A  -B", ["-C"], "-A  -B"),
    ],
)
def test_options_are_taken_out_with_their_blanks(text: str, drop: list[str], left: str) -> None:
    assert without(text, [option for option in split_options(text) if option.text in drop]) == left


def test_a_process_reads_its_options_after_those_of_all() -> None:
    assert keys_for("taskmanager") == (
        "env.java.default-opts.all",
        "env.java.opts.all",
        "env.java.default-opts.taskmanager",
        "env.java.opts.taskmanager",
    )
