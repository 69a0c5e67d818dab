"""Values that were known in the base and are unknown in the head, because a template or variable now provides them.

A finding on such a value is gone without being fixed. The rules determine which findings those are: they are evaluated
on the document with the values of the base restored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.unknown_values import MAY_BE_ADDED, is_known, names_of, value_unknown
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.safe_text import key_without_secrets
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_WORD = regex(r"(?:^|\.)(?:args|arguments|command)\[\d+\]$")
"""The attribute of a word in a command line, which may be any option."""


class Lost(NamedTuple):
    """The values of a document that are known in the base but no longer in the head."""

    restored: Document
    """The document with the lost values restored; for evaluating rules, not for editing."""
    options: frozenset[str]
    """The newest keys of options and the names of element attributes whose values are no longer known."""
    reason: str

    def is_about(self, key: str) -> bool:
        """Return whether the value of the option or attribute `key` is no longer known."""
        return not names_of(key).isdisjoint(self.options)


def lost_values(head: Judged, base: Judged, *, opens: bool) -> Lost | None:
    """Return the values of a document that are known in `base` but not in `head`; None if there are none.

    `opens` means that templates add more lines.
    """
    change = _Change(head.document, base.document, opens=opens)
    document = change.restored()
    says = []
    if change.unknown:
        says.append(value_unknown(*map(key_without_secrets, sorted(change.unknown))))
    if change.is_open:
        says.append(MAY_BE_ADDED)
    if base.target.certain and not head.target.certain:
        document.release = (str(base.target.version), base.target.evidence)
        says.append("the release of Flink is no longer known")
    if head.target.platform is None and base.target.platform is not None:
        document.platform = base.target.platform
        says.append("the platform is no longer known")
    if not says:
        return None
    options = frozenset().union(*map(names_of, change.unknown))
    return Lost(document, options, "; ".join(says))


class _Change:
    """What became unknown between two revisions of a document."""

    def __init__(self, head: Document, base: Document, *, opens: bool) -> None:
        self._head, self._base = head, base
        self.unknown: set[str] = set()
        """The keys and attributes whose values are now unknown."""
        self.is_open = opens or (base.whole and not head.whole)
        self._back: list[Span] = []
        """The spans in the base of values that are unknown in the head."""

    def restored(self) -> Document:
        """Return the document of the head with unknown values restored from the base."""
        elements = list(self._elements())
        entries = list(self._entries())
        if self.is_open:
            # Which of several with one name is missing is unknown: two tables may read one topic.
            now, then = (Counter((one.kind, one.name) for one in some.elements) for some in (self._head, self._base))
            elements += [one for one in self._base.elements if now[one.kind, one.name] < then[one.kind, one.name]]
        content = ConfigurationFile()
        content.entries, content.skipped = entries, list(self._head.skipped)
        document = self._head.with_content(self._head.text, content)
        document.elements = elements
        document.is_in_part = True  # its entries are not in its text, so it cannot be edited
        document.whole = self._head.whole or self._base.whole
        return document

    def _elements(self) -> Iterator[Element]:
        numbered = dict(_numbered(self._base.elements))
        values = {entry.value_span for entry in self._head.entries}  # these are named by their keys
        for identity, element in _numbered(self._head.elements):
            old = numbered.get(identity)
            before = {} if old is None else old.attributes
            lost = [
                name
                for name, one in element.attributes.items()
                if one.value is None and (name not in before or before[name].value is not None)
            ]
            if not lost:
                yield element
                continue
            attributes = {name: one for name, one in element.attributes.items() if name not in lost}
            for name in lost:
                found = _below(old, name)
                attributes |= found
                self._back += [one.span for one in found.values()]
                if name.startswith("sets."):  # of a program's calls
                    self.unknown |= names_of(name.removeprefix("sets."))
                elif found and element.attributes[name].span not in values:
                    self.unknown.add(f"{element.name}.{name}")
                if name == "sets" or _WORD.search(name):
                    self.is_open = True
            yield Element(element.kind, element.name, element.span, attributes)

    def _entries(self) -> Iterator[Entry]:
        before = {name: entry for entry in self._base.effective.values() for name in names_of(entry.key)}
        there: set[str] = set()
        for entry in self._head.effective.values():
            names = names_of(entry.key)
            there |= names
            old = next((before[name] for name in names if name in before), None)
            if is_known(entry) or (old is not None and not is_known(old)):
                yield entry
                continue
            self.unknown.add(entry.key)
            if old is not None:
                yield _placed(old, entry.key_span, entry.value_span)
        at = self._head.head
        for entry in self._base.effective.values():
            names = names_of(entry.key)
            if there.isdisjoint(names) and (self.is_open or self._is_lost(entry, names)):
                yield _placed(entry, at, at)

    def _is_lost(self, entry: Entry, names: frozenset[str]) -> bool:
        """Return whether the head hides what sets an entry of the base: an attribute it derives from, or an unknown
        call."""
        if any(span.start <= entry.value_span.start and entry.value_span.end <= span.end for span in self._back):
            self.unknown.add(entry.key)
            return True
        return not names.isdisjoint(self.unknown)


def _placed(entry: Entry, key_span: Span, value_span: Span) -> Entry:
    """Return an entry of the base at a location in the head."""
    placed = Entry(entry.key, entry.value, entry.text, key_span, value_span, entry.raw, entry.style)
    placed.layer = entry.layer
    return placed


def _numbered(elements: Sequence[Element]) -> Iterator[tuple[tuple[str, str, int], Element]]:
    counts: dict[tuple[str, str], int] = {}
    for element in elements:
        identity = (element.kind, element.name)
        counts[identity] = number = counts.get(identity, -1) + 1
        yield (*identity, number), element


def _below(element: Element | None, name: str) -> Mapping[str, Attribute]:
    """Return the attribute with a name, and those nested in it."""
    if element is None:
        return {}
    return {
        key: one for key, one in element.attributes.items() if key == name or key.startswith((f"{name}.", f"{name}["))
    }
