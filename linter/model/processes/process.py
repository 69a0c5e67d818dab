"""A process of Flink as it is deployed: what it runs, where, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.mounts import Mount
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

JOBMANAGER, TASKMANAGER = "jobmanager", "taskmanager"
UNKNOWN_ROLE = "unknown"
"""The role of a container whose command does not show which process it starts."""

CONFIGURATION = "configuration"
"""The role of settings that start no process by themselves, such as those of a program or of a chart's values."""


class Origin(NamedTuple):
    """A place that sets a value."""

    document: Document
    span: Span
    """The value, or what implies it."""
    layer: str
    """What the place is: ``FLINK_PROPERTIES``, ``spec.job.parallelism``, ``mounted at /opt/flink/conf``."""
    text: str
    """The value that the place sets."""
    key: str = ""
    """The key as written there; empty if it has none."""
    key_span: Span | None = None
    """The key, if there is one."""


class Value(NamedTuple):
    """An effective setting with every place that sets it."""

    text: str
    chain: tuple[Origin, ...]
    """The places in order of precedence: the first one decides, the others are overridden."""
    note: str = ""
    """Why Flink does not read it, if so."""

    @property
    def origin(self) -> Origin:
        """The place that decides."""
        return self.chain[0]


class Fact(NamedTuple):
    """Something else that is known of a process, such as its image or the number of its replicas."""

    value: object
    """A string or a number; None if there is one but it is unknown."""
    origin: Origin | None = None
    """The place that states it; None if it follows from other values or is a default."""


class ServicePort(NamedTuple):
    """A port of a Service."""

    name: str
    """Empty if it has none."""
    port: str
    target: str
    """The port of the pods, by number or name."""
    node_port: str | None
    """The port of every node, if the Service states one."""

    def __str__(self) -> str:
        ports = self.port if self.target in ("", self.port) else f"{self.port}:{self.target}"
        return ports if self.node_port is None else f"{ports} (node port {self.node_port})"


class Route(NamedTuple):
    """An Ingress or another object that leads to a Service from outside of the cluster."""

    kind: str
    """``Ingress``, ``Route``, ``HTTPRoute``, ``IngressRoute``."""
    name: str
    hosts: tuple[str, ...]
    origin: Origin

    def __str__(self) -> str:
        return f"{self.kind} {' '.join(self.hosts) or self.name}"


class ReachingService(NamedTuple):
    """A Service of Kubernetes by which a process can be reached."""

    name: str
    kind: str
    """``ClusterIP``, ``Headless``, ``NodePort``, ``LoadBalancer``, as written if it is unknown."""
    ports: tuple[ServicePort, ...]
    routes: tuple[Route, ...]
    origin: Origin
    """The place that says its type or, if none does, its name."""

    @property
    def is_open(self) -> bool:
        """Whether it can be reached from outside of the cluster."""
        return self.kind in ("NodePort", "LoadBalancer") or bool(self.routes)


class Process(NamedTuple):
    """One process of a deployment, or all replicas of it."""

    role: str
    """``jobmanager``, ``taskmanager``, ``client``, ``sql-gateway``, ``history-server``, ``unknown`` or
    ``configuration``."""
    name: str
    """The name of its container or service; that of its role if it has none."""
    document: Document
    """The document that deploys it: the topmost layer of its settings."""
    image: Fact | None
    dockerfile: str | None
    """The path of the Dockerfile in the repository that builds the image."""
    conf_dir: str | None
    """The configuration directory in its container; None outside of containers."""
    files: tuple[Mount, ...]
    """The configuration files that are mounted or copied into its image."""
    environment: Mapping[str, Fact]
    arguments: Sequence[Fact]
    """The words of its command line."""
    replicas: Fact | None
    """None if it is unknown how many there are."""
    memory: Fact | None
    """The limit of its container in bytes."""
    cpu: Fact | None
    """The limit of its container, as written."""
    service_account: Fact | None
    ports: tuple[str, ...]
    """The ports of its container: ``8081``, or ``8082:8081`` where it is published under another one."""
    services: tuple[ReachingService, ...]
    """The Services of Kubernetes by which it can be reached, as far as they are in the repository."""
    settings: Mapping[str, Value]
    """The effective settings by the key of the option in the process's release, sorted."""
    configuration: Configuration
    error: str | None
    """Why Flink refuses the configuration as a whole; None if it does not."""
    jobs: tuple[Document, ...]
    """The programs, scripts and session jobs that run on it, as far as they are in the repository."""
    unknown: tuple[str, ...]
    """What would also decide, but is not in the repository."""

    @property
    def slots(self) -> Fact | None:
        """The slots of a TaskManager; None for other processes, and if the number is unknown."""
        if self.role != TASKMANAGER:
            return None
        found = self.settings.get("taskmanager.numberOfTaskSlots")
        if found is None:
            return Fact(1)
        return Fact(int(found.text), found.origin) if found.text.isascii() and found.text.isdigit() else None
