"""The health check is on, and what it needs is off.

## What it does
Reports `kubernetes.operator.cluster.health-check.enabled: true` beside
`kubernetes.operator.jm-deployment-recovery.enabled: false`.

## Why it matters
The health check deletes an unhealthy cluster for the recovery to set it up anew. The operator refuses a resource with
the one and without the other (`Deployment recovery ... must be enabled for job health check`).

## What to do
Delete the line that switches the recovery off; it is on by default.

## Not when
The health check is off, which is its default.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the check
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  the restart of unhealthy deployments
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import entry_of, flag, is_operators

CHECK = "kubernetes.operator.cluster.health-check.enabled"
RECOVERY = "kubernetes.operator.jm-deployment-recovery.enabled"
_OLD = "kubernetes.operator.reconciler.jm-deployment-recovery.enabled"
"""The name of the recovery before, which is read where nothing sets the other."""


@rule(code="FLK718", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=[CHECK], flink=">=1.0", since="0.1")
def health_check_without_recovery(config: View) -> Iterator[Finding]:
    """the operator refuses the health check without the recovery of deployments"""
    key = next((one for one in (RECOVERY, _OLD) if entry_of(config, one) is not None), RECOVERY)
    entry = entry_of(config, key)
    if not flag(config, CHECK) or entry is None or flag(config, key) is not False or not is_operators(config):
        return
    yield config.finding(
        "the operator refuses a resource with the health check on and the recovery of JobManager deployments off",
        span=entry.value_span,
        key=key,
        help="delete the line; the recovery is on by default",
        fix=config.document.remove(entry, f"delete {key}"),
    )


def cases() -> list[Case]:
    return [
        bad(
            deployment(f'{CHECK}: "true"\n{RECOVERY}: "false"'), file="deployment.yaml", flink="1.8", at=RECOVERY,
            fixed=deployment(f'{CHECK}: "true"'),
        ),
        bad(deployment(f"{CHECK}: true\n{RECOVERY}: false"), file="deployment.yaml", says="refuses"),
        bad(deployment(f'{CHECK}: "true"\n{_OLD}: "false"'), file="deployment.yaml", at=_OLD),
        good(deployment(f'{CHECK}: "true"\n{_OLD}: "false"\n{RECOVERY}: "true"'), file="deployment.yaml"),
        good(deployment(f'{CHECK}: "true"'), file="deployment.yaml"),
        good(deployment(f'{CHECK}: "false"\n{RECOVERY}: "false"'), file="deployment.yaml"),
        good(deployment(f'{CHECK}: "true"\n{RECOVERY}: "true"'), file="deployment.yaml"),
    ]  # fmt: skip
