"""The upgrade mode last-state has nothing to rely on.

## What it does
Reports `upgradeMode: last-state` on a deployment whose high availability is off, or whose checkpoints are switched off
by hand. Where both are there it says, as a hint, that nothing bounds the age of the checkpoint an upgrade goes back
to.

## Why it matters
`last-state` finds the latest checkpoint in the metadata of high availability. Operators before 1.10 refuse the mode
without it (`Job could not be upgraded with last-state while HA disabled`). Later ones ask the running JobManager
instead; when its pod is gone nobody knows the checkpoint any more, and the operator stops with `JobManager deployment
is missing and HA data is not available`: somebody has to find a path and set `initialSavepointPath` by hand.

The mode takes the last checkpoint that was completed, whenever that was. If checkpoints have failed for hours, the
upgrade goes back that far; if the metadata is stale, to an early checkpoint, and the checkpoints written from there on
collide with files that are there already.

## What to do
Set `high-availability.type: kubernetes` and `high-availability.storageDir`, or take `upgradeMode: savepoint`. With
`kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age` (and a directory for savepoints) the operator
takes a savepoint where the checkpoint is older.

## Not when
- The operator's own configuration may switch high availability on for all: hence no certainty.
- A template or another file decides.
- The interval of checkpoints is not set: the operator sets 5 minutes for this mode.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  what each mode requires
- <https://github.com/apache/flink-kubernetes-operator/pull/139>: the validation (FLINK-26893)
- <https://phabricator.wikimedia.org/T390853>: a last-state upgrade that went back to early checkpoints
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, Resource, named_release, resources
from flink_flint.rules.kubernetes._validation import is_refused

OLDEST = "kubernetes.operator.job.upgrade.last-state.max.allowed.checkpoint.age"
INTERVAL = "execution.checkpointing.interval"


@rule(
    code="FLK706",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def last_state_upgrade(config: View) -> Iterator[Finding]:
    """last-state without high availability, checkpoints, or a bound to their age"""
    for resource in resources(config, *CLUSTERS, VALUES):
        if resource.upgrade_mode != "last-state":
            continue
        path = resource.path("job.upgradeMode")
        interval = config.get(INTERVAL)
        length = config.duration(INTERVAL)
        if length is not None and length <= 0:
            yield resource.part.finding(
                f"upgradeMode last-state restores the latest checkpoint, and {INTERVAL} {interval.text} takes none: an"
                " upgrade starts from scratch",
                of=path,
                help=f"set {INTERVAL} to 1 min or so, or upgradeMode to savepoint",
                severity=Severity.ERROR,
                confidence=Confidence.HIGH,
                related=[interval],
            )
        elif resource.kind != VALUES and resource.is_whole and mode(config) == NONE:
            yield _without_ha(resource, path, is_refused=is_refused(config, resource, "last-state without HA") is True)
        elif OLDEST not in config.effective and (resource.is_whole or resource.kind == VALUES):
            yield resource.part.finding(
                "an upgrade goes back to the last completed checkpoint, however old it is",
                of=path,
                help=f"set {OLDEST}, say to 15 min: the operator takes a savepoint where the checkpoint is older; or"
                " set upgradeMode to savepoint",
                severity=Severity.INFO,
                confidence=Confidence.LOW,
            )


def _without_ha(resource: Resource, path: str, *, is_refused: bool) -> Finding:
    release = named_release(resource)
    if is_refused:
        effect, severity = "the operator refuses the resource", Severity.ERROR
    elif release is not None and release <= (1, 14):
        effect, severity = "the operators that run this Flink refuse the resource", Severity.ERROR
    elif release is not None and release >= (2, 0):
        effect, severity = "once the JobManager's pod is gone nobody knows the latest checkpoint", Severity.WARNING
    else:
        effect = (
            "operators before 1.10 refuse it, and for later ones nobody knows the latest checkpoint once the"
            " JobManager's pod is gone"
        )
        severity = Severity.WARNING
    return resource.part.finding(
        f"upgradeMode last-state relies on the metadata of high availability, which is off: {effect}",
        of=path,
        help="set high-availability.type: kubernetes and high-availability.storageDir, or upgradeMode: savepoint",
        severity=severity,
    )


_CHECKPOINTS = "execution.checkpointing.interval: 60 s\nstate.checkpoints.dir: s3://flink/checkpoints"
_HA = "high-availability.type: kubernetes\nhigh-availability.storageDir: s3://flink/ha"


def cases() -> list[Case]:
    return [
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state"),
            file="deployment.yaml",
            severity=Severity.ERROR,
            says="the operator refuses the resource",
            beside={"flint.toml": 'operator-version = "1.9"\n'},
        ),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state"),
            file="deployment.yaml",
            at="last-state",
            severity=Severity.WARNING,
            says="before 1.10",
        ),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state", version="v1_14"),
            file="deployment.yaml",
            severity=Severity.ERROR,
        ),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state", version="v2_1", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml",
            says="nobody knows",
        ),
        bad(
            deployment(f"{_HA}\nexecution.checkpointing.interval: 0 s", job="upgradeMode: last-state"),
            file="deployment.yaml",
            severity=Severity.ERROR,
            says="takes none",
        ),
        bad(
            deployment(f"{_CHECKPOINTS}\n{_HA}", job="upgradeMode: last-state"),
            file="deployment.yaml",
            severity=Severity.INFO,
            says="however old",
        ),
        bad(
            "app:\n  job:\n    upgradeMode: last-state\n  flinkConfiguration:\n    state.backend.type: hashmap\n",
            file="values-main.yaml",
            at="last-state",
            severity=Severity.INFO,
            says="however old",
        ),
        good(
            deployment(f"{_CHECKPOINTS}\n{_HA}\n{OLDEST}: 15 min", job="upgradeMode: last-state"),
            file="deployment.yaml",
        ),
        good(deployment(_CHECKPOINTS, job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(
            deployment(
                f"{OLDEST}: 15 min\nhigh-availability: zookeeper", job="upgradeMode: last-state", version="v1_16"
            ),
            file="deployment.yaml",
        ),
        good(
            deployment("high-availability.type: ${HA}\n" + OLDEST + ": 15 min", job="upgradeMode: last-state"),
            file="deployment.yaml",
        ),
        good(session_job("jarURI: https://example.com/a.jar\nupgradeMode: last-state"), file="job.yaml"),
        bad(
            deployment(f"{_HA}\nexecution.checkpointing.interval: ${{INTERVAL}}", job="upgradeMode: last-state"),
            file="deployment.yaml",
            severity=Severity.INFO,
        ),
        bad(deployment(_HA, job="upgradeMode: last-state"), file="deployment.yaml", severity=Severity.INFO),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state", version="v1_15"),
            file="deployment.yaml",
            severity=Severity.WARNING,
            says="before 1.10",
        ),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state", version="v2_0"),
            file="deployment.yaml",
            severity=Severity.WARNING,
            says="off: once the JobManager's pod",
        ),
        bad(
            deployment(_CHECKPOINTS, job="upgradeMode: last-state", version="${V}"),
            file="deployment.yaml",
            severity=Severity.WARNING,
            says="before 1.10",
        ),
    ]
