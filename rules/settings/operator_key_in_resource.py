"""An option of the operator itself stands in a resource, where nobody reads it.

## What it does
Finds options in `flinkConfiguration` that steer the operator as a whole: how often it reconciles, which namespaces it
watches, its retries, leader election, health probe, metrics and timeouts.

## Why it matters
The operator reads these from its own configuration when it starts. In a resource they do nothing, and nothing is
logged: the timeout its author raised after an incident is still the old one.

## What to do
Move the option to the operator's configuration (`defaultConfiguration` in the values of its Helm chart).

## Not when
The many options that count for a resource: `kubernetes.operator.savepoint.*`, `.periodic.*`, `.job.upgrade.*`,
`.deployment.*`, `.cluster.health-check.*`, `.jm-deployment*`, `.pod-template.*`, `.snapshot.*` and
`job.autoscaler.*`.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>:
  options of the system, options of resources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/config/FlinkOperatorConfiguration.java>:
  what the operator reads for itself
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import is_operators_own
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import is_operators, written


@rule(
    code="FLK036",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["kubernetes.operator."],
    flink=">=1.0",
    since="0.1",
)
def operator_key_in_resource(config: View) -> Iterator[Finding]:
    """an option of the operator itself does nothing in a resource"""
    if not is_operators(config) or not config.elements("kubernetes-object"):
        return  # the operator's own configuration
    for entry in written(config):
        if entry.overridden or not is_operators_own(entry.key):
            continue
        yield config.finding(
            f"the operator reads {entry.key} from its own configuration alone; in a resource it does nothing",
            span=entry.key_span,
            key=entry.key,
            help="move it to the operator's configuration (defaultConfiguration in the values of its chart)",
            fix=config.document.remove(entry, f"delete {entry.key}"),
        )


_JAR = "jarURI: https://example.com/a.jar"


def cases() -> list[Case]:
    return [
        bad(
            deployment("kubernetes.operator.reconcile.interval: 15 s\nrest.port: '8081'"), file="deployment.yaml",
            at="kubernetes.operator.reconcile.interval", fixed=deployment("rest.port: '8081'"),
        ),
        bad(deployment('kubernetes.operator.retry.max.attempts: "3"'), file="deployment.yaml", says="its own"),
        bad(session_job(_JAR, "kubernetes.operator.flink.client.timeout: 60 s"), file="job.yaml"),
        good(deployment("kubernetes.operator.savepoint.history.max.age: 24 h"), file="deployment.yaml"),
        good(deployment("kubernetes.operator.savepoint.trigger.grace-period: 20 s"), file="deployment.yaml"),
        good(deployment('kubernetes.operator.job.restart.failed: "true"'), file="deployment.yaml"),
        good("kubernetes.operator.reconcile.interval: 15 s\n", file="flink-conf.yaml"),
        bad(deployment("rest.port: '8081'\nkubernetes.operator.reconcile.interval: 15 s"), file="deployment.yaml"),
        good(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-operator-config\ndata:\n  flink-conf.yaml: |\n"
            "    kubernetes.operator.reconcile.interval: 15 s\n",
            file="config-map.yaml",
        ),
        bad(deployment('kubernetes.operator.retry.max.attempts: "3"'), file="deployment.yaml", flink="1.8"),
        bad(
            deployment("kubernetes.operator.reconcile.interval: 15 s\nkubernetes.operator.reconcile.interval: 30 s"),
            file="deployment.yaml", says="kubernetes.operator.reconcile.interval",
        ),
        good(
            "image:\n  repository: ghcr.io/apache/flink-kubernetes-operator\ndefaultConfiguration:\n  create: true\n"
            "  flink-conf.yaml: |+\n    kubernetes.operator.reconcile.interval: 15 s\n",
            file="values.yaml",
        ),
        *cases_in_folders(__file__),
    ]  # fmt: skip
