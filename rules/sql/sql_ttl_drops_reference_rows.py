"""A time to live for all joins drops rows of a table that seldom changes.

## What it does
Looks for streaming queries with a join without a bound in time, one side of which is a table of changes (CDC,
`upsert-kafka`, a changelog format), while `table.exec.state.ttl` is set.

## Why it matters
Reference rows vanish from the results after the time, though they still exist in the database. A join keeps the rows
of both sides in state, and the option counts for both: from when a row was last written, not from when it was last
used. The events of one side are gone by then, and are meant to be; a product, a rule or a customer that nobody
changes is read once, with the snapshot, and is forgotten as well. From then on nothing matches, and nothing is
logged.

## What to do
Give each side a time of its own: `SELECT /*+ STATE_TTL('o' = '1 d', 'c' = '0 s') */ ...` (1.18 and later), where 0
keeps rows for ever. Or look the table up by processing time (`FOR SYSTEM_TIME AS OF`, with a connector that can be
asked).

## Not when
The query has STATE_TTL hints; the table's rows are only of interest for a while, and change until then.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/queries/hints/#state-ttl-hints>: a time for
  each side, and what 0 means
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-state-ttl>: from the last
  write of a key
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import TTL, is_overridden, is_streaming, queries, readings

_SIDES = 2


@rule(
    code="FLK157",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def sql_ttl_drops_reference_rows(config: View) -> Iterator[Finding]:
    """a time to live for all joins drops rows of a table that seldom changes"""
    setting, ttl = config.get(TTL), config.duration(TTL)
    if not setting.is_set or ttl is None or ttl <= 0:
        return
    for query in queries(config):
        if not query.has("regular-join") or is_overridden(config, query, TTL) or not is_streaming(config, query):
            continue
        if any(hint.text("name") == "STATE_TTL" for hint in query.items("hints")):
            continue
        read = [one for one in readings(config, query) if one.role == "scan"]
        changes = [one for one in read if one.is_changelog]
        if not changes or len(read) < _SIDES:
            continue
        one = changes[0]
        yield setting.finding(
            f"rows of {one.name} ({one.connector}) that do not change for {setting.text.strip()} are dropped from"
            " the join's"
            " state: they vanish from results, though the table has them",
            help=f"give {one.name} its own time by a STATE_TTL hint, 0 for ever (1.18 and later), or look it up",
            related=[query.place("regular-join")],
        )
        return


_RULES = "CREATE TABLE c (id INT, k INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '%s', 'hostname' = 'db');\n"
_EVENTS = "CREATE TABLE e (k INT) WITH ('connector' = 'kafka', 'topic' = 'e', 'format' = 'json');\n"
_JOIN = "INSERT INTO d SELECT %s c.id FROM e JOIN c ON e.k = c.k;\n"
_DAY = "SET 'table.exec.state.ttl' = '1 d';\n"
_SET = """\
apiVersion: industry-fusion.com/v1alpha4
kind: BeamSqlStatementSet
metadata: {name: checks}
spec:
  sqlsettings:
    - table.exec.state.ttl: 1 d
  sqlstatements:
    - |-
      INSERT INTO d SELECT c.id FROM e JOIN c ON e.k = c.k;
"""


def cases() -> list[Case]:
    tables = _RULES % "postgres-cdc" + _EVENTS
    return [
        bad(
            _DAY + tables + _JOIN % "",
            file="job.sql",
            at="'1 d'",
            flink="1.17",
            severity=Severity.WARNING,
            says="rows of c (postgres-cdc) that do not change for 1 d are dropped from the join's state",
        ),
        bad(_SET, file="checks.yaml", at="1 d", flink="1.17", beside={"tables.sql": tables}, says="rows of c"),
        good(_DAY + tables + _JOIN % "/*+ STATE_TTL('e' = '1 d', 'c' = '0 s') */", file="job.sql", flink="1.18"),
        good(tables + _JOIN % "", file="job.sql", flink="1.17"),
        good(_DAY + _RULES % "kafka" + _EVENTS + _JOIN % "", file="job.sql", flink="1.17"),
        good(
            _DAY + tables + "INSERT INTO d SELECT c.id FROM e JOIN c FOR SYSTEM_TIME AS OF e.p ON e.k = c.k;\n",
            file="job.sql",
            flink="1.17",
        ),
        good(_DAY.replace("1 d", "0 s") + tables + _JOIN % "", file="job.sql", flink="1.17"),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _DAY + tables + _JOIN % "", file="job.sql", flink="1.17"),
    ]
