"""A reporter writes all metrics to the log every few seconds.

## What it does
Reports an Slf4j metric reporter whose interval is below 60 s; the default is 10 s.

## Why it matters
The reporter writes one line for every metric: some 76 lines, 9.4 KB, for each subtask (measured on 1.20.5). A
TaskManager with 4 slots and a job of ten tasks has 40 subtasks; every 10 s they make 3 GB a day on the disk that holds
the logs. Disks have filled this way and taken the cluster with them, and where logs roll, nothing else is left in them.

## What to do
Report to a metrics system (Prometheus, InfluxDB, JMX) instead. Where the log is the only place, set
`metrics.reporter.<name>.interval` to 5 min or more and let the log files roll. `flint size storage --store logs` tells
what a disk has room for.

## Not when
`metrics.reporters` names the reporters to load and leaves this one out; the interval is a template.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#slf4j>: the reporter
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/>:
  the interval and its default
"""

import re
from collections.abc import Iterator

from flink_flint.calculators.formulas.disk_use import LOGGED_BY_A_SUBTASK
from flink_flint.calculators.formulas.quantity import DAY
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import MINUTE, SECOND, Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex

_CLASS = regex(r"metrics\.reporter\.([^.\s]+)\.(?:factory\.)?class")
_UNIT = regex(r"\d\s+[A-Z]+\s*\Z")
"""A number and a unit of Java's `TimeUnit`, which is all that releases before 1.12 read."""
_DEFAULT = Duration(10 * SECOND)
_ENOUGH = Duration(5 * MINUTE)


@rule(
    code="FLK118",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["metrics.reporter.<name>.factory.class", "metrics.reporter.<name>.class"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
    thresholds={"shortest": Threshold("1 min", "shortest interval at which metrics may go to the log")},
)
def metrics_logged_often(config: View) -> Iterator[Finding]:
    """a reporter writes all metrics to the log every few seconds"""
    chosen = config.string("metrics.reporters")
    seen = set()
    for setting in config.under("metrics.reporter."):
        match = _CLASS.fullmatch(setting.written)
        if match is None or not setting.text.endswith((".Slf4jReporterFactory", ".Slf4jReporter")):
            continue
        name = match.group(1)
        if name in seen or (chosen is not None and name not in re.split(r"[,\s]+", chosen)):
            continue
        seen.add(name)
        interval = config.get(f"metrics.reporter.{name}.interval")
        every = _DEFAULT
        if interval.is_set:
            if not interval.is_known:
                continue
            if not config.since("1.12") and _UNIT.search(interval.text) is None:
                continue  # refused: an error is logged, and the default counts
            try:
                # 1.9 reads other durations without names of units, but this one always with those of a TimeUnit.
                every = parse_duration(interval.text, max(config.index, 1))
            except BadValue:
                continue
        shortest = config.threshold("shortest")
        if not 0 < every < shortest:
            continue
        how = "" if interval.is_set else ", the default"
        enough = Duration(max(_ENOUGH, shortest))
        a_day = LOGGED_BY_A_SUBTASK * DAY / every.seconds
        yield (interval if interval.is_set else setting).finding(
            f"every process writes all its metrics to its log each {every}{how}: {_spell(a_day)} a day for each"
            " subtask, which fills the disk",
            help=f"set metrics.reporter.{name}.interval to {enough} or more, or report to a metrics system",
            fix=interval.replace(str(enough) if config.since("1.12") else f"{-(-enough // SECOND)} SECONDS"),
            evidence={"interval_seconds": every.seconds, "bytes_a_day": round(a_day)},
            measure=a_day,
        )


def _spell(size: float) -> str:
    return f"{size / (1 << 20):.0f} MiB"


_FACTORY = "metrics.reporter.log.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad(_FACTORY, at="metrics.reporter.log.factory.class", flink="1.18", says="the default"),
        bad(
            _FACTORY + "metrics.reporter.log.interval: 30 SECONDS\n",
            at="metrics.reporter.log.interval", flink="1.10", says="26 MiB a day",
            fixed=_FACTORY + "metrics.reporter.log.interval: 300 SECONDS\n",
        ),
        good(_FACTORY + "metrics.reporter.log.interval: 30\n", flink="1.11"),
        bad(
            _FACTORY + "metrics.reporter.log.interval: 5 s\n", at="metrics.reporter.log.interval", flink="1.18",
            fixed=_FACTORY + "metrics.reporter.log.interval: 5 min\n",
        ),
        bad(
            "metrics.reporter.log.class: org.apache.flink.metrics.slf4j.Slf4jReporter\n"
            "metrics.reporter.log.interval: 10 SECONDS\n",
            at="metrics.reporter.log.interval", flink="1.9",
        ),
        bad(_FACTORY, profile="development", severity=Severity.INFO, flink="1.18"),
        good(_FACTORY + "metrics.reporter.log.interval: 5 min\n", flink="1.18"),
        good(_FACTORY + "metrics.reporters: prom\n", flink="1.18"),
        good(_FACTORY + "metrics.reporter.log.interval: {{ interval }}\n", flink="1.18"),
        good("metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"),
        bad(_FACTORY + "metrics.reporter.log.interval: 59999 ms\n", flink="1.18"),
        good(_FACTORY + "metrics.reporter.log.interval: 60 s\n", flink="1.18"),
        good(_FACTORY + "metrics.reporter.log.interval: 0 s\n", flink="1.18"),
        good(_FACTORY + "metrics.reporter.log.interval: often\n", flink="1.18"),
        bad(_FACTORY, at="org.apache.flink.metrics.slf4j.Slf4jReporterFactory", flink="1.18", says="each 10 s"),
        bad(_FACTORY + "metrics.reporters: prom, log\n", flink="1.18"),
        bad(
            "metrics.reporter.log.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
            "metrics.reporter.log.class: org.apache.flink.metrics.slf4j.Slf4jReporter\n",
            flink="1.18",
        ),
        bad(
            "metrics.reporter.a.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
            "metrics.reporter.a.interval: ${INTERVAL}\n"
            "metrics.reporter.b.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
            "metrics.reporter.b.interval: often\n"
            "metrics.reporter.c.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
            "metrics.reporter.c.interval: 5 min\n"
            "metrics.reporters: a,b,c,log\n"
            "metrics.reporter.d.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
            "metrics.reporter.log.factory.class: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n",
            flink="1.18",
            at="metrics.reporter.log.factory.class",
        ),
        bad(_FACTORY + "metrics.reporter.log.interval: 20 SECONDS\n", flink="1.9", says="each 20 s"),
        good("metrics.reporter.log.note: org.apache.flink.metrics.slf4j.Slf4jReporterFactory\n"
             "metrics.reporter.log.factory.class: x.Y\n", flink="1.18"),
    ]  # fmt: skip
