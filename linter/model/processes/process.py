"""A process of Flink as it is deployed: what it runs, where, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
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


class Part(NamedTuple):
    """A container that describes a process, or a part of it."""

    element: Element
    document: Document
    """The document that has the element."""


SETTINGS, ENVIRONMENT, VALUE = "settings", "environment", "value"


class Unknown(NamedTuple):
    """Something that decides how a process runs, but is not in the repository."""

    what: str
    """A short noun phrase: ``ConfigMap flink-config at /opt/flink/conf``, ``the operator's defaults``."""
    sets: str
    """What it may set: ``settings`` alone, the ``environment`` (and settings by it), or a ``value`` that is named."""


class Process(NamedTuple):
    """One process of a deployment, or all replicas of it."""

    role: str
    """``jobmanager``, ``taskmanager``, ``client``, ``sql-gateway``, ``history-server``, ``unknown`` or
    ``configuration``."""
    name: str
    """The name of its container or service; that of its role if it has none."""
    document: Document
    """The document that deploys it: the topmost layer of its settings."""
    containers: tuple[Part, ...]
    """What describes its container: in its own document, then in those of lower layers."""
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
    settings: Mapping[str, Value]
    """The effective settings by the key of the option in the process's release, sorted."""
    configuration: Configuration
    error: str | None
    """Why Flink refuses the configuration as a whole; None if it does not."""
    jobs: tuple[Document, ...]
    """The programs, scripts and session jobs that run on it, as far as they are in the repository."""
    unknown: tuple[Unknown, ...]
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
