"""Reading a long file of settings again after an edit: only the lines around it, the rest having moved.

That works where a file falls into pieces that are read one by one: each line of `flink-conf.yaml` or of properties
(with those it goes on in), and what stands from one key at the margin to the next in a `config.yaml` of the plain
shapes. What is joined of pieces is then exactly what reading the whole gives. A piece of YAML that is anything else (a
key being typed, a block text) leaves the reading in doubt: it is close to what the file holds, and whoever shows it
has the file read as a whole when there is time.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from flink_flint.linter.flink.config_yaml import read_plainly
from flink_flint.linter.flink.entries import CODE_POINT_LIMIT, ConfigurationFile, Entry, Refusal, Skipped
from flink_flint.linter.flink.files import read_config_yaml, read_flink_conf
from flink_flint.linter.flink.secrets import may_be_secret
from flink_flint.linter.formats.job_config.flink_sections import MOST_LEAVES, are_flinks, settings_of
from flink_flint.linter.formats.job_config.java_properties import has_clients, leaves_of
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.model.secret_values import dropped_values
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer, Replaced
    from flink_flint.linter.model.document import Document

_MARGIN = regex(r"[A-Za-z_]")
_NAMES = r"(?m)^([A-Za-z_][A-Za-z0-9_./\-]*) *:"


class Reread(NamedTuple):
    """What is new since the last reading."""

    document: Document
    changed: set[str]
    """The keys of all entries that were read anew, or are gone."""
    are_names_new: bool
    """Whether other keys are set, or in another order."""
    is_head_new: bool
    """Whether the document begins with another entry."""
    parts: Collection[tuple[str, str]] = ()
    """What is new of its elements (see `Trace.parts`)."""


class _Doubt(NamedTuple):
    """Pieces that are not of the plain shapes, and why Flink would refuse them."""

    span: Span
    refusals: list[Refusal]


class Reading:
    """The reading of one file, kept up to date; the entries are moved in place."""

    def __init__(self, document: Document, buffer: Buffer) -> None:
        self.document = document
        self._entries = list(document.entries)
        self._skipped = list(document.skipped)

    @staticmethod
    def of(document: Document, buffer: Buffer) -> Reading | None:
        """The reading of a file that falls into pieces; None for any other."""
        text = buffer.text
        kind = _KINDS.get((document.carrier.kind, document.syntax))
        if document.carrier.kind == "sql":
            from flink_flint.linter.lsp.scripts import ScriptReading

            kind = ScriptReading
        elif document.elements or _is_whole(text):
            return None
        if kind is None or document.text != text:
            return None
        return kind(document, buffer) if kind.suits(document) else None

    @classmethod
    def suits(cls, document: Document) -> bool:
        """Whether a file of the kind is read in pieces."""
        return document.whole

    @property
    def is_exact(self) -> bool:
        """Whether the document is what reading the whole file gives; else it is close to that."""
        return True

    def secrets(self) -> list[tuple[str, Span, str]]:
        """Key, place and value of what is to be hidden."""
        values = [(one.key, one.value_span, one.text) for one in self._entries if may_be_secret(one.key)]
        return [*values, *dropped_values(self._skipped)]

    def reread(self, old: str, buffer: Buffer, replaced: Replaced) -> Reread | None:
        """The document after one edit of the text it was read from; None where the whole has to be read."""
        text, before, shift = buffer.text, self.document, replaced.shift
        if _is_whole(text):
            return None
        head = self._entries[0] if self._entries else None
        was, now = self._region(buffer, replaced)
        first = bisect_left(self._entries, was.start, key=_place)
        last = bisect_left(self._entries, was.end, key=_place)
        gone = self._entries[first:last]
        for entry in self._entries[last:]:
            entry.move(shift)
        new = self._read(old, was, text, now)
        if new is None:
            return None
        self._entries[first:last] = new.entries
        above = [one for one in self._skipped if one.span.start < was.start]
        below = [_skipped(one, shift) for one in self._skipped if one.span.start >= was.end]
        self._skipped = [*above, *new.skipped, *below]
        changed = {entry.key for entry in (*gone, *new.entries)}
        content = self._content()
        self.document = before.with_content(text, content, Lines.at(text, buffer.starts))
        counting = self.document.effective
        if len(counting) < len(content.entries) or len(before.effective) < len(before.entries):
            for entry in content.entries:
                entry.overridden = counting[entry.key] is not entry
        are_names_new = [entry.key for entry in gone] != [entry.key for entry in new.entries]
        is_head_new = head is not (self._entries[0] if self._entries else None)
        return Reread(self.document, changed, are_names_new, is_head_new)

    def _content(self) -> ConfigurationFile:
        content = ConfigurationFile()
        content.entries, content.skipped = self._entries.copy(), self._skipped
        return content

    def _region(self, buffer: Buffer, replaced: Replaced) -> tuple[Span, Span]:
        """The pieces that an edit touches, by their offsets before and after it."""
        start, end = replaced.span.start, replaced.span.start + replaced.length
        starts = buffer.starts
        # An edit at the start of a line may have joined it to the one above, or begun it.
        first, last = buffer.line_of(max(start - 1, 0)), buffer.line_of(end) + 1
        while first > 0 and not self._begins(buffer, first):
            first -= 1
        while last < len(starts) and not self._begins(buffer, last):
            last += 1
        top, bottom = starts[first], starts[last] if last < len(starts) else len(buffer.text)
        return Span(top, bottom - replaced.shift), Span(top, bottom)

    def _begins(self, buffer: Buffer, line: int) -> bool:
        """Whether a piece begins with a line, whatever stands above."""
        raise NotImplementedError

    def _read(self, old: str, was: Span, text: str, now: Span) -> ConfigurationFile | None:
        """What pieces of the text hold, which were others before; None where the whole has to be read."""
        raise NotImplementedError


class _FlinkConf(Reading):
    def _begins(self, buffer: Buffer, line: int) -> bool:
        return True

    def _read(self, old: str, was: Span, text: str, now: Span) -> ConfigurationFile:
        return _placed(read_flink_conf(text[now.start : now.end]), now.start)


class _Properties(Reading):
    """The properties of a job; whose the keys are, the whole file tells."""

    def __init__(self, document: Document, buffer: Buffer) -> None:
        super().__init__(document, buffer)
        self._leaves = len(leaves_of(buffer.text))

    @classmethod
    def suits(cls, document: Document) -> bool:
        return document.name is None and document.path.endswith(".properties")

    def _begins(self, buffer: Buffer, line: int) -> bool:
        above = buffer.line(line - 1)
        end = above.end
        while end > above.start and buffer.text[end - 1] == "\\":
            end -= 1
        return (above.end - end) % 2 == 0

    def _read(self, old: str, was: Span, text: str, now: Span) -> ConfigurationFile | None:
        piece, content = text[now.start : now.end], ConfigurationFile()
        leaves = leaves_of(piece)
        self._leaves += len(leaves) - len(leaves_of(old[was.start : was.end]))
        if self._leaves > MOST_LEAVES or has_clients(piece):
            return None
        for leaf in leaves:
            for prefix, entry in settings_of(leaf):
                if prefix:
                    return None
                content.entries.append(entry)
        return _placed(content, now.start)

    def reread(self, old: str, buffer: Buffer, replaced: Replaced) -> Reread | None:
        found = super().reread(old, buffer, replaced)
        return found if found is not None and are_flinks(self.document.effective) else None


class _ConfigYaml(Reading):
    def __init__(self, document: Document, buffer: Buffer) -> None:
        super().__init__(document, buffer)
        self._doubts: list[_Doubt] = []
        self._names = Counter(_names(buffer.text))
        if _plain(buffer.text) is None:
            text = buffer.text
            self._entries = [entry for piece in _pieces(buffer) for entry in self._read_piece(text, piece).entries]
            self.document = document.with_content(text, self._content())

    @property
    def is_exact(self) -> bool:
        """Whether all pieces are of the plain shapes, and no key begins two of them."""
        return not self._doubts and len(self._names) == self._names.total()

    def _content(self) -> ConfigurationFile:
        content = super()._content()
        content.refusals = [refusal for doubt in self._doubts for refusal in doubt.refusals]
        return content

    def _region(self, buffer: Buffer, replaced: Replaced) -> tuple[Span, Span]:
        was, _ = super()._region(buffer, replaced)
        for doubt in self._doubts:  # of pieces that were read together none is read alone
            if _meet(doubt.span, was):
                was = Span(min(was.start, doubt.span.start), max(was.end, doubt.span.end))
        return was, Span(was.start, was.end + replaced.shift)

    def _begins(self, buffer: Buffer, line: int) -> bool:
        return _MARGIN.match(buffer.text, buffer.starts[line]) is not None

    def _read(self, old: str, was: Span, text: str, now: Span) -> ConfigurationFile:
        shift = now.end - was.end
        self._doubts = [_later(one, was.end, shift) for one in self._doubts if not _meet(one.span, was)]
        self._names.subtract(_names(old[was.start : was.end]))
        self._names.update(_names(text[now.start : now.end]))
        self._names = +self._names
        return self._read_piece(text, now)

    def _read_piece(self, text: str, span: Span) -> ConfigurationFile:
        """What stands between two places, which is in doubt where it is not of the plain shapes."""
        piece = text[span.start : span.end]
        content = _plain(piece)
        if content is not None:
            return _placed(content, span.start)
        content = _placed(read_config_yaml(piece), span.start)
        self._doubts.append(_Doubt(span, content.refusals))
        self._doubts.sort(key=lambda doubt: doubt.span)
        return content


_KINDS: Mapping[tuple[str, str], type[Reading]] = {
    ("flink-conf", "flink-conf"): _FlinkConf,
    ("config.yaml", "config-yaml"): _ConfigYaml,
    ("properties", "map"): _Properties,
}
"""The kinds of files that fall into pieces, with how Flink reads them."""


def _is_whole(text: str) -> bool:
    """Whether a text is read as a whole: a template, or one that is too long for its readers."""
    return is_template(text) or len(text) >= CODE_POINT_LIMIT


def _plain(text: str) -> ConfigurationFile | None:
    """What a text of the plain shapes holds whose highest keys are at the margin; None for any other."""
    content = read_plainly(text)
    if content is not None and content.entries:
        start = content.entries[0].path_spans[0].start
        if start and text[start - 1] != "\n":
            return None
    return content


def _pieces(buffer: Buffer) -> Iterator[Span]:
    """The pieces of a config.yaml: from one key at the margin to the next, and what stands above them all."""
    start = 0
    for at in buffer.starts[1:]:
        if _MARGIN.match(buffer.text, at):
            yield Span(start, at)
            start = at
    yield Span(start, len(buffer.text))


def _names(text: str) -> list[str]:
    """The keys at the margin of a text."""

    return re.findall(_NAMES, text)


def _place(entry: Entry) -> int:
    return entry.path_spans[0].start


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _later(doubt: _Doubt, below: int, by: int) -> _Doubt:
    if doubt.span.start < below:
        return doubt
    return _Doubt(_shifted(doubt.span, by), [one._replace(span=_shifted(one.span, by)) for one in doubt.refusals])


def _skipped(one: Skipped, by: int) -> Skipped:
    return one._replace(
        span=_shifted(one.span, by), key_span=_shifted(one.key_span, by), value_span=_shifted(one.value_span, by)
    )


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _placed(content: ConfigurationFile, by: int) -> ConfigurationFile:
    """What a part of a text holds, with its places in the text."""
    for entry in content.entries:
        entry.move(by)
    content.skipped = [_skipped(one, by) for one in content.skipped]
    content.refusals = [one._replace(span=_shifted(one.span, by)) for one in content.refusals]
    return content
