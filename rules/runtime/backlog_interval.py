"""While sources work off a backlog there are no checkpoints, or Flink refuses the interval for them.

## What it does
Reports `execution.checkpointing.interval-during-backlog`

- below `execution.checkpointing.interval`, but not 0 (and not below 10 ms, which is refused by itself): an error;
- as 0, or as long as the transactions of the sink may be, where a sink writes to Kafka exactly once: a warning.

## Why it matters
Flink takes no shorter interval than the usual one: "Checkpoint interval during backlog must be larger than or equal to
that in normal situation", and the job is not even submitted.

0 means that no checkpoint is taken as long as a source says that it works off a backlog: the snapshot of a CDC source,
the files of a hybrid one. That may take hours. An exactly-once sink commits with checkpoints alone: nothing is seen
until then, and once the transaction's time is up the broker aborts it, after which the job fails and begins anew.

## What to do
Set it to the usual interval or more, and well below the transaction timeout.

## Not when
Sinks that do not commit with checkpoints may do without; a failure then costs the time since the backlog began.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-interval-during-backlog>:
  what it is, and what 0 means
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/jobgraph/tasks/CheckpointCoordinatorConfiguration.java>:
  the check
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>: transactions
  and their timeout
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kafka._clients import exactly_once
from flink_flint.rules.kafka._transactions import timeout_of

_BACKLOG = "execution.checkpointing.interval-during-backlog"
_INTERVAL = "execution.checkpointing.interval"


@rule(
    code="FLK991",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_BACKLOG],
    flink=">=1.19",
    since="0.1",
)
def backlog_interval(config: View) -> Iterator[Finding]:
    """no checkpoints during a backlog, or an interval for them that Flink refuses"""
    setting, backlog, usual = config.get(_BACKLOG), config.duration(_BACKLOG), config.duration(_INTERVAL)
    if not setting.is_set or backlog is None:
        return
    if usual is not None and 10 * MILLISECOND <= backlog < usual:  # a shorter one is out of its own range
        yield setting.finding(
            f"{setting.text} is shorter than the usual interval of {config.get(_INTERVAL).text}, which Flink refuses"
            " when a job is submitted",
            help=f"set it to {config.get(_INTERVAL).text} or more, or delete it",
            related=[config.get(_INTERVAL)],
        )
        return
    for writer in exactly_once(config):
        allowed = timeout_of(writer)
        if backlog != 0 and (allowed is None or backlog.seconds < allowed.seconds):
            continue
        often = "no checkpoint is taken" if backlog == 0 else f"checkpoints are {setting.text} apart"
        yield setting.finding(
            f"{often} while a source works off a backlog, and the exactly-once sink commits with checkpoints alone:"
            " Kafka aborts its transactions meanwhile",
            help="set it to the usual interval or more, and well below the transaction timeout",
            severity=Severity.WARNING,
            related=[writer.place()],
        )
        return


_MINUTE = f"{_INTERVAL}: 1 min\n"


def cases() -> list[Case]:
    return [
        bad(f"{_MINUTE}{_BACKLOG}: 59 s\n", at=_BACKLOG, flink="1.20", severity=Severity.ERROR,
            says="59 s is shorter than the usual interval of 1 min"),
        bad(f"{_MINUTE}{_BACKLOG}: 10 ms\n", at=_BACKLOG, flink="2.3"),
        good(f"{_MINUTE}{_BACKLOG}: 9 ms\n", flink="2.3"),
        good(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.flink.configuration.Configuration;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        Configuration settings = new Configuration();\n"
            '        settings.setString("execution.checkpointing.interval-during-backlog", "59 min");\n'
            "        env.configure(settings);\n"
            "        KafkaSink<String> sink = KafkaSink.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            "            .setRecordSerializer(KafkaRecordSerializationSchema.builder()\n"
            '                .setTopic("orders").setValueSerializationSchema(new '
            "SimpleStringSchema()).build())\n"
            "            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)\n"
            '            .setTransactionalIdPrefix("orders-sink")\n'
            "            .build();\n"
            "        stream.sinkTo(sink);\n"
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
            flink="1.20",
        ),
        good(
            "package shop;\n"
            "\n"
            "import org.apache.flink.connector.base.DeliveryGuarantee;\n"
            "import org.apache.flink.connector.kafka.sink.KafkaSink;\n"
            "import org.apache.flink.connector.kafka.source.KafkaSource;\n"
            "import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;\n"
            "import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;\n"
            "import org.apache.flink.configuration.Configuration;\n"
            "import org.apache.kafka.clients.consumer.OffsetResetStrategy;\n"
            "\n"
            "public class Orders {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        Configuration settings = new Configuration();\n"
            '        settings.setString("execution.checkpointing.interval-during-backlog", "0 s");\n'
            "        env.configure(settings);\n"
            "        KafkaSink<String> sink = KafkaSink.<String>builder()\n"
            '            .setBootstrapServers("kafka:9092")\n'
            "            .setRecordSerializer(KafkaRecordSerializationSchema.builder()\n"
            '                .setTopic("orders").setValueSerializationSchema(new '
            "SimpleStringSchema()).build())\n"
            "            .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)\n"
            "            .build();\n"
            "        stream.sinkTo(sink);\n"
            '        env.execute("orders");\n'
            "    }\n"
            "}\n",
            file="Orders.java",
            flink="1.20",
        ),
        good(f"{_MINUTE}{_BACKLOG}: 1 min\n", flink="1.20"),
        good(f"{_MINUTE}{_BACKLOG}: 0\n", flink="1.20"),
        good(f"{_MINUTE}{_BACKLOG}: '{{{{ backlog }}}}'\n", flink="1.20"),
        good(f"{_BACKLOG}: 30 s\n", flink="1.20"),
        good(f"{_MINUTE}{_BACKLOG}: 30 s\n", flink="1.18"),
        *cases_in_folders(__file__),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "job",
            "execution.checkpointing.interval-during-backlog: 1 s\nexecution.checkpointing.interval: 1 min\n",
            good="execution.checkpointing.interval-during-backlog: 2 min\nexecution.checkpointing.interval: 1 min\n",
        ),
    ]
