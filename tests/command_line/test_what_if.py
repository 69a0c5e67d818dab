"""`--what-if`: the answer over a range of an input."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput
from flink_flint.calculators.command_line.collect_inputs import Asked, ask, read_texts
from flink_flint.calculators.command_line.open_configuration import open_configuration
from flink_flint.calculators.command_line.what_if import MAX_VALUES, parse_variation, what_if
from flink_flint.calculators.command_line.what_if_table import table
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.output.terminal_style import Style

ASYNC = calculator("async-io")


def asked(**texts: str) -> Asked:
    needed = {"rate": "3000/s", "latency": "40ms", "read_timeout": "2s"}
    return ask(ASYNC, read_texts(ASYNC, {**needed, **texts}), release=parse_release("2.3"))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("parallelism=4..32", [4, 8, 16, 32]),
        ("--parallelism=4..32:4", [4, 8, 12, 16, 20, 24, 28, 32]),
        ("parallelism=4..30:8", [4, 12, 20, 28, 30]),
        ("parallelism=3..9", [3, 4, 5, 6, 7, 8, 9]),
        ("parallelism=100..200", [100, 120, 140, 160, 180, 200]),
        ("latency=10ms,40ms,1s", [0.01, 0.04, 1.0]),
        ("latency=10..40ms", [0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04]),
        ("latency=10ms..1s", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]),
        ("read-timeout=1s..1min", [1, 2, 5, 10, 20, 50, 60]),
        ("read-timeout=1min..5min", [60, 120, 180, 240, 300]),
        ("read_timeout=1..2min:30s", [60, 90, 120]),
        ("rate=1k..10k/s", [1000, 2000, 5000, 10000]),
        ("rate=1k/s..10k/s:3k", [1000, 4000, 7000, 10000]),
        ("record-size=1kb..64kb", [1024 << n for n in range(7)]),
        ("utilization=50 %..90 %", [0.5, 0.6, 0.7, 0.8, 0.9]),
        ("retries=0..7", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("client=pool,async", ["pool", "async"]),
    ],
)
def test_ranges_steps_and_lists_in_the_units_spelling(text: str, values: list[Any]) -> None:
    assert list(parse_variation(ASYNC, text).values) == pytest.approx(values) if values[0] != "pool" else values


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("paralelism=1..2", "did you mean --parallelism"),
        ("parallelism", "has no values; write it like parallelism=4..32"),
        ("parallelism=", "has no values"),
        ("parallelism=8..4", "does not increase"),
        ("parallelism=0..4", "--parallelism: 0 is out of range; allowed: at least 1"),
        ("parallelism=1..1000000:1", f"at most {MAX_VALUES} rows"),
        ("parallelism=1..4:0", "at most"),
        ("latency=1..2", "has no unit"),
        ("client=pool..async", "list the values: client=pool,async"),
        ("latency=1s..2s:x", "does not start with a number"),
    ],
)
def test_a_variation_nobody_can_read_is_told(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        parse_variation(ASYNC, text)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_range_rises_from_end_to_end_in_few_steps(low: int, width: int) -> None:
    values = parse_variation(ASYNC, f"parallelism={low}..{low + width}").values
    assert (values[0], values[-1]) == (low, low + width)
    assert list(values) == sorted(set(values))
    assert len(values) <= 20


def test_each_row_is_the_answer_to_that_value() -> None:
    first = asked()
    for value, answer in what_if(first, parse_variation(ASYNC, "parallelism=1..8")):
        assert answer == asked(parallelism=str(value)).answer


def test_what_was_given_but_played_no_part_counts_where_it_does() -> None:
    first = asked(client="async", utilization="50 %")
    (_, one), (_, two) = what_if(first, parse_variation(ASYNC, "client=async,pool"))
    assert one == first.answer
    assert two == asked(utilization="50 %").answer


def test_values_of_the_configuration_count_without_the_opened_file(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("parallelism.default: 8\n")
    given = read_texts(ASYNC, {"rate": "3000/s", "latency": "40ms", "read_timeout": "2s"})
    opened = open_configuration(str(tmp_path), flink_version="2.3")
    first = ask(ASYNC, given, release=parse_release("2.3"), opened=opened)
    for value, answer in what_if(first, parse_variation(ASYNC, "retries=0,2")):
        assert answer == asked(parallelism="8", retries=str(value)).answer


def test_a_value_that_cannot_be_has_its_reason() -> None:
    variation = parse_variation(ASYNC, "latency=40ms,3s")
    (_, fine), (_, bad) = answers = what_if(asked(), variation)
    assert isinstance(fine, Answer)
    assert isinstance(bad, BadInput)
    shown = table(asked(), variation, answers)
    reason = "3 s is impossible: 3 s is above the read timeout of 2 s"
    text = " ".join(" ".join(shown.as_text(Style(False), 80)).split())
    assert text.count("is impossible") == 1
    assert reason in text
    markdown = shown.as_markdown()
    assert markdown.count("is impossible") == 1
    assert f"\n{reason}" in markdown


@pytest.mark.parametrize(
    ("text", "ordered"),
    [("retries=3,1", True), ("latency=1ms,2s", True), ("ordered=no,yes", False), ("client=pool,async", False)],
)
def test_only_numbers_are_ordered(text: str, ordered: bool) -> None:
    variation = parse_variation(ASYNC, text)
    assert table(asked(), variation, what_if(asked(), variation)).is_ordered == ordered


def lines(first: Asked, text: str, width: int = 80) -> list[str]:
    variation = parse_variation(ASYNC, text)
    return list(table(first, variation, what_if(first, variation)).as_text(Style(False), width))


def test_the_present_row_stands_in_its_place_and_is_marked() -> None:
    found = [line for line in lines(asked(parallelism="5"), "parallelism=2,4,8") if line[2:].split()[:1] != []]
    rows = [line for line in found if line.lstrip("> ")[:1].isdigit()]
    assert [line.split()[0 if line[0] == " " else 1] for line in rows] == ["2", "4", "5", "8"]
    assert [line[0] for line in rows] == [" ", " ", ">", " "]


def test_what_is_the_same_in_every_row_is_told_once() -> None:
    text = "\n".join(lines(asked(), "parallelism=1..8"))
    assert "the same in every row: timeout 6 s, calls in line 2, drain 4 s" in text
    assert text.count("6 s") == 1


def test_rows_that_break_say_so_and_the_table_fits_the_width() -> None:
    first = asked(rate="100/s", pool="25", capacity="100", timeout="4s")
    found = lines(first, "capacity=25,10000", 60)
    assert [line for line in found if len(line) > 60] == []
    assert [line.split()[0] for line in found if line.endswith("breaks")] == ["10"]
    assert next(line for line in found if "--capacity" in line).endswith("verdict")
    assert " ".join(" ".join(found).split()).count("breaks: the answer has an error; at 10 000: ") == 1


def test_the_input_stands_under_its_flag_beside_a_value_of_its_name() -> None:
    found = calculator("checkpoint")
    texts = read_texts(found, {"duration": "47s", "interval": "1min"})
    first = ask(found, texts, release=parse_release("2.3"))
    variation = parse_variation(found, "interval=1min..5min")
    titles = list(table(first, variation, what_if(first, variation)).as_text(Style(False), 100))[1].split()
    assert titles[:2] == ["--interval", "interval"]


def test_an_input_that_changes_nothing_is_said_to() -> None:
    first = asked()
    found = " ".join(" ".join(lines(first, "capacity=500,900")).split())
    assert found.startswith("--capacity changes nothing in the answer from 500 to 900: timeout 6 s, capacity ")
    variation = parse_variation(ASYNC, "capacity=500,900")
    shown = table(first, variation, what_if(first, variation)).as_markdown()
    assert "\n--capacity changes nothing in the answer from 500 to 900: " in shown
    assert "|" not in shown


def test_no_number_is_parted_from_its_unit() -> None:
    for width in range(40, 100):
        notes = "\n".join(lines(asked(), "parallelism=1..8", width)[-4:])
        assert not re.search(r"\d\n\s*(s|ms|min|KiB|MiB|\d{3})\b", notes), notes
