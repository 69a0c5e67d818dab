"""A reader of RabbitMQ takes all that waits in its queue into memory.

## What it does
Looks for an `RMQSource` in a job with checkpoints whose connection has no prefetch count.

## Why it matters
With checkpoints the source acknowledges messages when a checkpoint is complete. Without a prefetch count RabbitMQ
pushes messages without waiting for that: a queue with a backlog is poured into the TaskManager, faster than the job
works it off, until it fails with `OutOfMemoryError: Java heap space` — and after the restart the same messages come
again.

## What to do
Call `setPrefetchCount` on the builder of the connection (Flink 1.12 and later): a few thousand, more than what is read
between two checkpoints. Before 1.12 a subclass of the source can set it on the channel.

## Not when
The connection is made elsewhere, or the job takes no checkpoints.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/rabbitmq/#consumer-prefetch>:
  without a count the broker sends all messages, and what it does to memory
- <https://github.com/apache/flink/pull/8111>: the backlog that ends the job
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL
from flink_flint.rules.connectors._cases import program


@rule(
    code="FLK561",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:rabbitmq-source"],
    flink=">=1.4",
    of_scale=True,
    since="0.1",
)
def rabbitmq_prefetch_unlimited(config: View) -> Iterator[Finding]:
    """a reader of RabbitMQ takes all that waits in its queue into memory"""
    takes_checkpoints = INTERVAL in config.effective or any(
        not job.is_known(f"sets.{INTERVAL}") for job in config.elements("job")
    )
    for reader in config.elements("rabbitmq-source"):
        if not takes_checkpoints or not reader.is_known("connection") or not reader.has("connection"):
            continue
        if reader.has("prefetch-count") and reader.number("prefetch-count") != 0:
            continue
        new = config.since("1.12")
        yield reader.finding(
            "messages are acknowledged with checkpoints and nothing limits how many are under way: RabbitMQ pushes the"
            " whole backlog into the heap",
            of="prefetch-count" if reader.has("prefetch-count") else "connection",
            key="setPrefetchCount",
            help=f"call {reader.method('setPrefetchCount')}(5000) on the builder of the connection"
            + ("" if new else ", which Flink 1.12 brings; before, call basicQos in a subclass of the source"),
        )


def _job(count: str = "", before: str = "env.enableCheckpointing(60000);", connection: str = "connection") -> str:
    built = f'new RMQConnectionConfig.Builder().setHost("mq").setPort(5672){count}.build()'
    return program(
        before, f"RMQConnectionConfig connection = {built};",
        f'env.addSource(new RMQSource<>({connection}, "orders", true, new OrderSchema())).setParallelism(1);',
    )  # fmt: skip


_PYTHON = """\
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSource

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
connection = RMQConnectionConfig.Builder().set_host("mq").set_port(5672).build()
env.add_source(RMQSource(connection, "orders", True, SimpleStringSchema())).set_parallelism(1).print()
env.execute()
"""


def cases() -> list[Case]:
    java = "Positions.java"
    return [
        bad(_job(), file=java, flink="1.18", severity=Severity.WARNING, says="RabbitMQ pushes the whole backlog"),
        bad(_job(".setPrefetchCount(0)"), file=java, at="0", flink="1.18"),
        good(_job(".setPrefetchCount(500)"), file=java, flink="1.18"),
        good(_job(".setPrefetchCount(count)"), file=java, flink="1.18"),
        good(_job(before=""), file=java, flink="1.18"),
        good(_job(connection="connections.of(args)"), file=java, flink="1.18"),
        bad(_PYTHON, file="job.py", flink="1.18", says="RabbitMQ pushes"),
        good(_PYTHON.replace(".set_port", ".set_prefetch_count(100).set_port"), file="job.py", flink="1.18"),
    ]
