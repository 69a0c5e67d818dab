"""A metrics Service leads to a port that the reporter of its pods does not use.

## What it does
Compares the port of a `Service` that is named after metrics and selects the pods of one process, with the port on which
the Prometheus reporter of these pods listens (`metrics.reporter.<name>.port`, 9249 unless it is set).

## Why it matters
The Service has endpoints, but nobody listens on them: the target is down in Prometheus (`connect: connection refused`),
and the metrics of the process are in no dashboard and no alert.

## What to do
Give the Service the port of the reporter as `targetPort`.

## Not when
The port is a name or a template, the pods' configuration is not here, or another reporter listens on the port.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#prometheus>: the port
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import belongs_to, role_of, written

_SERVICES = ["element:kubernetes-object/Service"]
_METRICS = regex(r"(?i)prom|metric")
_REPORTER = regex(r"metrics\.reporter\.([^.]+)\.(port|class|factory\.class)")
_PROMETHEUS = regex(r"(?i)prometheus(?!pushgateway)")
_DEFAULT = "9249"


@rule(
    code="FLK296",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_SERVICES,
    scope="project",
    compares=[(_SERVICES, ["metrics.reporters", "element:container", "element:kubernetes-object/FlinkDeployment"])],
    since="0.1",
)
def metrics_service_port(project: Project) -> Iterator[Finding]:
    """a metrics Service leads to a port on which no reporter listens"""
    for view in project.views:
        for part in view.elements("kubernetes-object"):
            if part.name == "Service":
                for attribute, port in _ports(part):
                    yield from _unused(part, attribute, port, project)


def _ports(part: ElementView) -> Iterator[tuple[str, int]]:
    """Yield the ports of a Service that are named after metrics, as numbers of its pods."""
    for number, port in enumerate(part.items("spec.ports")):
        field = "targetPort" if port.has("targetPort") else "port"
        target = port.number(field)
        if target is not None and _METRICS.search(port.text("name") or "") is not None:
            yield f"spec.ports[{number}].{field}", int(target)


def _unused(part: ElementView, attribute: str, port: int, project: Project) -> Iterator[Finding]:
    used: list[str] = []
    for config in project.views:
        if not _is_selected(config, part):
            continue
        ports = _reporter_ports(config)
        if not ports:
            return
        used += ports
    if used and not any(_has(one, port) for one in used):
        yield part.finding(
            f"the Service leads to port {port}, but the Prometheus reporter of its pods listens on {used[0]}:"
            " Prometheus gets connection refused, and no metrics",
            of=attribute,
            help=f"lead the Service to port {used[0].partition('-')[0]}",
        )


def _is_selected(config: View, service: ElementView) -> bool:
    """Return whether a Service selects a configuration's pods: of a FlinkDeployment by its name, containers by role."""
    labels = {name: written(service, f"spec.selector.{name}") for name, _ in service.under("spec.selector")}
    for part in config.elements("kubernetes-object"):
        if part.name == "FlinkDeployment" and config.document.platform == "operator":
            return labels.get("app") is not None and labels.get("app") == written(part, "metadata.name")
    role = role_of(service, "spec.selector")
    roles = {part.text("role") for part in config.elements("container")}
    return role is not None and roles == {role} and belongs_to(config.document.path, service.document.path)


def _reporter_ports(config: View) -> list[str]:
    """Return the ports of the Prometheus reporters of a configuration; empty if they are not known."""
    found: dict[str, dict[str, str]] = {}
    for key in config.effective:
        match = _REPORTER.fullmatch(key)
        if match is not None:
            found.setdefault(match[1], {})[match[2]] = config.effective[key].text
    ports = []
    for settings in found.values():
        if _PROMETHEUS.search(settings.get("class", "") + settings.get("factory.class", "")) is not None:
            ports.append(settings.get("port", _DEFAULT).strip())
    return ports


def _has(text: str, port: int) -> bool:
    """Return whether a port or range may include a port; a template or a list may."""
    match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text)
    return match is None or int(match[1]) <= port <= int(match[2] or match[1])


_SERVICE = """apiVersion: v1
kind: Service
metadata: {name: orders-metrics}
spec:
  selector: {app: %s, component: taskmanager}
  ports: [{name: metrics, port: %s}]
"""
_REPORTERS = """metrics.reporters: prom
metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
%s"""


def cases() -> list[Case]:
    port = "metrics.reporter.prom.port: '9999'"
    named = _SERVICE.replace("port: %s", "port: 80, targetPort: metrics") % "orders"
    return [
        bad(
            _SERVICE % ("orders", "9250"), file="service.yaml",
            beside={"orders.yaml": deployment(_REPORTERS % port)}, at="9250", says="listens on 9999",
        ),
        bad(
            _SERVICE % ("orders", "80, targetPort: 9250"), file="service.yaml",
            beside={"orders.yaml": deployment(_REPORTERS % "")}, at="9250", says="listens on 9249",
        ),
        good(_SERVICE % ("orders", "9999"), file="service.yaml", beside={"orders.yaml": deployment(_REPORTERS % port)}),
        good(
            _SERVICE % ("orders", "9255"), file="service.yaml",
            beside={"orders.yaml": deployment(_REPORTERS % "metrics.reporter.prom.port: 9250-9260")},
        ),
        good(_SERVICE % ("other", "9250"), file="service.yaml", beside={"orders.yaml": deployment(_REPORTERS % port)}),
        good(named, file="service.yaml", beside={"orders.yaml": deployment(_REPORTERS % port)}),
        good(_SERVICE % ("orders", "9250"), file="service.yaml", beside={"orders.yaml": deployment()}),
        good(
            _SERVICE % ("orders", "9250"), file="service.yaml",
            beside={"orders.yaml": deployment(_REPORTERS % "metrics.reporter.prom.port: '{{ .Values.port }}'")},
        ),
    ]  # fmt: skip
