"""What `flint history status` shows of a store, however wide the terminal is."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from flink_flint.calculators.history.pipeline.compacting import Ages, compact
from flink_flint.calculators.history.pipeline.coverage import Coverage, JobDays
from flink_flint.calculators.history.store.layout import Store
from flink_flint.linter.commands.history import _status_lines, run_status
from flink_flint.linter.output.terminal_style import Style
from tests.history.stores import DAY, DAY_MS, batch, key, minutes, put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST = date(2026, 1, 1)
EMPTY = dict.fromkeys(("samples", "series", "histograms", "rollups", "records", "quarantine"), (0, 0, 0))


def job(name: str, days: dict[int, float], cluster: str = "prod") -> JobDays:
    return JobDays(cluster, name, {str(FIRST + timedelta(at)): share for at, share in days.items()})


def shown(jobs: list[JobDays], width: int = 100, span: int = 30, **more: Any) -> list[str]:
    days = [str(FIRST + timedelta(at)) for at in range(span)]
    held = Coverage(jobs, EMPTY, days, 0, 0, [{}])._replace(**more)
    return "\n".join(_status_lines(Store("/data/store"), held, Style(False), width)).split("\n")


def line_of(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.strip().startswith(name))


def test_a_day_is_shaded_by_how_much_of_it_is_covered() -> None:
    lines = shown([job("orders", {0: 0.004, 1: 0.25, 2: 0.26, 3: 0.6, 4: 0.76, 5: 1.0, 7: 1.0})], span=8)
    assert line_of(lines, "orders").split() == ["orders", "░░▒▓██·█", "48%"]


def test_holes_are_named_and_many_of_them_counted() -> None:
    days = {at: 1.0 for at in range(30) if at not in (3, 4, 9)}
    assert "nothing on 2026-01-04 to 2026-01-05, 2026-01-10" in "\n".join(shown([job("orders", days)]))
    many = dict.fromkeys(range(0, 30, 2), 1.0)
    text = "\n".join(shown([job("orders", many)]))
    assert "nothing on 2026-01-02, 2026-01-04, 2026-01-06, 2026-01-08, 2026-01-10 and 9 more times" in text
    assert "nothing on 2026-01-02 and 13 more times" in "\n".join(shown([job("orders", many)], width=50))
    assert "nothing on 14 days" in "\n".join(shown([job("orders", many)], width=40))


def test_dates_stand_over_the_days_they_name() -> None:
    lines = shown([job("orders", dict.fromkeys(range(90), 1.0))], width=120, span=90)
    axis = next(line for line in lines if "2026-02-01" in line)
    cells = line_of(lines, "orders")
    start = cells.index("█")
    assert [axis.index(day) - start for day in ("2026-01-01", "2026-02-01", "2026-03-01")] == [0, 31, 59]


@pytest.mark.parametrize("width", [34, 40, 61, 80, 120, 200])
@pytest.mark.parametrize("span", [1, 2, 9, 90, 400])
def test_nothing_is_wider_than_the_terminal(width: int, span: int) -> None:
    days = {at: 1.0 for at in range(span) if at in (0, span - 1) or at % 7}
    lines = shown([job("a-job-with-a-name-that-is-longer-than-most", days), job("", days)], width, span)
    picture = [line for line in lines[2:] if not line.startswith("  `")]
    assert max(map(len, picture)) <= width
    assert "100%" in line_of(lines, "(proces") or span > 6


def test_several_days_share_a_character_where_there_is_no_room() -> None:
    lines = shown([job("orders", {0: 1.0, 399: 1.0})], width=60, span=400)
    assert "·░▒▓█ none to all, 10 d each" in lines
    cells = line_of(lines, "orders").split()[1]
    assert (len(cells), cells[0], cells[-1], set(cells[1:-1])) == (40, "░", "░", {"·"})


def test_names_cannot_move_the_cursor() -> None:
    text = "\n".join(shown([job("or\x1b[2Jders\n", {0: 1.0}, cluster="pr\rod")]))
    assert not {"\x1b", "\r"} & set(text)
    assert "or�[2Jders�" in text


def test_a_store_without_samples_is_told_apart_from_an_empty_one() -> None:
    assert shown([], days=[], imports=[]) == [
        "/data/store: nothing imported yet: run `flint history import SOURCE --into /data/store`"
    ]
    lines = shown([], days=[], tables={**EMPTY, "records": (1, 7, 2048)})
    assert "no samples yet" in lines[0]
    assert "  records        2.0 KiB           7 rows in 1 file" in lines


def test_old_samples_are_hinted_at_where_they_take_much_room() -> None:
    lines = shown([job("orders", {0: 1.0})], tables={**EMPTY, "samples": (1, 9, 2 << 30)}, sealed=3, aged=1)
    assert "  3 days sealed (their samples are removed), 1 day aged to hours" in lines
    assert lines[-1] == "  `flint history compact` removes old samples"


@pytest.fixture(scope="module")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(str(tmp_path_factory.mktemp("status") / "store"))
    lines = [(key("busyTimeMsPerSecond"), minutes(1440, DAY + day * DAY_MS), np.ones(1440)) for day in (0, 1, 4)]
    half = (key("busyTimeMsPerSecond", job="late"), minutes(720, DAY + 4 * DAY_MS), np.ones(720))
    nothing = (key("busyTimeMsPerSecond"), minutes(60, DAY + 5 * DAY_MS), np.full(60, np.nan))
    put(spark, made, batch(*lines, half, nothing))
    return made


def test_the_status_of_a_real_store(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_status(store.path, "text", print) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{store.path}  4 days, 2025-11-20 to 2025-11-25"
    assert line_of(lines, "orders").split() == ["orders", "██··█·", "60%"]
    assert line_of(lines, "late").split() == ["late", "····▒·", "50%"]


def test_the_status_as_json(spark: SparkSession, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    compact(lambda: spark, store, Ages(2, 3))
    assert run_status(store.path, "json", print) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["days"] == {"count": 4, "from": "2025-11-20", "to": "2025-11-25"}
    assert {one["job"]: (one["days"], one["holes"]) for one in told["jobs"]} == {
        "orders": ({"2025-11-20": 1.0, "2025-11-21": 1.0, "2025-11-24": 1.0}, ["2025-11-22", "2025-11-23"]),
        "late": ({"2025-11-24": 0.5}, []),
    }
    assert (told["sealed"], told["aged"]) == (2, 2)
    sizes = {name: table["bytes"] for name, table in told["tables"].items()}
    on_disk = sum(path.stat().st_size for path in Path(store.path, "days").rglob("*") if path.is_file())
    assert sum(sizes.values()) == on_disk


def test_a_store_that_holds_no_value_at_all_has_a_status(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Store(str(tmp_path / "store"))
    put(spark, made, batch((key("busyTimeMsPerSecond"), minutes(60), np.full(60, np.nan))))
    assert run_status(made.path, "text", print) == 0
    assert "1 day, 2025-11-20" in capsys.readouterr().out
