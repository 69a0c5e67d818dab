"""A duration of the blue/green deployment means milliseconds, or is in the wrong place.

## What it does
Checks the options `kubernetes.operator.bluegreen.*`: numbers without a unit in `spec.configuration`, and options that
stand in `flinkConfiguration` instead.

## Why it matters
A duration without a unit is milliseconds. With `abort.grace-period: 600` the green deployment has 0.6 s to become
ready, and every transition is aborted. In `flinkConfiguration` nobody reads these options: the defaults count (10 min,
15 s, no delay).

## What to do
Write the unit (`10 min`), and the option in `spec.configuration`.

## Not when
The number is 0, or a template makes it.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-kubernetes-operator-api/src/main/java/org/apache/flink/kubernetes/operator/api/spec/FlinkBlueGreenDeploymentConfigOptions.java>:
  the options and their defaults
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/concepts/bluegreen-controller-flow/>:
  where they stand
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.kubernetes._resource import resources, written

PREFIX = "kubernetes.operator.bluegreen."
DURATIONS = ("abort.grace-period", "reconciliation.reschedule-interval", "deployment-deletion.delay")


@rule(
    code="FLK738",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:kubernetes-object/FlinkBlueGreenDeployment"],
    flink=">=1.13",
    since="0.1",
)
def bluegreen_durations(config: View) -> Iterator[Finding]:
    """a blue/green duration in milliseconds, or where nobody reads it"""
    for resource in resources(config, "FlinkBlueGreenDeployment"):
        for name, attribute in resource.part.under("spec.configuration"):
            number = whole(str(attribute.value).strip()) if attribute.value is not None else None
            if name.removeprefix(PREFIX) in DURATIONS and number:
                yield resource.part.finding(
                    f"{name.removeprefix(PREFIX)} {number} has no unit and means {_seconds(number)}",
                    of=f"spec.configuration.{name}",
                    key=name,
                    help=f'write the unit: "{number} s"',
                )
        for entry in written(config):
            if entry.key.startswith(PREFIX):
                yield config.finding(
                    f"nobody reads {entry.key} in flinkConfiguration",
                    span=entry.key_span,
                    key=entry.key,
                    help="move it to spec.configuration",
                )


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g} s"


def cases() -> list[Case]:
    return [
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkBlueGreenDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  configuration:\n"
            "    kubernetes.operator.bluegreen.abort.grace-period: 600\n"
            "  template:\n"
            "    spec:\n"
            "      image: flink:1.20\n"
            "      flinkVersion: v1_20\n"
            "      serviceAccount: flink\n"
            "      job:\n"
            "        jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "        parallelism: 2\n",
            file="deployment.yaml",
            at=f"{PREFIX}abort.grace-period",
            says="means 0.6 s",
        ),
        bad(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkBlueGreenDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  configuration:\n"
            '    kubernetes.operator.bluegreen.deployment-deletion.delay: "30"\n'
            "  template:\n"
            "    spec:\n"
            "      image: flink:1.20\n"
            "      flinkVersion: v1_20\n"
            "      serviceAccount: flink\n"
            "      job:\n"
            "        jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "        parallelism: 2\n",
            file="deployment.yaml",
            says="0.03 s",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkBlueGreenDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  configuration:\n"
            "    kubernetes.operator.bluegreen.abort.grace-period: 10 min\n"
            "  template:\n"
            "    spec:\n"
            "      image: flink:1.20\n"
            "      flinkVersion: v1_20\n"
            "      serviceAccount: flink\n"
            "      job:\n"
            "        jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "        parallelism: 2\n",
            file="deployment.yaml",
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkBlueGreenDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "spec:\n"
            "  configuration:\n"
            '    kubernetes.operator.bluegreen.deployment-deletion.delay: "0"\n'
            "  template:\n"
            "    spec:\n"
            "      image: flink:1.20\n"
            "      flinkVersion: v1_20\n"
            "      serviceAccount: flink\n"
            "      job:\n"
            "        jarURI: local:///opt/flink/usrlib/orders.jar\n"
            "        parallelism: 2\n",
            file="deployment.yaml",
        ),
        *cases_in_folders(__file__),
    ]
