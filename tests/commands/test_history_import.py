"""`flint history import` of files: which options it takes, what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flink_flint.calculators.history.pipeline import importing
from flink_flint.calculators.history.pipeline.importing import Imported
from flink_flint.linter.commands.history import run_import
from flink_flint.linter.commands.import_arguments import ImportArguments

NOTHING = Imported(
    source="canonical-csv", samples=0, days=[], unchanged=0, skipped=0, unknown=[], bad={}, duplicates=0, shadowed=0,
    absent=0, sealed=0, records=0,
)  # fmt: skip


def imported(path: Path, **more: Any) -> int:
    return run_import(ImportArguments(str(path), into=str(path / "store"), **more), lambda *_, **__: None)


@pytest.mark.parametrize("option", ["start", "end"])
def test_a_time_range_is_refused_for_files(option: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^--from and --to require an address; for files, name those to import$"):
        imported(tmp_path, **{option: "2025-11-20"})


@pytest.mark.parametrize(("found", "status"), [({}, 2), ({"samples": 1}, 0), ({"records": 1}, 0), ({"skipped": 1}, 0)])
def test_bad_rows_fail_an_import_only_if_there_was_nothing_else(
    found: dict[str, Any], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = NOTHING._replace(bad={"not a number": 3}, **found)
    monkeypatch.setattr(importing, "import_files", lambda *_, **__: result)
    assert imported(tmp_path) == status
    # Without bad rows, there being nothing to import is no failure.
    result = NOTHING._replace(**found)
    assert imported(tmp_path) == 0


@pytest.mark.parametrize(
    ("days", "unchanged", "says"),
    [
        (["2025-11-20"], 0, "1 day written (2025-11-20)"),
        (["2025-11-20"], 1, "1 day written (2025-11-20), 1 day unchanged"),
        (["2025-11-20", "2025-11-22"], 3, "2 days written (2025-11-20 to 2025-11-22), 3 days unchanged"),
    ],
)
def test_days_that_an_import_leaves_as_they_were_are_counted(
    days: list[str], unchanged: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    result = NOTHING._replace(samples=7, days=days, unchanged=unchanged)
    monkeypatch.setattr(importing, "import_files", lambda *_, **__: result)
    assert imported(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [says]
