"""The Cassandra sink sends requests without end.

## What it does
Reports the `CassandraSink`s of a program without `setMaxConcurrentRequests`, all in one finding.

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
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.connectors._cases import cassandra, program

_BOUND = ("max-concurrent-requests", "enable-write-ahead-log")


@rule(
    code="FLK865",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:sink"],
    flink=">=1.4",
    of_scale=True,
    since="0.1",
)
def cassandra_sink_unbounded(config: View) -> Iterator[Finding]:
    """the Cassandra sink sends requests without end"""
    unbounded = [
        sink
        for sink in config.elements("sink")
        if sink.name == "CassandraSink" and not any(name in sink.element.attributes for name in _BOUND)
    ]
    if not unbounded:
        return
    sink = max(unbounded, key=lambda one: bool(_consistency(one)))  # the first, or the first that asks more replicas
    level = _consistency(sink)
    asks = f" with {level}" if level else ""
    others = [one for one in unbounded if one is not sink]
    more = f" and {len(others)} more of the program" if others else ""
    has = "have" if others else "has"
    yield sink.finding(
        f"nothing bounds how many requests{asks} this sink{more} {has} under way: when Cassandra is busy some time out,"
        " and each of them fails the job",
        help=f"call {sink.method('setMaxConcurrentRequests')} with a few hundred divided by the parallelism, and a"
        " timeout (Flink 1.7 and later have it)",
        related=[
            *([sink.place("consistency-level", "so many replicas must answer")] if asks else ()),
            *(one.place(None, "this sink has no bound either") for one in others),
        ],
    )


def _consistency(sink: ElementView) -> str | None:
    """Return the consistency level of a sink that more than one replica must answer for; None without one."""
    level = sink.text("consistency-level")
    return level if level and level not in ("ONE", "ANY", "LOCAL_ONE") else None


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
        bad(
            program(cassandra(), cassandra(), cassandra("setMaxConcurrentRequests(50)"), cassandra()),
            file="Positions.java",
            times=1,
            says="this sink and 2 more of the program have under way",
        ),
        good(program(cassandra("setMaxConcurrentRequests(50, Duration.ofMinutes(2))")), file="Positions.java"),
        good(program(cassandra("setMaxConcurrentRequests(requests)")), file="Positions.java"),
        good(program(cassandra("enableWriteAheadLog()")), file="Positions.java"),
        bad(program(cassandra("enableWriteAheadLog()"), cassandra()), file="Positions.java", flink="1.8"),
        good(
            program("env.fromSource(source, strategy, name).sinkTo(FileSink.forRowFormat(path, encoder).build());"),
            file="Positions.java",
        ),
    ]
