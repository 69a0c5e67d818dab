"""Patterns of users: found in linear time, and what is wrong with one is reported."""

from __future__ import annotations

import pytest

from flink_flint.linter.text.user_patterns import PatternError, linear_search


def test_a_pattern_is_searched_anywhere() -> None:
    search = linear_search("^s3a?://")
    assert search("s3a://bucket")
    assert not search("hdfs://s3://")


def test_what_is_wrong_is_reported_in_words() -> None:
    with pytest.raises(PatternError, match=r"^is not a valid RE2 regular expression: missing \): \(a \(lookarounds"):
        linear_search("(a")
