"""The reporter to a Prometheus Pushgateway overwrites itself, or has no address.

## What it does
Of a Pushgateway reporter it reports
- `randomJobNameSuffix: false`, where no `groupingKey` sets the processes apart;
- from 2.0 on, `host` and `port` without `hostUrl`.

## Why it matters
The Pushgateway keeps one set of metrics for each job name and grouping key. If all processes push under one name, each
push replaces that of another process, and the graphs jump between them. From 2.0 on the reporter takes its address from
`hostUrl` alone; without it, it is not made (`hostUrl must not be null or empty`).

## What to do
Leave `randomJobNameSuffix` at its default, true, with `deleteOnShutdown: true`; write
`hostUrl: http://pushgateway:9091`.

## Not when
A `groupingKey` with a variable in it tells the processes apart; the value is a template.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#prometheuspushgateway>:
  the options of the reporter
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observability._reporters import READS, Reporter, reporters


@rule(
    code="FLK924",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=READS,
    flink=">=1.9",
    since="0.1",
)
def pushgateway(config: View) -> Iterator[Finding]:
    """the reporter to a Prometheus Pushgateway overwrites itself or has no address"""
    for reporter in reporters(config):
        if reporter.is_a("PrometheusPushGatewayReporter"):
            yield from _one_name(config, reporter)
            yield from _no_address(config, reporter)


def _one_name(config: View, reporter: Reporter) -> Iterator[Finding]:
    prefix = f"metrics.reporter.{reporter.name}"
    suffix, grouping = config.get(f"{prefix}.randomJobNameSuffix"), config.get(f"{prefix}.groupingKey")
    if suffix.text.strip().lower() != "false" or grouping.is_set:
        return
    yield suffix.finding(
        "all processes push under one job name, so each push replaces the metrics of another process",
        help=f"delete {suffix.written} (true by default), or give every process a groupingKey of its own",
        fix=suffix.remove(),
    )


def _no_address(config: View, reporter: Reporter) -> Iterator[Finding]:
    prefix = f"metrics.reporter.{reporter.name}"
    host, port = config.get(f"{prefix}.host"), config.get(f"{prefix}.port")
    if not config.since("2.0") or config.is_set(f"{prefix}.hostUrl") or not host.is_set:
        return
    address = f"http://{host.text}:{port.text or '9091'}"
    yield host.finding(
        f"from 2.0 on the reporter {reporter.name} takes its address from hostUrl alone and is not made without it",
        help=f"write {prefix}.hostUrl: {address}",
        severity=Severity.ERROR,
        at="key",
    )


_PUSH = (
    "metrics.reporter.push.factory.class: org.apache.flink.metrics.prometheus.PrometheusPushGatewayReporterFactory\n"
)
_URL = "metrics.reporter.push.hostUrl: http://push:9091\n"
_NAME = "metrics.reporter.push.jobName: orders\n"
_SAME = "metrics.reporter.push.randomJobNameSuffix: false\n"


def claims() -> list[Claim]:
    return [
        flink_fails(
            "reporter",
            "metrics.reporter.push.host: push\nmetrics.reporter.push.port: 9091\n",
            good=_URL,
            both=_PUSH,
            releases=">=2.0",
        ),
    ]


def cases() -> list[Case]:
    return [
        bad(_PUSH + _URL + _NAME + _SAME, at="metrics.reporter.push.randomJobNameSuffix", flink="1.18",
            fixed=_PUSH + _URL + _NAME),
        bad(_PUSH + "metrics.reporter.push.host: push\nmetrics.reporter.push.port: 9091\n", flink="2.0",
            at="metrics.reporter.push.host", severity=Severity.ERROR, says="hostUrl"),
        good(_PUSH + _URL + _NAME, flink="2.0"),
        good(_PUSH + "metrics.reporter.push.host: push\nmetrics.reporter.push.port: 9091\n", flink="1.20"),
        good(_PUSH + _URL + _SAME + "metrics.reporter.push.groupingKey: tm=${HOSTNAME}\n", flink="1.18"),
        good(_SAME + _URL, flink="1.18"),
        good(
            "metrics.reporter.push.factory.class: "
            "org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
            "metrics.reporter.push.randomJobNameSuffix: false\n",
            flink="1.18",
        ),
        good(_PUSH + _URL + "metrics.reporter.push.host: push\n", flink="2.0"),
        good(_PUSH, flink="2.0"),
    ]  # fmt: skip
