"""Where the project around a file begins, and what is read of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine import project_files
from flink_flint.linter.engine.discovery import Problem, find
from flink_flint.linter.engine.project_files import others, project_root, roots_around


def test_the_repository_is_the_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/flint.toml").write_text("")
    assert project_root(str(tmp_path / "a/b/flink-conf.yaml")) == str(tmp_path)


def test_outside_of_a_repository_the_highest_flint_toml_declares_it(tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "x").mkdir()
    assert project_root(str(tmp_path / "x")) is None
    for folder in ("a", "a/b"):
        (tmp_path / folder / "flint.toml").write_text("")
    assert project_root(str(tmp_path / "a/b/c")) == str(tmp_path / "a")


def test_roots_are_spelled_like_the_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert roots_around(["x.yaml"]) == [".."]
    assert roots_around([str(tmp_path / "a/x.yaml")]) == [str(tmp_path)]
    assert roots_around(["..", "x.yaml"]) == []


def test_the_files_around_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "flink-conf.yaml").write_text("parallelism.default: 2\n")
    named = {str(tmp_path / "a/flink-conf.yaml")}
    found = others(find([str(tmp_path)]), named)
    assert found is not None
    assert [Path(source.path).parent.name for source in found] == ["b", "c"]
    monkeypatch.setattr(project_files, "MAX_SOURCES", 1)
    assert others(find([str(tmp_path)]), named) is None
    assert others([Problem("x", "unreadable")], named) == []
