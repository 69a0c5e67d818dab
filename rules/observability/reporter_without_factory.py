"""A metric reporter has options and nothing that makes it.

## What it does
Looks at the reporters that `metrics.reporters` names: reports one with options (`metrics.reporter.prom.port`) and
without `metrics.reporter.prom.factory.class`, such as where the key is spelled `metrics.reporter.prom.factory`.

## Why it matters
The class of the factory is what makes a reporter. Without it Flink finds none of the name and starts without a word, or
logs `No reporter factory set for reporter prom. Metrics might not be exposed/reported.` The port is closed, and metrics
are missing when they are needed.

## What to do
Set `metrics.reporter.<name>.factory.class` to the factory, which ends in `Factory`:
`org.apache.flink.metrics.prometheus.PrometheusReporterFactory`.

## Not when
The reporter has the key, or `class` (see `metrics-reporter-class`), the file is only a part of the configuration, or
the names in `metrics.reporters` are not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/>
-
  <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/metrics/ReporterSetupBuilder.java>
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_REPORTERS = "metrics.reporters"
_MAKES = ("factory.class", "class")
_FACTORIES = {"prom": "prometheus.PrometheusReporter", "promgateway": "prometheus.PrometheusPushGatewayReporter"}


@rule(
    code="FLK260",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_REPORTERS],
    flink=">=1.9",
    since="0.1",
)
def reporter_without_factory(config: View) -> Iterator[Finding]:
    """a metric reporter has options, but nothing that makes it"""
    names = config.string(_REPORTERS)
    if names is None or not config.document.whole:
        return
    for name in dict.fromkeys(filter(None, re.split(r"[,\s;\[\]\"']+", names))):
        opening = f"metrics.reporter.{name}."
        options = list(config.under(opening))
        if not options or any(one.written.removeprefix(opening) in _MAKES for one in options):
            continue
        near = next((one for one in options if "factory" in one.written or "class" in one.written), options[0])
        factory = _FACTORIES.get(name)
        yield near.finding(
            f"nothing makes the reporter {name}: it has options and no {opening}factory.class, so its metrics go"
            " nowhere ('No reporter factory set')",
            help=f"set {opening}factory.class"
            + (f": org.apache.flink.metrics.{factory}Factory" if factory else " to the class of its factory"),
            related=[config.get(_REPORTERS)],
            at="key",
        )


_PORT = "metrics.reporter.prom.port: 9249\n"
_FACTORY = "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad(
            f"metrics.reporters: prom\nmetrics.reporter.prom.factory: PrometheusReporter\n{_PORT}", flink="1.20",
            at="metrics.reporter.prom.factory", severity=Severity.ERROR, says="nothing makes the reporter prom",
        ),
        bad(f"metrics.reporters: jmx, prom\n{_PORT}", flink="1.18", at="metrics.reporter.prom.port"),
        good(f"metrics.reporters: prom\n{_FACTORY}{_PORT}", flink="1.20"),
        good("metrics.reporters: prom\nmetrics.reporter.prom.class: own.Reporter\n", flink="1.14"),
        good("metrics.reporters: prom\n", flink="1.20"),
        good(_PORT, flink="1.20"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_ignores("reporters", "metrics.reporters: own\nmetrics.reporter.own.port: 1\n", good="rest.port: 8081\n"),
    ]
