"""Docker Compose files: a document for each service that runs Flink.

Services that share one FLINK_PROPERTIES text (through an anchor) share one document, so that a problem in it is
reported once. Variables have the values of the ``.env`` file in the same folder, or their defaults.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from flink_flint.linter.filesystem.folders import names_in
from flink_flint.linter.filesystem.reading import path_in_repository
from flink_flint.linter.flink.deployment import docker_image
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, FLINK_CONF
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.containers.compose_configs import MOUNT_FOLDERS, read_config
from flink_flint.linter.formats.containers.compose_hosts import network_of
from flink_flint.linter.formats.containers.compose_variables import interpolated, read_variables
from flink_flint.linter.formats.containers.flink_container import (
    Container,
    Place,
    PropertiesFile,
    arguments_of,
    commands_of,
    document_of,
)
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_text
from flink_flint.linter.formats.recognition import is_rendered
from flink_flint.linter.formats.shell.command_line import ShellWord, split_commands, whole_word
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_SERVICES = regex(r"^(?:services|x-[\w.-]+)[ \t]*:", re.MULTILINE)
_OF_KUBERNETES = regex(r"^apiVersion[ \t]*:", re.MULTILINE)
_FLINK = regex(
    r"(?i)image:[^\n]*flink|FLINK_PROPERTIES|JOB_MANAGER_RPC_ADDRESS|(?:job|task)manager|standalone-job|build:[^\n]*flink"
)
_PORT = regex(
    r"(?:(?P<address>\[[0-9A-Fa-f:.]*\]|[\w.-]+|\$\{[^}]*\}):)??"
    r"(?:(?P<published>\d[\d-]*|\$\{[^}]*\}|\$\w+|):)?(?P<target>\d[\d-]*|\$\{[^}]*\}|\$\w+)(?:/\w+)?"
)
_SCALARS = (
    ("hostname", ("hostname",)),
    ("restart", ("restart",)),
    ("network", ("network_mode",)),
    ("cpu", ("cpus",)),
    ("cpu", ("deploy", "resources", "limits", "cpus")),
    ("replicas", ("scale",)),
    ("replicas", ("deploy", "replicas")),
)
"""The fields of a service with one value, by the attribute of its container."""
_STORE_KEYS = ("MINIO_ROOT_USER", "MINIO_ROOT_PASSWORD", "MINIO_ACCESS_KEY", "MINIO_SECRET_KEY")
"""The variables of an object store that its clients must have as well."""
_MAX_SERVICES = 300
_MAX_NEIGHBORS = 50


class Compose(Grammatical, SettingsMapFormat):
    """Docker Compose files, such as ``docker-compose.yml``."""

    kind = "compose"

    def refuser(self, name: str) -> str:
        """Return "Docker Compose refuses the file", for reports of a file that cannot be parsed."""
        return "Docker Compose refuses the file"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is a Compose file in which at least one service runs Flink."""
        return (
            _OF_KUBERNETES.search(head) is None
            and _SERVICES.search(head) is not None
            and re.search(r"^services[ \t]*:", head, re.MULTILINE) is not None
            and _FLINK.search(head) is not None
        )

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each service that runs Flink; services that share FLINK_PROPERTIES share a document."""
        text = read_text(data)
        documents: list[Document] = []
        for tree in read_trees(text, is_rendered=is_rendered(path)):
            services = tree.root.get("services") if tree.root is not None else None
            if tree.root is not None and services is not None and services.is_mapping:
                documents += self._documents(path, text, tree.root, services)
        return documents

    def _documents(self, path: str, text: str, root: Value, services: Value) -> list[Document]:
        folder = os.path.dirname(path)
        variables = _variables(folder, ".env") or {}
        containers: list[tuple[Container, Value]] = []
        other_services: list[Element] = []
        for number, (name, span, service) in enumerate(services.pairs()):
            if number < _MAX_SERVICES and service.is_mapping:
                found = _Service(name, span, _extended(service, services), root, folder, variables).container
                if found.runs_flink:
                    containers.append((found, service))
                elif found.image is not None:
                    other_services.append(_other_service(found, found.image))
        if containers and (network := network_of(root, services)) is not None:
            other_services.append(network)
        profile = _profile(containers)
        neighbors = {container.name: container.element("neighbor") for container, _ in containers[:_MAX_NEIGHBORS]}
        documents: list[Document] = []
        for group in _groups([container for container, _ in containers]):
            names = ", ".join(container.name for container in group)
            place = Place(path, text, self, self.kind, f"service{'s' * (len(group) > 1)} {names}", "compose", profile)
            own = {container.name for container in group}
            others = [element for name, element in neighbors.items() if name not in own] + other_services
            documents.append(document_of(place, group, others, arguments=len(group) == 1))
            if len(group) > 1:
                for container in group:
                    part = arguments_of(place._replace(name=f"service {container.name}"), container)
                    documents += [part] if part is not None else []
        return documents


def _other_service(container: Container, image: Attribute) -> Element:
    """Return the element for a service that does not run Flink but may be used by it."""
    attributes = {"image": image}
    if container.hostname is not None:
        attributes["hostname"] = container.hostname
    for name, value in container.environment.items():
        if name in _STORE_KEYS:
            attributes[f"environment.{name}"] = value
    return Element("service", container.name, container.span, attributes)


def _variables(folder: str, path: str, given: Mapping[str, str | None] | None = None) -> dict[str, str | None] | None:
    named = path_in_repository(folder, path)
    return None if named is None else read_variables(named, given or {})


def _groups(containers: list[Container]) -> list[list[Container]]:
    """Return the services grouped by properties text (FLINK_PROPERTIES, the same place or file) and image release."""
    groups: dict[object, list[Container]] = {}
    for number, container in enumerate(containers):
        extract = container.properties
        shared: object = None if extract is None else (extract.span(Span(0, len(extract.text))), container.index)
        if container.properties_file is not None:
            shared = container.properties_file.path, container.properties_file.text, container.index
        groups.setdefault(shared or number, []).append(container)
    return list(groups.values())


def _profile(containers: list[tuple[Container, Value]]) -> str | None:
    """Return ``development`` if a single JobManager without high availability runs on one machine, otherwise None."""
    managers = [service for container, service in containers if container.role in ("jobmanager", "cluster")]
    if len(managers) > 1:
        return None
    for container, service in containers:
        if service.get("deploy", "placement") is not None or service.get("deploy", "mode") is not None:
            return None  # Docker Swarm
        text = container.properties_text or ""
        words = " ".join(word.text for word in container.words)
        if re.search(r"high-availability(?:\.type)?\s*[:=]\s*(?!NONE\b)\S", f"{text}\n{words}", re.IGNORECASE):
            return None
    return "development"


def _extended(service: Value, services: Value, depth: int = 0) -> list[Value]:
    """Return a service followed by the services in this file that it extends, the nearest first."""
    found = service.get("extends")
    if found is None or depth > 5:
        return [service]
    name = found.text if found.is_scalar else (found.string("service") if found.get("file") is None else None)
    base = services.get(name) if name else None
    return [service, *_extended(base, services, depth + 1)] if base is not None else [service]


class _Service:
    """Reads one service into a `Container`."""

    def __init__(
        self, name: str, span: Span, layers: list[Value], root: Value, folder: str, variables: Mapping[str, str | None]
    ) -> None:
        self._layers = layers
        self._folder = folder
        self._variables = variables
        self.container = Container(name, span)
        self._read_image()
        self._read_environment()
        self._read_command()
        for value in self._members("ports"):
            self._read_port(value)
        for value in self._members("volumes"):
            self._read_volume(value)
        for volume in self.container.volumes:
            self._look_into(volume)
        for section in MOUNT_FOLDERS:
            for value in self._members(section):
                if volume := read_config(section, value, root, self._attribute):
                    self.container.volumes.append(volume)
        self._read_memory()
        for name, path in _SCALARS:
            found = self._get(*path)
            if found is not None and found.is_scalar:
                setattr(self.container, name, self._attribute(found))

    def _get(self, *path: str) -> Value | None:
        return next((found for layer in self._layers if (found := layer.get(*path)) is not None), None)

    def _members(self, name: str) -> Iterator[Value]:
        for layer in self._layers:
            found = layer.get(name)
            if found is not None:
                yield from found.items()

    def _filled(self, extract: Extract) -> tuple[str | None, Extract, tuple[Span, ...]]:
        """Return the interpolated text (None if a variable is unknown), its extract, and the unknown spans."""
        made, unknown = interpolated(extract, self._variables)
        return (None if unknown else made.text), made, unknown

    def _attribute(self, value: Value, key_span: Span | None = None) -> Attribute:
        text = None if value.is_templated else self._filled(value.extract())[0]
        return Attribute(text, value.span, key_span, value.raw)

    def _read_image(self) -> None:
        container = self.container
        for layer in self._layers:
            if container.image is None and (found := layer.entry("image")) is not None and found[1].is_scalar:
                container.image = self._attribute(found[1], found[0])
        build = self._get("build")
        if build is not None:
            self._read_build(build)

    def _read_build(self, build: Value) -> None:
        """Read the base image of the build's Dockerfile, and the configuration that the Dockerfile changes."""
        from flink_flint.linter.formats.containers.dockerfile import summary

        context = self._text(build if build.is_scalar else build.get("context"), ".")
        name = self._text(None if build.is_scalar else build.get("dockerfile"), "Dockerfile")
        self.container.is_altered = self.container.may_have_flink_conf = self.container.may_read_elsewhere = True
        if context is None or name is None or "://" in context:
            return
        arguments: dict[str, str | None] = {}
        args = build.get("args")
        for key, _, value in self._pairs(args) if args is not None else ():
            arguments[key] = None if value is None else self._filled(value)[0]
        target = self._text(build.get("target"), "")
        path = path_in_repository(self._folder, os.path.join(context, name))
        found = None if path is None else summary(path, arguments, target or "")
        if path is not None and os.path.isfile(path):
            dockerfile = os.path.normpath(os.path.join(context, name))
            self.container.dockerfile = Attribute(dockerfile, build.span, None, build.raw)
        if found is None:
            self.container.copies = [{"context": Attribute(context, build.span)}]
            return
        self.container.may_have_flink_conf = found.may_have_flink_conf
        self.container.may_read_elsewhere = found.may_read_elsewhere
        self.container.base, self.container.is_altered = found.base, found.is_altered
        self.container.is_built_as_written = found.is_as_written
        self.container.copies = [
            {
                "source": Attribute(os.path.join(context, source.lstrip("/")), build.span),
                "target": Attribute(to, build.span),
            }
            for source, to in found.copies
        ]

    def _text(self, value: Value | None, default: str) -> str | None:
        if value is None:
            return default
        return None if value.text is None else self._filled(value.extract())[0]

    def _pairs(self, value: Value) -> Iterator[tuple[str, Span, Extract | None]]:
        """Yield the assignments in a list (``- NAME=value``) or mapping; a value set outside the file is None."""
        for name, span, child in value.pairs():
            known = child.is_scalar and child.typed is not None
            yield name, span, child.extract() if known or child.is_templated else None
        for item in value.items():
            if not item.is_scalar:
                continue
            extract = item.extract()
            name, equals, _ = extract.text.partition("=")
            key = extract.span(Span(0, len(name)))
            yield name.strip(), key, extract.part(Span(len(name) + 1, len(extract.text))) if equals else None

    def _read_environment(self) -> None:
        container = self.container
        for layer in self._layers:
            found = layer.get("environment")
            for name, key_span, extract in self._pairs(found) if found is not None else ():
                if name in container.environment:
                    continue
                if extract is None:
                    container.environment[name] = Attribute(None, key_span)
                    continue
                text, made, unknown = self._filled(extract)
                span = extract.span(Span(0, len(extract.text)))
                raw = extract.outer[slice(*span)]
                container.environment[name] = Attribute(text, span, key_span, raw)
                if name == docker_image.PROPERTIES:
                    container.properties, container.hidden = made, unknown
        if any(layer.get("extends", "file") is not None for layer in self._layers):
            container.is_complete = False
        for path, span in self._environment_files():
            read = None if path is None else _variables(self._folder, path, self._variables)
            if read is None or path is None:
                container.is_complete = False
                continue
            for name, value in read.items():
                if name in container.environment:
                    continue
                container.environment[name] = Attribute(value, span)
                if name == docker_image.PROPERTIES and value is not None:
                    container.properties_file = PropertiesFile(path, value, span)

    def _environment_files(self) -> Iterator[tuple[str | None, Span]]:
        """Yield the path of each `env_file`, the one that wins first: later ones override earlier ones."""
        for layer in self._layers:
            found = layer.get("env_file")
            if found is None:
                continue
            for item in reversed([found] if found.is_scalar else list(found.items())):
                path = item if item.is_scalar else item.get("path")
                yield self._text(path, ""), (path or item).span

    def _read_command(self) -> None:
        container = self.container
        entrypoint, command = self._get("entrypoint"), self._get("command")
        lines = [self._words(value) for value in (entrypoint, command) if value is not None]
        # The command is appended to the entrypoint, on one command line.
        heads = [one for line in lines[:-1] for one in line]
        tails = lines[-1] if lines else []
        joined = [*heads[:-1], [*heads[-1], *tails[0]], *tails[1:]] if heads and tails else [*heads, *tails]
        container.words = [word for line in joined for word in line]
        container.commands = list(commands_of(joined))
        if entrypoint is not None and not any("docker-entrypoint" in word.text for word in container.words):
            programs = [one.program for one in container.commands if one.role != "client"]
            container.replaces_entrypoint = bool(programs) and all(program.endswith(".sh") for program in programs)

    def _words(self, value: Value) -> list[list[ShellWord]]:
        if value.is_scalar:
            return split_commands(self._filled(value.extract())[1])
        words = []
        for item in value.items():
            if item.is_scalar:
                words.append(whole_word(self._filled(item.extract())[1], item.span))
        return [words] if words else []

    def _read_port(self, value: Value) -> None:
        if value.is_mapping:
            names = (("published", "published"), ("target", "target"), ("host_ip", "address"))
            port = {
                name: self._attribute(found[1], found[0])
                for key, name in names
                if (found := value.entry(key)) is not None and found[1].is_scalar
            }
            if port:
                self.container.ports.append(port)
            return
        extract = value.extract()
        match = _PORT.fullmatch(extract.text)
        if match is None or value.is_templated:
            return
        port = {}
        for name in ("published", "target", "address"):
            if match[name]:
                part = extract.part(Span(*match.span(name)))
                span = part.span(Span(0, len(part.text)))
                port[name] = Attribute(self._filled(part)[0], span, None, extract.outer[slice(*span)])
        self.container.ports.append(port)

    def _read_volume(self, value: Value) -> None:
        if value.is_mapping:
            names = (("source", "source"), ("target", "target"), ("type", "kind"))
            volume = {
                name: self._attribute(found[1], found[0])
                for key, name in names
                if (found := value.entry(key)) is not None and found[1].is_scalar
            }
            read_only = value.get("read_only")
            if read_only is not None and read_only.text == "true":
                volume["read-only"] = Attribute(True, read_only.span, None, read_only.raw)
            if volume:
                self.container.volumes.append(volume)
            return
        if not value.is_scalar:
            return
        extract = value.extract()
        parts = _volume_parts(extract.text)
        volume = {}
        if _READ_ONLY.search(extract.text) is not None:
            volume["read-only"] = Attribute(True, value.span)
        for name, span in parts.items():
            part = extract.part(span)
            place = part.span(Span(0, len(part.text)))
            volume[name] = Attribute(self._filled(part)[0], place, None, extract.outer[slice(*place)])
        source = volume["source"].value if "source" in volume else ""
        if source is None:
            written = extract.text.lstrip("${ ")
            kind = "bind" if extract.text[:1] == "$" or "/" in written else "volume"
        else:
            kind = "bind" if str(source)[:1] in ("/", ".", "~") or str(source)[1:3] == ":\\" else "volume"
        volume["kind"] = Attribute(kind, value.span)
        self.container.volumes.append(volume)

    def _look_into(self, volume: Mapping[str, Attribute]) -> None:
        """Look for a flink-conf.yaml in a folder that is mounted as the configuration."""
        source, target = (volume[name].value if name in volume else None for name in ("source", "target"))
        if not (isinstance(source, str) and isinstance(target, str) and target.rstrip("/") in CONF_FOLDERS):
            return
        folder = path_in_repository(self._folder, source)
        if folder is not None and os.path.isdir(folder):
            self.container.folders[source] = FLINK_CONF in names_in(folder)

    def _read_memory(self) -> None:
        for path in (("mem_limit",), ("deploy", "resources", "limits", "memory")):
            found = self._get(*path)
            text = None if found is None else self._text(found, "")
            if found is None or not text:
                continue
            try:
                size: int | None = int(parse_memory(text if whole(text) is None else f"{text}b"))
            except BadValue:
                size = None
            self.container.memory = Attribute(size, found.span, None, found.raw)


_READ_ONLY = regex(r":(?:[a-zA-Z]+,)*+ro(?:,[a-zA-Z]+)*+\Z")
"""The mode of a volume in the short syntax that the container cannot write to."""


def _volume_parts(text: str) -> dict[str, Span]:
    """Return the spans of source and target in a volume's short syntax (``source:target:mode`` or ``target``)."""
    bounds = []
    start = depth = 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == ":" and depth <= 0 and not (at == start + 1 and text[at + 1 : at + 2] == "\\"):
            bounds.append(Span(start, at))
            start = at + 1
    bounds.append(Span(start, len(text)))
    if len(bounds) == 1:
        return {"target": bounds[0]}
    return {"source": bounds[0], "target": bounds[1]}


FILE_FORMAT = Compose()
