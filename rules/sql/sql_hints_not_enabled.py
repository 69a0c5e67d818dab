"""A query gives options in a hint, and hints are switched off.

## What it does
Reports a hint `/*+ OPTIONS(...) */` of a SQL script while `table.dynamic-table-options.enabled` is false, which is its
default up to 1.13.

## Why it matters
Flink refuses the statement: "OPTIONS hint is allowed only when the config option
'table.dynamic-table-options.enabled' is set to true".

## What to do
`SET 'table.dynamic-table-options.enabled' = 'true';` before the query.

## Not when
The release is unknown and the script does not set the option. Up to 1.13 the cluster's configuration may switch
hints on, hence medium confidence where the script does not.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.13/docs/dev/table/config/#table-dynamic-table-options-enabled>,
  <https://nightlies.apache.org/flink/flink-docs-release-1.14/docs/dev/table/config/#table-dynamic-table-options-enabled>:
  the defaults
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import in_force, is_set, may_be_set_elsewhere

_ENABLED = "table.dynamic-table-options.enabled"


@rule(
    code="FLK919",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.11",
    since="0.1",
)
def sql_hints_not_enabled(config: View) -> Iterator[Finding]:
    """a query gives options in a hint, and hints are switched off"""
    for query in config.elements("query"):
        hinted = _hinted(query)
        if hinted is None or in_force(config, query, _ENABLED) is not False:
            continue
        explicit = is_set(config, query, _ENABLED)
        if not explicit and not config.target.certain:
            continue
        yield query.finding(
            f"{config.releases_text} refuses the hint: {_ENABLED} is false" + ("" if explicit else " by default"),
            of=hinted,
            at="key",
            help=f"SET '{_ENABLED}' = 'true' before the query",
            severity=Severity.INFO if may_be_set_elsewhere(config, query, _ENABLED) else None,
            confidence=Confidence.HIGH if explicit else None,
        )


def _hinted(query: ElementView) -> str | None:
    """An attribute that a hint with options has left."""
    for name in query.element.attributes:
        if name.startswith(("sources[", "targets[")) and "].options." in name:
            return name
    return None


_HINTED = "INSERT INTO r SELECT * FROM t /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */;\n"


def cases() -> list[Case]:
    return [
        bad(
            _HINTED,
            file="job.sql",
            at="'scan.startup.mode'",
            flink="1.13",
            severity=Severity.INFO,
            says="is false by default",
        ),
        bad(
            "SET 'table.dynamic-table-options.enabled' = 'false';\n" + _HINTED,
            file="job.sql",
            flink="1.18",
            severity=Severity.ERROR,
        ),
        good(_HINTED, file="job.sql", flink="1.14"),
        good(_HINTED, file="job.sql"),
        good("SET table.dynamic-table-options.enabled=true;\n" + _HINTED, file="job.sql", flink="1.12"),
        good(
            "INSERT INTO r SELECT /*+ BROADCAST(t) */ * FROM t JOIN u ON t.a = u.a;\nSELECT PROCTIME();\n",
            file="job.sql",
            flink="1.12",
        ),
        bad("INSERT INTO r SELECT * FROM t;\n" + _HINTED, file="job.sql", flink="1.11"),
        bad("INSERT INTO r /*+ OPTIONS('sink.parallelism' = '2') */ SELECT * FROM t;\n", file="job.sql", flink="1.13"),
        bad("SET table.dynamic-table-options.enabled=false;\n" + _HINTED, file="job.sql"),
        bad(
            "SET table.dynamic-table-options.enabled=false;\n"
            + _HINTED
            + "RESET table.dynamic-table-options.enabled;\n"
            "SELECT 1;\n",
            file="job.sql",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "SET 'table.dynamic-table-options.enabled' = 'false';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen');\n"
            "SELECT * FROM a /*+ OPTIONS('rows-per-second' = '1') */;\n",
            good="SET 'table.dynamic-table-options.enabled' = 'true';\n"
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen');\n"
            "SELECT * FROM a /*+ OPTIONS('rows-per-second' = '1') */;\n",
        ),
    ]
