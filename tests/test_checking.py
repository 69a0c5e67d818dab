"""How `flint check` chooses its output."""

from __future__ import annotations

import json
from pathlib import Path

from linter.reports import FORMATS
from tests.conftest import Flint


def test_annotations_are_the_format_of_github_actions_unless_another_is_named(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n")
    annotated = flint("check", GITHUB_ACTIONS="true")
    assert annotated.stdout == flint("check", "--output-format", "github").stdout
    assert annotated.stdout.startswith("::warning ")
    named = flint("check", "--output-format", "json", GITHUB_ACTIONS="true")
    assert json.loads(named.stdout)["findings"]
    into_a_file = flint("check", "--output-file", "report.txt", GITHUB_ACTIONS="true")
    assert into_a_file.stdout == ""
    assert "::warning" not in (tmp_path / "report.txt").read_text()
    elsewhere = flint("check", GITHUB_ACTIONS="false")
    assert elsewhere.stdout.startswith("warning[FLK101]")
    (tmp_path / "flint.toml").write_text('output-format = "concise"\n')
    preferred = flint("check", GITHUB_ACTIONS="true")
    assert preferred.stdout.startswith("flink-conf.yaml:1:25: warning[FLK101]")


def test_the_help_names_every_format(flint: Flint) -> None:
    shown = flint("check", "--help").stdout
    assert [name for name in FORMATS if name not in shown] == []


def test_the_preferences_take_every_format(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("blob.storage.directory: /tmp/blobs\n")
    for name in FORMATS:
        (tmp_path / "flint.toml").write_text(f'output-format = "{name}"\n')
        assert flint("check").stdout == flint("check", "--output-format", name).stdout
