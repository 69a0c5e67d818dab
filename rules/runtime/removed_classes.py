"""A program uses classes that Flink 2 no longer has.

## What it does
Looks, where the release is known to be 2.0 or later, at what a program imports: the DataSet API, Flink's Scala API,
`RestartStrategies`, Flink's own `Time`, the old state backends, the old interfaces of tables and sinks, and others that
2.0 took away.

## Why it matters
The program does not compile; a jar that was compiled for 1.x ends with `NoClassDefFoundError` when its job is
submitted, or in a task that is the first to use such a class.

## What to do
The finding names what takes its place. `flint upgrade` tells the same of the configuration.

## Not when
The release is not known, or 1.x. Old source and sink functions, which live on under another package, are told by
`legacy-source-functions`, the old Kafka classes by `kafka-deprecated-client`, and `RestartStrategies` where the program
calls it by `restart-strategies-in-code`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/release-notes/flink-2.0/>: what 2.0 took away
- <https://cwiki.apache.org/confluence/display/FLINK/2.0+Release>: the plan for it
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_BATCH = "the DataStream API with execution.runtime-mode: BATCH, or Flink SQL"
_SCALA = "the Java API, which Scala programs may call"
_DURATION = "java.time.Duration"
_BACKEND = "state.backend.type and execution.checkpointing.storage in the configuration"
_TABLES = "DynamicTableSource and DynamicTableSink"
_WATERMARKS = "WatermarkStrategy"

REMOVED = {
    "org.apache.flink.api.java.ExecutionEnvironment": _BATCH,
    "org.apache.flink.api.java.DataSet": _BATCH,
    "org.apache.flink.api.scala.ExecutionEnvironment": _BATCH,
    "org.apache.flink.streaming.api.scala.StreamExecutionEnvironment": _SCALA,
    "org.apache.flink.streaming.api.windowing.time.Time": _DURATION,
    "org.apache.flink.api.common.time.Time": _DURATION,
    "org.apache.flink.api.common.restartstrategy.RestartStrategies": "restart-strategy.type in the configuration",
    "org.apache.flink.contrib.streaming.state.RocksDBStateBackend": _BACKEND,
    "org.apache.flink.runtime.state.filesystem.FsStateBackend": _BACKEND,
    "org.apache.flink.runtime.state.memory.MemoryStateBackend": _BACKEND,
    "org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink": "FileSink",
    "org.apache.flink.table.sources.TableSource": _TABLES,
    "org.apache.flink.table.sinks.TableSink": _TABLES,
    "org.apache.flink.table.api.TableSchema": "Schema or ResolvedSchema",
    "org.apache.flink.streaming.api.functions.AssignerWithPeriodicWatermarks": _WATERMARKS,
    "org.apache.flink.streaming.api.datastream.IterativeStream": "nothing of Flink's; Flink ML has iterations",
    "org.apache.flink.api.connector.sink.Sink": "org.apache.flink.api.connector.sink2.Sink",
    "org.apache.flink.streaming.api.TimeCharacteristic": _WATERMARKS,
    "org.apache.flink.streaming.util.serialization.SimpleStringSchema":
        "org.apache.flink.api.common.serialization.SimpleStringSchema",
}  # fmt: skip
"""Classes that 1.20 has and 2.0 has not, and what takes the place of each."""

_STRATEGIES = "org.apache.flink.api.common.restartstrategy.RestartStrategies"
_IMPORT = regex(r"^[ \t]*import[ \t]+(?:static[ \t]+)?(org\.apache\.flink\.[\w.]+)")
_SCALA_IMPORT = regex(r"org\.apache\.flink\.(?:streaming\.)?api\.scala(?:\..*)?")


@rule(
    code="FLK982",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:job"],
    flink=">=2.0",
    since="0.1",
)
def removed_classes(config: View) -> Iterator[Finding]:
    """a program uses classes that Flink 2 no longer has"""
    if not config.target.certain:
        return
    is_called = any(entry.layer.startswith("RestartStrategies.") for entry in config.document.entries)
    told = {_STRATEGIES} if is_called else set()
    start = 0
    for line in config.document.text.splitlines(keepends=True):
        match = _IMPORT.match(line)
        if match is not None:
            name, instead = _removed(match[1])
            if instead is not None and name not in told:
                told.add(name)
                yield config.finding(
                    f"Flink 2 has no {name} any more: the program does not compile, or fails when it is submitted",
                    span=Span(start + match.start(1), start + match.end(1)),
                    key=name,
                    help=f"use {instead}",
                )
        start += len(line)


def _removed(imported: str) -> tuple[str, str | None]:
    """The class that is gone, of what is imported (perhaps a member of it), with what takes its place."""
    name = next((one for one in REMOVED if imported == one or imported.startswith(f"{one}.")), None)
    if name is not None:
        return name, REMOVED[name]
    return imported, _SCALA if _SCALA_IMPORT.fullmatch(imported) else None


def _program(*imports: str) -> str:
    lines = "".join(f"import {one};\n" for one in imports)
    return (
        f"package shop;\n\n{lines}\npublic class Orders {{\n    public static void main(String[] args) throws Exception"
        " {\n        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        '        env.execute("orders");\n    }\n}\n'
    )


_STREAMING = "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment"


def cases() -> list[Case]:
    return [
        bad(
            _program(_STREAMING, _STRATEGIES),
            file="Orders.java",
            flink="2.0",
            at=_STRATEGIES,
            severity=Severity.ERROR,
            says="has no org.apache.flink.api.common.restartstrategy.RestartStrategies any more",
        ),
        bad(
            _program(
                _STREAMING,
                "static org.apache.flink.streaming.api.windowing.time.Time.minutes",
                "org.apache.flink.streaming.api.windowing.time.Time",
            ),
            file="Orders.java",
            flink="2.3",
        ),
        bad(
            _program(_STREAMING, f"{_STRATEGIES}.RestartStrategyConfiguration"),
            file="Orders.java",
            flink="2.0",
            at=f"{_STRATEGIES}.RestartStrategyConfiguration",
        ),
        bad(
            "import org.apache.flink.streaming.api.scala._\n\n"
            "object Orders {\n  def main(args: Array[String]): Unit = {\n"
            "    val env = StreamExecutionEnvironment.getExecutionEnvironment\n    env.execute()\n  }\n}\n",
            file="Orders.scala",
            flink="2.0",
        ),
        good(_program(_STREAMING, _STRATEGIES), file="Orders.java", flink="1.20"),
        good(
            _program(_STREAMING, _STRATEGIES).replace(
                "        env.execute",
                "        env.setRestartStrategy(RestartStrategies.noRestart());\n        env.execute",
            ),
            file="Orders.java",
            flink="2.0",
        ),
        good(_program(_STREAMING, _STRATEGIES), file="Orders.java"),
        good(
            _program(
                _STREAMING,
                "org.apache.flink.api.common.serialization.SimpleStringSchema",
                "java.time.Duration",
                "org.apache.flink.api.scalar.Other",
            ),
            file="Orders.java",
            flink="2.0",
        ),
    ]


def _claimed(imports: str) -> str:
    return (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
        f"{imports}public class Job {{\n  public static void main(String[] args) throws Exception {{\n"
        "    StreamExecutionEnvironment.getExecutionEnvironment();\n  }\n}\n"
    )


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            _claimed("import org.apache.flink.api.java.ExecutionEnvironment;\n"),
            good=_claimed(""),
            releases=">=2.3",
        ),
        flink_refuses(
            "program",
            _claimed("import org.apache.flink.api.common.time.Time;\n"),
            good=_claimed(""),
            releases=">=2.3",
        ),
    ]
