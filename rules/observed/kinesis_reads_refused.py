"""Kinesis refuses reads: the readers of a shard ask for more than it gives.

## What it does
Reports streams whose `ReadProvisionedThroughputExceeded`, as CloudWatch counts it, is above zero in one of twenty
samples.

## Why it matters
All readers that poll a shard share 2 MB/s and five calls a second, and a call that returns 10 MB is followed by five
seconds of refusals. A reader that is refused waits and tries again: it falls behind, other applications on the stream
with it, and after a backlog of its own it asks for the most each call can bring.

## What to do
One call every 200 ms for each application that reads, and no more records in it than 2 MB/s allow: `flint size kinesis`
reckons `flink.shard.getrecords.maxrecordcount` and `…intervalmillis` (`source.shard.get-records.max-record-count` with
the newer source). Or give each consumer a throughput of its own: enhanced fan-out.

## Not when
CloudWatch metrics of the stream were not imported.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: the limits of a shard
- <https://docs.aws.amazon.com/streams/latest/dev/monitoring-with-cloudwatch.html>: the metric
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.kinesis_limits import READ_BYTES, READ_CALLS
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, lasting

REFUSED = ("stream/ReadProvisionedThroughputExceededPerSecond", "stream/ReadProvisionedThroughputExceeded")
"""From CloudWatch's sums, and from its other statistics."""
AGE = "stream/GetRecords.IteratorAgeMilliseconds"


@rule(
    code="FLK682",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{metric} p95 > 0" for metric in REFUSED],
    since="0.1",
)
def kinesis_reads_refused(config: View) -> Iterator[Finding]:
    """Kinesis refuses reads: the readers of a shard ask for more than it gives"""
    refused = next((found for metric in REFUSED if (found := config.observed(metric, p=0.95))), None)
    if refused is None:
        return
    age = config.observed(AGE, p=0.99)
    behind = "" if not age else f"; the oldest record read was {lasting(age / 1000)} old"
    yield config.finding(
        f"Kinesis refuses reads in one of twenty samples or more ({refused.basis}): the readers of a shard together get"
        f" {READ_BYTES // 1_000_000} MB and {READ_CALLS} calls a second{behind}",
        help="read less in each call, or use enhanced fan-out: `flint size kinesis` reckons calls and records",
        evidence=evidence(refused, config.observed(refused.metric), age),
    )


def cases() -> list[Case]:
    return [
        bad("parallelism.default: 4\n", at="parallelism.default",
            observed={REFUSED[0]: {"p50": 0, "p95": 3}, AGE: 86_400_000},
            says="the readers of a shard together get 2 MB and 5 calls a second; the oldest record read was 1 d old"),
        bad("parallelism.default: 4\n", observed={REFUSED[1]: 1}),
        good("parallelism.default: 4\n", observed={REFUSED[0]: {"p50": 0, "p95": 0, "p99": 2}}),
        good("parallelism.default: 4\n", observed={AGE: 86_400_000}),
    ]  # fmt: skip
