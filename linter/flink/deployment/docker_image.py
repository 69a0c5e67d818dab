"""How the entrypoint of the official Docker image processes environment variables before Flink starts.

Based on `docker-entrypoint.sh` of apache/flink-docker, releases 1.9 to 2.3, and compared with runs of it:

- Up to 1.18 the text of FLINK_PROPERTIES is appended to flink-conf.yaml, and `envsubst` then processes the whole file.
- From 1.19 on every line becomes an argument ``-Dkey=value`` of a program that rewrites the configuration file: all
  white space of the line is removed, the text before the first colon is the key, and the value is expanded as a shell
  expands an unquoted word in Flink's folder, then by `envsubst`. There are no comments.
- That program nests the keys of config.yaml by segments. If one key is the prefix of another, it keeps only one of
  them, or fails, and then none of the settings has an effect.
- In 1.19 and 1.20 the file is flink-conf.yaml if there is one. Its lines are flat, and its reader drops comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.flink.flink_conf import read_flink_conf
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry, Skipped
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, MINORS
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

PROPERTIES = "FLINK_PROPERTIES"
"""The name of the environment variable with Flink settings that the image's entrypoint reads."""

ADDRESS = "JOB_MANAGER_RPC_ADDRESS"
SLOTS = "TASK_MANAGER_NUMBER_OF_TASK_SLOTS"
SETTING_VARIABLES: Mapping[str, str] = {ADDRESS: "jobmanager.rpc.address", SLOTS: "taskmanager.numberOfTaskSlots"}
"""The image's environment variables that each set one option, mapped to the option's key."""

BLOB_PORT = "6124"
"""The port to which the image's entrypoint sets ``blob.server.port``."""

HOME = "/opt/flink"
"""The path of FLINK_HOME in the image, which is also the entrypoint's working directory."""

CONF_DIR = "FLINK_CONF_DIR"
"""The variable with the folder in which Flink looks for its configuration."""

CONF_FOLDER = f"{HOME}/conf"
"""The folder with the configuration file that the entrypoint edits in place, or leaves as is if it cannot write it."""

_HOME_NAMES = ("LICENSE", "NOTICE", "README.txt", "bin", "conf", "examples", "lib", "licenses", "log", "opt", "plugins")
"""The contents of Flink's folder."""

_STARTS = {
    "docker-entrypoint.sh", "jobmanager", "jobmanager.sh", "taskmanager", "taskmanager.sh", "standalone-job",
    "standalone-job.sh",
}  # fmt: skip
"""The programs and arguments of the entrypoint that start a JobManager or TaskManager and move no files before."""

_FOLDERS = ("bin", "conf", "examples", "lib", "opt", "plugins")

_STOCK = {"jobmanager.memory.process.size": "1600m", "taskmanager.memory.process.size": "1728m"}
_FIRST_JOBMANAGER_MEMORY, _FIRST_TASKMANAGER_MEMORY = MINORS.index("1.11"), MINORS.index("1.10")

_STOCK_KEYS = (
    *("env.java.opts.all", "jobmanager.bind-host", "jobmanager.rpc.address", "jobmanager.rpc.port"),
    *("jobmanager.memory.process.size", "jobmanager.execution.failover-strategy", "taskmanager.bind-host"),
    *("taskmanager.host", "taskmanager.numberOfTaskSlots", "taskmanager.memory.process.size", "parallelism.default"),
    *("rest.address", "rest.bind-address", "blob.server.port", "query.server.port"),
)
"""The keys in config.yaml before the lines of FLINK_PROPERTIES are added."""

_ALWAYS_THERE = regex(
    r"PATH|HOME|HOSTNAME|PWD|OLDPWD|SHLVL|_|LANG|LANGUAGE|LC_\w+|TERM|USER|JAVA_\w+|FLINK_\w+|SCALA_VERSION|GOSU_VERSION|"
    r"GPG_KEY|CHECK_GPG|LD_PRELOAD|KUBERNETES_\w+|\w+_SERVICE_(?:HOST|PORT)\w*|\w+_PORT_\d+_\w+|\w+_PORT"
)
"""Variables that the image, the shell or Kubernetes sets, with values that are not in any file."""

_VARIABLE = regex(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_KEY = regex(r"[\w.<>-]+")
_ECHO_OPTION = regex(r"-[neE]+")
_GLOB = regex(r"[*?]|\[.{1,200}\]")
_COMMENT = regex(r"(?:^|(?<=\s))#.*")
_BLANKS = " \t\r\v\f"


class Line(NamedTuple):
    """One line of FLINK_PROPERTIES, as offsets into its text.

    `kind`: setting, comment, nested (a key with a block of lines as its value, or one of these lines), equals
    (``k=v``), dynamic (``-Dk=v``), list-item, bare (without a colon).
    """

    kind: str
    span: Span
    key: str
    key_span: Span
    value: str
    """The value as written, without surrounding whitespace or a trailing comment."""
    value_span: Span
    comment: Span | None
    """The span of the comment after the value, or of a line that is only a comment; None if there is no comment."""
    undefined: tuple[tuple[str, Span], ...]
    """The undefined variables in the value: pairs of name and span."""


class Properties(NamedTuple):
    """The settings that result from FLINK_PROPERTIES, and its lines."""

    content: ConfigurationFile
    lines: tuple[Line, ...]


def read_properties(
    text: str,
    index: int | None,
    environment: Mapping[str, str | None] | None = None,
    *,
    hidden: Iterable[Span] = (),
    is_flat: bool = False,
) -> Properties:
    """Return the settings that the image of a minor release (by index, None if unknown) reads from FLINK_PROPERTIES.

    `environment` has the container's variables (None: of unknown value); without it all of them are unknown. `hidden`
    are the spans that Compose or Kubernetes substitutes. `is_flat`: the image of 1.19 or 1.20 may write the text to a
    flink-conf.yaml, whose reader drops comments. Unknown and undefined variables are kept as written. For an
    unknown release only what all releases have in common is applied: a comment is left out, inner blanks stay.
    """
    content = ConfigurationFile()
    lines = tuple(_lines(text, environment, frozenset(span.start for span in hidden)))
    if index is not None and index < FIRST_CONFIG_YAML:
        content = read_flink_conf(text, index)
        for entry in content.entries:
            made = substituted(entry.text, environment)
            entry.value = entry.text = made.partition("#")[0].strip(_BLANKS) if made != entry.text else made
        return Properties(content, lines)
    for line in lines:
        if line.kind == "setting":
            content.entries.append(_entry(text, line, environment, strict=index is not None, is_flat=is_flat))
        elif line.kind != "comment":
            reason = {"equals": "equals", "list-item": "list-item", "nested": "empty-value"}.get(line.kind)
            content.skipped.append(
                Skipped(reason or "no-separator", line.span, line.key, line.key_span, line.value, line.value_span)
            )
    content.mark_overridden()
    return Properties(content, lines)


def _entry(
    text: str, line: Line, environment: Mapping[str, str | None] | None, *, strict: bool, is_flat: bool
) -> Entry:
    written = line.value
    span = line.value_span
    if strict and not is_flat and line.comment is not None:
        span = Span(span.start, line.comment.end)
        written = text[span.start : span.end]
    value = stripped(written) if strict else written
    value = substituted(value, environment)
    if strict:
        value = "" if _ECHO_OPTION.fullmatch(value) else value
        value = value[:-1] if value.endswith(":") and ":" not in value[:-1] else value
    raw = text[span.start : span.end]
    return Entry(line.key, value, value, line.key_span, span, raw, "legacy")


def _lines(text: str, environment: Mapping[str, str | None] | None, hidden: frozenset[int]) -> Iterator[Line]:
    """Yield the nonempty lines, classified."""
    outer: int | None = None
    bounds = list(_bounds(text))
    for place, (start, end) in enumerate(bounds):
        indent = _indent(text, start)
        following = bounds[place + 1] if place + 1 < len(bounds) else None
        line = _line(text, start, end, environment, hidden)
        if line.kind != "comment":
            if outer is not None and indent <= outer:
                outer = None
            opens = line.kind == "setting" and not line.value and following is not None
            if outer is None and opens and _indent(text, following[0] if following else start) > indent:
                outer = indent
                line = line._replace(kind="nested")
            elif outer is not None:
                line = line._replace(kind="nested")
        yield line


def _indent(text: str, start: int) -> int:
    return start - (text.rfind("\n", 0, start) + 1)


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the content of each nonempty line."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        body = text[start:end]
        left, right = len(body) - len(body.lstrip(_BLANKS)), len(body.rstrip(_BLANKS))
        if left < right:
            yield start + left, start + right
        start = end + 1


def _line(
    text: str, start: int, end: int, environment: Mapping[str, str | None] | None, hidden: frozenset[int]
) -> Line:
    body, span, nothing = text[start:end], Span(start, end), Span(end, end)
    if body.startswith("#"):
        return Line("comment", span, "", nothing, "", nothing, span, ())
    comment = _COMMENT.search(body)
    stop = start + len(body[: comment.start()].rstrip(_BLANKS)) if comment else end
    noted = Span(start + comment.start(), end) if comment else None
    content = text[start:stop]
    kind, split = _kind(content)
    if split < 0:
        return Line(kind, span, "", Span(start, start), content, Span(start, stop), noted, ())
    key = Span(start, start + len(content[:split].rstrip(_BLANKS)))
    first = start + split + 1
    while first < stop and text[first] in _BLANKS:
        first += 1
    value = Span(min(first, stop), stop)
    return Line(
        kind, span, text[key.start : key.end], key, text[value.start : value.end], value, noted,
        tuple(_undefined(text, value, environment, hidden)),
    )  # fmt: skip


def _kind(content: str) -> tuple[str, int]:
    """Return the kind of a line, and where its key ends (-1: it has none)."""
    colon, equals = content.find(":"), content.find("=")
    if content.startswith("-D") and equals > 2:
        return "dynamic", -1
    if content.startswith("-") and (len(content) == 1 or content[1] in _BLANKS):
        return "list-item", -1
    if equals > 0 and (colon < 0 or equals < colon) and _KEY.fullmatch(content[:equals].rstrip(_BLANKS)):
        return "equals", equals
    return ("setting", colon) if colon >= 0 else ("bare", -1)


def _undefined(
    text: str, value: Span, environment: Mapping[str, str | None] | None, hidden: frozenset[int]
) -> Iterator[tuple[str, Span]]:
    if environment is None:
        return
    for found in _VARIABLE.finditer(text, value.start, value.end):
        name = found[1] or found[2]
        if found.start() not in hidden and name not in environment and not _ALWAYS_THERE.fullmatch(name):
            yield name, Span(*found.span())


def substituted(text: str, environment: Mapping[str, str | None] | None) -> str:
    """Return `text` as processed by `envsubst`; unknown and undefined variables are kept as written."""
    if "$" not in text or not environment:
        return text

    def filled(found: re.Match[str]) -> str:
        known = environment.get(found[1] or found[2])
        return found[0] if known is None else known

    return _VARIABLE.sub(filled, text)


def stripped(value: str) -> str:
    """Return a value as images from 1.19 on read it: without any whitespace."""
    return "".join(value.split())


def expands(value: str) -> bool:
    """Return whether a shell in Flink's folder expands a value to file names (as in images from 1.19 on)."""
    value = stripped(value)
    if not _GLOB.search(value):
        return False
    pattern = value.removeprefix(f"{HOME}/")
    first, _, rest = pattern.partition("/")
    if not first or first.startswith("."):
        return False
    if rest:  # a file of a folder: the contents are known for few folders
        return first in ("lib", "conf", "bin", "plugins", "opt", "examples") and rest in (
            "*",
            "*.jar",
            "*.sh",
            "*.yaml",
        )
    from fnmatch import fnmatchcase  # rarely needed

    return any(fnmatchcase(name, pattern) for name in _HOME_NAMES)


class Collision(NamedTuple):
    """Two keys, one of which is a prefix of the other."""

    shorter: str
    longer: str
    is_stock: bool
    """Whether one of the two keys comes from the image's own config.yaml instead of from the author."""


def collisions(keys: Iterable[str]) -> list[Collision]:
    """Return the pairs of keys of FLINK_PROPERTIES that images from 1.19 on cannot write into one config.yaml."""
    own = dict.fromkeys(keys)
    stock = dict.fromkeys(_STOCK_KEYS)
    found = []
    for longer in {**own, **stock}:
        end = longer.find(".")
        while end > 0:
            shorter = longer[:end]
            if (shorter in own and (longer in own or longer in stock)) or (shorter in stock and longer in own):
                found.append(Collision(shorter, longer, shorter not in own or longer not in own))
            end = longer.find(".", end + 1)
    return found


def stock_settings(index: int) -> dict[str, str]:
    """Return the settings in the configuration file of a release's image that affect the memory of its processes."""
    first = {"jobmanager.memory.process.size": _FIRST_JOBMANAGER_MEMORY}
    return {key: value for key, value in _STOCK.items() if index >= first.get(key, _FIRST_TASKMANAGER_MEMORY)}


def starts_at_once(words: Sequence[str]) -> bool:
    """Return whether a command line starts a process of Flink, and runs nothing before that may move files."""
    if not words or words[0].rpartition("/")[2] not in _STARTS:
        return False
    return not any(" " in word or "\n" in word for word in words)
