"""An unaligned checkpoint names every channel of a job that has very many of them.

## What it does
Reports, as advice, `execution.checkpointing.unaligned.enabled: true` at a `parallelism.default` from a threshold on,
500 unless set otherwise, where `execution.checkpointing.aligned-checkpoint-timeout` is 0, its default.

## Why it matters
Each subtask behind a shuffle has a channel from every subtask before it: 500 of them make 250 000 channels. An
unaligned checkpoint stores the records that are on their way, and the acknowledgement of a task tells for each channel
where they are, at 16 bytes and more. All of it goes through the JobManager and into the file `_metadata`, and a
recovery has to go through it channel by channel.

## What to do
Set `execution.checkpointing.aligned-checkpoint-timeout: 30 s`: checkpoints then stay aligned, and small, as long as
there is no backpressure.

## Not when
The job has no shuffle (`forward` alone), or sets its own parallelism.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpointing_under_backpressure/>: what is
  stored, and the timeout
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/AbstractChannelStateHandle.java>:
  a handle for each channel, with an offset of eight bytes for each buffer
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_UNALIGNED = "execution.checkpointing.unaligned.enabled"
_TIMEOUT = "execution.checkpointing.aligned-checkpoint-timeout"
_PARALLELISM = "parallelism.default"
_EACH = 16
"""Bytes of one channel in an acknowledgement, at least."""


@rule(
    code="FLK391",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[_UNALIGNED],
    flink=">=1.13",
    since="0.1",
    thresholds={"parallelism": Threshold(500, "parallelism from which unaligned checkpoints name too many channels")},
)
def unaligned_channels(config: View) -> Iterator[Finding]:
    """an unaligned checkpoint names every channel of a job that has very many"""
    parallelism = config.integer(_PARALLELISM)
    if config.boolean(_UNALIGNED) is not True or parallelism is None or parallelism < config.threshold("parallelism"):
        return
    if config.duration(_TIMEOUT) != 0:
        return
    channels = parallelism * parallelism
    yield config.get(_UNALIGNED).finding(
        f"each shuffle among {parallelism} subtasks has {channels} channels, and an unaligned checkpoint names each"
        f" that has records on their way: {channels * _EACH >> 20} MiB of metadata and more",
        help=f"set {_TIMEOUT}: 30 s, so that checkpoints are aligned as long as there is no backpressure",
        related=[config.get(_PARALLELISM)],
        evidence={"channels": channels},
        measure=channels,
    )


_ON = f"{_UNALIGNED}: true\n"


def cases() -> list[Case]:
    return [
        bad(f"{_ON}{_PARALLELISM}: 500\n", at=_UNALIGNED, severity=Severity.INFO, says="has 250000 channels"),
        bad(f"{_ON}{_PARALLELISM}: 1024\n{_TIMEOUT}: 0\n", says="16 MiB of metadata"),
        bad(f"execution.checkpointing.unaligned: true\n{_PARALLELISM}: 800\n", flink="1.13", at=_UNALIGNED),
        good(f"{_ON}{_PARALLELISM}: 499\n"),
        good(f"{_ON}{_PARALLELISM}: 500\n{_TIMEOUT}: 30 s\n"),
        good(f"{_ON}{_PARALLELISM}: 500\n{_TIMEOUT}: ${{TIMEOUT}}\n"),
        good(f"{_UNALIGNED}: false\n{_PARALLELISM}: 800\n"),
        good(f"{_ON}{_PARALLELISM}: ${{PARALLELISM}}\n"),
    ]
