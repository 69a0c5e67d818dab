"""A metric reporter is configured and not among those to load.

## What it does
Compares `metrics.reporters` with the reporters that have a class or a factory.

## Why it matters
`metrics.reporters` is a filter: if it is set, Flink leaves out every reporter that it does not name, with a line at
INFO. The metrics are missing where the alarms look for them.

## What to do
Add the name to the list, or delete the list: without it all reporters are loaded.

## Not when
The list is a template; the reporter has neither a class nor a factory.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#metrics-reporters>: what the list does
"""

import re
from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_CLASS = regex(r"metrics\.reporter\.([^.\s]+)\.(?:factory\.)?class")


@rule(
    code="FLK922",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["metrics.reporters"],
    flink=">=1.9",
    since="0.1",
)
def metrics_reporters_filter(config: View) -> Iterator[Finding]:
    """a metric reporter is configured and not among those to load"""
    chosen = config.get("metrics.reporters")
    names = config.string("metrics.reporters")
    if names is None:
        return
    # A list of YAML becomes the text `[a, b]`, whose first name begins with a bracket for Flink.
    is_list = names.startswith("[")
    listed = re.split(r"[,\s;]+", names)
    wanted = [name for name in re.split(r"[,\s;\[\]\"']+", names) if name]
    told = set()
    for setting in config.under("metrics.reporter."):
        match = _CLASS.fullmatch(setting.written)
        if match is None or match[1] in listed or match[1] in told:
            continue
        told.add(match[1])
        yield setting.finding(
            f"the reporter {match[1]} is not loaded, because metrics.reporters ({names}) does not name it"
            f"{': to Flink it is a text, and the brackets are part of its names' if is_list else ''}",
            help="write the names without brackets, separated by `,`"
            if is_list
            else f"add {match[1]} to metrics.reporters, or delete that list",
            related=[chosen],
            fix=chosen.replace(", ".join(dict.fromkeys([*wanted, match[1]]))),
            at="key",
        )


_PROM = "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
_JMX = "metrics.reporter.jmx.factory.class: org.apache.flink.metrics.jmx.JMXReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad(
            f"metrics.reporters: jmx\n{_PROM}{_JMX}", at="metrics.reporter.prom.factory.class", flink="1.18",
            fixed=f"metrics.reporters: jmx, prom\n{_PROM}{_JMX}",
        ),
        bad(f"metrics.reporters: prometheus\n{_PROM}", says="prom is not loaded"),
        bad(f"metrics.reporters: [prom]\n{_PROM}", says="the brackets are part of its names"),
        good(f"metrics.reporters: jmx,prom\n{_PROM}{_JMX}", flink="1.18"),
        good(f"{_PROM}{_JMX}"),
        good(f"metrics.reporters: ${{REPORTERS}}\n{_PROM}", flink="1.18"),
        good("metrics.reporters: jmx\nmetrics.reporter.prom.port: 9250\n", flink="1.18"),
        bad(f"metrics.reporters: 'jmx, '\nmetrics.reporter.prom.port: 9250\n{_PROM}", flink="1.18",
            fixed=f"metrics.reporters: jmx, prom\nmetrics.reporter.prom.port: 9250\n{_PROM}"),
        bad(
            "metrics.reporters: jmx\n"
            "metrics.reporter.prom.factory.class: "
            "org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
            "metrics.reporter.prom.class: org.apache.flink.metrics.prometheus.PrometheusReporter\n",
            flink="1.16",
        ),
        bad(f"metrics.reporters: jmx\n{_JMX}{_PROM}", at="metrics.reporter.prom.factory.class", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "reporters",
            "metrics.reporters: own\nmetrics.reporter.own.factory.class: TestReporter\n"
            "metrics.reporter.other.factory.class: TestReporter\n",
            good="metrics.reporters: own\nmetrics.reporter.own.factory.class: TestReporter\n",
            releases=">=1.11",
        ),
    ]
