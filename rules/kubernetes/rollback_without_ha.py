"""Rollbacks are switched on without high availability.

## What it does
Reports `kubernetes.operator.deployment.rollback.enabled: true` on a resource whose high availability is off.

## Why it matters
The operator rolls back to the last stable spec by the metadata of high availability, and refuses the resource without
(`HA must be enabled for rollback support.`).

## What to do
Set `high-availability.type: kubernetes` and `high-availability.storageDir`, or leave rollbacks off.

## Not when
The operator's own configuration may switch high availability on for all: hence no certainty. A template or another
file decides.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the check
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  rollbacks
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, entry_of, flag, is_operators, resources
from flink_flint.rules.kubernetes._validation import is_refused

ROLLBACK = "kubernetes.operator.deployment.rollback.enabled"


@rule(
    code="FLK717", severity=Severity.ERROR, confidence=Confidence.MEDIUM, reads=[ROLLBACK], flink=">=1.0", since="0.1"
)
def rollback_without_ha(config: View) -> Iterator[Finding]:
    """the operator refuses rollbacks without high availability"""
    entry = entry_of(config, ROLLBACK)
    if entry is None or not flag(config, ROLLBACK) or not config.document.whole or not is_operators(config):
        return
    takes = any(is_refused(config, one, "rollback without HA") is False for one in resources(config, *APACHE_CLUSTERS))
    if mode(config) == NONE and not takes:
        yield config.finding(
            "the operator refuses a resource with rollbacks and without high availability",
            span=entry.key_span,
            key=ROLLBACK,
            help="set high-availability.type: kubernetes and high-availability.storageDir, or delete the line",
        )


def cases() -> list[Case]:
    return [
        bad(deployment(f'{ROLLBACK}: "true"'), file="deployment.yaml", flink="1.8", at=ROLLBACK, says="refuses"),
        bad(deployment(f"{ROLLBACK}: true\nhigh-availability.type: NONE"), file="deployment.yaml"),
        good(
            deployment(f'{ROLLBACK}: "true"\nhigh-availability.type: kubernetes', version="v1_16", image="flink:1.16"),
            file="deployment.yaml",
            beside={"flint.toml": 'operator-version = "1.12"\n'},
        ),
        good(deployment(f'{ROLLBACK}: "true"\nhigh-availability.type: kubernetes'), file="deployment.yaml"),
        good(deployment(f'{ROLLBACK}: "true"\nhigh-availability: zookeeper', version="v1_16"), file="deployment.yaml"),
        good(deployment(f'{ROLLBACK}: "false"'), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            f'  flinkConfiguration:\n    {ROLLBACK}: "true"\n',
            file="patch.yaml",
        ),
    ]  # fmt: skip
