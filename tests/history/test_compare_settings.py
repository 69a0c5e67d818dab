"""What becomes of a calculator's answer next to the current value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from flink_flint.calculators.formulas.quantity import BYTES, COUNT, SECONDS, spell_count
from flink_flint.calculators.history.recommend.compare_settings import rows_of
from flink_flint.calculators.history.recommend.feeds import checkpoints, clusters
from flink_flint.calculators.history.recommend.fill_inputs import Fed, Lacking, Required, run_calculator
from flink_flint.calculators.history.recommend.recommendation import Missing, Plan, Recommendation
from flink_flint.calculators.history.samples import JOB, TASKMANAGER
from tests.history.observations import around, evidence, seen
from tests.history.test_feeding import job_of, only, processes_of

GIB, MIB = 1 << 30, 1 << 20
INTERVAL, TIMEOUT = "execution.checkpointing.interval", "execution.checkpointing.timeout"
PROCESS, METASPACE = "taskmanager.memory.process.size", "taskmanager.memory.jvm-metaspace.size"


def checkpoint(seconds: float = 20, settings: Mapping[str, object] | None = None, *, days: float = 14) -> Fed:
    duration = seen("lastCheckpointDuration", np.full(round(days * 288), seconds * 1000), scope=JOB, step=300)
    return only(checkpoints.feed(job_of(duration), around({INTERVAL: "60 s", **(settings or {})})))


def taskmanager(live: float, **settings: object) -> Fed:
    observed = (
        seen("Status.JVM.Memory.Heap.Used", np.full(4032, 2 * live), scope=TASKMANAGER, step=300),
        seen("heapLiveSet", np.full(2016, live), scope=TASKMANAGER, step=600),
    )
    return only(clusters.taskmanager_memory(processes_of(*observed), around(settings or {"x": "1"})))


def compared(fed: Fed, *wanted: Required, plan: Plan | None = None, **changed: Any) -> list[Recommendation]:
    """The rows for a calculator whose answer becomes the given values."""
    rows = list(rows_of(iter([replace(fed, wanted=wanted or fed.wanted, **changed)]), plan or Plan(), "orders"))
    assert all(isinstance(row, Recommendation) for row in rows)
    return [row for row in rows if isinstance(row, Recommendation)]


def becomes(recommended: Any, current: Any, *, key: str = "a.number", **required: Any) -> Required:
    return Required(key, of=lambda _: recommended, **{"unit": COUNT, "current": current, **required})


@pytest.mark.parametrize(
    ("current", "recommended", "severity", "kept"),
    [
        (100, 109, "ok", 100),
        (100, 111, "raise", 111),
        (100, 91, "ok", 100),
        (100, 89, "lower", 89),
        (0, 0, "ok", 0),
        (0, 1, "raise", 1),
        (None, 5, "unset", 5),
        ("Fixed-Delay", "fixed-delay", "ok", "Fixed-Delay"),
        ("fixed-delay", "failure-rate", "change", "failure-rate"),
        (True, True, "ok", True),
        (True, False, "change", False),
    ],
)
def test_a_tenth_is_a_change_and_words_differ_by_more_than_case(
    current: Any, recommended: Any, severity: str, kept: Any
) -> None:
    key = "restart-strategy.type" if isinstance(recommended, str) else "a.number"
    (row,) = compared(checkpoint(), becomes(recommended, current, key=key))
    assert (row.severity, row.recommended, row.current) == (severity, kept, current)
    assert row.direction == {"raise": 1, "lower": -1}.get(severity, 0)


@pytest.mark.parametrize(("recommended", "severity"), [(50, "ok"), (100, "ok"), (105, "ok"), (150, "raise")])
def test_a_value_that_only_goes_up_stays_where_less_would_do(recommended: int, severity: str) -> None:
    (row,) = compared(checkpoint(), becomes(recommended, 100, only_up=True))
    assert (row.severity, row.recommended) == (severity, recommended if severity == "raise" else 100)


@pytest.mark.parametrize(
    ("days", "current", "recommended", "severity", "kept", "reason"),
    [
        (14, 10 * GIB, 7 * GIB, "lower", 7 * GIB, ""),
        (14, 10 * GIB, 5 * GIB, "lower", 6 * GIB, "would be enough, but memory is reduced by at most 40% in one step"),
        (14, 1 * MIB, MIB // 2, "ok", 1 * MIB, ""),
        (14, 1 << 62, 5 * GIB, "lower", 5 * GIB, ""),
        (1, 10 * GIB, 8 * GIB, "lower", 8 * GIB, ""),
        (0.9, 10 * GIB, 8 * GIB, "ok", 10 * GIB, "8gb may be enough, but less than a full day was observed"),
        (0.9, 10 * GIB, 12 * GIB, "raise", 12 * GIB, ""),
        (0.9, 10 * GIB, 10 * GIB, "ok", 10 * GIB, ""),
    ],
)
def test_memory_shrinks_in_steps_and_by_what_was_seen_of_whole_days(
    days: float, current: int, recommended: int, severity: str, kept: int, reason: str
) -> None:
    wanted = becomes(recommended, current, key="taskmanager.memory.managed.size", unit=BYTES)
    (row,) = compared(checkpoint(days=days), wanted, is_memory=True)
    assert (row.severity, row.recommended) == (severity, kept)
    assert row.reason.endswith(reason)
    assert ("be enough" in row.reason) == bool(reason)


def test_what_is_no_memory_shrinks_at_once_however_short_the_history() -> None:
    (row,) = compared(checkpoint(days=0.5), becomes(10, 100))
    assert (row.severity, row.recommended) == ("lower", 10)


def test_a_smaller_size_is_rounded_to_the_step_of_its_option() -> None:
    wanted = becomes(GIB, 10 * GIB + 1, key="taskmanager.memory.managed.size", unit=BYTES, step=64 * MIB)
    (row,) = compared(checkpoint(), wanted, is_memory=True)
    assert row.recommended == 6 * GIB + 64 * MIB


@pytest.mark.parametrize(
    ("other", "small", "severity"),
    [(200, 103, "raise"), (105, 103, "ok"), (200, 101, "ok"), (200, 97, "ok"), (80, 103, "raise")],
)
def test_where_one_size_of_a_process_changes_no_other_is_left_slightly_too_small(
    other: int, small: int, severity: str
) -> None:
    values = becomes(other * MIB, 100 * MIB, key="one"), becomes(small * MIB, 100 * MIB, key="two")
    rows = {row.key: row for row in compared(checkpoint(), *values, is_memory=True)}
    assert rows["two"].severity == severity
    apart = {row.key: row for row in compared(checkpoint(), *values)}
    assert apart["two"].severity == "ok"


def test_a_size_without_a_current_one_makes_none_of_the_others_move() -> None:
    values = becomes(200 * MIB, None, key="one"), becomes(103 * MIB, 100 * MIB, key="two")
    assert [row.severity for row in compared(checkpoint(), *values, is_memory=True)] == ["unset", "ok"]


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        (101, {PROCESS, METASPACE}),
        (200, {PROCESS, METASPACE, "taskmanager.memory.network.max"}),
    ],
)
def test_parts_of_a_process_that_stays_are_left_out_unless_they_stay_too(whole: int, shown: set[str]) -> None:
    values = (
        becomes(whole * MIB, 100 * MIB, key=PROCESS, unit=BYTES),
        becomes(200 * MIB, 100 * MIB, key=METASPACE, unit=BYTES),
        becomes(50 * MIB, 100 * MIB, key="taskmanager.memory.network.max", unit=BYTES),
    )
    assert {row.key for row in compared(checkpoint(), *values)} == shown
    stays = becomes(100 * MIB, 100 * MIB, key="taskmanager.memory.network.max", unit=BYTES)
    assert "taskmanager.memory.network.max" in {row.key for row in compared(checkpoint(), values[0], stays)}


@pytest.mark.parametrize(
    ("days", "doubts", "of_the_value", "confidence"),
    [
        (14, 0, 0, "high"), (13.9, 0, 0, "medium"), (7, 0, 0, "medium"), (6.9, 0, 0, "low"),
        (14, 1, 0, "medium"), (14, 0, 1, "medium"), (14, 1, 1, "low"), (14, 2, 2, "low"),
    ],
)  # fmt: skip
def test_confidence_grows_with_the_days_and_falls_with_assumptions(
    days: float, doubts: int, of_the_value: int, confidence: str
) -> None:
    fed = checkpoint()
    main = fed.main._replace(days=days)
    (row,) = compared(fed, becomes(1, 1, doubts=of_the_value), main=main, doubts=doubts)
    assert row.confidence == confidence


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        (becomes(100, None, step=64), 128),
        (becomes(128, None, step=64), 128),
        (becomes("none", None, key="restart-strategy.type", step=64), "none"),
        (becomes(1234.5, None, is_estimate=True), 1200.0),
        (becomes(1234.5, None), 1234.5),
        (becomes(1234, None, is_estimate=True), 1234),
    ],
)
def test_a_value_comes_in_whole_steps_or_with_two_digits_if_it_is_estimated(wanted: Required, value: Any) -> None:
    (row,) = compared(checkpoint(), wanted)
    assert row.recommended == value
    assert row.severity == ("ok" if wanted.is_estimate else "unset")


@pytest.mark.parametrize("value", [None, math.inf, math.nan])
def test_no_value_gives_no_row(value: Any) -> None:
    assert compared(checkpoint(), becomes(value, 1)) == []
    assert compared(checkpoint(), Required("x", "no such value")) == []
    assert compared(checkpoint(), Required("x")) == []


def test_a_value_the_release_has_by_default_is_not_set_where_no_setting_is_known() -> None:
    unknown = replace(checkpoint(), surroundings=around())
    assert compared(unknown, becomes(600.0, None, key=TIMEOUT, unit=SECONDS)) == []
    (row,) = compared(unknown, becomes(601.0, None, key=TIMEOUT, unit=SECONDS))
    assert (row.severity, row.current_text, row.recommended_text) == ("unset", "", "601 s")
    (known,) = compared(checkpoint(), becomes(600.0, None, key=TIMEOUT, unit=SECONDS))
    assert (known.severity, known.current, known.current_text) == ("ok", 600, "10 min")


def test_an_option_without_a_default_is_not_set() -> None:
    key = "taskmanager.memory.process.size"
    (row,) = compared(checkpoint(), becomes(2 * GIB, None, key=key, unit=BYTES))
    assert (row.severity, row.current, row.current_text, row.recommended_text) == ("unset", None, "not set", "2gb")
    (elsewhere,) = compared(checkpoint(), becomes(5, None, key="async-io.capacity"))
    assert elsewhere.current_text == ""


@pytest.mark.parametrize(
    ("key", "value", "unit", "text"),
    [
        ("pekko.framesize", 20 * MIB, BYTES, f"{20 * MIB}b"),
        ("taskmanager.memory.managed.size", (1 << 62) - 1024, BYTES, f"{(1 << 52) - 1}kb"),
        ("taskmanager.memory.managed.size", 1 << 62, BYTES, "unlimited"),
        (TIMEOUT, 90.0, SECONDS, "90 s"),
        ("a.number", 1234, COUNT, spell_count(1234)),
        ("a.time", 90.0, SECONDS, "90 s"),
    ],
)
def test_values_are_written_as_the_option_wants_them(key: str, value: Any, unit: Any, text: str) -> None:
    (row,) = compared(checkpoint(), becomes(value, None, key=key, unit=unit))
    assert row.recommended_text == text


@pytest.mark.parametrize(
    ("key", "value", "unit"),
    [(INTERVAL, "interval", "seconds"), (TIMEOUT, "timeout", "seconds"), (TIMEOUT, "", "seconds")],
)
def test_a_value_of_the_answer_has_its_unit_and_a_setting_that_of_its_option(key: str, value: str, unit: str) -> None:
    (row,) = compared(checkpoint(400), Required(key, value))
    assert (row.unit, row.severity) == (unit, "raise")


def test_the_current_value_is_the_given_one_then_the_set_one() -> None:
    fed = checkpoint(settings={TIMEOUT: "20 min"})
    assert compared(fed, Required(TIMEOUT, "timeout"))[0].current == 1200
    assert compared(fed, Required(TIMEOUT, "timeout", 300.0))[0].current == 300


def test_what_must_go_is_named_with_changes_alone() -> None:
    flink = "taskmanager.memory.flink.size"
    for size, severity in (("1gb", "raise"), ("", "unset")):
        fed = taskmanager(2e9, **({flink: size} if size else {}))
        rows = {row.key: row for row in compared(fed, *fed.wanted, becomes(1, 1, unit=BYTES))}
        assert rows[PROCESS].severity == severity
        assert rows[PROCESS].remove == ((flink,) if size else ())
        assert all(row.remove == () for row in rows.values() if row.severity == "ok")
        assert {row.severity for row in rows.values()} >= {severity, "ok"}
        assert {row.unit for row in rows.values()} == {"bytes"}


def test_a_calculator_that_was_not_requested_has_no_row_not_even_a_missing_one() -> None:
    fed = checkpoint()
    lacking = Lacking("storage", fed.about, "no size")
    for names, count in (((), 2), (("storage",), 1), (("checkpoint",), 1), (("restart",), 0)):
        found = list(rows_of(iter([replace(fed, wanted=fed.wanted[:1]), lacking]), Plan(calculators=names), "orders"))
        assert len(found) == count


def test_a_row_without_an_answer_names_its_operator_where_it_has_one() -> None:
    fed = checkpoint()
    task = evidence(seen("numRecordsIn", np.ones(60), task="map", name="Map!"))
    refused = replace(fed, given={"duration": -1.0})
    found = list(rows_of(iter([Lacking("storage", task, "no size"), refused]), Plan(), "orders"))
    assert found[0] == Missing("prod", "orders", "Map!", "storage", "no size")
    assert isinstance(found[1], Missing)
    assert (found[1].operator, found[1].calculator) == ("", "checkpoint")


def test_evidence_has_the_numbers_the_answer_stands_on() -> None:
    fed = checkpoint(days=2)
    main = fed.main._replace(value=123_456.4, peak=math.inf, days=2.0)
    (row,) = compared(fed, becomes(1, 1), main=main, margin=1.23456789, remarks=("a season",), assumed=("a guess",))
    found = row.evidence
    assert (found["value"], found["peak"], found["margin"], found["days"]) == (123_456, None, 1.2346, 2)
    assert [type(found[name]) for name in ("value", "days", "margin")] == [int, int, float]  # type: ignore[literal-required]
    assert (found["from"], found["to"]) == ("2025-11-20T00:00:00Z", "2025-11-21T23:55:00Z")
    assert found["notes"][:2] == [
        "less than a week of samples (2 d): margins are wider, and the result is uncertain", "a season"
    ]  # fmt: skip
    assert found["assumed"] == ["a guess"]
    assert found["inputs"]["duration"] == {"value": pytest.approx(20, rel=0.01), "from": "lastCheckpointDuration"}
    assert found["inputs"]["interval"] == {"value": 60, "from": "set"}
    assert "timeout" not in found["inputs"]
    assert found["method_score"] is None


def test_a_week_with_samples_is_no_short_history() -> None:
    fed = checkpoint()
    (row,) = compared(fed, becomes(1, 1), main=fed.main._replace(days=7.0))
    assert row.evidence["notes"] == []


def test_warnings_of_the_answer_are_notes_except_advice_to_give_flags() -> None:
    large, small = taskmanager(40e9), taskmanager(200 * MIB, **{PROCESS: "16gb"})
    assert any("--native" in one for one in run_calculator(small).answer.warnings)
    assert not any("--" in one for one in compared(small)[0].evidence["notes"])
    warned = run_calculator(large).answer.warnings
    assert warned
    assert set(warned) <= set(compared(large)[0].evidence["notes"])
    expires = replace(checkpoint(), given={"duration": 700.0, "interval": 60.0})
    assert any("expire at the timeout" in one for one in compared(expires, becomes(1, 1))[0].evidence["notes"])


@pytest.mark.parametrize(
    ("metric", "statistic", "has_demand", "half_life"),
    [
        ("numRecordsInPerSecond", "p95", False, 3.0),
        ("lastCheckpointDuration", "p99", False, None),
        ("lastCheckpointDuration", "need of the next day", False, None),
        ("heapLiveSet", "max", True, None),
    ],
)
def test_only_throughput_has_the_half_life_of_the_request(
    metric: str, statistic: str, has_demand: bool, half_life: float | None
) -> None:
    fed = checkpoint()
    demand = evidence(seen("lastCheckpointDuration", np.full(4032, 1.0), scope=JOB, step=300)).demand(
        "lastCheckpointDuration"
    )
    main = fed.main._replace(metric=metric, statistic=statistic)
    changed = {"demand": demand, "tier": "safe"} if has_demand else {}
    (row,) = compared(fed, becomes(1, 1), plan=Plan(half_life=3.0), main=main, **changed)
    assert row.evidence["half_life_days"] == half_life
    assert (row.evidence["method_score"] is not None) == has_demand


def test_a_need_has_the_half_life_of_the_method_that_learned_it() -> None:
    fed = checkpoint()
    demand = evidence(seen("a", np.full(4032, 1.0), scope=JOB, step=300)).demand("a")
    main = fed.main._replace(statistic="need of the next day")
    (row,) = compared(fed, becomes(1, 1), plan=Plan(half_life=99.0), main=main, demand=demand, tier="elastic")
    assert row.evidence["half_life_days"] not in (None, 99.0)
    assert row.evidence["method_score"] == {"U": 0, "lag": 0, "slack": pytest.approx(0.1, abs=0.1), "days": 4}


@pytest.mark.parametrize(
    ("value", "peak", "reason"),
    [
        (20.0, 20.0, "Time of a checkpoint: 20 s (p99; {count} samples over 14 d)"),
        (20.0, 20.05, "Time of a checkpoint: 20 s (p99; {count} samples over 14 d)"),
        (20.0, 21.0, "Time of a checkpoint: 20 s (p99, peak 21 s; {count} samples over 14 d)"),
        (20.0, 19.0, "Time of a checkpoint: 20 s (p99, peak 19 s; {count} samples over 14 d)"),
    ],
)
def test_a_reason_names_the_peak_where_it_differs(value: float, peak: float, reason: str) -> None:
    fed = checkpoint()
    (row,) = compared(fed, becomes(1, 1), main=fed.main._replace(value=value, peak=peak), because=("a", "", "b"))
    assert row.reason.startswith(f"{reason.format(count=spell_count(4032))}; a; b; ")
    assert "; ; " not in row.reason
