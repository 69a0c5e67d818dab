"""Flink settings in a YAML or JSON mapping that is part of a larger file, read and edited in place."""

from __future__ import annotations

from flink_flint.linter.flink.deployment.operator import DEFAULTS
from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import line_end_at, promises, removed_lines, shared_words
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_PLAIN = regex(r"[A-Za-z_./][\w./+@-]*(?::[\w./+-]+)*")
_RETYPED = regex(r"(?i:true|false|null|y|n|yes|no|on|off|~)")
_KEY = regex(r"[A-Za-z_][\w./<>-]*")
_BLANKS = regex(r"[ \t\r\n]*")
_MAX_ENTRIES = 10_000
_MAX_DEPTH = 60


def read_mapping(value: Value, *, layer: str = "") -> ConfigurationFile:
    """Return the flattened entries of a mapping; lists are joined with ``;``, as the Kubernetes operator does."""
    result = ConfigurationFile()
    stack: list[tuple[str, tuple[Span, ...], Value, int]] = [("", (), value, 0)]
    for _ in range(_MAX_ENTRIES):  # aliases may repeat a mapping endlessly
        if not stack or len(result.entries) >= _MAX_ENTRIES:
            break
        prefix, parents, mapping, depth = stack.pop()
        for key, key_span, child in mapping.pairs():
            if is_template(key):
                continue
            name = prefix + key
            if child.is_mapping and depth < _MAX_DEPTH:
                stack.append((f"{name}.", (*parents, key_span), child, depth + 1))
                continue
            if not (child.is_open and child.is_scalar):  # a tag inserts its lines below
                result.entries.append(_entry(name, key_span, parents, child, layer))
    result.entries.sort(key=lambda entry: entry.key_span)
    result.mark_overridden()
    return result


def _entry(key: str, key_span: Span, parents: tuple[Span, ...], value: Value, layer: str) -> Entry:
    if value.is_sequence:
        made: object = ";".join(item.text if item.text is not None else item.raw for item in value.items())
    elif value.is_templated:
        made = value.raw
    else:
        made = value.text
    entry = Entry(
        key, made, made if isinstance(made, str) else "", key_span, value.span, value.raw, value.style,
        parents=parents, nested=bool(parents),
    )  # fmt: skip
    entry.layer = layer
    return entry


def implied(key: str, value: str, key_span: Span, value_span: Span, raw: str, layer: str) -> Entry:
    """Return the entry for an option that is set indirectly, through a typed field or a method call."""
    entry = Entry(key, value, value, key_span, value_span, raw, "implied")
    entry.layer = layer
    return entry


class SettingsMapFormat(FileFormat):
    """Base class of YAML formats whose settings are in mappings, or in files embedded in block scalars."""

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that change the key of a flat entry, or the last segment of a nested entry's key."""
        if isinstance(document, Embedded):
            return document.edited("rename", entry, key)
        if entry.style == "implied" or not _KEY.fullmatch(key):
            return ()
        written = document.text[entry.key_span.start : entry.key_span.end]
        quote = written[:1] if written[:1] in ("'", '"') else ""
        new = key
        if entry.nested:
            parent, _, new = key.rpartition(".")
            if parent != entry.key.rpartition(".")[0]:
                return ()
        edits = [Edit(entry.key_span, f"{quote}{new}{quote}")]
        return promises(document, edits, document.changes(entry, (key, entry.text)))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace a scalar, with quotes if it had any or if YAML requires them for a string."""
        if isinstance(document, Embedded):
            yield from document.edited("replace", entry, value)
            return
        if "\n" in value or entry.style not in ("plain", "single", "double"):
            return
        changes = document.changes(entry, (entry.key, value))
        # JSON accepts no plain text.
        for written in dict.fromkeys((scalar(value, entry.raw), scalar(value, '"'))):
            yield from promises(document, [Edit(entry.value_span, written)], changes)

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a line below the entry with the most closely related key, with the same indentation.

        The most closely related key is the one that shares the most leading segments with `key`.
        """
        if isinstance(document, Embedded):
            return document.edited("add", None, key, value)
        if key in document.effective or not _KEY.fullmatch(key) or "\n" in value:
            return ()
        own = [entry for entry in document.entries if entry.style != "implied"]
        if any(is_in_braces(document.text, entry) for entry in own):
            return add_in_braces(document, own, key, value)
        flat = [entry for entry in own if not entry.nested and entry.style in ("plain", "single", "double")]
        if not flat:
            return _add_beside_nested(document, own, key, value)
        sibling = max(flat, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
        lines = document.lines
        number = lines.position(sibling.value_span.end).line
        start = lines.span(lines.position(sibling.key_span.start).line).start
        if document.text[start : sibling.key_span.start].strip():
            return ()  # an entry of a flow mapping, or of a list
        end = lines.span(number).end
        margin = document.text[start : sibling.key_span.start]
        new = f"{margin}{key}: {scalar(value, sibling.raw)}"
        edits = [Edit(Span(end, end), f"{line_end_at(document, number)}{new}")]
        return promises(document, edits, {key: value})

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that delete the lines of an entry, and the parent keys that contain no other entry."""
        if isinstance(document, Embedded):
            yield from document.edited("remove", entry)
            return
        if entry.style == "implied":
            return
        if is_in_braces(document.text, entry):
            yield from remove_in_braces(document, entry)
            return
        lines = document.lines
        first, last = lines.position(entry.key_span.start).line, lines.position(max(entry.value_span.end - 1, 0)).line
        if document.text[lines.span(first).start : entry.key_span.start].strip():
            return
        outermost = _outermost_own(document, entry)
        first = lines.position(outermost.start).line
        own = [span.end for span in entry.path_spans if span.start >= outermost.start]
        edits = removed_lines(document, first, max(first, last), [*own, entry.value_span.end])
        yield from promises(document, edits, document.changes(entry, None))
        if document.platform == "operator" and (default := DEFAULTS.get(entry.key)) is not None:
            yield from promises(document, edits, {entry.key: default})


def _outermost_own(document: Document, entry: Entry) -> Span:
    """Return the outermost key on an entry's path that contains no other entry; it is removed with the entry."""
    spans = entry.path_spans
    return next((span for span in spans if not document.is_shared(span)), spans[-1])


def _add_beside_nested(document: Document, own: list[Entry], key: str, value: str) -> Ways:
    """Add a line with the full key below the block of the entry whose key shares the most leading segments."""
    own = [entry for entry in own if entry.nested and entry.style in ("plain", "single", "double")]
    if not own:
        return ()
    sibling = max(own, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
    top = sibling.path_spans[0]
    last = max((entry for entry in own if entry.path_spans[0] == top), key=lambda entry: entry.value_span.end)
    lines = document.lines
    start = lines.span(lines.position(top.start).line).start
    margin = document.text[start : top.start]
    if margin.strip():
        return ()
    number = lines.position(last.value_span.end).line
    end = lines.span(number).end
    edits = [Edit(Span(end, end), f"{line_end_at(document, number)}{margin}{key}: {scalar(value, sibling.raw)}")]
    return promises(document, edits, {key: value})


# -- mappings in braces: JSON, and flow mappings of YAML


def is_in_braces(text: str, entry: Entry) -> bool:
    """Return whether an entry is in a ``{...}`` mapping: between braces or commas."""
    before = text[: entry.key_span.start].rstrip()[-1:]
    after = _BLANKS.match(text, entry.value_span.end)
    assert after is not None
    return before in ("{", ",") and text[after.end() : after.end() + 1] in ("}", ",")


def add_in_braces(document: Document, own: list[Entry], key: str, value: str) -> Ways:
    """Return the edit that adds an entry to a ``{...}`` mapping after a related one, in the same style."""
    text = document.text
    flat = [entry for entry in own if not entry.nested and is_in_braces(text, entry)]
    if not flat:
        return ()
    sibling = max(flat, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
    start = text.rfind("\n", 0, sibling.key_span.start) + 1
    margin = text[start : sibling.key_span.start]
    quote = text[sibling.key_span.start] if text[sibling.key_span.start] in ("'", '"') else ""
    gap = " "
    if not margin.strip():
        gap = line_end_at(document, document.lines.position(sibling.key_span.start).line) + margin
    colon = text[sibling.key_span.end : sibling.value_span.start]
    new = f",{gap}{quote}{key}{quote}{colon if colon.strip() == ':' and chr(10) not in colon else ': '}"
    edits = [Edit(Span(sibling.value_span.end, sibling.value_span.end), f"{new}{scalar(value, quote or sibling.raw)}")]
    return promises(document, edits, {key: value})


def remove_in_braces(document: Document, entry: Entry) -> Ways:
    """Return the edit that deletes an entry of a ``{...}`` mapping together with one adjacent comma.

    That is the comma after the entry or, for the last entry, the one before it.
    """
    text = document.text
    after = _BLANKS.match(text, entry.value_span.end)
    assert after is not None
    if text[after.end() : after.end() + 1] == ",":
        following = _BLANKS.match(text, after.end() + 1)
        assert following is not None
        span = Span(entry.key_span.start, following.end())
    else:
        before = text[: entry.key_span.start].rstrip()
        span = Span(len(before) - before.endswith(","), entry.value_span.end)
    edits = [Edit(span, "")]
    return promises(document, edits, document.changes(entry, None))


def scalar(value: str, like: str) -> str:
    """Return a value as a YAML scalar that is read as a string, with the same quotes as the scalar `like`, if any."""
    if like[:1] == "'":
        return "'" + value.replace("'", "''") + "'"
    if like[:1] == '"' or not _PLAIN.fullmatch(value) or _RETYPED.fullmatch(value):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return value


def read_text(data: bytes) -> str:
    """Return the text of a file; bytes that are not valid UTF-8 become lone surrogates."""
    return decode(data, kind="config.yaml")[0]
