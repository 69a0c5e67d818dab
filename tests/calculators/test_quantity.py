"""Quantities: typed as people write them, shown back so that they read back."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    YES_NO,
    BadQuantity,
    Unit,
    choice,
    counted,
)


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        (SECONDS, "2s", 2.0),
        (SECONDS, "350ms", 0.35),
        (SECONDS, "350 ms", 0.35),
        (SECONDS, "1.5 h", 5400.0),
        (SECONDS, "1h 30min", 5400.0),
        (SECONDS, "10m", 600.0),
        (SECONDS, "3 days", 259200.0),
        (SECONDS, "0", 0.0),
        (BYTES, "1.5 GiB", 1610612736),
        (BYTES, "512mb", 536870912),
        (BYTES, "64k", 65536),
        (BYTES, "100 bytes", 100),
        (BYTES, "2 TB", 2 << 40),
        (PER_SECOND, "5k/s", 5000.0),
        (PER_SECOND, "0", 0.0),
        (PER_SECOND, "300/min", 5.0),
        (PER_SECOND, "3000 records/s", 3000.0),
        (PER_SECOND, "1M/d", 1e6 / 86400),
        (PER_SECOND, "0.5/d", 0.5 / 86400),
        (BYTES_PER_SECOND, "10 MiB/s", 10485760.0),
        (BYTES_PER_SECOND, "1gb/h", (1 << 30) / 3600),
        (COUNT, "10 000", 10000),
        (COUNT, "10k", 10000),
        (COUNT, "1.4M", 1400000),
        (COUNT, "1_000", 1000),
        (COUNT, "2e6", 2000000),
        (COUNT, "200M elements", 200000000),
        (FRACTION, "0.7", 0.7),
        (FRACTION, "70 %", 0.7),
        (FRACTION, "100%", 1.0),
        (NUMBER, "1.5", 1.5),
        (YES_NO, "no", False),
        (YES_NO, "TRUE", True),
    ],
)
def test_a_quantity_is_read_as_people_write_it(unit: Unit, text: str, value: float) -> None:
    assert unit.parse(text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("unit", "text", "says"),
    [
        (SECONDS, "2", "no unit; write it like 2s"),
        (SECONDS, "2 parsecs", "'parsecs' in '2 parsecs' is not a unit of time"),
        (SECONDS, "soon", "does not start with a number"),
        (SECONDS, "2mb", "not a unit of time"),
        (SECONDS, "", "does not start with a number"),
        (BYTES, "512", "no unit; write it like 512mb"),
        (BYTES, "2s", "not a unit of size"),
        (FRACTION, "70", "if 70 % was meant, write 0.7 or 70 %"),
        (FRACTION, "0.7s", "not a unit of a fraction"),
        (COUNT, "1.5", "not a whole number"),
        (COUNT, "10 mb", "'mb' in '10 mb' is not a unit of count"),
        (PER_SECOND, "5k/parsec", "not a unit of time"),
        (PER_SECOND, "0.33", "'0.33' has no period; write it like 5k/s, 300/min or 0.5/d"),
        (BYTES_PER_SECOND, "10mb", "no period; write it like 10mb/s"),
        (NUMBER, "much", "not a number"),
        (NUMBER, "nan", "not a number"),
        (NUMBER, "infinity", "not a number"),
        (NUMBER, "1e999", "too large a number"),
        (NUMBER, "٣", "not a number"),
        (COUNT, "٣", "does not start with a number"),
        (COUNT, "１２", "does not start with a number"),
        (COUNT, "1²", "not a unit of count"),
        (BYTES, "٣ mb", "does not start with a number"),
        (BYTES, "1e999 mb", "too large a number"),
        (BYTES, "1e308 tb", "too large a number"),
        (SECONDS, "١h ٣٠min", "does not start with a number"),
        (FRACTION, "٣ %", "does not start with a number"),
        (PER_SECOND, "٣/s", "does not start with a number"),
        (YES_NO, "perhaps", "neither yes nor no"),
        (choice("pool", "async"), "thread", "not one of pool, async"),
    ],
)
def test_what_is_no_quantity_is_told(unit: Unit, text: str, says: str) -> None:
    with pytest.raises(BadQuantity, match=re.escape(says)):
        unit.parse(text)


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        (SECONDS, 0.35, "350 ms"),
        (SECONDS, 52.0, "52 s"),
        (SECONDS, 61.1, "61.1 s"),
        (SECONDS, 802.0, "13 min 22 s"),
        (SECONDS, 86400.0, "1 d"),
        (SECONDS, 3599.7, "1 h"),
        (SECONDS, 5791260.0, "67 d 1 h"),
        (SECONDS, 5788860.0, "67 d"),
        (SECONDS, 262800.0, "3 d 1 h"),
        (SECONDS, 3602.0, "1 h"),
        (SECONDS, 2e-6, "2 µs"),
        (SECONDS, math.inf, "forever"),
        (BYTES, 1811939328, "1728 MiB"),
        (BYTES, 4 << 30, "4 GiB"),
        (BYTES, 800, "800 bytes"),
        (COUNT, 25000000, "25 000 000"),
        (PER_SECOND, 3000.0, "3 000/s"),
        (PER_SECOND, 0.5 / 86400, "0.5/d"),
        (PER_SECOND, 0.33, "0.33/s"),
        (PER_SECOND, 0.01, "0.01/s"),
        (PER_SECOND, 0.009, "32.4/h"),
        (PER_SECOND, -5.0, "-5/s"),
        (FRACTION, 0.7, "70 %"),
        (YES_NO, True, "yes"),
    ],
)
def test_a_quantity_is_shown_unambiguous(unit: Unit, value: float, text: str) -> None:
    assert unit.spell(value) == text


@given(st.floats(1e-9, 1e9))
def test_a_shown_duration_reads_back(seconds: float) -> None:
    # A long duration is rounded to the second of two units that adjoin: at most half an hour of a day.
    assert SECONDS.parse(SECONDS.spell(seconds)) == pytest.approx(seconds, rel=0.05)


@given(st.integers(0, 1 << 60))
def test_a_shown_size_reads_back(size: int) -> None:
    assert BYTES.parse(BYTES.spell(size)) == pytest.approx(size, rel=0.001)


@given(st.integers(0, 10**11))
def test_a_shown_count_reads_back_exactly(count: int) -> None:
    assert COUNT.parse(COUNT.spell(count)) == count


@given(st.floats(1e-6, 1e9))
def test_a_shown_rate_reads_back(rate: float) -> None:
    assert PER_SECOND.parse(PER_SECOND.spell(rate)) == pytest.approx(rate, rel=0.01)


@given(st.floats(0, 1))
def test_a_shown_fraction_reads_back(fraction: float) -> None:
    assert FRACTION.parse(FRACTION.spell(fraction)) == pytest.approx(fraction, rel=0.001, abs=1e-12)


@given(st.integers(1, 10**6))
def test_units_do_not_change_the_meaning(count: int) -> None:
    assert SECONDS.parse(f"{count}s") == SECONDS.parse(f"{count * 1000}ms")
    assert BYTES.parse(f"{count}kb") == BYTES.parse(f"{count * 1024} bytes")
    assert PER_SECOND.parse(f"{count}/s") == pytest.approx(PER_SECOND.parse(f"{count * 60}/min"))


def test_a_number_in_a_file_needs_a_unit_where_people_would_guess_one() -> None:
    assert COUNT.read(5) == 5
    assert YES_NO.read(True) is True
    with pytest.raises(BadQuantity, match="2 has no unit"):
        SECONDS.read(2)
    with pytest.raises(BadQuantity, match="5 has no unit; write it like 5k/s"):
        PER_SECOND.read(5)
    assert PER_SECOND.read(0) == 0
    with pytest.raises(BadQuantity):
        COUNT.read(True)


@given(st.floats(120, 1e9))
def test_a_long_duration_has_one_unit_or_two_that_adjoin(seconds: float) -> None:
    units = re.findall("[a-z]+", SECONDS.spell(seconds))
    assert " ".join(units) in ("d", "d h", "h", "h min", "min", "min s")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (10000, "10 000 entries")]
)
def test_a_noun_goes_with_its_count(count: int, text: str) -> None:
    assert counted(count, "entry", "entries") == text
    assert counted(count, "thread") == text.replace("entries", "threads").replace("entry", "thread")


def test_thousands_apart_are_read_in_plain_numbers_and_in_shares() -> None:
    assert NUMBER.parse(NUMBER.spell(1096.6)) == 1097


def test_a_rate_below_zero_is_spelled_as_one_above() -> None:
    assert PER_SECOND.spell(-1000.0) == "-1 000/s"
