"""A manifest of many objects, of which an edit changes one: the others are neither read nor judged again.

The objects of a manifest are read one by one, each from the text between two lines of dashes. So that text may as well
be a file of its own: its documents know nothing of what stands above, and what is found is told where it stands in the
whole. Documents of which others say something (a session job of its cluster) are left to those who look at all files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.judged import Judged
from flink_flint.linter.engine.running import Options, documents_of, judge_document
from flink_flint.linter.flink.entries import ConfigurationFile, Entry
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.lsp.deferred import put_off
from flink_flint.linter.lsp.findings import placed
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.model.masking import Mask, Value
from flink_flint.linter.model.secret_values import values_of
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Carrier
    from flink_flint.linter.model.finding import Finding

MANY_SECTIONS = 20
"""From so many on, a manifest is not read and judged as a whole at every keystroke."""

_SEPARATOR = r"(?m)^---[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)"


class _Section(NamedTuple):
    """What is known of the text between two lines of dashes; all places are those in it."""

    judged: list[Judged]
    secrets: list[Value]
    """Key, place and value of what is to be hidden."""


class _Placed(NamedTuple):
    """What a document of a part holds, by its places in the whole."""

    inner: Judged
    entries: list[Entry]
    findings: list[Finding]


class Found(NamedTuple):
    """What a manifest holds."""

    judged: list[Judged]
    """With places in the whole text."""
    is_exact: bool


def is_in_sections(source: Source, options: Options) -> bool:
    """Whether a file is a manifest whose objects are read one by one, and judged by themselves."""
    is_manifest = source.carrier.kind == "flinkdeployment" and source.path.endswith((".yaml", ".yml"))
    return is_manifest and options.history is None


class Sections:
    """The sections of one manifest, by their text."""

    def __init__(self, path: str, carrier: Carrier, options: Options) -> None:
        self._path = path
        self._carrier = carrier
        self._options = options
        self._known: dict[str, _Section] = {}
        self._placed: dict[tuple[int, int], _Placed] = {}
        """What the documents above an edit hold stands where it stood: by the offset of their part, and number."""

    def judge(self, text: str, relations: Mapping[str | None, Relation]) -> Found | None:
        """What the manifest holds now; None where it has to be read as a whole."""
        if is_template(text):
            return None
        known: dict[str, _Section] = {}
        in_place: dict[tuple[int, int], _Placed] = {}
        found: list[Judged] = []
        secrets: list[Value] = []
        for at, part in _parts(text):
            section = known.get(part) or self._known.get(part) or self._read(part)
            known[part] = section
            number = len(found)
            for one in section.judged:
                where = at, len(found)
                last = self._placed.get(where)
                if last is None or last.inner is not one:
                    last = _place(one, at, number)
                in_place[where] = last
                found.append(_in_whole(last, text, at, number))
            secrets += [(key, _by(span, at), value) for key, span, value in section.secrets]
        self._known, self._placed = known, in_place
        names = [one.document.name for one in found]
        if len(set(names)) < len(names) or not found:
            return None
        found[0].document.mask = Mask(text, secrets)
        related = [relations.get(name, ALONE) != ALONE for name in names]
        for one, is_related in zip(found, related, strict=True):
            if is_related:
                one.findings.clear()
        # Of the whole file, objects that break the grammar come last: which is seen to when it is quiet.
        is_broken = any(one.document.refusals for one in found)
        return Found(found, not is_broken and not any(related))

    def prepare(self, text: str, seconds: float) -> bool:
        """Read and judge sections that are new, for some seconds at most; whether there are none left."""
        end = monotonic() + seconds
        for _, part in _parts(text):
            if part not in self._known:
                if monotonic() > end:
                    return False
                self._known[part] = self._read(part)
        return True

    def _read(self, part: str) -> _Section:
        source = Source(self._path, part.encode("utf-8", "replace"), self._carrier)
        read = documents_of(source, self._options)
        secrets: list[Value] = []
        for document, _ in read:
            put_off(document)
            secrets += values_of(document)
        return _Section([judge_document(*one, self._options, ALONE) for one in read], secrets)


def _parts(text: str) -> list[tuple[int, str]]:
    """The texts between lines of dashes that hold anything, and where they begin."""
    parts = []
    start = 0
    for match in [*re.finditer(_SEPARATOR, text), None]:
        end = match.start() if match is not None else len(text)
        if text[start:end].strip():
            parts.append((start, text[start:end]))
        start = match.end() if match is not None else end
    return parts


def _place(inner: Judged, at: int, number: int) -> _Placed:
    entries = [_moved(entry, at) for entry in inner.document.entries]
    return _Placed(inner, entries, [placed(one, at, number) for one in inner.findings])


def _in_whole(known: _Placed, text: str, at: int, number: int) -> Judged:
    """A judged document of a part of a text, as one of the text."""
    document = known.inner.document
    content = ConfigurationFile()
    content.entries = known.entries
    content.refusals = [one._replace(span=_by(one.span, at)) for one in document.refusals]
    outer = document.with_content(text, content)
    outer.number = document.number + number
    outer.span = None if document.span is None else _by(document.span, at)
    return known.inner._replace(document=outer, findings=list(known.findings))


def _moved(entry: Entry, by: int) -> Entry:
    moved = Entry.__new__(Entry)
    for name in Entry.__slots__:  # a tenth of what `copy` takes
        setattr(moved, name, getattr(entry, name))
    moved.move(by)
    return moved


def _by(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
