"""From the metrics of a job that failed to the settings with which it bears the same outage.

A real Prometheus watches a job whose calls block a pool of threads. In an outage records pile up before it; after it
more of them are let in than the pool can answer before their timeout, again after each restart, until the job fails
for good. Started anew it runs on with the usual load. From these some ten minutes flint names another capacity and
another timeout, and with nothing else changed the job goes through the same outage.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.live.cluster import Cluster, Launch, free_ports
from tests.live.prometheus import prometheus_program, start_prometheus

pytestmark = [pytest.mark.live, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
JOB = "AsyncJob"
TIMED_OUT = "Caused by: java.util.concurrent.TimeoutException: Async function call has timed out."

SCRAPED = 1
"""Seconds between scrapes: the queue is full for four seconds before a record times out."""
OBSERVED = 620
"""Seconds that the job runs: flint recommends nothing from less than ten minutes."""
SERVICE = {"pool": 25, "call_ms": 40, "spread_ms": 20}
"""It answers 625 calls a second."""
LOAD = {"rate": 300}
OUTAGE = {"outage_after_ms": 10_000, "outage_ms": 45_000}
"""13 500 records come meanwhile."""
RECORDS = 300 * 100
"""Those of the outage, those before it, and those that come until nothing is left of it."""
NAIVE = {"capacity": 10_000, "timeout_ms": 4000}
"""The last of ten thousand waits 16 s."""


def flint(*arguments: str, status: int = 0) -> str:
    """What the command prints; it must end with the exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", *arguments],
        cwd=ROOT, capture_output=True, encoding="utf-8", env={**os.environ, "no_proxy": "*"}, check=False,
    )  # fmt: skip
    assert done.returncode == status, f"flint {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def reporting(ports: Sequence[int]) -> dict[str, str]:
    """Settings with which each process shows its metrics on one of the ports; REST tells what is a second old."""
    return {
        "metrics.reporters": "prom",
        "metrics.reporter.prom.factory.class": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
        "metrics.reporter.prom.port": ",".join(map(str, ports)),
        "metrics.fetcher.update-interval": "1000",
    }


class Past(NamedTuple):
    """What happened, and the history of it."""

    store: Path
    state: str
    """The state in which the job of the outage ended."""
    failure: str
    from_prometheus: dict[str, Any]
    """What the imports told."""
    from_flink: dict[str, Any]


@pytest.fixture(scope="module")
def ports() -> list[int]:
    """Those of the reporter: the JobManager's and the TaskManager's, whoever comes first takes the first."""
    return free_ports(2)


@pytest.fixture(scope="module")
def watched(launch: Launch, ports: list[int]) -> Iterator[Cluster]:
    """A cluster that shows its metrics, and starts a failed job three times again."""
    prometheus_program()
    settings = {
        **reporting(ports),
        "execution.checkpointing.interval": "5 s",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "3",
        "restart-strategy.fixed-delay.delay": "2 s",
    }
    with launch(settings) as running:
        yield running


@pytest.fixture(scope="module")
def past(watched: Cluster, ports: list[int], jobs: Path, tmp_path_factory: pytest.TempPathFactory) -> Past:
    """An outage that the naive settings do not bear, and the usual load with the same settings."""
    store = tmp_path_factory.mktemp("history") / "store"
    with start_prometheus(tmp_path_factory.mktemp("prometheus"), ports, SCRAPED) as address:
        job = watched.submit(jobs, JOB, records=RECORDS, **SERVICE, **LOAD, **OUTAGE, **NAIVE)
        watched.wait(lambda: watched.state(job) == "RUNNING", 60, "the job does not run")
        began = time.time()
        state = watched.ended(job, 300)
        failure = watched.failure(job)
        calm = watched.submit(jobs, JOB, records=RECORDS * 100, **SERVICE, **LOAD, **NAIVE)
        rest = f"http://127.0.0.1:{watched.settings['rest.port']}"
        into = ("--into", str(store), "--output-format", "json")
        from_flink = json.loads(flint("history", "import", rest, "--for", "20", "--every", "10", *into))
        time.sleep(max(0.0, began + OBSERVED - time.time()))
        from_prometheus = json.loads(flint("history", "import", address, "--from", str(int(began)), *into))
        watched.cancel(calm)
    return Past(store, state, failure, from_prometheus, from_flink)


def test_the_naive_settings_do_not_bear_the_outage(past: Past) -> None:
    assert past.state == "FAILED"
    assert TIMED_OUT in past.failure


def test_both_ways_of_importing_bring_samples_and_the_cluster_tells_its_configuration(past: Past) -> None:
    assert past.from_prometheus["samples"] > 100_000
    assert past.from_prometheus["bad"] == past.from_flink["bad"] == {}
    assert past.from_flink["samples"] > 100
    assert past.from_flink["records"] >= 2  # a configuration and a topology


@pytest.fixture(scope="module")
def recommended(past: Past) -> list[dict[str, Any]]:
    """What flint recommends from it."""
    found: list[dict[str, Any]] = json.loads(
        flint("recommend", "--history", str(past.store), "--output-format", "json")
    )["recommendations"]
    return found


def test_memory_in_force_is_what_the_cluster_tells(watched: Cluster, recommended: list[dict[str, Any]]) -> None:
    (taskmanager,) = watched.rest("/taskmanagers")["taskmanagers"]
    told = taskmanager["memoryConfiguration"]
    current = {one["key"]: one["current"] for one in recommended if one["calculator"] == "taskmanager-memory"}
    parts = {
        "process.size": "totalProcessMemory",
        "jvm-metaspace.size": "jvmMetaspace",
        "managed.size": "managedMemory",
        "network.max": "networkMemory",
    }
    assert {part: current.get(f"taskmanager.memory.{part}") for part in parts} == {
        part: told[name] for part, name in parts.items()
    }


def test_a_check_of_the_configuration_knows_what_happened(watched: Cluster, past: Past) -> None:
    conf = str(watched.folder / "conf")
    checked = flint("check", conf, "--history", str(past.store), "--output-format", "json", status=1)
    messages = {one["code"]: one["message"] for one in json.loads(checked)["findings"]}
    assert "'async' restarted 3 times" in messages["FLK677"]
    assert "32 MiB of a TaskManager are managed memory, of which nothing was used" in messages["FLK663"]


def test_the_recommended_capacity_and_timeout_bear_the_same_outage(
    watched: Cluster, jobs: Path, recommended: list[dict[str, Any]]
) -> None:
    found = {one["key"]: one for one in recommended if one["calculator"] == "async-io"}
    capacity, timeout = found["async-io.capacity"], found["async-io.timeout"]
    assert capacity["current"] == NAIVE["capacity"]
    settings = {"capacity": capacity["recommended"], "timeout_ms": round(timeout["recommended"] * 1000)}
    job = watched.submit(jobs, JOB, records=RECORDS, **SERVICE, **LOAD, **OUTAGE, **settings)
    assert watched.ended(job, 300) == "FINISHED"
    assert watched.rest(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"] == []
    assert watched.accumulator(job, "answers") == RECORDS
