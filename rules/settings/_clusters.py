"""JobManagers and TaskManagers in separate containers, for rules on settings that both need."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.flink.deployment.docker_image import ADDRESS, PROPERTIES
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

ADDRESS_KEY = "jobmanager.rpc.address"
_RUNS_JOBMANAGERS = ("jobmanager", "cluster")
_TAG = regex(r"\{[{%]")
"""A template's, which may bring lines of its own."""
_OWN_WORDS = ("start", "start-foreground", "cluster", "local")


def arguments(container: ElementView) -> list[str]:
    """Return the words of a container's command line."""
    return [str(one.value) for name, one in container.element.attributes.items() if name.startswith("args[")]


def tells_all(config: View, container: ElementView) -> bool:
    """Return whether the file shows everything from which the image creates a container's configuration."""
    known = container.element.attributes
    if not config.document.whole or "environment" in known or "environment.FLINK_CONF_DIR" in known:
        return False
    lines = config.elements("property-line")
    if not container.is_known(f"environment.{PROPERTIES}") and not lines:
        return False
    if _TAG.search(config.document.text) or any("{" in line.name or line.text("kind") == "bare" for line in lines):
        return False
    # A script among the words may write the configuration itself.
    return not any(" " in word or "\n" in word for word in arguments(container))


def names_address(container: ElementView) -> bool:
    """Return whether a container gets the JobManager's address, even with an unknown value."""
    if f"environment.{ADDRESS}" in container.element.attributes:
        return True
    return any(ADDRESS_KEY in word or "high-availability" in word for word in arguments(container))


def is_told_its_host(container: ElementView) -> bool:
    """Return whether a JobManager's command line contains its address."""
    words = arguments(container)
    place = next(
        (n for n, word in enumerate(words) if word.rpartition("/")[2] in ("jobmanager", "jobmanager.sh")), None
    )
    rest = [] if place is None else words[place + 1 :]
    bare = any(not word.startswith("-") and word not in _OWN_WORDS for word in rest)
    return bare or any(word.startswith("--host") for word in words)


class Pair(NamedTuple):
    """A JobManager and a TaskManager of one cluster with separate configurations."""

    jobmanager: View
    leader: ElementView
    """The container of the JobManager."""
    taskmanager: View
    worker: ElementView

    @property
    def is_whole(self) -> bool:
        """Whether the files show the complete configuration of both."""
        return tells_all(self.jobmanager, self.leader) and tells_all(self.taskmanager, self.worker)


def pairs(project: Project) -> Iterator[Pair]:
    """Yield each TaskManager with the only JobManager in its Compose file or folder of manifests."""
    groups: dict[str, list[View]] = defaultdict(list)
    for config in project.views:
        if config.document.kind in ("compose", "helm") and config.elements("container"):
            in_compose = config.platform == "compose"
            groups[config.document.path if in_compose else os.path.join(config.document.directory, "")].append(config)
    for views in groups.values():
        leaders = [(view, part) for view in views for part in _with(view, _RUNS_JOBMANAGERS)]
        if len(leaders) != 1:
            continue
        for view in views:
            for worker in _with(view, ("taskmanager",)):
                if view is not leaders[0][0]:
                    yield Pair(*leaders[0], view, worker)


def _with(config: View, roles: tuple[str, ...]) -> list[ElementView]:
    return [container for container in config.elements("container") if container.text("role") in roles]
