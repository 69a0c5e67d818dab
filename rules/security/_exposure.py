"""Ports from which the REST endpoint of a JobManager can be reached."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple

WHEN = ["element:container", "element:kubernetes-object"]

EVERYWHERE = ("", "0.0.0.0", "::", "[::]")
"""The ways to write an address that stands for all networks of the host."""
_PROGRAMS = ("standalone-job", "standalone-job.sh")


class Door(NamedTuple):
    """A published port through which the REST endpoint of a JobManager can be reached."""

    part: ElementView
    attribute: str
    """The attribute of `part` that publishes the port."""
    what: str
    """A description of the port and who can reach it, for messages."""
    is_short: bool
    """Whether the port is written as ``8081:8081``, so that an address can be prepended."""


def authenticates(config: View) -> bool:
    """Return whether clients need a certificate; also True if this is unknown."""
    switches = ("security.ssl.rest.enabled", "security.ssl.rest.authentication-enabled")
    return all(config.boolean(key) is True or not config.is_known(key) for key in switches)


def is_session(config: View) -> bool:
    """Return whether the JobManager accepts submitted jobs, and does not run a single program."""
    words = [str(word.value) for part in config.elements("container") for word in part.element.listed("args")]
    return not any(word.rpartition("/")[2] in _PROGRAMS for word in words)


def rest_ports(config: View) -> Iterator[tuple[ElementView, int, ElementView]]:
    """Yield the ports of the JobManager's REST endpoint: the container, the index of the port, and the port."""
    port = config.integer("rest.port")
    ports = {str(port or 8081), *((config.string("rest.bind-port") or "").split(","))}
    for part in config.elements("container"):
        if part.text("role") in ("jobmanager", "cluster"):
            for number, member in enumerate(part.items("ports")):
                if str(member.value("target")) in ports and member.is_known("address"):
                    yield part, number, member


def doors(config: View) -> Iterator[Door]:
    """Yield the published ports of the JobManager's REST endpoint."""
    for part, number, member in rest_ports(config):
        published = member.value("published")
        if (member.text("address") or "") in EVERYWHERE and (published is not None or config.platform == "compose"):
            name = f"ports[{number}].published" if member.has("published") else f"ports[{number}].target"
            where = f"port {published}" if published is not None else "a port"
            short = member.has("published") and member.element.attributes["published"].key_span is None
            yield Door(part, name, f"{where} of every network of the host", short)
