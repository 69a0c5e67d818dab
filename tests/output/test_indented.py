"""Indented JSON is the same as the standard library's."""

from __future__ import annotations

import json

import pytest

from flink_flint.linter.output.json_indent import indented


@pytest.mark.parametrize(
    "value",
    [
        {}, [], (), "", None, True, False, 0, 1, -5, 10**30, 1.5, 1e300, float("inf"), "a\n\"b\" \\ ü \u2028 \x1f",
        [[]], [{}], {"a": {}}, {"a": []},
        {"a": [1, True, None, 2.0, "x"], "b": {"c": [{"d": ()}, ["e"]], "ü\n": False}},
        [{"first": (1, 2)}, {"second": {"third": [[[0]]]}}],
    ],
)  # fmt: skip
def test_it_is_what_the_library_writes(value: object) -> None:
    assert indented(value) == json.dumps(value, indent=1, ensure_ascii=False)
