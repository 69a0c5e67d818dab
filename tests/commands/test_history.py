"""`flint history status`: what it prints of a store; the chart is tested in tests/history."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.calculators.history.pipeline import coverage
from flink_flint.calculators.history.pipeline.coverage import Coverage, JobDays
from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.commands.history import run_status

DAYS = [f"2026-01-{day:02}" for day in range(1, 31)]


@pytest.mark.parametrize(
    ("width", "says"),
    [
        (100, "2026-01-02, 2026-01-04, 2026-01-06, 2026-01-08, 2026-01-10 and 9 more times"),
        (61, "2026-01-02, 2026-01-04 and 12 more times"),
        (60, "2026-01-02 and 13 more times"),
        (40, "14 days"),
    ],
)
def test_days_without_data_are_named_as_far_as_they_fit(
    width: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    job = JobDays("prod", "orders", dict.fromkeys(DAYS[::2], 1.0))
    tables = {"samples": (0, 0, 0)}
    monkeypatch.setattr(coverage, "coverage", lambda *_: Coverage([job], tables, DAYS, 0, 0, []))
    monkeypatch.setattr(Store, "manifest", lambda _: None)
    monkeypatch.setenv("COLUMNS", str(width))
    assert run_status(str(tmp_path), "text", lambda *_, **__: None) == 0
    (holes,) = (line for line in capsys.readouterr().out.splitlines() if "nothing on" in line)
    assert holes.strip() == f"nothing on {says}"
