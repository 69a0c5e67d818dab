"""Typed values: what was measured of Flink's own classes, and the laws behind it."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.frame_size import parse_hocon_bytes
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import MINORS, NEWEST
from flink_flint.linter.flink.structured_options import split_escaped
from flink_flint.linter.flink.values import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    SECOND,
    Duration,
    MemorySize,
    float32,
    parse,
    parse_duration,
    parse_memory,
    text_of,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import conformance

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "parse"
MEASURED = [json.loads(line) for line in (FIXTURES / "values.jsonl").read_text("utf-8").splitlines()]

index = {minor: place for place, minor in enumerate(MINORS)}


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: f"{row['type']}-{row['raw'][:30]!r}")
def test_measured(row: dict[str, Any]) -> None:
    for mode, releases in row["modes"].items():
        for release in releases:
            vector = {"type": row["type"], "raw": row["raw"], mode: row["measured"]}
            assert conformance.value_mismatch(vector, mode, index[release]) is None, (mode, release)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1g", 2**30),
        ("1 GB", 2**30),
        ("1 gibibytes", 2**30),
        ("512k", 2**19),
        ("1t", 2**40),
        ("\t7 b ", 7),
        ("0064", 64),
    ],
)
def test_memory(text: str, size: int) -> None:
    assert parse_memory(text) == size
    assert isinstance(parse_memory(text), MemorySize)


@pytest.mark.parametrize("text", ["1.5g", "1GiB", "1Gi", "+1m", "-1m", "g", "", " ", "1_000m", "1\xa0g", "8388608t"])
def test_memory_refused(text: str) -> None:
    with pytest.raises(BadValue):
        parse_memory(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [("10", 10 * MILLISECOND), ("10 s", 10 * SECOND), ("2MIN", 2 * MINUTE), ("1 hours", HOUR), ("3 d", 3 * DAY)],
)
def test_duration(text: str, length: int) -> None:
    assert parse_duration(text, index["1.20"]) == length


def test_duration_units_by_release() -> None:
    assert parse_duration("1 h", index["1.9"]) == HOUR
    with pytest.raises(BadValue, match=r"recognized units: ms \| s \| min \| h"):
        parse_duration("1 d", index["1.9"])
    with pytest.raises(BadValue, match="label 'm'"):
        parse_duration("1 m", index["1.14"])
    assert parse_duration("1 m", index["1.15"]) == MINUTE
    with pytest.raises(BadValue, match="does not start with a number"):
        parse_duration("PT1M", index["2.0"])
    assert parse_duration("PT1M", index["2.1"]) == MINUTE
    assert parse_duration("PT-1H+120M", index["2.1"]) == HOUR
    with pytest.raises(BadValue, match="negative duration"):
        parse_duration("PT-1S", index["2.1"])


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10485760b", 10485760),
        ("10485760", 10485760),
        ("10m", 10 * 2**20),
        ("10M", 10 * 2**20),
        ("10MiB", 10 * 2**20),
        ("10 MB", 10_000_000),
        ("10kB", None),
        ("100 kB", 100_000),
        ("1.5 MiB", 3 * 2**19),
        ("2147483647b", 2**31 - 1),
        ("32000b", 32_000),
        ("10mb", None),
        ("10KB", None),
        ("3g", None),
        ("31999b", None),
        ("b", None),
        ("1..5m", None),
        ("+10m", None),
        ('"10m"', 10 * 2**20),
        (".5g", 2**29),
        ("1e6b", 1_000_000),
    ],
)
def test_hocon_bytes(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(BadValue):
            parse_hocon_bytes(text)
    else:
        assert parse_hocon_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("31999", "must be at least 32000 bytes"),
        ("2147483648", "2147483648 bytes do not fit the 32-bit frame size"),
        ("9223372036854775807b", "do not fit the 32-bit frame size"),
        ("9223372036854775808b", "out of range for a 64-bit long"),
        ("10mb", "Could not parse size-in-bytes unit 'mb'"),
        ("+10m", r"Could not parse size-in-bytes number '\+10'"),
        ("m", "No number in size-in-bytes value 'm'"),
    ],
)
def test_a_bad_frame_size_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        parse_hocon_bytes(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (2**30, "1 GiB"),
        (1728 * 2**20, "1728 MiB"),
        (1023, "1023 bytes"),
        (10485761, "10.0 MiB (10485761 bytes)"),
        (0, "0 bytes"),
    ],
)
def test_memory_size_reads_well(size: int, text: str) -> None:
    assert str(MemorySize(size)) == text


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0, "0 ms"),
        (90 * SECOND, "90 s"),
        (600 * SECOND, "10 min"),
        (1500 * MILLISECOND, "1500 ms"),
        (7, "7 ns"),
        (DAY, "1 d"),
    ],
)
def test_duration_reads_well(length: int, text: str) -> None:
    assert str(Duration(length)) == text
    assert Duration(length).seconds == length / 1e9
    assert Duration(length).milliseconds == length / 1e6


def test_numbers_of_the_yaml_file_keep_their_type() -> None:
    assert parse("Duration", (), 5000, NEWEST, yaml=True) == 5 * SECOND
    assert parse("MemorySize", (), 1024, NEWEST, yaml=True) == 1024
    assert parse("Float", (), 0.4, NEWEST, yaml=True) == float32(0.4)
    with pytest.raises(BadValue, match="overflows/underflows the integer type"):
        parse("Integer", (), 2**31, NEWEST, yaml=True)
    with pytest.raises(BadValue, match=r'For input string: "1000.0"'):
        parse("Integer", (), 1e3, NEWEST, yaml=True)
    with pytest.raises(BadValue, match="overflows/underflows the float type"):
        parse("Float", (), float("nan"), NEWEST, yaml=True)
    assert parse("String", (), 1.20, NEWEST, yaml=True) == "1.2"
    assert parse("String", (), [1, "b c"], NEWEST, yaml=True) == "[1, b c]"


def test_enum_ignores_case_only() -> None:
    assert parse("Enum", ("a-b", "C_D"), "A-B", NEWEST, yaml=True) == "a-b"
    with pytest.raises(BadValue, match="Expected one of"):
        parse("Enum", ("a-b", "C_D"), "c-d", NEWEST, yaml=True)


def test_lists_and_maps_of_yaml_mode() -> None:
    assert parse("List<String>", (), "[a, 'b;c']", NEWEST, yaml=True) == ["a", "b;c"]
    assert parse("List<String>", (), "[a, b];c", NEWEST, yaml=False) == ["[a, b]", "c"]
    assert parse("Map", (), "{a: 1, b: [x]}", NEWEST, yaml=True) == {"a": "1", "b": "[x]"}
    assert parse("Map", (), "a:1,'b:x,y'", NEWEST, yaml=False) == {"a": "1", "b": "x,y"}
    assert parse("List<Map>", (), "{a: b}", index["1.20"], yaml=True) == [{"{a": "b}"}]
    assert parse("List<Map>", (), "{a: b}", index["2.0"], yaml=True) == [{"a": "b"}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1.0, "1.0"),
        (1e7, "1.0E7"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (123456789.125, "1.23456789125E8"),
        (float("inf"), ".inf"),
        (5e-324, "4.9E-324"),
        (["a:b", "", "1", 1, None, {"k": [True]}], "['a:b', '', '1', 1, null, {k: [true]}]"),
        (["x\ny", "tab\t", "it's"], '["x\\ny", "tab\\t", it\'s]'),
        (b"hello", "!!binary |-\n  aGVsbG8="),
    ],
)
def test_text_of(value: object, text: str) -> None:
    assert text_of(value) == text


@given(st.integers(0, 2**62))
def test_durations_survive_their_text(length: int) -> None:
    assert parse_duration(str(Duration(length)), NEWEST) == length


@given(st.integers(0, 2**63 - 1), st.sampled_from(["", "b", " bytes"]))
def test_bytes_are_bytes(size: int, unit: str) -> None:
    assert parse_memory(f"{size}{unit}") == size


words = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)


@given(st.lists(words, min_size=1))
def test_quoted_lists_survive(parts: list[str]) -> None:
    quoted = ["'" + part.replace("'", "''") + "'" for part in parts]
    assert split_escaped(";".join(quoted), ";") == parts
    assert parse("List<String>", (), ";".join(quoted), NEWEST, yaml=False) == parts


@given(st.lists(st.one_of(words, st.text(max_size=6).filter(lambda t: all(c.isprintable() or c in "\n\t" for c in t)))))
def test_yaml_lists_survive_their_text(parts: list[str]) -> None:
    assert parse("List<String>", (), parts, NEWEST, yaml=True) == parts


@given(
    st.sampled_from([*conformance.TYPES.values(), "Enum", "List<Long>"]),
    st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.lists(st.text(max_size=4), max_size=3)),
    st.sampled_from(range(len(MINORS))),
    st.booleans(),
)
def test_parsing_is_total(option_type: str, raw: object, release: int, yaml: bool) -> None:
    with contextlib.suppress(BadValue):
        parse(option_type, ("a", "b"), raw, release, yaml=yaml)
