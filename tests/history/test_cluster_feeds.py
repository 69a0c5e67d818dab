"""What is fed to the calculators of a cluster's processes, case by case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from flink_flint.calculators.formulas.exchanges import Exchange
from flink_flint.calculators.history.pipeline.read_store import Observed
from flink_flint.calculators.history.recommend.evidence import Processes
from flink_flint.calculators.history.recommend.feeds import clusters
from flink_flint.calculators.history.recommend.fill_inputs import Fed, Lacking, Surroundings, Vertex, run_calculator
from flink_flint.calculators.history.samples import JOBMANAGER, TASKMANAGER
from tests.history.observations import around, seen
from tests.history.test_feeding import lacking, only, processes_of

SLOTS = 14 * 288
MIB = 1 << 20
HEAP, LIVE = "Status.JVM.Memory.Heap.Used", "heapLiveSet"
MANAGED = "Status.Flink.Memory.Managed.Used"
TOTAL, USAGE = "Status.Shuffle.Netty.TotalMemory", "Status.Shuffle.Netty.RequestedMemoryUsage"
TWO = (Vertex("1", "a", 120, 128, ()), Vertex("2", "b", 120, 128, (("1", "HASH"),)))
Feed = Callable[[Processes, Surroundings], Iterator[Fed | Lacking]]


def of(metric: str, value: float, *, days: float = 14, scope: str = TASKMANAGER) -> Observed:
    return seen(metric, np.full(round(days * 288), float(value)), scope=scope, step=300)


def heap(live: float, *, days: float = 14, scope: str = TASKMANAGER) -> tuple[Observed, Observed]:
    return of(HEAP, 2 * live, days=days, scope=scope), of(LIVE, live, days=days, scope=scope)


@pytest.mark.parametrize(
    ("feed", "scope"), [(clusters.taskmanager_memory, TASKMANAGER), (clusters.jobmanager_memory, JOBMANAGER)]
)
def test_a_process_is_sized_by_a_heap_that_was_seen_long_enough(feed: Feed, scope: str) -> None:
    used, lows = heap(500 * MIB, scope=scope)
    assert isinstance(only(feed(processes_of(used, lows), around())), Fed)
    assert list(feed(processes_of(lows), around())) == []
    few = of(HEAP, 9e9, days=59 / 288, scope=scope)
    assert "59 samples" in lacking(feed(processes_of(few, lows), around()))
    assert "no ten minutes with at least three samples" in lacking(feed(processes_of(used), around()))
    other = TASKMANAGER if scope == JOBMANAGER else JOBMANAGER
    assert list(feed(processes_of(*heap(500 * MIB, scope=other)), around())) == []


@pytest.mark.parametrize(("days", "is_wider"), [(14, False), (7, False), (6.9, True), (1, True)])
def test_the_margin_of_the_heap_is_wider_below_a_week(days: float, is_wider: bool) -> None:
    fed = only(clusters.taskmanager_memory(processes_of(*heap(500 * MIB, days=days)), around()))
    assert ("heap_margin" in fed.given) == is_wider
    assert fed.margin >= fed.given.get("heap_margin", 1.3)


def test_a_live_set_nothing_was_learned_of_has_no_margin_of_its_own() -> None:
    used, lows = of(HEAP, 1e9), of(LIVE, 5e8, days=50 / 288)
    fed = only(clusters.taskmanager_memory(processes_of(used, lows), around()))
    assert (fed.given["live_set"], fed.margin, fed.main.statistic) == (5e8, 1.3, "max")
    unknown = replace(of(LIVE, 5e8), time_series=None)
    without = only(clusters.taskmanager_memory(processes_of(used, unknown), around()))
    assert (without.given["live_set"], without.demand, without.remarks) == (5e8, None, ())
    learned = only(clusters.taskmanager_memory(processes_of(used, of(LIVE, 5e8)), around()))
    assert (learned.main.statistic, learned.margin > 1.3) == ("need of the next day", True)


def test_settings_that_are_not_known_are_a_doubt() -> None:
    found = processes_of(*heap(500 * MIB))
    assert only(clusters.taskmanager_memory(found, around())).doubts == 1
    assert only(clusters.taskmanager_memory(found, around({"x": "1"}))).doubts == 0


@pytest.mark.parametrize(
    ("used", "days", "managed"),
    [(300 * MIB, 14, 300 * MIB), (0, 14, 0), (300 * MIB, 7, 300 * MIB), (300 * MIB, 6, None)],
)
def test_managed_memory_is_what_was_used_in_a_week(used: float, days: float, managed: int | None) -> None:
    found = processes_of(*heap(500 * MIB, days=days), of(MANAGED, used, days=days))
    fed = only(clusters.taskmanager_memory(found, around()))
    assert fed.given.get("managed") == managed
    assert ("managed" in fed.figures) == (managed is not None)
    assert ("no managed memory was ever in use" in fed.remarks) == (managed == 0)


def test_managed_memory_of_few_samples_shows_nothing() -> None:
    found = processes_of(*heap(500 * MIB), of(MANAGED, 300 * MIB, days=59 / 288))
    assert "managed" not in only(clusters.taskmanager_memory(found, around())).given


@pytest.mark.parametrize(
    ("usage", "total", "network"),
    [(150, 100 * MIB, 165 * MIB), (100, 100 * MIB, None), (90, 100 * MIB, None), (150, None, None), (None, 1, None)],
)
def test_network_memory_grows_where_pools_ask_for_more_than_there_is(
    usage: float | None, total: float | None, network: float | None
) -> None:
    pools = [of(name, value) for name, value in ((USAGE, usage), (TOTAL, total)) if value is not None]
    fed = only(clusters.taskmanager_memory(processes_of(*heap(500 * MIB), *pools), around()))
    assert ("network" in fed.given) == (network is not None)
    if network is not None:
        assert fed.given["network"] == pytest.approx(network, rel=0.01)
        assert fed.figures["network"].value == pytest.approx(network, rel=0.01)
        (text,) = (one for one in fed.remarks if "network memory" in one)
        assert text.startswith("its buffer pools request 15")


@pytest.mark.parametrize(
    ("days", "topology", "has_heap", "edges"), [(7, TWO, True, None), (6, TWO, False, 14_400), (6, (), False, None)]
)
def test_a_jobmanager_is_estimated_by_its_edges_below_a_week(
    days: float, topology: tuple[Vertex, ...], has_heap: bool, edges: int | None
) -> None:
    found = processes_of(*heap(300 * MIB, days=days, scope=JOBMANAGER))
    fed = only(clusters.jobmanager_memory(found, around({}, *topology)))
    assert ("heap" in fed.given, fed.given.get("edges")) == (has_heap, edges)


# -- exchanges


def vertices(ship: str, senders: int = 4, receivers: int = 8, times: int = 1) -> tuple[Vertex, ...]:
    return Vertex("1", "a", senders, -1, ()), Vertex("2", "b", receivers, -1, (("1", ship),) * times)


@pytest.mark.parametrize(
    ("topology", "exchanges"),
    [
        (vertices("HASH"), [Exchange(4, 8, "hash", 1)]),
        (vertices("HASH", times=3), [Exchange(4, 8, "hash", 3)]),
        (vertices("FORWARD"), [Exchange(4, 8, "rescale", 1)]),
        (vertices("FORWARD", 8), [Exchange(8, 8, "forward", 1)]),
        (vertices("RESCALE", 8), [Exchange(8, 8, "rescale", 1)]),
        (vertices("HASH", 8), [Exchange(8, 8, "hash", 1)]),
        (vertices("whatever"), [Exchange(4, 8, "hash", 1)]),
        (vertices("HASH", 0), []),
        (vertices("HASH", 4, 0), []),
        (vertices("HASH", 1, 1), [Exchange(1, 1, "hash", 1)]),
        (vertices("HASH")[1:], []),
        ((), []),
    ],
)
def test_exchanges_are_counted_by_their_kind(topology: tuple[Vertex, ...], exchanges: list[Exchange]) -> None:
    assert list(clusters.exchanges_of(topology)) == exchanges


@pytest.mark.parametrize(
    ("total", "usage", "value", "unit", "meaning"),
    [
        (64 * MIB, None, 64 * MIB, "bytes", "Network memory of a TaskManager"),
        (64 * MIB, 85, 64 * MIB, "bytes", "Network memory of a TaskManager"),
        (None, 85, 0.85, "fraction", "Share of network memory that buffer pools request"),
    ],
)
def test_network_memory_is_told_by_its_size_or_by_what_pools_ask_for(
    total: float | None, usage: float | None, value: float, unit: str, meaning: str
) -> None:
    pools = [of(name, each) for name, each in ((USAGE, usage), (TOTAL, total)) if each is not None]
    fed = only(clusters.network_buffers(processes_of(*pools), around({}, *TWO)))
    assert (fed.main.value, fed.unit.name, fed.meaning) == (pytest.approx(value, rel=0.006), unit, meaning)
    assert fed.remarks == (() if usage is None else ("buffer pools request 85 % of the network memory",))
    network = run_calculator(fed).answer.values[0]
    assert (network.name, network.value) == ("network_memory", 64 * MIB)


def test_network_memory_of_few_samples_is_missing() -> None:
    for metric in (TOTAL, USAGE):
        few = processes_of(of(metric, 50, days=59 / 288))
        assert lacking(clusters.network_buffers(few, around({}, *TWO))).startswith(f"{metric} has only 59 samples")
    both = processes_of(of(TOTAL, 50, days=59 / 288), of(USAGE, 50))
    assert lacking(clusters.network_buffers(both, around({}, *TWO))).startswith(f"{TOTAL} has only 59 samples")
    assert list(clusters.network_buffers(processes_of(*heap(1e9)), around({}, *TWO))) == []


# -- Kubernetes and YARN


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        ({"execution.target": "yarn-session"}, True),
        ({"yarn.application.name": "x"}, True),
        ({"execution.target": "remote"}, False),
        ({}, False),
    ],
)
def test_yarn_is_known_by_target_or_options(settings: dict[str, object], is_on: bool) -> None:
    managers = processes_of(of("numRegisteredTaskManagers", 20, scope=JOBMANAGER))
    assert bool(list(clusters.yarn(managers, around(settings)))) == is_on


def test_processes_are_counted_by_samples_enough_and_more_than_none() -> None:
    on_yarn = around({"execution.target": "yarn-session"})
    few = of("numRegisteredTaskManagers", 20, days=59 / 288, scope=JOBMANAGER)
    assert "59 samples" in lacking(clusters.yarn(processes_of(few), on_yarn))
    none = of("numRegisteredTaskManagers", 0, scope=JOBMANAGER)
    assert list(clusters.yarn(processes_of(none), on_yarn)) == []
    assert list(clusters.yarn(processes_of(of("numRunningJobs", 3, scope=JOBMANAGER)), on_yarn)) == []
    fed = only(clusters.yarn(processes_of(of("numRegisteredTaskManagers", 20, scope=JOBMANAGER)), on_yarn))
    assert (fed.meaning, fed.main.value) == ("TaskManagers", 20)
    ha = around({"high-availability.type": "kubernetes"})
    jobs = only(clusters.kubernetes_ha(processes_of(of("numRunningJobs", 3, scope=JOBMANAGER)), ha))
    assert (jobs.meaning, jobs.main.value) == ("Running jobs", 3)
