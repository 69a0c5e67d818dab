"""`flint show`: the effective configuration of a file or a directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint

CONF = """\
jobmanager.memory.process.size: 1600m
taskmanager.memory.process.size: 1728m
akka.framesize: 20m
s3.secret-key: hush-7f3a
broken:line
"""


def shown(flint: Flint, *arguments: str) -> dict[str, Any]:
    result = flint("show", *arguments, "--output-format", "json")
    assert result.returncode == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_settings_warnings_and_memory(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    report = shown(flint, "flink-conf.yaml", "--flink-version", "1.18")
    (document,) = report["documents"]
    assert report["flink_version"] == "1.18"
    assert document["settings"] == {
        "akka.framesize": "20m",
        "jobmanager.memory.process.size": "1600m",
        "s3.secret-key": "******",
        "taskmanager.memory.process.size": "1728m",
    }
    assert len(document["warnings"]) == 1
    assert document["error"] is None
    memory = document["memory"]
    assert memory["taskmanager"]["task_heap"] == 402653174
    assert memory["taskmanager"]["process_size"] == 1728 * 2**20
    assert memory["jobmanager"]["heap"] == 2**30
    assert memory["jobmanager"]["jvm_args"].startswith("-Xmx1073741824 ")
    assert shown(flint, "flink-conf.yaml", "--show-secrets")["documents"][0]["settings"]["s3.secret-key"] == "hush-7f3a"


def test_what_flink_refuses_has_an_error_and_no_sizes(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("taskmanager.memory.process.size: 1g\nrest.port:\n")
    (document,) = shown(flint, "config.yaml")["documents"]
    assert document["error"]
    assert document["settings"] == {}
    assert document["memory"]["taskmanager"]["task_heap"] is None
    text = flint("show", "config.yaml").stdout
    assert "Flink refuses the file, line 2" in text


def test_memory_flink_refuses_is_reported_in_its_words(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("taskmanager.memory.process.size: 300m\n")
    (document,) = shown(flint, "config.yaml", "--flink-version", "1.20")["documents"]
    assert document["error"] is None
    assert "TaskManager memory configuration failed" in document["memory"]["taskmanager"]["error"]


@pytest.mark.parametrize(
    ("names", "version", "chosen"),
    [
        (["flink-conf.yaml", "config.yaml"], "1.20", "flink-conf.yaml"),
        (["flink-conf.yaml", "config.yaml"], "2.0", "config.yaml"),
        (["flink-conf.yaml", "config.yaml"], "1.18", "flink-conf.yaml"),
        (["flink-conf.yaml", "config.yaml"], None, "config.yaml"),
        (["flink-conf.yaml"], None, "flink-conf.yaml"),
        (["config.yaml"], "1.19", "config.yaml"),
        (["config.yaml"], "1.18", None),
        (["flink-conf.yaml"], "2.0", None),
        ([], None, None),
    ],
)
def test_of_a_directory_the_file_flink_loads(
    names: list[str], version: str | None, chosen: str | None, flint: Flint, tmp_path: Path
) -> None:
    (tmp_path / "conf").mkdir()
    for name in names:
        (tmp_path / "conf" / name).write_text("rest.port: 1\n")
    arguments = ["show", "conf", "--output-format", "json", *(["--flink-version", version] if version else [])]
    result = flint(*arguments)
    if chosen is None:
        assert result.returncode == 2
        assert result.stderr.startswith("error: conf: the directory has no ")
    else:
        assert json.loads(result.stdout)["documents"][0]["path"] == f"conf/{chosen}"


def test_an_unknown_release_is_shown_as_the_newest_that_reads_the_file(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF)
    assert shown(flint, "flink-conf.yaml")["flink_version"] == "1.20"
    text = flint("show", "flink-conf.yaml").stdout
    assert "flink-conf.yaml as Flink 1.20 reads it" in text
    assert "release unknown, only 1.11 to 1.20 read jobmanager.memory.process.size" in text


@pytest.mark.parametrize("width", ["80", "120", "200"])
def test_the_text_fits_the_terminal(width: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(CONF + f"env.java.opts: {'-Da=b ' * 60}\n")
    lines = flint("show", "flink-conf.yaml", COLUMNS=width).stdout.splitlines()
    longest_words = ("taskmanager.memory.process.size", "-XX:Max")
    assert [x for x in lines if len(x) > int(width) and not any(w in x for w in longest_words)] == []


def test_a_file_of_no_kind_is_an_error(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    result = flint("show", "a.txt")
    assert (result.returncode, result.stderr) == (2, "error: a.txt: not a supported file\n")
    assert flint("show", "missing/flink-conf.yaml").returncode == 2
