"""Exclusive network buffers hold more in flight than checkpoints can bear.

## What it does
Reports `taskmanager.network.memory.buffers-per-channel` above 4, as advice. Speaks about releases before 2.0, which
does not have the option.

## Why it matters
Exclusive buffers are there for each channel: at 10, and a parallelism of 100, a task of 100 channels holds 1000
buffers of 32 KiB. That memory has to exist, and under backpressure all of it is data in flight that an aligned
checkpoint waits for and an unaligned one stores.

## What to do
Keep 2 exclusive and 8 floating buffers, the defaults; raise the floating ones first. Where the latency of the network
needs more, turn on `taskmanager.network.memory.buffer-debloat.enabled`.

## Not when
Debloating is on. A value of 0 for the exclusive buffers is sound from 1.14 on.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/memory/network_mem_tuning/#the-life-cycle-of-a-network-buffer>:
  exclusive and floating buffers
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_FLOATING = "taskmanager.network.memory.floating-buffers-per-gate"
_EXCLUSIVE = "taskmanager.network.memory.buffers-per-channel"
_DEBLOAT = "taskmanager.network.memory.buffer-debloat.enabled"
_CHANNELS = 100
"""The parallelism of the message's example."""


@rule(
    code="FLK508",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_EXCLUSIVE],
    flink="<2",
    since="0.1",
    thresholds={"most": Threshold(4, "most exclusive buffers for each channel")},
)
def buffers_per_channel(config: View) -> Iterator[Finding]:
    """exclusive network buffers hold too much in flight"""
    most = config.threshold("most")
    exclusive = config.integer(_EXCLUSIVE)
    if not config.is_set(_EXCLUSIVE) or exclusive is None or exclusive <= most or config.boolean(_DEBLOAT):
        return
    segment = config.memory("taskmanager.memory.segment-size") or 32 << 10
    held = _CHANNELS * exclusive * segment
    yield config.get(_EXCLUSIVE).finding(
        f"at a parallelism of {_CHANNELS} each gate holds {readable(held)} in {exclusive} buffers a channel,"
        " and a checkpoint under backpressure waits for it or stores it",
        help=f"set it to {'2, the default,' if most >= 2 else most} and raise {_FLOATING} instead",
    )


def cases() -> list[Case]:
    return [
        bad(f"{_EXCLUSIVE}: 10\n", at=_EXCLUSIVE, flink="1.18", severity=Severity.INFO, says="holds 31.2 MiB in"),
        good(f"{_FLOATING}: 16\n{_EXCLUSIVE}: 0\n", flink="1.18"),
        good(f"{_EXCLUSIVE}: 2\n", flink="1.14"),
        good(f"{_EXCLUSIVE}: 10\n{_DEBLOAT}: true\n", flink="1.18"),
        good(f"{_EXCLUSIVE}: 10\n", flink="2.0"),
        good(f"{_EXCLUSIVE}: 4\n", flink="1.18"),
        bad(f"{_EXCLUSIVE}: 5\n", flink="1.18", severity=Severity.INFO),
        good(f"{_FLOATING}: ${{FLOATING}}\n{_EXCLUSIVE}: ${{EXCLUSIVE}}\n", flink="1.18"),
    ]  # fmt: skip
