"""Joins and aggregates of a SQL script forget their state within minutes.

## What it does
Reports `table.exec.state.ttl` of less than 10 minutes in a SQL script whose queries have a join without a bound in
time, or GROUP BY without a window.

## Why it matters
What the query forgets is not gone from its result: an aggregate of a key that was silent for longer starts again from
nothing and overwrites the total in the sink, and a join drops the match of a row that comes later. Nothing is logged.

## What to do
Set it to longer than the rows of one key can lie apart, hours or days as a rule. For totals of a time, use a window.

## Not when
The query only removes duplicates, which come close together; or the value has no unit, which `bare-number-duration`
says more of.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/overview/#idle-state-retention-time>:
  what expired state does to results
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-state-ttl>: the option
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import TTL, is_overridden, is_streaming, queries


@rule(
    code="FLK902",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[TTL],
    flink=">=1.11",
    since="0.1",
    thresholds={"short": Threshold("10 min", "time to live below which state is forgotten within minutes")},
)
def sql_ttl_short(config: View) -> Iterator[Finding]:
    """joins and aggregates of a SQL script forget their state within minutes"""
    setting, ttl = config.get(TTL), config.duration(TTL)
    if ttl is None or not 0 < ttl < config.threshold("short") or setting.text.strip().isdigit():
        return
    for query in queries(config):
        what = next((name for name in ("regular-join", "group-by") if query.has(name)), None)
        if what is None or is_overridden(config, query, TTL) or not is_streaming(config, query):
            continue
        name = "a join" if what == "regular-join" else "a total of GROUP BY"
        yield setting.finding(
            f"{name} forgets a key that was silent for {setting.text}: the next row of it finds nothing, and results"
            " are wrong in silence",
            help="set it to longer than the rows of one key lie apart, or use a window",
            related=[query.place(what)],
        )
        return


_TABLE = "CREATE TABLE o (id INT, v INT) WITH ('connector' = 'kafka', 'topic' = 'o');\n"


def claims() -> list[Claim]:
    both = (
        "SET 'parallelism.default' = '1';\n"
        "CREATE TABLE o (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1', 'number-of-rows' = '4',"
        " 'fields.id.min' = '7', 'fields.id.max' = '7');\n"
        "SELECT id, COUNT(*) FROM o GROUP BY id HAVING COUNT(*) = 4;\n"
    )
    time = "SET 'table.exec.state.ttl' = '%s';\n"
    return [
        flink_uses("SQL run", time % "200 ms" + both, "[]", good=time % "12 h" + both, releases=">=1.17"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            "SET 'table.exec.state.ttl' = '60 s';\n" + _TABLE + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            at="'60 s'",
            flink="1.18",
            says="silent for 60 s",
        ),
        bad(
            "SET table.exec.state.ttl=5min;\n" + _TABLE + "INSERT INTO r SELECT o.id FROM o JOIN p ON o.id = p.id;\n",
            file="job.sql",
            at="5min",
            flink="1.15",
            says="a join forgets",
        ),
        good(
            "SET 'table.exec.state.ttl' = '12 h';\n" + _TABLE + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '60 s';\n" + _TABLE + "INSERT INTO r SELECT id FROM (SELECT *, ROW_NUMBER()\n"
            "OVER (PARTITION BY id ORDER BY v) AS n FROM o) WHERE n = 1;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '60 s';\nSET 'execution.runtime-mode' = 'BATCH';\n"
            + _TABLE
            + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good("table.exec.state.ttl: 60 s\n", flink="1.18"),
        bad(
            "SET 'table.exec.state.ttl' = '599 s';\n" + _TABLE + "INSERT INTO r SELECT id FROM o;\n"
            "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            at="'599 s'",
            flink="1.12",
            says="a total of GROUP BY forgets",
        ),
        bad(
            "SET 'table.exec.state.ttl' = '1 ms';\n" + _TABLE + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '10 min';\n"
            + _TABLE
            + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '60';\n" + _TABLE + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '1 d';\n" + _TABLE + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n"
            "SET 'table.exec.state.ttl' = '60 s';\n" + "INSERT INTO r SELECT id FROM o;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'table.exec.state.ttl' = '${TTL}';\n"
            + _TABLE
            + "INSERT INTO r SELECT id, SUM(v) FROM o GROUP BY id;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]
