"""A document that takes down what a rule learns of it, so that the rule need not be asked again for what stays true.

All that a rule hears of a document it hears from the document and its entries. So what it looked at here, and nothing
else of the text, decides what it says: keys by name (set or not), where the document begins, or all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from linter.document import Document
from linter.editor.deferred import Deferred

if TYPE_CHECKING:
    from linter.flink.entries import Entry
    from linter.text import Edit, Span

Value = TypeVar("Value")

_SAME_FOR_ALL_TEXTS = (
    "path", "carrier", "syntax", "kind", "name", "number", "elements", "span", "whole", "release", "release_span",
    "platform", "profile", "ignored", "directory", "file_name",
)  # fmt: skip
"""What `Reading` never changes about a document."""


class Trace:
    """What was looked at."""

    __slots__ = ("everything", "head", "keys", "names")

    def __init__(self) -> None:
        self.keys: set[str] = set()
        """The entries of these keys, or that there are none."""
        self.head = False
        """Where the document begins."""
        self.names = False
        """Which keys are set, and in what order."""
        self.everything = False


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

    def edits(self, how: str, *arguments: Entry | str) -> list[Edit] | None:
        """The edits, worked out later; a rule that looks into them looks at all of the document."""
        found = self._inner.edits(how, *arguments)
        if isinstance(found, Deferred):
            found.trace = self._trace
        else:
            self._trace.everything = True
        return found
