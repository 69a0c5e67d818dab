"""Every restart of a job makes all its metrics new.

## What it does
Reports `<task_attempt_id>` and `<task_attempt_num>` in a scope format, and an interval below 10 s of a reporter to
Datadog, which is paid by the metric.

## Why it matters
An attempt has a new id after each restart, so each restart gives every metric of every subtask a new name. A job of 10
tasks at parallelism 50 has some 38 000 metrics; ten restarts a day make 380 000, and databases of metrics and their
bills grow with the number of names. Graphs end at each restart.

## What to do
Take the attempt out of the format, `<subtask_index>` tells subtasks apart; from 1.16 on
`metrics.reporter.<name>.filter.excludes` keeps back what nobody looks at.

## Not when
The format is a template.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#system-scope>: formats and their variables
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/>: filters and intervals
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import SECOND, Duration, parse_duration
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.observability._reporters import READS, reporters

_DEFAULT = Duration(10 * SECOND)
_ATTEMPT = regex(r"<task_attempt_(?:id|num)>")


@rule(
    code="FLK926",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=["metrics.scope.task", "metrics.scope.operator", *READS],
    of_scale=True,
    flink=">=1.9",
    since="0.1",
    pedantic=True,
    thresholds={"shortest": Threshold("10 s", "shortest interval of reports that are paid for")},
)
def metrics_cardinality(config: View) -> Iterator[Finding]:
    """every restart of a job makes all its metrics new"""
    for key in ("metrics.scope.task", "metrics.scope.operator"):
        setting = config.get(key)
        found = _ATTEMPT.search(setting.text)
        if found is not None:
            yield setting.finding(
                f"{found[0]} gives every metric a new name after each restart of the job",
                help="name subtasks by <subtask_index>",
            )
    for reporter in reporters(config):
        interval = config.get(f"metrics.reporter.{reporter.name}.interval")
        if not reporter.is_a("DatadogHttpReporter"):
            continue
        try:
            every = parse_duration(interval.text, config.index)
        except BadValue:
            continue
        shortest = config.threshold("shortest")
        if 0 < every < shortest:
            yield interval.finding(
                f"the reporter {reporter.name} sends all metrics each {every}, and is paid by what it sends",
                help=f"report every {_DEFAULT}, the default, or less often"
                if shortest <= _DEFAULT
                else f"report every {shortest} or less often",
            )


_DATADOG = "metrics.reporter.dd.factory.class: org.apache.flink.metrics.datadog.DatadogHttpReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad("metrics.scope.task: <host>.<task_attempt_id>\n", at="metrics.scope.task", flink="1.18"),
        bad(f"{_DATADOG}metrics.reporter.dd.interval: 1 SECONDS\n", at="metrics.reporter.dd.interval", flink="1.18"),
        good("metrics.scope.task: <host>.<tm_id>.<subtask_index>\n", flink="1.18"),
        good(f"{_DATADOG}metrics.reporter.dd.interval: 10 SECONDS\n", flink="1.18"),
        good(
            "metrics.reporter.jmx.factory.class: org.apache.flink.metrics.jmx.JMXReporterFactory\n"
            "metrics.reporter.jmx.interval: 1 SECONDS\n", flink="1.18",
        ),
        bad("metrics.scope.operator: <host>.<task_attempt_num>\n", at="metrics.scope.operator", flink="1.18"),
        bad(
            "metrics.reporter.a.factory.class: org.apache.flink.metrics.jmx.JMXReporterFactory\n"
            "metrics.reporter.b.factory.class: org.apache.flink.metrics.datadog.DatadogHttpReporterFactory\n"
            "metrics.reporter.b.interval: later\n"
            "metrics.reporter.dd.factory.class: org.apache.flink.metrics.datadog.DatadogHttpReporterFactory\n"
            "metrics.reporter.dd.interval: 9 s\n",
            at="metrics.reporter.dd.interval",
            flink="1.18",
        ),
        good(f"{_DATADOG}metrics.reporter.dd.interval: 0 s\n", flink="1.18"),
        good(f"{_DATADOG}metrics.reporter.dd.interval: ${{INTERVAL}}\n", flink="1.18"),
        good(_DATADOG, flink="1.18"),
    ]  # fmt: skip
