"""Which entries of a baseline a run calls stale, and which it leaves alone because it cannot tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Flint
from tests.revisions.test_changed_lines import BLOB, write

BLOB_CODE = "FLK101"
SOUND = "jobmanager.rpc.address: jm\n"


def baseline(folder: Path, *entries: tuple[str, str]) -> None:
    """Write a baseline that accepts findings, each given by file and code, on one line."""
    rows = [{"path": path, "code": code, "key": "blob.storage.directory"} for path, code in entries]
    write(folder / "b.json", json.dumps({"version": 1, "findings": rows}))


def accepted(folder: Path) -> list[str]:
    """Return the files of the entries of the baseline."""
    return [row["path"] for row in json.loads((folder / "b.json").read_text())["findings"]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n "version": 1,\n "findings": [\n  {"path": "flink-conf.yaml", "code": "FLK101"}\n ]\n}\n', "b.json:4"),
        ('{"version": 1, "findings": [{"path": "flink-conf.yaml", "code": "FLK101"}]}', "b.json"),
    ],
)
def test_a_stale_entry_is_reported_with_its_line_if_the_layout_tells_it(
    flint: Flint, tmp_path: Path, text: str, place: str
) -> None:
    write(tmp_path / "flink-conf.yaml", SOUND)
    write(tmp_path / "b.json", text)
    done = flint("check", "--baseline", "b.json")
    assert done.returncode == 1
    assert f"error: {place}: stale: FLK101 " in done.stderr
    assert "1 entry of b.json can be removed" in done.stderr


def test_writing_keeps_the_entry_of_a_file_that_was_not_checked(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path / "one/flink-conf.yaml", BLOB)
    write(tmp_path / "two/flink-conf.yaml", BLOB)
    baseline(tmp_path, ("two/flink-conf.yaml", BLOB_CODE))
    done = flint("check", "one", "--write-baseline", "--baseline", "b.json")
    assert "b.json: kept 1 entry that this run did not check" in done.stderr
    assert done.stdout == "Wrote 2 entries to b.json.\n"
    assert accepted(tmp_path) == ["one/flink-conf.yaml", "two/flink-conf.yaml"]


def test_pruning_keeps_the_entry_of_a_file_that_was_not_checked(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path / "one/flink-conf.yaml", SOUND)
    write(tmp_path / "two/flink-conf.yaml", SOUND)
    baseline(tmp_path, ("one/flink-conf.yaml", BLOB_CODE), ("two/flink-conf.yaml", BLOB_CODE))
    done = flint("check", "one", "--prune-baseline", "--baseline", "b.json")
    assert "b.json: removed 1 entry; 1 left" in done.stderr
    assert accepted(tmp_path) == ["two/flink-conf.yaml"]


@pytest.mark.parametrize(("checked", "status"), [(".", 1), ("old", 1), ("conf", 0)])
def test_entries_of_a_removed_file_are_stale_where_the_run_would_have_read_it(
    flint: Flint, tmp_path: Path, checked: str, status: int
) -> None:
    write(tmp_path / "conf/flink-conf.yaml", SOUND)
    write(tmp_path / "old/config.yaml", SOUND)
    baseline(tmp_path, ("old/flink-conf.yaml", BLOB_CODE))
    done = flint("check", checked, "--baseline", "b.json")
    assert (done.returncode, "in old/flink-conf.yaml no longer occurs" in done.stderr) == (status, bool(status))


def test_entries_of_a_named_file_that_does_not_exist_are_kept(flint: Flint, tmp_path: Path) -> None:
    baseline(tmp_path, ("flink-conf.yaml", BLOB_CODE))
    done = flint("check", "flink-conf.yaml", "--prune-baseline", "--baseline", "b.json")
    assert done.returncode == 2
    assert accepted(tmp_path) == ["flink-conf.yaml"]


def test_entries_of_a_rule_on_observations_are_not_stale_without_a_history(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path / "flink-conf.yaml", SOUND)
    baseline(tmp_path, ("flink-conf.yaml", "FLK677"))
    done = flint("check", "--baseline", "b.json")
    assert (done.returncode, "stale" in done.stderr) == (0, False)
