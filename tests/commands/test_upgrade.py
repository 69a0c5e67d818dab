"""`flint upgrade`: the files that it reads, fixes and refuses to overwrite; reports are tested in tests/upgrade."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.commands.upgrade import UpgradeArguments, run_upgrade

BEFORE = "akka.framesize: 20m\n"
RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: acme/flink:1.18.1-7
  flinkVersion: v1_18
  flinkConfiguration:
    akka.framesize: 20m
"""


@pytest.fixture(autouse=True)
def _file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flink-conf.yaml").write_text(BEFORE)


def upgraded(*paths: str, **given: Any) -> tuple[int, list[str]]:
    """Run the command and return the exit status and its messages."""
    arguments = UpgradeArguments(
        paths, to="1.20", from_release="1.18", output_format="text", output_file=None, all_defaults=False, fix=False,
        diff=False, fail_level="error", platform=None, profile=None, flint_config_file=None,
    )  # fmt: skip
    said: list[str] = []
    return run_upgrade(arguments._replace(**given), lambda text, kind="error": said.append(f"{kind}: {text}")), said


def test_old_names_are_replaced(tmp_path: Path) -> None:
    assert upgraded("flink-conf.yaml", fix=True) == (0, [])
    assert (tmp_path / "flink-conf.yaml").read_text() == "pekko.framesize: 20m\n"


def test_old_names_stay_where_the_release_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(RESOURCE)
    status, (warning,) = upgraded("job.yaml", fix=True, from_release=None)
    assert status == 0
    assert warning.startswith("warning: job.yaml: nothing was upgraded here: line 5 names the old release")
    assert (tmp_path / "job.yaml").read_text() == RESOURCE


def test_only_a_path_that_does_not_exist_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert upgraded("flink-conf.yaml") == (0, [])
    assert upgraded("flink-conf.yaml", "nowhere") == (2, ["error: nowhere: no such file or folder"])
    assert capsys.readouterr().out.count("flink-conf.yaml: Flink 1.18 to 1.20") == 2


@pytest.mark.parametrize("file", ["flink-conf.yaml", "link.yaml"])
def test_no_report_overwrites_a_file_that_it_is_about(file: str, tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to("flink-conf.yaml")
    with pytest.raises(ValueError, match=f"^{file}: the report would overwrite a file it is about"):
        upgraded("flink-conf.yaml", output_file=file)
    assert (tmp_path / "flink-conf.yaml").read_text() == BEFORE


def test_a_report_is_saved_elsewhere(tmp_path: Path) -> None:
    assert upgraded("flink-conf.yaml", output_file="report.txt") == (0, [])
    assert (tmp_path / "report.txt").read_text().startswith("flink-conf.yaml: Flink 1.18 to 1.20")
