"""Kafka's consumer commits offsets by itself in a Beam pipeline with checkpoints.

## What it does
Looks at Beam pipelines on Flink with `checkpointing_interval`, whose `ReadFromKafka` has `enable.auto.commit` `true`
in its consumer's configuration.

## Why it matters
Records are lost after a failure. The consumer commits what it has fetched every five seconds, whether or not the
pipeline has processed it. A job that starts anew, or whose checkpoints all timed out, begins at these offsets and skips
what was under way.

## What to do
Set `enable.auto.commit` to `false` (or leave it out) and `commit_offset_in_finalize=True`: offsets are then committed
once a checkpoint that covers them is complete. In Java, `commitOffsetsInFinalize()`.

## Not when
The pipeline has no checkpoints, or the option is not `true`.

## Sources
- <https://beam.apache.org/releases/pydoc/current/apache_beam.io.kafka.html>: `commit_offset_in_finalize`
- <https://github.com/apache/beam/issues/21742>: data loss with automatic commits
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._beam import pipeline, pipelines

_COMMIT = "properties.enable.auto.commit"


@rule(
    code="FLK480",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:beam-transform"],
    flink=">=1.0",
    since="0.1",
)
def beam_kafka_commits_itself(config: View) -> Iterator[Finding]:
    """Kafka's consumer commits offsets by itself in a Beam pipeline with checkpoints"""
    if not any(one.has("checkpointing_interval") for one in pipelines(config)):
        return
    for read in config.elements("beam-transform"):
        if (read.text(_COMMIT) or "").lower() == "true":
            yield read.finding(
                "the consumer commits what it has fetched, processed or not: after a failure records that no checkpoint"
                " has are skipped",
                of=_COMMIT,
                help="set enable.auto.commit to false, and commit_offset_in_finalize=True",
            )


_MASTER = "runner='FlinkRunner', flink_master='flink:8081', streaming=True"
_READ = "ReadFromKafka(consumer_config={'bootstrap.servers': 'k:9092', 'enable.auto.commit': %s}, topics=['a']%s)"


def cases() -> list[Case]:
    checked = f"{_MASTER}, checkpointing_interval=60000"
    return [
        bad(
            pipeline(checked, _READ % ("'true'", "")), file="pipeline.py", at="'true'", severity=Severity.WARNING,
            says="commits what it has fetched, processed or not",
        ),
        bad(pipeline(checked, _READ % ("True", ", commit_offset_in_finalize=True")), file="pipeline.py"),
        good(pipeline(checked, _READ % ("'false'", ", commit_offset_in_finalize=True")), file="pipeline.py"),
        good(pipeline(_MASTER, _READ % ("'true'", "")), file="pipeline.py"),
        good(pipeline(checked, "ReadFromKafka(consumer_config={'group.id': 'a'}, topics=['a'])"), file="pipeline.py"),
    ]  # fmt: skip
