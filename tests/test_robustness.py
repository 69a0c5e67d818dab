"""Pathological files: each gets a clear message, and the run continues with the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Flint

SOUND = "rest.port: 8081\n"
FLINK = "jobmanager.rpc.address: jm\n"
BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 21))
DEEP = "jobmanager: " + "{a: " * 10_000 + "1" + "}" * 10_000 + "\n"
DEEP_BLOCK = FLINK + "jobmanager:\n" + "".join(f"{' ' * depth}a:\n" for depth in range(1, 2_000))
DECLARED = '[files]\n"config.yaml" = "config.yaml"\n'
"""A flint.toml that says whose the files are: there is too little of Flink's in them to recognize them."""

ODD = {
    "a YAML bomb": ("config.yaml", (FLINK + BOMB).encode()),
    "a deep flow": ("config.yaml", DEEP.encode()),
    "a deep block": ("config.yaml", DEEP_BLOCK.encode()),
    "a binary file": ("config.yaml", bytes(range(256)) * 40),
    "a legacy binary file": ("flink-conf.yaml", bytes(range(256)) * 40),
    "invalid UTF-8": ("config.yaml", FLINK.encode() + b"env.java.home: \xff\xfe\n"),
    "invalid UTF-8 in the legacy file": ("flink-conf.yaml", FLINK.encode() + b"env.java.home: \xff\xfe\n"),
    "a NUL byte": ("config.yaml", FLINK.encode() + b"env.java.home: a\0b\n"),
    "a NUL byte in the legacy file": ("flink-conf.yaml", FLINK.encode() + b"env.java.home: a\0b\n"),
    "an empty file": ("config.yaml", b""),
    "one very long line": ("flink-conf.yaml", b"env.java.opts: " + b"-Da=b " * 300_000 + b"\n"),
    "secrets without end": ("flink-conf.yaml", b"secret" * 100_000 + b"\n"),
}


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if "long" in one else one for one in ODD])
def test_odd_content_is_answered_and_the_run_goes_on(name: str, flint: Flint, tmp_path: Path) -> None:
    file, data = ODD[name]
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / file).write_bytes(data)
    (tmp_path / "flint.toml").write_text(DECLARED)
    (tmp_path / "sound").mkdir()
    (tmp_path / "sound" / "flink-conf.yaml").write_text(SOUND)
    result = flint("check", f"odd/{file}", "sound/flink-conf.yaml", "--output-format", "json")
    assert result.returncode in (0, 1), result.stderr[-2000:]
    report = json.loads(result.stdout)
    assert report["files"] == 2
    assert not [f for f in report["findings"] if f["code"] == "FLK000"], report["findings"]
    shown = flint("show", f"odd/{file}", "--output-format", "json")
    assert shown.returncode == 0, shown.stderr[-2000:]


@pytest.mark.parametrize("name", ["a YAML bomb", "a deep flow", "a binary file", "invalid UTF-8", "a NUL byte"])
def test_what_flink_refuses_is_an_error_finding(name: str, flint: Flint, tmp_path: Path) -> None:
    file, data = ODD[name]
    (tmp_path / file).write_bytes(data)
    (tmp_path / "flint.toml").write_text(DECLARED)
    report = json.loads(flint("check", file, "--output-format", "json").stdout)
    assert "error" in {finding["severity"] for finding in report["findings"]}


def test_a_huge_file_is_a_problem_and_the_run_goes_on(flint: Flint, tmp_path: Path) -> None:
    with (tmp_path / "flink-conf.yaml").open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "flink-conf.yaml").write_text(SOUND)
    result = flint("check", ".", "--output-format", "json")
    assert result.returncode == 2
    assert "flink-conf.yaml: more than 10 MiB" in result.stderr
    assert json.loads(result.stdout)["files"] == 1


def test_an_unreadable_file_is_a_problem(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").symlink_to(tmp_path / "nowhere")
    result = flint("check", "flink-conf.yaml")
    assert result.returncode == 2
    assert "flink-conf.yaml: no such file" in result.stderr


def test_a_file_that_cannot_be_read_is_a_problem(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "flink-conf.yaml"
    if os.geteuid() == 0:  # root may read every file but this one, whose pages are not there
        path.symlink_to("/proc/self/mem")
    else:
        path.write_text(SOUND)
        path.chmod(0)
    result = flint("check", "flink-conf.yaml")
    assert result.returncode == 2
    assert "flink-conf.yaml: permission denied" in result.stderr or "input/output error" in result.stderr


def test_a_loop_of_links_ends(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "loop").symlink_to(tmp_path)
    (tmp_path / "conf" / "flink-conf.yaml").write_text(SOUND)
    result = flint("check", ".", "--output-format", "json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["files"] == 1


def test_paths_with_blanks_and_other_letters(flint: Flint, tmp_path: Path) -> None:
    folder = tmp_path / "où est le réseau 数据"
    folder.mkdir()
    (folder / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/é\n")
    result = flint("check", ".", "--output-format", "json")
    (finding,) = json.loads(result.stdout)["findings"]
    assert finding["path"] == "où est le réseau 数据/flink-conf.yaml"
    assert finding["end"]["column"] == len("blob.storage.directory: /tmp/é") + 1


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Prints the peak memory of a command in KiB; a process of its own, as a child begins with its parent's peak."""


@pytest.mark.parametrize("name", ODD)
@pytest.mark.slow
def test_none_of_them_takes_much_memory(name: str, tmp_path: Path) -> None:
    """The peak memory of the process stays below 200 MB for each; the benchmarks measure time."""
    file, data = ODD[name]
    (tmp_path / file).write_bytes(data)
    for command in ("check", "show"):
        arguments = [sys.executable, "-m", "flink_flint", command, str(tmp_path / file)]
        measured = subprocess.run(
            [sys.executable, "-c", MEASURE, *arguments], capture_output=True, text=True, check=True, cwd=ROOT
        )
        assert 5 * 1024 < int(measured.stdout) < 200 * 1024
