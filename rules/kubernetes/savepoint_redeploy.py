"""A redeployment from a savepoint names no savepoint.

## What it does
Compares a resource with what it was at the revision that the check compares with, and reports a new value of
`job.savepointRedeployNonce` without `job.initialSavepointPath`.

## Why it matters
A new nonce tells the operator to start the job again from `initialSavepointPath`, and it refuses the change without
one (`InitialSavepointPath must not be empty for savepoint redeployment`). The job goes on with the old spec.

## What to do
Set `initialSavepointPath` to the savepoint to start from, or leave the nonce as it was.

## Not when
- The check compares with no revision (`--diff-base`), or the resource is new: the operator looks at the nonce only
  when it changes.
- A template or another file fills the path in.
- The operator is older than 1.8, which added the nonce.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  redeployment by the nonce
- <https://github.com/apache/flink-kubernetes-operator/blob/release-1.15/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/validation/DefaultValidator.java>:
  `validateSpecChange`
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._validation import FIRST_REDEPLOYMENT, refused


@rule(
    code="FLK726",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkDeployment"],
    flink=">=1.0",
    scope="change",
    since="0.1",
)
def savepoint_redeploy(before: View, after: View) -> Iterator[Finding]:
    """a changed savepointRedeployNonce without a savepoint to start from"""
    for one in refused(after, before, since=FIRST_REDEPLOYMENT):
        if one.refusal.kind == "redeployment" and not one.resource.has("job.initialStateReference"):
            yield one.resource.part.finding(
                "the nonce starts the job again from initialSavepointPath, which is not set, and the operator refuses"
                " the change",
                of=one.resource.path(one.refusal.path),
                at="entry",
                help="set job.initialSavepointPath to the savepoint to start from, or leave the nonce as it was",
            )


def cases() -> list[Case]:
    return [
        bad(
            deployment(job="savepointRedeployNonce: 1"), before=deployment(), file="deployment.yaml",
            at="savepointRedeployNonce", says="starts the job again",
        ),
        bad(
            deployment(job="upgradeMode: savepoint\nsavepointRedeployNonce: 3"),
            before=deployment(job="savepointRedeployNonce: 2"), file="deployment.yaml",
        ),
        good(
            deployment(job="savepointRedeployNonce: 1\ninitialSavepointPath: s3://flink/savepoint-1"),
            before=deployment(), file="deployment.yaml",
        ),
        good(
            deployment(job="savepointRedeployNonce: 1\ninitialSavepointPath: ${SAVEPOINT}"), before=deployment(),
            file="deployment.yaml",
        ),
        good(
            deployment(job="savepointRedeployNonce: 1"), before=deployment(job="savepointRedeployNonce: 1"),
            file="deployment.yaml",
        ),
        good(deployment(job="savepointRedeployNonce: 1"), file="deployment.yaml"),
        good(deployment(job="savepointRedeployNonce: ${NONCE}"), before=deployment(), file="deployment.yaml"),
    ]  # fmt: skip
