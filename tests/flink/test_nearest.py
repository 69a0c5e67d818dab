"""Which key someone may have meant."""

from __future__ import annotations

import pytest

from linter.flink.nearest import alike, nearest
from linter.flink.options import catalogue
from linter.flink.releases import MINORS

OPTIONS = catalogue()


def at(minor: str) -> int:
    return MINORS.index(minor)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("paralelism.default", "parallelism.default"),
        ("parallelism.defualt", "parallelism.default"),
        ("execution.checkpoint.interval", "execution.checkpointing.interval"),
        ("taskmanager.number-of-task-slots", "taskmanager.numberOfTaskSlots"),
        ("taskmanager.numberoftaskslots", "taskmanager.numberOfTaskSlots"),
        ("taskmanager.memory.size.process", "taskmanager.memory.process.size"),
        ("checkpointing.interval", "execution.checkpointing.interval"),
        ("kubernetes.jobmanager.label.app", "kubernetes.jobmanager.labels.app"),
        ("metric.reporter.prom.port", "metrics.reporter.prom.port"),
        ("state.checkpoints.dirs", "state.checkpoints.dir"),
    ],
)
def test_nearest(written: str, meant: str) -> None:
    assert nearest(OPTIONS, written, at("1.18"))[0] == meant


@pytest.mark.parametrize("written", ["foo", "my.own.setting", "logging.level.root", ""])
def test_nothing_is_near(written: str) -> None:
    assert nearest(OPTIONS, written, at("1.20")) == []


def test_nearest_names_only_what_the_release_accepts() -> None:
    assert "pekko.framesize" not in nearest(OPTIONS, "peko.framesize", at("1.17"))
    assert nearest(OPTIONS, "peko.framesize", at("1.18")) == ["pekko.framesize"]
    assert nearest(OPTIONS, "peko.framesize", None) == ["pekko.framesize"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("taskmanager.numberoftaskslots", "taskmanager.numberOfTaskSlots", True),
        ("state.checkpoint.dir", "state.checkpoints.dir", True),
        ("jobmanager.rpc.ardress", "jobmanager.rpc.address", True),
        ("rest.port", "rest.address", False),
    ],
)
def test_alike(one: str, other: str, expected: bool) -> None:
    assert alike(one, other) is expected
