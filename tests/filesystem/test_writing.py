"""Fixed files are written atomically, keep their attributes, and never overwrite concurrent changes."""

from __future__ import annotations

import ctypes
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from flink_flint.linter.engine.discovery import Problem, Source, open_file
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.writing import (
    Changed,
    create,
    print_or_save,
    replace_whole,
    save,
    write_scratch,
    write_whole,
)
from flink_flint.linter.fix.apply import Fixed, fix, write
from tests.conftest import ROOT, Flint

OLD = "akka.framesize: 20971520b\n"
NEW = "pekko.framesize: 20971520b\n"
WORDS = ("--fix", "--flink-version", "1.18", "--select", "deprecated-key")


def fixed_file(path: Path) -> Fixed:
    source = open_file(str(path))
    assert isinstance(source, Source)
    (fixed,) = fix([source], Options(flink_version="1.18", select=("deprecated-key",)), unsafe=False)
    assert fixed.changed
    return fixed


def written(folder: Path, name: str = "flink-conf.yaml") -> Path:
    path = folder / name
    path.write_text(OLD)
    return path


def as_anybody() -> None:
    """Drop root's capability to write read-only files (CAP_DAC_OVERRIDE) for processes started next."""
    if ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0):
        raise OSError("prctl refuses")


_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
"""From linux/prctl.h and linux/capability.h."""


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path)
    fixed = fixed_file(path)
    path.write_text("rest.port: 8081\n")
    problem = write(fixed)
    assert isinstance(problem, Problem)
    assert "changed while it was being fixed" in problem.message
    assert path.read_text() == "rest.port: 8081\n"
    assert os.listdir(tmp_path) == ["flink-conf.yaml"]


def test_a_file_that_is_gone_does_not_come_back(tmp_path: Path) -> None:
    path = written(tmp_path)
    fixed = fixed_file(path)
    path.unlink()
    problem = write(fixed)
    assert problem is not None
    assert "no such file" in problem.message
    assert os.listdir(tmp_path) == []


def test_two_names_of_one_file_are_written_once(flint: Flint, tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").symlink_to(path)
    result = flint("check", ".", *WORDS)
    assert (result.returncode, result.stderr) == (0, "")
    assert path.read_text() == NEW
    assert (tmp_path / "conf" / "flink-conf.yaml").is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o664, 0o2664])
def test_the_mode_is_kept(mode: int, tmp_path: Path) -> None:
    path = written(tmp_path)
    path.chmod(mode)
    assert write(fixed_file(path)) is None
    assert path.read_text() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path)
    owner = (12345, 23456) if os.geteuid() == 0 else (os.geteuid(), os.getegid())  # only root can change owners
    os.chown(path, *owner)
    path.chmod(0o4640)
    assert write(fixed_file(path)) is None
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (*owner, 0o4640)


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(str(tmp_path / "report.json"), b"{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o640


def test_a_name_of_the_greatest_length_is_no_obstacle(tmp_path: Path) -> None:
    path = written(tmp_path, f"flink-conf-{'x' * 239}.yaml")
    assert len(path.name) == 255
    assert write(fixed_file(path)) is None
    assert path.read_text() == NEW


def test_leftovers_of_a_killed_run_are_no_obstacle(tmp_path: Path) -> None:
    path = written(tmp_path)
    leftover = tmp_path / f".flint-{os.getpid()}-0"
    leftover.write_text("half")
    assert write(fixed_file(path)) is None
    assert path.read_text() == NEW
    assert leftover.read_text() == "half"


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path)
    result = subprocess.run(
        [sys.executable, "-m", "flink_flint", "check", str(path), *WORDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
    )
    assert result.returncode == 2
    assert f"{path}: cannot write the fixed file: file too large" in result.stderr
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == ["flink-conf.yaml"]


@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_is_read_only_stays_as_it_is(which: str, tmp_path: Path) -> None:
    folder = tmp_path / "conf"
    folder.mkdir()
    path = written(folder)
    locked = path if which == "file" else folder
    locked.chmod(0o555)
    try:
        result = subprocess.run(
            [sys.executable, "-m", "flink_flint", "check", "conf", *WORDS],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=as_anybody if os.geteuid() == 0 else None,
        )
    finally:
        locked.chmod(0o755)
    assert result.returncode == 2
    assert "cannot write the fixed file: permission denied" in result.stderr
    assert path.read_text() == OLD
    assert os.listdir(folder) == ["flink-conf.yaml"]


def test_a_file_is_replaced_only_if_it_is_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(FileNotFoundError):
        replace_whole(str(path), b"old", b"new")
    path.write_bytes(b"old")
    replace_whole(str(path), b"old", b"new")
    assert path.read_bytes() == b"new"
    before = path.stat()
    replace_whole(str(path), b"old", b"new")  # somebody else did the same
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    for now in (b"other", b"new and more", b""):
        path.write_bytes(now)
        with pytest.raises(Changed):
            replace_whole(str(path), b"old", b"new")
        assert path.read_bytes() == now


def test_a_link_is_followed_and_a_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a"
    target.write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    write_whole(str(tmp_path / "link"), b"new")
    assert target.read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(IsADirectoryError):
        write_whole(str(tmp_path / "real"), b"new")
    assert os.listdir(tmp_path / "real") == ["a"]


def test_a_pipe_needs_a_reader(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="A pipe without a reader"):
        write_whole(str(pipe), b"new")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(str(pipe), b"new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_scratch_files_follow_no_link_and_make_their_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    write_scratch(str(path), b"long content")
    write_scratch(str(path), b"short")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"short", 0o600)
    outside = tmp_path / "outside"
    outside.write_bytes(b"kept")
    (tmp_path / "a" / "link").symlink_to(outside)
    with pytest.raises(OSError):  # noqa: PT011 - which one differs between systems
        write_scratch(str(tmp_path / "a" / "link"), b"new")
    assert outside.read_bytes() == b"kept"


def test_a_file_is_created_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    create(str(path), 0o600)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"", 0o600)
    with pytest.raises(FileExistsError):
        create(str(path), 0o600)


def test_an_output_that_cannot_be_written_is_an_error_in_words(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    with pytest.raises(ValueError, match=r"missing/report: cannot write the report: no such file or directory"):
        save(str(tmp_path / "missing" / "report"), b"", "the report")
    print_or_save("ä\udcff\n", str(tmp_path / "report"), "the report")
    assert (tmp_path / "report").read_bytes() == b"\xc3\xa4\xff\n"
    for name in (None, "-"):
        print_or_save("ä\udcff\n", name, "the report")
        assert capsysbinary.readouterr().out == b"\xc3\xa4\xff\n"
    assert os.listdir(tmp_path) == ["report"]
