"""Finds inputs that affect a process but are not in the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.docker_image import PROPERTIES
from flink_flint.linter.flink.deployment.operator import MAIN_CONTAINER
from flink_flint.linter.flink.file_loading import CONF_FOLDERS
from flink_flint.linter.model.containers.built_image import image_of, is_official, reads_variables, runs_script
from flink_flint.linter.model.containers.mounts import Mount
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.processes.process import ENVIRONMENT, OPERATOR_DEFAULTS, SETTINGS, VALUE, Fact, Unknown

_OPERATOR = ("flinkdeployment", "bluegreen")
_OTHER_RESOURCES = ("other-cr", "ververica")
_MAX_NAMES = 20


def unknown_parts(
    document: Document, relation: Relation, containers: Sequence[Element], files: Sequence[Mount], image: Fact | None
) -> tuple[Unknown, ...]:
    """Return the inputs of a process that are not in the repository, such as a ConfigMap or the operator's defaults."""
    found = [Unknown(f"{one.source} at {one.path}", SETTINGS) for one in files if one.document is None]
    found += _configuration(document, relation, containers, files, image)
    found += _environment(document, containers)
    if any(one.kind in _OPERATOR for one in (document, *relation.below)) and not _has_defaults(relation):
        found.append(Unknown(OPERATOR_DEFAULTS, SETTINGS))
    if document.kind in _OTHER_RESOURCES:
        found.append(Unknown("what its operator or platform adds", SETTINGS))
    return tuple(dict.fromkeys(found))


def _has_defaults(relation: Relation) -> bool:
    return any(lower.is_operator_defaults for lower in relation.below)


def _configuration(
    document: Document, relation: Relation, containers: Sequence[Element], files: Sequence[Mount], image: Fact | None
) -> Iterator[Unknown]:
    """Yield the configuration that nothing in the repository brings: of an image, of a folder, of a script."""
    if not containers or not reads_variables(document):
        return
    replaced = any(one.is_folder and one.declared_in is None for one in files)
    folder = next((one.value("environment.FLINK_CONF_DIR") for one in containers), None)
    if isinstance(folder, str) and folder.rstrip("/") not in CONF_FOLDERS and not replaced:
        yield Unknown(f"the configuration in {folder}", SETTINGS)
    elif not replaced:
        yield from (Unknown(what, SETTINGS) for what in _of_image(document, relation, containers, image))
    for container in containers:
        if runs_script(container):
            yield Unknown("what the script in its arguments writes", SETTINGS)


def _of_image(
    document: Document, relation: Relation, containers: Sequence[Element], image: Fact | None
) -> Iterator[str]:
    """Yield the configuration in an image, unless the image is official or a Dockerfile shows everything."""
    if any(one.has("other-build") for one in containers):
        yield "what the arguments or the target of its build change"
    elif relation.dockerfile is not None:
        yield from _of_dockerfile(relation.dockerfile)
    elif not document.whole:
        name = image.value if image is not None else None
        yield f"the configuration in image {name}" if isinstance(name, str) else "the configuration in its image"


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


def _environment(document: Document, containers: Sequence[Element]) -> Iterator[Unknown]:
    names: list[str] = []
    for container in containers:
        names += [name for name, value in container.under("environment") if value.value is None and name != PROPERTIES]
        value = container.attributes.get(f"environment.{PROPERTIES}")
        if value is not None and not container.has("reads-no-variables"):
            yield from _properties(document, is_known=value.value is not None)
        sources = dict.fromkeys(_sources(document, container))
        if "environment" in container.attributes and not sources:
            sources = {"a part of its environment": None}
        yield from (Unknown(source, ENVIRONMENT) for source in sources)
    if names:
        more = "" if len(names) <= _MAX_NAMES else f" and {len(names) - _MAX_NAMES} more"
        yield Unknown(f"the value of {', '.join(sorted(set(names))[:_MAX_NAMES])}{more}", VALUE)


def _properties(document: Document, *, is_known: bool) -> Iterator[Unknown]:
    """Yield the part of FLINK_PROPERTIES that is unknown: values of its lines, or whole lines."""
    lines = document.elements_of(("property-line",))
    if any("{" in line.name or line.value("kind") == "bare" for line in lines) or not (is_known or lines):
        yield Unknown(f"a part of {PROPERTIES}", SETTINGS)
    elif not is_known:
        yield Unknown(f"a part of {PROPERTIES}", VALUE)


def _sources(document: Document, container: Element) -> Iterator[str]:
    """Yield the ConfigMaps and Secrets of which a container has all keys as variables."""
    for element in document.elements:
        if element.kind != "kubernetes-object":
            continue
        for name, attribute in element.attributes.items():
            place, _, rest = name.partition(".envFrom[")
            kind = {"configMapRef.name": "ConfigMap", "secretRef.name": "Secret"}.get(rest.partition("].")[2])
            if kind is not None and element.value(f"{place}.name") in (None, container.name, MAIN_CONTAINER):
                yield f"{kind} {attribute.value or attribute.raw} (its variables)"
