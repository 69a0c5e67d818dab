"""Settings that stand as entries of a YAML or JSON mapping inside a larger file, read and edited in place."""

from __future__ import annotations

import re

from linter.carriers.embedding import Embedded
from linter.carriers.placing import holds, line_end_at, shared_words
from linter.carriers.yaml_tree import Value
from linter.document import Carrier, Document
from linter.flink.entries import ConfigurationFile, Entry
from linter.flink.files import decode, encode
from linter.text import Edit, Span

_PLAIN = re.compile(r"[A-Za-z_./][\w./+@-]*(?::[\w./+-]+)*")
_RETYPED = re.compile(r"(?i:true|false|null|y|n|yes|no|on|off|~)")
_KEY = re.compile(r"[A-Za-z_][\w./<>-]*")
_MOST = 10_000
_DEEPEST = 60


def read_mapping(value: Value, *, layer: str = "") -> ConfigurationFile:
    """The entries of a mapping, nested ones flattened; lists are joined with ``;`` as the operator joins them."""
    result = ConfigurationFile()
    stack: list[tuple[str, tuple[Span, ...], Value, int]] = [("", (), value, 0)]
    while stack and len(result.entries) < _MOST:
        prefix, parents, mapping, depth = stack.pop()
        for key, key_span, child in mapping.pairs():
            name = prefix + key
            if child.is_mapping and depth < _DEEPEST:
                stack.append((f"{name}.", (*parents, key_span), child, depth + 1))
                continue
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
    """The entry of an option that something of another name sets (a typed field, a call)."""
    entry = Entry(key, value, value, key_span, value_span, raw, "implied")
    entry.layer = layer
    return entry


class YamlMapCarrier(Carrier):
    """A kind of YAML file whose documents are mappings inside objects, or files embedded in block scalars."""

    def write(self, text: str, like: bytes) -> bytes:
        """The text in the encoding the file had."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> list[Edit] | None:
        """Another key for a flat entry; a nested one only where its last segment alone changes."""
        if isinstance(document, Embedded):
            return document.edited("rename", entry, key)
        if entry.style == "implied" or not _KEY.fullmatch(key):
            return None
        written = document.text[entry.key_span.start : entry.key_span.end]
        quote = written[:1] if written[:1] in ("'", '"') else ""
        new = key
        if entry.nested:
            parent, _, new = key.rpartition(".")
            if parent != entry.key.rpartition(".")[0]:
                return None
        edits = [Edit(entry.key_span, f"{quote}{new}{quote}")]
        rest = {name: value for name, value in document.settings().items() if name != entry.key}
        return edits if holds(document, edits, {**rest, key: entry.text}) else None

    def replace(self, document: Document, entry: Entry, value: str) -> list[Edit] | None:
        """Another scalar, quoted as the old one was, or where YAML would make anything but a text of it."""
        if isinstance(document, Embedded):
            return document.edited("replace", entry, value)
        if "\n" in value or entry.style not in ("plain", "single", "double"):
            return None
        edits = [Edit(entry.value_span, scalar(value, entry.raw))]
        wanted = {**document.settings(), entry.key: value} if not entry.overridden else document.settings()
        return edits if holds(document, edits, wanted) else None

    def add(self, document: Document, key: str, value: str) -> list[Edit] | None:
        """A line below the entry that shares most words, with its indentation."""
        if isinstance(document, Embedded):
            return document.edited("add", None, key, value)
        flat = [
            entry for entry in document.entries if not entry.nested and entry.style in ("plain", "single", "double")
        ]
        if not flat or key in document.effective or not _KEY.fullmatch(key) or "\n" in value:
            return None
        kin = max(flat, key=lambda entry: (shared_words(entry.key, key), entry.value_span.start))
        lines = document.lines
        number = lines.position(kin.value_span.end).line
        start = lines.span(lines.position(kin.key_span.start).line).start
        if document.text[start : kin.key_span.start].strip():
            return None  # an entry of a flow mapping, or of a list
        end = lines.span(number).end
        margin = document.text[start : kin.key_span.start]
        new = f"{margin}{key}: {scalar(value, kin.raw)}"
        edits = [Edit(Span(end, end), f"{line_end_at(document, number)}{new}")]
        return edits if holds(document, edits, {**document.settings(), key: value}) else None

    def remove(self, document: Document, entry: Entry) -> list[Edit] | None:
        """Delete the lines of the entry; None for the last one of its mapping."""
        if isinstance(document, Embedded):
            return document.edited("remove", entry)
        if entry.style == "implied":
            return None
        lines = document.lines
        first, last = lines.position(entry.key_span.start).line, lines.position(max(entry.value_span.end - 1, 0)).line
        if document.text[lines.span(first).start : entry.key_span.start].strip():
            return None
        edits = [Edit(Span(lines.full_span(first).start, lines.full_span(max(first, last)).end), "")]
        rest = {name: value for name, value in document.settings().items() if name != entry.key}
        return edits if holds(document, edits, rest) else None


def scalar(value: str, like: str) -> str:
    """A value as a YAML scalar that is read as a text, in the quotes that `like` has."""
    if like[:1] == "'":
        return "'" + value.replace("'", "''") + "'"
    if like[:1] == '"' or not _PLAIN.fullmatch(value) or _RETYPED.fullmatch(value):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return value


def read_text(data: bytes) -> str:
    """The text of a file; malformed bytes become lone surrogates."""
    return decode(data, kind="config.yaml")[0]
