"""A generator is asked for more bytes than a network carries.

## What it does
Multiplies, for the datagen tables of a SQL script, `rows-per-second` (10,000 by default) by the lengths of the
generated texts (`fields.<name>.length`, 100 by default), and reports more than 1.25 GB a second, which is what a
network of 10 Gbit/s carries.

## Why it matters
The rate is never reached. The test then measures the generator: it uses all of a core, buffers are always full,
checkpoints wait behind them, and what was to be tested behind it idles.

## What to do
Shorter texts, fewer rows, or a bound with `number-of-rows`.

## Not when
The table is read by a query on the same TaskManager only, with no exchange between: the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/datagen/#connector-options>: the options
  and their defaults
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import number, tables

_RATE = "with.rows-per-second"
_TEXTS = ("STRING", "VARCHAR", "CHAR", "BYTES", "VARBINARY", "BINARY")


@rule(
    code="FLK863",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:table"],
    flink=">=1.11",
    since="0.1",
    thresholds={"bytes": Threshold(1.25e9, "bytes a second that a network carries, here one of 10 Gbit")},
)
def datagen_faster_than_network(config: View) -> Iterator[Finding]:
    """a generator is asked for more bytes than a network carries"""
    for table in tables(config, "datagen"):
        rate = number(table.text(_RATE)) if table.has(_RATE) else 10_000
        lengths = []
        for column in table.items("columns"):
            name, kind = column.text("name"), (column.text("type") or "").split("(")[0]
            if kind in _TEXTS and table.text(f"with.fields.{name}.kind") != "sequence":
                of = f"with.fields.{name}.length"
                lengths.append(number(table.text(of)) if table.has(of) else 100)
        if rate is None or None in lengths:
            continue
        row = sum(length for length in lengths if length is not None)
        if rate * row > config.threshold("bytes"):
            yield table.finding(
                f"{rate:,} rows of {row:,} bytes of text a second are {rate * row / 1e9:,.1f} GB: what is measured is"
                f" the generator of {table.name}",
                of=_RATE if table.has(_RATE) else "connector",
                help="shorten the texts (fields.<name>.length), or lower rows-per-second",
            )


_TABLE = "CREATE TABLE g (id INT, a STRING, b VARCHAR(9)) WITH ('connector' = 'datagen'%s);\n"


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ", 'rows-per-second' = '500000', 'fields.a.length' = '100000', 'fields.b.length' = '100000'",
            file="job.sql",
            at="'500000'",
            flink="1.18",
            severity=Severity.INFO,
            says="500,000 rows of 200,000 bytes of text a second are 100.0 GB",
        ),
        bad(_TABLE % ", 'fields.a.length' = '200000'", file="job.sql", at="'datagen'", flink="1.15"),
        good(_TABLE % ", 'rows-per-second' = '500000'", file="job.sql", flink="1.18"),
        good(_TABLE % ", 'rows-per-second' = '10', 'fields.a.length' = '100000'", file="job.sql", flink="1.18"),
        good(_TABLE % ", 'rows-per-second' = '${RATE}', 'fields.a.length' = '1000000'", file="job.sql", flink="1.18"),
        good(
            "CREATE TABLE g (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5000000');\n",
            file="job.sql",
            flink="1.18",
        ),
        bad(
            "CREATE TABLE g (id INT, a STRING, b VARCHAR(9)) WITH ('connector' = 'datagen', "
            "'rows-per-second' = '${RATE}', 'fields.a.length' = '1000000');\n"
            "CREATE TABLE h (id INT, a STRING, b VARCHAR(9)) WITH ('connector' = 'datagen', "
            "'rows-per-second' = '10000000', 'fields.a.length' = '118', 'fields.b.length' = '8');\n",
            file="job.sql",
            at="'10000000'",
            flink="1.11",
        ),
        good(
            _TABLE % ", 'rows-per-second' = '10000000', 'fields.a.length' = '117', 'fields.b.length' = '8'",
            file="job.sql",
            flink="1.18",
        ),
        good(_TABLE % ", 'rows-per-second' = '500000', 'fields.a.length' = '${LENGTH}'", file="job.sql", flink="1.18"),
        good(_TABLE % ", 'rows-per-second' = '10000000', 'fields.a.kind' = 'sequence'", file="job.sql", flink="1.18"),
        good(_TABLE % ", 'fields.a.length' = '124900'", file="job.sql", flink="1.18"),
        good(_TABLE % ", 'fields.a.length' = '200000'", file="job.sql", flink="1.10"),
    ]
