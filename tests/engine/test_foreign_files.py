"""What is remembered of files that are not Flink's, and what is not believed."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.foreign_files import ForeignFiles
from flink_flint.linter.filesystem import folders
from flink_flint.linter.filesystem.user_cache import cache_file, cache_folder

LONG_AGO = 1_600_000_000_000_000_000


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "tree"
    (root / ".git").mkdir(parents=True)
    for name, text in {"a.yaml": "a: 1\n", "flink-conf.yaml": "parallelism.default: 2\n"}.items():
        (root / name).write_text(text)
        os.utime(root / name, ns=(LONG_AGO, LONG_AGO))
    return root


def names(root: Path, foreign: ForeignFiles | None) -> list[str]:
    folders.forget()
    found = find([str(root)], foreign=foreign)
    return sorted(Path(source.path).name for source in found if isinstance(source, Source))


def learned(root: Path) -> Path:
    foreign = ForeignFiles(str(root))
    names(root, foreign)
    foreign.save()
    file = cache_file(str(root), _version())
    assert file is not None
    return Path(file)


def _version() -> str:
    from flink_flint.linter import __version__

    return __version__


def test_a_known_file_is_not_opened_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned(tree)
    opened: list[str] = []
    from flink_flint.linter.engine import discovery

    real = discovery.open_found
    monkeypatch.setattr(discovery, "open_found", lambda path, top: opened.append(path) or real(path, top))
    assert names(tree, ForeignFiles(str(tree))) == ["flink-conf.yaml"]
    assert [Path(path).name for path in opened] == ["flink-conf.yaml"]


def test_a_changed_file_is_opened_again(tree: Path) -> None:
    learned(tree)
    (tree / "a.yaml").write_text("taskmanager.numberOfTaskSlots: 2\nparallelism.default: 2\n")
    assert names(tree, ForeignFiles(str(tree))) == ["a.yaml", "flink-conf.yaml"]


def test_a_file_that_was_changed_just_now_is_not_remembered(tree: Path) -> None:
    (tree / "a.yaml").write_text("a: 2\n")
    assert not learned(tree).exists()


def test_what_is_mounted_now_is_opened_again(tree: Path) -> None:
    (tree / "config.yaml").write_text("parallelism: {default: 2}\nacme: 1\nother: 2\nthird: 3\n")
    os.utime(tree / "config.yaml", ns=(LONG_AGO, LONG_AGO))
    assert names(tree, None) == ["flink-conf.yaml"] or "config.yaml" in names(tree, None)
    learned(tree)
    (tree / "Dockerfile").write_text("FROM flink:1.20\nCOPY config.yaml /opt/flink/conf/config.yaml\n")
    assert names(tree, ForeignFiles(str(tree))) == names(tree, None)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"": 1}', '{"": ["", {"a.yaml": ["x", 1]}]}', "[" * 100_000])
def test_a_broken_cache_is_ignored(tree: Path, content: str) -> None:
    learned(tree).write_text(content)
    assert names(tree, ForeignFiles(str(tree))) == ["flink-conf.yaml"]


def test_nothing_in_the_tree_is_believed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = learned(tree)
    content = json.loads(forged.read_text())
    found = (tree / "flink-conf.yaml").stat()
    content[""][1]["flink-conf.yaml"] = [found.st_size, found.st_mtime_ns]
    forged.write_text(json.dumps(content))
    assert names(tree, ForeignFiles(str(tree))) == []  # so the entry would hide the file if it were believed
    for folder in (tree, tree / ".cache/flint"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / forged.name).write_text(json.dumps(content))
        monkeypatch.setenv("FLINT_CACHE_DIR", str(folder))
        assert names(tree, ForeignFiles(str(tree))) == ["flink-conf.yaml"]
    (tree.parent / "link").symlink_to(tree)
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tree.parent / "link"))
    assert names(tree, ForeignFiles(str(tree))) == ["flink-conf.yaml"]


def test_parallel_runs_leave_a_whole_file(tree: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        files = set(pool.map(lambda _: learned(tree), range(40)))
    (file,) = files
    assert "a.yaml" in json.loads(file.read_text())[""][1]
    assert os.listdir(file.parent) == [file.name]


def test_a_cache_that_cannot_be_written_costs_only_time(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree.parent / "file").write_text("")
    monkeypatch.setenv("FLINT_CACHE_DIR", str(tree.parent / "file" / "x"))
    assert not learned(tree).exists()


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLINT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    folder = cache_folder()
    assert folder is None or "relative" not in folder
