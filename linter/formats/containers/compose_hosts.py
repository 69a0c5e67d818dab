"""The names under which the services of a Compose file reach each other."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Span

_NAMES = ("container_name", "hostname", "domainname")
_MAX_NAMES = 300


def network_of(root: Value, services: Value) -> Element | None:
    """Return an element of kind ``compose-network`` with the names of all hosts; None if they are not all known.

    Other files (`include`, `extends`), networks of other projects and variables may add hosts or name them.
    """
    if root.get("include") is not None or _has_other_projects(root.get("networks")):
        return None
    found: dict[str, None] = {}
    for name, _, service in services.pairs():
        if service.get("extends", "file") is not None or service.get("external_links") is not None:
            return None
        found[name] = None
        found.update(dict.fromkeys(_names_of(service)))
    if len(found) > _MAX_NAMES or any("$" in name or "{" in name for name in found):
        return None
    span = Span(services.span.start, services.span.start)
    hosts = {f"hosts[{number}]": Attribute(name, span) for number, name in enumerate(found)}
    return Element("compose-network", "services", span, hosts)


def _has_other_projects(networks: Value | None) -> bool:
    """Return whether a network is one that other projects may have containers in."""
    if networks is None:
        return False
    if not networks.is_mapping:
        return True
    return any(
        network.get("external") is not None or network.get("name") is not None for _, _, network in networks.pairs()
    )


def _names_of(service: Value) -> Iterator[str]:
    """Yield the names of a service's containers besides its own, and the names that only the service itself knows."""
    for field in _NAMES:
        if (text := service.string(field)) is not None:
            yield text
        elif service.get(field) is not None:
            yield "$"
    networks = service.get("networks")
    if networks is not None and networks.is_mapping:
        for _, _, network in networks.pairs():
            aliases = network.get("aliases")
            yield from _texts(aliases)
    for link in _texts(service.get("links")):
        yield link.rpartition(":")[2]
    hosts = service.get("extra_hosts")
    if hosts is not None and hosts.is_mapping:
        yield from (name for name, _, _ in hosts.pairs())
    for host in _texts(hosts):
        yield host.replace("=", ":").partition(":")[0]


def _texts(value: Value | None) -> Iterator[str]:
    if value is not None and not value.is_mapping:
        yield from (item.text or "$" for item in value.items() if item.is_scalar)
