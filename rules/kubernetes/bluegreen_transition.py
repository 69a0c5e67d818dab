"""A blue/green deployment whose children the operator refuses.

## What it does
Checks the name of a FlinkBlueGreenDeployment, and whether its configuration has the directory for savepoints that a
transition with state needs.

## Why it matters
The operator makes two FlinkDeployments of it, `<name>-blue` and `<name>-green`. A name of theirs may have 45
characters, so that 39 are left for the parent: with 40 blue is created and green refused, and the first transition
never ends. A transition hands the state over in a savepoint; without `execution.checkpointing.savepoint-dir` there is
no place for it.

## What to do
Shorten the name to 39 characters. Set the directory for savepoints to an object store.

## Not when
The mode is `stateless` (for the directory), or a template decides.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator/src/main/java/org/apache/flink/kubernetes/operator/utils/bluegreen/BlueGreenUtils.java>:
  how the children are called
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/concepts/bluegreen-controller-flow/>:
  the transition
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import LONGEST_NAME
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import resources

LONGEST = LONGEST_NAME - len("-green")


@rule(
    code="FLK737",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkBlueGreenDeployment"],
    flink=">=1.13",
    since="0.1",
)
def bluegreen_transition(config: View) -> Iterator[Finding]:
    """the operator refuses blue or green, or cannot hand the state over"""
    for resource in resources(config, "FlinkBlueGreenDeployment"):
        name = resource.part.text("metadata.name")
        if name is not None and "$" not in name and len(name) > LONGEST:
            yield resource.part.finding(
                f"the name has {len(name)} characters, and {name}-green would have {len(name) + 6} of the"
                f" {LONGEST_NAME} a FlinkDeployment may have",
                of="metadata.name",
                help=f"shorten it to {LONGEST} characters or fewer",
                evidence={"length": len(name)},
            )
        if resource.upgrade_mode != "last-state" or not resource.is_whole:
            continue  # without state there is nothing to hand over, and savepoint mode is FLK704's
        if not config.is_set("execution.checkpointing.savepoint-dir"):
            yield resource.part.finding(
                "a transition hands the state over in a savepoint, and no directory for savepoints is set",
                of=resource.path("job.upgradeMode"),
                help="set execution.checkpointing.savepoint-dir to an object store",
                confidence=Confidence.MEDIUM,
            )


def _blue_green(configuration: str = "", *, name: str = "orders", job: str = "") -> str:
    return deployment(configuration, name=name, job=job, kind="FlinkBlueGreenDeployment")


def cases() -> list[Case]:
    return [
        bad(_blue_green(name="o" * 40), file="deployment.yaml", at="o" * 40, says="40 characters"),
        bad(
            _blue_green(job="upgradeMode: last-state"), file="deployment.yaml", at="last-state", says="hands the state"
        ),
        good(_blue_green(name="o" * 39), file="deployment.yaml"),
        good(
            _blue_green("execution.checkpointing.savepoint-dir: s3://flink/s", job="upgradeMode: last-state"),
            file="deployment.yaml",
        ),
        good(_blue_green(job="upgradeMode: stateless"), file="deployment.yaml"),
        good(_blue_green(name="{{ .Values.name }}", job="upgradeMode: {{ .Values.mode }}"), file="deployment.yaml"),
        good(deployment(name="o" * 44), file="deployment.yaml"),
        good(_blue_green(name="o" * 40), file="deployment.yaml", flink="1.12"),
        good(_blue_green(name="${PREFIX_OF_THE_ENVIRONMENT}-orders-of-customers"), file="deployment.yaml"),
    ]
