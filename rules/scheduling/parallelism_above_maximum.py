"""A job is to run with more subtasks than its maximum parallelism allows.

## What it does
Compares `parallelism.default` (`spec.job.parallelism` of a resource) with `pipeline.max-parallelism`.

## Why it matters
State is divided into as many key groups as the maximum says, and a subtask without a key group would have nothing to
do. So Flink refuses the job when it is submitted: `Vertex ...'s parallelism (200) is higher than the max parallelism
(128)`, with the adaptive scheduler as well. Under the operator the upgrade stops with the job down.

## What to do
Lower the parallelism. The maximum of a job that has state cannot be changed; for a new one take at least four times
the parallelism, with many divisors: 360, 720.

## Not when
- `scheduler-mode` is `reactive`: the parallelism follows the slots then, and never goes beyond the maximum.
- All operators have a parallelism of their own, set in the program.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/parallel/#setting-the-maximum-parallelism>:
  the maximum
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/elastic_scaling/#reactive-mode>: reactive mode
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

_PARALLELISM = "parallelism.default"
_MAXIMUM = "pipeline.max-parallelism"


@rule(code="FLK620", severity=Severity.ERROR, confidence=Confidence.HIGH, reads=[_MAXIMUM], flink=">=1.10", since="0.1")
def parallelism_above_maximum(config: View) -> Iterator[Finding]:
    """a job is to have more subtasks than its maximum parallelism allows"""
    maximum, parallelism = config.integer(_MAXIMUM), config.integer(_PARALLELISM)
    setting, wanted = config.get(_MAXIMUM), config.get(_PARALLELISM)
    if maximum is None or maximum < 1 or parallelism is None or not wanted.is_set or parallelism <= maximum:
        return
    if config.is_set("scheduler-mode"):
        return
    yield wanted.finding(
        f"Flink refuses a job with the parallelism {parallelism}: its maximum parallelism is {maximum}",
        help=f"lower the parallelism to {maximum} or less; {_MAXIMUM} can be raised for a job without state alone",
        related=[setting],
    )


def cases() -> list[Case]:
    return [
        bad(f"{_PARALLELISM}: 200\n{_MAXIMUM}: 128\n", at=_PARALLELISM, says="the parallelism 200: its maximum"),
        bad(f"{_PARALLELISM}: 3\n{_MAXIMUM}: 2\njobmanager.scheduler: adaptive\n", flink="1.15"),
        bad(f"{_PARALLELISM}: 2\n{_MAXIMUM}: 1\n", flink="1.10"),
        bad(deployment(f"{_MAXIMUM}: '4'", job="parallelism: 5"), file="deployment.yaml"),
        good(f"{_PARALLELISM}: 128\n{_MAXIMUM}: 128\n"),
        good(f"{_MAXIMUM}: 128\n"),
        good(f"{_PARALLELISM}: 2\n{_MAXIMUM}: -1\n"),
        good(f"{_PARALLELISM}: 200\n{_MAXIMUM}: 128\nscheduler-mode: reactive\n"),
        good(f"{_PARALLELISM}: ${{P}}\n{_MAXIMUM}: 128\n", flink="1.18"),
        good(f"{_PARALLELISM}: 200\n{_MAXIMUM}: ${{MAX}}\n", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "run",
            "parallelism.default: 4\npipeline.max-parallelism: 2\n",
            good="parallelism.default: 2\npipeline.max-parallelism: 4\n",
        ),
    ]
