"""`flint show`: the effective configuration of a file or a directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.commands.show import ShowArguments, run_show
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


@pytest.mark.slow
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


def printed(*paths: str) -> tuple[int, list[str]]:
    """Show paths as JSON; return the exit status and the messages."""
    arguments = ShowArguments(
        paths, diff=False, show_secrets=False, output_format="json", flink_version="2.0", platform=None, profile=None,
        flint_config_file=None,
    )  # fmt: skip
    said: list[str] = []
    return run_show(arguments, said.append), said


def test_a_file_of_no_kind_is_an_error_beside_files_of_flink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (".git/HEAD", "a.txt", "conf/config.yaml", "link.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("rest.port: 1\n")
    assert printed("a.txt") == (2, ["a.txt: not a supported file"])


def test_a_file_that_cannot_be_read_has_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sql").write_text("SET 'rest.port' = '1';\n", encoding="utf-16")
    status, (message,) = printed(".")
    assert (status, message.partition(": ")[0]) == (2, "job.sql")


def test_a_file_alone_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("rest.port: 1\n")
    assert printed("config.yaml") == (0, [])
    assert json.loads(capsys.readouterr().out)["documents"][0]["settings"] == {"rest.port": "1"}


KUSTOMIZATION = {
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "base/job.yaml": """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec: {image: "flink:2.0", flinkVersion: v2_0, flinkConfiguration: {rest.port: "8082"}}
""",
}


@pytest.mark.parametrize(
    ("files", "message"), [(KUSTOMIZATION, None), ({}, "overlay: not a supported file")]
)  # fmt: skip
def test_an_overlay_without_files_of_flink_is_shown_with_its_base(
    files: dict[str, str], message: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, text in {"overlay/kustomization.yaml": "resources: [../base]\n", **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert printed("overlay") == ((0, []) if message is None else (2, [message]))
    assert ('"8082"' in capsys.readouterr().out) == (message is None)


TABLE = "CREATE TABLE a (x INT) WITH ('connector' = 'datagen');\n"


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ({"conf/config.yaml": ""}, ["conf/config.yaml"]),
        ({"conf/config.yaml": "", "job.sql": TABLE}, ["conf/config.yaml", "job.sql"]),
        ({"a/config.yaml": "", "job.sql": TABLE}, ["a/config.yaml"]),
        ({"job.sql": TABLE}, ["job.sql"]),
        ({"a.sql": TABLE, "b.sql": f"SET 'rest.port' = '1';\n{TABLE}"}, ["b.sql"]),
    ],
)
def test_what_sets_nothing_is_shown_if_it_is_all_there_is_or_a_whole_configuration(
    files: dict[str, str], shown: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert printed(".") == (0, [])
    documents = json.loads(capsys.readouterr().out)["documents"]
    assert [one["path"] for one in documents] == shown
