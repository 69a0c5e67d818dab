"""Which repository a folder belongs to, and what git is asked in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flink_flint.linter.filesystem.git import (
    GitFailed,
    Repository,
    blobs,
    check_attributes,
    diff,
    repository_at,
    run,
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(folder: Path, *files: str) -> Path:
    """Make a repository with a commit of some files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_the_repository_at_or_above_a_folder(tmp_path: Path) -> None:
    top = repository(tmp_path / "repo", "a/b/c")
    for folder in (top, top / "a", top / "a" / "b"):
        found = repository_at(str(folder))
        assert (found.top, found.git_dir, found.common_dir) == (str(top), f"{top}/.git", f"{top}/.git")
    with pytest.raises(GitFailed, match="not a git repository"):
        repository_at(str(tmp_path))


def test_a_repository_within_another_counts_if_the_outer_one_tracks_nothing_in_it(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", "a", "unpacked/b")
    clone = repository(outer / "clone", "c")
    assert repository_at(str(clone)).top == str(clone)
    unpacked = repository(outer / "unpacked", "d")
    assert repository_at(str(unpacked)).top == str(outer)
    # What is within what does not count does not count either.
    assert repository_at(str(repository(unpacked / "deeper", "e"))).top == str(outer)


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    outer, inner = repository(tmp_path / "outer", "a"), repository(tmp_path / "inner", "b")
    git(outer, "submodule", "--quiet", "add", str(inner), "sub")
    git(outer, "commit", "-q", "-m", "submodule")
    found = repository_at(str(outer / "sub"))
    assert (found.top, found.git_dir) == (str(outer / "sub"), str(outer / ".git" / "modules" / "sub"))


def test_a_linked_working_tree(tmp_path: Path) -> None:
    top = repository(tmp_path / "repo", "a")
    git(top, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    found = repository_at(str(tmp_path / "linked"))
    assert (found.top, found.common_dir) == (str(tmp_path / "linked"), str(top / ".git"))
    assert found.git_dir == str(top / ".git" / "worktrees" / "linked")
    assert run(found, ["rev-parse", "--abbrev-ref", "HEAD"]) == b"other\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("nonsense", "invalid gitfile format"), ("gitdir: ../missing\n", "not a git repository"),
        ("gitdir: " + "x" * (1 << 20), "more than 1 MiB"),
    ],
)  # fmt: skip
def test_a_file_that_leads_to_no_repository(content: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".git").write_text(content)
    with pytest.raises(GitFailed, match=reason):
        repository_at(str(tmp_path / "repo"))


def test_what_is_broken_inside_leaves_the_repository_around_it(tmp_path: Path) -> None:
    outer = repository(tmp_path / "outer", "a")
    (outer / "broken" / ".git").mkdir(parents=True)
    assert repository_at(str(outer / "broken")).top == str(outer)


def test_the_search_ends_at_a_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = repository(tmp_path / "repo", "a/b")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(top))
    with pytest.raises(GitFailed, match="not a git repository"):
        repository_at(str(top / "a"))
    assert repository_at(str(top)).top == str(top)


def test_a_hook_names_its_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top, other = repository(tmp_path / "repo", "a"), repository(tmp_path / "other", "b")
    monkeypatch.chdir(top)
    monkeypatch.setenv("GIT_DIR", ".git")
    assert repository_at(str(other)).top == str(top)
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert repository_at(str(other)).top == str(other)


@pytest.mark.parametrize(
    ("setting", "value", "copied"),
    [
        ("core.autocrlf", "input", {"core.autocrlf": "input"}), ("core.eol", "lf", {"core.eol": "lf"}),
        ("core.eol", "two words", {}), ("core.pager", "true", {}), ("filter.x.clean", "true", {}),
    ],
)  # fmt: skip
def test_settings_of_the_layout_alone_are_copied(
    setting: str, value: str, copied: dict[str, str], tmp_path: Path
) -> None:
    top = repository(tmp_path / "repo", "a")
    before = repository_at(str(top)).settings
    git(top, "config", setting, value)
    assert repository_at(str(top)).settings == {**before, **copied}


def test_a_format_that_is_unknown_is_refused(tmp_path: Path) -> None:
    top = repository(tmp_path / "repo", "a")
    with (top / ".git" / "config").open("a") as config:
        config.write("[extensions]\n\tobjectformat = rot13\n")
    with pytest.raises(GitFailed, match=r"unknown extensions.objectformat 'rot13'"):
        repository_at(str(top))
    (top / ".git" / "config").write_text("[core\n")
    with pytest.raises(GitFailed, match="git says: bad config"):
        repository_at(str(top))


def test_a_repository_needs_no_configuration(tmp_path: Path) -> None:
    top = repository(tmp_path / "repo", "a")
    (top / ".git" / "config").unlink()
    found = repository_at(str(top))
    assert found.settings == {}
    assert run(found, ["ls-files"]) == b"a\n"


def test_a_repository_of_sha256(tmp_path: Path) -> None:
    top = tmp_path / "repo"
    top.mkdir()
    git(top, "init", "-q", "--object-format=sha256")
    repository(top, "a")
    assert len(run(repository_at(str(top)), ["rev-parse", "HEAD"]).strip()) == 64


def test_pipes_that_git_would_wait_for_are_refused(tmp_path: Path) -> None:
    top = repository(tmp_path / "repo", "a")
    for name in ("refs/heads/pipe", "packed-refs", "objects/pack/pipe", "objects/info/pipe", "logs/pipe"):
        pipe = top / ".git" / name
        pipe.parent.mkdir(exist_ok=True)
        os.mkfifo(pipe)
        with pytest.raises(GitFailed, match="is not a regular file"):
            repository_at(str(top))
        pipe.unlink()
    os.mkfifo(top / ".git" / "objects" / "unread")
    assert repository_at(str(top)).top == str(top)


def test_stores_of_objects_elsewhere_are_looked_through_once(tmp_path: Path) -> None:
    top, other = repository(tmp_path / "repo", "a"), repository(tmp_path / "other", "b")
    for one, another in ((top, other), (other, top)):
        (one / ".git" / "objects" / "info" / "alternates").write_text(f"{another}/.git/objects\n")
    assert repository_at(str(top)).top == str(top)
    os.mkfifo(other / ".git" / "objects" / "pack" / "pipe")
    with pytest.raises(GitFailed, match="is not a regular file"):
        repository_at(str(top))


def opened(tmp_path: Path, *files: str) -> tuple[Path, Repository]:
    top = repository(tmp_path / "repo", *files)
    return top, repository_at(str(top))


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    _, found = opened(tmp_path, "a")
    with pytest.raises(GitFailed, match=r"^git says: (bad|ambiguous|Needed|not a|path).*missing|^git says: .*missing"):
        run(found, ["cat-file", "blob", "missing"])
    with pytest.raises(GitFailed, match=r"^$"):
        run(found, ["diff", "--quiet", "--exit-code", git(tmp_path / "repo", "hash-object", "-t", "tree", os.devnull)])
    with pytest.raises(GitFailed, match=r"^git says: git: 'missing' is not a git command"):
        run(found, ["missing"])


def test_there_may_be_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = opened(tmp_path, "a")
    (tmp_path / "git").write_text("#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    for path in (".", "", str(tmp_path)):  # one in the current folder is never taken, nor one that cannot run
        monkeypatch.setenv("PATH", path)
        with pytest.raises(GitFailed, match="git is not installed, or not on the PATH"):
            run(found, ["status"])


def test_differences(tmp_path: Path) -> None:
    top, found = opened(tmp_path, "a", "b")
    (top / "a").write_text("changed\n")
    assert diff(found, ["--name-only"], "HEAD") == b"a\n"
    assert diff(found, ["--name-only"], "HEAD", ["b"]) == b""


def test_objects_come_as_a_checkout_writes_them(tmp_path: Path) -> None:
    top, _ = opened(tmp_path, "a")
    (top / ".gitattributes").write_text("*.crlf eol=crlf\n")
    (top / "new\nline").write_text("x\n")
    repository(top)
    a, odd = git(top, "rev-parse", "HEAD:a"), git(top, "rev-parse", "HEAD:new\nline")
    objects = [(a, "a"), (a, "a.crlf"), ("0" * 40, "gone"), (odd, "new\nline"), (a, "ä")]
    assert list(blobs(repository_at(str(top)), objects)) == [b"a\n", b"a\r\n", None, b"x\n", b"a\n"]


def test_no_object_needs_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = opened(tmp_path, "a")
    monkeypatch.setenv("PATH", "")
    assert list(blobs(found, [])) == []


def test_attributes_that_git_would_wait_for(tmp_path: Path) -> None:
    top, found = opened(tmp_path, "a/b/c", "d")
    check_attributes(found, ["a/b/c", "d"])
    (top / "a" / ".gitattributes").write_text("")
    (top / ".gitattributes").symlink_to("a/.gitattributes")
    check_attributes(found, ["a/b/c", "d"])
    os.mkfifo(top / "a" / "b" / ".gitattributes")
    check_attributes(found, ["d", "a/x"])
    with pytest.raises(GitFailed, match=r"a/b/.gitattributes is not a regular file"):
        check_attributes(found, ["d", "a/b/c"])


def test_the_index_of_a_hook_counts_in_its_own_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top, found = opened(tmp_path, "a")
    other = repository(tmp_path / "other", "b")
    (top / ".git" / "index.lock2").write_bytes((other / ".git" / "index").read_bytes())
    assert run(found, ["ls-files"]) == b"a\n"
    monkeypatch.setenv("GIT_INDEX_FILE", str(top / ".git" / "index.lock2"))
    assert run(found, ["ls-files"]) == b"b\n"
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert run(found, ["ls-files"]) == b"a\n"
