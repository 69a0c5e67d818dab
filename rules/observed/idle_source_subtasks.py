"""Some subtasks of a source have nothing to read.

## What it does
Reports sources of which the subtask that reads most reads more than one and a half times the mean, always by the same
factor (the 95th percentile is within a tenth of the median). That is what more subtasks than partitions or shards look
like: with 6 partitions for 10 subtasks the factor is 10/6.

## Why it matters
A partition is read by one subtask. The others idle, hold slots, and hold back watermarks where no idleness is
configured (`table.exec.source.idle-timeout`, `withIdleness`), so that windows never fire.

## What to do
Give the source as many subtasks as it has partitions, or a divisor of that, and let the operators behind it have more
after an exchange.

## Not when
The load of the partitions differs as steadily: medium confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#idleness>: more subtasks than
  partitions
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/event-time/generating_watermarks/#dealing-with-idle-sources>
"""

from collections.abc import Iterator

from flink_flint.linter.model.observations import Observed
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import PARALLELISM, parallelism_setting
from flink_flint.rules.observed._wording import count, evidence, likewise

SKEW = "task/recordsSkew"
_MOST = 1.5
_STEADY = 1.1


@rule(
    code="FLK681",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{SKEW} p50 > {_MOST}"],
    since="0.1",
)
def idle_source_subtasks(config: View) -> Iterator[Finding]:
    """some subtasks of a source have nothing to read"""
    found = [uneven for uneven in config.observed_where(SKEW, p=0.5, above=_MOST) if _is_steady_source(uneven)]
    if not found:
        return
    uneven = found[0]
    operator = uneven.operator
    reading = max(1, round(operator.parallelism / uneven))
    message = (
        f"of {operator.parallelism} subtasks of {operator} one reads {uneven:.3g} times the mean, all of the time"
        f" ({uneven.basis}): as if only {reading} had something to read{likewise(found, 'source')}"
    )
    cure = f"give the source {count(reading, 'subtask')}, as many as it has partitions or shards"
    setting = parallelism_setting(config, operator)
    proof = evidence(uneven, parallelism=operator.parallelism, reading=reading)
    if setting is None:
        yield config.finding(message, help=cure, evidence=proof)
    else:
        yield setting.finding(message, help=cure, evidence=proof)


def _is_steady_source(uneven: Observed) -> bool:
    operator = uneven.operator
    return operator.is_source and operator.parallelism > 1 and uneven.other("p95") <= _STEADY * uneven


_IN = "Source: in"


def cases() -> list[Case]:
    return [
        bad(f"{PARALLELISM}: 10\n", at=PARALLELISM, says="as if only 6 had something to read",
            observed={f"{SKEW} @ {_IN}": {"p50": 1.67, "p95": 1.7}, f"parallelism @ {_IN}": 10}),
        bad("pipeline.name: orders\n", observed={f"{SKEW} @ {_IN}": 4.0}, says="as if only 1 had"),
        good("pipeline.name: payments\n", observed={f"{SKEW} @ {_IN}": 4.0}),
        good(f"{PARALLELISM}: 10\n", observed={f"{SKEW} @ {_IN}": {"p50": 1.67, "p95": 3.0}}),
        good(f"{PARALLELISM}: 10\n", observed={SKEW: 4.0}),
        bad(f"pipeline.name: orders\n{PARALLELISM}: 2\n", at=PARALLELISM,
            observed={f"{SKEW} @ {_IN}": {"p50": 2.0, "p95": 2.2}, f"parallelism @ {_IN}": 2}),
        bad("pipeline.name: orders\n", at="pipeline.name",
            observed={f"{SKEW} @ {_IN}": 4.0, f"{SKEW} @ Source: single": 4.0, "parallelism @ Source: single": 1}),
        good("pipeline.name: orders\n", observed={f"{SKEW} @ {_IN}": 4.0, f"parallelism @ {_IN}": 1}),
        good("pipeline.name: orders\n", observed={f"{SKEW} @ {_IN}": 1.5, f"{SKEW} @ join": 2.0}),
    ]  # fmt: skip
