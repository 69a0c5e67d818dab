"""A rule's view of a process: its containers, image, files and variables, and methods to report findings on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flink_flint.linter.flink.deployment.docker_image import PROPERTIES
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.finding import Confidence, Finding, Place, Placed, Severity
from flink_flint.linter.model.processes.process import ENVIRONMENT, OPERATOR_DEFAULTS, SETTINGS, TASKMANAGER, VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flink_flint.linter.model.containers.mounts import Mount
    from flink_flint.linter.model.elements import Attribute
    from flink_flint.linter.model.processes.process import Fact, Process


class ProcessView:
    """A rule's view of one process that a document starts.

    Its attributes are those of the containers that describe it: its own, then those of the documents that it overrides.
    Read its settings from the `View` of the document, which keeps track of the releases that a value is valid for.
    """

    def __init__(self, finding: Callable[..., Finding], process: Process) -> None:
        self._raise = finding
        self.process = process
        self.role = process.role
        """``jobmanager``, ``taskmanager``, ``client``, ``sql-gateway``, ``history-server`` or ``unknown``."""
        self.name = process.name

    @cached_property
    def containers(self) -> Sequence[ElementView]:
        """The containers that describe the process, those of its own document first; empty outside of containers."""
        return [ElementView(self._raise, part.element, part.document) for part in self.process.containers]

    @property
    def is_requested(self) -> bool:
        """Whether the JobManager requests the process, so that no container in the repository describes it."""
        return self.role == TASKMANAGER and not any(one.text("role") == TASKMANAGER for one in self.containers)

    @property
    def settings_are_known(self) -> bool:
        """Whether the repository shows all options that are set for the process, even if some values are unknown."""
        return all(one.sets == VALUE for one in self.process.unknown)

    @property
    def environment_is_known(self) -> bool:
        """Whether the repository shows all environment variables of the process, even if some values are unknown."""
        return all(one.sets != ENVIRONMENT for one in self.process.unknown)

    @property
    def is_configured_elsewhere(self) -> bool:
        """Whether files, images or variables that are not in the repository may set options of the process.

        An operator's defaults do not count. A variable with options that the container has itself overrides all those
        of a ConfigMap or Secret.
        """
        if any(one.sets == SETTINGS and one.what != OPERATOR_DEFAULTS for one in self.process.unknown):
            return True
        return not self.environment_is_known and self.variable(PROPERTIES) is None

    @property
    def image(self) -> Fact | None:
        """The image of the process's container; None if the repository names none."""
        return self.process.image

    @property
    def dockerfile(self) -> str | None:
        """The path of the Dockerfile in the repository that builds the image; None if there is none."""
        return self.process.dockerfile

    @property
    def service_account(self) -> Fact | None:
        """The Kubernetes service account of the process; None if the repository names none."""
        return self.process.service_account

    @property
    def files(self) -> Sequence[Mount]:
        """The configuration files that are mounted into the process's container or copied into its image."""
        return self.process.files

    def has_setting(self, text: str, *keys: str) -> bool:
        """Return whether an option, by the first of these keys that is set for the process, has the value `text`."""
        own = next((self.process.settings[key] for key in keys if key in self.process.settings), None)
        return own is not None and own.text == text

    def variable(self, name: str) -> Fact | None:
        """Return an environment variable of the process; None if it is not set."""
        return self.process.environment.get(name)

    @property
    def files_of_facts(self) -> Iterator[str]:
        """The paths of the files that describe the process's container or name its image or service account."""
        yield from (part.document.path for part in self.process.containers)
        for fact in (self.image, self.service_account):
            if fact is not None and fact.origin is not None:
                yield fact.origin.document.path

    # -- attributes of its containers

    def value(self, name: str) -> Any:
        """Return the value of an attribute; None if it is missing or unknown."""
        return self._with(name).value(name) if self.has(name) else None

    def text(self, name: str) -> str | None:
        """Return an attribute's value if it is a string; None otherwise."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def has(self, name: str) -> bool:
        """Return whether one of the containers has an attribute, even with an unknown value."""
        return any(one.has(name) for one in self.containers)

    def is_known(self, name: str) -> bool:
        """Return whether an attribute is missing or has a known value in each of the containers."""
        return all(one.is_known(name) for one in self.containers)

    def under(self, prefix: str) -> Iterator[tuple[str, Attribute]]:
        """Yield the attributes below `prefix`, each from the highest layer that has it, with the rest of its name."""
        found: dict[str, Attribute] = {}
        for container in self.containers:
            for name, attribute in container.under(prefix):
                found.setdefault(name, attribute)
        yield from found.items()

    def volumes(self) -> list[ElementView]:
        """Return the volumes that the container mounts; for several at one path, only that of the highest layer."""
        found: dict[object, ElementView] = {}
        for container in self.containers:
            for number, volume in enumerate(container.items("volumes")):
                target = volume.text("target")
                key = target.rstrip("/") if target is not None else (container.document.path, number)
                found.setdefault(key, volume)
        return list(found.values())

    def _with(self, name: str) -> ElementView:
        return next(one for one in self.containers if one.has(name))

    # -- findings

    def finding(
        self,
        message: str,
        *,
        of: str | None = None,
        key: str | None = None,
        help: str | None = None,  # noqa: A002 - the contract's name
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        related: Sequence[Placed | Place] = (),
        evidence: Mapping[str, object] | None = None,
    ) -> Finding:
        """Return a finding on the container's attribute `of`, or else on the container, or else on the document."""
        more: dict[str, Any] = {
            "key": key, "help": help, "severity": severity, "confidence": confidence, "related": related,
            "evidence": evidence,
        }  # fmt: skip
        if not self.containers:
            return self._raise(message, **more)
        owner = self._with(of) if of is not None and self.has(of) else self.containers[0]
        return owner.finding(message, of=of, **more)

    def place(self, name: str, message: str = "") -> Place:
        """Return the place of the container's attribute `name`, or of the container, as a related location."""
        owner = self._with(name) if self.has(name) else self.containers[0]
        return owner.place(name, message)

    def __repr__(self) -> str:
        return f"<ProcessView {self.role} {self.name}>"
