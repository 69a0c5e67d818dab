"""Dockerfiles of Flink images: the Flink release of the base image, and the settings and files in the image."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from flink_flint.linter.filesystem.folders import looked_at
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.flink.deployment import docker_image
from flink_flint.linter.flink.deployment.image_names import is_official
from flink_flint.linter.flink.file_loading import CONF_FOLDERS, FLINK_CONF, read_flink_conf
from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS, ConfigurationFile, Entry
from flink_flint.linter.formats.containers.compose_variables import interpolated
from flink_flint.linter.formats.containers.flink_container import Container, Place, document_of, may_be_flink_conf
from flink_flint.linter.formats.flink_files.embedding import outward
from flink_flint.linter.formats.flink_files.settings_map import SettingsMapFormat, read_text
from flink_flint.linter.formats.shell.command_line import ShellWord, split_commands
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_NAME = regex(r"(?i)(?:.*[._-])?(?:dockerfile|containerfile)(?:[._-].*)?")
_INSTRUCTION = regex(r"[ \t]*([A-Za-z]+)[ \t]+")
_HEREDOC = regex(r"<<-?[\"']?([A-Za-z_]\w*)[\"']?")
_FLINK_IMAGE = regex(r"(?:^|/)(?=[\w.-]*flink)[\w.-]++(?=[:@]|\Z)")
_CONF_FILE = regex(r"(?:\$\{?FLINK_(?:HOME|CONF_DIR)\}?.*|.*flink.*|conf)/?(?:flink-conf|config)\.yaml")
_APPENDED = regex(r">>\s*(?:\S*flink-conf\.yaml|(?:\$\{?FLINK_(?:HOME|CONF_DIR)\}?|\S*flink)\S*/config\.yaml)")
_DOWNLOADERS = {
    "curl": regex(r"-\w*o|--output|--output-dir"),
    "wget": regex(r"-\w*[OP]|--output-document|--directory-prefix"),
}
"""The options with the place of a download, by program."""
_REFERENCE = regex(r"\$\{[^{}]{0,99}\}|\$\w+")
_CONDITION = regex(r"\|\||\bif\b|\btest\b|\[[ \t]|\bfind\b")
_PYFLINK = regex(r"apache-flink(?:\[[\w,-]*+\])?(?:==(\d+\.\d+(?:\.\d+)?)|(?:[=<>~!][^\n]*+)?)")
_STAGES = regex(r"(?im)^[ \t]*FROM\b")
_MAY_HAVE_JARS = regex(r"(?i)\.jar\b|\bjars?\b|\bmvn|gradle|\bcurl\b|\bwget\b|\blib\b|pipeline\.classpaths")
_MAX_COPIES = 20
_MAX_INSTRUCTIONS = 2_000
_MAX_VARIABLE_LENGTH = 256
"""Maximum length of a variable's value; values would otherwise grow exponentially by references to each other."""


class _Instruction(NamedTuple):
    keyword: str
    extract: Extract
    """The text after the keyword, with its lines joined."""
    span: Span


class _Stage(NamedTuple):
    """A build stage: a FROM instruction and the instructions up to the next FROM."""

    name: str
    image: Attribute
    base: str | None
    """The image that this stage and the stages before it are based on; None if an argument is unknown."""
    known: dict[str, str]
    """The values of the arguments and variables that are known."""
    instructions: list[_Instruction]
    earlier: _Stage | None


class Dockerfile(SettingsMapFormat):
    """Dockerfiles, such as ``Dockerfile``, ``Dockerfile.prod``, and ``Containerfile``."""

    kind = "compose"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is named like a Dockerfile and uses a Flink image or installs Flink."""
        return _NAME.fullmatch(name) is not None and "flink" in head.lower() and any(map(_has_flink, _stages(head, {})))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the document for the image that the file builds, or nothing if the image does not contain Flink."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        stages = _stages(text, {})
        stage = _last_with_flink(stages)
        return [_document(path, text, self, stage)] if stage is not None else []


class BuiltImage(NamedTuple):
    """The image that a Dockerfile builds: its base image, and its changes to Flink's configuration."""

    base: str
    is_altered: bool
    """Whether the Dockerfile changes Flink's configuration."""
    copies: tuple[tuple[str, str], ...]
    """The configuration files and folders that the Dockerfile copies: (source in the build context, target) pairs."""
    may_have_flink_conf: bool
    """Whether a flink-conf.yaml may be among these, or is written by a RUN instruction."""
    is_as_written: bool
    """Whether the image has the same contents as the Dockerfile's last stage, built without build arguments."""
    may_read_elsewhere: bool
    """Whether an entrypoint or a variable of the image may have Flink read configuration outside of its own folder."""


def summary(path: str, arguments: Mapping[str, str | None], target: str) -> BuiltImage | None:
    """Return a summary of the image that a Dockerfile builds in the stage `target`; None if it is unknown.

    An empty `target` is the last stage. None if the file cannot be read or has no such stage, or if the stage is not
    based on a Flink image.
    """
    looked_at(path)
    try:
        modified = os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return None
    return _summary(path, modified, tuple(arguments.items()), target)


@lru_cache(maxsize=64)
def _summary(path: str, modified: int, arguments: tuple[tuple[str, str | None], ...], target: str) -> BuiltImage | None:
    if (text := found_text(path)) is None:
        return None
    stages = _stages(text, dict(arguments))
    stage = next((stage for stage in reversed(stages) if target in ("", stage.name)), None)
    if stage is None or stage.base is None or not _FLINK_IMAGE.search(stage.base.lower()):
        return None
    copied = []
    edits, copies = list(_edits(stage)), list(_copies(stage))
    is_altered = bool(edits)
    for copy in copies:
        source, to = copy["source"].value, _destination(copy)
        if not isinstance(to, str) or _is_configuration(to, copy["source"]):
            is_altered = True
            if isinstance(to, str) and isinstance(source, str) and "from" not in copy:
                copied.append((source, to))
    plain = _last_with_flink(_stages(text, {})) if arguments or target else stage
    is_as_written = plain is stage or (plain is not None and _contents(plain) == _contents(stage))
    may_read_elsewhere = _entrypoint(stage) is not None or any(
        name == docker_image.CONF_DIR for name, _, _ in _variables_of(stage)
    )
    return BuiltImage(
        stage.base, is_altered, tuple(copied[:_MAX_COPIES]), _may_have_flink_conf(edits, copies), is_as_written,
        may_read_elsewhere,
    )  # fmt: skip


def _may_have_flink_conf(edits: Iterable[_FileEdit], copies: Iterable[Mapping[str, Attribute]]) -> bool:
    """Return whether a stage may copy or write a flink-conf.yaml to the configuration of its image."""
    if any(str(edit.path.value).endswith(FLINK_CONF) for edit in edits):
        return True
    for copy in copies:
        to = _destination(copy)
        if may_be_flink_conf(copy["source"].raw, to if isinstance(to, str) else CONF_FOLDERS[0]):
            return True
    return False


def _destination(copy: Mapping[str, Attribute]) -> object:
    """Return the path in the image to which something is copied, absolute if it is known."""
    return copy["path"].value if "path" in copy else copy["target"].value


def _last_with_flink(stages: list[_Stage]) -> _Stage | None:
    return next((stage for stage in reversed(stages) if _has_flink(stage)), None)


def _contents(stage: _Stage) -> list[object]:
    """Return what a stage brings to Flink's configuration: variables, files and edits."""
    variables = {name: value.value for name, _, value in _variables_of(stage)}
    copies = [(copy["source"].value, copy["target"].value) for copy in _copies(stage)]
    return [
        variables,
        copies,
        [(edit.path.value, edit.is_read) for edit in _edits(stage)],
        [(entry.key, entry.text) for entry in _echoed(stage)],
    ]


def _is_configuration(target: str, source: Attribute | None) -> bool:
    folder = target.rstrip("/")
    if "flink-conf.yaml" in target or folder.endswith("/config.yaml"):
        return True
    return (folder in CONF_FOLDERS or folder.endswith("FLINK_HOME/conf") or folder == "conf") and (
        source is None or not re.search(r"log(?:4j|back)", str(source.value))
    )


# -- reading


def _stages(text: str, arguments: Mapping[str, str | None]) -> list[_Stage]:
    stages: list[_Stage] = []
    known: dict[str, str] = {}
    for instruction in _instructions(text):
        if instruction.keyword == "ARG":
            scope = stages[-1].known if stages else known
            _declare(instruction, scope, arguments, known if stages else {})
        elif instruction.keyword == "FROM":
            stages.append(_stage(instruction, stages, dict(known)))
        elif stages:
            stages[-1].instructions.append(instruction)
            if instruction.keyword == "ENV":
                for name, _, value in _assignments(instruction, stages[-1].known):
                    text = "" if value.value is None else str(value.value)
                    if value.value is None or len(text) > _MAX_VARIABLE_LENGTH:
                        stages[-1].known.pop(name, None)
                    else:
                        stages[-1].known[name] = text
    return stages


def _declare(
    instruction: _Instruction,
    scope: dict[str, str],
    arguments: Mapping[str, str | None],
    global_arguments: Mapping[str, str],
) -> None:
    for command in split_commands(instruction.extract):
        for word in command:
            name, equals, _ = word.text.partition("=")
            if name in arguments:
                given = arguments[name]
                if given is None:
                    scope.pop(name, None)
                else:
                    scope[name] = given
            elif equals:
                made = interpolated(word.extract.part(Span(len(name) + 1, len(word.text))), scope)
                if not made.unknown:
                    scope[name] = made.extract.text
            elif name in global_arguments:
                scope[name] = global_arguments[name]


def _stage(instruction: _Instruction, stages: list[_Stage], known: dict[str, str]) -> _Stage:
    words = [word for command in split_commands(instruction.extract)[:1] for word in command]
    words = [word for word in words if not word.text.startswith("--")]
    if not words:
        nothing = Attribute(None, instruction.span)
        return _Stage("", nothing, None, {}, [], None)
    made = interpolated(words[0].extract, known)
    image = None if made.unknown else made.extract.text
    name = words[2].text if len(words) > 2 and words[1].text.upper() == "AS" else ""
    earlier = next((stage for stage in reversed(stages) if image is not None and stage.name == image and image), None)
    own = {**earlier.known} if earlier is not None else {}
    raw = instruction.extract.outer[slice(*words[0].span)]
    attribute = Attribute(image, words[0].span, None, raw)
    return _Stage(name, attribute, earlier.base if earlier is not None else image, own, [], earlier)


def _instructions(text: str) -> Iterator[_Instruction]:
    """Yield the instructions, with continuation lines joined and comments between them removed."""
    lines = list(re.finditer(r"([^\r\n]*)(\r\n|\r|\n|\Z)", text))
    escape = "`" if re.match(r"(?i)\s*#\s*escape\s*=\s*`", text) else "\\"
    at = found = 0
    while at < len(lines) and found < _MAX_INSTRUCTIONS:
        line = lines[at]
        body = line[1]
        match = _INSTRUCTION.match(body)
        if match is None or body.lstrip().startswith("#"):
            at += 1
            continue
        spans = []
        start = line.start() + match.end()
        first = at
        while True:
            line = lines[at]
            content = line[1].rstrip()
            if content.endswith(escape) and not (first != at and line[1].lstrip().startswith("#")):
                spans.append(Span(start, line.start() + len(content) - 1))
                at += 1
            elif first != at and (not content or line[1].lstrip().startswith("#")):
                at += 1  # comments and empty lines do not end a continued instruction
            else:
                spans.append(Span(start, line.end(1)))
                at += 1
                break
            if at >= len(lines):
                break
            start = lines[at].start()
        keyword = match[1].upper()
        at = _past_heredocs(text, lines, at, spans, keyword)
        found += 1
        yield _Instruction(
            keyword, Extract.of(text, spans), Span(lines[first].start() + len(body) - len(body.lstrip()), spans[-1].end)
        )


def _past_heredocs(text: str, lines: list[re.Match[str]], at: int, spans: list[Span], keyword: str) -> int:
    """Return the number of the line after an instruction's here-documents; a RUN includes their text."""
    if keyword not in ("RUN", "COPY", "ADD"):
        return at
    for found in _HEREDOC.finditer("".join(text[slice(*span)] for span in spans)):
        start = at
        while at < len(lines) and lines[at][1].strip() != found[1]:
            at += 1
        if keyword == "RUN" and at > start:
            spans.append(Span(lines[start - 1].start(2), lines[at - 1].end()))
        at = min(at + 1, len(lines))
    return at


def _chain(stage: _Stage) -> Iterator[_Instruction]:
    """Yield the instructions of the stages that a stage is based on, then its own."""
    stages: list[_Stage] = []
    current: _Stage | None = stage
    while current is not None:
        stages.append(current)
        current = current.earlier
    for one in reversed(stages):
        yield from one.instructions


def _has_flink(stage: _Stage) -> bool:
    if _FLINK_IMAGE.search((stage.base or "").lower()):
        return True
    if stage.image.value is None and "flink" in stage.image.raw.lower():
        return True
    return "FLINK_VERSION" in stage.known or any(
        name == docker_image.PROPERTIES
        for instruction in stage.instructions
        if instruction.keyword == "ENV"
        for name, _, _ in _assignments(instruction, {})
    )


# -- contents


def _assignments(instruction: _Instruction, known: Mapping[str, str]) -> Iterator[tuple[str, Extract, Attribute]]:
    """Yield the variables that an ENV instruction sets, with their values."""
    words = [word for command in split_commands(instruction.extract)[:1] for word in command]
    if not words:
        return
    pairs: list[tuple[str, Span, Extract]] = []
    if "=" in words[0].text:
        for word in words:
            name, equals, _ = word.text.partition("=")
            if equals:
                key = word.extract.span(Span(0, len(name)))
                pairs.append((name, key, word.extract.part(Span(len(name) + 1, len(word.text)))))
    else:
        text = instruction.extract.text
        start = len(text) - len(text[len(words[0].text) :].lstrip())
        pairs.append((words[0].text, words[0].span, instruction.extract.part(Span(start, len(text.rstrip())))))
    for name, key, extract in pairs:
        made = interpolated(extract, known)
        span = extract.span(Span(0, len(extract.text)))
        value = None if made.unknown else made.extract.text
        yield name, made.extract, Attribute(value, span, key, extract.outer[slice(*span)])


def _variables_of(stage: _Stage) -> Iterator[tuple[str, Extract, Attribute]]:
    """Yield the variables that a stage and those it is based on set, of which later ones count."""
    for instruction in _chain(stage):
        if instruction.keyword == "ENV":
            yield from _assignments(instruction, stage.known)


def _entrypoint(stage: _Stage) -> Attribute | None:
    """Return the entrypoint that replaces that of the base image, as written; None if none does."""
    found = [instruction for instruction in _chain(stage) if instruction.keyword == "ENTRYPOINT"]
    if not found or "docker-entrypoint.sh" in found[-1].extract.text:
        return None
    text = found[-1].extract.text.strip()
    return Attribute(text, found[-1].span, None, text)


def _copies(stage: _Stage) -> Iterator[dict[str, Attribute]]:
    """Yield the sources and targets of the COPY and ADD instructions; ``path``: a relative target made absolute."""
    folder: str | None = docker_image.HOME if _FLINK_IMAGE.search((stage.base or "").lower()) else None
    for instruction in _chain(stage):
        if instruction.keyword == "WORKDIR":
            folder = _changed_folder(folder, instruction, stage.known)
        if instruction.keyword not in ("COPY", "ADD"):
            continue
        words = _copied(instruction)
        options = [word for word in words if word.text.startswith("--")]
        paths = [word for word in words if not word.text.startswith("--")]
        if len(paths) < 2:
            continue
        for word in paths[:-1]:
            copy = {"source": _path(word, stage.known), "target": _path(paths[-1], stage.known)}
            target = copy["target"].value
            if isinstance(target, str) and not target.startswith("/"):
                place = None if folder is None else posixpath.normpath(posixpath.join(folder, target))
                is_folder = target.endswith("/") or target in (".", "./") or len(paths) > 2
                path = None if place is None else f"{place}/" if is_folder else place
                copy["path"] = Attribute(path, copy["target"].span, None, copy["target"].raw)
            for option in options:
                if option.text.startswith("--from="):
                    copy["from"] = Attribute(option.text[7:], option.span)
            yield copy


def _changed_folder(folder: str | None, instruction: _Instruction, known: Mapping[str, str]) -> str | None:
    """Return the working directory after a WORKDIR instruction; None if it is unknown."""
    words = [word for command in split_commands(instruction.extract)[:1] for word in command]
    to = _path(words[0], known).value if len(words) == 1 else None
    if not isinstance(to, str) or (folder is None and not to.startswith("/")):
        return None
    return posixpath.normpath(posixpath.join(folder or "/", to))


def _copied(instruction: _Instruction) -> list[ShellWord]:
    text = instruction.extract.text
    options = re.match(r"(?:\s*--\S+)*\s*", text)
    start = options.end() if options else 0
    if text[start : start + 1] != "[":
        return [word for command in split_commands(instruction.extract)[:1] for word in command]
    found = []
    for quoted in re.finditer(r'"((?:[^"\\]|\\.)*)"', text[start:]):
        inner = Span(start + quoted.start(1), start + quoted.end(1))
        part = instruction.extract.part(inner)
        found.append(ShellWord(part.text, part, instruction.extract.span(inner)))
    return found


def _path(word: ShellWord, known: Mapping[str, str]) -> Attribute:
    made = interpolated(word.extract, {"FLINK_HOME": docker_image.HOME, **known})
    return Attribute(None if made.unknown else made.extract.text, word.span, None, word.text)


def _commands(stage: _Stage, part: str) -> Iterator[list[ShellWord]]:
    """Yield the words of each command of the RUN instructions that contain `part`."""
    for instruction in _chain(stage):
        if instruction.keyword == "RUN" and part in instruction.extract.text:
            yield from split_commands(instruction.extract)


def _downloads(stage: _Stage) -> Iterator[Attribute]:
    """Yield the URLs of the JARs that RUN instructions download."""
    for words in _commands(stage, ".jar"):
        for word in words:
            if word.text.startswith(("http://", "https://")) and word.text.endswith(".jar"):
                yield _path(word, stage.known)


def _placed(stage: _Stage) -> Iterator[dict[str, Attribute]]:
    """Yield the JARs that RUN instructions download, copy, move or link, each with its file or folder.

    A variable that is not known is a ``*``.
    """
    for words in _commands(stage, ".jar"):
        program = words[0].text.rpartition("/")[2] if words else ""
        if program in ("cp", "mv", "ln"):
            paths = [word for word in words[1:] if not word.text.startswith("-")]
            sources, target = paths[:-1], paths[-1] if len(paths) > 1 else None
        elif program in _DOWNLOADERS:
            sources = [word for word in words if word.text.startswith(("http://", "https://"))]
            options = _DOWNLOADERS[program]
            target = next((words[at + 1] for at, word in enumerate(words[:-1]) if options.fullmatch(word.text)), None)
        else:
            continue
        for word in sources:
            if target is not None and word.text.endswith(".jar"):
                place = {"source": _pattern(word, stage.known), "target": _pattern(target, stage.known)}
                yield {**place, "by": Attribute(program, words[0].span)}


def _pattern(word: ShellWord, known: Mapping[str, str]) -> Attribute:
    """Return the path that a word is, with ``*`` in the place of what is not known."""
    made = interpolated(word.extract, {"FLINK_HOME": docker_image.HOME, **known})
    return Attribute(_REFERENCE.sub("*", made.extract.text), word.span, None, word.text)


class _FileEdit(NamedTuple):
    """A configuration file that a RUN instruction writes."""

    path: Attribute
    is_read: bool
    """Whether the settings that it writes are among the document's entries."""


def _edits(stage: _Stage) -> Iterator[_FileEdit]:
    """Yield the configuration files that RUN instructions write by redirection, `tee`, or `sed -i`."""
    for words in _commands(stage, ".yaml"):
        programs = {word.text.rpartition("/")[2] for word in words[:3]}
        in_place = "sed" in programs and any(word.text.startswith(("-i", "--in-place")) for word in words)
        written = in_place or "tee" in programs
        for number, word in enumerate(words):
            redirected = word.text.startswith(">") or (number > 0 and words[number - 1].text in (">", ">>"))
            path = word.text.lstrip(">")
            if (written or redirected) and len(path) < 500 and _CONF_FILE.fullmatch(path):
                yield _FileEdit(Attribute(path, word.span, None, word.text), _appended(words) is not None)


def _uses(stage: _Stage) -> Iterator[dict[str, Attribute]]:
    """Yield how RUN instructions use a flink-conf.yaml, unless they look whether it is there."""
    for instruction in _chain(stage):
        if instruction.keyword != "RUN" or FLINK_CONF not in instruction.extract.text:
            continue
        if _CONDITION.search(instruction.extract.text) is not None:
            continue
        for words in split_commands(instruction.extract):
            program = words[0].text.rpartition("/")[2] if words else ""
            for number, word in enumerate(words):
                path = word.text.lstrip(">")
                if len(path) >= 500 or not path.endswith(FLINK_CONF) or _CONF_FILE.fullmatch(path) is None:
                    continue
                is_written = word.text.startswith(">") or words[number - 1].text in (">", ">>")
                is_written = is_written or program in ("tee", "cp", "mv", "curl", "wget", "touch")
                how = "writes" if is_written else program
                yield {"path": Attribute(path, word.span, None, word.text), "by": Attribute(how, word.span)}


def _appended(words: list[ShellWord]) -> Extract | None:
    """Return the text that ``echo "key: value" >> flink-conf.yaml`` appends; None for any other command."""
    target = " ".join(word.text for word in words[2:])
    is_append = len(words) > 2 and words[0].text == "echo" and _APPENDED.fullmatch(target) is not None
    return words[1].extract if is_append else None


def _pyflink(stage: _Stage) -> Attribute | None:
    """Return the version of PyFlink that the last RUN with it installs, unknown unless pinned; None without PyFlink."""
    found = None
    for words in _commands(stage, "apache-flink"):
        if any("install" in word.text for word in words):
            for word in words:
                if match := _PYFLINK.fullmatch(word.text):
                    found = Attribute(match[1], word.span, None, word.text)  # the version is None unless pinned
    return found


def _document(path: str, text: str, file_format: Dockerfile, stage: _Stage) -> Document:
    container = Container(stage.name or "image", stage.image.span)
    container.image = stage.image
    container.base = stage.base
    container.is_altered = True
    edits, copies = list(_edits(stage)), list(_copies(stage))
    container.may_have_flink_conf = _may_have_flink_conf(edits, copies)
    for name, extract, attribute in _variables_of(stage):
        container.environment[name] = attribute
        if name == docker_image.PROPERTIES:
            container.properties = extract
    container.is_complete = False  # more variables may be set where the image is run
    attributes: dict[str, Attribute] = {"from": stage.image}
    if stage.base is not None and stage.base != stage.image.value:
        attributes["from"] = Attribute(stage.base, stage.image.span, None, stage.image.raw)
    for number, copy in enumerate(copies):
        for name, value in copy.items():
            attributes[f"copies[{number}].{name}"] = value
    for number, jar in enumerate(_downloads(stage)):
        attributes[f"downloads[{number}]"] = jar
    if (pyflink := _pyflink(stage)) is not None:
        attributes["pyflink"] = pyflink
    for number, edit in enumerate(edits):
        attributes[f"edits[{number}]"] = edit.path
    for number, edit in enumerate(edit for edit in edits if not edit.is_read):
        attributes[f"unread-edits[{number}]"] = edit.path
    for number, jar_place in enumerate(_placed(stage)):
        attributes.update((f"placed[{number}].{name}", value) for name, value in jar_place.items())
    for number, use in enumerate(_uses(stage)):
        attributes.update((f"uses[{number}].{name}", value) for name, value in use.items())
    if (entrypoint := _entrypoint(stage)) is not None:
        attributes["entrypoint"] = entrypoint
    for name, value in container.environment.items():
        attributes[f"environment.{name}"] = value
    image = Element("image", container.name, stage.image.span, attributes)
    place = Place(path, text, file_format, file_format.kind, f"image {stage.name}".strip(), None)
    document = document_of(place, [container])
    lines = (element for element in document.elements if element.kind == "property-line")
    bare = [Element("image-without-jars", container.name, stage.image.span, {})] if _is_bare(text, stage) else []
    document.elements = [image, *bare, *lines]
    document.whole = False
    version = stage.known.get("FLINK_VERSION", "")
    if document.release is None and re.fullmatch(r"[12]\.\d+(?:\.\d+)?", version):
        document.release = version, "FLINK_VERSION"
    # The entrypoint appends FLINK_PROPERTIES to the file when a container starts, after what the build has written.
    content = ConfigurationFile()
    content.entries = [*_echoed(stage), *document.entries]
    content.mark_overridden()
    document.entries = content.entries
    return document


def _is_bare(text: str, stage: _Stage) -> bool:
    """Return whether an image certainly has the JARs of Flink's own image alone."""
    base = stage.base or str(stage.image.value or "")
    return len(_STAGES.findall(text)) == 1 and is_official(base) and _MAY_HAVE_JARS.search(text) is None


def _echoed(stage: _Stage) -> Iterator[Entry]:
    """Yield the settings that ``RUN echo "key: value" >> flink-conf.yaml`` appends."""
    for words in _commands(stage, ".yaml"):
        if (text := _appended(words)) is not None:
            yield from outward(read_flink_conf(text.text), text).entries


FILE_FORMAT = Dockerfile()
