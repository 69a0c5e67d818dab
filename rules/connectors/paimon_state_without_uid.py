"""State of Paimon's source and sink cannot be found in a savepoint once the statement changes.

## What it does
Looks for INSERTs into Paimon tables, in a script that starts from a savepoint or checkpoint
(`execution.savepoint.path`, `execution.state-recovery.path`), without `sink.operator-uid.suffix`.

## Why it matters
The start fails: `Cannot map checkpoint/savepoint state for operator ... to the new program, because the operator is
not available in the new program`. Paimon's writer, committer and source keep state, and Flink makes their ids of the
shape of the whole statement: another branch of a UNION ALL, another column or target gives them other ids.

## What to do
Give source and sink ids that stay: `INSERT INTO t /*+ OPTIONS('sink.operator-uid.suffix' = 'a') */ SELECT ... FROM s
/*+ OPTIONS('source.operator-uid.suffix' = 'b') */`, from the first start on, one suffix for each use in a job.

## Not when
The suffix is set in the hint or on the table, or the script starts from nothing.

## Sources
- <https://github.com/apache/paimon/issues/4424>: the state that is not found, and the suffixes
- <https://paimon.apache.org/docs/master/flink/savepoint/>: savepoints of jobs with Paimon
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._queries import is_streaming, queries, target

_SUFFIX = "sink.operator-uid.suffix"
_STARTS = ("execution.state-recovery.path", "execution.savepoint.path")


@rule(
    code="FLK573",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:query"],
    flink=">=1.15",
    since="0.1",
)
def paimon_state_without_uid(config: View) -> Iterator[Finding]:
    """state of Paimon's sink is not found in a savepoint once the statement changes"""
    start = next((config.effective[key] for key in _STARTS if key in config.effective), None)
    if start is None or not start.text.strip():
        return
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.store != "paimon" or sink.has(_SUFFIX) or not is_streaming(config, query):
            continue
        yield query.finding(
            f"the script starts from a savepoint, and the writer of {sink.name} has an id made of the whole"
            " statement: once that"
            " changes its state cannot be mapped",
            of="targets[0].name",
            key=_SUFFIX,
            help=f"add /*+ OPTIONS('{_SUFFIX}' = '…') */ to {sink.name}, and source.operator-uid.suffix to sources",
        )


_CATALOG = "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake/');\nUSE CATALOG lake;\n"
_START = "SET 'execution.savepoint.path' = 's3://state/savepoint-1a2b3c';\n"
_INSERT = "INSERT INTO a%s SELECT n FROM b UNION ALL SELECT n FROM c;\n"


def cases() -> list[Case]:
    hint = f" /*+ OPTIONS('{_SUFFIX}' = 'a') */"
    return [
        bad(_START + _CATALOG + _INSERT % "", file="job.sql", at="a", flink="1.17", severity=Severity.WARNING,
            says="the writer of a has an id made of the whole statement"),
        bad("SET 'execution.state-recovery.path' = 's3://state/1';\n"
            + _CATALOG + _INSERT % "", file="job.sql", flink="2.0"),
        good(_START + _CATALOG + _INSERT % hint, file="job.sql", flink="1.17"),
        good(_CATALOG + _INSERT % "", file="job.sql", flink="1.17"),
        good(_START + _INSERT % "", file="job.sql", flink="1.17"),
        good("SET 'execution.runtime-mode' = 'batch';\n"
             + _START + _CATALOG + _INSERT % "", file="job.sql", flink="1.17"),
    ]  # fmt: skip
