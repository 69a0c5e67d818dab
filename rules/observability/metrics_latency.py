"""Latency markers are on, and each keeps a histogram for many pairs of tasks.

## What it does
Reports `metrics.latency.interval` above 0, with the number of histograms that `metrics.latency.granularity` leads to.

## Why it matters
Sources send markers through the whole job, and every operator keeps a histogram of 128 values for each source (with
`operator`, the default) or for each *subtask* of each source (with `subtask`): 10 operators behind one source at
parallelism 50 then have 10 x 50 x 50 = 25 000 histograms, each of them eleven values to a reporter. Markers do not wait
like records do (they overtake those in windows and async calls), so they tell little of a record's latency.

## What to do
Leave the interval at 0 and switch it on for the hour of an investigation, with granularity `operator` or `single`.

## Not when
The interval is 0 or a template; `single` with an interval of a minute or more is cheap.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#end-to-end-latency-tracking>: what markers
  measure, and that they can be costly
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#metrics-latency-interval>: the options
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View


@rule(
    code="FLK920",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["metrics.latency.interval"],
    of_scale=True,
    since="0.1",
    thresholds={"interval": Threshold("60 s", "interval from which markers cost little")},
)
def metrics_latency(config: View) -> Iterator[Finding]:
    """latency markers are on, which costs a histogram for many pairs of tasks"""
    setting = config.get("metrics.latency.interval")
    interval = config.duration("metrics.latency.interval")
    if interval is None or interval <= 0:
        return
    short = interval < config.threshold("interval")
    granularity = (config.string("metrics.latency.granularity") or "operator").lower()
    if granularity == "single" and not short:
        return
    each = {
        "subtask": "for each subtask of each source, which grows with the square of the parallelism",
        "single": "at every operator's subtask",
    }.get(granularity, "for each source at every operator's subtask")
    yield setting.finding(
        f"markers every {interval} make Flink keep a latency histogram {each}",
        help="set metrics.latency.interval: 0 and switch it on for an investigation only",
        severity=None if granularity == "subtask" or short else Severity.INFO,
        fix=setting.replace("0"),
        related=[config.get("metrics.latency.granularity")],
    )


def claims() -> list[Claim]:
    return [
        flink_uses(
            "latency markers",
            "metrics.latency.granularity: subtask\n",
            "3 histograms",
            good="metrics.latency.granularity: single\n",
            both="metrics.latency.interval: 300000\n",
            releases=">=1.10",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad("metrics.latency.interval: 1000\n", at="metrics.latency.interval", flink="1.18",
            fixed="metrics.latency.interval: 0\n"),
        bad("metrics.latency.interval: 5 min\nmetrics.latency.granularity: subtask\n", at="metrics.latency.interval",
            says="square of the parallelism", severity=Severity.WARNING),
        bad("metrics.latency.interval: 5 min\n", severity=Severity.INFO),
        good("metrics.latency.interval: 0\nmetrics.latency.granularity: subtask\n", flink="1.18"),
        good("metrics.latency.interval: 5 min\nmetrics.latency.granularity: single\n"),
        good("metrics.latency.interval: ${LATENCY}\n", flink="1.18"),
        good("metrics.latency.granularity: subtask\n", flink="1.18"),
        bad("metrics.latency.interval: 1 s\n", profile="development", severity=Severity.INFO),
        bad("metrics.latency.interval: 59 s\nmetrics.latency.granularity: single\n", severity=Severity.WARNING),
        bad("metrics.latency.interval: 60 s\n", severity=Severity.INFO),
        bad("metrics.latency.interval: 60 s\nmetrics.latency.granularity: ${GRANULARITY}\n", severity=Severity.INFO),
        good("metrics.latency.interval: 60 s\nmetrics.latency.granularity: single\n"),
    ]  # fmt: skip
