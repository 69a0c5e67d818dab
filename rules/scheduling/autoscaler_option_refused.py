"""The autoscaler takes none of these values, or fails at each scaling.

## What it does
Where the autoscaler is on, checks what the operator checks: `utilization.target` between 0 and 1, `utilization.max`
between the target and 1, `utilization.min` between 0 and the target, factors and the old boundary not below 0,
`observed-scalability.coefficient-min` between 0.01 and 1, and that all of them are numbers. The target is 0.7 unless
it is set. It also compares `vertex.min-parallelism` (1) with `vertex.max-parallelism` (200).

## Why it matters
A value out of its range has the operator refuse the whole resource: no change of it is deployed any more, whatever
it is about. Easily overlooked: a maximum of 0.6 alone is refused, since the target is 0.7. The smallest parallelism
above the largest is not refused, but ends each scaling with an exception, so that nothing is ever scaled.

## What to do
Keep 0 < min < target < max <= 1, for example 0.4, 0.6 and 0.8.

## Not when
The autoscaler is off: the operator looks at none of them then.

## Sources
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/validation/AutoscalerValidator.java>:
  the ranges
- <https://github.com/apache/flink-kubernetes-operator/blob/main/flink-autoscaler/src/main/java/org/apache/flink/autoscaler/JobVertexScaler.java>:
  `The parallelism lower limitation must not be greater than the parallelism upper limitation`
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>: an example
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.scheduling._autoscaler import ENABLED, is_on, setting

_TARGET = 0.7
_LEAST, _MOST = 1, 200
_RANGES = {
    "scale-down.max-factor": (0.0, inf),
    "scale-up.max-factor": (0.0, inf),
    "utilization.target": (0.0, 1.0),
    "target.utilization.boundary": (0.0, inf),
    "observed-scalability.coefficient-min": (0.01, 1.0),
}


@rule(code="FLK633", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=ENABLED, since="0.1")
def autoscaler_option_refused(config: View) -> Iterator[Finding]:
    """the operator refuses a value of the autoscaler"""
    if not is_on(config):
        return
    found = setting(config, "utilization.target")
    target = _TARGET if found is None else _number(found)
    ranges = {name: (least, most, _between(least, most)) for name, (least, most) in _RANGES.items()}
    if target is not None and 0 <= target <= 1:
        ranges["utilization.max"] = (target, 1.0, f"between the target, {target:g}, and 1")
        ranges["utilization.min"] = (0.0, target, f"between 0 and the target, {target:g}")
    for name, (least, most, between) in ranges.items():
        found = setting(config, name)
        if found is None or not found.is_known:
            continue
        value = _number(found)
        if value is None:
            yield found.finding(
                f"the operator refuses the resource: {name} is {found.text}, which is no number",
                help=f"write a number {between}",
            )
        elif value < least or value > most:  # NaN is neither
            yield found.finding(
                f"the operator refuses the resource: {name} is {found.text} and must be {between}",
                help="keep 0 < utilization.min < utilization.target < utilization.max <= 1"
                if name.startswith("utilization.")
                else f"write a number {between}",
            )
    yield from _bounds(config)


def _bounds(config: View) -> Iterator[Finding]:
    """The smallest parallelism above the largest."""
    lower, upper = setting(config, "vertex.min-parallelism"), setting(config, "vertex.max-parallelism")
    least = _LEAST if lower is None else _number(lower)
    most = _MOST if upper is None else _number(upper)
    shown = lower or upper
    if least is None or most is None or shown is None or least <= most:
        return
    yield shown.finding(
        f"the autoscaler fails at each scaling: its smallest parallelism, {least:g}, is above its largest, {most:g}",
        help="make vertex.min-parallelism at most vertex.max-parallelism (200 by default)",
        related=[upper] if lower is not None and upper is not None else [],
    )


def _number(found: Setting) -> float | None:
    """A number as Java reads one, with or without its suffix; None for a template or anything else."""
    try:
        return float(found.text.strip().rstrip("dDfF")) if found.is_known else None
    except ValueError:
        return None


def _between(least: float, most: float) -> str:
    return f"{least:g} or more" if most == inf else f"between {least:g} and {most:g}"


_ON = 'job.autoscaler.enabled: "true"\njob.autoscaler.'
_FILE = {"file": "deployment.yaml"}
_MAX, _MIN = "job.autoscaler.utilization.max", "job.autoscaler.utilization.min"


def cases() -> list[Case]:
    return [
        bad(
            deployment(f'{_ON}utilization.target: "70"'),
            **_FILE,
            at="job.autoscaler.utilization.target",
            says="between 0 and 1",
        ),
        bad(deployment(f'{_ON}target.utilization: "1.5"'), **_FILE, at="job.autoscaler.target.utilization"),
        bad(deployment(f'{_ON}utilization.max: "0.6"'), **_FILE, at=_MAX, says="between the target, 0.7, and 1"),
        bad(deployment(f'{_ON}utilization.max: "1.1"'), **_FILE, at=_MAX, says="must be between the target"),
        bad(deployment(f'{_ON}utilization.min: "0.8"'), **_FILE, at=_MIN, says="between 0 and the target, 0.7"),
        bad(deployment(f'{_ON}utilization.min: "0.6"\njob.autoscaler.utilization.target: "0.5"'), **_FILE, at=_MIN),
        bad(deployment(f'{_ON}scale-down.max-factor: "-0.1"'), **_FILE, says="must be 0 or more"),
        bad(deployment(f'{_ON}scale-up.max-factor: "-1.0"'), **_FILE, at="job.autoscaler.scale-up.max-factor"),
        bad(deployment(f'{_ON}target.utilization.boundary: "-Hundred"'), **_FILE, says="-Hundred, which is no number"),
        bad(deployment(f'{_ON}observed-scalability.coefficient-min: "0"'), **_FILE, says="between 0.01 and 1"),
        bad(deployment(f'{_ON}observed-scalability.coefficient-min: "1.2"'), **_FILE, says="between 0.01 and 1"),
        bad(
            deployment(f'{_ON}vertex.min-parallelism: "8"\njob.autoscaler.vertex.max-parallelism: "4"'),
            **_FILE,
            at="job.autoscaler.vertex.min-parallelism",
            says="8, is above its largest, 4",
        ),
        bad(deployment(f'{_ON}vertex.min-parallelism: "240"'), **_FILE, says="is above its largest, 200"),
        bad(deployment(f'{_ON}vertex.max-parallelism: "0"'), **_FILE, says="1, is above its largest, 0"),
        bad(
            "kubernetes.operator.job.autoscaler.enabled: true\n"
            "kubernetes.operator.job.autoscaler.target.utilization: -0.7\n",
            flink="1.18",
        ),
        good(
            deployment(f'{_ON}utilization.min: "0.4"\n{_MAX}: "0.8"\njob.autoscaler.target.utilization: "0.6d"'),
            **_FILE,
        ),
        good(deployment(f'{_ON}utilization.max: "0.7"\n{_MIN}: "0.7"'), **_FILE),
        good(deployment(f'{_ON}utilization.target: "1"\n{_MAX}: "1.0"\n{_MIN}: "0"'), **_FILE),
        good(deployment(f'{_ON}utilization.target: "0"\n{_MIN}: "0"'), **_FILE),
        good(deployment(f'{_ON}scale-up.max-factor: "NaN"'), **_FILE),
        good(deployment(f'{_ON}scale-down.max-factor: "0"\njob.autoscaler.scale-up.max-factor: "100000.0"'), **_FILE),
        good(deployment(f'{_ON}observed-scalability.coefficient-min: "0.01"'), **_FILE),
        good(deployment(f'{_ON}utilization.max: ${{MOST}}\n{_MIN}: "0.2"'), **_FILE),
        good(deployment(f'{_ON}utilization.target: ${{TARGET}}\n{_MIN}: "0.8"'), **_FILE),
        good(deployment(f'{_ON}vertex.min-parallelism: "200"'), **_FILE),
        good(
            deployment(f'{_ON}vertex.min-parallelism: ${{LEAST}}\njob.autoscaler.vertex.max-parallelism: "0"'), **_FILE
        ),
        good(deployment('job.autoscaler.enabled: "false"\njob.autoscaler.utilization.target: "7"'), **_FILE),
        good(deployment('job.autoscaler.utilization.target: "7"\nrest.port: "8081"'), **_FILE),
    ]
