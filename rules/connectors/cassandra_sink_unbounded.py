"""The Cassandra sink sends requests without end.

## What it does
Reports a `CassandraSink` without `setMaxConcurrentRequests`.

## Why it matters
The sink sends each record at once and does not wait for the answer: as many requests are under way as the job makes
records. Cassandra, when it is busy, lets some of them time out, sooner the more replicas must answer
(`ConsistencyLevel.QUORUM`). Each such answer fails the job instead of slowing it down; it restarts, replays, and sends
more at once than before.

## What to do
Call `setMaxConcurrentRequests` with a number and a timeout: a few hundred for the whole job, divided by the
parallelism, and a timeout of some minutes. The sink then waits, and the wait is backpressure. A failure handler that
tries again is no remedy for too many requests.

## Not when
The write-ahead log is on, which writes at checkpoints and takes no such limit.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/cassandra/#configurations>: the
  setter
- <https://github.com/apache/flink/blob/release-1.16/flink-connectors/flink-connector-cassandra/src/main/java/org/apache/flink/streaming/connectors/cassandra/CassandraSinkBaseConfig.java>:
  no limit by default
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cases import cassandra, program

_BOUND = ("max-concurrent-requests", "enable-write-ahead-log")


@rule(
    code="FLK865",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:sink"],
    flink=">=1.7",
    of_scale=True,
    since="0.1",
)
def cassandra_sink_unbounded(config: View) -> Iterator[Finding]:
    """the Cassandra sink sends requests without end"""
    for sink in config.elements("sink"):
        if sink.name != "CassandraSink" or any(name in sink.element.attributes for name in _BOUND):
            continue
        level = sink.text("consistency-level")
        asks = f" with {level}" if level and level not in ("ONE", "ANY", "LOCAL_ONE") else ""
        yield sink.finding(
            f"nothing bounds how many requests{asks} this sink has under way: when Cassandra is busy some time out,"
            " and each of them fails the job",
            help=f"call {sink.method('setMaxConcurrentRequests')} with a few hundred divided by the parallelism, and a"
            " timeout",
            related=[sink.place("consistency-level", "so many replicas must answer")] if asks else (),
        )


def cases() -> list[Case]:
    return [
        bad(program(cassandra()), file="Positions.java", severity=Severity.WARNING, says="requests with QUORUM"),
        bad(
            "package fleet;\n"
            "\n"
            "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
            "\n"
            "public class Positions {\n"
            "    public static void main(String[] args) throws Exception {\n"
            "        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
            "        CassandraSink.addSink(stream)\n"
            '            .setQuery("INSERT INTO fleet.positions (id, speed) VALUES (?, ?);")\n'
            "            .setClusterBuilder(new ClusterBuilder() {\n"
            "                @Override\n"
            "                protected Cluster buildCluster(Cluster.Builder builder) {\n"
            "                    return builder.addContactPoint(host).withQueryOptions(\n"
            "                        new QueryOptions().setConsistencyLevel(ConsistencyLevel.ONE)).build();\n"
            "                }\n"
            "            })\n"
            "            .build();\n"
            '        env.execute("positions");\n'
            "    }\n"
            "}\n",
            file="Positions.java",
            says="how many requests this sink",
        ),
        bad(program(cassandra()), file="Positions.java", profile="development", severity=Severity.INFO),
        good(program(cassandra("setMaxConcurrentRequests(50, Duration.ofMinutes(2))")), file="Positions.java"),
        good(program(cassandra("setMaxConcurrentRequests(requests)")), file="Positions.java"),
        good(program(cassandra("enableWriteAheadLog()")), file="Positions.java"),
        bad(program(cassandra("enableWriteAheadLog()"), cassandra()), file="Positions.java", flink="1.8"),
        good(
            program("env.fromSource(source, strategy, name).sinkTo(FileSink.forRowFormat(path, encoder).build());"),
            file="Positions.java",
        ),
    ]
