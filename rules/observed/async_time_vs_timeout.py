"""Records stay so long in an asynchronous operator that its timeout is near.

## What it does
Takes the time records spend in an asynchronous operator (by Little's law, 99th percentile). Where
`table.exec.async-lookup.timeout` is set, reports more than half of it. In DataStream jobs the timeout is in the code:
there ten seconds and more are told, with what the timeout must be above.

## Why it matters
The timeout counts from the moment the record enters the operator, so with a pool of threads the wait for a free one
counts. One record above it fails the job by default, it restarts with a larger backlog, the operator fills up, and
more records time out.

## What to do
Make the timeout cover the line: calls in line for each thread × the longest call + one more. `flint size async-io`
reckons it from pool, capacity and timeouts of the client.

## Not when
Records in flight were not observed, or less than ten seconds in a DataStream job.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/operators/asyncio/#timeout-handling>
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/config/#table-exec-async-lookup-timeout>
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.async_calls import HEADROOM
from flink_flint.calculators.formulas.duration_rounding import rounded_up
from flink_flint.linter.flink.values import MILLISECOND
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting, likewise, setting_text

TIME = "operator/inFlightTime"
TIMEOUT = "table.exec.async-lookup.timeout"


@rule(
    code="FLK674",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{TIME}"],
    since="0.1",
    thresholds={
        "long": Threshold("10 s", "time that a record may stay where the timeout is in the code"),
        "near": Threshold(0.5, "part of the timeout that a record may stay"),
    },
)
def async_time_vs_timeout(config: View) -> Iterator[Finding]:
    """records stay so long in an asynchronous operator that its timeout is near"""
    setting, timeout = config.get(TIMEOUT), config.duration(TIMEOUT)
    if timeout is None:
        return
    near = config.threshold("near")
    least = (near * timeout if setting.is_set else config.threshold("long")) / MILLISECOND
    slow = config.observed_where(TIME, p=0.99, above=least)
    if not slow:
        return
    time = slow[0]
    longest = time.holder.observed(TIME) or time
    stay = f"records stay {lasting(time / 1000)} in {time.holder} ({time.basis}){likewise(slow, 'operator')}"
    enough = rounded_up(max(time / near, HEADROOM * longest) / 1000)
    if setting.is_set:
        value = setting_text(enough)
        yield setting.finding(
            f"{stay}, and time out after {lasting(timeout.seconds)}",
            help=f"set {setting.written} to {value}, or make the calls faster",
            fix=setting.replace(value),
            evidence=evidence(time, longest, timeout_ms=timeout.milliseconds),
        )
    else:
        yield config.finding(
            f"{stay}: the timeout in the job's code must be well above that",
            help=f"give it {setting_text(enough)} or more; `flint size async-io` reckons with pool and capacity",
            severity=Severity.INFO,
            evidence=evidence(time, longest),
        )


def cases() -> list[Case]:
    return [
        bad(
            f"{TIMEOUT}: 60 s\n", at=TIMEOUT, observed={TIME: {"p50": 900, "p99": 48_000}}, severity=Severity.WARNING,
            says="records stay 48 s in 'enrich' of job 'orders' (p99", fixed=f"{TIMEOUT}: 96 s\n",
        ),
        bad("parallelism.default: 4\n", observed={TIME: {"p50": 900, "p99": 25_000}}, severity=Severity.INFO,
            says="the timeout in the job's code must be well above that"),
        good(f"{TIMEOUT}: 3 min\n", observed={TIME: {"p50": 900, "p99": 48_000}}),
        good("parallelism.default: 4\n", observed={TIME: {"p50": 900, "p99": 4000}}),
        bad(f"{TIMEOUT}: 60 s\n", observed={TIME: {"p99": 40_000, "max": 100_010}}, fixed=f"{TIMEOUT}: 130 s\n"),
        bad("parallelism.default: 4\n", observed={TIME: 10_001}, severity=Severity.INFO),
        good("parallelism.default: 4\n", observed={TIME: 10_000}),
        good(f"{TIMEOUT}: '{{{{ timeout }}}}'\n", observed={TIME: {"p50": 900, "p99": 48_000}}),
        good("pipeline.name: payments\n", observed={TIME: 48_000}),
    ]  # fmt: skip
