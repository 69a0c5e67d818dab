"""Detection of the sections with Flink settings in a job's own configuration file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import CONFIG_YAML, ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import line_end_at, promises, removed_lines, shared_words
from flink_flint.linter.formats.key_evidence import SEGMENTS
from flink_flint.linter.formats.syntax.leaves import Leaf
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span

_OWN = frozenset((
    "akka", "execution", "high-availability", "jobmanager", "parallelism", "pekko", "pipeline", "restart-strategy",
    "slotmanager", "state", "taskmanager",
))  # fmt: skip
"""First segments that show that a known key is meant for Flink."""
_FLINK_ONLY_PREFIXES = (
    "high-availability.", "jobmanager.", "restart-strategy.", "taskmanager.", "execution.checkpointing.",
    "state.backend.", "state.checkpoints.", "state.savepoints.",
)  # fmt: skip
"""Prefixes by which even an unknown (misspelled) key is recognized as a Flink key."""
_MIN_KNOWN_KEYS = 2
_MAX_LEAVES = 10_000
"""Maximum number of values in a file that are checked."""
_MAX_DEPTH = 30
_MAX_PATH_LENGTH = 400
"""Maximum number of characters in a path; longer paths are not Flink keys."""
_MARK = regex(r"(?:^|(?<=\.))flink\.")
_KEY = regex(r"[A-Za-z_][\w-]*(?:\.[\w<>-]+)*")

HINT = regex(
    r"taskmanager|jobmanager|numberOfTaskSlots|parallelism\.default|checkpointing|state\.(?:backend|checkpoints|savepoints)"
    r"|savepoint-dir|restart-strategy|high-availability|runtime-mode|object-reuse|max-parallelism|state-recovery"
)
"""A regular expression that quickly tests whether a text may contain Flink keys."""


_MINI_CLUSTER = regex(r"(?i)(?:^|\.)(?:flink)?mini[-_]?cluster(?:$|\.)")
"""A section for the cluster that an application starts in its own JVM, to try something out."""


class Section(NamedTuple):
    """A section of a job's configuration: Flink settings whose keys share a prefix."""

    prefix: str
    entries: list[Entry]


def sections(leaves: Iterable[Leaf]) -> list[Section]:
    """Return the sections with at least two known Flink keys, at least one of which only Flink has, in file order."""
    found: dict[str, list[Entry]] = {}
    for leaf in islice(leaves, _MAX_LEAVES):
        for prefix, entry in _settings_of(leaf):
            found.setdefault(prefix, []).append(entry)
    result = []
    for prefix, entries in found.items():
        if _are_flinks({entry.key for entry in entries}):
            result.append(Section(prefix, sorted(entries, key=lambda entry: entry.key_span)))
    return result


def _settings_of(leaf: Leaf) -> Iterator[tuple[str, Entry]]:
    """Yield the Flink entries that a value can be read as, each with the prefix that is removed from its key."""
    for prefix, key, first, cut in _readings(leaf):
        is_known = _is_known(key)
        if is_known or (key.startswith(_FLINK_ONLY_PREFIXES) and not prefix.endswith("-")):
            yield prefix, _entry(leaf, key, first, cut)
        if is_known:
            break


def _are_flinks(keys: Iterable[str]) -> bool:
    """Return whether a section contains Flink keys: at least two known ones, one of them certainly Flink's."""
    known = {key for key in keys if _is_known(key)}
    return len(known) >= _MIN_KNOWN_KEYS and any(key.partition(".")[0] in _OWN for key in known)


def documents_of(file_format: FileFormat, path: str, text: str, leaves: Iterable[Leaf]) -> list[Document]:
    """Return a document for each section with Flink settings, named after the prefix of its keys."""
    documents = []
    for section in sections(leaves):
        content = ConfigurationFile()
        content.entries = section.entries
        content.mark_overridden()
        document = Document(
            path, text, file_format, content, syntax="map", kind="properties", name=section.prefix or None, whole=False,
            profile="development" if _MINI_CLUSTER.search(section.prefix) is not None else None,
        )  # fmt: skip
        documents.append(document)
    return documents


def _readings(leaf: Leaf) -> Iterator[tuple[str, str, int, int]]:
    """Yield the ways to split a path into a prefix and a key: prefix, key, index of its first segment, offset in it."""
    if sum(map(len, leaf.path)) > _MAX_PATH_LENGTH:
        return
    for first in range(min(len(leaf.path), _MAX_DEPTH)):
        prefix, key = ".".join(leaf.path[:first]), ".".join(leaf.path[first:])
        yield prefix, key, first, 0
        if first == len(leaf.path) - 1:
            for mark in _MARK.finditer(key):
                before = f"{prefix}.{key[: mark.end() - 1]}" if prefix else key[: mark.end() - 1]
                yield before, key[mark.end() :], first, mark.end()


def _entry(leaf: Leaf, key: str, first: int, cut: int) -> Entry:
    spans = leaf.spans[first:]
    last = spans[-1]
    if cut:
        quoted = last.end - last.start - len(leaf.path[-1])
        last = Span(last.start + quoted // 2 + cut, last.end - quoted // 2)
    text = leaf.raw if leaf.value is None else leaf.value
    return Entry(
        key, None if leaf.value is None else text, text, last, leaf.value_span, leaf.raw, leaf.style,
        parents=spans[:-1], nested=len(spans) > 1,
    )  # fmt: skip


@cache
def _is_known(key: str) -> bool:
    if key.partition(".")[0] not in SEGMENTS:
        return False
    from flink_flint.linter.flink.options import catalogue

    return bool(catalogue().releases(key))


class SettingLines(FileFormat):
    """Base class of formats with one setting per line and their own syntax for values."""

    kind = "properties"

    @abstractmethod
    def spell(self, value: str, like: str) -> str | None:
        """Return `value` in the file's syntax, quoted like the existing value `like`; None if it cannot be written."""

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return the edit that changes the key of an entry or, for a nested entry, the key's last segment."""
        if entry.style == "implied" or not _KEY.fullmatch(key):
            return ()
        new = key
        if entry.nested:
            parent, _, new = key.rpartition(".")
            if parent != entry.key.rpartition(".")[0]:
                return ()
        edits = [Edit(entry.key_span, _like(document.text, entry.key_span, new))]
        return promises(document, edits, document.changes(entry, (key, entry.text)))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return the edit that replaces the value of an entry and quotes the new value like the old value."""
        spelled = None if entry.style not in ("plain", "single", "double") else self.spell(value, entry.raw)
        if spelled is None:
            return ()
        edits = [Edit(entry.value_span, spelled)]
        return promises(document, edits, document.changes(entry, (entry.key, value)))

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return the edit that adds a line below the entry with the most closely related key, in the same style.

        The most closely related key is the one that shares the most leading segments with `key`.
        """
        flat = [entry for entry in document.entries if entry.style in ("plain", "single", "double")]
        if not flat or key in document.effective or not _KEY.fullmatch(key):
            return ()
        sibling = max(flat, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
        lines, text = document.lines, document.text
        line = lines.position(sibling.key_span.start).line
        if lines.position(sibling.value_span.end).line != line:
            return ()
        here = [span for span in sibling.path_spans if lines.position(span.start).line == line]
        above = sibling.key.split(".")[: -sum(_words(text, span) for span in here)]
        spelled = self.spell(value, sibling.raw)
        if spelled is None or key.split(".")[: len(above)] != above:
            return ()
        rest = ".".join(key.split(".")[len(above) :])
        before = text[lines.span(line).start : here[0].start]
        written = rest if len(here) > 1 else _like(text, here[0], rest)
        between = text[sibling.key_span.end : sibling.value_span.start]
        end = lines.span(line).end
        new = f"{before}{written}{between}{spelled}"
        edits = [Edit(Span(end, end), f"{line_end_at(document, line)}{new}")]
        return promises(document, edits, {key: value})

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return the edits that delete the lines of an entry."""
        if entry.style == "implied":
            return ()
        lines, text = document.lines, document.text
        first = lines.position(entry.key_span.start).line
        last = lines.position(max(entry.value_span.end - 1, entry.value_span.start)).line
        before = text[lines.span(first).start : entry.path_spans[0].start]
        if "{" in before or "," in before:
            return ()
        edits = removed_lines(document, first, last, [entry.value_span.end])
        return promises(document, edits, document.changes(entry, None))


def _like(text: str, span: Span, key: str) -> str:
    """Return a key quoted like the text at a span."""
    quote = text[span.start : span.start + 1]
    return f"{quote}{key}{quote}" if quote in ("'", '"') else key


def _words(text: str, span: Span) -> int:
    """Return the number of key segments in a span."""
    return text[span.start : span.end].count(".") + 1


def read_text(data: bytes) -> str:
    """Return the text of a file; bytes that are not valid UTF-8 become lone surrogates."""
    return decode(data, kind=CONFIG_YAML)[0]
