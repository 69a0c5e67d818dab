"""One subtask does the work of several.

## What it does
Reports operators whose busiest subtask is more than twice as busy as the mean (the median over the time observed) and
busy for more than 70 % of the time at the 99th percentile. Where `pipeline.max-parallelism` is set, it reckons how much
of that its key groups explain.

## Why it matters
An operator is as fast as its fullest subtask. More subtasks do not help when the keys of one of them make the load;
backpressure reaches the source all the same, and the others wait.

## What to do
If few key groups are the cause, take a parallelism that divides the max parallelism. If a few keys are, aggregate them
before the exchange (`table.optimizer.agg-phase-strategy: TWO_PHASE`, `table.optimizer.distinct-agg.split.enabled`), or
salt the key and aggregate twice.

## Not when
The fullest subtask has time left.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/tuning/#local-global-aggregation>: aggregating
  before the exchange
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-an-explicit-max-parallelism>
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import skew
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import BUSY, SKEW
from flink_flint.rules.observed._wording import evidence, likewise, percent

MAX = "pipeline.max-parallelism"
_SKEWED = 2.0
_BUSY = 700
_EXPLAINED = 1.3


@rule(
    code="FLK680",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{SKEW} p50 > {_SKEWED}"],
    since="0.1",
)
def busy_skew(config: View) -> Iterator[Finding]:
    """one subtask does the work of several"""
    found = []
    for uneven in config.observed_where(SKEW, p=0.5, above=_SKEWED):
        busy = uneven.operator.observed(BUSY, p=0.99)
        if busy is not None and busy > _BUSY:
            found.append((uneven, busy))
    if not found:
        return
    uneven, busy = found[0]
    operator, groups = uneven.operator, config.integer(MAX)
    why, cure = "", "aggregate before the exchange, or salt the keys that make the load"
    setting = config.get(MAX)
    by_groups = skew(groups, operator.parallelism) if groups and groups >= operator.parallelism else 1.0
    if by_groups >= _EXPLAINED:
        why = f"; {groups} key groups on {operator.parallelism} subtasks alone make it {by_groups:.3g} times"
        cure = f"take a parallelism that divides {groups}; then {cure}"
    message = (
        f"the fullest subtask of {operator} is {uneven:.3g} times as busy as the mean ({uneven.basis}), up to"
        f" {percent(busy / 1000)} of the time{why}{likewise(found, 'operator')}"
    )
    proof = evidence(uneven, busy)
    if setting.is_set and why:
        yield setting.finding(message, help=cure, evidence=proof)
    else:
        yield config.finding(message, help=cure, evidence=proof)


def cases() -> list[Case]:
    return [
        bad(
            "parallelism.default: 4\n",
            at="parallelism.default",
            observed={SKEW: 3.2, BUSY: {"p50": 250, "p99": 990}},
            says="the fullest subtask of 'enrich' of job 'orders' is 3.2 times as busy as the mean (p50",
        ),
        bad(
            f"{MAX}: 128\n", at=MAX, observed={SKEW: 2.1, BUSY: 990, "parallelism": 96}, says="alone make it 1.5 times"
        ),
        good("parallelism.default: 4\n", observed={SKEW: 3.2, BUSY: 300}),
        good("parallelism.default: 4\n", observed={SKEW: {"p50": 1.4, "p99": 5.0}, BUSY: 990}),
        bad(f"parallelism.default: 96\n{MAX}: 128\n", at=MAX, observed={SKEW: 2.1, BUSY: 990, "parallelism": 96}),
        bad(f"parallelism.default: 4\n{MAX}: 128\n", at="parallelism.default", observed={SKEW: 2.1, BUSY: 990}),
        bad(
            f"parallelism.default: 10\n{MAX}: 13\n",
            observed={SKEW: 2.1, BUSY: 990, "parallelism": 10},
            says="13 key groups on 10 subtasks alone make it 1.54 times",
        ),
        bad(
            f"parallelism.default: 128\n{MAX}: 128\n",
            at="parallelism.default",
            observed={SKEW: 2.1, BUSY: 990, "parallelism": 128},
        ),
        bad(
            f"parallelism.default: 64\n{MAX}: 32\n",
            at="parallelism.default",
            observed={SKEW: 2.1, BUSY: 990, "parallelism": 64},
        ),
        bad(f"parallelism.default: 4\n{MAX}: ${{MAX}}\n", at="parallelism.default", observed={SKEW: 2.1, BUSY: 990}),
        bad("parallelism.default: 4\n", observed={SKEW: 2.1, BUSY: 700.5}),
        good("parallelism.default: 4\n", observed={SKEW: 2.1, BUSY: 700}),
        good("parallelism.default: 4\n", observed={SKEW: 2.0, BUSY: 990, f"{SKEW} @ join": 3.0}),
        good("pipeline.name: payments\n", observed={SKEW: 3.2, BUSY: 990}),
    ]
