"""An asynchronous operator is as full as its capacity allows.

## What it does
Reports operators whose records in flight (by Little's law, see `flint explain async-io`) stand at a plateau: the
median is at least 90 % and the 95th percentile at least 98 % of the maximum, ten records or more. Nothing but a
capacity makes such a plateau.

## Why it matters
While an operator is full each further record waits before it, and so does everything upstream: its throughput is
capacity / latency whatever else the job has. In a catch-up it stays full, and in `orderedWait` one slow call holds all
others back.

## What to do
It depends on the client, which is in the code. An asynchronous client: raise the capacity to 1.2 × rate × latency. A
pool of threads behind it: more capacity only makes the line longer, and the timeout must cover it; more threads, or
more subtasks, are the cure. `flint size async-io` reckons both.

## Not when
Records in flight were not observed. In SQL the capacity is `table.exec.async-lookup.buffer-capacity`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/>: capacity and timeout
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-async-lookup-buffer-capacity>
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.async_calls import capacity_of_client
from flink_flint.linter.model.observations import Observed
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, likewise, rated

IN_FLIGHT = "operator/inFlight"
TIME = "operator/inFlightTime"
_RATE = "operator/numRecordsInPerSecond.steady"
CAPACITY = "table.exec.async-lookup.buffer-capacity"
_FEW = 10
_MEDIAN = 0.9
_UPPER = 0.98


@rule(
    code="FLK673",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{IN_FLIGHT} max > {_FEW - 1}"],
    since="0.1",
)
def async_operator_full(config: View) -> Iterator[Finding]:
    """an asynchronous operator is as full as its capacity allows"""
    full = [most for most in config.observed_where(IN_FLIGHT, above=_FEW - 1) if _is_plateau(most)]
    if not full:
        return
    most = full[0]
    operator = most.operator
    time, rate = operator.observed(TIME, p=0.5), operator.observed(_RATE, p=0.95)
    long = "" if time is None else f", each for {lasting(time / 1000)}"
    cure = "raise the capacity of an asynchronous client; behind a pool of threads more of those, or more subtasks"
    if time is not None and rate is not None:
        wanted = max(capacity_of_client(rate, time / 1000), int(most))
        cure += f": {rated(rate)} of {lasting(time / 1000)} each want a capacity of {wanted}"
    setting = config.get(CAPACITY)
    message = (
        f"{operator} holds {int(most)} records in flight in each subtask, at the median as at the peak of"
        f" {most.window}{long}: that is its capacity, and further records wait before it{likewise(full, 'operator')}"
    )
    proof = evidence(most, operator.observed(IN_FLIGHT, p=0.5), time, rate)
    if setting.is_set and config.integer(CAPACITY) == round(most):
        yield setting.finding(message, help=cure, evidence=proof)
    else:
        yield config.finding(message, help=cure, evidence=proof)


def _is_plateau(most: Observed) -> bool:
    return most.other("p50") >= _MEDIAN * most and most.other("p95") >= _UPPER * most


def cases() -> list[Case]:
    return [
        bad(
            "parallelism.default: 4\n", at="parallelism.default",
            observed={IN_FLIGHT: {"p50": 248, "p95": 250, "max": 250}, TIME: {"p50": 800, "p99": 1200}, _RATE: 400},
            says="'enrich' of job 'orders' holds 250 records in flight in each subtask",
        ),
        bad(f"{CAPACITY}: 100\n", at=CAPACITY, observed={IN_FLIGHT: 100}),
        good("parallelism.default: 4\n", observed={IN_FLIGHT: {"p50": 30, "p95": 180, "max": 250}}),
        good("parallelism.default: 4\n", observed={IN_FLIGHT: 4}),
        bad(f"parallelism.default: 2\n{CAPACITY}: 100\n", at=CAPACITY, observed={IN_FLIGHT: 100}),
        bad(f"parallelism.default: 2\n{CAPACITY}: 100\n", at="parallelism.default", observed={IN_FLIGHT: 90}),
        bad("parallelism.default: 2\n", at="parallelism.default", observed={IN_FLIGHT: 100}),
        bad("parallelism.default: 2\n", observed={IN_FLIGHT: {"p50": 90, "p95": 98, "max": 100}}),
        bad("parallelism.default: 2\n", observed={IN_FLIGHT: 10}),
        bad("pipeline.name: orders\n", observed={IN_FLIGHT: 10, f"{IN_FLIGHT} @ join": 9}, says="holds 10 records"),
        good("parallelism.default: 2\n", observed={IN_FLIGHT: {"p50": 89, "p95": 98, "max": 100}}),
        good("parallelism.default: 2\n", observed={IN_FLIGHT: {"p50": 90, "p95": 97, "max": 100}}),
        good("parallelism.default: 2\n", observed={IN_FLIGHT: 9}),
    ]  # fmt: skip
