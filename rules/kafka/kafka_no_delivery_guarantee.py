"""A KafkaSink that was not told to deliver may lose records.

## What it does
Reports a `KafkaSink` whose builder never calls `setDeliveryGuarantee` (up to 1.15 `setDeliverGuarantee`): its guarantee
is then `NONE`.

## Why it matters
With `NONE` the sink does not wait, at a checkpoint, for what the Kafka producer still holds. When a TaskManager dies
after the checkpoint, those records are gone and are not replayed, though the checkpoint covers them. The other ways to
write to Kafka, SQL and the old `FlinkKafkaProducer`, are at-least-once unless told otherwise, so the loss often comes
with a migration. Where the job takes no checkpoints, nothing is replayed either way: the finding is advice for a
program that starts a job of which nothing shows that it takes them, and for a class whose deployment and whose other
programs show none.

## What to do
Call `setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)`; it costs a flush at each checkpoint. Call it with `NONE`
where records may be lost, to say so. Up to Flink 1.15 the method is called `setDeliverGuarantee`, which 1.16 deprecated
and the connector 4.0 no longer has.

## Not when
The setters that are called cannot all be seen. A written `NONE` is a decision.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  by default KafkaSink uses NONE, and what that means
- `KafkaSinkBuilder` of flink-connector-kafka 1.14.6, 1.15.4, 1.16.0 and 4.0.0-2.0: the names of the method
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._checkpointing import takes_checkpoints
from flink_flint.rules.kafka._cases import AT_LEAST_ONCE, TOPIC, WRITE, program, sink, table, writing_job
from flink_flint.rules.kafka._clients import INTERVAL, api, guarantee_attribute, more_calls

_MAKES_ENVIRONMENT = "get_execution_environment("


@rule(
    code="FLK805",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kafka-sink"],
    flink=">=1.14",
    of_scale=True,
    since="0.1",
)
def kafka_no_delivery_guarantee(config: View) -> Iterator[Finding]:
    """a KafkaSink that was not told to deliver may lose records"""
    for writer in config.elements("kafka-sink"):
        if api(writer) == "KafkaSink" and guarantee_attribute(writer) is None and not more_calls(writer):
            setter = _setter(config, writer)
            yield writer.finding(
                f"without {setter} a KafkaSink guarantees nothing: records that its producer holds at a checkpoint are"
                " lost when a TaskManager dies",
                help=f"call {setter}(DeliveryGuarantee.AT_LEAST_ONCE), or NONE to say that it is meant so",
                severity=None if _may_take_checkpoints(config) else Severity.INFO,
            )


def _may_take_checkpoints(config: View) -> bool:
    """Whether the job takes checkpoints, or is built by a class elsewhere whose deployment nobody here knows."""
    if takes_checkpoints(config) or config.may_be_set_by_program(INTERVAL):
        return True
    return not (config.elements("job") or config.below or _MAKES_ENVIRONMENT in config.document.text)


def _setter(config: View, writer: ElementView) -> str:
    """Return the method of the builder that sets the guarantee, by the name that the connector's release has for it."""
    return writer.method("setDeliveryGuarantee" if writer.is_python or config.since("1.16") else "setDeliverGuarantee")


_PUBLISHED = """from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink

from setup import env

sink = KafkaSink.builder() \\
    .set_bootstrap_servers("kafka:9092") \\
    .set_record_serializer(KafkaRecordSerializationSchema.builder().set_topic("orders").build()) \\
    .build()
env.from_collection(["a"]).sink_to(sink)
env.execute("publish")
"""
_SETUP = (
    "from pyflink.datastream import StreamExecutionEnvironment\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(60000)\n"
    "env.set_parallelism(2)\n"
)


def cases() -> list[Case]:
    return [
        bad(
            program("env.enableCheckpointing(60_000);", sink()),
            file="Orders.java",
            severity=Severity.WARNING,
            at="KafkaSink.<String>builder",
        ),
        bad(program("env.enableCheckpointing(interval);", sink()), file="Orders.java", severity=Severity.WARNING),
        bad(program(sink()), file="Orders.java", severity=Severity.INFO),
        bad(program(sink()), file="Orders.java", flink="1.14", says="without setDeliverGuarantee a KafkaSink"),
        bad(program(sink()), file="Orders.java", flink="1.15.4", says="without setDeliverGuarantee a KafkaSink"),
        bad(program(sink()), file="Orders.java", flink="1.16", says="without setDeliveryGuarantee a KafkaSink"),
        bad(_PUBLISHED, file="publish.py", flink="1.15", says="without set_delivery_guarantee a KafkaSink"),
        bad(program(sink()), file="Orders.java", flink=">=1.15,<=1.16", says="without setDeliveryGuarantee"),
        bad(
            program("env.enableCheckpointing(60_000);", sink(), sink(AT_LEAST_ONCE, name="second")), file="Orders.java"
        ),
        bad(program(sink()), file="Orders.java", profile="development", severity=Severity.INFO),
        # The environment is made elsewhere, in Python's words.
        bad(
            _PUBLISHED, file="publish.py", severity=Severity.WARNING, says="without set_delivery_guarantee a KafkaSink"
        ),
        bad(
            _PUBLISHED,
            file="publish.py",
            beside={"pyproject.toml": "[project]\n", "conf/flink-conf.yaml": "parallelism.default: 2\n"},
            severity=Severity.INFO,
        ),
        bad(
            _PUBLISHED,
            file="publish.py",
            beside={
                "pyproject.toml": "[project]\n",
                "conf/flink-conf.yaml": "parallelism.default: 2\n",
                "jobs/setup.py": _SETUP,
            },
            severity=Severity.WARNING,
        ),
        bad(
            _PUBLISHED.replace("from setup import env", "env = StreamExecutionEnvironment.get_execution_environment()"),
            file="publish.py",
            severity=Severity.INFO,
        ),
        bad(
            _PUBLISHED.replace(
                "from setup import env",
                "env = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(60000)",
            ),
            file="publish.py",
            severity=Severity.WARNING,
        ),
        good(program(sink(AT_LEAST_ONCE)), file="Orders.java"),
        good(program(sink("setDeliveryGuarantee(DeliveryGuarantee.NONE)")), file="Orders.java"),
        good(program(sink("setDeliveryGuarantee(guarantee)")), file="Orders.java"),
        good(
            program('stream.addSink(new FlinkKafkaProducer<>("orders", new SimpleStringSchema(), properties));'),
            file="Orders.java",
            flink="1.14",
        ),
        good(table("t", TOPIC) + WRITE, file="orders.sql"),
    ]


def claims() -> list[Claim]:
    show = 'JobFields.show(env, "KafkaSink.deliveryGuarantee");'
    return [
        flink_uses(
            "program",
            writing_job(end=show),
            "deliveryGuarantee=none",
            good=writing_job(AT_LEAST_ONCE, end=show),
            releases=">=2.3",
        ),
    ]
