"""Most of the network memory is never asked for.

## What it does
Compares the network memory that the configuration gives a TaskManager with the most that tasks asked for
(`Status.Shuffle.Netty.RequestedMemoryUsage`, 99th percentile). Reports 30 % and less after seven days, where 128 MiB
or more are to gain for each TaskManager.

## Why it matters
Network buffers are allocated when the process starts, outside of the heap, and nothing else can use them. From 1.17
on there is no upper limit any more: a tenth of the memory of a large TaskManager is gigabytes.

## What to do
Set `taskmanager.memory.network.max` to one and a half times what was asked for. Scaling out asks for more.

## Not when
There are less than seven days of history.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/network_mem_tuning/>: how many buffers
  a task asks for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#default-shuffle-service>: the metric
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, percent, setting_size, sized, steps_of

USAGE = "taskmanager/Status.Shuffle.Netty.RequestedMemoryUsage"
_TOTAL = "taskmanager/Status.Shuffle.Netty.TotalMemory"
_MIN, MAX = "taskmanager.memory.network.min", "taskmanager.memory.network.max"
_ROOM = 1.5


@rule(
    code="FLK667",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{USAGE}"],
    flink=">=1.10",
    since="0.1",
    thresholds={
        "idle": Threshold(0.3, "part of the network memory up to which it counts as idle"),
        "days": Threshold(7, "days of observation without which nothing is said"),
        "worth": Threshold("128 mb", "memory that is worth a word"),
    },
)
def network_memory_idle(config: View) -> Iterator[Finding]:
    """most of the network memory is never asked for"""
    usage = config.observed(USAGE, p=0.99)
    had = config.observed(_TOTAL, p=0.5)
    if (
        usage is None
        or usage.days < config.threshold("days")
        or had is None
        or (memory := config.taskmanager_memory()) is None
    ):
        return
    asked = had * usage / 100
    enough = steps_of(asked * _ROOM)
    over = memory.network - enough
    least = config.memory(_MIN)
    if asked > config.threshold("idle") * memory.network or over < config.threshold("worth") or least is None:
        return
    count = config.observed("jobmanager/numRegisteredTaskManagers", p=0.5)
    of_all = f", {sized(over * count)} on {int(count)} of them" if count and count > 1 else ""
    chosen = config.get(MAX if least <= enough else _MIN)
    yield chosen.finding(
        f"tasks of a TaskManager ask for {sized(asked)} of network buffers ({usage.basis}),"
        f" {percent(asked / memory.network)} of {sized(memory.network)}: {sized(over)} are never used{of_all}",
        help=f"set {chosen.written} to {setting_size(enough)}",
        fix=chosen.replace(setting_size(enough)),
        evidence=evidence(usage, had, count, network=memory.network, over=over),
    )


_PROCESS = "taskmanager.memory.process.size"


def cases() -> list[Case]:
    return [
        bad(
            f"taskmanager.memory.process.size: 16g\n{MAX}: 8g\n",
            at=MAX,
            flink="1.20",
            severity=Severity.INFO,
            observed={USAGE: 10, _TOTAL: 1 << 30, "jobmanager/numRegisteredTaskManagers": 10},
            fixed=f"taskmanager.memory.process.size: 16g\n{MAX}: 192mb\n",
        ),
        bad(
            f"taskmanager.memory.process.size: 4g\n{_MIN}: 1g\n{MAX}: 1g\n",
            at=_MIN,
            flink="1.12",
            observed={USAGE: 10, _TOTAL: 1 << 30},
        ),
        good("taskmanager.memory.process.size: 16g\n", flink="1.20", observed={USAGE: 40, _TOTAL: 1536 << 20}),
        good(
            "taskmanager.memory.process.size: 16g\n",
            flink="1.20",
            observed={USAGE: {"p99": 10, "days": 2}, _TOTAL: 1 << 30},
        ),
        good("taskmanager.memory.process.size: 1728m\n", flink="1.20", observed={USAGE: 25, _TOTAL: 128 << 20}),
        good("taskmanager.memory.process.size: 16g\n", flink="1.20", observed={USAGE: 10}),
        bad(
            f"{_MIN}: 256m\n{MAX}: 256m\n{_PROCESS}: 4g\n",
            flink="1.20",
            observed={USAGE: {"p99": 25, "days": 7}, _TOTAL: 256 << 20},
        ),
        good(f"{_MIN}: 255m\n{MAX}: 255m\n{_PROCESS}: 4g\n", flink="1.20", observed={USAGE: 25, _TOTAL: 256 << 20}),
        bad(
            f"{_MIN}: 1000000000b\n{MAX}: 1000000000b\n{_PROCESS}: 8g\n",
            flink="1.20",
            observed={USAGE: 30, _TOTAL: 1e9},
        ),
        good(
            f"{_MIN}: 1000000000b\n{MAX}: 1000000000b\n{_PROCESS}: 8g\n",
            flink="1.20",
            observed={USAGE: 30.1, _TOTAL: 1e9},
        ),
        bad(
            f"{_PROCESS}: 16g\n{_MIN}: 192m\n{MAX}: 8g\n",
            at=MAX,
            flink="1.20",
            observed={USAGE: 10, _TOTAL: 855 << 20},
            fixed=f"{_PROCESS}: 16g\n{_MIN}: 192m\n{MAX}: 192mb\n",
        ),
        good(f"{_PROCESS}: ${{MEMORY}}\n", flink="1.20", observed={USAGE: 10, _TOTAL: 1 << 30}),
    ]
