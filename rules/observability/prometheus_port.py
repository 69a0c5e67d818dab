"""One port for the Prometheus reporters of several processes of a machine.

## What it does
On YARN and EMR it reports a Prometheus reporter with a single port: a number in `metrics.reporter.<name>.port`, or the
default 9249.

## Why it matters
Each process opens a port of its own, and a NodeManager runs several containers of Flink. The first takes the port; the
others fail with `Could not start PrometheusReporter HTTP server on any configured port`, run on without the reporter
and are missing in all graphs. Which process that is changes with each start.

## What to do
Give a range that is longer than the number of processes on one machine (`9250-9260`), and let Prometheus look at all of
it.

## Not when
The port is a range; it is a template; each process has an address of its own, as in pods and containers of Docker.
Containers that mount the file, on the network of their host for one, are the business of `two-jobs-one-identity`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#prometheus>: port and range
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_fails
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observability._reporters import READS, reporters

_RANGE = "9250-9260"


@rule(
    code="FLK923",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=READS,
    of_scale=True,
    flink=">=1.9",
    since="0.1",
)
def prometheus_port(config: View) -> Iterator[Finding]:
    """one port for the Prometheus reporters of several processes of a machine"""
    if config.platform not in ("yarn", "emr") or config.is_mounted:
        return
    for reporter in reporters(config):
        if not reporter.is_a("PrometheusReporter"):
            continue
        port = config.get(f"metrics.reporter.{reporter.name}.port")
        if port.is_set and (not port.text.strip().isdigit() or port.text.strip() == "0"):
            continue
        number = port.text.strip() if port.is_set else "9249, the default"
        yield (port if port.is_set else reporter.setting).finding(
            f"several containers of a machine want port {number}: the first gets it, the others run without metrics",
            help=f"set metrics.reporter.{reporter.name}.port: {_RANGE}, and let Prometheus look at the whole range",
            fix=port.replace(_RANGE),
        )


_PROM = "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"

_JMX = "metrics.reporter.jmx.factory.class: org.apache.flink.metrics.jmx.JMXReporterFactory\n"


def claims() -> list[Claim]:
    both = "yarn.application-attempts: 2\n" + "".join(
        f"metrics.reporter.{name}.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
        for name in ("first", "second")
    )
    ports = "metrics.reporter.first.port: {0}\nmetrics.reporter.second.port: {0}\n"
    return [
        flink_fails("reporter", ports.format("9249"), good=ports.format("9250-9260"), both=both, releases=">=1.19"),
    ]


def cases() -> list[Case]:
    return [
        bad(
            f"{_PROM}metrics.reporter.prom.port: 9249\n",
            at="metrics.reporter.prom.port",
            platform="yarn",
            flink="1.18",
            fixed=f"{_PROM}metrics.reporter.prom.port: 9250-9260\n",
        ),
        bad(_PROM, at="metrics.reporter.prom.factory.class", platform="emr", says="the default"),
        good(f"{_PROM}metrics.reporter.prom.port: 9250-9260\n", platform="yarn"),
        good(f"{_PROM}metrics.reporter.prom.port: 9249\n", platform="kubernetes"),
        good(f"{_PROM}metrics.reporter.prom.port: 9249\n"),
        good(f"{_PROM}metrics.reporters: jmx\nmetrics.reporter.prom.port: 9249\n", platform="yarn"),
        bad(f"{_JMX}{_PROM}", at="metrics.reporter.prom.factory.class", platform="yarn"),
        bad(_PROM, platform="yarn", profile="development", severity=Severity.INFO),
        bad(
            "metrics.reporter.a.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
            "metrics.reporter.a.port: 9250-9260\n"
            "metrics.reporter.prom.factory.class: "
            "org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n",
            platform="yarn",
        ),
        bad(f"{_PROM}metrics.reporters: jmx; prom\n", platform="yarn"),
        bad(f"{_PROM}metrics.reporters: ${{REPORTERS}}\n", platform="yarn", flink="1.18"),
        bad(
            "metrics.reporter.prom.factory.class: "
            "org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
            "metrics.reporter.prom.class: org.apache.flink.metrics.prometheus.PrometheusReporter\n",
            platform="yarn",
            flink="1.16",
        ),
        good(f"{_PROM}metrics.reporter.prom.port: 0\n", platform="yarn"),
        good(f"{_PROM}metrics.reporter.prom.port: ${{PORT}}\n", platform="yarn", flink="1.18"),
    ]
