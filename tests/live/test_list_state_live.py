"""Operator list state on a real cluster: what a checkpoint sends, what it writes, and the frame that it needs.

Sizes are predicted by the calculator of RPC sizes. A TaskManager tells the size of a message only when it drops it,
so that messages are measured on a cluster with the smallest frame there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.inputs.rpc_size import RpcSize
from flink_flint.calculators.rpc_size import size_rpc
from flink_flint.linter.flink.releases import parse_release
from tests.live.cluster import Cluster, Launch
from tests.live.distribution import VERSION

pytestmark = pytest.mark.live

RELEASE = parse_release(VERSION)

# No checkpoint but those asked for: each deletes the files of the one before, which are to be looked at.
ON_DEMAND = {"interval_ms": 3_600_000}


class Lists(NamedTuple):
    """The list states of one subtask, all alike; `bytes` of an element are 0 for a Long."""

    elements: int
    bytes: int = 0
    operators: int = 1
    lists: int = 1

    @property
    def arguments(self) -> dict[str, int]:
        return self._asdict()


def sizing(lists: Lists, parallelism: int = 1) -> Answer:
    """What the calculator says of a job with these lists."""
    return size_rpc(
        RpcSize(
            list_elements=lists.elements * lists.lists * lists.operators,
            element_size=lists.bytes + 4 if lists.bytes else 8,  # an array's length takes four bytes
            operators=lists.operators,
            parallelism=parallelism,
        ),
        RELEASE,
    )


def predicted(name: str, lists: Lists, parallelism: int = 1) -> int:
    """One value of that answer."""
    (found,) = (value.value for value in sizing(lists, parallelism).values if value.name == name)
    return int(found)


DISCARDED = re.compile(r"Discarding oversized payload sent to .*?max allowed size (\d+) bytes, .*? was (\d+) bytes")


def discarded(cluster: Cluster, after: int = 0) -> list[tuple[int, int]]:
    """Frame and size of the messages the TaskManager has dropped, from a place in its log on."""
    return [(int(frame), int(size)) for frame, size in DISCARDED.findall(cluster.log("taskmanager")[after:])]


def on_disk(checkpoint: dict[str, Any]) -> tuple[int, int]:
    """The size of the `_metadata` of a checkpoint and the number of its other files."""
    folder = Path(str(checkpoint["external_path"]).removeprefix("file:"))
    others = [path for path in folder.iterdir() if path.name != "_metadata"]
    return (folder / "_metadata").stat().st_size, len(others)


@pytest.fixture(scope="module")
def restrict(launch: Launch) -> Iterator[Cluster]:
    """A cluster that drops every acknowledgement; deployments pass it by way of the blob server."""
    with launch({"pekko.framesize": "32000b", "blob.offload.minsize": "500"}) as running:
        yield running


ACKNOWLEDGED = [
    Lists(5_000),
    Lists(100_000),
    Lists(2_000),  # inlined
    Lists(20_000, bytes=40),
    Lists(50_000, operators=2),
    Lists(20_000, operators=3, lists=2),
]


@pytest.mark.parametrize("lists", ACKNOWLEDGED, ids=str)
def test_the_size_of_an_acknowledgement_is_known_beforehand(restrict: Cluster, jobs: Path, lists: Lists) -> None:
    before = len(restrict.log("taskmanager"))
    job = restrict.submit(jobs, "StateJob", **lists.arguments)
    ((_, size), *_) = restrict.wait(lambda: discarded(restrict, before), 120, "nothing was discarded")
    restrict.cancel(job)
    assert predicted("message", lists) == pytest.approx(size, rel=0.02)


WRITTEN = [
    (Lists(5_000), 1, 1),
    (Lists(5_000), 4, 4),
    (Lists(2_000), 2, 0),
    (Lists(5_000, bytes=40), 2, 2),
    (Lists(5_000, operators=2, lists=2), 2, 4),
]


@pytest.mark.parametrize(("lists", "parallelism", "files"), WRITTEN, ids=str)
def test_the_size_of_the_metadata_is_known_beforehand(
    cluster: Cluster, jobs: Path, lists: Lists, parallelism: int, files: int
) -> None:
    job = cluster.submit(jobs, "StateJob", parallelism=parallelism, **lists.arguments, **ON_DEMAND)
    metadata, written = on_disk(cluster.checkpoint(job))
    cluster.cancel(job)
    assert predicted("metadata", lists, parallelism) == pytest.approx(metadata, rel=0.02)
    assert written == files
    assert bool(predicted("inlined", lists, parallelism)) == (files == 0)


TOO_LONG = Lists(1_400_000)


def test_a_list_too_long_for_the_frame_fails_checkpoints_without_a_word_to_the_jobmanager(
    cluster: Cluster, jobs: Path
) -> None:
    before = len(cluster.log("taskmanager"))
    job = cluster.submit(jobs, "StateJob", timeout_ms=15_000, **TOO_LONG.arguments)
    assert cluster.ended(job) == "FAILED"
    assert "Exceeded checkpoint tolerable failure threshold" in cluster.failure(job)
    checkpoints = cluster.rest(f"/jobs/{job}/checkpoints")
    assert checkpoints["counts"]["completed"] == 0
    assert checkpoints["latest"]["failed"]["failure_message"] == "Checkpoint expired before completing."
    ((frame, size), *_) = discarded(cluster, before)
    assert frame == 10_485_760
    assert predicted("message", TOO_LONG) == pytest.approx(size, rel=0.02)
    assert any("does not fit the frame" in error for error in sizing(TOO_LONG).errors)


@pytest.fixture
def wide(launch: Launch) -> Iterator[Cluster]:
    """A cluster with the frame that the calculator recommends for that list."""
    frame = sizing(TOO_LONG).settings["pekko.framesize"]
    with launch({"pekko.framesize": str(frame)}) as running:
        yield running


def test_the_same_list_completes_its_checkpoints_with_the_recommended_frame(wide: Cluster, jobs: Path) -> None:
    job = wide.submit(jobs, "StateJob", **TOO_LONG.arguments, **ON_DEMAND)
    for _ in range(2):
        metadata, files = on_disk(wide.checkpoint(job))
        assert predicted("metadata", TOO_LONG) == pytest.approx(metadata, rel=0.02)
        assert files == 1
    assert wide.rest(f"/jobs/{job}/checkpoints")["counts"]["failed"] == 0
    assert not discarded(wide)
