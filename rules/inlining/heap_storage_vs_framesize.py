"""Checkpoints in the JobManager's heap may be larger than the message that carries them.

## What it does
Reports a `JobManagerCheckpointStorage` or `MemoryStateBackend` of a program whose limit for the state of a subtask
exceeds the frame size of remote calls (`pekko.framesize`, `akka.framesize` before 1.18; 10 MiB by default).

## Why it matters
State that is kept in the JobManager's heap travels in the message which acknowledges the checkpoint. Once it no longer
fits into a frame, the log says `The rpc invocation size ... exceeds the maximum akka framesize` and the checkpoint is
lost, although the limit in the program is far away.

## What to do
Write checkpoints to a file system, which is what more than a few MiB of state needs anyway. Or set the frame size, for
JobManager and TaskManagers alike, above the limit.

## Not when
The frame size is larger than the limit; either is not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#the-jobmanagercheckpointstorage>:
  what the limit bounds
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pekko-framesize>: the frame
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.inlining._frame import FRAME, frame_of

_REST = 1 << 20
"""Bytes of an acknowledgement besides the state."""


@rule(
    code="FLK392",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:heap-storage"],
    of_scale=True,
    since="0.1",
)
def heap_storage_vs_framesize(config: View) -> Iterator[Finding]:
    """the heap's limit for checkpoints is larger than the message that carries them"""
    frame = frame_of(config)
    if frame is None:
        return
    key = FRAME if config.since("1.18") else "akka.framesize"
    outcome = "is dropped in silence, and the checkpoint times out" if config.since("1.15") else "fails the checkpoint"
    for storage in config.elements("heap-storage"):
        limit = storage.value("limit")
        if isinstance(limit, int) and limit > frame:
            yield storage.finding(
                f"{readable(limit)} of a subtask's state may go into one message, which takes {readable(frame)}"
                f" ({key}): a larger one {outcome}",
                of="limit",
                help=f"use FileSystemCheckpointStorage, or set {key}: {limit + _REST}b",
                evidence={"limit": limit, "frame": frame},
                measure=limit / max(1, frame),
            )


_JAVA = """import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Orders {
  public static void main(String[] args) throws Exception {
    ParameterTool parameters = ParameterTool.fromArgs(args);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.enableCheckpointing(60000);
    int megabytes = parameters.getInt("max-state", 64);
    env.getCheckpointConfig().setCheckpointStorage(new JobManagerCheckpointStorage(%s));
    env.fromSource(orders(), marks(), "orders").keyBy(Order::id).process(new Sum()).sinkTo(sums());
    env.execute("orders");
  }
}
"""
_PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.checkpoint_storage import JobManagerCheckpointStorage
env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_storage(JobManagerCheckpointStorage(%s))
env.from_source(orders, marks, "orders").key_by(lambda one: one[0]).process(Sum()).sink_to(sums)
env.execute("orders")
"""


def cases() -> list[Case]:
    return [
        bad(_JAVA % "megabytes * 1024 * 1024", file="Orders.java", flink="1.17", at="megabytes * 1024 * 1024",
            says="64 MiB of a subtask's state may go into one message, which takes 10 MiB (akka.framesize)"),
        bad(_JAVA % "20_000_000", file="Orders.java", flink="1.14", says="fails the checkpoint"),
        bad(_PYTHON % "50 * 1024 * 1024", file="orders.py", flink="1.20", says="(pekko.framesize)"),
        good(_JAVA % "8 * 1024 * 1024", file="Orders.java", flink="1.17"),
        good(_JAVA % "", file="Orders.java", flink="1.17"),
        good(_JAVA % "limit(args)", file="Orders.java", flink="1.17"),
        good(_PYTHON % "10485760", file="orders.py", flink="1.20"),
    ]  # fmt: skip
