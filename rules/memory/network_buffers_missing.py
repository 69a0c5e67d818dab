"""The network memory is too small for one exchange at the default parallelism.

## What it does
Derives the network memory of a TaskManager as Flink does, and what a single exchange in which all subtasks send to all
(a `keyBy`, a `rebalance`) takes at least of it: for each slot an input gate with `parallelism.default` channels and a
result partition with as many subpartitions, in buffers of `taskmanager.memory.segment-size`. It speaks where the
former is less, with all subtasks that can be neighbours being so.

## Why it matters
A task takes these buffers when it starts, and fails where there are not enough: "Insufficient number of network
buffers". What a TaskManager needs grows with slots times parallelism, whereas its network memory is a tenth of Flink's
memory, and not more than 1 GB by default up to 1.16.

## What to do
Raise `taskmanager.memory.network.min` (and `.max` with it) to what `flint size network-buffers` says for the exchanges
of the job; a job has several of them as a rule, and under load wants eight floating buffers a gate beyond the least.
Or use fewer slots a TaskManager.

## Not when
Jobs run as batches, whose blocking exchanges take other numbers. The parallelism is not set here. A pipeline without
an exchange of that kind is fine with less: silence the rule there.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/network_mem_tuning/>: buffers of gates
  and partitions
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/memory/mem_trouble/#ioexception-insufficient-number-of-network-buffers>:
  the failure
"""

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import is_streaming

_PARALLELISM = "parallelism.default"
_SLOTS = "taskmanager.numberOfTaskSlots"
_PER_CHANNEL = "taskmanager.network.memory.buffers-per-channel"
_FLOATING = 16
"""More than the buffers of a gate that belong to none of its channels."""
_OF_A_CHANNEL = 4
"""More than the buffers at both ends of a channel, for each that it has to itself."""
_REQUIRED = "taskmanager.network.memory.read-buffer.required-per-gate.max"


@rule(
    code="FLK212",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_PARALLELISM],
    flink=">=1.10",
    since="0.1",
)
def network_buffers_missing(config: View) -> Iterator[Finding]:
    """the network memory is too small for one exchange at the default parallelism"""
    parallelism, slots, memory = config.integer(_PARALLELISM), config.integer(_SLOTS), config.taskmanager_memory()
    segment = config.memory("taskmanager.memory.segment-size")
    if not parallelism or not slots or segment is None or memory is None or not is_streaming(config):
        return
    if _most(config, parallelism, slots) * segment <= memory.network:
        return
    needed = _least(config, parallelism, slots)
    if needed * segment <= memory.network:
        return
    yield config.get(_PARALLELISM).finding(
        f"one keyBy at a parallelism of {parallelism} takes {needed} network buffers ({readable(needed * segment)}) of"
        f" a TaskManager with {slots} slot{'s' if slots > 1 else ''}, which has {readable(memory.network)}: its tasks"
        " fail with Insufficient number of network buffers",
        help="raise taskmanager.memory.network.min and .max above that (flint size network-buffers tells how far), or"
        " use fewer slots",
        related=[config.get(_SLOTS)],
        evidence={"buffers": needed, "network": memory.network},
        measure=needed * segment / max(memory.network, 1),
    )


def _most(config: View, parallelism: int, slots: int) -> int:
    """More buffers than an exchange must have in any release: to say so wants no formula to be loaded."""
    return slots * (parallelism + _FLOATING) * _OF_A_CHANNEL * max(config.integer(_PER_CHANNEL) or 0, 2)


def _least(config: View, parallelism: int, slots: int) -> int:
    """The buffers that a TaskManager must have for an exchange of all with all."""
    from flink_flint.calculators.formulas.buffer_pools import PER_CHANNEL, Buffers, of_an_exchange
    from flink_flint.calculators.formulas.exchanges import Exchange

    for first in ("1.11", "1.17"):
        config.since(first)  # the formulas go by the release itself
    per_channel = PER_CHANNEL if config.since("2.0") else config.integer(_PER_CHANNEL) or 0
    buffers = Buffers(per_channel=per_channel, required_per_gate=config.integer(_REQUIRED))
    return of_an_exchange(Exchange(parallelism, parallelism), slots, buffers, config.release, together=True).minimum


_SMALL = "taskmanager.memory.process.size: 4g\ntaskmanager.memory.network.max: 64m\n"
_EXACTLY = (
    "taskmanager.memory.process.size: 4g\ntaskmanager.memory.network.min: {0}kb\n"
    "taskmanager.memory.network.max: {0}kb\n"
)


def cases() -> list[Case]:
    return [
        bad(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 173\n", at=_PARALLELISM, flink="1.20", severity=Severity.WARNING,
            says="2052 network buffers (64.1 MiB)"),
        bad(f"{_SMALL}{_SLOTS}: 1\n{_PARALLELISM}: 700\n", at=_PARALLELISM, flink="1.14", says="with 1 slot, which"),
        bad("taskmanager.memory.process.size: 1728m\ntaskmanager.numberOfTaskSlots: 8\nparallelism.default: 256\n",
            flink="1.12"),
        bad(f"{_SMALL}{_SLOTS}: 1\n{_PARALLELISM}: 700\n", flink="2.0"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 172\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\nexecution.runtime-mode: BATCH\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_PER_CHANNEL}: 0\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_PER_CHANNEL}: '{{{{ buffers }}}}'\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_REQUIRED}: 100\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_REQUIRED}: '{{{{ buffers }}}}'\n", flink="1.20"),
        bad(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_PER_CHANNEL}: 0\n", flink="2.0"),
        bad(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\n{_REQUIRED}: 100\n", flink="1.16"),
        bad(f"{_SMALL}{_SLOTS}: 1\n{_PARALLELISM}: 400\n{_PER_CHANNEL}: 8\n", flink="1.16"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\nexecution.runtime-mode: '{{{{ mode }}}}'\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: '{{{{ parallelism }}}}'\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 200\ntaskmanager.memory.segment-size: '{{{{ size }}}}'\n",
             flink="1.20"),
        good(f"{_SLOTS}: 4\n{_PARALLELISM}: 20000\n", flink="1.20"),
        good(f"{_SMALL}{_SLOTS}: '{{{{ slots }}}}'\n{_PARALLELISM}: 2000\n", flink="1.20"),
        # Just as many buffers as are needed.
        good(f"{_EXACTLY.format(2052 * 32)}{_SLOTS}: 4\n{_PARALLELISM}: 173\n", flink="1.20"),
        bad(f"{_EXACTLY.format(2051 * 32)}{_SLOTS}: 4\n{_PARALLELISM}: 173\n", flink="1.20"),
        bad(
            "taskmanager.memory.process.size: 4g\n"
            "taskmanager.memory.network.max: 112m\n"
            "taskmanager.numberOfTaskSlots: 1\n"
            "parallelism.default: 400\n"
            "taskmanager.network.memory.buffers-per-channel: 8\n",
            flink="1.16",
        ),
        good(f"{_SMALL}{_SLOTS}: 4\n{_PARALLELISM}: 300\n{_PER_CHANNEL}: 0\n", flink="1.20"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    size = "taskmanager.memory.network.{}: {}\n"
    return [
        flink_fails(
            "exchange", size.format("min", "4m") + size.format("max", "4m"),
            good=size.format("min", "64m") + size.format("max", "64m"),
            both=f"taskmanager.memory.process.size: 4g\n{_SLOTS}: 16\n{_PARALLELISM}: 16\n",
        ),
    ]  # fmt: skip
