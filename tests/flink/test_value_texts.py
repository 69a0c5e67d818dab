"""Grammars of texts take what is right, whatever it looks like."""

from __future__ import annotations

import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.grammars.texts import (
    CLASSES,
    FACTORIES,
    FILTERS,
    FINGERPRINT,
    PART_SIZE,
    SCHEME,
    SERIALIZERS,
    TIME_ZONE,
    TIME_ZONE_OR_OFFSET,
    URL,
)

_OF_FILES = ("localtime", "posixrules", "posix/", "right/")
"""What is beside the zones in the folder of a system."""
_NAME = st.from_regex(r"[A-Za-z_$][A-Za-z0-9_$]*", fullmatch=True)


def test_each_zone_of_the_database_is_taken() -> None:
    zones = [zone for zone in zoneinfo.available_timezones() if not zone.startswith(_OF_FILES)]
    assert [zone for zone in zones if not TIME_ZONE.takes(zone)] == []


@pytest.mark.parametrize("zone", ["GMT+08:00", "GMT+8", "GMT-08:00", "default", "UTC", "Etc/GMT+8"])
def test_each_fixed_zone_is_taken(zone: str) -> None:
    assert TIME_ZONE.takes(zone)
    assert TIME_ZONE_OR_OFFSET.takes(zone)


@pytest.mark.parametrize("zone", ["UTC+8", "utc", "Mars", "PST", "america/new_york", "America/new_York", "UTC+08:00"])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    assert not TIME_ZONE_OR_OFFSET.takes(zone)


@given(st.lists(_NAME, min_size=1, max_size=5))
def test_each_name_of_a_class_is_taken(parts: list[str]) -> None:
    name = ".".join(parts)
    assert CLASSES.takes([name])
    assert FACTORIES.takes(f"{name}; {name}") == (not name.startswith("java."))


@given(st.binary(min_size=20, max_size=20), st.sampled_from(["", ":"]))
def test_each_fingerprint_is_taken(digest: bytes, colon: str) -> None:
    text = digest.hex(colon) if colon else digest.hex()
    assert FINGERPRINT.takes(text)
    assert FINGERPRINT.takes(f"{text.upper()},{text}")
    assert not FINGERPRINT.takes(text[:-2])


def test_texts_at_the_border() -> None:
    assert all(map(SCHEME.takes, ("", "hdfs", "file:///", "s3://bucket", "hdfs://h:8020/a", "/a:b", "a%20b")))
    assert not any(map(SCHEME.takes, ("file:", "hdfs://", ":x", "C:\\x", "a b", "a%2", "1a:b")))
    assert all(map(URL.takes, ("http://localhost:9091", "HTTPS://a/b")))
    assert not any(map(URL.takes, ("localhost:9091", "http//x", "", "x y")))
    assert all(map(FILTERS.takes, ("", "*", "a:b", "*:*:counter,METER", "*::*", ["a:b", "c"])))
    assert not any(map(FILTERS.takes, ("a:b:c:d", "*:*:number", ":::", "(:*")))
    assert PART_SIZE.takes("5242880")
    assert not any(map(PART_SIZE.takes, ("5242879", "5 mb", "", "x")))
    assert SERIALIZERS.takes(["{com.example.Event: {type: pojo}}", "com.example.Other: {type: typeinfo, class: a.B}"])
    assert not SERIALIZERS.takes(["com.example.Event"])
    assert not SERIALIZERS.takes(["{com.example.Event: {type: avro}}"])
