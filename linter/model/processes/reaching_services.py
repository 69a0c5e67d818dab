"""The Kubernetes Services through which a process can be reached, and the routes that lead to them.

Native Kubernetes and the operator create two of them for a JobManager: ``<name>-rest`` with the type that
`kubernetes.rest-service.exposed.type` says, and ``<name>`` for TaskManagers, which native Kubernetes only creates
without high availability (`ExternalServiceDecorator` and `InternalServiceDecorator` of Flink,
`StandaloneKubernetesJobManagerParameters` of the operator). The operator's Ingress leads to the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.model.containers.pod_services import ROUTES, SERVICE, backends, object_of, pods_of, selects
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.processes.process import JOBMANAGER, Origin, ReachingService, Route, ServicePort, Value
from flink_flint.linter.text.lazy_regex import regex

_EXPOSED_TYPE = "kubernetes.rest-service.exposed.type"
_HOSTS = regex(r"spec\.rules\[\d+\]\.host|spec\.host|spec\.hostnames\[\d+\]")
_MAX_SERVICES = 50


def services_of(
    document: Document, relation: Relation, role: str, settings: Mapping[str, Value], configuration: Configuration
) -> tuple[ReachingService, ...]:
    """Return the Services that reach a process: those that select its pods, then those that its operator creates."""
    found = [*_selecting(document, relation, role), *_created(document, relation, role, settings, configuration)]
    return tuple(found[:_MAX_SERVICES])


def _selecting(document: Document, relation: Relation, role: str) -> Iterator[ReachingService]:
    pods = [one for one in pods_of(document) if one.role in (None, role)]
    for other in relation.services:
        service = object_of(other, (SERVICE,))
        if service is None or not any(selects(service, one) for one in pods):
            continue
        name, headless = _shown(service, "metadata.name"), service.value("spec.clusterIP") == "None"
        kind = service.attributes.get("spec.type")
        shown = "Headless" if headless else "ClusterIP" if kind is None else _written(kind)
        ports = tuple(_port(port) for port in service.items("spec.ports"))
        place = kind or service.attributes.get("metadata.name")
        span, raw = (service.span, "") if place is None else (place.span, place.raw)
        yield ReachingService(name, shown, ports, _routes(relation, name), Origin(other, span, "", raw))


def _port(port: Element) -> ServicePort:
    number = _shown(port, "port")
    return ServicePort(
        _shown(port, "name"), number, _shown(port, "targetPort") or number, _shown(port, "nodePort") or None
    )


def _routes(relation: Relation, name: str) -> tuple[Route, ...]:
    """Return the Ingresses and routes that lead to a Service."""
    found = []
    for other in relation.services:
        route = object_of(other, ROUTES)
        if route is None or name not in backends(route):
            continue
        hosts = tuple(_written(value) for key, value in route.attributes.items() if _HOSTS.fullmatch(key))
        origin = Origin(other, route.span, "", route.name)
        found.append(Route(route.name, _shown(route, "metadata.name"), hosts, origin))
    return tuple(found)


def _created(
    document: Document, relation: Relation, role: str, settings: Mapping[str, Value], configuration: Configuration
) -> Iterator[ReachingService]:
    """Yield the Services that the operator creates for a FlinkDeployment."""
    owner = next(
        (one for one in (document, *reversed(relation.below)) if object_of(one, ("FlinkDeployment",)) is not None), None
    )
    resource = object_of(owner, ("FlinkDeployment",)) if owner is not None else None
    if role != JOBMANAGER or owner is None or resource is None or not resource.has("metadata.name"):
        return
    name = _shown(resource, "metadata.name")
    place = resource.attributes["metadata.name"]
    made = Origin(owner, place.span, "created by the operator", place.raw)
    rest = _number(configuration, "rest.port", "8081")
    exposed = settings.get(_EXPOSED_TYPE)
    routes = (*_ingress(document, relation), *_routes(relation, f"{name}-rest"))
    kind, origin = ("ClusterIP", made) if exposed is None else (exposed.text, exposed.origin)
    yield ReachingService(f"{name}-rest", kind, (ServicePort("rest", rest, rest, None),), routes, origin)
    is_standalone = resource.value("spec.mode") == "standalone"
    if is_standalone or not _is_highly_available(settings):
        ports = [("jobmanager-rpc", "jobmanager.rpc.port", "6123"), ("blobserver", "blob.server.port", "6124")]
        numbers = [(label, _number(configuration, key, usual)) for label, key, usual in ports]
        yield ReachingService(
            name, "Headless", tuple(ServicePort(label, port, port, None) for label, port in numbers),
            _routes(relation, name), made,
        )  # fmt: skip


def _ingress(document: Document, relation: Relation) -> Iterator[Route]:
    """Yield the Ingress that the operator creates for a resource."""
    for owner in (document, *reversed(relation.below)):
        resource = object_of(owner, ("FlinkDeployment",))
        template = resource.attributes.get("spec.ingress.template") if resource is not None else None
        if resource is not None and template is not None:
            origin = Origin(owner, template.span, "spec.ingress", template.raw)
            yield Route("Ingress", _shown(resource, "metadata.name"), (_written(template),), origin)
            return


def _is_highly_available(settings: Mapping[str, Value]) -> bool:
    found = next((settings[key] for key in ("high-availability.type", "high-availability") if key in settings), None)
    return found is not None and found.text.upper() != "NONE"


def _number(configuration: Configuration, key: str, usual: str) -> str:
    """Return the port that an option sets; the operator and native Kubernetes replace an open one by `usual`."""
    try:
        value = configuration.value(key)
    except BadValue:
        return usual
    return usual if value in (None, 0, "0") else str(value)


def _shown(element: Element, name: str) -> str:
    attribute = element.attributes.get(name)
    return "" if attribute is None else _written(attribute)


def _written(attribute: Attribute) -> str:
    """Return a value, or if it is unknown what is written."""
    return attribute.raw if attribute.value is None else str(attribute.value)


def as_text(services: Sequence[ReachingService], *, named: bool = True) -> list[str]:
    """Return each Service in one line: ``ui (NodePort) 80:8081 (node port 30081), Ingress orders.example.org``."""
    found = []
    for one in services:
        head = f"{one.name} ({one.kind})" if named else one.kind
        found.append(", ".join((f"{head} {' '.join(map(str, one.ports))}".rstrip(), *map(str, one.routes))))
    return found
