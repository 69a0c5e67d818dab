"""The resource names no service account.

## What it does
Reports a FlinkDeployment (or FlinkBlueGreenDeployment) without `spec.serviceAccount`.

## Why it matters
The JobManager asks Kubernetes for its TaskManagers and keeps its leader in ConfigMaps; for that its pod needs an
account with the rights. The operator refuses a resource that names none (`spec.serviceAccount must be defined`).

## What to do
Name the account that the operator's Helm chart makes for jobs: `serviceAccount: flink`.

## Not when
- The resource is a patch or a template, or its image or JAR is blank, as in the defaults of a chart.
- EMR on EKS makes an account from `executionRoleArn`.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the check
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/rbac/>: the account
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, key_span, resources


@rule(
    code="FLK728",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def service_account_missing(config: View) -> Iterator[Finding]:
    """the operator refuses a resource without a service account"""
    for resource in resources(config, *APACHE_CLUSTERS):
        if not resource.lacks("serviceAccount") or resource.has("executionRoleArn"):
            continue
        yield config.finding(
            "the operator refuses a resource without spec.serviceAccount, as the JobManager could not ask for"
            " TaskManagers",
            span=key_span(config, resource.part, resource.base),
            key=resource.path("serviceAccount"),
            help="write serviceAccount: flink, the account that the operator's chart makes",
        )


def cases() -> list[Case]:
    return [
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
            flink="1.8",
            at="spec",
            says="refuses",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n",
            file="deployment.yaml",
        ),
        good(deployment(), file="deployment.yaml"),
        good(deployment(image="'orders:'").replace("  serviceAccount: flink\n", ""), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  serviceAccount: {{ .Values.account }}\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n"
            "  executionRoleArn: arn:aws:iam::1:role/a\n",
            file="deployment.yaml",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  image: flink:1.20\n",
            file="patch.yaml",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
            at="spec.serviceAccount",
        ),
        good(session_job("jarURI: https://example.com/orders.jar"), file="job.yaml"),
        good(
            "apiVersion: flink.example.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  image: flink:1.20\n"
            "  flinkVersion: v1_20\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "    parallelism: 2\n",
            file="deployment.yaml",
        ),
    ]
