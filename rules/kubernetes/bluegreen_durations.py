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

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.digits import whole
from flink_flint.rules.kubernetes._examples import deployment
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


def _blue_green(configuration: str, inner: str = "") -> str:
    text = deployment(inner, kind="FlinkBlueGreenDeployment")
    return text.replace("spec:\n  template:", f"spec:\n  configuration:\n    {configuration}\n  template:")


def cases() -> list[Case]:
    return [
        bad(
            _blue_green(f"{PREFIX}abort.grace-period: 600"),
            file="deployment.yaml",
            at=f"{PREFIX}abort.grace-period",
            says="means 0.6 s",
        ),
        bad(_blue_green(f'{PREFIX}deployment-deletion.delay: "30"'), file="deployment.yaml", says="0.03 s"),
        bad(
            _blue_green("{}", f"{PREFIX}abort.grace-period: 10 min").replace(
                "configuration:\n    {}", "configuration: {}"
            ),
            file="deployment.yaml",
            at=f"{PREFIX}abort.grace-period",
            says="nobody reads",
        ),
        good(_blue_green(f"{PREFIX}abort.grace-period: 10 min"), file="deployment.yaml"),
        good(_blue_green(f'{PREFIX}deployment-deletion.delay: "0"'), file="deployment.yaml"),
        good(_blue_green(f"{PREFIX}abort.grace-period: {{{{ .Values.grace }}}}"), file="deployment.yaml"),
        bad(_blue_green(f"{PREFIX}reconciliation.reschedule-interval: 15"), file="deployment.yaml", says="0.015 s"),
        good(_blue_green(f"{PREFIX}traffic.weight: 600"), file="deployment.yaml"),
        good(_blue_green(f"{PREFIX}abort.grace-period: 600"), file="deployment.yaml", flink="1.12"),
        good(_blue_green(f"{PREFIX}abort.grace-period: 10 min", 'rest.port: "8081"'), file="deployment.yaml"),
    ]
