"""Where the REST endpoint of a JobManager can be reached from."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple

WHEN = ["element:container", "element:kubernetes-object"]

EVERYWHERE = ("", "0.0.0.0", "::", "[::]")
"""How an address is written that stands for all networks of the host."""
_PROGRAMS = ("standalone-job", "standalone-job.sh")


class Door(NamedTuple):
    """A port of the host, or of a cluster's edge, behind which the REST endpoint is."""

    part: ElementView
    attribute: str
    """Where it stands."""
    what: str
    """What opens it, as a message says it."""
    is_short: bool
    """Whether it is written ``8081:8081``, so that an address can be put before it."""


def authenticates(config: View) -> bool:
    """Whether only clients with a certificate get in, or nobody can tell."""
    switches = ("security.ssl.rest.enabled", "security.ssl.rest.authentication-enabled")
    return all(config.boolean(key) is True or not config.is_known(key) for key in switches)


def is_session(config: View) -> bool:
    """Whether the JobManager takes jobs of anybody (else it runs one program)."""
    words = [
        str(attribute.value)
        for part in config.elements("container")
        for name, attribute in part.element.attributes.items()
        if name.startswith("args[")
    ]
    return not any(word.rpartition("/")[2] in _PROGRAMS for word in words)


def rest_ports(config: View) -> Iterator[tuple[ElementView, int, ElementView]]:
    """The ports of containers behind which the JobManager's REST endpoint is: the container, which one, and itself."""
    port = config.integer("rest.port")
    ports = {str(port or 8081), *((config.string("rest.bind-port") or "").split(","))}
    for part in config.elements("container"):
        if part.text("role") in ("jobmanager", "cluster"):
            for number, member in enumerate(part.items("ports")):
                if str(member.value("target")) in ports and member.is_known("address"):
                    yield part, number, member


def doors(config: View) -> Iterator[Door]:
    """The published ports behind which the JobManager's REST endpoint is."""
    for part, number, member in rest_ports(config):
        published = member.value("published")
        if (member.text("address") or "") in EVERYWHERE and (published is not None or config.platform == "compose"):
            name = f"ports[{number}].published" if member.has("published") else f"ports[{number}].target"
            where = f"port {published}" if published is not None else "a port"
            short = member.has("published") and member.element.attributes["published"].key_span is None
            yield Door(part, name, f"{where} of every network of the host", short)
