"""Inlined state may not fit into one RPC message.

## What it does
Estimates the acknowledgement with which a task reports a checkpoint, from the inline threshold and the
frame size: 32 pieces of state (a chain of 8 stateful operators with 4 kinds of state each: managed and raw,
keyed and of the operator), each just below the threshold, plus 4.9 KB for each operator. Reports a threshold that
is set when that is more than half of `pekko.framesize` (`akka.framesize` up to 1.17).

## Why it matters
Up to 1.14 an acknowledgement larger than the frame fails the checkpoint with "The rpc invocation size ... exceeds the
maximum akka framesize". From 1.15 on the TaskManager drops the message with one line in its log, the
checkpoint stays in progress and fails at its timeout.

## What to do
Go back to the default threshold of 20 kb, or give the frame four times the estimate. `flint size rpc-size` reckons
with the job's own state, list elements included, and says which cure works.

## Not when
The threshold is left at its default, or at most that. Above 1 MiB Flink ignores the threshold
(`inline-threshold-ignored`), a small frame is told by `framesize-grammar`, and with the JobManager as
checkpoint storage there is no threshold. A chain with fewer operators needs less; hence low confidence. Lists in
operator state need 8 bytes for each element in the message whatever the threshold is: about 1.3 million elements in
one subtask fill the default frame, and no threshold helps.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-26050>: acknowledgements that outgrow the RPC message size, there because
  of many small RocksDB files
- <https://issues.apache.org/jira/browse/FLINK-39738>: an acknowledgement above the frame size, and the wait for the
  timeout
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-data-inline-threshold>:
  the option
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.flink.values import MemorySize
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._frame import FRAME, frame_of
from flink_flint.rules.inlining._inlining import THRESHOLD, inlines_by_threshold, threshold_of

OPERATORS = 8
STATES_OF_AN_OPERATOR = 4
_ROOM = 4
"""Room of a frame above the estimate, which knows nothing of the job."""


@rule(code="FLK381", severity=Severity.WARNING, confidence=Confidence.LOW, reads=[THRESHOLD], since="0.1")
def inline_vs_framesize(config: View) -> Iterator[Finding]:
    """inlined state may not fit into one RPC message"""
    setting, threshold, frame = config.get(THRESHOLD), threshold_of(config), frame_of(config)
    if threshold is None or frame is None or not inlines_by_threshold(config):
        return
    if not ack.DEFAULT_THRESHOLD < threshold <= ack.LARGEST_THRESHOLD:
        return
    size = ack.fullest_task(threshold, OPERATORS, STATES_OF_AN_OPERATOR)
    if size <= frame // 2:
        return
    outcome = "is dropped in silence and the checkpoint times out" if config.since("1.15") else "fails the checkpoint"
    yield setting.finding(
        f"{frame // threshold} pieces of state just below {threshold} fill the RPC frame of {MemorySize(frame)}; an"
        f" acknowledgement that does not fit {outcome}",
        help=f"write 20kb, or a frame size of {ack.frame_for(size, _ROOM)}b; `flint size rpc-size` knows what fits",
        fix=setting.replace("20kb" if config.since("1.11") else str(ack.DEFAULT_THRESHOLD)),
        related=[config.get(FRAME)],
        evidence={"threshold": int(threshold), "frame": frame, "acknowledgement": size},
        measure=size / max(1, frame),
    )


def cases() -> list[Case]:
    return [
        bad("state.storage.fs.memory-threshold: 1mb\n", at="1mb", flink="1.18", severity=Severity.WARNING,
            says="10 pieces of state just below 1 MiB fill the RPC frame of 10 MiB",
            fixed="state.storage.fs.memory-threshold: 20kb\n"),
        bad("state.backend.fs.memory-threshold: 204800\n", flink="1.10",
            fixed="state.backend.fs.memory-threshold: 20480\n"),
        bad("state.backend.fs.memory-threshold: 200kb\nakka.framesize: 10485760b\n", flink="1.12",
            says="fails the checkpoint", at="execution.checkpointing.data-inline-threshold"),
        bad("execution.checkpointing.data-inline-threshold: 512kb\nparallelism.default: 4\n", at="512kb"),
        good("state.storage.fs.memory-threshold: 1mb\nakka.framesize: 134217728b\n", flink="1.17"),
        good("state.storage.fs.memory-threshold: 100kb\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 20kb\nakka.framesize: 1048576b\n", flink="1.17"),
        good("state.storage.fs.memory-threshold: 2mb\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 1mb\nstate.checkpoint-storage: jobmanager\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 1mb\npekko.framesize: ${FRAME}\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: 150kb\npekko.framesize: 9844896b\n", flink="1.18"),
        bad("state.storage.fs.memory-threshold: 150kb\npekko.framesize: 9844894b\n", flink="1.18"),
        good("state.storage.fs.memory-threshold: ${THRESHOLD}\n", flink="1.18"),
    ]  # fmt: skip
