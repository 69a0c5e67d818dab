"""A Beam pipeline takes no checkpoints, whatever the cluster's configuration says.

## What it does
Looks at pipelines of Apache Beam without an end that are submitted to a Flink cluster (`flink_master`) with neither
`checkpointing_interval` nor `flink_conf_dir`.

## Why it matters
Beam builds the job itself, from its pipeline options. `execution.checkpointing.interval` of the cluster's
configuration is one of the job, and does not reach it: Flink's web interface shows no checkpoints, positions are never
committed, sources such as Pub/Sub never acknowledge, and a failure starts from scratch.

## What to do
Set `checkpointing_interval` (ms) in the pipeline options, and `checkpointing_mode`, `externalized_checkpoints_enabled`
beside it. With `flink_conf_dir` Beam reads a configuration file where the pipeline is submitted.

## Not when
The pipeline ends, runs on an embedded cluster or a job server, or may have other options, from arguments.

## Sources
- <https://beam.apache.org/documentation/runners/flink/#pipeline-options-for-the-flink-runner>: `checkpointingInterval`
  is off by default; `flinkConfDir`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._beam import MORE, is_streaming, pipeline, pipelines, remote_master

_OPTIONS = ("checkpointing_interval", "flink_conf_dir", MORE)


@rule(
    code="FLK455",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:beam-pipeline"],
    flink=">=1.0",
    since="0.1",
)
def beam_without_checkpoints(config: View) -> Iterator[Finding]:
    """a Beam pipeline takes no checkpoints"""
    for one in pipelines(config):
        if any(map(one.has, _OPTIONS)) or remote_master(one) is None or not is_streaming(config, one):
            continue
        yield one.finding(
            "the job takes no checkpoints: Beam builds it of these options, without checkpointing_interval, and the"
            " cluster's execution.checkpointing.* settings do not reach it",
            help="set checkpointing_interval=60000, or flink_conf_dir to the folder of the configuration",
        )


_MASTER = "runner='FlinkRunner', flink_master='flink-jobmanager:8081'"


def cases() -> list[Case]:
    return [
        bad(
            pipeline(f"{_MASTER}, streaming=True"), file="pipeline.py", at="PipelineOptions",
            severity=Severity.WARNING, says="Beam builds it of these options",
        ),
        bad(pipeline("['--runner=FlinkRunner', '--flink_master=flink:8081', '--streaming']"), file="pipeline.py"),
        bad(pipeline(_MASTER), file="pipeline.py"),
        good(pipeline(f"{_MASTER}, streaming=True, checkpointing_interval=60000"), file="pipeline.py"),
        good(pipeline(f"{_MASTER}, streaming=True, flink_conf_dir='/opt/flink/conf'"), file="pipeline.py"),
        good(pipeline("runner='FlinkRunner', streaming=True"), file="pipeline.py"),
        good(pipeline(_MASTER, "beam.io.ReadFromText('in.txt')"), file="pipeline.py"),
        good(pipeline(f"argv, {_MASTER}, streaming=True"), file="pipeline.py"),
    ]  # fmt: skip
