"""Alternatives in the name of a captured table are not bound to its database.

## What it does
Looks at the names of tables, schemas and databases of `mysql-cdc` and `postgres-cdc` in SQL for `|` outside of
parentheses.

## Why it matters
Tables of other names are read, or one of the alternatives is not read at all. The connector joins the names to one
regular expression: `school.teacher|student` means `school.teacher` or `student`, not two tables of `school`.

## What to do
Put the alternatives in parentheses: `'table-name' = '(teacher|student)'`.

## Not when
`|` stands in parentheses or brackets, or is escaped.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/>:
  how `database-name` and `table-name` are joined
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import tables

_KEYS = ("table-name", "database-name", "schema-name")


@rule(
    code="FLK582",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:table"],
    since="0.1",
)
def alternatives_without_parentheses(config: View) -> Iterator[Finding]:
    """alternatives in the name of a table are not bound to its database"""
    for table in tables(config, "mysql-cdc", "postgres-cdc"):
        for key in _KEYS:
            name = table.text(f"with.{key}") or ""
            if not _is_split(name):
                continue
            yield table.finding(
                f"names are joined to one expression, database.table, which | cuts in two: {name} misses tables, or"
                " matches those of other names",
                of=f"with.{key}",
                help=f"write '({name})'",
            )


def _is_split(name: str) -> bool:
    """Return whether an alternation stands outside of all brackets."""
    depth = 0
    previous = ""
    for letter in name:
        if previous == "\\":
            previous = ""
            continue
        depth += (letter in "([") - (letter in ")]")
        if letter == "|" and depth == 0:
            return True
        previous = letter
    return False


_TABLE = "CREATE TABLE u (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'mysql-cdc', '%s' = '%s');\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("table-name", "teacher|class_student"), file="job.sql", at="'teacher|class_student'",
            flink="1.17", severity=Severity.WARNING, says="which | cuts in two",
        ),
        bad(_TABLE % ("database-name", "a|b"), file="job.sql"),
        *(good(_TABLE % ("table-name", name), file="a.sql") for name in ("(a|b)", "a", "a[|]b", "^(a|b)_.*", "a\\|b")),
    ]  # fmt: skip
