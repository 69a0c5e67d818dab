"""Checkpoints are set up, but nothing takes them.

## What it does
Looks for settings that only matter to jobs with checkpoints (a directory, a pause, a retention, ...) in a
configuration without `execution.checkpointing.interval`, which is what switches checkpoints on. It is advice, of low
confidence: a program may call `enableCheckpointing`, or a script set the interval.

## Why it matters
A job that sets no interval of its own then runs without any checkpoint, and nothing says so. It has no restart
strategy either unless one is set (Flink picks one only for jobs with checkpoints): the first lost TaskManager ends it,
its state is gone and it begins anew wherever its sources begin. Sinks that commit with a checkpoint (files, Kafka
with transactions, Iceberg) never show a record.

## What to do
Set `execution.checkpointing.interval: 60s` here; a program that enables checkpoints itself overrules it.

## Not when
Jobs run as batches (`execution.runtime-mode: BATCH`); the operator brings an interval (`upgradeMode: last-state`, or
`kubernetes.operator.periodic.checkpoint.interval`); the file is a mere part of a configuration; a container runs
nothing but TaskManagers.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>:
  checkpoints are off unless an interval is set
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>:
  without checkpoints there is no restart strategy
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/filesystem/>:
  files stay in progress without checkpoints
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import DIRECTORY, INTERVAL, PAUSE, is_managed, is_streaming

_OF_CHECKPOINTS = (
    DIRECTORY,
    PAUSE,
    "execution.checkpointing.mode",
    "execution.checkpointing.timeout",
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "execution.checkpointing.unaligned.enabled",
    "execution.checkpointing.num-retained",
)
_BY_THE_OPERATOR = "kubernetes.operator.periodic.checkpoint.interval"


@rule(
    code="FLK301",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=_OF_CHECKPOINTS,
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def streaming_without_checkpointing(config: View) -> Iterator[Finding]:
    """checkpoints are set up, but nothing switches them on"""
    if (
        config.is_set(INTERVAL)
        or config.is_set_above(INTERVAL)
        or not config.document.whole
        or is_managed(config)
        or not is_streaming(config)
    ):
        return
    if _BY_THE_OPERATOR in config.effective:
        return
    settings = [config.written(key) for key, entry in config.effective.items() if not entry.layer]
    setting = next((found for key in _OF_CHECKPOINTS for found in settings if found.key == key), None)
    if setting is None:
        return
    what = "a directory for checkpoints" if setting.key == DIRECTORY else setting.written
    restarts = "" if config.is_set("restart-strategy.type") else ", and has no restart strategy either"
    yield setting.finding(
        f"{what} is set, but no {INTERVAL}: a job whose program enables no checkpoints itself takes none{restarts}",
        help=f"set {INTERVAL}: 60s; a program that sets its own overrules it",
        at="key",
    )


_DIRECTORY = "execution.checkpointing.dir: s3://bucket/checkpoints\n"
_SERVICE = (
    "services:\n  flink:\n    image: flink:1.17.2\n    command: {}\n    environment:\n      FLINK_PROPERTIES: |\n"
    "        state.checkpoints.dir: s3://bucket/checkpoints\n"
)
_DEPLOYMENT = (
    "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n"
    "  flinkVersion: v1_20\n  flinkConfiguration:\n    state.checkpoints.dir: s3://bucket/checkpoints\n"
    "  job:\n    jarURI: local:///app.jar\n    upgradeMode: {}\n"
)


def cases() -> list[Case]:
    return [
        bad(_DIRECTORY, at=DIRECTORY, severity=Severity.INFO, says="restart strategy"),
        bad("state.checkpoints.dir: hdfs:///checkpoints\nrest.port: 8081\n", at=DIRECTORY, flink="1.14"),
        bad(f"{PAUSE}: 10s\n", at=PAUSE),
        bad(_DEPLOYMENT.format("savepoint"), file="deployment.yaml", at="state.checkpoints.dir"),
        bad(_SERVICE.format("jobmanager"), file="compose.yaml", at="state.checkpoints.dir"),
        good(_SERVICE.format("taskmanager"), file="compose.yaml"),
        good(f"{_DIRECTORY}{INTERVAL}: 60s\n"),
        good(f"{_DIRECTORY}kubernetes.operator.periodic.checkpoint.interval: 1h\n"),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  flinkVersion: v1_20\n"
            "  flinkConfiguration:\n"
            "    s3.endpoint: s3://bucket/checkpoints\n"
            "  job:\n"
            "    jarURI: local:///app.jar\n"
            "    upgradeMode: stateless\n",
            file="deployment.yaml",
        ),
        good(f"{_DIRECTORY}execution.runtime-mode: BATCH\n"),
        good(_DEPLOYMENT.format("last-state"), file="deployment.yaml"),
        good(f"{_DIRECTORY}{INTERVAL}: '{{{{ interval }}}}'\n"),
        good("state.savepoints.dir: s3://bucket/savepoints\n", flink="1.18"),
        good("app:\n  flinkConfiguration:\n    state.checkpoints.dir: s3://bucket/c\n", file="values-prod.yaml"),
    ]
