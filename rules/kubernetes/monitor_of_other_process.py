"""A Service or monitor of TaskManagers points at the JobManager, or the reverse.

## What it does
Reports a `ServiceMonitor` or `PodMonitor` that is named after one process and selects the other one by its labels, and
a `Service` that selects the pods of one process with a port that is the other one's value (`.Values.jobmanager.…`).

## Why it matters
Prometheus scrapes the wrong pods, or a port on which nobody listens: the target is down (`connect: connection refused`)
or is there twice, and the metrics of the TaskManagers, heap, backlog and back pressure, are in no dashboard and no
alert.

## What to do
Select the labels, and name the port, of the process that the object is for.

## Not when
The labels or the port name both processes, or neither.

## Sources
- <https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.ServiceMonitor>: what a monitor
  selects
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#prometheus>: a port for each
  process
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.kubernetes._network_policies import role_in, role_of, written

_MONITORS = ("ServiceMonitor", "PodMonitor")
_SHOWN = {"taskmanager": "TaskManagers", "jobmanager": "the JobManager"}


@rule(
    code="FLK295",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"element:kubernetes-object/{kind}" for kind in (*_MONITORS, "Service")],
    since="0.1",
)
def monitor_of_other_process(config: View) -> Iterator[Finding]:
    """a Service or monitor of TaskManagers points at the JobManager, or the reverse"""
    for part in config.elements("kubernetes-object"):
        if part.name in _MONITORS:
            yield from _monitor(part)
        elif part.name == "Service":
            yield from _service(part)


def _monitor(part: ElementView) -> Iterator[Finding]:
    own = role_in(written(part, "metadata.name") or "")
    selected = role_of(part, "spec.selector.matchLabels")
    if own is None or selected is None or own == selected:
        return
    name = next(
        name
        for name in part.element.attributes
        if name.startswith("spec.selector.matchLabels.") and role_in(written(part, name) or "") == selected
    )
    yield part.finding(
        f"the {part.name} is for {_SHOWN[own]}, but it selects {_SHOWN[selected]}: nothing scrapes the metrics of"
        f" {_SHOWN[own]}",
        of=name,
        help=f"select the label of {_SHOWN[own]}",
    )


def _service(part: ElementView) -> Iterator[Finding]:
    selected = role_of(part, "spec.selector")
    if selected is None:
        return
    for number, _ in enumerate(part.items("spec.ports")):
        for field in ("targetPort", "port"):
            name = f"spec.ports[{number}].{field}"
            text = written(part, name)
            if text is None:
                continue
            other = role_in(text) if "{{" in text else None
            if other is not None and other != selected:
                yield part.finding(
                    f"the Service selects {_SHOWN[selected]}, but its port {text} is that of {_SHOWN[other]}: nobody"
                    " listens on it",
                    of=name,
                    help=f"use the port of {_SHOWN[selected]}",
                )
            break  # `port` is the target only if there is no `targetPort`


_MONITOR = """apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: orders-%s}
spec:
  selector:
    matchLabels: {app: flink, component: %s}
  endpoints: [{port: prom}]
"""
_SERVICE = """apiVersion: v1
kind: Service
metadata: {name: orders-taskmanager}
spec:
  selector:
    component: %s
  ports:
    - {name: prom, port: %s}
"""


def cases() -> list[Case]:
    return [
        bad(
            _MONITOR % ("taskmanager", "jobmanager"),
            file="monitor.yaml",
            at="jobmanager",
            says="selects the JobManager",
        ),
        bad(_MONITOR % ("jobmanager", "taskmanager"), file="monitor.yaml", at="taskmanager"),
        bad(
            _SERVICE % ("taskmanager", "'{{ .Values.jobmanager.prom_port }}'"),
            file="service.yaml",
            at="'{{ .Values.jobmanager.prom_port }}'",
            says="nobody listens",
        ),
        good(_MONITOR % ("taskmanager", "taskmanager"), file="monitor.yaml"),
        good(_MONITOR % ("metrics", "jobmanager"), file="monitor.yaml"),
        good(_SERVICE % ("taskmanager", "'{{ .Values.taskmanager.prom_port }}'"), file="service.yaml"),
        good(_SERVICE % ("taskmanager", "9249"), file="service.yaml"),
        good(_SERVICE % ("flink", "'{{ .Values.jobmanager.prom_port }}'"), file="service.yaml"),
        good(
            _SERVICE % ("taskmanager", "'{{ .Values.jobmanager.prom_port }}', targetPort: 9251"),
            file="service.yaml",
        ),
    ]
