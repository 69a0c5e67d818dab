"""The cluster is to have more slots, cores or memory at least than it may have at most.

## What it does
Compares `slotmanager.number-of-slots.min` with `.max`, also in whole TaskManagers of `taskmanager.numberOfTaskSlots`
slots, and `slotmanager.min-total-resource.cpu` and `.memory` with their maxima.

## Why it matters
The ResourceManager checks this when it starts, and the JobManager ends with an `IllegalStateException` that names no
option. With 4 slots each, a minimum of 5 and a maximum of 7 contradict each other as well: 5 slots want two
TaskManagers, 7 allow one.

## What to do
Make the minimum at most the maximum, both multiples of the slots of a TaskManager.

## Not when
Only one of the two is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#slotmanager-number-of-slots-min>:
  the options
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/resourcemanager/slotmanager/SlotManagerConfiguration.java>:
  the checks
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import text_of
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_MIN_SLOTS, _MAX_SLOTS = "slotmanager.number-of-slots.min", "slotmanager.number-of-slots.max"
_SLOTS = "taskmanager.numberOfTaskSlots"
_TOTALS = {
    "slotmanager.min-total-resource.cpu": "slotmanager.max-total-resource.cpu",
    "slotmanager.min-total-resource.memory": "slotmanager.max-total-resource.memory",
}


@rule(
    code="FLK630",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_MIN_SLOTS, *_TOTALS],
    since="0.1",
)
def slot_limits_contradictory(config: View) -> Iterator[Finding]:
    """the cluster is to have more at least than it may have at most"""
    least, most, slots = (config.integer(key) for key in (_MIN_SLOTS, _MAX_SLOTS, _SLOTS))
    if least is not None and most is not None:
        per = max(1, slots or 1)
        taskmanagers = -(-least // per)
        if taskmanagers > most // per:
            yield config.get(_MIN_SLOTS).finding(
                f"the JobManager does not start: {least} slots at least are {taskmanagers} TaskManagers of {per}, and"
                f" {most} at most are {most // per}",
                help=f"set {_MAX_SLOTS} to {taskmanagers * per} or more, or lower {_MIN_SLOTS}",
                related=[config.get(key) for key in (_MAX_SLOTS, _SLOTS) if config.is_set(key)],
            )
    for lower, upper in _TOTALS.items():
        low, high = config.get(lower), config.get(upper)
        if low.value is not None and high.value is not None and low.value > high.value:
            yield low.finding(
                f"the JobManager does not start: {text_of(low.value)} at least is more than {text_of(high.value)} at"
                " most",
                help=f"make {lower} at most {upper}",
                related=[high],
            )


_CPU, _MEMORY = _TOTALS


def cases() -> list[Case]:
    return [
        bad(f"{_MIN_SLOTS}: 8\n{_MAX_SLOTS}: 4\n", at=_MIN_SLOTS, says="8 TaskManagers of 1, and 4 at most are 4"),
        bad(f"{_MIN_SLOTS}: 5\n{_MAX_SLOTS}: 7\n{_SLOTS}: 4\n", flink="1.19", says="2 TaskManagers of 4, and 7"),
        bad(f"{_CPU}: 8\n{_TOTALS[_CPU]}: 4.5\n", at=_CPU, says="8.0 at least is more than 4.5"),
        bad(f"{_MEMORY}: 2 gb\n{_TOTALS[_MEMORY]}: 2047 mb\n", at=_MEMORY),
        bad(f"{_MIN_SLOTS}: 5\n{_MAX_SLOTS}: 4\n{_SLOTS}: ${{SLOTS}}\n", says="5 TaskManagers of 1"),
        good(f"{_MIN_SLOTS}: 4\n{_MAX_SLOTS}: 7\n{_SLOTS}: 4\n"),
        good(f"{_MIN_SLOTS}: 5\n{_MAX_SLOTS}: 4\n{_CPU}: 8\n{_TOTALS[_CPU]}: 4\n", flink="1.18"),
        good(f"{_MIN_SLOTS}: 5\n{_MAX_SLOTS}: 8\n{_SLOTS}: 4\n"),
        good(f"{_MIN_SLOTS}: 4\n{_MAX_SLOTS}: 4\n"),
        good(f"{_MIN_SLOTS}: 8\n"),
        good(f"{_MIN_SLOTS}: 8\n{_MAX_SLOTS}: ${{MOST}}\n"),
        good(f"{_CPU}: 4\n{_TOTALS[_CPU]}: 4\n{_MEMORY}: 2 gb\n{_TOTALS[_MEMORY]}: 2048 mb\n"),
        good(f"{_MEMORY}: 2 gb\n{_TOTALS[_MEMORY]}: ${{MEMORY}}\n{_CPU}: ${{CPU}}\n{_TOTALS[_CPU]}: 1\n"),
        good(f"{_TOTALS[_MEMORY]}: 1 gb\n{_CPU}: 4\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "slots",
            "slotmanager.number-of-slots.min: 4\nslotmanager.number-of-slots.max: 2\n",
            good="slotmanager.number-of-slots.min: 2\nslotmanager.number-of-slots.max: 4\n",
        ),
    ]
