"""Containers that run Flink, declared in Compose files or manifests, and the settings they pass to Flink."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.flink.deployment import docker_image
from flink_flint.linter.flink.deployment.image_names import is_floating, is_official, release_of_image
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, LAST_FLINK_CONF, NEWEST, nearest_index, parse_release
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.embedding import Embedded, indent_of, outward
from flink_flint.linter.formats.flink_files.settings_map import implied
from flink_flint.linter.formats.shell.command_line import ShellWord, split_commands
from flink_flint.linter.model.document import Document, FileFormat, Ignored, Promise
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span

_ROLES = {
    "jobmanager": "jobmanager", "jobmanager.sh": "jobmanager",
    "standalone-job": "jobmanager", "standalone-job.sh": "jobmanager", "job-cluster": "jobmanager",
    "kubernetes-jobmanager.sh": "cluster", "kubernetes-application": "cluster", "kubernetes-session": "cluster",
    "taskmanager": "taskmanager", "taskmanager.sh": "taskmanager", "kubernetes-taskmanager.sh": "taskmanager",
    "start-cluster.sh": "cluster", "start-scala-shell.sh": "client",
    "history-server": "history-server", "historyserver.sh": "history-server",
    "sql-gateway": "sql-gateway", "sql-gateway.sh": "sql-gateway",
    "sql-client": "client", "sql-client.sh": "client", "flink": "client", "kubernetes-session.sh": "client",
    "yarn-session.sh": "client",
}  # fmt: skip
"""The role of a container, by its program or by the first argument of its entrypoint.

A JobManager that requests its TaskManagers from Kubernetes counts as ``cluster``, because it determines their settings.
"""

_SHELLS = ("bash", "sh", "dash", "ash")
_BEFORE = ("exec", "sudo", "env", "nohup", "tini", "dumb-init", "gosu", "su-exec", "flink", "--", "-g", "-s", "time")
_NAMED = regex(r"(?i)(?:^|[-_.])(job-?_?manager|jm|task-?_?manager|tm)(?:$|[-_.\d])")
_FLINK_IMAGE = regex(r"(?:[^@]*/)?+(?=[\w.-]*flink)[\w.-]++(?::[^/@]*+)?(?:@.*)?")
_NO_FLINK_IMAGE = regex(r"operator|flink-?cdc|exporter|dashboard|statefun|flinkk8s|kafka|zeppelin|streampark|ui\b")
_SAFE = regex(r"[\w./:@%+,=-]+")
_MAX_DEPTH = 4


class Command(NamedTuple):
    """A Flink program that a command line runs, with its role and arguments."""

    role: str
    program: str
    arguments: Sequence[ShellWord]


class PropertiesFile(NamedTuple):
    """An environment file that sets the FLINK_PROPERTIES of a container."""

    path: str
    """The path of the environment file, as written in the file that declares the container."""
    text: str
    span: Span
    """The span of the environment file's path in the file that declares the container."""


class Container:
    """A container that may run Flink: its image, command line, variables, volumes, ports, and so on."""

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span
        self.image: Attribute | None = None
        self.words: list[ShellWord] = []
        """The words of the container's command line."""
        self.commands: list[Command] = []
        self.replaces_entrypoint = False
        """Whether the entrypoint of the image, which reads the variables, is known not to run."""
        self.environment: dict[str, Attribute] = {}
        self.is_complete = True
        """Whether `environment` contains all variables of the container."""
        self.properties: Extract | None = None
        self.properties_file: PropertiesFile | None = None
        """The file that FLINK_PROPERTIES comes from, if that is not part of the container's own file."""
        self.hidden: tuple[Span, ...] = ()
        """The spans in `properties` of variables with unknown values."""
        self.volumes: list[dict[str, Attribute]] = []
        self.copies: list[dict[str, Attribute]] = []
        """The configuration files that the build of the image copies, or its context if the rest is unknown."""
        self.may_have_flink_conf = False
        """Whether the build of the image may bring a flink-conf.yaml."""
        self.folders: dict[str, bool] = {}
        """Whether a folder that the container mounts has a flink-conf.yaml, by its path as written, where known."""
        self.ports: list[dict[str, Attribute]] = []
        self.memory: Attribute | None = None
        self.cpu: Attribute | None = None
        """The number of CPUs that it may use, as written."""
        self.replicas: Attribute | None = None
        self.dockerfile: Attribute | None = None
        """The path of the Dockerfile that builds its image, from the folder of its own file."""
        self.is_built_as_written = True
        """Whether the build uses the Dockerfile's last stage, and no argument that changes settings or files."""
        self.hostname: Attribute | None = None
        self.restart: Attribute | None = None
        """When Docker starts the container again, as written: ``always``, ``unless-stopped``, ``on-failure``."""
        self.network: Attribute | None = None
        """The network mode: the network that the container shares, or None if it has its own."""
        self.base: str | None = None
        """The base image of the Dockerfile that builds the container's image."""
        self.is_altered = False
        self.may_read_elsewhere = False
        """Whether the image may have Flink read configuration outside of Flink's own folder for it."""
        """Whether the image is known to contain a changed Flink configuration."""

    @property
    def role(self) -> str | None:
        """The role: jobmanager, taskmanager, sql-gateway, history-server, client or cluster; None if unknown.

        ``cluster`` means both processes, or a JobManager that requests its TaskManagers from Kubernetes.
        """
        if self.commands:
            first = self.commands[0].role
            return next((c.role for c in self.commands if c.role != "client"), first)
        if not self.words and (found := _NAMED.search(self.name)):
            return "jobmanager" if found[1].lower()[0] == "j" else "taskmanager"
        return None

    @property
    def reads_no_variables(self) -> Attribute | None:
        """The attribute that keeps the entrypoint from writing the variables to the configuration; None if none does.

        Either the program that replaces the entrypoint, or the target of a read-only volume over the file it writes.
        """
        if self.replaces_entrypoint:
            if any(docker_image.PROPERTIES in word.text for word in self.words):
                return None  # the command writes the variable itself
            command = next((one for one in self.commands if one.role != "client"), self.commands[0])
            word = command.arguments[0]
            return Attribute(word.text, word.span, None, word.text)
        index = self.index
        files = (FLINK_CONF,) if index is not None and index < FIRST_CONFIG_YAML else (FLINK_CONF, CONFIG_YAML)
        written = (docker_image.CONF_FOLDER, *(f"{docker_image.CONF_FOLDER}/{name}" for name in files))
        for volume in self.volumes:
            target = volume["target"].value if "target" in volume else None
            if isinstance(target, str) and is_read_only(volume) and target.rstrip("/") in written:
                is_folder = target.rstrip("/") == docker_image.CONF_FOLDER
                if not (is_folder and "sub-path" in volume):  # a subPath may be a file under the name of the folder
                    return volume["target"]
        return None

    @property
    def may_write_flink_conf(self) -> bool:
        """Whether the entrypoint of 1.19 or 1.20 may write the variables to a flink-conf.yaml, not to config.yaml.

        It does so wherever the configuration directory has a flink-conf.yaml, which these releases then read.
        """
        index = self.index
        if index is None or not FIRST_CONFIG_YAML <= index <= LAST_FLINK_CONF:
            return False
        return self.may_have_flink_conf or any(map(self._may_bring_flink_conf, self.volumes))

    def _may_bring_flink_conf(self, volume: Mapping[str, Attribute]) -> bool:
        source, target = (volume[name].value if name in volume else None for name in ("source", "target"))
        if not isinstance(target, str):
            return True
        if isinstance(source, str) and self.folders.get(source) is False:
            return False
        return self._is_read_at(target) and may_be_flink_conf(source if isinstance(source, str) else "", target)

    @property
    def properties_text(self) -> str | None:
        """The text of the container's FLINK_PROPERTIES; None if the variable is not set or its value is unknown."""
        if self.properties is not None:
            return self.properties.text
        return self.properties_file.text if self.properties_file is not None else None

    @property
    def has_unknown_properties(self) -> bool:
        """Whether a source of variables with unknown contents (`envFrom`) may set FLINK_PROPERTIES."""
        if self.properties_text is not None or self.reads_no_variables is not None:
            return False
        return not self.is_complete or docker_image.PROPERTIES in self.environment

    @property
    def image_name(self) -> str | None:
        """The name of the image; None if it is unknown."""
        value = self.image.value if self.image is not None else None
        return value if isinstance(value, str) else None

    @property
    def runs_flink(self) -> bool:
        """Whether the image, the command, or the variables show that the container runs Flink."""
        if docker_image.PROPERTIES in self.environment or self.properties is not None:
            return True
        image = (self.image_name or "").lower()
        if image and (_NO_FLINK_IMAGE.search(image) or not _FLINK_IMAGE.fullmatch(image)):
            return any(command.role in ("jobmanager", "taskmanager") for command in self.commands)
        if image or self.base is not None:
            return True
        return bool(self.commands) and any("flink" in word.text for word in self.words)

    @property
    def release(self) -> tuple[str, str] | None:
        """The Flink release of the image and the evidence for it (``image flink:1.20``); None if unknown."""
        image = self.image_name
        if image and (found := release_of_image(image)):
            return found, f"image {image}"
        if self.base and (found := release_of_image(self.base)):
            return found, f"FROM {self.base} of its Dockerfile"
        return None

    @property
    def release_span(self) -> Span | None:
        """The span of the image name; None if the name does not show the Flink release."""
        return self.image.span if self.image is not None and release_of_image(self.image_name or "") else None

    @property
    def index(self) -> int | None:
        """The index of the image's minor Flink release in the option catalogue; None if the release is unknown."""
        return None if self.release is None else nearest_index(parse_release(self.release[0]))

    @property
    def is_official(self) -> bool:
        """Whether the image is the official Flink image (or a mirror of it) with its original configuration."""
        image = self.base or self.image_name or ""
        return is_official(image) and not self.is_altered and not self.mounts_configuration

    @property
    def mounts_configuration(self) -> bool:
        """Whether a volume is or may be mounted over the image's configuration."""
        for volume in self.volumes:
            target = volume["target"].value if "target" in volume else None
            if target is None:
                return True
            if self._is_read_at(str(target)):
                return True
        return False

    def _is_read_at(self, target: str) -> bool:
        """Return whether a volume at a path is or may be Flink's configuration, or is moved to where Flink looks."""
        chosen = self.environment.get(docker_image.CONF_DIR)
        folders = CONF_FOLDERS if chosen is None else (*CONF_FOLDERS, str(chosen.value).rstrip("/"))
        path = target.rstrip("/")
        folder, _, name = path.rpartition("/")
        if path in folders or name not in (FLINK_CONF, CONFIG_YAML):
            return path in folders
        is_unknown = self.may_read_elsewhere or (chosen is not None and chosen.value is None)
        return folder in folders or is_unknown or not docker_image.starts_at_once([word.text for word in self.words])

    def element(self, kind: str = "container") -> Element:
        """Return an element of kind `kind` with the properties of the container as attributes."""
        attributes: dict[str, Attribute] = {}
        role = self.role
        if role is not None:
            command = self.commands[0].arguments if self.commands else ()
            span = command[0].span if command else self.span
            attributes["role"] = Attribute(role, span)
        if self.image is not None:
            attributes["image"] = self.image
        elif self.base is not None:
            attributes["base"] = Attribute(self.base, self.span)
        for number, word in enumerate(self.words):
            attributes[f"args[{number}]"] = Attribute(word.text, word.span, None, word.text)
        for name, value in self.environment.items():
            attributes[f"environment.{name}"] = value
        for what, members in (("ports", self.ports), ("volumes", self.volumes), ("copies", self.copies)):
            for number, member in enumerate(members):
                for name, value in member.items():
                    attributes[f"{what}[{number}].{name}"] = value
        if not self.is_complete:
            attributes["environment"] = Attribute(None, self.span)
        more = {
            "memory": self.memory, "cpu": self.cpu, "replicas": self.replicas, "dockerfile": self.dockerfile,
            "hostname": self.hostname, "network": self.network, "restart": self.restart,
        }  # fmt: skip
        more["reads-no-variables"] = self.reads_no_variables
        attributes.update((name, known) for name, known in more.items() if known is not None)
        if self.dockerfile is not None and not self.is_built_as_written:
            attributes["other-build"] = Attribute(True, self.dockerfile.span)
        return Element(kind, self.name, self.span, attributes)


def may_be_flink_conf(source: str, target: str) -> bool:
    """Return whether what is mounted or copied from `source` to `target` may be or contain Flink's flink-conf.yaml."""
    path = target.rstrip("/")
    if posixpath.basename(path) == FLINK_CONF:
        return True
    name = posixpath.basename(source.rstrip("/"))
    if path not in CONF_FOLDERS or name == FLINK_CONF:
        return path in CONF_FOLDERS
    if any(sign in name for sign in "*?["):
        from fnmatch import fnmatchcase  # rarely needed

        return fnmatchcase(FLINK_CONF, name)
    return posixpath.splitext(name)[1] == ""  # a folder


def is_read_only(volume: Mapping[str, Attribute]) -> bool:
    """Return whether a volume is mounted read-only, as ConfigMaps and Secrets always are."""
    kind = volume["kind"].value if "kind" in volume else None
    return kind in ("config", "secret") or "read-only" in volume


def commands_of(commands: Sequence[Sequence[ShellWord]], depth: int = 0) -> Iterator[Command]:
    """Yield the Flink programs that command lines run, including those in a ``bash -c`` script."""
    for words in commands:
        is_of_shell = False
        for place, word in enumerate(words):
            if is_of_shell and word.text.startswith("-"):
                continue
            program = word.text.rpartition("/")[2]
            is_of_shell = program in _SHELLS
            if is_of_shell and depth < _MAX_DEPTH:
                script = next((at for at in range(place + 1, len(words)) if not words[at].text.startswith("-")), None)
                options = words[place + 1 : script]
                if script is not None and any("c" in o.text and not o.text.startswith("--") for o in options):
                    yield from commands_of(split_commands(words[script].extract), depth + 1)
                    break
            following = words[place + 1].text if place + 1 < len(words) else ""
            if program in _ROLES and not (program == "flink" and following.rpartition("/")[2] in _ROLES):
                yield Command(_ROLES[program], program, words[place:])
                break
            if program not in (*_BEFORE, *_SHELLS) and "=" not in program and not program.endswith(".sh"):
                break


def dynamic_properties(command: Command) -> Iterator[Entry]:
    """Yield the settings in ``-Dkey=value`` arguments, except those that follow a program's JAR."""
    words = command.arguments
    place = 1
    while place < len(words):
        word = words[place]
        if command.role == "client" and word.text.endswith((".jar", ".py")) and not word.text.startswith("-"):
            return
        if word.text == "-D" and place + 1 < len(words):
            place += 1
            yield _dynamic(words[place].extract)
        elif word.text.startswith("-D") and len(word.text) > 2:
            yield _dynamic(word.extract.part(Span(2, len(word.text))))
        place += 1


def _dynamic(extract: Extract) -> Entry:
    key, equals, value = extract.text.partition("=")
    key_span = extract.span(Span(0, len(key)))
    if not equals:
        return implied(key, "true", key_span, key_span, extract.outer[slice(*key_span)], "-D")
    value_span = extract.span(Span(len(key) + 1, len(extract.text)))
    return Entry(key, value, value, key_span, value_span, extract.outer[slice(*value_span)], "plain")


class Workload(Embedded):
    """A document for containers, with settings from variables, FLINK_PROPERTIES, and arguments, in this order."""

    @property
    def replaces_shipped_file(self) -> bool:
        """Whether the document replaces the image's configuration: always False, since its settings are added to it."""
        return False

    properties: Extract | None = None
    _own: frozenset[Span] = frozenset()
    """The spans of the keys that are set in FLINK_PROPERTIES."""
    _arguments: frozenset[Span] = frozenset()
    """The spans of the keys that are set in arguments."""

    def source_of(self, entry: Entry) -> str:
        """Return where an entry comes from: FLINK_PROPERTIES, an argument, another variable, or the image."""
        if entry.key_span in self._own:
            return entry.layer or docker_image.PROPERTIES
        return f"-D{entry.key}" if entry.key_span in self._arguments else entry.layer

    def edited(self, how: str, entry: Entry | None, *arguments: str) -> Iterator[Promise]:
        """Yield the possible ways to make a change in FLINK_PROPERTIES or in a command-line argument.

        `how` is "rename", "replace", "add", or "remove".
        """
        ways: Iterable[Sequence[Edit]] = ()
        if entry is not None and entry.key_span in self._arguments:
            ways = _edited_argument(how, entry, arguments)
        elif self.properties is not None and (entry is None or entry.key_span in self._own):
            ways = self._edited_properties(self.properties, how, entry, *arguments)
        for edits in ways:
            yield from promises(self, edits, self.changes_by(how, entry, *arguments))

    def _edited_properties(
        self, extract: Extract, how: str, entry: Entry | None, *arguments: str
    ) -> Iterator[Sequence[Edit]]:
        for edits in self.edited_inside(extract, "flink-conf", how, entry, *arguments):
            found = extract.edits(edits, indent=self.indent)
            if "\r\n" in self.text:
                found = [Edit(span, text.replace("\r\n", "\n").replace("\n", "\r\n")) for span, text in found]
            yield found


def _edited_argument(how: str, entry: Entry, arguments: Sequence[str]) -> Iterator[Sequence[Edit]]:
    if how == "replace" and entry.raw and _SAFE.fullmatch(arguments[0]) and entry.raw == entry.text:
        yield [Edit(entry.value_span, arguments[0])]
    if how == "rename" and _SAFE.fullmatch(arguments[0]):
        yield [Edit(entry.key_span, arguments[0])]


class Place(NamedTuple):
    """The file, name, kind, platform, and profile of a document for containers."""

    path: str
    text: str
    file_format: FileFormat
    kind: str
    name: str
    platform: str | None
    profile: str | None = None
    ignored: Sequence[Ignored] = ()


def document_of(
    place: Place, containers: Sequence[Container], elements: Sequence[Element] = (), *, arguments: bool = True
) -> Document:
    """Return the document for a container, or for several containers that share one FLINK_PROPERTIES text."""
    main = containers[0]
    index, release = main.index, main.release
    legacy = index is not None and index < FIRST_CONFIG_YAML
    is_read = any(one.reads_no_variables is None for one in containers)
    entries, lines, content = _properties_of(main, index) if is_read else ([], [], ConfigurationFile())
    set_keys = {entry.key for entry in entries}
    given: list[Entry] = []
    if arguments:
        given = [entry for one in containers for command in one.commands for entry in dynamic_properties(command)]
    before = [entry for entry in _implied(containers, index) if entry.key not in set_keys]
    argument_keys = {entry.key for entry in given}
    content.entries = [*(entry for entry in before if entry.key not in argument_keys), *entries, *given]
    content.mark_overridden()
    document = Workload(
        place.path, place.text, place.file_format, content, syntax="flink-conf" if legacy else "map", kind=place.kind,
        name=place.name, elements=[*(one.element() for one in containers), *lines, *elements], span=main.span,
        whole=main.role not in (None, "client")
        and all(one.is_official and not one.has_unknown_properties for one in containers),
        release=release,
        release_span=main.release_span, platform=place.platform, profile=place.profile, ignored=place.ignored,
    )  # fmt: skip
    document.properties = main.properties
    document._own = frozenset(entry.key_span for entry in entries)
    document._arguments = frozenset(entry.key_span for entry in given)
    if main.properties is not None:
        document.extract = main.properties
        document.indent = indent_of(place.text, main.properties)
    return document


def arguments_of(place: Place, container: Container) -> Document | None:
    """Return a partial document with the settings in a container's arguments, or None if there are none."""
    content = ConfigurationFile()
    content.entries = [entry for command in container.commands for entry in dynamic_properties(command)]
    if not content.entries:
        return None
    content.mark_overridden()
    document = Workload(
        place.path, place.text, place.file_format, content, syntax="map", kind=place.kind, name=place.name,
        span=container.span, whole=False, release=container.release, release_span=container.release_span,
        platform=place.platform, profile=place.profile, ignored=place.ignored,
    )  # fmt: skip
    document._arguments = frozenset(entry.key_span for entry in content.entries)
    return document


def _properties_of(container: Container, index: int | None) -> tuple[list[Entry], list[Element], ConfigurationFile]:
    extract = container.properties
    known = {
        name: attribute.value if isinstance(attribute.value, str) else None
        for name, attribute in container.environment.items()
    }
    if extract is None:
        entries = _properties_of_file(container.properties_file, index, known, is_flat=container.may_write_flink_conf)
        return entries, [], ConfigurationFile()
    is_flat = container.may_write_flink_conf
    found = docker_image.read_properties(extract.text, index, known, hidden=container.hidden, is_flat=is_flat)
    content = outward(found.content, extract)
    lines = [_line_element(line, extract, is_complete=container.is_complete, is_flat=is_flat) for line in found.lines]
    return content.entries, lines, content


def _properties_of_file(
    file: PropertiesFile | None, index: int | None, environment: Mapping[str, str | None], *, is_flat: bool
) -> list[Entry]:
    """Return the settings in an environment file, at the place that names the file."""
    if file is None:
        return []
    found = docker_image.read_properties(file.text, index, environment, is_flat=is_flat)
    layer = f"{docker_image.PROPERTIES} of {file.path}"
    return [
        implied(entry.key, entry.text, file.span, file.span, file.path, layer)
        for entry in found.content.entries
        if not entry.overridden
    ]


def _line_element(line: docker_image.Line, extract: Extract, *, is_complete: bool, is_flat: bool) -> Element:
    span = extract.span(line.span)
    text = extract.text
    attributes = {
        "kind": Attribute(line.kind, span),
        "key": Attribute(line.key, extract.span(line.key_span)),
        "value": Attribute(line.value, extract.span(line.value_span), extract.span(line.key_span)),
    }
    if line.comment is not None:
        attributes["comment"] = Attribute(text[slice(*line.comment)], extract.span(line.comment))
    if is_flat:
        attributes["flat-file"] = Attribute(True, span)
    for number, (name, place) in enumerate(line.undefined if is_complete else ()):
        attributes[f"undefined[{number}]"] = Attribute(name, extract.span(place))
    return Element("property-line", line.key, span, attributes)


def _implied(containers: Sequence[Container], index: int | None) -> Iterator[Entry]:
    """Yield the entries that the image's entrypoint and configuration file set."""
    if any(container.reads_no_variables is not None for container in containers):
        return
    for variable, key in docker_image.SETTING_VARIABLES.items():
        found = next((c.environment[variable] for c in containers if variable in c.environment), None)
        if found is not None and isinstance(found.value, str):
            yield implied(key, found.value, found.key_span or found.span, found.span, found.raw, variable)
    main = containers[0]
    anchor = main.image or main.dockerfile
    if anchor is None or not all(one.is_official and not one.has_unknown_properties for one in containers):
        return
    stock = {"blob.server.port": docker_image.BLOB_PORT}
    if index is None and main.image is not None and is_floating(str(main.image.value)):
        index = NEWEST  # images without a release in their names are newer than the last change of these
    if index is not None:
        stock.update(docker_image.stock_settings(index))
    for key, value in stock.items():
        yield implied(key, value, anchor.span, anchor.span, anchor.raw, "the image")
