"""JobManagers and TaskManagers in separate containers, for rules on settings that both need."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flink_flint.linter.flink.deployment.docker_image import ADDRESS
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.model.processes.process_view import ProcessView

ADDRESS_KEY = "jobmanager.rpc.address"
_TAG = regex(r"\{[{%]")
"""A template's, which may bring lines of its own."""
_OWN_WORDS = ("start", "start-foreground", "cluster", "local")


def arguments(container: ElementView) -> list[str]:
    """Return the words of a container's command line."""
    return [str(one.value) for one in container.element.listed("args")]


def words_of(process: ProcessView) -> list[str]:
    """Return the words of a process's command line."""
    return [str(word.value) for word in process.process.arguments]


def tells_all(config: View, process: ProcessView) -> bool:
    """Return whether everything that sets options of a process is in the repository."""
    return (
        config.document.whole
        and process.settings_are_known
        and not _TAG.search(config.document.text)
        and not config.is_merged_over_another
    )


def names_address(process: ProcessView) -> bool:
    """Return whether a process gets the JobManager's address, even with an unknown value."""
    if process.variable(ADDRESS) is not None:
        return True
    return any(ADDRESS_KEY in word or "high-availability" in word for word in words_of(process))


def is_told_its_host(process: ProcessView) -> bool:
    """Return whether a JobManager's command line contains its address."""
    words = words_of(process)
    place = next(
        (n for n, word in enumerate(words) if word.rpartition("/")[2] in ("jobmanager", "jobmanager.sh")), None
    )
    rest = [] if place is None else words[place + 1 :]
    bare = any(not word.startswith("-") and word not in _OWN_WORDS for word in rest)
    return bare or any(word.startswith("--host") for word in words)


class Pair(NamedTuple):
    """A JobManager and a TaskManager of one cluster with separate configurations."""

    jobmanager: View
    leader: ProcessView
    taskmanager: View
    worker: ProcessView

    @property
    def is_whole(self) -> bool:
        """Whether the files show the complete configuration of both processes."""
        return tells_all(self.jobmanager, self.leader) and tells_all(self.taskmanager, self.worker)


def pairs(project: Project) -> Iterator[Pair]:
    """Yield each TaskManager with the only JobManager in its Compose file or folder of manifests."""
    groups: dict[str, list[View]] = defaultdict(list)
    for config in project.views:
        if config.document.kind in ("compose", "helm") and config.elements("container"):
            in_compose = config.platform == "compose"
            groups[config.document.path if in_compose else os.path.join(config.document.directory, "")].append(config)
    for views in groups.values():
        leaders = [(view, part) for view in views for part in _of_role(view, "jobmanager")]
        if len(leaders) != 1:
            continue
        for view in views:
            for worker in _of_role(view, "taskmanager"):
                if view is not leaders[0][0]:
                    yield Pair(*leaders[0], view, worker)


def _of_role(config: View, role: str) -> list[ProcessView]:
    return [one for one in config.processes if one.role == role and one.containers and not one.is_requested]
