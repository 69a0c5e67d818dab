"""Shell scripts, makefiles, and CI files: the settings in their Flink command lines and here-documents.

Each command is a document with the settings in ``-D`` and in options that set Flink options (``-p``, ``-yjm``). A
configuration file that a script writes with a here-document is a document as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS, ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.flink_files.embedding import Embedded, read_embedded
from flink_flint.linter.formats.flink_files.settings_map import implied
from flink_flint.linter.formats.inner_document import inner_documents
from flink_flint.linter.formats.job_config.flink_sections import SettingLines, read_text
from flink_flint.linter.formats.shell.branches import Path, branch_paths
from flink_flint.linter.formats.shell.command_words import ScriptWord, read_words
from flink_flint.linter.formats.shell.operator_install import operator_installs
from flink_flint.linter.formats.shell.script_facts import facts_of
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_SCRIPTS = (
    "kubernetes-session", "kubernetes-jobmanager", "kubernetes-taskmanager", "yarn-session", "start-cluster",
    "stop-cluster", "sql-client", "sql-gateway", "jobmanager", "taskmanager", "standalone-job", "historyserver",
    "start-scala-shell", "pyflink-shell",
)  # fmt: skip
_START = regex(
    r"(?<![\w.$@:-])(?:(?P<flink>flink)\"?(?:[ \t]|\\(?:\r\n|\r|\n))+"
    r"(?P<action>run-application|run|stop|savepoint|cancel|checkpoint)\b(?![\w.:=-])"
    rf"|(?P<script>(?:{'|'.join(_SCRIPTS)})\.sh)\b\"?(?=[ \t\\\r\n;&|)\"']|\Z))"
)
_MENTIONED = regex(r"(?:^|[\s;&|(])#|\b(?:echo|printf|log|warn|die|usage|grep|rm|chmod|cp|ls)\b[^;&|]*$")
_PIPELINE = regex(r"^(?:on|jobs|stages|script|before_script|pipelines|steps|image|variables)[ \t]*:", re.MULTILINE)
_HEREDOC = regex(r"<<-?[ \t]*(?P<quote>['\"]?)(?P<word>\w++)(?P=quote)[^\r\n]{0,2000}+(?:\r\n|\r|\n)")
_CONF = regex(r"(>>?)[ \t]*[\"']?[^\s\"'<>|;&]*?(?<![\w-])(flink-conf\.yaml|conf/config\.yaml)\b")
_INNER = (
    (regex(r"\b(?:kubectl|oc|k)\b|>[ \t]*[\"']?[^\s\"'<>|;&]+\.(?:ya?ml|json)\b"), "kubernetes.manifests", "here.yaml"),
    (regex(r"\bsql-client\b|>[ \t]*[\"']?[^\s\"'<>|;&]+\.sql\b"), "sql.sql_script", "here.sql"),
)
"""What a command with a here-document looks like, and the format and name of the text."""
_FORMATS = regex(r"\bkubectl\b|\boc\b|\bk[ \t]|\bsql-client\b|\.(?:ya?ml|json|sql)\b")
_EXPANDED = regex(r"(?<!\\)\$(?:[A-Za-z_]\w*|\([^()\r\n]{0,500}\))|(?<!\\)`[^`\r\n]{0,500}`")
"""Variables without braces and commands in a text that the shell expands, as a here-document without quotes."""
_ECHO = regex(
    r"(?m)^[ \t]*(?:(?:then|do|else)[ \t]+)?echo[ \t]+(?:-e[ \t]+)?(?P<quote>[\"'])"
    r"(?P<line>[\w.-]+:[ \t][^\"'\r\n\\]*)(?P=quote)"
    r"[ \t]*>>[ \t]*[\"']?[^\s\"'<>|;&]{0,200}?(?<![\w-])(?P<file>flink-conf\.yaml|conf/config\.yaml)\b"
)
_MAX_ECHOED = 500
_ACTIONS = regex(r"\bpaimon-flink-action[\w.-]{0,80}\.jar")
"""The jar of Paimon's actions, whose arguments are an action and the options of its source and its table."""
_VERSION = regex(
    r"(?m)^[ \t]*(?:export[ \t]+|readonly[ \t]+)?FLINK_VERSION[ \t]*[:?]?=[ \t]*[\"']?(?:\$\{FLINK_VERSION:?-)?"
    r"([12]\.\d{1,2}(?:\.\d{1,2})?)\}?[\"']?[ \t]*(?:#.*)?\r?$"
)
_DOWNLOADED = regex(r"/flink-([12]\.\d{1,2}(?:\.\d{1,2})?)-bin-scala_")
"""Matches the release in the address of Flink's archive."""
_SAFE = regex(r"[\w./:,@%+=-]+")
_SHIPPED = regex(
    r"(?:^|[/\"'])examples/(?:batch|streaming|table|python|gelly)/(?:[\w.-]{1,80}/){0,3}[\w.-]{1,80}\.(?:jar|py)[\"']?$"
)
"""Matches the programs in the folder `examples` of Flink's distribution."""
_MAX_DOCUMENTS = 300

_FLINK = {
    "c": "class", "C": "classpath", "m": "jobmanager", "p": "parallelism", "s": "fromSavepoint", "t": "target",
    "e": "executor", "z": "zookeeperNamespace", "yz": "yarnzookeeperNamespace", "rm": "restoreMode", "py": "python",
    "pyfs": "pyFiles", "pym": "pyModule", "pyexec": "pyExecutable", "pyclientexec": "pyClientExecutable",
    "pyarch": "pyArchives", "pyreq": "pyRequirements", "yid": "yarnapplicationId", "yjm": "yarnjobManagerMemory",
    "ytm": "yarntaskManagerMemory", "ys": "yarnslots", "ynm": "yarnname", "yqu": "yarnqueue", "ynl": "yarnnodeLabel",
    "yt": "yarnship", "yat": "yarnapplicationType", "yj": "yarnjar", "yn": "yarncontainer",
    "pypath": "pyPythonPath", "cm": "claimMode", "claimMode": "claimMode",
    "type": "type", "targetDirectory": "targetDirectory", "savepointPath": "savepointPath",
}  # fmt: skip
_FLINK["stop:p"] = "savepointPath"
_SESSION = {
    "jm": "jobManagerMemory", "tm": "taskManagerMemory", "s": "slots", "nm": "name", "qu": "queue", "n": "container",
    "nl": "nodeLabel", "t": "ship", "id": "applicationId", "z": "zookeeperNamespace", "at": "applicationType",
    "j": "jar", "m": "jobmanager",
}  # fmt: skip
_SQL = {
    "i": "init", "f": "file", "j": "jar", "l": "library", "s": "session", "d": "defaults", "e": "environment",
    "u": "update", "hist": "history",
}  # fmt: skip
_FLAGS = {
    "d": "detached", "n": "allowNonRestoredState", "sae": "shutdownOnAttachedExit", "q": "sysoutLogging",
    "yd": "yarndetached", "yq": "yarnquery", "st": "streaming", "yst": "yarnstreaming",
}  # fmt: skip
_IMPLIED = {
    "parallelism": "parallelism.default", "target": "execution.target",
    "yarnjobManagerMemory": "jobmanager.memory.process.size", "jobManagerMemory": "jobmanager.memory.process.size",
    "yarntaskManagerMemory": "taskmanager.memory.process.size",
    "taskManagerMemory": "taskmanager.memory.process.size", "yarnslots": "taskmanager.numberOfTaskSlots",
    "slots": "taskmanager.numberOfTaskSlots", "yarnqueue": "yarn.application.queue",
    "queue": "yarn.application.queue", "yarnname": "yarn.application.name", "name": "yarn.application.name",
    "yarnnodeLabel": "yarn.application.node-label", "nodeLabel": "yarn.application.node-label",
}  # fmt: skip
"""The Flink options that command-line options set; memory without a unit is in megabytes."""
_STANDALONE = {"start-cluster.sh", "stop-cluster.sh", "jobmanager.sh", "taskmanager.sh", "standalone-job.sh"}


class Shell(SettingLines):
    """Shell scripts, makefiles, and CI files with Flink command lines."""

    kind = "shell"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file (if YAML, a CI file) has a Flink command, or Flink configuration in a here-document."""
        if name.endswith((".yml", ".yaml")) and not (name.startswith(".") or _PIPELINE.search(head)):
            return False
        return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each command and each configuration that a script writes, in file order."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        inside: list[Span] = []
        found = list(self._written(path, text, inside))
        found += _echoed(self, path, text, inside)
        for command in _commands(text, inside):
            found.append(self._document(path, text, command))
            if len(found) >= _MAX_DOCUMENTS:
                break
        found += self._installs(path, text)
        release = _release_of(text)
        for document in found:
            document.release = document.release or release
        return sorted(found, key=lambda document: document.head.start)

    def _document(self, path: str, text: str, command: _Command) -> Document:
        content = ConfigurationFile()
        content.entries = command.entries
        content.mark_overridden()
        name = " ".join(word for word in (command.program, command.action) if word)
        command.attributes.update(facts_of(text, command.element.span, on_yarn=command.platform == "yarn"))
        return Document(
            path, text, self, content,
            syntax="map", name=name, elements=[command.element], span=command.element.span, whole=False,
            platform=command.platform, profile="development" if command.is_smoke_test else None,
        )  # fmt: skip

    def _installs(self, path: str, text: str) -> Iterator[Document]:
        for element in operator_installs(text):
            yield Document(
                path, text, self, ConfigurationFile(), syntax="map", name=f"helm {element.name}", elements=[element],
                span=element.span, whole=False,
            )  # fmt: skip

    def _written(self, path: str, text: str, inside: list[Span]) -> Iterator[Document]:
        """Yield the documents of here-documents, and add the spans of those that have one to `inside`."""
        at = 0
        while (found := _HEREDOC.search(text, at)) is not None:
            at = found.end()
            start = text.rfind("\n", 0, found.start()) + 1
            line = text[start : found.end()]
            target = _CONF.search(line)
            if target is None and _FORMATS.search(line) is None:
                continue
            close = regex(rf"^[ \t]*{re.escape(found['word'])}[ \t]*\r?$", re.MULTILINE).search(text, at)
            if close is None:
                return
            at = close.end()
            span = Span(found.end(), close.start())
            if target is None:
                documents = self._inner(path, text, line, span, is_quoted=bool(found["quote"]))
                if documents:
                    inside.append(span)
                yield from documents
                continue
            inside.append(span)
            syntax = "flink-conf" if target[2].startswith("flink-conf") else "config-yaml"
            extract = Extract.of(text, [span])
            document = Embedded(
                path, text, self, read_embedded(extract, syntax),
                syntax=syntax, name=target[2], span=span, whole=False,
            )  # fmt: skip
            document.extract = extract
            yield document

    def _inner(self, path: str, text: str, line: str, span: Span, *, is_quoted: bool) -> list[Document]:
        """Return the documents of a manifest or SQL script in a here-document, if its text is one."""
        extract = Extract.of(text, [span])
        if not is_quoted:
            extract = _with_tags(extract)
        for expected, module, name in _INNER:
            inner: FileFormat = import_module(f"flink_flint.linter.formats.{module}").FILE_FORMAT
            if expected.search(line) is not None and inner.recognize(name, extract.text[: 64 * 1024]):
                return [*inner_documents(path, text, self, extract, inner, name)]
        return []

    def spell(self, value: str, like: str) -> str | None:
        """Return `value` as one shell word, quoted like `like`; None if it cannot be written safely."""
        quote = like[:1] if like[:1] in ("'", '"') else "" if _SAFE.fullmatch(value) else "'"
        if any(char < " " or char in "'\"\\$`!" or "\ud800" <= char <= "\udfff" for char in value):
            return None
        return f"{quote}{value}{quote}"

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that change the key of a ``-D`` option, or of a setting in a here-document."""
        if isinstance(document, Embedded):
            return document.edited("rename", entry, key)
        return super().rename(document, entry, key)

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace the value of a ``-D`` option, or of a setting in a here-document."""
        if isinstance(document, Embedded):
            return document.edited("replace", entry, value)
        return super().replace(document, entry, value)

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add an option after the command line's last ``-D``, or a setting to a here-document."""
        if isinstance(document, Embedded):
            return document.edited("add", None, key, value)
        options = [entry for entry in document.entries if entry.style != "implied"]
        spelled = self.spell(value, "")
        if not options or spelled is None or key in document.effective or not re.fullmatch(r"[\w.-]+", key):
            return ()
        last = options[-1]
        start = _option_start(document.text, last)
        end = last.value_span.end
        quote = document.text[start : start + 1]
        if quote in ("'", '"'):
            end += 1
        option = re.match(r"['\"]?(--?y?D[ \t]*)", document.text[start:])
        if option is None:
            return ()
        edits = [Edit(Span(end, end), f" {option[1]}{key}={spelled}")]
        return promises(document, edits, {key: value})

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that remove a ``-D`` option from the command line, or a setting from a here-document."""
        if isinstance(document, Embedded):
            return document.edited("remove", entry)
        if entry.style == "implied":
            return ()
        text = document.text
        start, end = _option_start(text, entry), entry.value_span.end
        if text[start : start + 1] in ("'", '"'):
            end += 1
        line = document.lines.span(document.lines.position(start).line).start
        if not text[line:start].strip(" \t"):
            while text[end : end + 1] in (" ", "\t"):
                end += 1
        while start > line and text[start - 1] in " \t" and text[line:start].strip(" \t"):
            start -= 1
        edits = [Edit(Span(start, end), "")]
        return promises(document, edits, document.changes(entry, None))


def _release_of(text: str) -> tuple[str, str] | None:
    """Return the release that a script sets as ``FLINK_VERSION``, or else downloads; None if not exactly one."""
    versions, evidence = set(_VERSION.findall(text)), "FLINK_VERSION"
    if not versions:
        found = (
            one
            for one in _DOWNLOADED.finditer(text)
            if "#" not in text[text.rfind("\n", 0, one.start()) + 1 : one.start()]
        )
        versions, evidence = {one[1] for one in found}, "the archive that it downloads"
    return (versions.pop(), evidence) if len(versions) == 1 else None


def _echoed(file_format: FileFormat, path: str, text: str, inside: Sequence[Span]) -> list[Document]:
    """Return a document for each configuration file that a script appends lines to by ``echo "key: value" >>``.

    If the script sets a key twice in different branches, the lines of each branch are a document of their own: a
    JobManager and a TaskManager may each execute one.
    """
    appended = [
        found
        for found in islice(_ECHO.finditer(text), _MAX_ECHOED)
        if not any(span.start <= found.start() < span.end for span in inside)
    ]
    pieces: dict[tuple[str, Path], list[Piece]] = {}
    for found, branches in zip(appended, _branches(text, appended), strict=True):
        start, end = found.span("line")
        line = Extract.of(text, [Span(start, end)])
        if found["quote"] != "'":
            line = _with_tags(line)
        pieces.setdefault((found["file"], branches), []).extend((*line.pieces, Piece("\n", Span(end, end))))
    documents = []
    for (name, _), lines in pieces.items():
        extract = Extract(text, lines)
        content = read_embedded(extract, "flink-conf" if name.startswith("flink-conf") else "config-yaml")
        if content.entries:
            span = Span(lines[0].span.start, lines[-1].span.end)
            documents.append(
                Document(path, text, file_format, content, syntax="map", name=name, span=span, whole=False)
            )
    return documents


def _branches(text: str, appended: Sequence[re.Match[str]]) -> list[Path]:
    """Return the branches of each appended line; none if no key is set in two branches."""
    keys = [found["line"].partition(":")[0] for found in appended]
    if len(set(keys)) == len(keys):
        return [()] * len(keys)
    paths = branch_paths(text, [found.start("quote") for found in appended])
    is_split = len(set(zip(keys, paths, strict=True))) > len(set(keys))
    return paths if is_split else [()] * len(keys)


def _with_tags(extract: Extract) -> Extract:
    """Return a text that the shell expands, with a tag for each variable without braces and for each command."""
    expanded = _EXPANDED.finditer(extract.text)
    return extract.replaced((Span(*found.span()), "${" + _named(found[0]) + "}") for found in expanded)


def _named(expansion: str) -> str:
    """Return a name for the value of a variable or command."""
    return expansion[1:] if expansion[1:].isidentifier() else "output"


def _option_start(text: str, entry: Entry) -> int:
    """Return the offset of an entry's ``-D``, or of the quote before it."""
    start = entry.key_span.start
    found = re.search(r"['\"]?--?y?D(?:[ \t]|\\(?:\r\n|\r|\n))*['\"]?$", text[max(0, start - 200) : start])
    return start - len(found[0]) if found else start


class _Command:
    """A Flink command line: the program, its action, its options, and the settings in them."""

    def __init__(self, text: str, found: re.Match[str], words: Sequence[ScriptWord]) -> None:
        self.program = found["flink"] or found["script"]
        self.action = found["action"] or ""
        self.entries: list[Entry] = []
        self.attributes: dict[str, Attribute] = {}
        self._text = text
        named = "flink" if found["flink"] else "script"
        self._span = Span(*found.span(named))
        if self.action:
            span = Span(*found.span("action"))
            self.attributes["action"] = Attribute(self.action, span, None, self.action)
        self._options = _FLINK if found["flink"] else _SQL if self.program.startswith("sql") else _SESSION
        self._read(words)

    @property
    def element(self) -> Element:
        return Element("command", self.program, self._span, self.attributes)

    @property
    def platform(self) -> str | None:
        """The platform on which the command runs Flink, or None if neither its program nor its target shows it."""
        target = self.attributes.get("options.target") or self.attributes.get("options.executor")
        manager = self.attributes.get("options.jobmanager")
        named = str(target.value) if target is not None else ""
        for entry in self.entries:
            if entry.key == "execution.target":
                named = entry.text
        if named.startswith("yarn") or self.program == "yarn-session.sh":
            return "yarn"
        if named.startswith("kubernetes") or self.program.startswith("kubernetes"):
            return "kubernetes"
        if manager is not None and manager.value == "yarn-cluster":
            return "yarn"
        if any(name.startswith("options.yarn") for name in self.attributes):
            return "yarn"
        return "standalone" if self.program in _STANDALONE else None

    @property
    def is_smoke_test(self) -> bool:
        """Whether the command runs an example of Flink's distribution, to see whether the cluster works."""
        program = self.attributes.get("arguments[0]") or self.attributes.get("options.python")
        return self.program == "flink" and program is not None and _SHIPPED.search(program.raw) is not None

    def _read(self, words: Sequence[ScriptWord]) -> None:
        """Read the options up to the first argument of `run`; all others belong to the program."""
        place = arguments = 0
        is_run = self.action.startswith("run")
        while place < len(words):
            word = words[place]
            place += 1
            text = word.text
            if text.startswith(("-D", "-yD")):
                start = 3 if text.startswith("-yD") else 2
                if len(text) == start and place < len(words):
                    word, start = words[place], 0
                    place += 1
                self._define(word, start)
            elif text.startswith("-") and len(text) > 1 and not text[1].isdigit():
                name, equals, _ = text.lstrip("-").partition("=")
                long = self._options.get(f"{self.action}:{name}") or self._options.get(name) or _FLAGS.get(name, name)
                has_value = long in self._options.values()
                if equals:
                    at = text.index("=") + 1
                    self._option(long, word, at, word)
                elif has_value and place < len(words):
                    self._option(long, words[place], 0, word)
                    place += 1
                else:
                    self.attributes[f"options.{long}"] = Attribute(True, word.span, word.span, text)
            else:
                attribute = Attribute(_known(word, 0), word.span, None, self._raw(word))
                self.attributes[f"arguments[{arguments}]"] = attribute
                arguments += 1
                if is_run:
                    if _ACTIONS.search(attribute.raw) is not None:
                        self._act(words[place:])
                    return

    def _act(self, words: Sequence[ScriptWord]) -> None:
        """Read the action of a jar of actions, and the options of its connectors (``--kafka_conf topic=orders``)."""
        names = iter(words)
        for word in names:
            if not word.text.startswith("--"):
                self.attributes.setdefault("program", Attribute(_known(word, 0), word.span, None, self._raw(word)))
                continue
            name, equals, _ = word.text.lstrip("-").partition("=")
            name = name.replace("-", "_")
            if not name.endswith("_conf"):
                if not equals:
                    next(names, None)
                continue
            given = word if equals else next(names, None)
            if given is None:
                return
            start = word.text.index("=") + 1 if equals else 0
            key, _, value = given.text[start:].partition("=")
            attribute = Attribute(value if given.is_known else None, given.span, given.span, self._raw(given))
            self.attributes[f"program.{name}.{key}"] = attribute

    def _raw(self, word: ScriptWord) -> str:
        return self._text[word.span.start : word.span.end]

    def _define(self, word: ScriptWord, start: int) -> None:
        """Add the setting in a ``-D`` option; without a value it is ``true``."""
        key, equals, value = word.text[start:].partition("=")
        if not key or "$" in key or "{{" in key:
            return
        key_span = word.extract.span(Span(start, start + len(key)))
        if not equals:
            self.entries.append(implied(key, "true", key_span, key_span, key, "-D"))
            return
        first = word.extract.end(start + len(key) + 1)
        last = word.span.end - (1 if word.quote else 0)
        if first < last and self._text[first] == "=":
            first += 1
        raw = self._text[first:last]
        text = value if word.is_known else raw
        style = {"'": "single", '"': "double"}.get(raw[:1], "plain")
        self.entries.append(Entry(key, value if word.is_known else None, text, key_span, Span(first, last), raw, style))

    def _option(self, name: str, word: ScriptWord, start: int, option: ScriptWord) -> None:
        raw = self._raw(word)
        value = _known(word, start)
        span = word.span if not start else word.extract.span(Span(start, len(word.text)))
        self.attributes[f"options.{name}"] = Attribute(value, span, option.span, raw)
        key = _IMPLIED.get(name)
        if key is None or (name in ("slots", "name", "queue") and self.program != "yarn-session.sh"):
            return
        text = word.text[start:] if value is None else value
        if key.endswith(".process.size") and text.isdigit():
            text += "m"
        entry = implied(key, text, option.span, span, raw, self._text[option.span.start : option.span.end])
        if value is None:
            entry.value = None
        self.entries.append(entry)


def _known(word: ScriptWord, start: int) -> str | None:
    """Return the text of a word from an offset, or None if it contains a variable or a command's output."""
    text = word.text[start:]
    return None if not word.is_known or is_templated(text) else text


def _commands(text: str, inside: Sequence[Span]) -> Iterator[_Command]:
    """Yield the commands in `text`, except those that are only mentioned or are part of a here-document."""
    at = 0
    while (found := _START.search(text, at)) is not None:
        at = found.end()
        line = max(text.rfind("\n", 0, found.start()), text.rfind("\r", 0, found.start())) + 1
        if any(span.start <= found.start() < span.end for span in inside):
            continue
        if _MENTIONED.search(text[max(line, found.start() - 2_000) : found.start()]):
            continue
        words, at = read_words(text, found.end())
        yield _Command(text, found, words)


FILE_FORMAT = Shell()
