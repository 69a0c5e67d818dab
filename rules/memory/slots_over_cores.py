"""TaskManagers have many more slots than cores, or the other way round.

## What it does
Compares `taskmanager.numberOfTaskSlots` with the cores of a TaskManager (`kubernetes.taskmanager.cpu.amount`,
`yarn.containers.vcores`, or the field of a custom resource that sets it): more than `slots-per-core` (2) slots for each
core, or more than `cores-per-slot` (2) cores for each slot. As jobs differ, it runs only where it is selected.

## Why it matters
Each slot runs a whole pipeline of the job, with a thread for each task. With many more slots than cores these wait for
each other, and where the container has a limit the kernel stops all of them for the rest of each period, network and
heartbeats included. With many more cores than slots most of what is paid for is idle.

## What to do
One slot a core, as a beginning.

## Not when
Tasks wait for others most of the time (asynchronous calls): then more slots are sound. User code with threads of its
own uses more cores.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#taskmanager-numberoftaskslots>: slots
  are in proportion to cores as a rule
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_SLOTS = "taskmanager.numberOfTaskSlots"
_CORES = ("kubernetes.taskmanager.cpu.amount", "yarn.containers.vcores")


@rule(
    code="FLK224",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=_CORES,
    pedantic=True,
    of_scale=True,
    thresholds={
        "slots-per-core": Threshold(2.0, "the most slots for each core"),
        "cores-per-slot": Threshold(2.0, "the most cores for each slot"),
    },
    since="0.1",
)
def slots_over_cores(config: View) -> Iterator[Finding]:
    """TaskManagers have many more slots than cores, or the other way round"""
    slots = config.integer(_SLOTS)
    most_slots, most_cores = config.threshold("slots-per-core"), config.threshold("cores-per-slot")
    for key in _CORES:
        setting, cores = config.get(key), config.number(key)
        # -1: Flink takes as many cores as there are slots.
        if not setting.is_set or not slots or cores is None or cores <= 0:
            continue
        if slots > cores * most_slots:
            why = f"{slots} slots share {cores:g} core{'s' if cores != 1 else ''}: their tasks wait for each other"
        elif cores > slots * most_cores:
            why = f"{cores:g} cores for {slots} slot{'s' if slots != 1 else ''}: most of them are idle"
        else:
            continue
        yield setting.finding(
            why, help=f"begin with {_advice(most_slots, most_cores)} a core", related=[config.get(_SLOTS)]
        )


def _advice(most_slots: float, most_cores: float) -> str:
    """The slots for each core, as near to one as the thresholds allow."""
    number = min(max(1.0, 1 / most_cores if most_cores > 0 else 1.0), most_slots)
    return "one slot" if number == 1 else f"{number:.2g} slots"


def cases() -> list[Case]:
    return [
        bad(f"{_CORES[0]}: 1.5\n{_SLOTS}: 4\n", at=_CORES[0], flink="1.20", severity=Severity.INFO,
            says="4 slots share 1.5 cores"),
        bad(f"kubernetes.taskmanager.cpu: 1\n{_SLOTS}: 3\n", flink="1.12", says="share 1 core:"),
        bad(f"{_CORES[1]}: 9\n{_SLOTS}: 4\n", at=_CORES[1], flink="1.18", says="9 cores for 4 slots"),
        bad(f"{_CORES[0]}: 2.5\n", flink="1.20", says="2.5 cores for 1 slot:"),
        good(f"{_CORES[0]}: 2\n{_SLOTS}: 4\n", flink="1.20"),
        good(f"{_CORES[0]}: 2\n", flink="1.20"),
        good(f"{_CORES[1]}: -1\n{_SLOTS}: 4\n", flink="1.18"),
        good(f"{_CORES[0]}: 1\n{_SLOTS}: '{{{{ slots }}}}'\n", flink="1.20"),
        good(f"{_CORES[0]}: '{{{{ cores }}}}'\n{_SLOTS}: 8\n", flink="1.20"),
    ]  # fmt: skip
