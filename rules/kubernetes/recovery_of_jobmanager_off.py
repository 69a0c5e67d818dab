"""The operator does not bring a lost JobManager back.

## What it does
Reports `kubernetes.operator.jm-deployment-recovery.enabled: false`.

## Why it matters
When the JobManager's Deployment is gone (deleted by hand, by a cleaner, by a failed upgrade) the operator sets it up
again from the metadata of high availability. With the option off it records an error and waits for somebody.

## What to do
Delete the line; the recovery is on by default.

## Not when
The health check is on as well: the operator refuses that, see FLK718.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  the recovery of missing deployments
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>: the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import entry_of, flag, is_operators

RECOVERY = "kubernetes.operator.jm-deployment-recovery.enabled"
CHECK = "kubernetes.operator.cluster.health-check.enabled"


@rule(code="FLK724", severity=Severity.INFO, confidence=Confidence.HIGH, reads=[RECOVERY], flink=">=1.0", since="0.1")
def recovery_of_jobmanager_off(config: View) -> Iterator[Finding]:
    """the operator does not set up a JobManager that was lost"""
    entry = entry_of(config, RECOVERY)
    if entry is None or flag(config, RECOVERY) is not False or flag(config, CHECK) or not is_operators(config):
        return
    yield config.finding(
        "when the JobManager's Deployment is gone the operator records an error and waits, instead of setting it up",
        span=entry.value_span,
        key=RECOVERY,
        help="delete the line; the recovery is on by default",
        fix=config.document.remove(entry, f"delete {RECOVERY}"),
    )


def cases() -> list[Case]:
    return [
        bad(
            deployment(f'rest.port: "8081"\n{RECOVERY}: "false"'), file="deployment.yaml", flink="1.8", at=RECOVERY,
            fixed=deployment('rest.port: "8081"'),
        ),
        bad(deployment(f"{RECOVERY}: false"), file="deployment.yaml", says="instead of"),
        good(deployment(f'{RECOVERY}: "true"'), file="deployment.yaml"),
        good(deployment(f'{RECOVERY}: "false"\n{CHECK}: "true"'), file="deployment.yaml"),
        good(deployment(f'{RECOVERY}: "${{RECOVER}}"'), file="deployment.yaml"),
    ]  # fmt: skip
