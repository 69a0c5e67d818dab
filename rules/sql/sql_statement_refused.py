"""Flink's planner refuses a statement of a SQL script.

## What it does
Reports, with `flint check --plan`, a statement that the planner of the target release refuses, with the planner's own
message and at the place that it names: a syntax error, a column that no table has, types that do not fit, a query whose
updates the sink cannot take, a join or window that Flink cannot plan.

## Why it matters
The SQL client prints `[ERROR] Could not execute SQL statement. Reason: org.apache.flink.table.api.ValidationException`
(or `TableException`, `SqlParserException`) and, with `-f`, ends; a program ends with the same exception. The job never
starts.

## What to do
Correct the statement. `flint plan FILE` shows what the planner makes of every statement of a script.

## Not when
Without `--plan`, flint runs no planner. Nothing is reported of a statement that uses what the script does not declare
(a table of a catalog, a function whose code would have to be loaded), that a template fills in, or that follows a
setting whose value is not known. Connectors whose JARs are not there are stubs of the declared schema, with the changes
that the connector and its format have; what the connector itself would refuse is not known then.

Where what runs the script is not known, and the refusal depends on the mode of execution or another option that it may
set, the finding is a warning.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/explain/>: EXPLAIN plans in the same way
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/concepts/dynamic_tables/>: the changes of a
  query and those a sink takes
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sqlclient/#execute-sql-files>: what a failed
  statement ends
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.sql._plans import plans
from flink_flint.rules.sql._queries import MODE

_OF_SETTINGS = regex(
    r"(?i)on conflict|\bchanges\b|time.attribute|unbounded table|temporal|minibatch|ascending|is not supported"
)
"""Parts of messages about what a setting of a deployment may change, such as the mode of execution."""


@rule(
    code="FLK148",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:plan"],
    flink=">=1.13",
    since="0.1",
)
def sql_statement_refused(config: View) -> Iterator[Finding]:
    """Flink's planner refuses a statement"""
    for plan in plans(config, "refused"):
        message = plan.text("message") or ""
        is_open = _OF_SETTINGS.search(message) is not None and not config.is_deployment_known
        yield plan.finding(
            f"Flink {config.release.name} refuses this {plan.text('verb')}: {message}",
            help="correct the statement; `flint plan` shows what the planner makes of the others",
            severity=Severity.WARNING if is_open and not config.get(MODE).is_set else None,
        )


_TABLES = (
    "CREATE TABLE orders (id BIGINT, k STRING) WITH ('connector' = 'kafka', 'format' = 'json');\n"
    "CREATE TABLE log (k STRING, n BIGINT) WITH ('connector' = 'kafka', 'format' = 'json');\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _TABLES + "INSERT INTO log SELECT key, id FROM orders;\n",
            planned={
                3: {"refused": "From line 1, column 24 to line 1, column 26: Column 'key' not found in any table"}
            },
            file="job.sql",
            at="key",
            flink="1.20",
            severity=Severity.ERROR,
            says="Flink 1.20 refuses this INSERT: Column 'key' not found in any table",
        ),
        bad(
            _TABLES + "INSERT INTO log SELECT k, COUNT(*) FROM orders GROUP BY k;\n",
            file="job.sql",
            planned={
                3: {
                    "refused": "Table sink 'default_catalog.default_database.log' doesn't support consuming update"
                    " changes which is produced by node GroupAggregate(groupBy=[k], select=[k, COUNT(*) AS EXPR$1])"
                }
            },
            at="INSERT",
            flink="1.20",
            severity=Severity.WARNING,
            says="doesn't support consuming update changes",
        ),
        good(
            _TABLES + "INSERT INTO log SELECT k, id FROM orders;\n",
            file="job.sql",
            flink="1.20",
        ),
        good(
            _TABLES + "INSERT INTO log SELECT k, id FROM shop.orders;\n",
            planned={3: {"refused": "From line 1, column 35 to line 1, column 45: Object 'shop' not found"}},
            file="job.sql",
            flink="1.20",
        ),
    ]
