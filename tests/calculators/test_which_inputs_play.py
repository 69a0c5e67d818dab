"""Which inputs of a calculator are asked for, beside what is given, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import draft, inputs_of
from flink_flint.calculators.inputs.shared_memory_sizing import judge_observed, overhead_phrase, spell_exact

MIB = 1 << 20

CIRCUMSTANCES: dict[str, list[dict[str, Any]]] = {
    "async-io": [
        {"client": "async"}, {"client": "pool"}, {"client": "pool", "pool": 4, "capacity": 10}, {"rate": 100.0},
        {"retries": 3}, {"client": "pool", "retries": 3, "pause": 1.0}, {"connect_timeout": 1.0}, {"latency": 1.0},
        {"mean_latency": 1.0},
    ],
    "kinesis": [{"connector": "source"}, {"connector": "consumer"}, {"connector": "source", "paced": True}],
    "storage": [
        {"store": "checkpoints"}, {"store": "checkpoints", "incremental": True}, {"store": "logs"},
        {"store": "logs", "printed": 1.0}, {"store": "local", "backend": "rocksdb", "recovery": True},
        {"store": "local", "backend": "rocksdb", "recovery": True, "incremental": True},
        {"store": "local", "backend": "hashmap", "recovery": True, "incremental": True},
        {"store": "checkpoints", "savepoint_every": 60.0}, {"store": "logs", "report_every": 60.0},
        {"store": "checkpoints", "disk": 1 << 40},
    ],
    "taskmanager-memory": [
        {"process_size": 1 << 32}, {"flink_size": 1 << 32}, {"current_task_heap": 1 << 30},
        {"current_task_heap": 1 << 30, "current_managed": 1 << 30}, {"current_managed": 1 << 30},
        {"process_size": 1 << 32, "unknown": ("managed_in_force",)},
    ],
    "network-buffers": [{}, {"mode": "batch"}, {"network": 1 << 30}],
    "rpc-size": [{}, {"observed": 1 << 20}, {"sequence": 10}],
    "catch-up": [{}, {"state": 1 << 30}, {"state": 1 << 30, "restore_rate": 1e8}],
    "checkpoint": [{}, {"incremental": True}],
}  # fmt: skip


def asked(name: str, reverse: bool, given: dict[str, Any]) -> str:
    """Return the inputs that play a part, those without which there is no answer with a star."""
    made = calculator(name)
    declaration = (made.reverse if reverse else made.forward).inputs
    names = {one.name for one in inputs_of(declaration)} | {"unknown"}
    inputs = draft(declaration, {key: value for key, value in given.items() if key in names})
    return " ".join(
        one.name + ("*" if one.is_required(inputs) else "") for one in inputs_of(declaration) if one.matters(inputs)
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_inputs_that_play_a_part(name: str, golden: Callable[[str, str], None]) -> None:
    lines = []
    for given in CIRCUMSTANCES.get(name, [{}]):
        for reverse in (False, True):
            way = "given settings" if reverse else "given needs"
            lines.append(f"{way}, {given or 'nothing else'}:\n  {asked(name, reverse, given)}\n")
    golden(f"inputs/{name}.txt", "\n".join(lines))


@pytest.mark.parametrize(
    ("size", "spelled"),
    [
        (512 * MIB, "512 MiB"), (12_345 * MIB, "12345 MiB"), (2048 * MIB, "2 GiB"), (512 * MIB + 1, "512 MiB"),
        (1_500, "1.465 KiB"),
    ],
)  # fmt: skip
def test_whole_mebibytes_are_spelled_exactly(size: int, spelled: str) -> None:
    assert spell_exact(size).replace("512.0 ", "512 ") == spelled


def test_what_determines_the_overhead() -> None:
    def phrase(overhead: int) -> str:
        return overhead_phrase(overhead * MIB, 4096 * MIB, 0.1, 192 * MIB, 1024 * MIB)

    assert phrase(192) == "JVM overhead is at its minimum of 192 MiB"
    assert phrase(1024) == "JVM overhead is at its maximum of 1 GiB"
    assert phrase(410) == "JVM overhead is 10 % of 4 GiB"


@pytest.mark.parametrize(
    ("live", "used", "errors", "warnings"),
    [
        (None, None, 0, 0), (100, 50, 0, 0), (1000, None, 0, 1), (1001, None, 1, 0), (None, 256, 0, 1),
        (None, 257, 1, 0), (None, 200, 0, 0), (1001, 257, 2, 0),
    ],
)  # fmt: skip
def test_what_was_observed_is_held_against_a_heap_and_a_metaspace(
    live: int | None, used: int | None, errors: int, warnings: int
) -> None:
    found = judge_observed(
        1000 * MIB, None if live is None else live * MIB, 256 * MIB, None if used is None else used * MIB
    )
    assert tuple(map(len, found)) == (errors, warnings)


@pytest.mark.parametrize(
    ("name", "given", "at"),
    [
        ("checkpoint", {"duration": "10s", "alignment": "10s"}, None),
        ("checkpoint", {"duration": "10s", "alignment": "11s"}, "alignment"),
        ("checkpoint", {"duration": "10s", "start_delay": "11s"}, "start_delay"),
    ],
)
def test_parts_are_not_longer_than_the_whole(name: str, given: dict[str, str], at: str | None) -> None:
    way = calculator(name).forward
    declared = {one.name: one for one in inputs_of(way.inputs)}
    values = {key: declared[key].read(text) for key, text in {**way.example, **given}.items()}
    found = [one.name for one in draft(way.inputs, values).contradictions()]
    assert found == ([] if at is None else [at])
