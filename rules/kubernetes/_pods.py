"""Containers in the pod templates of a custom resource."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.kubernetes._resource import CLUSTERS, Resource, resources

__all__ = ["CLUSTERS", "COMMON", "TEMPLATES", "Container", "containers", "resources"]

COMMON = "podTemplate"
TEMPLATES = (COMMON, "jobManager.podTemplate", "taskManager.podTemplate")
"""The paths of the fields of a spec that contain pod templates."""


class Container(NamedTuple):
    """A container of a pod template, with the template's field and the path of the container."""

    template: str
    path: str
    part: ElementView

    @property
    def name(self) -> str | None:
        """The name of the container; None if it is unknown."""
        return self.part.text("name")

    @property
    def is_main(self) -> bool:
        """Whether the container is the one in which Flink's own process runs."""
        return self.name == MAIN_CONTAINER


def containers(resource: Resource, template: str, of: str = "containers") -> list[Container]:
    """Return the containers of one pod template, in order."""
    path = resource.path(f"{template}.spec.{of}")
    return [Container(template, f"{path}[{part.name}]", part) for part in resource.part.items(path)]


def main_containers(resource: Resource) -> Iterator[Container]:
    """Yield Flink's own containers in all pod templates."""
    for template in TEMPLATES:
        yield from (container for container in containers(resource, template) if container.is_main)
