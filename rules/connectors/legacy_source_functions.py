"""Source and sink functions are internal from Flink 2.0 on.

## What it does
Reports `addSource` and `addSink` in a program for Flink 2.0 and later.

## Why it matters
Flink 2.0 moved `SourceFunction`, `RichSourceFunction`, `SinkFunction` and their kin to packages called `legacy` that
are for internal use: a program that imports them from where they were does not compile, and a jar made for 1.x fails
with `ClassNotFoundException`. The old connectors that are built on them (`FlinkKafkaConsumer`, `FlinkKinesisConsumer`)
are gone. What is imported from `legacy` runs for now: a program that does so gets advice, and so does one whose
functions are in other files.

## What to do
Move to sources and sinks of the current kind (`env.fromSource`, `sinkTo`): of the connector, or of your own. What polls
a database from a `RichSourceFunction` becomes a `Source` with one split.

## Not when
Before 2.0. The Cassandra sink is made with a method of its own. Calls that are given one of the old Kafka classes are
told by `kafka-deprecated-client`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-2.0/release-notes/flink-2.0/>: what 2.0 removes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/sources/>: the sources that take their place
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cases import cassandra, kinesis, program

_CALLS = {"legacy-source": "addSource", "legacy-sink": "addSink"}
_SUCCESSORS = {"addSource": "fromSource", "addSink": "sinkTo"}


@rule(
    code="FLK867",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:job"],
    flink=">=2.0",
    every_release=True,
    since="0.1",
)
def legacy_source_functions(config: View) -> Iterator[Finding]:
    """source and sink functions are internal from Flink 2.0 on"""
    for job in config.elements("job"):
        for name, call in _CALLS.items():
            if name not in job.element.attributes:
                continue
            whose = job.text(name)
            if whose == "kafka":
                continue  # what FLK806 reports
            yield job.finding(
                f"from Flink 2.0 on {job.method(call)} takes only classes of internal packages called legacy: "
                + ("a later release may remove them" if whose == "imported" else "what is made for 1.x does not run"),
                of=name,
                help=f"use {job.method(_SUCCESSORS[call])} with a connector of the current kind",
                severity=None if whose == "old" else Severity.INFO,
            )


_KAFKA = (
    'SourceFunction<String> consumer = new FlinkKafkaConsumer<>("clicks", new SimpleStringSchema(), properties);\n'
    "        env.addSource(consumer);"
)
_OLD = "import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;\n"
_LEGACY = "import org.apache.flink.streaming.api.functions.sink.legacy.SinkFunction;\n"


_CLAIMED = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
%s
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(1, 2).map(String::valueOf).%s;
    env.execute();
  }
  %s
}
"""


def claims() -> list[Claim]:
    old = _CLAIMED % (
        "import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;",
        "addSink(new Positions())",
        "static class Positions extends RichSinkFunction<String> {}",
    )
    return [flink_fails("program", old, good=_CLAIMED % ("", "print()", ""), releases=">=2.0")]


def cases() -> list[Case]:
    return [
        bad(
            program(kinesis()),
            file="Positions.java",
            flink="2.0",
            severity=Severity.WARNING,
            at="addSource",
            says="on addSource takes",
        ),
        bad(
            program("stream.addSink(new PositionSink());"),
            file="Positions.java",
            flink="2.1",
            severity=Severity.INFO,
            says="on addSink takes",
        ),
        bad(
            program("stream.addSink(new PositionSink());").replace("import", f"{_OLD}import", 1),
            file="Positions.java",
            flink="2.1",
            severity=Severity.WARNING,
            says="what is made for 1.x does not run",
        ),
        bad(
            program("stream.addSink(new PositionSink());").replace("import", f"{_LEGACY}import", 1),
            file="Positions.java",
            flink="2.1",
            severity=Severity.INFO,
            says="a later release may remove them",
        ),
        bad(
            program("env.addSource(new Positions());").replace("import", f"{_LEGACY}import", 1),
            file="Positions.java",
            flink="2.1",
            severity=Severity.INFO,
            says="what is made for 1.x does not run",
        ),
        # What is given an old Kafka class is FLK806's.
        good(program(_KAFKA), file="Positions.java", flink="2.0"),
        good(program('stream.addSink(new FlinkKafkaProducer<>("t", schema, p));'), file="Positions.java", flink="2.0"),
        bad(program(_KAFKA, "env.addSource(new Positions());"), file="Positions.java", flink="2.0", at="addSource"),
        bad(
            "from pyflink.datastream import StreamExecutionEnvironment\n\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\n"
            "env.add_source(positions)\nenv.execute()\n",
            file="positions.py",
            flink="2.0",
            says="on add_source takes",
        ),
        good(program(kinesis()), file="Positions.java", flink="1.20"),
        good(program(kinesis()), file="Positions.java"),
        good(program("env.fromSource(source, strategy, name).sinkTo(sink);"), file="Positions.java", flink="2.0"),
        good(program(cassandra("setMaxConcurrentRequests(50)")), file="Positions.java", flink="2.0"),
    ]
