"""The job falls behind the end of its Kinesis stream, toward the end of its retention.

## What it does
Reports sources whose distance to the end of a stream (`millisBehindLatest` of a shard or the job, or CloudWatch's
`GetRecords.IteratorAgeMilliseconds`) was an hour or more at last, close to the largest value ever seen and more than
twice the median: it grows.

## Why it matters
A stream keeps records for 24 hours unless told otherwise. What the job has not read by then is gone, and no
checkpoint brings it back. A polling reader gets at most 2 MB/s of a shard, twice what can be written to it, so a
backlog takes as long to read as it took to come, and more readers make it longer.

## What to do
Find what limits it: the job (`too-little-parallelism`), refused reads (`kinesis-reads-refused`), a limit of records
for each call that is too low. Lengthen the retention of the stream meanwhile. `flint size kinesis` and
`flint size catch-up` say what is possible.

## Not when
The lag is shrinking.

## Sources
- <https://docs.aws.amazon.com/streams/latest/dev/kinesis-extended-retention.html>: how long records are kept
- <https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>: the limits of a shard
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.kinesis_limits import READ_BYTES, WRITE_BYTES
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._lag import is_growing
from flink_flint.rules.observed._wording import evidence, lasting, likewise

BEHIND = ("operator/millisBehindLatest", "job/millisBehindLatest", "stream/GetRecords.IteratorAgeMilliseconds")
_LONG = 3_600_000
_RETENTION = 86_400


@rule(
    code="FLK683",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=[f"observed:{metric} last > {_LONG}" for metric in BEHIND],
    since="0.1",
)
def kinesis_falls_behind(config: View) -> Iterator[Finding]:
    """the job falls behind the end of its Kinesis stream"""
    for metric in BEHIND:
        found = [lag for lag in config.observed_where(metric, statistic="last", above=_LONG) if is_growing(lag)]
        if not found:
            continue
        lag = found[0]
        who = "a reader" if metric.startswith("stream/") else str(lag.holder)
        yield config.finding(
            f"{who} was {lasting(lag / 1000)} behind the end of its stream at last, and falls further behind"
            f" ({lag.window}); records are kept for {lasting(_RETENTION)} unless the stream says otherwise"
            f"{likewise(found, 'source')}",
            help=f"find what limits it; a shard is read at up to {READ_BYTES // WRITE_BYTES} times the rate it may"
            " be written at (`flint size kinesis`, `flint size catch-up`)",
            evidence=evidence(lag, lag.holder.observed(metric, p=0.5), lag.holder.observed(metric)),
        )
        return


_IN = "Source: in"


def cases() -> list[Case]:
    return [
        bad(
            "parallelism.default: 4\n",
            says="'Source: in' of job 'orders' was 11 h 7 min behind",
            observed={f"{BEHIND[0]} @ {_IN}": {"p50": 20_000, "p95": 9e6, "max": 4e7, "last": 4e7}},
        ),
        bad(
            "parallelism.default: 4\n",
            says="job 'orders' was",
            observed={BEHIND[1]: {"p50": 20_000, "max": 4e7, "last": 4e7}},
        ),
        bad("parallelism.default: 4\n", observed={BEHIND[2]: {"p50": 20_000, "p95": 9e6, "max": 9e7, "last": 9e7}}),
        good(
            "parallelism.default: 4\n",
            observed={f"{BEHIND[0]} @ {_IN}": {"p50": 20_000, "p95": 9e6, "max": 4e7, "last": 5e6}},
        ),
        good(
            "parallelism.default: 4\n", observed={f"{BEHIND[0]} @ {_IN}": {"p50": 200, "max": 900_000, "last": 900_000}}
        ),
        bad("parallelism.default: 4\n", observed={BEHIND[1]: {"p50": 20_000, "max": 3_700_000, "last": 3_700_000}}),
        good("parallelism.default: 4\n", observed={BEHIND[1]: {"p50": 20_000, "max": 3_600_000, "last": 3_600_000}}),
    ]
