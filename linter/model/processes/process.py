"""A Flink process as deployed: its image, command, files, limits and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.model.containers.mounts import Mount
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

JOBMANAGER, TASKMANAGER = "jobmanager", "taskmanager"
UNKNOWN_ROLE = "unknown"
"""The role of a container if its command does not show which process it starts."""

CONFIGURATION = "configuration"
"""The role of a document that contains settings but starts no process, such as a program or a chart's values."""


class Origin(NamedTuple):
    """A place in a document that sets a value."""

    document: Document
    span: Span
    """The span of the value in the document, or of the text that implies the value."""
    layer: str
    """A description of the place: ``FLINK_PROPERTIES``, ``spec.job.parallelism``, ``mounted at /opt/flink/conf``."""
    text: str
    """The value that is set at this place."""
    key: str = ""
    """The key as written at this place; empty if the value has no key."""
    key_span: Span | None = None
    """The span of the key at this place; None if the value has no key."""


class Value(NamedTuple):
    """An effective setting with every place that sets it."""

    text: str
    chain: tuple[Origin, ...]
    """The places that set the option, in order of precedence: the first one is effective and overrides the rest."""
    note: str = ""
    """The reason why Flink does not read the setting; empty if it does."""

    @property
    def origin(self) -> Origin:
        """The place that sets the effective value."""
        return self.chain[0]


class Fact(NamedTuple):
    """A property of a process other than a setting, such as its image or the number of its replicas."""

    value: object
    """The value of the fact, a string or a number; None if it is unknown."""
    origin: Origin | None = None
    """The place that states the fact; None if the value is derived or is a default."""


class Part(NamedTuple):
    """A container element that describes a process, with its document."""

    element: Element
    document: Document
    """The document that declares the element."""


SETTINGS, ENVIRONMENT, VALUE = "settings", "environment", "value"

OPERATOR_DEFAULTS = "the operator's defaults"
"""The unknown settings of every FlinkDeployment whose operator is not in the repository."""


class Unknown(NamedTuple):
    """An input that affects a process but is not in the repository."""

    what: str
    """The unknown input as a noun phrase: ``ConfigMap flink-config at /opt/flink/conf``, ``operator's defaults``."""
    sets: str
    """What the input may set: ``settings``, ``environment`` (variables), or ``value`` (of known keys)."""


class ServicePort(NamedTuple):
    """A port of a Kubernetes Service."""

    name: str
    """The name of the port; empty if it is unnamed."""
    port: str
    target: str
    """The target port on the pods, as a number or a name."""
    node_port: str | None
    """The port opened on every node; None if the Service does not specify one."""

    def __str__(self) -> str:
        ports = self.port if self.target in ("", self.port) else f"{self.port}:{self.target}"
        return ports if self.node_port is None else f"{ports} (node port {self.node_port})"


class Route(NamedTuple):
    """An Ingress or another object that exposes a Service outside of the cluster."""

    kind: str
    """The kind of object: ``Ingress``, ``Route``, ``HTTPRoute`` or ``IngressRoute``."""
    name: str
    hosts: tuple[str, ...]
    origin: Origin

    def __str__(self) -> str:
        return f"{self.kind} {' '.join(self.hosts) or self.name}"


class ReachingService(NamedTuple):
    """A Kubernetes Service through which a process can be reached."""

    name: str
    kind: str
    """The type of Service: ``ClusterIP``, ``Headless``, ``NodePort`` or ``LoadBalancer``; other types as written."""
    ports: tuple[ServicePort, ...]
    routes: tuple[Route, ...]
    origin: Origin
    """The place that sets the type of the Service, or its name if no type is set."""

    @property
    def is_open(self) -> bool:
        """Whether the Service can be reached from outside of the cluster."""
        return self.kind in ("NodePort", "LoadBalancer") or bool(self.routes)


class Process(NamedTuple):
    """One process of a deployment, or all replicas of it."""

    role: str
    """The role of the process, such as ``jobmanager`` or ``taskmanager``.

    Others are ``client``, ``sql-gateway``, ``history-server``, ``unknown`` and ``configuration``.
    """
    name: str
    """The name of the process's container or service; if it has neither, the name of its role."""
    document: Document
    """The document that deploys the process and is the top layer of its settings."""
    containers: tuple[Part, ...]
    """The elements that describe the process's container: those of its own document, then those of lower layers."""
    image: Fact | None
    dockerfile: str | None
    """The path of the Dockerfile in the repository that builds the process's image; None if there is none."""
    conf_dir: str | None
    """The path of Flink's configuration directory in the process's container; None outside of containers."""
    files: tuple[Mount, ...]
    """The configuration files that are mounted into the process's container or copied into its image."""
    environment: Mapping[str, Fact]
    arguments: Sequence[Fact]
    """The arguments of the process's command line."""
    replicas: Fact | None
    """The number of replicas of the process; None if it is unknown."""
    memory: Fact | None
    """The memory limit of the process's container in bytes; None if no limit is set."""
    cpu: Fact | None
    """The CPU limit of the process's container, as written; None if no limit is set."""
    service_account: Fact | None
    ports: tuple[str, ...]
    """The ports of the process's container: ``8081``, or ``8082:8081`` if published under another port."""
    services: tuple[ReachingService, ...]
    """The Services in the repository through which the process can be reached."""
    settings: Mapping[str, Value]
    """The effective settings of the process by the option's primary key in its release, in alphabetical order."""
    configuration: Configuration
    error: str | None
    """The reason why Flink refuses the whole configuration of the process; None if Flink accepts it."""
    jobs: tuple[Document, ...]
    """The programs, scripts and session jobs in the repository that run on the process."""
    unknown: tuple[Unknown, ...]
    """The inputs that affect the process but are not in the repository."""

    @property
    def slots(self) -> Fact | None:
        """The number of slots of a TaskManager; None for other processes, or if the number is unknown."""
        if self.role != TASKMANAGER:
            return None
        found = self.settings.get("taskmanager.numberOfTaskSlots")
        if found is None:
            return Fact(1)
        number = whole(found.text)
        return None if number is None else Fact(number, found.origin)
