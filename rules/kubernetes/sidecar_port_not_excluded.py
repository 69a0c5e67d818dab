"""The Istio sidecar takes some of Flink's ports, but not all.

## What it does
Compares the ports in the annotations `traffic.sidecar.istio.io/excludeOutboundPorts` and `…/excludeInboundPorts` of the
pod templates with those of JobManager and TaskManagers in the same resource.

## Why it matters
The ports that are listed go past the proxy, the others through it: the JobManager's and the TaskManagers' connections
then end in a proxy that wants mutual TLS, or that waits for a pod by name. TaskManagers do not register, or load no
JARs: `Could not connect to BlobServer at address orders.flink:6124`, `Connection reset by peer`.

## What to do
List all ports that Flink uses between its processes in both annotations, or turn the sidecar off for Flink's pods
(`sidecar.istio.io/inject: "false"`).

## Not when
The annotation lists none of Flink's ports, or a template gives it; the sidecar is off.

## Sources
- <https://istio.io/latest/docs/reference/config/annotations/>: the annotations
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#hosts-and-ports>: the ports
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._network_policies import BLOB, DATA, JOBMANAGER, RPC
from flink_flint.rules.kubernetes._resource import APACHE_CLUSTERS, Resource, resources

_PREFIX = "traffic.sidecar.istio.io/exclude"
_OFF = "sidecar.istio.io/inject"
_ANNOTATIONS = "metadata.annotations"
_DEFAULTS = {JOBMANAGER: "6123", BLOB: "6124", RPC: "6122"}
"""What Flink's client for Kubernetes sets unless the configuration does."""
_USED = {
    ("podTemplate", "Outbound"): (JOBMANAGER, BLOB, RPC, DATA),
    ("podTemplate", "Inbound"): (JOBMANAGER, BLOB, RPC, DATA),
    ("jobManager.podTemplate", "Outbound"): (RPC,),
    ("jobManager.podTemplate", "Inbound"): (JOBMANAGER, BLOB),
    ("taskManager.podTemplate", "Outbound"): (JOBMANAGER, BLOB, DATA),
    ("taskManager.podTemplate", "Inbound"): (RPC, DATA),
}
"""The ports to which the pods of a template connect, and on which they listen."""


@rule(
    code="FLK299",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"element:kubernetes-object/{kind}" for kind in APACHE_CLUSTERS],
    since="0.1",
)
def sidecar_port_not_excluded(config: View) -> Iterator[Finding]:
    """the Istio sidecar takes some of Flink's ports"""
    for resource in resources(config, *APACHE_CLUSTERS):
        for (template, way), keys in _USED.items():
            yield from _taken(config, resource, template, way, {key: _port(config, key) for key in keys})


def _taken(
    config: View, resource: Resource, template: str, way: str, ports: dict[str, str | None]
) -> Iterator[Finding]:
    annotations = resource.path(f"{template}.{_ANNOTATIONS}")
    name = f"{annotations}.{_PREFIX}{way}Ports"
    value = resource.part.value(name)
    if value is None or resource.part.value(f"{annotations}.{_OFF}") in (False, "false"):
        return
    listed = {one.strip() for one in str(value).split(",")}
    known = {key: port for key, port in ports.items() if port is not None}
    missing = [f"{key} ({port})" for key, port in known.items() if port not in listed]
    every = {port for key in (JOBMANAGER, BLOB, RPC, DATA) if (port := _port(config, key)) is not None}
    if not missing or not listed & every or not all(one.isdigit() for one in listed):
        return
    does = "connect to" if way == "Outbound" else "listen on"
    yield resource.part.finding(
        f"the sidecar lets other ports of Flink pass, but not {', '.join(missing)}, which these pods {does}: the"
        " connection goes through the proxy and is reset",
        of=name,
        help=f"add {', '.join(known[key] for key in known if known[key] not in listed)} to the annotation",
    )


def _port(config: View, key: str) -> str | None:
    setting = config.get(key)
    if not setting.is_set:
        return _DEFAULTS.get(key)
    return setting.text if setting.is_known and setting.text.isdigit() else None


_PORTS = "taskmanager.data.port: '41475'\nblob.server.port: '6124'\ntaskmanager.rpc.port: '6122'"
_TEMPLATE = """taskManager:
  podTemplate:
    metadata:
      annotations:
        traffic.sidecar.istio.io/excludeOutboundPorts: %s
        sidecar.istio.io/inject: %s
"""


def cases() -> list[Case]:
    outbound = "spec.taskManager.podTemplate.metadata.annotations.traffic.sidecar.istio.io/excludeOutboundPorts"
    every = "spec.podTemplate.metadata.annotations.traffic.sidecar.istio.io/excludeInboundPorts"
    common = "podTemplate:\n  metadata:\n    annotations: {traffic.sidecar.istio.io/excludeInboundPorts: '6123,6124'}\n"
    return [
        bad(
            deployment(_PORTS, spec=_TEMPLATE % ("'6123,41475'", "'true'")), file="orders.yaml",
            at=f"FlinkDeployment.{outbound}", says="blob.server.port (6124)",
        ),
        bad(deployment(_PORTS, spec=common), file="orders.yaml", at=f"FlinkDeployment.{every}", says="listen on"),
        good(deployment(_PORTS, spec=_TEMPLATE % ("'6123,6124,41475'", "'true'")), file="orders.yaml"),
        good(deployment(_PORTS, spec=_TEMPLATE % ("'9092'", "'true'")), file="orders.yaml"),
        good(deployment(_PORTS, spec=_TEMPLATE % ("'{{ .Values.ports }}'", "'true'")), file="orders.yaml"),
        good(deployment(_PORTS, spec=_TEMPLATE % ("'6123,41475'", "'false'")), file="orders.yaml"),
        good(deployment(_PORTS), file="orders.yaml"),
    ]  # fmt: skip
