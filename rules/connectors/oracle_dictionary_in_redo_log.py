"""Oracle writes its dictionary into the redo log for each session of a reader.

## What it does
Looks for readers of Oracle by Flink CDC that leave Debezium's `log.mining.strategy` at its default,
`redo_log_catalog`.

## Why it matters
With the default, LogMiner starts each session by writing the whole data dictionary into the redo log and reading it
back. Changes arrive minutes late, and the database makes hundreds of GB of archive logs a day, whatever the tables
change.

## What to do
Set `'debezium.log.mining.strategy' = 'online_catalog'`, in a program `log.mining.strategy` of `debeziumProperties`. On
releases before 19c also set `log.mining.continuous.mine` to `true`.

## Not when
A strategy is set, or properties come from elsewhere. Where columns are added while a reader is behind, the default
follows them and `online_catalog` does not.

## Sources
- <https://debezium.io/documentation/reference/stable/connectors/oracle.html#oracle-property-log-mining-strategy>: what
  the strategies do
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/oracle-cdc/>: the options of
  Debezium
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import WHEN, readers

_STRATEGY = "debezium.log.mining.strategy"


@rule(
    code="FLK550",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=WHEN,
    of_scale=True,
    since="0.1",
)
def oracle_dictionary_in_redo_log(config: View) -> Iterator[Finding]:
    """Oracle writes its dictionary into the redo log for each session of a reader"""
    for reader in readers(config, "oracle-cdc"):
        if reader.has(_STRATEGY) or not reader.is_whole:
            continue
        yield reader.finding(
            f"{reader.what} mines the redo log by the default redo_log_catalog: each session writes Oracle's dictionary"
            " into it, changes come minutes late and archive logs grow by many GB a day",
            None,
            f"set {reader.spelled(_STRATEGY, 'online_catalog')}",
        )


_TABLE = "CREATE TABLE o (id INT) WITH ('connector' = 'oracle-cdc', 'hostname' = 'db', 'table-name' = 'O'%s);\n"
PROGRAM = """import {package};
import java.util.Properties;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    Properties properties = new Properties();
    {put}
    env.addSource({source}.<String>builder().hostname("db"){calls}.build()).uid("a").print().uid("b");
    env.execute("changes");
  }}
}}
"""


def _job(put: str = "", calls: str = "") -> str:
    package = "com.ververica.cdc.connectors.oracle.OracleSource"
    return PROGRAM.format(package=package, source="OracleSource", put=put, calls=calls)


def cases() -> list[Case]:
    return [
        bad(_TABLE % "", file="job.sql", at="'oracle-cdc'", flink="1.17", severity=Severity.WARNING, says="dictionary"),
        bad(_job(), file="Job.java", says="this oracle-cdc source"),
        bad(
            _job('properties.put("database.tablename.case.insensitive", "false");', ".debeziumProperties(properties)"),
            file="Job.java",
        ),
        good(_TABLE % ", 'debezium.log.mining.strategy' = 'online_catalog'", file="job.sql", flink="1.17"),
        good(
            _job('properties.put("log.mining.strategy", "online_catalog");', ".debeziumProperties(properties)"),
            file="Job.java",
        ),
        good(_job("", ".debeziumProperties(load(args))"), file="Job.java"),
    ]
