"""Comments that silence findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint

HAZARD = "blob.storage.directory: /tmp/blobs"


def findings(flint: Flint, folder: Path, text: str, *more: str, name: str = "flink-conf.yaml") -> list[dict[str, Any]]:
    (folder / name).write_text(text)
    found: list[dict[str, Any]] = json.loads(
        flint("check", ".", "--select", "FLK101,FLK044", "--output-format", "json", *more).stdout
    )["findings"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        f"{HAZARD}  # flint: ignore[FLK101] moved next week\n",
        f"{HAZARD}  # flint: ignore[blob-storage-in-tmp]\n",
        f"{HAZARD}  # flint: ignore[storage] all of them\n",
        f"{HAZARD} #flint:ignore[FLK1]\n",
        f"{HAZARD}  # flint: ignore\n",
        f"# flint: ignore[FLK101] because\n{HAZARD}\n",
        f"# flint: ignore[FLK101]\n\n# another comment\n{HAZARD}\n",
        f"# flint: file-ignore[FLK101] a test cluster\nrest.port: 1\n{HAZARD}\n",
        f"rest.port: 1\n{HAZARD}\n# flint: file-ignore[storage]\n",
    ],
)
@pytest.mark.parametrize("name", ["flink-conf.yaml", "config.yaml"])
def test_a_suppression_silences_the_findings_it_covers(text: str, name: str, flint: Flint, tmp_path: Path) -> None:
    assert findings(flint, tmp_path, text, name=name) == []


@pytest.mark.parametrize(
    "text",
    [
        f"rest.port: 1  # flint: ignore[FLK101]\n{HAZARD}\n",
        f"{HAZARD}\n# flint: ignore[FLK101]\nrest.port: 1\n",
        f"{HAZARD}  # flint: ignore[FLK102]\n",
    ],
)
def test_one_that_covers_something_else_does_not(text: str, flint: Flint, tmp_path: Path) -> None:
    assert "FLK101" in {finding["code"] for finding in findings(flint, tmp_path, text)}


def test_what_is_suppressed_is_counted_and_can_be_shown(flint: Flint, tmp_path: Path) -> None:
    text = f"{HAZARD}  # flint: ignore[FLK101]\n"
    assert findings(flint, tmp_path, text) == []
    assert [f["code"] for f in findings(flint, tmp_path, text, "--no-ignores")] == ["FLK101"]


def test_an_unused_one_is_reported_only_if_its_rule_ran(flint: Flint, tmp_path: Path) -> None:
    text = "rest.port: 1  # flint: ignore[FLK101]\n"
    (unused,) = findings(flint, tmp_path, text)
    assert unused["code"] == "FLK044"
    assert unused["start"] == {"line": 1, "column": 15}
    assert findings(flint, tmp_path, text, "--ignore", "FLK101") == []


def test_only_the_unused_name_of_several_is_reported(flint: Flint, tmp_path: Path) -> None:
    (unused,) = findings(flint, tmp_path, f"{HAZARD}  # flint: ignore[FLK101, no-such-rule] why\n")
    assert "suppresses no-such-rule" in unused["message"]


def test_the_text_of_a_value_is_no_comment(flint: Flint, tmp_path: Path) -> None:
    text = f'{HAZARD}\npipeline.name: "x # flint: file-ignore"\n'
    assert [f["code"] for f in findings(flint, tmp_path, text, name="config.yaml")] == ["FLK101"]
