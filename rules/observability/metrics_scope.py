"""A scope format of metrics that Flink does not fill in, or that gives one name to many metrics.

## What it does
Checks `metrics.scope.jm`, `.jm-job`, `.tm`, `.tm-job`, `.task` and `.operator`:
- a variable that the scope does not have stays in the names as it is written, brackets and all (tried with 1.20.5);
- a format for the JobManager or the TaskManager that begins with `*` is refused, since nothing is above them: all
  formats then fall back to their defaults;
- a format of tasks or operators without `<subtask_index>` (or an attempt's id), and one of TaskManagers, tasks or
  operators without `<tm_id>` or `<host>` gives the metrics of all of them one name.

## Why it matters
Reporters that go by names (Graphite, StatsD, Datadog's hosts, the log) then overwrite the metrics of one subtask with
those of another. Reporters with tags (Prometheus, InfluxDB) do not use the formats at all.

## What to do
Delete the format; the defaults tell all apart.

## Not when
The format is a template; every reporter goes by tags; the one TaskManager of a cluster that a program starts in its own
JVM.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#system-scope>: formats and their variables
"""

from collections.abc import Iterator
from functools import partial

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.claim import Claim, flink_fails, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.observability._reporters import reporters

_MANAGER = {"<host>"}
_JOB = {"<job_id>", "<job_name>"}
_TASK = {"<task_id>", "<task_name>", "<task_attempt_id>", "<task_attempt_num>", "<subtask_index>"}
_OPERATOR = {"<operator_id>", "<operator_name>"}
_TM = _MANAGER | {"<tm_id>"}
_VARIABLES = {
    "metrics.scope.jm": _MANAGER, "metrics.scope.jm-job": _MANAGER | _JOB, "metrics.scope.tm": _TM,
    "metrics.scope.tm-job": _TM | _JOB, "metrics.scope.task": _TM | _JOB | _TASK,
    "metrics.scope.operator": _TM | _JOB | _TASK | _OPERATOR,
}  # fmt: skip
_ROOTS = ("metrics.scope.jm", "metrics.scope.tm")
_BY_TAGS = ("PrometheusReporter", "PrometheusPushGatewayReporter", "InfluxdbReporter", "OpenTelemetryMetricReporter")
_VARIABLE = regex(r"<[^<>]*>")


@rule(
    code="FLK925",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=list(_VARIABLES),
    flink=">=1.9",
    since="0.1",
)
def metrics_scope(config: View) -> Iterator[Finding]:
    """a scope format of metrics is not filled in or gives one name to many metrics"""
    named = list(reporters(config))
    if named and all(any(one.is_a(tags) for tags in _BY_TAGS) for one in named):
        return
    for key, known in _VARIABLES.items():
        setting = config.get(key)
        text = setting.text
        # What Flink does not fill in (`<tm_name>`) is a mistake here and no placeholder.
        if setting.entry is None or not text.strip() or is_templated(_VARIABLE.sub("", text)):
            continue
        print_message = partial(setting.finding, fix=setting.remove(title=f"delete {setting.written}"))
        strange = [variable for variable in _VARIABLE.findall(text) if variable not in known]
        if key in _ROOTS and text.startswith("*"):
            yield print_message(
                f"nothing is above {key}, so {text} is refused and all scope formats fall back to their defaults",
                help="write the format out, from <host> on",
            )
        elif strange:
            yield print_message(
                f"this scope does not have {', '.join(strange)}: metrics get that very text in their names",
                help=f"it has {', '.join(sorted(known))}",
            )
        elif (missing := _missing(key, setting)) is not None and not (key in _ROOTS and config.platform == "local"):
            yield print_message(
                f"without {missing} in {key} metrics of many have one name, and reporters keep the last of them",
                help=f"put {missing} into the format, or delete it",
            )


def _missing(key: str, setting: Setting) -> str | None:
    """The variable without which names collide."""
    text = setting.text
    if key.endswith((".task", ".operator")) and not any(
        one in text for one in ("<subtask_index>", "<task_attempt_id>")
    ):
        return "<subtask_index>"
    if key == "metrics.scope.tm" and not any(one in text for one in ("<tm_id>", "<host>")):
        return "<tm_id>"
    return None


def claims() -> list[Claim]:
    return [
        flink_uses(
            "metric scopes",
            "metrics.scope.tm: flink.<tm_name>\n",
            "flink.<tm_name>",
            good="metrics.scope.tm: flink.<tm_id>\n",
        ),
        flink_uses("metric scopes", "metrics.scope.tm: flink\n", "flink and", good="metrics.scope.tm: flink.<tm_id>\n"),
        flink_fails(
            "metric scopes", "metrics.scope.tm: '*.<host>'\n".replace("'", ""), good="metrics.scope.tm: flink.<tm_id>\n"
        ),
    ]


def cases() -> list[Case]:
    return [
        bad("metrics.scope.task: flink.<job_name>.<task_name>\n", at="metrics.scope.task", says="<subtask_index>"),
        bad("metrics.scope.tm: flink.<tm_name>\n", at="metrics.scope.tm", flink="1.18", says="<tm_name>", fixed=""),
        bad("metrics.scope.jm: '*.jm'\n", at="metrics.scope.jm", says="refused"),
        bad("metrics.scope.tm: flink\n", at="metrics.scope.tm", flink="1.14"),
        good("metrics.scope.task: flink.<job_name>.<task_name>.<subtask_index>\nmetrics.scope.jm: flink.<host>\n"),
        good("metrics.scope.tm: flink\n", platform="local"),
        good("metrics.scope.operator: '*.<operator_name>.<subtask_index>'\n"),
        good(
            "metrics.scope.task: flink.<job_name>\n"
            "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
        ),
        good("metrics.scope.tm: ${SCOPE}\n", flink="1.18"),
        bad("metrics.scope.tm: '*.<host>'\n", at="metrics.scope.tm", says="refused"),
        bad("metrics.scope.operator: <job_id>.<operator_id>\n", at="metrics.scope.operator", says="<subtask_index> in"),
        bad("metrics.scope.tm: flink\n", at="metrics.scope.tm", says="without <tm_id>"),
        bad("metrics.scope.task: flink.<job_name>\n"
            "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"
            "metrics.reporter.jmx.factory.class: org.apache.flink.metrics.jmx.JMXReporterFactory\n"),
        good("metrics.scope.operator: <host>.<tm_id>.<job_id>.<operator_id>.<task_attempt_id>\n"),
        good("metrics.scope.tm: <host>\nmetrics.scope.tm-job: <tm_id>.<job_id>\n"),
        good("metrics.scope.tm: <tm_id>\n"),
        good("metrics.scope.jm: ''\nmetrics.scope.tm: ''\n"),
        good("metrics.scope.task: flink.<job_name>\nmetrics.reporter.other.factory.class: '{{ factory }}'\n"
             "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"),
    ]  # fmt: skip
