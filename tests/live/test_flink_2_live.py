"""Flink 2 renamed and dropped metrics: what its reporter and its REST interface tell is one history all the same."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.calculators.history.samples import JOB, JOBMANAGER, OPERATOR, TASK, TASKMANAGER
from flink_flint.calculators.history.store.layout import Store
from tests.history.stores import held
from tests.live.cluster import LOOPBACK, Cluster, free_ports, start_cluster
from tests.live.distribution import VERSION_2, flink_home
from tests.live.prometheus import scraped
from tests.live.test_history_live import flint, reporting

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def ports() -> list[int]:
    return free_ports(2)


@pytest.fixture(scope="module")
def cluster_2(ports: list[int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of the next major release that shows its metrics."""
    try:
        home = flink_home(VERSION_2)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.fail(f"no Flink distribution: {error}")
    settings = {**reporting(ports), "execution.checkpointing.interval": "1 s"}
    with start_cluster(home, tmp_path_factory.mktemp("cluster"), settings, VERSION_2) as running:
        yield running


TOLD = {
    (JOBMANAGER, "numRunningJobs"),
    (JOBMANAGER, "Status.JVM.Memory.Heap.Used"),
    (JOB, "numRestarts"),
    (JOB, "lastCheckpointDuration"),
    (JOB, "lastCheckpointFullSize"),
    (TASKMANAGER, "Status.JVM.Memory.Metaspace.Used"),
    (TASKMANAGER, "Status.Flink.Memory.Managed.Total"),
    (TASKMANAGER, "Status.Shuffle.Netty.TotalMemory"),
    (TASKMANAGER, "Status.Shuffle.Netty.RequestedMemoryUsage"),
    (TASK, "busyTimeMsPerSecond"),
    (TASK, "backPressuredTimeMsPerSecond"),
    (TASK, "numRecordsInPerSecond"),
    (TASK, "checkpointAlignmentTime"),
    (TASK, "Shuffle.Netty.Input.Buffers.inPoolUsage"),
    (OPERATOR, "numRecordsIn"),
    (OPERATOR, "numRecordsOut"),
}
"""What recommendations and rules stand on, in a job without state or a source of its own."""


def names(store: Path) -> set[tuple[str, str]]:
    """Scope and metric of all that a store holds."""
    return {(group.scope, group.metric) for group in held(Store(str(store)))}


def test_scrapes_and_rest_answers_of_flink_2_have_the_names_of_flink_1(
    cluster_2: Cluster, ports: list[int], jobs: Path, tmp_path: Path
) -> None:
    job = cluster_2.submit(jobs, "SteadyJob")
    cluster_2.checkpoint(job)
    scrapes = tmp_path / "scrapes"
    scrapes.mkdir()
    for number in range(2):  # of counters there is nothing to tell before the second time
        time.sleep(5)  # rates are told anew after as long
        for port in ports:
            (scrapes / f"{port}-{number}.txt").write_bytes(scraped(port))
    rest = f"http://{LOOPBACK}:{cluster_2.settings['rest.port']}"
    for name, source, more in (("scrapes", str(scrapes), ()), ("rest", rest, ("--for", "5", "--every", "2"))):
        store = tmp_path / f"store of {name}"
        told = json.loads(flint("history", "import", source, "--into", str(store), "--output-format", "json", *more))
        assert told["bad"] == {}
        assert names(store) >= TOLD
    cluster_2.cancel(job)
