"""Paths in the base: which links are followed, and which path remains."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.revisions.base_paths import BasePaths

LINKS = {"now": "releases/2", "conf/link.yaml": "flink-conf.yaml", "out": "../other", "loop": "loop"}


@pytest.fixture
def paths(tmp_path: Path) -> BasePaths:
    return BasePaths(str(tmp_path), LINKS, frozenset({"conf", "releases", "releases/2"}), frozenset())


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("conf/flink-conf.yaml", "conf/flink-conf.yaml"),
        ("conf/./../conf/flink-conf.yaml", "conf/flink-conf.yaml"),
        ("now/flink-conf.yaml", "releases/2/flink-conf.yaml"),
        ("conf/link.yaml", "conf/link.yaml"),
        ("out", "out"),
        ("out/flink-conf.yaml", None),
        ("loop/flink-conf.yaml", None),
        ("conf/../../flink-conf.yaml", None),
    ],
)
def test_links_above_a_file_are_followed_and_the_file_itself_is_kept(
    paths: BasePaths, path: str, inside: str | None
) -> None:
    assert paths.resolved(path, follow_last=False) == inside


@pytest.mark.parametrize(
    ("path", "inside"), [("now", "releases/2"), ("conf/link.yaml", "conf/flink-conf.yaml"), ("out", None)]
)
def test_a_link_at_the_end_is_followed_if_wanted(paths: BasePaths, path: str, inside: str | None) -> None:
    assert paths.resolved(path, follow_last=True) == inside
