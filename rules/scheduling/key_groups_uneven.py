"""Some subtasks have far more of the state than others, because the parallelism does not divide the maximum.

## What it does
Where both are set, divides `pipeline.max-parallelism` by `parallelism.default`. It is advice where the busiest subtasks
have 20 % (threshold `excess`) more key groups than the mean, or more.

## Why it matters
The maximum parallelism is the number of key groups, and a subtask has whole ones. With 128 of them and a parallelism of
100, some subtasks have 2 and others 1: the job is back-pressured when the first are busy all the time and the others
half of it, and it seems that a quarter of the subtasks are slow.

## What to do
Choose a parallelism that divides the maximum, or for a new job a maximum that is many times the parallelism: 720 at 50
is uneven by 4 % only.

## Not when
The job has no keyed state, or operators have a parallelism of their own.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/#job-and-per-operator-max-parallelism>:
  a parallelism that divides the maximum has no skew
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/KeyGroupRangeAssignment.java>:
  how key groups are shared out
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import LARGEST
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

_PARALLELISM = "parallelism.default"
_MAXIMUM = "pipeline.max-parallelism"


@rule(
    code="FLK622",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_MAXIMUM],
    of_scale=True,
    since="0.1",
    thresholds={"excess": Threshold(0.2, "what the busiest subtasks have above the mean, as a part of it")},
)
def key_groups_uneven(config: View) -> Iterator[Finding]:
    """the parallelism does not divide the maximum: some subtasks have more state"""
    maximum, parallelism = config.integer(_MAXIMUM), config.integer(_PARALLELISM)
    if maximum is None or parallelism is None or not 1 <= parallelism <= maximum <= LARGEST:
        return
    most = -(-maximum // parallelism)
    excess = (most * parallelism - maximum) / maximum
    if excess < config.threshold("excess"):
        return
    yield config.get(_PARALLELISM).finding(
        f"{maximum} key groups among {parallelism} subtasks: the busiest have {most}, {excess * 100:.0f} % above the"
        " mean",
        help=f"take a parallelism that divides {maximum}, such as {_divisor(maximum, parallelism)}",
        related=[config.get(_MAXIMUM)],
        evidence={"key groups": most},
        measure=excess,
    )


def _divisor(maximum: int, parallelism: int) -> int:
    """The divisor of the maximum that is nearest to the parallelism."""
    divisors = (one for one in range(1, maximum + 1) if maximum % one == 0)
    return min(divisors, key=lambda one: abs(one - parallelism))


def cases() -> list[Case]:
    return [
        bad(f"{_PARALLELISM}: 100\n{_MAXIMUM}: 128\n", at=_PARALLELISM, severity=Severity.INFO,
            says="the busiest have 2, 56 % above"),
        bad(f"{_PARALLELISM}: 24\n{_MAXIMUM}: 100\n", flink="1.15", says="have 5, 20 % above"),
        bad(deployment(f"{_MAXIMUM}: '6'", job="parallelism: 4"), file="deployment.yaml", says="have 2, 33 % above"),
        bad(f"{_PARALLELISM}: 24000\n{_MAXIMUM}: 32768\n", says="have 2, 46 % above"),
        good(f"{_PARALLELISM}: 50\n{_MAXIMUM}: 720\n"),
        good(f"{_PARALLELISM}: 28\n{_MAXIMUM}: 100\n"),
        good(f"{_PARALLELISM}: 64\n{_MAXIMUM}: 128\n"),
        good(f"{_MAXIMUM}: 128\n"),
        good(f"{_PARALLELISM}: 40000\n{_MAXIMUM}: 65536\n"),
        good(f"{_PARALLELISM}: 200\n{_MAXIMUM}: 128\n"),
        good(f"{_PARALLELISM}: ${{P}}\n{_MAXIMUM}: 128\n", flink="1.18"),
    ]  # fmt: skip
