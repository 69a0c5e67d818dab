"""Versions and ranges of them."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.releases import (
    MINORS,
    NEWEST,
    Release,
    ReleaseRange,
    nearest_index,
    parse_release,
    release_at,
)


@pytest.mark.parametrize(
    ("text", "release"),
    [("1.20", (1, 20, None)), ("1.20.5", (1, 20, 5)), ("v1_18", (1, 18, None)), (" 2.0.2 ", (2, 0, 2))],
)
def test_versions_as_people_and_custom_resources_write_them(text: str, release: tuple[int, int, int | None]) -> None:
    assert parse_release(text) == Release(*release)


@pytest.mark.parametrize("text", ["", "1", "latest", "1.20-scala_2.12", "1.2.3.4"])
def test_what_is_no_version_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write it like"):
        parse_release(text)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">=1.18,<2", ["1.18", "1.20.5"], ["1.17", "2.0"]),
        ("1.20", ["1.20", "1.20.1"], ["1.19", "2.0"]),
        ("<=1.20", ["1.9", "1.20.5"], ["2.0"]),
        (">1.18", ["1.19"], ["1.18.1", "1.18"]),
        ("<1.20.4", ["1.20.3", "1.19"], ["1.20.4", "1.20"]),
        ("1.x", ["1.9", "1.20"], ["2.0"]),
        ("!=2.0", ["2.1"], ["2.0.2"]),
    ],
)
def test_ranges(text: str, inside: list[str], outside: list[str]) -> None:
    range_ = ReleaseRange(text)
    assert [version for version in inside if parse_release(version) not in range_] == []
    assert [version for version in outside if parse_release(version) in range_] == []


def test_a_range_lists_its_minors_and_a_bad_one_is_refused() -> None:
    assert [MINORS[i] for i in ReleaseRange(">=1.19,<2.1").indices()] == ["1.19", "1.20", "2.0"]
    with pytest.raises(ValueError, match=r">=1\.18,<2"):
        ReleaseRange("newest")


def test_minors_are_in_order_and_releases_outside_have_a_nearest() -> None:
    assert [release_at(i).place for i in range(len(MINORS))] == list(range(len(MINORS)))
    assert nearest_index(parse_release("1.7")) == 0
    assert nearest_index(parse_release("3.1")) == NEWEST
