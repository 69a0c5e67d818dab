"""Rows that do not fit are dropped or cut in silence.

## What it does
Reports `table.exec.sink.not-null-enforcer: DROP`, `table.exec.sink.type-length-enforcer: TRIM_PAD` (1.15 and later),
and tables of a SQL script with `json.ignore-parse-errors`, `csv.ignore-parse-errors` or a like option of another
format set to true.

## Why it matters
A NULL in a NOT NULL column, a text too long for its column, a record that is no JSON: each is a fault of the data that
fails the job by default. With these settings the row is gone, or is another one, and nothing counts or logs it. Of a
record that is broken in one field the JSON format keeps the others, with NULL in its place.

## What to do
Leave the defaults, and sort bad rows out where they can be seen: with TRY_CAST and a second INSERT, or by writing them
to a topic of their own before the job.

## Not when
The loss is accepted and watched by other means; then silence the rule. A table that is only written parses nothing.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-sink-not-null-enforcer>,
  <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-sink-type-length-enforcer>:
  what the values do
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/formats/json/#json-ignore-parse-errors>:
  fields and rows are skipped
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_LOSSY = {
    "table.exec.sink.not-null-enforcer": ("DROP", "a row with NULL in a NOT NULL column is dropped without a log line"),
    "table.exec.sink.type-length-enforcer": ("TRIM_PAD", "texts that are too long for their column are cut in silence"),
}
_OPTION = ".ignore-parse-errors"


@rule(
    code="FLK914",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=list(_LOSSY),
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
)
def sql_rows_dropped_silently(config: View) -> Iterator[Finding]:
    """rows that do not fit are dropped or cut in silence"""
    for key, (value, says) in _LOSSY.items():
        setting = config.get(key)
        if setting.is_set and setting.is_read and (config.string(key) or "").upper() == value:
            default = "ERROR" if value == "DROP" else "IGNORE"
            yield setting.finding(
                says,
                help=f"write {default}, or sort such rows out in the query"
                if value == "DROP"
                else f"write {default}, or cut them in the query where it is meant",
            )
    for table in tables(config):
        if config.is_only_written(table):
            continue
        for name, _ in table.under("with"):
            if name.endswith(_OPTION) and table.flag(f"with.{name}"):
                yield table.finding(
                    f"records of {table.name} that cannot be read are skipped, and nothing counts or logs them",
                    of=f"with.{name}",
                    help="write false, and sort broken records out where they can be seen",
                    severity=Severity.INFO,
                )


def claims() -> list[Claim]:
    both = (
        "CREATE TABLE s (v VARCHAR(2)) WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', 'fields.v.start' ="
        " '100000', 'fields.v.end' = '100000');\n"
        "CREATE TABLE d (v VARCHAR(2)) WITH ('connector' = 'filesystem', 'path' = 'file:///output', 'format' = 'csv');"
        "\nINSERT INTO d SELECT v FROM s;\n"
    )
    enforcer = "SET 'table.exec.sink.type-length-enforcer' = '%s';\n"
    return [
        flink_uses("SQL run", enforcer % "TRIM_PAD" + both, ":10]", good=enforcer % "IGNORE" + both, releases=">=1.17"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            "table.exec.sink.not-null-enforcer: drop\n",
            at="drop",
            flink="1.18",
            severity=Severity.WARNING,
            says="is dropped without a log line",
        ),
        bad(
            "SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';\n", file="job.sql", at="'TRIM_PAD'", flink="1.18"
        ),
        bad(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'value.format' = 'json',\n"
            "  'value.json.ignore-parse-errors' = 'true');\n",
            file="job.sql",
            at="'true'",
            flink="1.18",
            severity=Severity.INFO,
            says="records of s that cannot be read are skipped",
        ),
        good("table.exec.sink.not-null-enforcer: ERROR\n", flink="1.18"),
        good("SET 'table.exec.sink.type-length-enforcer' = 'IGNORE';\n", file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'format' = 'json',\n"
            "  'json.ignore-parse-errors' = 'false');\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'format' = 'csv',\n"
            "  'csv.ignore-parse-errors' = '${SKIP}');\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'format' = 'json',\n"
            "  'json.fail-on-missing-field' = 'true');\n",
            file="job.sql",
            flink="1.18",
        ),
        good("table.exec.sink.not-null-enforcer: ${ENFORCER}\n", flink="1.18"),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'format' = 'json',\n"
            "  'json.ignore-parse-errors' = 'true');\n"
            "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen');\n"
            "INSERT INTO s SELECT id FROM numbers;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE s (id INT) WITH ('connector' = 'kafka', 'format' = 'json',\n"
            "  'json.ignore-parse-errors' = 'true');\n",
            file="job.sql",
            flink="1.10",
        ),
    ]
