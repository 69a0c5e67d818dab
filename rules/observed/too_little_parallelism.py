"""An operator is busy nearly all of the time.

## What it does
Reports operators that are busy for more than 90 % of the time at the 95th percentile, and says how many subtasks would
be busy for 70 %, reckoned as the operator's autoscaler does: from the rate that arrives and the rate they could process
(rate / busy share). Where no rates were observed, from the busy time alone.

## Why it matters
An operator without reserve is where backpressure begins. Whatever is missed, in a restart, a checkpoint, a peak, it
never makes up for: the lag grows.

## What to do
Raise the parallelism of that operator, or make its work cheaper. `flint size parallelism` reckons with lag and
catch-up, and fits the number to key groups or partitions.

## Not when
Its work is skewed (`busy-skew`): then one subtask is busy and the others are not. A source with the older interface
reports no busy time. A job that caught up with a backlog for more than a fifth of the time was busy for good reason.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/autoscaler/>: target
  utilization and true processing rate
- <https://www.usenix.org/conference/osdi18/presentation/kalavri>: DS2
"""

from collections.abc import Iterator

from flink_flint.linter.model.observations import Job
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import (
    ARRIVALS,
    BUSY,
    IN_RATE,
    OUT_RATE,
    PARALLELISM,
    SKEW,
    TRUE_RATE,
    is_skewed,
    parallelism_setting,
    rates_of,
    subtasks_wanted,
)
from flink_flint.rules.observed._wording import evidence, likewise, percent, rated

_MOST = 900
_CATCHING = 0.2
_CATCHING_UP = "task/catchingUp"


@rule(
    code="FLK678",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{BUSY} p95 > {_MOST}"],
    since="0.1",
)
def too_little_parallelism(config: View) -> Iterator[Finding]:
    """an operator is busy nearly all of the time"""
    found = []
    for busy in config.observed_where(BUSY, p=0.95, above=_MOST):
        operator = busy.operator
        if not is_skewed(operator):
            wanted = subtasks_wanted(operator, busy)
            if wanted > operator.parallelism and not _catches_up(operator.job):
                found.append((busy, operator, wanted))
    if not found:
        return
    busy, operator, wanted = max(found, key=lambda one: one[2] / one[1].parallelism)
    arriving, able = rates_of(operator)
    told = "" if not arriving or not able else f"; {rated(arriving)} arrive, and it can do {rated(able)}"
    message = (
        f"{operator} is busy for {percent(busy / 1000)} of the time ({busy.basis}) with {operator.parallelism}"
        f" subtask{'s' if operator.parallelism > 1 else ''}{told}{likewise(found, 'operator')}"
    )
    proof = evidence(busy, arriving, able, wanted=wanted)
    setting = parallelism_setting(config, operator)
    cure = f"give it {wanted} subtasks (`flint size parallelism`)"
    if setting is None:
        yield config.finding(message, help=cure, evidence=proof)
    else:
        yield setting.finding(message, help=cure, fix=setting.replace(str(wanted)), evidence=proof)


def _catches_up(job: Job) -> bool:
    """Whether a source of the job made up for a backlog in a good part of the time: then being busy is as it should."""
    return any((one.number(_CATCHING_UP, "mean") or 0.0) > _CATCHING for one in job.operators)


def cases() -> list[Case]:
    return [
        bad(
            f"{PARALLELISM}: 4\n",
            at=PARALLELISM,
            fixed=f"{PARALLELISM}: 6\n",
            observed={BUSY: {"p50": 700, "p95": 960}},
            says="is busy for 96 % of the time (p95",
        ),
        bad(
            f"{PARALLELISM}: 4\n",
            at=PARALLELISM,
            fixed=f"{PARALLELISM}: 8\n",
            says="7 500/s arrive, and it can do 5 500/s",
            observed={BUSY: {"p50": 700, "p95": 960}, TRUE_RATE: 5500, ARRIVALS: {"p50": 4000, "p95": 7500}},
        ),
        bad(f"{PARALLELISM}: 2\n", at="parallelism.default", observed={BUSY: 990, "parallelism": 16}),
        good(f"{PARALLELISM}: 4\n", observed={BUSY: {"p50": 700, "p95": 850, "p99": 990}}),
        good(f"{PARALLELISM}: 4\n", observed={BUSY: 960, SKEW: 3.0}),
        good(f"{PARALLELISM}: 4\n", observed={BUSY: 960, f"{_CATCHING_UP} @ Source: in": {"p50": 1, "mean": 0.7}}),
        bad(
            f"{PARALLELISM}: 7\n",
            fixed=f"{PARALLELISM}: 10\n",
            observed={
                BUSY: 900.5,
                "parallelism": 7,
                ARRIVALS: 100,
                f"{_CATCHING_UP} @ Source: in": {"p50": 0, "mean": 0.2},
            },
        ),
        bad(f"{PARALLELISM}: 4\n", says="7 500/s arrive", observed={BUSY: 960, TRUE_RATE: 5500, IN_RATE: 7500}),
        bad(
            f"{PARALLELISM}: 4\n",
            says="7 500/s arrive",
            observed={BUSY: 960, TRUE_RATE: 5500, OUT_RATE: 7500, SKEW: 2.0},
        ),
        bad(f"{PARALLELISM}: 4\n", fixed=f"{PARALLELISM}: 6\n", observed={BUSY: 960, TRUE_RATE: 5500}),
        bad(
            f"{PARALLELISM}: 4\n",
            says="'enrich' of job",
            observed={BUSY: 999, f"{BUSY} @ join": 950, "parallelism @ join": 100},
        ),
        bad("pipeline.name: orders\n", at="pipeline.name", observed={BUSY: 960, "parallelism": 1}),
        good(f"{PARALLELISM}: 4\n", observed={BUSY: 960, TRUE_RATE: 5000, ARRIVALS: 3500}),
        good(f"{PARALLELISM}: 4\n", observed={BUSY: 900}),
    ]
