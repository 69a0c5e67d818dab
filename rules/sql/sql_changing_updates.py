"""Updates of a changelog are computed with values that change between them.

## What it does
Reports, in a SQL script, a streaming query over a table of changes (CDC formats and connectors, `upsert-kafka`) that
calls a function with another result each time (CURRENT_TIMESTAMP, NOW, UUID, RAND, ...) or looks rows up in another
system, and then joins, groups or removes duplicates, while `table.optimizer.non-deterministic-update.strategy` is
IGNORE, its default.

## Why it matters
An update comes as the old row and the new one. The operators behind find the old row by all of its columns; when one
of them is computed anew and differs, they do not find it: results stay that should be gone, sums are wrong, and there
is at most a line in the log.

## What to do
Set the strategy to TRY_RESOLVE: Flink then keeps what is needed to take rows back, or says what it cannot resolve.
Else take such values from columns of the table.

## Not when
Tables of new rows only; queries that write what they read without keeping it; a function in the select list of an
aggregating query, which Flink evaluates after the aggregation; batch mode. Where what runs the script is not known, and
may set the option, the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/determinism/>: what happens, and how it
  is resolved
- <https://github.com/apache/flink/blob/master/flink-table/flink-table-planner/src/main/java/org/apache/flink/table/planner/plan/optimize/StreamNonDeterministicUpdatePlanVisitor.java>:
  which operators require what of their input
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-optimizer-non-deterministic-update-strategy>:
  the option
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._plans import kept_state
from flink_flint.rules.sql._queries import (
    UNBOUNDED_STATE,
    in_force,
    is_streaming,
    may_be_set_elsewhere,
    queries,
    readings,
)

_STRATEGY = "table.optimizer.non-deterministic-update.strategy"


@rule(
    code="FLK909",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.16",
    since="0.1",
)
def sql_changing_updates(config: View) -> Iterator[Finding]:
    """updates of a changelog are computed with values that change between them"""
    for query in queries(config):
        what = next((name for name in ("kept-lookup", "kept-function") if query.has(name)), None)
        kept = next((name for name in UNBOUNDED_STATE if query.has(name)), None)
        if what is None or kept is None or not is_streaming(config, query):
            continue
        if str(in_force(config, query, _STRATEGY)).upper() != "IGNORE":
            continue
        planned = kept_state(config, query)
        if planned is not None and not planned:
            continue
        changes = [one for one in readings(config, query) if one.is_changelog and one.role == "scan"]
        if changes:
            value = query.text(what)
            says = f"{value} gives" if what == "kept-function" else f"the lookup in {value} gives"
            yield query.finding(
                f"{says} the old row of an update of {changes[0].name} other values than it had: what keeps state"
                " behind it does not find that row, and results go wrong in silence",
                of=what,
                help=f"set {_STRATEGY} to TRY_RESOLVE, or take the value from a column",
                severity=Severity.INFO if may_be_set_elsewhere(config, query, _STRATEGY) else None,
                related=[query.place(kept)],
            )


_CDC = "CREATE TABLE c (id INT, k INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
_GROUPED = "INSERT INTO r SELECT k, t, COUNT(*) FROM (SELECT k, CURRENT_TIMESTAMP AS t FROM c) GROUP BY k, t;\n"


def cases() -> list[Case]:
    return [
        bad(
            _CDC + _GROUPED,
            file="job.sql",
            at="CURRENT_TIMESTAMP",
            flink="1.18",
            severity=Severity.INFO,
            says="CURRENT_TIMESTAMP gives the old row of an update of c other values",
        ),
        bad(
            "CREATE TABLE k (id INT, pt AS PROCTIME()) WITH ('connector' = 'kafka', 'format' = 'debezium-json');\n"
            "CREATE TABLE d (id INT, n STRING) WITH ('connector' = 'jdbc', 'url' = 'x');\n"
            "INSERT INTO r SELECT d.n, COUNT(*) FROM k JOIN d FOR SYSTEM_TIME AS OF k.pt ON k.id = d.id GROUP BY "
            "d.n;\n",
            file="job.sql",
            at="d",
            flink="1.16",
            says="the lookup in d gives",
        ),
        good(
            "SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';\n" + _CDC + _GROUPED,
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE c (id INT, k INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka');\n"
            "INSERT INTO r SELECT k, t, COUNT(*) FROM (SELECT k, CURRENT_TIMESTAMP AS t FROM c) GROUP BY "
            "k, t;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(_CDC + "INSERT INTO r SELECT id, k, CURRENT_TIMESTAMP FROM c;\n", file="job.sql", flink="1.18"),
        good(_CDC + _GROUPED, file="job.sql", flink="1.15"),
        good(_CDC + "INSERT INTO r SELECT k, COUNT(*) FROM c GROUP BY k;\n", file="job.sql", flink="1.18"),
        good(
            _CDC + "INSERT INTO r SELECT k, COUNT(*), CURRENT_TIMESTAMP FROM c GROUP BY k;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            _CDC + "INSERT INTO r SELECT c.id, NOW() FROM c JOIN c AS d ON c.id = d.k;\n", file="job.sql", flink="1.18"
        ),
        good(
            _CDC + "CREATE VIEW v AS SELECT k, COUNT(*) AS n FROM c GROUP BY k;\n"
            "INSERT INTO r SELECT k, n, NOW() FROM v;\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            _CDC + "CREATE VIEW v AS SELECT k, NOW() AS t FROM c;\n"
            "INSERT INTO r SELECT t, COUNT(*) FROM v GROUP BY t;\n",
            file="job.sql",
            at="NOW",
            flink="1.18",
        ),
        bad(
            "SET 'table.optimizer.non-deterministic-update.strategy' = 'IGNORE';\n"
            + _CDC
            + "INSERT INTO r SELECT k, MAX(id + RAND_INTEGER(5)) FROM c GROUP BY k;\n",
            file="job.sql",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        good(
            "CREATE TABLE c (id INT, k INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
            "INSERT INTO r SELECT k, t, COUNT(*) FROM (SELECT k, PROCTIME() AS t FROM c) GROUP BY k, t;\n",
            file="job.sql",
            flink="1.18",
        ),
        good("SET 'execution.runtime-mode' = 'batch';\n" + _CDC + _GROUPED, file="job.sql", flink="1.18"),
        good(
            "SET 'table.optimizer.non-deterministic-update.strategy' = '${STRATEGY}';\n"
            + _CDC
            + _GROUPED
            + "SET 'table.optimizer.non-deterministic-update.strategy' = 'IGNORE';\nSELECT 1;\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            "SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';\n"
            + _CDC
            + "INSERT INTO q SELECT id, k FROM c;\n"
            + _GROUPED
            + "SET 'table.optimizer.non-deterministic-update.strategy' = 'IGNORE';\n"
            + _GROUPED,
            file="job.sql",
            flink="1.18",
            times=1,
        ),
        bad(
            "CREATE TABLE c (id INT, k INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc');\n"
            "INSERT INTO r SELECT k, t, COUNT(*) FROM (SELECT k, CURRENT_TIMESTAMP AS t FROM shop.c) "
            "GROUP BY k, t;\n",
            file="job.sql",
            flink="1.18",
            says="of shop.c",
        ),
        bad(
            "CREATE TABLE s (id INT, k INT) WITH ('connector' = 'kafka', 'topic' = 's');\n"
            "INSERT INTO r SELECT k, t, COUNT(*) FROM (SELECT k, CURRENT_TIMESTAMP AS t FROM s /*+ "
            "OPTIONS('format' = 'debezium-json') */) GROUP BY k, t;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE o (id INT, c STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)\n"
            "WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
            "CREATE TABLE rates (c STRING, rate DOUBLE, ts TIMESTAMP(3), PRIMARY KEY (c) NOT ENFORCED)\n"
            "WITH ('connector' = 'upsert-kafka', 'topic' = 'r');\n"
            "INSERT INTO r SELECT o.c, UUID(), SUM(rate) FROM o JOIN rates FOR SYSTEM_TIME AS OF o.ts ON o.c = "
            "rates.c\n"
            "GROUP BY o.c;\n",
            file="job.sql",
            flink="1.18",
        ),
    ]
