"""Tasks ask for more network buffers than there are.

## What it does
Compares the network memory that the configuration gives a TaskManager with what tasks asked for
(`Status.Shuffle.Netty.RequestedMemoryUsage`, 99th percentile, in percent of `TotalMemory` of that time). Reports more
than 100 %, where the configuration has not been mended since.

## Why it matters
Above 100 % buffer pools get less than they want: gates lose their floating buffers and throughput with them, and the
next job, or the same one with more subtasks, does not start: "Insufficient number of network buffers".

## What to do
Raise `taskmanager.memory.network.min` and `.max` to what was asked for and a tenth more. `flint size network-buffers`
reckons it from the job's exchanges.

## Not when
The release has no such metric: 1.15 and later have it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/network_mem_tuning/>: how many buffers
  a task asks for
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#default-shuffle-service>: the metric
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, setting_size, sized, steps_of

USAGE = "taskmanager/Status.Shuffle.Netty.RequestedMemoryUsage"
_TOTAL = "taskmanager/Status.Shuffle.Netty.TotalMemory"
MIN, MAX = "taskmanager.memory.network.min", "taskmanager.memory.network.max"
_ROOM = 1.1


@rule(
    code="FLK666",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{USAGE} p99 > 100"],
    flink=">=1.10",
    since="0.1",
)
def network_memory_short(config: View) -> Iterator[Finding]:
    """tasks ask for more network buffers than there are"""
    usage = config.observed(USAGE, p=0.99)
    had = config.observed(_TOTAL, p=0.5)
    if usage is None or had is None or (memory := config.taskmanager_memory()) is None:
        return
    asked = had * usage / 100
    if asked <= memory.network:
        # The configuration has been mended since.
        return
    enough = steps_of(asked * _ROOM)
    limit = config.memory(MAX)
    short = config.get(MAX) if limit is not None and limit < enough and config.is_set(MAX) else config.get(MIN)
    yield short.finding(
        f"tasks of a TaskManager ask for {sized(asked)} of network buffers ({usage.basis}), and get"
        f" {sized(memory.network)}",
        help=f"set {MIN} to {setting_size(enough)}, and {MAX} to no less",
        fix=short.replace(setting_size(enough)),
        evidence=evidence(usage, had, network=memory.network),
    )


_PROCESS = "taskmanager.memory.process.size"


def cases() -> list[Case]:
    return [
        bad(
            f"taskmanager.memory.process.size: 1728m\n{MIN}: 64m\n",
            at=MIN,
            flink="1.20",
            observed={USAGE: 145, _TOTAL: 128 << 20},
            says="ask for 185.6 MiB of network buffers",
            fixed=f"taskmanager.memory.process.size: 1728m\n{MIN}: 256mb\n",
        ),
        bad(
            f"taskmanager.memory.process.size: 8g\n{MAX}: 128m\n",
            at=MAX,
            flink="1.20",
            observed={USAGE: 120, _TOTAL: 128 << 20},
            fixed=f"taskmanager.memory.process.size: 8g\n{MAX}: 192mb\n",
        ),
        good("taskmanager.memory.process.size: 1728m\n", flink="1.20", observed={USAGE: 100, _TOTAL: 128 << 20}),
        good("taskmanager.memory.process.size: 1728m\n", flink="1.20", observed={USAGE: 145}),
        good("taskmanager.memory.process.size: 8g\n", flink="1.20", observed={USAGE: 145, _TOTAL: 128 << 20}),
        bad(
            f"{_PROCESS}: 1728m\n{MIN}: 64m\n{MAX}: 256m\n",
            at=MIN,
            flink="1.20",
            observed={USAGE: 145, _TOTAL: 128 << 20},
            fixed=f"{_PROCESS}: 1728m\n{MIN}: 256mb\n{MAX}: 256m\n",
        ),
        bad(f"{_PROCESS}: 16g\n{MIN}: 512m\n", at=MIN, flink="1.12", observed={USAGE: 120, _TOTAL: 1 << 30}),
        good(
            f"{_PROCESS}: 4g\n{MIN}: 128000000b\n{MAX}: 128000000b\n",
            flink="1.20",
            observed={USAGE: 200, _TOTAL: 6.4e7},
        ),
        good(f"{_PROCESS}: ${{MEMORY}}\n", flink="1.20", observed={USAGE: 145, _TOTAL: 128 << 20}),
    ]
