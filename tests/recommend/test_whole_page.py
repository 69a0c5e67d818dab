"""The page of two jobs and their processes, as it was: recommendations, charts, and what they would have done."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flink_flint.calculators.history.recommend.recommendation import Missing
from flink_flint.calculators.history.samples import JOB, OPERATOR, TASKMANAGER, Record
from flink_flint.calculators.pages.history_page import history_page
from tests.recommend.test_page import MONDAY, PARALLELISM, WEEK, load, observed, page, recommendation, recommended

GIB = 1 << 30


def test_the_page_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    wave = 500 + 400 * np.sin(np.arange(WEEK) / 288 * 2 * np.pi)
    holes = np.where(np.arange(WEEK) % 500 < 60, np.nan, wave)
    checkpoint = {"operator": "", "calculator": "checkpoint"}
    rows = [
        PARALLELISM._replace(
            remove=("jobmanager.adaptive-scheduler.x",), confidence="medium", reason="more than 70 % of it is used",
            evidence={**PARALLELISM.evidence, "method_score": {"U": 0.001, "lag": 0.01, "slack": 0.4, "days": 7}},
        ),
        PARALLELISM._replace(operator="sink", current=4, recommended=4, severity="ok"),
        PARALLELISM._replace(job="clicks", current=8, recommended=3, severity="lower", direction=-1),
        recommendation(
            "async-io.capacity", 100, 250, "inFlight", operator="enrich", calculator="async-io",
            evidence={"inputs": {"limit": {"value": 25, "from": "x"}, "mean_latency": {"value": 0.05, "from": "x"}}},
        ),
        recommendation("async-io.timeout", 5.0, 30.0, "inFlightTime", operator="enrich", calculator="async-io"),
        recommendation("execution.checkpointing.timeout", 60.0, 600.0, "lastCheckpointDuration", **checkpoint),
        recommendation("execution.checkpointing.interval", None, 120.0, "lastCheckpointDuration", **checkpoint),
        recommendation(
            "taskmanager.memory.process.size", 8 * GIB, 6 * GIB, "heapLiveSet",
            calculator="taskmanager-memory", operator="", job="", evidence={"margin": 1.0},
        ),
    ]  # fmt: skip
    groups = [
        observed("arrivalRate", load(1200)),
        observed("arrivalRate", holes, name="sink", series=4),
        observed("busyTimeMsPerSecond", wave, series=4),
        observed("pendingRecords", np.zeros(WEEK)),
        observed("arrivalRate", wave / 4, job="clicks"),
        observed("inFlight", np.round(wave / 10), scope=OPERATOR, name="enrich"),
        observed("inFlightTime", wave * 10, scope=OPERATOR, name="enrich"),
        observed("lastCheckpointDuration", wave * 100, scope=JOB, name="orders"),
        observed("lastCheckpointSize", wave * 1e6, scope=JOB, name="orders"),
        observed("heapLiveSet", wave * 1e7, scope=TASKMANAGER, name="", series=3),
    ]
    records = (
        Record(
            "configuration", "eu-1", "orders", "a", MONDAY * 1000, {"parallelism.default": "2", "s3.secret-key": "x"}
        ),
        Record("configuration", "eu-1", "", "", MONDAY * 1000, {"taskmanager.numberOfTaskSlots": "4"}),
    )
    missing = (Missing("eu-1", "clicks", "source", "kinesis", "no millisBehindLatest"),)
    found = page(recommended(*rows, missing=missing), *groups, records=records)
    before, _, body = history_page(found).partition("<body")
    assert before.startswith("<!")
    golden("pages/recommendations.html", f"<body{body}")
