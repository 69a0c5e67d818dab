"""The autoscaler has few parallelisms to choose from.

## What it does
Where the autoscaler is on, it looks at `pipeline.max-parallelism`. It is advice where

- nothing sets it, so that it is a power of two (128 up to a parallelism of 85);
- it has so few divisors that each is, on average, 1.9 times the one before (threshold `step`), as with powers of two
  and primes;
- `job.autoscaler.vertex.max-parallelism` is set and above it.

## Why it matters
State is divided into as many key groups as the maximum parallelism says. So that all subtasks get as many, the
autoscaler looks for divisors of it: of 128 these are 1, 2, 4, 8 and so on, and each step up doubles what the job costs,
or halves it. 120, 240, 360 and 720 have many divisors. A limit above the maximum is ignored.

## What to do
Set `pipeline.max-parallelism` before the first start to 120, 240, 360 or 720. A job that has state cannot change it.

## Not when
- `job.autoscaler.scaling.enabled` is false.
- `job.autoscaler.scaling.key-group.partitions.adjust.mode` is `MAXIMIZE_UTILISATION`, which does without divisors.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/#job-and-per-operator-max-parallelism>:
  divisors, and good numbers
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/#autoscaler-configuration>:
  the limit that is ignored, and the mode
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import LARGEST
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources
from flink_flint.rules.scheduling._autoscaler import ENABLED, scales, setting

_MAXIMUM = "pipeline.max-parallelism"
_MODE = "scaling.key-group.partitions.adjust.mode"


@rule(
    code="FLK634",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=ENABLED,
    since="0.1",
    thresholds={"step": Threshold(1.9, "how many times the one before a divisor is on average, from which few are")},
)
def autoscaler_coarse_steps(config: View) -> Iterator[Finding]:
    """the autoscaler has few parallelisms to choose from"""
    enabled, mode = setting(config, "enabled"), setting(config, _MODE)
    if enabled is None or not scales(config) or (mode is not None and mode.text.upper() != "EVENLY_SPREAD"):
        return
    step = config.threshold("step")
    maximum, found = config.integer(_MAXIMUM), config.get(_MAXIMUM)
    if not found.is_set:
        if any(resource.is_whole for resource in resources(config, *CLUSTERS)):
            yield enabled.finding(
                f"the autoscaler looks for divisors of the maximum parallelism, and nothing sets {_MAXIMUM}: it is a"
                " power of two then, and each step doubles the parallelism or halves it",
                help=f"set {_MAXIMUM} to {_advice(step)} before the first start",
            )
        return
    if maximum is None or not 1 < maximum <= LARGEST:
        return
    divisors = _divisors(maximum)
    if _step(maximum) >= step:
        yield found.finding(
            f"the autoscaler looks for divisors of the maximum parallelism, and {maximum} has {len(divisors)}:"
            f" {', '.join(map(str, divisors))}",
            help=f"set {_MAXIMUM} to {_advice(step)} before the first start",
            evidence={"divisors": len(divisors)},
        )
    limit = setting(config, "vertex.max-parallelism")
    if limit is not None and (whole(limit.text) or 0) > maximum:
        yield limit.finding(
            f"the autoscaler ignores its limit of {limit.text}: the maximum parallelism is {maximum}",
            help=f"set it to {maximum} or less, or delete the line",
            related=[found],
        )


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def _step(number: int) -> float:
    """How many times the one before a divisor is on average."""
    return float(number ** (1 / (len(_divisors(number)) - 1)))


def _advice(step: float) -> str:
    """Numbers whose divisors are near enough to each other."""
    fine = [str(number) for number in (120, 240, 360, 720) if _step(number) < step]
    return " or ".join(filter(None, (", ".join(fine[:-1]), *fine[-1:]))) or "a number with more divisors"


_ON = 'job.autoscaler.enabled: "true"'
_FILE = {"file": "deployment.yaml"}
_LIMIT = "job.autoscaler.vertex.max-parallelism"


def _with(maximum: object, more: str = "") -> str:
    return deployment(f'{_ON}\n{_MAXIMUM}: "{maximum}"\n{more}')


def cases() -> list[Case]:
    return [
        bad(deployment(_ON), **_FILE, at=ENABLED[0], severity=Severity.INFO, says="a power of two then"),
        bad(_with(128), **_FILE, at=_MAXIMUM, says="128 has 8: 1, 2, 4, 8, 16, 32, 64, 128"),
        bad(_with(97), **_FILE, says="97 has 2: 1, 97"),
        bad(_with(2), **_FILE, says="2 has 2: 1, 2"),
        bad(_with(32_768), **_FILE, says="has 16"),
        bad(_with(9), **_FILE, says="9 has 3"),
        bad(_with(120, f'{_LIMIT}: "121"'), **_FILE, at=_LIMIT, says="limit of 121"),
        bad(_with(120, f'job.autoscaler.{_MODE}: EVENLY_SPREAD\n{_LIMIT}: "200"'), **_FILE, at=_LIMIT),
        good(_with(720, f'{_LIMIT}: "720"'), **_FILE),
        good(_with(6), **_FILE),
        good(_with(100), **_FILE),
        good(_with(1), **_FILE),
        good(_with(65_536), **_FILE),
        good(_with("${MAXIMUM}"), **_FILE),
        good(_with(120, f"{_LIMIT}: ${{MOST}}"), **_FILE),
        good(_with(128, f"job.autoscaler.{_MODE}: MAXIMIZE_UTILISATION"), **_FILE),
        good(deployment(f'{_ON}\njob.autoscaler.scaling.enabled: "false"'), **_FILE),
        good(f"{ENABLED[0]}: true\nrest.port: 8081\n"),
    ]  # fmt: skip
