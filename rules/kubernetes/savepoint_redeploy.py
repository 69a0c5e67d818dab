"""A redeployment from a savepoint names no savepoint.

## What it does
Reports `job.savepointRedeployNonce` without `job.initialSavepointPath`.

## Why it matters
A new nonce tells the operator to start the job again from `initialSavepointPath`, and it refuses the change without
one (`InitialSavepointPath must not be empty for savepoint redeployment`).

## What to do
Set `initialSavepointPath` to the savepoint to start from, or delete the nonce.

## Not when
A template or another file fills the path in.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  redeployment by the nonce
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  the check
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources


@rule(
    code="FLK726",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object"],
    flink=">=1.0",
    since="0.1",
)
def savepoint_redeploy(config: View) -> Iterator[Finding]:
    """savepointRedeployNonce without a savepoint to start from"""
    for resource in resources(config, *CLUSTERS):
        nonce = resource.path("job.savepointRedeployNonce")
        starts = ("job.initialSavepointPath", "job.initialStateReference")
        if resource.part.has(nonce) and resource.is_whole and not any(resource.has(start) for start in starts):
            yield resource.part.finding(
                "the nonce starts the job again from initialSavepointPath, which is not set, and the operator refuses"
                " the change",
                of=nonce,
                at="entry",
                help="set job.initialSavepointPath to the savepoint to start from, or delete the nonce",
            )


def cases() -> list[Case]:
    return [
        bad(deployment(job="savepointRedeployNonce: 1"), file="deployment.yaml", flink="1.8",
            at="savepointRedeployNonce: 1"),
        bad(
            deployment(job="upgradeMode: savepoint\nsavepointRedeployNonce: 2", kind="FlinkBlueGreenDeployment"),
            file="deployment.yaml", says="is not set",
        ),
        good(
            deployment(job="savepointRedeployNonce: 1\ninitialSavepointPath: s3://flink/s/1"), file="deployment.yaml"
        ),
        good(deployment(job="savepointTriggerNonce: 1"), file="deployment.yaml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n  job:\n"
            "    savepointRedeployNonce: 1\n",
            file="patch.yaml",
        ),
    ]  # fmt: skip
