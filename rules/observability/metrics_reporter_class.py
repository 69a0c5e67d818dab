"""A metric reporter is named by its class, and Flink does not load it.

## What it does
From 1.17 on it reports `metrics.reporter.<name>.class` where `metrics.reporter.<name>.factory.class` is not set.

## Why it matters
From 1.17 on Flink makes reporters only through factories. It logs a warning, leaves the reporter out and runs on: the
job works and its metrics are missing, which shows only when they are needed.

## What to do
Write `metrics.reporter.<name>.factory.class` with the factory: for the reporters of Flink it is the class name with
`Factory` at its end.

## Not when
The reporter also has its `factory.class`; or `metrics.reporters` names the reporters to load and leaves it out. Where
the release is not known and may be older than 1.17, which loads reporters by their class, the finding is advice.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-24235>: only factories (1.17)
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/>:
  the reporters and their factories
"""

import re
from collections.abc import Iterator

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.finding import joined
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex

_KEY = regex(r"metrics\.reporter\.([^.\s]+)\.class")
_FIRST_WITH_FACTORIES = MINORS.index("1.17")
"""The first release that makes reporters only through factories."""
_OF_FLINK = regex(r"org\.apache\.flink\.metrics\.[\w.]+Reporter")


@rule(
    code="FLK921",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=["metrics.reporter.<name>.class"],
    flink=">=1.17",
    scope="key",
    since="0.1",
)
def metrics_reporter_class(config: View, setting: Setting) -> Iterator[Finding]:
    """a metric reporter is named by its class and is therefore not loaded"""
    match = _KEY.fullmatch(setting.written)
    if match is None:
        return
    name = match.group(1)
    chosen = config.get("metrics.reporters")
    if chosen.is_set and chosen.is_known and name not in re.split(r"[,\s]+", chosen.text):
        return
    key = f"metrics.reporter.{name}.factory.class"
    if config.is_set(key):
        return
    factory = f"{setting.text}Factory" if _OF_FLINK.fullmatch(setting.text) else None
    yield setting.finding(
        f"from 1.17 on the reporter {name} is not loaded and its metrics go nowhere: only {key} makes one",
        help=f"write {key}: {factory or 'the class of its factory'}",
        severity=Severity.INFO if _may_be_older(config) else None,
        fix=_fix(config, setting, key, factory),
        at="entry",
    )


def _may_be_older(config: View) -> bool:
    """Return whether the release is unknown and may be one that loads reporters by their class."""
    return not config.target.certain and config.target.in_question[0] < _FIRST_WITH_FACTORIES


def _fix(config: View, setting: Setting, key: str, factory: str | None) -> Fix | None:
    if factory is None:
        return None
    # Where older releases are candidates the old key may still be at work.
    return joined(f"write {key}", (setting.rename(key), setting.replace(factory)), safe=config.target.certain)


_CLASS = "metrics.reporter.prom.class: org.apache.flink.metrics.prometheus.PrometheusReporter\n"
_FACTORY = "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{_CLASS}metrics.reporter.prom.port: 9249\n", at="metrics.reporter.prom.class", flink="1.18",
            severity=Severity.ERROR, fixed=f"{_FACTORY}metrics.reporter.prom.port: 9249\n",
        ),
        bad(_CLASS, at="metrics.reporter.prom.class", severity=Severity.ERROR),
        bad("metrics.reporter.own.class: com.example.OurReporter\n", flink="1.17"),
        bad(_CLASS, file="flink-conf.yaml", severity=Severity.INFO),
        bad(_CLASS, file="flink-conf.yaml", flink=">=1.15,<1.19", severity=Severity.WARNING),
        bad(_CLASS + "jobmanager.heap.size: 1024m\n", file="flink-conf.yaml", severity=Severity.INFO),
        good(_CLASS, flink="1.16"),
        good(_CLASS + _FACTORY, flink="1.18"),
        good(f"{_CLASS}metrics.reporters: jmx\n", flink="1.18"),
        bad("metrics.reporter.own.class: com.example.OurReporter\n", flink="1.18",
            fixed="metrics.reporter.own.class: com.example.OurReporter\n"),
        bad(f"{_CLASS}metrics.reporters: jmx, prom\n", flink="1.18"),
        bad(f"{_CLASS}metrics.reporters: ${{REPORTERS}}\n", flink="1.18"),
        good(_FACTORY, flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_ignores("reporters", "metrics.reporter.own.class: TestReporter\n", good="rest.port: 8081\n"),
    ]
