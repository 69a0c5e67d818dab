"""Recognizes documents whose containers run JobManagers or TaskManagers and nothing else of Flink."""

from __future__ import annotations

from flink_flint.linter.flink.deployment import image_names
from flink_flint.linter.flink.deployment.docker_image import starts_at_once
from flink_flint.linter.model.containers.built_image import image_of, is_official
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layers import Relation

_ROLES = ("jobmanager", "taskmanager")
_ENTRYPOINT = "docker-entrypoint.sh"


def starts_only_a_cluster(document: Document, relation: Relation) -> bool:
    """Return whether a document has containers, and each surely runs a JobManager or a TaskManager and nothing else."""
    containers = document.elements_of(("container",))
    return bool(containers) and all(_runs_one_process(container, relation) for container in containers)


def _runs_one_process(container: Element, relation: Relation) -> bool:
    words = [str(word.value) for word in container.listed("args")]
    if container.value("role") not in _ROLES or not starts_at_once(words) or container.has("other-build"):
        return False
    if words[0].rpartition("/")[2] == _ENTRYPOINT:
        return True
    if relation.dockerfile is not None:
        image = image_of(relation.dockerfile)
        return is_official(image) and not image.has("entrypoint")
    name = container.value("image")
    return isinstance(name, str) and image_names.is_official(name)
