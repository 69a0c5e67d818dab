"""Checkpoints are set so that a sink of Paimon or Hudi refuses them, or gets into its own way.

## What it does
Looks for streaming INSERTs into tables of Paimon and Hudi. Reports Paimon with `execution.checkpointing.unaligned`
or `execution.checkpointing.mode` at least once, which it refuses, and
`execution.checkpointing.max-concurrent-checkpoints` above 1 with both.

## Why it matters
The INSERT ends with `java.lang.IllegalArgumentException: Paimon sink currently does not support unaligned checkpoints.
Please set execution.checkpointing.unaligned.enabled to false`, or `Paimon sink currently only supports EXACTLY_ONCE
checkpoint mode`. With several checkpoints at a time, writers go on before the commit of the last one is done: a
compaction takes files that another one takes as well, and the commit fails (`File deletion conflicts detected! Give up
committing`), or Hudi has two instants open and rolls one back.

## What to do
Set `execution.checkpointing.unaligned.enabled: false`, `execution.checkpointing.mode: EXACTLY_ONCE` and
`execution.checkpointing.max-concurrent-checkpoints: 1`. Where backpressure delays barriers, give the sink more
parallelism or a longer interval.

## Not when
The job runs as a batch, or the setting is not known.

## Sources
- <https://github.com/apache/paimon/blob/master/paimon-flink/paimon-flink-common/src/main/java/org/apache/paimon/flink/sink/FlinkSink.java>:
  `assertStreamingConfiguration`
- INSERTs with paimon-flink-1.20 1.2.0 on Flink 1.20.5, with each of the two settings and without
- <https://paimon.apache.org/docs/master/concepts/concurrency-control/>: conflicts of files
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import in_force, is_streaming, queries, target

_UNALIGNED, _MODE = "execution.checkpointing.unaligned.enabled", "execution.checkpointing.mode"
_CONCURRENT = "execution.checkpointing.max-concurrent-checkpoints"
_STORES = {"paimon": "Paimon", "hudi": "Hudi"}


@rule(
    code="FLK592",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:query"],
    flink=">=1.14",
    since="0.1",
)
def lake_checkpoints_unfit(config: View) -> Iterator[Finding]:
    """checkpoints are set so that a sink of Paimon or Hudi fails"""
    told = set()
    for query in queries(config):
        sink = target(config, query)
        if sink is None or sink.store not in _STORES or not is_streaming(config, query):
            continue
        for key, why, value, severity in _judge(config, query, sink.store):
            setting = config.get(key)
            if key not in told:
                told.add(key)
                help_text = f"set {key}: {value}"
                related = [query.place("targets[0].name", f"writes {sink.name}")]
                if setting.is_set:
                    yield setting.finding(why, help=help_text, severity=severity, related=related)
                else:
                    yield query.finding(why, of="targets[0].name", key=key, help=help_text, severity=severity)


def _judge(config: View, query: ElementView, store: str) -> Iterator[tuple[str, str, str, Severity | None]]:
    if store == "paimon":
        if in_force(config, query, _UNALIGNED) is True:
            yield _UNALIGNED, "Paimon's sink does not support unaligned checkpoints, and refuses the job", "false", None
        if str(in_force(config, query, _MODE)).upper().endswith("AT_LEAST_ONCE"):
            yield _MODE, "Paimon's sink takes exactly-once checkpoints only, and refuses the job", "EXACTLY_ONCE", None
    number = in_force(config, query, _CONCURRENT)
    if isinstance(number, int) and number > 1:
        yield (
            _CONCURRENT,
            (
                f"{number} checkpoints at a time let {_STORES[store]} write on before it has committed the last:"
                " commits conflict, and the job restarts"
            ),
            "1",
            Severity.WARNING,
        )


_SET = "SET '%s' = '%s';\n"
_PAIMON = (
    "CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = 's3://lake');\n"
    "CREATE TABLE lake.db.t (id INT PRIMARY KEY NOT ENFORCED);\nINSERT INTO lake.db.t SELECT id FROM s;\n"
)
_HUDI = "CREATE TABLE h (id INT) WITH ('connector' = 'hudi', 'path' = 's3://h');\nINSERT INTO h SELECT id FROM s;\n"


def cases() -> list[Case]:
    return [
        bad(_SET % (_UNALIGNED, "true") + _PAIMON, file="job.sql", at="'true'", flink="1.20", severity=Severity.ERROR,
            says="does not support unaligned"),
        bad(_SET % (_MODE, "AT_LEAST_ONCE") + _PAIMON, file="job.sql", flink="1.20", severity=Severity.ERROR),
        bad(_SET % (_CONCURRENT, "3") + _PAIMON, file="job.sql", at="'3'", flink="1.20", severity=Severity.WARNING,
            says="3 checkpoints at a time"),
        bad(_SET % (_CONCURRENT, "2") + _HUDI, file="job.sql", flink="1.17", severity=Severity.WARNING),
        good(_SET % (_UNALIGNED, "true") + _HUDI, file="job.sql", flink="1.17"),
        good(_SET % (_UNALIGNED, "false") + _SET % (_MODE, "EXACTLY_ONCE") + _PAIMON, file="job.sql", flink="1.20"),
        good(_SET % (_CONCURRENT, "1") + _PAIMON, file="job.sql", flink="1.20"),
        good(_SET % ("execution.runtime-mode", "batch") + _SET % (_CONCURRENT, "3") + _PAIMON, file="job.sql",
             flink="1.20"),
        good(_SET % (_CONCURRENT, "${N}") + _PAIMON, file="job.sql", flink="1.20"),
        good(_SET % (_CONCURRENT, "3") + _HUDI.replace("'hudi'", "'iceberg'"), file="job.sql", flink="1.17"),
    ]  # fmt: skip
