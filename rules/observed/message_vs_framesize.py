"""A message between JobManager and TaskManagers was larger than the RPC frame.

## What it does
Compares the sizes of messages that Flink's logs told of (`Discarding oversized payload`, `The rpc invocation size …
exceeds`) with `pekko.framesize` (`akka.framesize` up to 1.17). A message above the frame is an error; one that
leaves less than a fifth of it free is a warning.

## Why it matters
Such a message is never sent. An acknowledgement of a checkpoint that is dropped makes the checkpoint wait for its
timeout, from 1.15 on with one line in a log and nothing else; a deployment that does not fit keeps the job from
starting.

## What to do
Raise the frame size on JobManager and TaskManagers. If the messages are acknowledgements, find what they are made
of first: each element of operator list state takes 8 bytes of them, and no frame grows with that.
`flint size rpc-size` tells which cure works.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-26050>: acknowledgements that outgrow the message size
- <https://issues.apache.org/jira/browse/FLINK-39738>: an acknowledgement above the frame size, and the wait for the
  timeout
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas import acknowledgement as ack
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._frame import FRAME, frame_of
from flink_flint.rules.observed._wording import evidence, sized

SIZES = ("taskmanager/rpcMessageSize", "job/rpcMessageSize")


@rule(
    code="FLK654",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=[f"observed:{metric}" for metric in SIZES],
    since="0.1",
)
def message_vs_framesize(config: View) -> Iterator[Finding]:
    """a message between JobManager and TaskManagers was larger than the RPC frame"""
    found = [size for metric in SIZES if (size := config.observed(metric)) is not None]
    frame = frame_of(config)
    if not found or frame is None:
        return
    size = max(found)
    needed = ack.with_room(int(size))
    if needed <= frame:
        return
    setting = config.get(FRAME)
    fits = size <= frame
    enough = f"{ack.frame_for(int(size))}b"
    what = "leaves less than a fifth free of" if fits else "does not fit"
    cure = f"set {setting.written} to {enough} on JobManager and TaskManagers"
    if needed > ack.LARGEST_FRAME:
        cure = "make the message smaller, no frame holds it: `flint size rpc-size` tells of what it is made"
    yield setting.finding(
        f"a message of {sized(size)} came up in {size.window}, which {what} the RPC frame of {sized(frame)}",
        help=cure,
        severity=Severity.WARNING if fits else None,
        fix=setting.replace(enough) if needed <= ack.LARGEST_FRAME else None,
        evidence=evidence(size, frame=frame),
    )


def cases() -> list[Case]:
    return [
        bad(
            "akka.framesize: 10485760b\n", at=FRAME, flink="1.17", severity=Severity.ERROR,
            observed={"taskmanager/rpcMessageSize": {"max": 19_598_830, "samples": 3, "minutes": 5, "days": 1}},
            says="a message of 18.7 MiB came up in 1 day", fixed="akka.framesize: 25165824b\n",
        ),
        bad(
            "pekko.framesize: 209715200b\n", at=FRAME, severity=Severity.WARNING, says="less than a fifth",
            observed={"job/rpcMessageSize": 199_965_215}, fixed="pekko.framesize: 250609664b\n",
        ),
        bad("parallelism.default: 2\n", at=FRAME, observed={"taskmanager/rpcMessageSize": 56_424_326}),
        good("pekko.framesize: 100485760b\n", observed={"taskmanager/rpcMessageSize": 56_424_326}),
        good("pekko.framesize: ${FRAME}\n", observed={"taskmanager/rpcMessageSize": 56_424_326}),
        bad("pipeline.name: orders\npekko.framesize: 10000000b\n", severity=Severity.WARNING,
            observed={"job/rpcMessageSize": 1e7}),
        bad("pekko.framesize: 1g\n", observed={"job/rpcMessageSize": 2.14e9}, fixed="pekko.framesize: 1g\n"),
        good("pipeline.name: payments\n", observed={"job/rpcMessageSize": 199_965_215}),
        good("pekko.framesize: 10000000b\n", observed={"job/rpcMessageSize": 8e6}),
        bad("pekko.framesize: 9999999b\n", observed={"job/rpcMessageSize": 8e6}),
    ]  # fmt: skip
