"""Suggestions for misspelled keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.flink.nearest import alike, nearest, slips
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS

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


def _plain_distance(a: str, b: str) -> int:
    """Optimal string alignment by the book: the whole table."""
    table = [[i + j if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, change)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


@given(st.text("abc.", max_size=9), st.text("abc.", max_size=9), st.integers(1, 4))
def test_law_slips_are_the_distance_up_to_the_limit(a: str, b: str, allowed: int) -> None:
    distance = _plain_distance(a, b)
    assert slips(a, b, allowed) == (distance if distance <= allowed else None)


def test_two_slips_far_apart() -> None:
    assert nearest(OPTIONS, "executon.checkpointing.intervall", None)[:1] == ["execution.checkpointing.interval"]
