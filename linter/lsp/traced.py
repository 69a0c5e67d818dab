"""A document that takes down what a rule learns of it, so that the rule need not be asked again for what stays true.

All that a rule hears of a document it hears from the document and its entries. So what it looked at here, and nothing
else of the text, decides what it says: keys by name (set or not), where the document begins, elements of a kind and
their attributes, or all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from flink_flint.linter.model.deferred import Deferred
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element

if TYPE_CHECKING:
    from flink_flint.linter.flink.entries import Entry
    from flink_flint.linter.model.elements import Attribute
    from flink_flint.linter.text.spans import Edit, Span

Value = TypeVar("Value")

_SAME_FOR_ALL_TEXTS = (
    "path", "carrier", "syntax", "kind", "name", "number", "whole", "release", "release_span",
    "platform", "profile", "ignored", "directory", "file_name",
)  # fmt: skip
"""What `Reading` never changes about a document."""


class Trace:
    """What was looked at."""

    __slots__ = ("everything", "head", "keys", "mentions", "names", "parts")

    def __init__(self) -> None:
        self.keys: set[str] = set()
        """The entries of these keys, or that there are none."""
        self.head = False
        """Where the document begins."""
        self.names = False
        """Which keys are set, and in what order."""
        self.everything = False
        self.mentions: dict[str, bool] = {}
        """Characters, and whether the file has them anywhere."""
        self.parts: set[tuple[str, str]] = set()
        """Kinds of elements, with what of them: their attributes by name, `name.*` and `name[*` for those below one,
        `*` for all; the empty string for which elements there are, what they are called and where they stand."""


def of_kind(kind: str) -> tuple[str, str]:
    """What everyone looks at who looks at elements of a kind."""
    return kind, ""


def of_attribute(kind: str, name: str) -> Iterator[tuple[str, str]]:
    """What those look at who see an attribute of elements of a kind."""
    yield from ((kind, name), (kind, "*"))
    while (place := max(name.rfind("."), name.rfind("["))) >= 0:
        yield kind, f"{name[: place + 1]}*"
        name = name[:place]


class _Traced(Mapping[str, Value]):
    """A mapping by key that takes down what it is asked."""

    __slots__ = ("_inner", "_trace")

    def __init__(self, inner: Mapping[str, Value], trace: Trace) -> None:
        self._inner = inner
        self._trace = trace

    def __getitem__(self, key: str) -> Value:
        self._trace.keys.add(key)
        return self._inner[key]

    def get(self, key: str, default: Any = None) -> Any:
        self._trace.keys.add(key)
        return self._inner.get(key, default)

    def __contains__(self, key: object) -> bool:
        self._trace.keys.add(str(key))
        return key in self._inner

    def __iter__(self) -> Iterator[str]:
        self._trace.names = True
        return iter(self._inner)

    def __len__(self) -> int:
        self._trace.names = True
        return len(self._inner)

    def items(self) -> Any:
        self._trace.everything = True
        return self._inner.items()

    def values(self) -> Any:
        self._trace.everything = True
        return self._inner.values()


class _TracedAttributes(Mapping[str, "Attribute"]):
    """The attributes of elements of a kind, taking down which are looked at."""

    __slots__ = ("_inner", "_kind", "_parts")

    def __init__(self, inner: Mapping[str, Attribute], kind: str, parts: set[tuple[str, str]]) -> None:
        self._inner = inner
        self._kind = kind
        self._parts = parts

    def __getitem__(self, name: str) -> Attribute:
        self._parts.add((self._kind, name))
        return self._inner[name]

    def __contains__(self, name: object) -> bool:
        self._parts.add((self._kind, str(name)))
        return name in self._inner

    def __iter__(self) -> Iterator[str]:
        self._parts.add((self._kind, "*"))
        return iter(self._inner)

    def __len__(self) -> int:
        self._parts.add((self._kind, "*"))
        return len(self._inner)


class _TracedElement(Element):
    """An element that takes down which of its attributes are looked at."""

    __slots__ = ("_inner", "_parts")

    def __init__(self, inner: Element, trace: Trace) -> None:
        # No places are kept here, so that they are looked for below.
        self.kind, self.name = inner.kind, inner.name
        self._inner = inner
        self._parts = trace.parts

    def __getattr__(self, name: str) -> Any:
        if name == "span":
            return self._inner.span
        if name == "attributes":
            return _TracedAttributes(self._inner.attributes, self.kind, self._parts)
        raise AttributeError(name)

    def value(self, name: str) -> object:
        self._parts.add((self.kind, name))
        return self._inner.value(name)

    def has(self, name: str) -> bool:
        self._parts.update(((self.kind, name), (self.kind, f"{name}.*"), (self.kind, f"{name}[*")))
        return self._inner.has(name)

    def is_known(self, name: str) -> bool:
        self._parts.update(_with_holders(self.kind, name))
        return self._inner.is_known(name)

    def under(self, prefix: str) -> Iterator[tuple[str, Attribute]]:
        self._parts.add((self.kind, f"{prefix}.*"))
        return self._inner.under(prefix)

    def items(self, name: str) -> Sequence[Element]:
        self._parts.add((self.kind, f"{name}[*"))
        return self._inner.items(name)


def _with_holders(kind: str, name: str) -> Iterator[tuple[str, str]]:
    """An attribute, and those that it would stand in."""
    while name:
        yield kind, name
        name = name[: max(name.rfind("."), name.rfind("["), 0)]


def same_for_all_texts(document: Document) -> dict[str, Any]:
    """What a rule may know of a document whatever its text is."""
    own = vars(document)
    return {name: own[name] for name in _SAME_FOR_ALL_TEXTS if name in own}


class TracedDocument(Document):
    """A document that is asked by one rule; what is `same_for_all_texts` is given, as it is the same for all rules."""

    _inner: Document
    _held: Mapping[str, object]
    _trace: Trace

    def __init__(self, inner: Document, same: Mapping[str, Any], values: Mapping[str, object], trace: Trace) -> None:
        mine = self.__dict__
        mine.update(same)
        mine["_inner"], mine["_held"], mine["_trace"] = inner, values, trace

    def __getattr__(self, name: str) -> Any:
        # Everything else is not here, so that nobody can look at it unseen.
        self._trace.everything = True
        return getattr(self._inner, name)

    @property
    def effective(self) -> Mapping[str, Entry]:
        """Key -> the entry that wins."""
        return _Traced(self._inner.effective, self._trace)

    def mentions(self, words: str) -> bool:
        """Whether its file has these characters anywhere."""
        found = self._trace.mentions[words] = self._inner.mentions(words)
        return found

    def elements_of(self, kinds: Collection[str]) -> Sequence[Element]:
        """The elements of these kinds."""
        self._trace.parts.update(map(of_kind, kinds))
        return [_TracedElement(one, self._trace) for one in self._inner.elements_of(kinds)]

    def values(self) -> Mapping[str, object]:
        """Key -> the value that wins."""
        return _Traced(self._held, self._trace)

    @property
    def head(self) -> Span:
        """Where to point when the whole document is meant."""
        self._trace.head = True
        return self._inner.head

    def entries_of(self, key: str) -> Sequence[Entry]:
        """The entries of a key."""
        self._trace.keys.add(key)
        return self._inner.entries_of(key)

    def nearest_keys(self, key: str) -> Sequence[str]:
        """What follows from the key alone."""
        return self._inner.nearest_keys(key)

    def edits(self, how: str, *arguments: Entry | str) -> Sequence[Edit] | None:
        """The edits, worked out later; a rule that looks into them looks at all of the document."""
        if how == "rename" and isinstance(arguments[1], str):
            self._trace.keys.add(arguments[1])
        found = self._inner.edits(how, *arguments)
        if isinstance(found, Deferred):
            found.trace = self._trace
        else:
            self._trace.everything = True
        return found
