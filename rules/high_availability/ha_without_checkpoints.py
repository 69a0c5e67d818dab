"""High availability starts a job anew, and nothing of its work is there to go on from.

## What it does
Reports, as advice of low confidence, a FlinkDeployment of a job with `high-availability.type` on, in which nothing is
said of checkpoints: no `execution.checkpointing.interval`, and no other option of theirs.

## Why it matters
High availability keeps the job and the pointer to its last checkpoint. A JobManager that takes over a job without
checkpoints starts it from nothing: state is empty, and sources begin wherever they begin when they are new. Results
are written a second time, or records in between are left out, and the job looks healthy.

## What to do
Set `execution.checkpointing.interval: 60s`, and a directory for checkpoints.

## Not when
The program switches checkpoints on (`enableCheckpointing`), or the job is stateless and may begin anew. Jobs that run
as batches. Where other options of checkpoints are set `streaming-without-checkpointing` tells it; with `last-state` or
`kubernetes.operator.periodic.checkpoint.interval` the operator brings the interval.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what high availability keeps
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>: off unless
  an interval is set
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, is_streaming
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import resources

_HA = "high-availability.type"
_CHECKPOINTS = "execution.checkpointing."
_BY_THE_OPERATOR = "kubernetes.operator.periodic.checkpoint.interval"


@rule(
    code="FLK423",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    reads=[_HA],
    only=["element:kubernetes-object/FlinkDeployment"],
    flink=">=1.10",
    since="0.1",
)
def ha_without_checkpoints(config: View) -> Iterator[Finding]:
    """high availability starts a job anew without any checkpoint to go on from"""
    if mode(config) in (NONE, UNKNOWN) or not config.document.whole or not is_streaming(config):
        return
    if not any(resource.is_application for resource in resources(config, "FlinkDeployment")):
        return
    if config.is_set(INTERVAL) or config.is_set_above(INTERVAL) or _BY_THE_OPERATOR in config.effective:
        return
    if any(setting.key.startswith(_CHECKPOINTS) for setting in _written(config)):
        return
    yield config.get(_HA).finding(
        f"high availability is on, but no {INTERVAL}: unless the program enables checkpoints itself, a JobManager that"
        " takes over starts the job from nothing",
        help=f"set {INTERVAL}: 60s; a program that sets its own overrules it",
    )


def _written(config: View) -> Iterator[Setting]:
    """What stands in the resource itself, and not what a typed field of it sets."""
    return (setting for setting in config.entries() if setting.entry is not None and not setting.entry.layer)


_ON = "high-availability.type: kubernetes\nhigh-availability.storageDir: s3://bucket/ha\n"


def cases() -> list[Case]:
    return [
        bad(deployment(_ON), file="deployment.yaml", at=_HA, severity=Severity.INFO, says="from nothing"),
        bad(deployment(_ON, job="upgradeMode: savepoint"), file="deployment.yaml", at="kubernetes"),
        good(deployment(f"{_ON}{INTERVAL}: 60s"), file="deployment.yaml"),
        good(deployment(f"{_ON}{INTERVAL}: ${{INTERVAL}}"), file="deployment.yaml"),
        good(deployment(f"{_ON}state.checkpoints.dir: s3://bucket/c"), file="deployment.yaml"),
        good(deployment(f"{_ON}{_BY_THE_OPERATOR}: 1h"), file="deployment.yaml"),
        good(deployment(_ON, job="upgradeMode: last-state"), file="deployment.yaml"),
        good(deployment(f"{_ON}execution.runtime-mode: BATCH"), file="deployment.yaml"),
        good(deployment(_ON, job="-"), file="deployment.yaml"),
        good(deployment("high-availability.type: NONE\nrest.port: 8081"), file="deployment.yaml"),
        good(_ON),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkConfiguration:\n    high-availability.type: kubernetes\n  job:\n    parallelism: 2\n",
            file="patch.yaml",
        ),
    ]  # fmt: skip
