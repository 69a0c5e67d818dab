"""What decides how a process runs, but is not in the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.docker_image import PROPERTIES
from flink_flint.linter.model.built_image import image_of, is_official, reads_variables
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.mounts import Mount
from flink_flint.linter.model.processes.process import Fact

_OPERATOR = ("flinkdeployment", "bluegreen")
_OTHER_RESOURCES = ("other-cr", "ververica")
_MAX_NAMES = 20


def unknown_parts(
    document: Document, relation: Relation, containers: Sequence[Element], files: Sequence[Mount], image: Fact | None
) -> tuple[str, ...]:
    """Return what is missing, each as a short noun phrase: ``ConfigMap flink-config``, ``the operator's defaults``."""
    found = [f"{one.source} at {one.path}" for one in files if one.document is None]
    found += _configuration_of_image(document, relation, containers, files, image)
    found += _environment(document, containers)
    if any(one.kind in _OPERATOR for one in (document, *relation.below)) and not _has_defaults(relation):
        found.append("the operator's defaults")
    if document.kind in _OTHER_RESOURCES:
        found.append("what its operator or platform adds")
    return tuple(dict.fromkeys(found))


def _has_defaults(relation: Relation) -> bool:
    return any((lower.name or "").startswith("operator defaults") for lower in relation.below)


def _configuration_of_image(
    document: Document, relation: Relation, containers: Sequence[Element], files: Sequence[Mount], image: Fact | None
) -> Iterator[str]:
    """Yield the configuration in an image that nothing in the repository builds or replaces."""
    if not containers or not reads_variables(document) or any(one.is_folder and not _is_copied(one) for one in files):
        return
    if any(one.has("other-build") for one in containers):
        yield "what the arguments or the target of its build change"
    elif relation.dockerfile is not None:
        yield from _of_dockerfile(relation.dockerfile)
    elif not document.whole:
        name = image.value if image is not None else None
        yield f"the configuration in image {name}" if isinstance(name, str) else "the configuration in its image"


def _is_copied(mount: Mount) -> bool:
    return mount.declared_in is not None


def _of_dockerfile(dockerfile: Document) -> Iterator[str]:
    """Yield what the build of an image does to its configuration that cannot be read from the Dockerfile."""
    image = image_of(dockerfile)
    if not is_official(image):
        base = image.attributes["from"]
        yield f"the configuration in image {base.value or base.raw}"
    for edit in image.items("unread-edits"):
        yield f"how {dockerfile.file_name} changes {edit.value('')}"
    if image.has("entrypoint"):
        yield f"what its entrypoint {image.attributes['entrypoint'].raw} does"


def _environment(document: Document, containers: Sequence[Element]) -> Iterator[str]:
    names: list[str] = []
    for container in containers:
        names += [name for name, value in container.under("environment") if value.value is None and name != PROPERTIES]
        if (value := container.attributes.get(f"environment.{PROPERTIES}")) is not None and value.value is None:
            yield f"a part of {PROPERTIES}"
        if "environment" in container.attributes:
            sources = dict.fromkeys(_sources(document, container))
            yield from sources or ("a part of its environment",)
    if names:
        more = "" if len(names) <= _MAX_NAMES else f" and {len(names) - _MAX_NAMES} more"
        yield f"the value of {', '.join(sorted(set(names))[:_MAX_NAMES])}{more}"


def _sources(document: Document, container: Element) -> Iterator[str]:
    """Yield the ConfigMaps and Secrets of which a container has all keys as variables."""
    for element in document.elements:
        if element.kind != "kubernetes-object":
            continue
        for name, attribute in element.attributes.items():
            place, _, rest = name.partition(".envFrom[")
            kind = {"configMapRef.name": "ConfigMap", "secretRef.name": "Secret"}.get(rest.partition("].")[2])
            if kind is not None and element.value(f"{place}.name") in (None, container.name):
                yield f"{kind} {attribute.value or attribute.raw} (its variables)"
