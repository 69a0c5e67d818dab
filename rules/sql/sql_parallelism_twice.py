"""Two settings give the parallelism of SQL, and only one acts.

## What it does
Reports, as advice, `table.exec.resource.default-parallelism` above 0 beside a `parallelism.default` of another value.

## Why it matters
SQL operators take the first; `parallelism.default` then only counts for what has no such setting. Who changes
`parallelism.default` later sees no change in the SQL jobs.

## What to do
Delete `table.exec.resource.default-parallelism` and let `parallelism.default` count for all jobs, or delete the other
where the file is for SQL alone.

## Not when
DataStream jobs of the same cluster are meant to run with another parallelism.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-resource-default-parallelism>:
  it comes before the parallelism of the environment
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_OF_SQL = "table.exec.resource.default-parallelism"
_OF_ALL = "parallelism.default"


@rule(code="FLK915", severity=Severity.INFO, confidence=Confidence.MEDIUM, reads=[_OF_SQL], since="0.1")
def sql_parallelism_twice(config: View) -> Iterator[Finding]:
    """two settings give the parallelism of SQL, and only one acts"""
    sql, general = config.get(_OF_SQL), config.get(_OF_ALL)
    if not general.is_set:
        return
    mine, other = config.integer(_OF_SQL), config.integer(_OF_ALL)
    if mine is not None and other is not None and mine > 0 and other > 0 and mine != other:
        yield general.finding(
            f"SQL operators run with a parallelism of {mine}, by {_OF_SQL}; the {other} here does not count for them",
            help="set one of the two",
            related=[sql],
        )


def cases() -> list[Case]:
    return [
        bad(
            "SET 'parallelism.default' = '4';\nSET 'table.exec.resource.default-parallelism' = '8';\n",
            file="job.sql",
            at="'4'",
            flink="1.18",
            severity=Severity.INFO,
            says="a parallelism of 8",
        ),
        bad(
            "parallelism.default: 2\ntable.exec.resource.default-parallelism: 16\n",
            at="parallelism.default",
            flink="1.16",
        ),
        good(
            "SET 'parallelism.default' = '4';\nSET 'table.exec.resource.default-parallelism' = '-1';\n",
            file="job.sql",
            flink="1.18",
        ),
        good("parallelism.default: 8\ntable.exec.resource.default-parallelism: 8\n", flink="1.16"),
        good("table.exec.resource.default-parallelism: 8\n", flink="1.16"),
        good(
            "SET 'parallelism.default' = '${P}';\nSET 'table.exec.resource.default-parallelism' = '8';\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            "SET 'parallelism.default' = '1';\nSET 'table.exec.resource.default-parallelism' = '2';\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            "SET 'parallelism.default' = '2';\nSET 'table.exec.resource.default-parallelism' = '1';\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'parallelism.default' = '-1';\nSET 'table.exec.resource.default-parallelism' = '8';\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'parallelism.default' = '0';\nSET 'table.exec.resource.default-parallelism' = '8';\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'parallelism.default' = '4';\nSET 'table.exec.resource.default-parallelism' = '0';\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "SET 'parallelism.default' = '4';\nSET 'table.exec.resource.default-parallelism' = '${P}';\n",
            file="job.sql",
            flink="1.18",
        ),
    ]
