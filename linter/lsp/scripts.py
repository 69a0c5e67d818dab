"""Reading a long SQL script again after an edit: only the statements it touches, the rest having moved.

What a statement means depends on those above it. So the script is run through anew each time, but what one statement
says, and what follows from it together with the others that it has to do with, is remembered by `cutting.Memory`. An
element that comes out again is the same object, and finds its places anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from flink_flint.linter.flink.entries import MAX_CHARACTERS, ConfigurationFile, Entry
from flink_flint.linter.flink.secrets import is_secret_field
from flink_flint.linter.formats.sql.cutting import Cutting, Memory, placed, shift_of
from flink_flint.linter.formats.sql.script_run import read_cuts
from flink_flint.linter.lsp.rereading import Reading, Reread
from flink_flint.linter.lsp.traced import of_attribute, of_kind
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.spans import Lines, Span

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer, Replaced
    from flink_flint.linter.model.document import Document


class ScriptReading(Reading):
    """The reading of one script, kept up to date."""

    def __init__(self, document: Document, buffer: Buffer) -> None:
        super().__init__(document, buffer)
        self._cutting = Cutting(buffer.text)
        self._memory = Memory()
        self._elements: list[_Moving] = []
        self._moving: dict[int, _Moving] = {}
        """By the identity of what was read."""
        self._settings: dict[int, _Setting] = {}
        self.document = self._read_script(document, buffer)

    @classmethod
    def suits(cls, document: Document) -> bool:
        return document.name is None and _is_readable(document.text)

    def _read_script(self, before: Document, buffer: Buffer) -> Document:
        text, cutting = buffer.text, self._cutting
        self._memory.begin()
        script = read_cuts(cutting.cuts(), self._line_of(text), self._memory.once, is_sorted=False)
        moving = {id(one): self._moving.get(id(one)) or _Moving(one, cutting) for one in script.elements}
        settings = {id(one): self._settings.get(id(one)) or _Setting(one) for one in script.content.entries}
        # Only what was asked for lives on, and with it its identity.
        self._moving, self._settings = moving, settings
        self._elements = sorted((moving[id(one)] for one in script.elements), key=lambda one: one.span)
        content = ConfigurationFile()
        content.entries = [settings[id(one)].at(cutting.places) for one in script.content.entries]
        content.warnings = script.content.warnings
        content.mark_overridden()
        self._entries = content.entries
        document = before.with_content(text, content, Lines.at(text, buffer.starts))
        document.elements, document.span = self._elements, cutting.head
        return document

    def _line_of(self, text: str) -> Callable[[int], int]:
        places = self._cutting.places
        return lambda start: text.count("\n", 0, start + shift_of(start, places)) + 1

    def secrets(self) -> list[tuple[str, Span, str]]:
        return [*super().secrets(), *(secret for one in self._elements for secret in one.secrets())]

    def reread(self, old: str, buffer: Buffer, replaced: Replaced) -> Reread | None:
        text, before = buffer.text, self.document
        if not _is_readable(text):
            return None
        places, elements, entries = self._cutting.places, self._elements, self._entries
        self._cutting.replace(text, *replaced.span, replaced.length)
        self.document = self._read_script(before, buffer)
        same = {id(one) for one in entries} & {id(one) for one in self._entries}
        changed = {one.key for one in (*entries, *self._entries) if id(one) not in same}
        are_names_new = [one.key for one in entries] != [one.key for one in self._entries]
        is_head_new = replaced.moved(before.head) != self.document.head
        parts = set(_changed(elements, self._elements, places, replaced))
        return Reread(self.document, changed, are_names_new, is_head_new, parts)


def _is_readable(text: str) -> bool:
    """Whether a text is what its carrier reads: one with nothing cut off."""
    return len(text) <= MAX_CHARACTERS and not text.startswith("\ufeff")


class _Setting:
    """A SET as it was read, and the entry that it is where it stands."""

    __slots__ = ("_by", "_read", "entry")

    def __init__(self, read: Entry) -> None:
        self._read = read  # kept, for its identity
        self.entry = copy(read)
        self._by = 0

    def at(self, places: dict[int, int]) -> Entry:
        """The entry, where its piece stands now."""
        by = shift_of(self._read.key_span.start, places)
        self.entry.move(by - self._by)
        self._by = by
        self.entry.overridden = False
        return self.entry


class _Moving(Element):
    """An element with its places as they are when somebody asks for them."""

    __slots__ = ("_cutting", "_secret", "inner")

    def __init__(self, inner: Element, cutting: Cutting) -> None:
        # No places are kept here, so that they are looked for below.
        self.kind, self.name = inner.kind, inner.name
        self.inner = inner
        self._cutting = cutting
        self._secret = [
            (name, attribute.value)
            for name, attribute in inner.attributes.items()
            if isinstance(attribute.value, str) and is_secret_field(name)
        ]

    def secrets(self) -> Iterator[tuple[str, Span, str]]:
        """Name, place and value of the attributes that are to be hidden."""
        return ((name, self.attributes[name].span, value) for name, value in self._secret)

    def __getattr__(self, name: str) -> Any:
        if name == "span":
            return placed(self.inner.span, self._cutting.places)
        if name == "attributes":
            return _Attributes(self.inner.attributes, self._cutting.places)
        raise AttributeError(name)

    def value(self, name: str) -> object:
        return self.inner.value(name)

    def has(self, name: str) -> bool:
        return self.inner.has(name)

    def is_known(self, name: str) -> bool:
        return self.inner.is_known(name)

    def under(self, prefix: str) -> Iterator[tuple[str, Attribute]]:
        places = self._cutting.places
        for name, attribute in self.inner.under(prefix):
            yield name, _placed(attribute, places)

    def items(self, name: str) -> Sequence[Element]:
        return [_Moving(member, self._cutting) for member in self.inner.items(name)]


def _placed(attribute: Attribute, places: dict[int, int]) -> Attribute:
    value, (start, end), key_span, raw = attribute
    shift = shift_of(start, places)
    if key_span is not None:  # in the same statement
        key_span = Span(key_span[0] + shift, key_span[1] + shift)
    return Attribute(value, Span(start + shift, end + shift), key_span, raw)


class _Attributes(Mapping[str, Attribute]):
    """Attributes with the places where they stand."""

    __slots__ = ("_inner", "_places")

    def __init__(self, inner: Mapping[str, Attribute], places: dict[int, int]) -> None:
        self._inner = inner
        self._places = places

    def __getitem__(self, name: str) -> Attribute:
        return _placed(self._inner[name], self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._inner

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


def _changed(
    old: Sequence[_Moving], new: Sequence[_Moving], places: dict[int, int], replaced: Replaced
) -> Iterator[tuple[str, str]]:
    """What is new of the elements of a script, of which the old ones stood at these places (see `Trace.parts`)."""
    if [one.kind for one in old] == [one.kind for one in new]:
        pairs = [(former, latter) for former, latter in zip(old, new, strict=True) if former is not latter]
        if len({id(one) for one in old}.union(map(id, new))) == len(old) + len(pairs):
            # One for one, and all others where they were: what is new is in these.
            for former, latter in pairs:
                yield from _differences(former.inner, latter, places, replaced)
            return
    before, after = {id(one) for one in old}, {id(one) for one in new}
    if [one for one in old if id(one) in after] != [one for one in new if id(one) in before]:
        kinds = {one.kind for one in (*old, *new)}  # in another order
    else:
        kinds = {one.kind for one in old if id(one) not in after} | {one.kind for one in new if id(one) not in before}
    for kind in kinds:
        yield of_kind(kind)


def _differences(old: Element, new: Element, places: dict[int, int], replaced: Replaced) -> Iterator[tuple[str, str]]:
    kind, former, latter = new.kind, old.attributes, new.attributes
    kept = [name for name in former if name in latter]
    if (
        old.name != new.name
        or replaced.moved(placed(old.span, places)) != new.span
        or kept != [name for name in latter if name in former]
    ):
        yield of_kind(kind)
        return
    for name in dict.fromkeys((*former, *latter)):
        if name not in kept or not _is_same(former[name], latter[name], places, replaced):
            yield from of_attribute(kind, name)


def _is_same(old: Attribute, new: Attribute, places: dict[int, int], replaced: Replaced) -> bool:
    """Whether an attribute is what it was, where that is now."""
    key = None if old.key_span is None else replaced.moved(placed(old.key_span, places))
    return (
        (old.value, type(old.value), old.raw) == (new.value, type(new.value), new.raw)
        and replaced.moved(placed(old.span, places)) == new.span
        and (old.key_span is None) == (new.key_span is None)
        and key == new.key_span
    )
