"""More than half of the slots are free most of the time.

## What it does
Compares free slots (`taskSlotsAvailable`, the median) with all slots (`taskSlotsTotal`), after those of the spare
TaskManagers that `slotmanager.redundant-taskmanager-num` asks for. Reports more than half, after three days.

## Why it matters
A free slot holds its share of a TaskManager's memory and cores. Where half of them are free, half of the TaskManagers
are paid for and do nothing.

## What to do
Run fewer TaskManagers. In a session that must take in more jobs at some hours, let the resource manager come and go
with them (`resourcemanager.taskmanager-timeout`), or the operator's autoscaler.

## Not when
There are less than three days of history, or the spare ones were asked for.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#cluster>: the metrics
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#slotmanager-redundant-taskmanager-num>
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import count, evidence

FREE, TOTAL = "jobmanager/taskSlotsAvailable", "jobmanager/taskSlotsTotal"
SLOTS = "taskmanager.numberOfTaskSlots"
_SPARE = "slotmanager.redundant-taskmanager-num"


@rule(
    code="FLK686",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    when=[f"observed:{FREE} p50 > 0"],
    since="0.1",
    thresholds={
        "free": Threshold(0.5, "part of the slots that may be free"),
        "days": Threshold(3, "days of observation without which nothing is said"),
    },
)
def slots_unused(config: View) -> Iterator[Finding]:
    """more than half of the slots are free most of the time"""
    free, total = config.observed(FREE, p=0.5), config.observed(TOTAL, p=0.5)
    if free is None or total is None or free.days < config.threshold("days"):
        return
    slots = config.integer(SLOTS)
    spare = config.integer(_SPARE) if config.since("1.12") else 0
    if slots is None or slots < 1 or spare is None:
        return
    kept = spare * slots
    if free - kept <= config.threshold("free") * (total - kept):
        return
    idle = int((free - kept) // slots)
    running = config.observed("jobmanager/numRunningJobs", p=0.5)
    yield config.get(SLOTS).finding(
        f"{int(free)} of {int(total)} slots are free ({free.basis}), as many as {count(idle, 'TaskManager')} of"
        f" {count(slots, 'slot')} hold",
        help=f"run with {count(max(idle, 1), 'TaskManager')} less, or let them go when they are idle",
        evidence=evidence(free, total, running, slots=slots),
    )


def cases() -> list[Case]:
    return [
        bad(f"{SLOTS}: 4\n", at=SLOTS, observed={FREE: 26, TOTAL: 40}, severity=Severity.INFO,
            says="26 of 40 slots are free (p50 of 14 days to 2025-11-20), as many as 6 TaskManagers of 4 slots hold"),
        bad("parallelism.default: 2\n", at=SLOTS, observed={FREE: 3, TOTAL: 4}),
        good(f"{SLOTS}: 4\n", observed={FREE: 18, TOTAL: 40}),
        good(f"{SLOTS}: 4\n", observed={FREE: {"p50": 26, "days": 2}, TOTAL: 40}),
        good(f"{SLOTS}: 4\n{_SPARE}: 5\n", observed={FREE: 26, TOTAL: 40}, flink="1.20"),
        bad(f"{SLOTS}: 4\n", observed={FREE: {"p50": 21, "days": 3}, TOTAL: 40}),
        bad(f"{SLOTS}: 4\n{_SPARE}: 5\n", observed={FREE: 31, TOTAL: 40}, flink="1.20"),
        bad(f"{SLOTS}: 4\n", observed={FREE: 11, TOTAL: 20}, flink="1.11"),
        good(f"{SLOTS}: 4\n", observed={FREE: 20, TOTAL: 40}),
        good(f"{SLOTS}: 4\n{_SPARE}: 5\n", observed={FREE: 30, TOTAL: 40}, flink="1.20"),
        good(f"{SLOTS}: 4\n{_SPARE}: ${{SPARE}}\n", observed={FREE: 31, TOTAL: 40}, flink="1.20"),
        good(f"{SLOTS}: ${{SLOTS}}\n", observed={FREE: 31, TOTAL: 40}),
        good(f"{SLOTS}: 0\n", observed={FREE: 31, TOTAL: 40}),
        good(f"{SLOTS}: 4\n", observed={FREE: 31}),
    ]  # fmt: skip
