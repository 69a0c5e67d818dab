"""The upgrade mode needs a directory that is not set.

## What it does
Looks at an application cluster of the operator. With `upgradeMode: savepoint` or `last-state` it wants a directory for
checkpoints; with `savepoint`, with periodic savepoints (`kubernetes.operator.periodic.savepoint.interval`), with a
`savepointTriggerNonce` and with `kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age` also one for
savepoints.

## Why it matters
The operator refuses such a resource: `Checkpoint directory[...] must be defined for last-state and savepoint upgrade
modes`, `Job could not be upgraded with savepoint while config key[...] is not set`. Nothing is deployed, or, where the
job runs already, no change of it is carried out.

## What to do
Set `execution.checkpointing.dir` and `execution.checkpointing.savepoint-dir` (before 1.20 `state.checkpoints.dir` and
`state.savepoints.dir`) to a place that all nodes share.

## Not when
- The operator's own configuration sets the directory for all: flint cannot see it, hence no certainty.
- `upgradeMode: stateless`, and a session cluster.
- The image or the JAR is blank, as in the defaults of a chart: who deploys it gives them, and more.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  what it demands
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  the upgrade modes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, entry_of, resources
from flink_flint.rules.kubernetes._validation import is_refused

PERIODIC = "kubernetes.operator.periodic.savepoint.interval"
OLDEST = "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age"


@rule(
    code="FLK704",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def upgrade_mode_without_directory(config: View) -> Iterator[Finding]:
    """the operator refuses the upgrade mode without a directory"""
    for resource in resources(config, *CLUSTERS):
        if not resource.is_whole or not resource.is_application:
            continue
        mode = resource.upgrade_mode
        if mode in ("savepoint", "last-state") and _lacks(
            config, resource, "execution.checkpointing.dir", "checkpoint"
        ):
            yield resource.part.finding(
                f"the operator refuses upgradeMode {mode} without a directory for checkpoints",
                of=resource.path("job.upgradeMode"),
                help=f"set {_name(config, 'execution.checkpointing.dir', 'state.checkpoints.dir')} to a place all nodes"
                " share",
            )
        if _lacks(config, resource, "execution.checkpointing.savepoint-dir", "savepoint"):
            yield from _savepoints(config, resource, mode)


def _lacks(config: View, resource: Resource, key: str, what: str) -> bool:
    """Return whether a directory is missing, to the operators in question or, where they are not known, to Flink."""
    is_set = config.is_set(key)  # asked in any case: the finding depends on the files that could set it
    refuses = is_refused(config, resource, f"{what} directory")
    return not is_set if refuses is None else refuses


def _savepoints(config: View, resource: Resource, mode: str | None) -> Iterator[Finding]:
    """What needs a directory for savepoints: the operator names the first of these."""
    name = _name(config, "execution.checkpointing.savepoint-dir", "state.savepoints.dir")
    remedy = f"set {name} to a place all nodes share"
    nonce = resource.path("job.savepointTriggerNonce")
    if mode == "savepoint":
        yield resource.part.finding(
            "the operator refuses upgradeMode savepoint without a directory for savepoints",
            of=resource.path("job.upgradeMode"),
            help=remedy,
        )
    elif resource.part.has(nonce):
        yield resource.part.finding(
            "the operator refuses to take the savepoint that savepointTriggerNonce asks for without a directory for"
            " savepoints",
            of=nonce,
            help=remedy,
        )
    else:
        for key, what in ((PERIODIC, "periodic savepoints"), (OLDEST, "a greatest age of the checkpoint")):
            entry = entry_of(config, key)
            if entry is not None:
                yield config.finding(
                    f"the operator refuses {what} without a directory for savepoints",
                    span=entry.key_span,
                    key=key,
                    help=remedy,
                )
                return


def _name(config: View, new: str, old: str) -> str:
    return new if config.since("1.20") else old


_CHECKPOINTS = "state.checkpoints.dir: s3://flink/checkpoints"
_BOTH = f"{_CHECKPOINTS}\nstate.savepoints.dir: s3://flink/savepoints"


def cases() -> list[Case]:
    return [
        bad(deployment(job="upgradeMode: last-state"), file="deployment.yaml", flink="1.8", at="last-state",
            says="for checkpoints"),
        bad(deployment(_CHECKPOINTS, job="upgradeMode: savepoint"), file="deployment.yaml", says="for savepoints"),
        bad(deployment(job="upgradeMode: savepoint"), file="deployment.yaml", times=2),
        bad(deployment(f"{_CHECKPOINTS}\n{PERIODIC}: 6 h"), file="deployment.yaml", at=PERIODIC),
        bad(deployment(job="savepointTriggerNonce: 1"), file="deployment.yaml", says="savepointTriggerNonce"),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: savepoint", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml", says="for savepoints",
        ),
        good(deployment(_BOTH, job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(deployment(_CHECKPOINTS, job="upgradeMode: last-state"), file="deployment.yaml"),
        good(deployment(job="upgradeMode: stateless"), file="deployment.yaml"),
        good(deployment(job="upgradeMode: savepoint", image="registry.example.com/"), file="deployment.yaml"),
        good(
            deployment(job="upgradeMode: savepoint").replace("local:///opt/flink/usrlib/orders.jar", '""'),
            file="deployment.yaml",
        ),
        good(deployment("{{ include \"conf\" . }}", job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: orders\nspec:\n  job:\n"
            "    upgradeMode: savepoint\n",
            file="patch.yaml",
        ),
    ]  # fmt: skip
