"""The exactly-once JDBC sink refuses to try again by itself.

## What it does
Reports `JdbcSink.exactlyOnceSink` whose `JdbcExecutionOptions` allow retries: `withMaxRetries` other than 0, or left
at its default of 3 where the options are built in place.

## Why it matters
Inside an XA transaction a repeated batch could be written twice, so from 1.15 on the sink checks and refuses: *"JDBC
XA sink requires maxRetries equal to 0, otherwise it could cause duplicates"*. The job is not built. Up to 1.14 it runs,
and may write duplicates.

## What to do
`JdbcExecutionOptions.builder().withMaxRetries(0).build()`.

## Not when
The options come from elsewhere. `JdbcSink.sink`, which is at-least-once, may try again.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/jdbc/>: the example sets 0 retries,
  and why
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cases import program

_RETRIES = "max-retries"
_BUILT_HERE = ("batch-size", "batch-interval-ms")
"""Show that the options are built in place, and so that nothing else sets them."""


@rule(
    code="FLK853",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:sink"],
    flink=">=1.13",
    since="0.1",
)
def jdbc_exactly_once_retries(config: View) -> Iterator[Finding]:
    """the exactly-once JDBC sink refuses to try again by itself"""
    for sink in config.elements("sink"):
        if sink.name != "JdbcSink" or sink.text("method") != "exactlyOnceSink":
            continue
        retries = sink.number(_RETRIES)
        if _RETRIES in sink.element.attributes:
            if not retries:
                continue
            said = f"withMaxRetries({retries:.0f})"
        elif any(name in sink.element.attributes for name in _BUILT_HERE):
            said = "3 retries, the default,"
        else:
            continue
        is_refused = config.since("1.15")
        yield sink.finding(
            f"an exactly-once JDBC sink takes no retries, and with {said} it is refused"
            if is_refused
            else f"with {said} an exactly-once JDBC sink may write a batch twice",
            severity=None if is_refused else Severity.WARNING,
            of=_RETRIES if _RETRIES in sink.element.attributes else None,
            help="write withMaxRetries(0)",
            fix=sink.replace(_RETRIES, "0") if retries else None,
        )


def _sink(options: str, method: str = "exactlyOnceSink") -> str:
    return program(
        f'stream.addSink(JdbcSink.{method}("INSERT INTO positions VALUES (?, ?)", setter,\n'
        f"            {options},\n"
        "            JdbcExactlyOnceOptions.defaults(), () -> dataSource));"
    )


_BUILDER = "JdbcExecutionOptions.builder(){}.build()"


def cases() -> list[Case]:
    return [
        bad(
            _sink(_BUILDER.format(".withMaxRetries(3)")),
            file="Positions.java",
            flink="1.17",
            severity=Severity.ERROR,
            fixed=_sink(_BUILDER.format(".withMaxRetries(0)")),
        ),
        bad(_sink(_BUILDER.format(".withBatchSize(1000)")), file="Positions.java", says="3 retries, the default"),
        good(_sink(_BUILDER.format(".withMaxRetries(0)")), file="Positions.java"),
        good(_sink(_BUILDER.format(".withMaxRetries(3)"), method="sink"), file="Positions.java"),
        good(_sink(_BUILDER.format(".withMaxRetries(retries)")), file="Positions.java"),
        good(_sink("options"), file="Positions.java"),
        bad(_sink(_BUILDER.format(".withBatchIntervalMs(100)")), file="Positions.java", flink="1.13"),
        bad(
            _sink(_BUILDER.format(".withMaxRetries(3)")),
            file="Positions.java",
            flink="1.14",
            severity=Severity.WARNING,
            says="may write a batch twice",
        ),
        bad(_sink(_BUILDER.format(".withMaxRetries(3)")), file="Positions.java", flink="1.15", severity=Severity.ERROR),
        bad(
            program(
                'stream.addSink(CassandraSink.addSink(stream).setQuery("INSERT").build());',
                *(
                    f'stream.addSink(JdbcSink.exactlyOnceSink("INSERT", setter, {options}, exactly, () -> dataSource));'
                    for options in (
                        "options",
                        _BUILDER.format(".withMaxRetries(0)"),
                        _BUILDER.format(".withMaxRetries(2)"),
                    )
                ),
            ),
            file="Positions.java",
            at="JdbcSink.max-retries",
            says="withMaxRetries(2)",
        ),
        good(_sink(_BUILDER.format(".withMaxRetries(3)")), file="Positions.java", flink="1.12"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            _job(".withBatchSize(10)"),
            good=_job(".withBatchSize(10).withMaxRetries(0)"),
            releases=">=1.19,<1.20",  # later the dialects are jars of their own
        ),
    ]


def _job(options: str) -> str:
    return (
        "import org.apache.flink.connector.jdbc.*;\n"
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        "public class Job {\n  public static void main(String[] args) throws Exception {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '    env.fromElements("a").addSink(JdbcSink.<String>exactlyOnceSink("INSERT INTO t VALUES (?)",\n'
        "        (statement, one) -> statement.setString(1, one),\n"
        f"        JdbcExecutionOptions.builder(){options}.build(), JdbcExactlyOnceOptions.defaults(), () -> null));\n"
        "  }\n}\n"
    )
