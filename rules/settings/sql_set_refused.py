"""A SET statement is written in a way that Flink's SQL does not read.

## What it does
Looks at the SET statements of SQL scripts, from Flink 1.13 on, and reports

- a value without quotes behind a key in quotes: `SET 'state.backend.type' = rocksdb`;
- a value with blanks and without quotes: `SET execution.checkpointing.interval = 1 min`.

## Why it matters
Flink 1.13 brought `SET 'key' = 'value'`. The old form, `SET key = value`, is still understood where neither has a
quote or a blank in it, and a value in quotes goes with either. Anything else is no statement: "SQL parse failed", and
the script ends there.

## What to do
Put key and value into single quotes.

## Not when
Scripts for 1.12 and before, whose client takes what stands behind the equals sign. A template fills in the value.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/set/>: the statement
- <https://github.com/apache/flink/blob/release-1.20/flink-table/flink-table-planner/src/main/java/org/apache/flink/table/planner/parse/SetOperationParseStrategy.java>:
  what is left of the old form
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment


@rule(
    code="FLK038",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["map"],
    flink=">=1.13",
    since="0.1",
)
def sql_set_refused(config: View) -> Iterator[Finding]:
    """a SET statement is written in a way that Flink's SQL does not read"""
    if config.document.kind != "sql":
        return
    for entry in config.document.effective.values():
        if entry.style != "plain":
            continue
        key_is_quoted = entry.key_span.end - entry.key_span.start > len(entry.key)
        if not key_is_quoted and len(entry.text.split()) < 2:
            continue
        setting = config.written(entry.key)
        if not setting.is_known:
            continue
        quoted = entry.text.replace("'", "''")
        wrong = "the key has quotes and the value none" if key_is_quoted else "a value with blanks needs quotes"
        yield setting.finding(
            f"{wrong}: Flink does not parse the statement, and the script ends here",
            help=f"write SET '{entry.key}' = '{quoted}';",
        )


def cases() -> list[Case]:
    return [
        bad("SET 'state.backend.type' = rocksdb;\nINSERT INTO a SELECT * FROM b;\n", file="job.sql", flink="1.18",
            at="rocksdb", severity=Severity.ERROR, says="the key has quotes"),
        bad("SET execution.checkpointing.interval = 1 min;\n", file="job.sql", flink="1.13", at="1 min",
            says="a value with blanks"),
        good("SET 'execution.checkpointing.interval' = '1 min';\n", file="job.sql", flink="1.18"),
        good("SET execution.checkpointing.interval = '1 min';\n", file="job.sql", flink="1.18"),
        good("SET state.backend.type = rocksdb;\nSET parallelism.default=4;\n", file="job.sql", flink="2.0"),
        good("SET execution.checkpointing.interval = 1 min;\n", file="job.sql", flink="1.12"),
        good("SET execution.checkpointing.interval = ${EVERY} min;\n", file="job.sql", flink="1.18"),
        bad("SET 'a.b' = 'c';\nSET c.d = e;\nSET e.f = ${G} h;\nSET execution.checkpointing.interval = 1 min;\n",
            file="job.sql", flink="1.18", at="1 min"),
        good(deployment("execution.checkpointing.interval: 1 min"), file="deployment.yaml"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL", "SET 'state.backend.type' = rocksdb;\n", good="SET state.backend.type = rocksdb;\n", releases=">=2.3"
        ),
        flink_refuses(
            "SQL", "SET execution.checkpointing.interval = 1 min;\n",
            good="SET execution.checkpointing.interval = '1 min';\n", releases=">=2.3",
        ),
    ]  # fmt: skip
