"""Converts documents to plain data for the project cache, and back.

A remembered document has what relates documents and what rules compare: its names, settings and elements, which are
decoded when they are first used. Its text is not remembered: the file is read again for it. Only what comes back from
plain data exactly as it was is remembered; files with broken, dropped or left-out parts never are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.linter.engine.selection import project_triggers
from flink_flint.linter.flink.parsed_file import Entry, OperatorRange
from flink_flint.linter.formats.purpose import purpose_of
from flink_flint.linter.model.document import Document, FileFormat
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.evidence import NOTHING
from flink_flint.linter.model.layering.table_programs import OF_TABLES
from flink_flint.linter.model.limits import Budget
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.engine.discovery import AnySource

_PLAIN = (str, int, float, bool, type(None))
_NO_CHANGE = 1
"""The flag of an entry whose value is its text."""
_AS_WRITTEN = 2
"""The flag of an entry that is written as its text."""
_USUAL = [None, "", "", False, 0, False, None, (), False, None]
"""What an entry has after its flags, mostly: value, text as written, layer, and so on."""

_FIELDS = (
    "name", "kind", "syntax", "whole", "release", "release_span", "platform", "profile", "includes", "span",
    "prevails", "mentions_python",
)  # fmt: skip

_WORDS = ("\0", "{{", *OF_TABLES)
"""The strings of which is remembered whether a file has them, because documents of a whole project are asked."""
_COMPARED = (*_FIELDS, "number", "directory", "head_text")
_MAX_HEAD = 100
"""How long a text at the head of a document is remembered; only keys are asked for."""


def encode_documents(documents: Sequence[Document], source: AnySource) -> list[Any] | None:
    """Return the documents of a file as plain data; None if decoding would not restore them exactly."""
    try:
        text = _text_of(source)
        data = [_encode(document, text) for document in documents]
        if any(_is_unusual(document) for document in documents):
            return None
        again = decode_documents(json.loads(json.dumps(data)), source.path, lambda: documents, lambda: source)
        if not all(map(_are_same, documents, again)):
            return None
    except (TypeError, ValueError, RecursionError):
        return None
    return data


def decode_documents(
    data: Sequence[Any], path: str, read: Callable[[], Sequence[Document]], source: Callable[[], AnySource]
) -> list[Document]:
    """Restore documents from plain data; `read` reads the file itself when parts are needed that the data lacks."""
    budget, purpose = Budget({}), purpose_of(path)
    of_file = _OfFile(read, source)
    documents: list[Document] = [
        RememberedDocument(path, number, one, budget, purpose, of_file) for number, one in enumerate(data)
    ]
    for document, one in zip(documents, data, strict=True):
        if one[len(_FIELDS)] is not None:
            document.overrides = documents[one[len(_FIELDS)]]
    return documents


class _OfFile:
    """The file of remembered documents, which is read at most once."""

    def __init__(self, read: Callable[[], Sequence[Document]], source: Callable[[], AnySource]) -> None:
        self._read = read
        self.source = source
        self._documents: Sequence[Document] | None = None

    def document(self, number: int) -> Document | None:
        """Return the document with a number as it is read from the file; None if the file has changed meanwhile."""
        if self._documents is None:
            self._documents = self._read()
        return self._documents[number] if number < len(self._documents) else None


class RememberedDocument(Document):
    """A document restored from plain data, which reads its file when parts are needed that the data lacks."""

    def __init__(
        self, path: str, number: int, data: Sequence[Any], budget: Budget, purpose: Sequence[str], of_file: _OfFile
    ) -> None:
        (self.name, self.kind, self.syntax, self.whole, release, release_span, self.platform, self.profile,
         self.includes, span, self.prevails, self._mentions_python, _, self._head_text, words, self._kinds,
         self._entries_text, self._elements_text, test, self.project_triggers, self._is_text) = data  # fmt: skip
        self._kinds = frozenset(self._kinds)
        self.path, self.number, self.budget, self._of_file = path, number, budget, of_file
        self.directory = os.path.dirname(path)
        self.release = None if release is None else (release[0], release[1])
        self.release_span = None if release_span is None else Span._make(release_span)
        self.span = None if span is None else Span._make(span)
        self.overrides = None
        self.is_variant = self.is_left_out = self.is_in_part = self.may_be_overridden = False
        purpose = purpose if test is None else test
        self.purpose, self.purpose_evidence, self.purpose_is_set = purpose[0], purpose[1], True
        self.evidence = NOTHING
        self.ignored = self.skipped = self.refusals = self.warnings = ()
        self._operator = self._entries = None
        self._lines = self._effective = self._by_key = self._slips = self._options_set = self._uses = self.mask = None
        self._mentioned, self._near = {word: word in words for word in _WORDS}, {}

    def __getattr__(self, name: str) -> Any:
        """Return an attribute; decode it, or read it from the file, on first use."""
        if name == "all_entries":
            self.all_entries = [_decode_entry(one) for one in json.loads(self._entries_text)]
            return self.all_entries
        if name == "elements":
            self.elements = [_decode_element(one) for one in json.loads(self._elements_text)]
            return self.elements
        if name == "text" and self._is_text:
            self.text = _text_of(self._of_file.source())
            return self.text
        if name.startswith("__") or "_of_file" not in self.__dict__:
            raise AttributeError(name)
        if name == "file_format":
            self.file_format: FileFormat = self._of_file.source().file_format
            return self.file_format
        self._complete()
        return object.__getattribute__(self, name)

    @property
    def head_text(self) -> str:
        """What is written at its head."""
        return super().head_text if self._head_text is None else self._head_text

    @property
    def mentions_python(self) -> bool:
        """Whether it has values of a chart that may run programs in Python."""
        return bool(self._mentions_python)

    def elements_of(self, kinds: Collection[str]) -> Sequence[Element]:
        """Return the elements of the given `kinds`; they are only decoded if there are any."""
        return () if self._kinds.isdisjoint(kinds) else super().elements_of(kinds)

    def mentions(self, text: str) -> bool:
        """Return whether the document's file contains a string anywhere; the file is searched without being parsed."""
        found = self._mentioned.get(text)
        if found is None:
            found = self._mentioned[text] = text.encode() in self._of_file.source().data
        return found

    def _complete(self) -> None:
        """Take what is not known yet from the file, and its class, which may make edits of its own."""
        read = self._of_file.document(self.number)
        if read is None:
            read = Document(self.path, "", self._of_file.source().file_format, _Nothing(), syntax=self.syntax)  # type: ignore[arg-type]
        known = self.__dict__
        for name, value in vars(read).items():
            known.setdefault(name, value)
        self.__class__ = type(read)  # type: ignore[assignment]


class _Nothing:
    """The content of a file that is not there any more."""

    entries = skipped = refusals = warnings = ()


# -- as plain data


def _is_unusual(document: Document) -> bool:
    """Return whether a document has parts that are not remembered."""
    return bool(
        document.refusals
        or document.skipped
        or document.warnings
        or document.ignored
        or document.is_in_part
        or document.is_variant
        or document.budget.reasons
    )


def _text_of(source: AnySource) -> str:
    """Return the text of most files; some formats decode others differently."""
    return source.data.decode("utf-8", "surrogateescape")


def _encode(document: Document, text: str) -> list[Any]:
    purpose = (document.purpose, document.purpose_evidence)
    test = None if purpose == tuple(purpose_of(document.path)) else list(purpose)
    return [
        *(_listed(getattr(document, name)) for name in _FIELDS),
        None if document.overrides is None else document.overrides.number,
        head if len(head := document.head_text) <= _MAX_HEAD else None,
        [word for word in _WORDS if document.mentions(word)],
        sorted({element.kind for element in document.elements}),
        json.dumps([_encode_entry(entry) for entry in document.all_entries], separators=(",", ":"), allow_nan=False),
        json.dumps([_encode_element(one) for one in document.elements], separators=(",", ":"), allow_nan=False),
        test,
        project_triggers(document),
        document.text == text,
    ]


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _encode_entry(entry: Entry) -> list[Any]:
    flags = (_NO_CHANGE if entry.value is entry.text or _are_equal(entry.value, entry.text) else 0) | (
        _AS_WRITTEN if entry.raw == entry.text else 0
    )
    rest = [
        None if flags & _NO_CHANGE else entry.value, "" if flags & _AS_WRITTEN else entry.raw, entry.layer,
        entry.nested, entry.indent, entry.overridden, entry.comment, entry._parents, entry.may_be_replaced,
        entry.operators,
    ]  # fmt: skip
    while rest and _are_equal(rest[-1], _USUAL[len(rest) - 1]):
        rest.pop()
    return [entry.key, entry.text, *entry.key_span, *entry.value_span, entry.style, flags, *rest]


def _decode_entry(data: list[Any]) -> Entry:
    key, text, key_start, key_end, value_start, value_end, style, flags, *rest = data
    rest += _USUAL[len(rest) :]
    value, raw, layer, nested, indent, overridden, comment, parents, may_be_replaced, operators = rest
    entry = Entry(
        key, text if flags & _NO_CHANGE else value, text, (key_start, key_end), (value_start, value_end),
        text if flags & _AS_WRITTEN else raw, style, parents=tuple(map(Span._make, parents)), nested=nested,
        indent=indent, comment=None if comment is None else Span._make(comment),
    )  # fmt: skip
    entry.overridden, entry.layer, entry.may_be_replaced = overridden, layer, may_be_replaced
    if operators is not None:
        since, until = (None if release is None else (release[0], release[1]) for release in operators)
        entry.operators = OperatorRange(since, until)
    return entry


def _encode_element(element: Element) -> list[Any]:
    attributes = {name: _encode_attribute(one) for name, one in element.attributes.items()}
    return [element.kind, element.name, *element.span, attributes]


def _encode_attribute(one: Attribute) -> list[Any]:
    key = () if one.key_span is None and one.raw == "" else (None, None) if one.key_span is None else one.key_span
    return [one.value, *one.span, *key, *([one.raw] if one.raw else ())]


def _decode_element(data: list[Any]) -> Element:
    kind, name, start, end, attributes = data
    return Element(kind, name, Span(start, end), _Attributes(attributes))


class _Attributes(Mapping[str, Attribute]):
    """The attributes of a remembered element, which are decoded when somebody asks for them."""

    __slots__ = ("_data", "_decoded")

    def __init__(self, data: dict[str, list[Any]]) -> None:
        self._data = data
        self._decoded: dict[str, Attribute] = {}

    def __getitem__(self, name: str) -> Attribute:
        found = self._decoded.get(name)
        if found is None:
            found = self._decoded[name] = _decode_attribute(self._data[name])
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Return an attribute, or the default if there is none."""
        return self[name] if name in self._data else default

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


def _decode_attribute(data: list[Any]) -> Attribute:
    value, start, end, *rest = data
    key = Span(rest[0], rest[1]) if rest and rest[0] is not None else None
    return Attribute(value, Span(start, end), key, rest[2] if len(rest) == 3 else "")


# -- exactly as it was


def _are_same(one: Document, other: Document) -> bool:
    """Return whether two documents have the same names, settings and elements."""
    return (
        all(_are_equal(getattr(one, name), getattr(other, name)) for name in _COMPARED)
        and _are_equal((one.purpose, one.purpose_evidence), (other.purpose, other.purpose_evidence))
        and (one.overrides is None) == (other.overrides is None)
        and (one.overrides is None or other.overrides is None or one.overrides.number == other.overrides.number)
        and _are_equal(list(map(_parts_of_entry, one.all_entries)), list(map(_parts_of_entry, other.all_entries)))
        and _are_equal(list(map(_parts_of_element, one.elements)), list(map(_parts_of_element, other.elements)))
    )


def _parts_of_entry(entry: Entry) -> Iterable[object]:
    return tuple(getattr(entry, name) for name in Entry.__slots__)


def _parts_of_element(element: Element) -> Iterable[object]:
    return (element.kind, element.name, element.span, list(element.attributes.items()))


def _are_equal(one: object, other: object) -> bool:
    """Return whether two values are equal and of the same types, unlike ``1 == True``."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return _are_equal(list(one.items()), list(other.items()))
    return isinstance(one, _PLAIN) and one == other
