"""A document: one Flink configuration found in a file, with the place of every entry.

A file may hold several (a manifest of many objects), and a document may declare more than settings (its elements).
Everything after the file formats works on documents and no longer knows what kind of file they came from.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.model import limits
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.finding import Fix, Operation
from flink_flint.linter.model.limits import CHARACTERS, Budget, collecting, cut
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Lines, Span

if TYPE_CHECKING:
    from collections import Counter

    from flink_flint.linter.flink.entries import ConfigurationFile, Entry, Refusal, Skipped
    from flink_flint.linter.model.masking import Mask


class FileFormat(ABC):
    """A kind of file that carries Flink configuration; each module of `linter.formats` has one."""

    kind: str
    """The name of the kind in the JSON contract, unless its documents have others."""
    comments: tuple[str, ...] = ("#",)
    """What opens a comment that runs to the end of the line."""
    reads_utf16: bool = False
    """Whether its reader, and so what judges it, makes of UTF-16 and UTF-32 what Flink makes of them."""
    largest: int = CHARACTERS
    """Bytes of a file that are read; chosen so that reading and judging as many takes a few seconds and 200 MB."""

    def named(self, name: str) -> bool:
        """Whether a file of this name is of this kind whatever it holds."""
        return False

    @abstractmethod
    def recognise(self, name: str, head: str) -> bool:
        """Whether a file of this name that starts with `head` is of this kind."""

    @abstractmethod
    def parse(self, path: str, data: bytes) -> list[Document]:
        """The documents of a file; never raises for bad content (documents hold refusals)."""

    def with_refusals(self, path: str, data: bytes, documents: list[Document]) -> list[Document]:
        """The documents of a file, which also refuse what `parse` had to leave out."""
        return documents

    def read(self, path: str, data: bytes) -> list[Document]:
        """The documents of a file, numbered, each with a name of its own; beyond the limits the first ones."""
        with collecting() as reasons:
            documents = _within_limits(self.parse(path, cut(data, self.largest)))
            if not reasons:
                documents = self.with_refusals(path, data, documents)
        if reasons:
            documents = documents or [_empty(path, self)]
            # What a reader finds broken at the end may be whole in the file.
            documents[-1].refusals = ()
        budget = Budget(reasons)
        names: dict[str | None, int] = {}
        for number, document in enumerate(documents):
            document.number, document.budget = number, budget
            if reasons:
                document.is_in_part, document.whole = True, False
            names[document.name] = count = names.get(document.name, 0) + 1
            if count > 1:
                document.name = f"{document.name or document.kind} #{count}"
        return documents

    @abstractmethod
    def write(self, text: str, like: bytes) -> bytes:
        """The bytes of an edited text, in the encoding that the file's own bytes are `like`."""

    # Each of these gives ways to make a change, the best first, none of them verified (see `linter.fix.resolve`).

    @abstractmethod
    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """The ways to give an entry another key."""

    @abstractmethod
    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """The ways to give an entry another value, quoted as the kind requires."""

    @abstractmethod
    def add(self, document: Document, key: str, value: str) -> Ways:
        """The ways to set a key nothing sets yet, beside its kin."""

    @abstractmethod
    def remove(self, document: Document, entry: Entry) -> Ways:
        """The ways to delete an entry."""


class Ignored(NamedTuple):
    """What an annotation of an object silences, in all of its document."""

    selectors: tuple[str, ...]
    reason: str
    span: Span


class Document:
    """One Flink configuration: its entries with their places, and what Flink would say on loading it.

    `syntax` says how Flink reads it: ``flink-conf`` and ``config-yaml`` are the files, ``map`` is anything that gives
    keys and values otherwise (a custom resource, ``-D``, SQL's SET, a program).
    """

    def __init__(
        self,
        path: str,
        text: str,
        file_format: FileFormat,
        content: ConfigurationFile,
        *,
        syntax: str,
        kind: str | None = None,
        name: str | None = None,
        elements: Sequence[Element] = (),
        span: Span | None = None,
        whole: bool = True,
        release: tuple[str, str] | None = None,
        release_span: Span | None = None,
        platform: str | None = None,
        profile: str | None = None,
        ignored: Sequence[Ignored] = (),
    ) -> None:
        self.path = path
        self.directory = os.path.dirname(path)
        """The folder the file is in."""
        self.text = text
        self.file_format = file_format
        self.syntax = syntax
        self.kind = kind or file_format.kind
        """The name of its kind in the JSON contract: ``flink-conf``, ``flinkdeployment``, ..."""
        self.name = name
        self.includes = 0
        """How many statements of its file bring in settings from files that nobody has looked at."""
        self.number = 0
        """Its place among the documents of its file."""
        self.elements = elements
        self.span = span
        """Where it begins in its file, for findings on all of it; None: at its first key."""
        self.whole = whole
        """Whether it is all the configuration of what it is for; of a part nothing can be said to be missing."""
        self.release = release
        """The release it names, as a version or range, and what says so (``("1.17", "spec.flinkVersion")``)."""
        self.release_span = release_span
        """Where it names it, if that is a value in its text."""
        self.platform = platform
        """The platform its kind or content tells; None when it does not."""
        self.profile = profile
        """``development`` or ``production`` where its kind or content tells."""
        self.ignored = ignored
        self.entries: Sequence[Entry] = content.entries
        self.skipped: Sequence[Skipped] = content.skipped
        self.refusals: Sequence[Refusal] = content.refusals
        self.warnings: Sequence[str] = content.warnings
        self._lines: Lines | None = None
        self._effective: dict[str, Entry] | None = None
        self._by_key: dict[str, list[Entry]] | None = None
        self._mentioned: dict[str, bool] = {}
        self.mask: Mask | None = None
        """What hides its secrets; made when something is to be printed."""
        self.is_in_part = False
        """Whether limits left out something of its file, so that its text may be cut short and nothing edits it."""
        self.budget = Budget({})
        """What is left of the counts of its file; shared by the documents of a file."""
        self._near: dict[str, list[str]] = {}
        self._slips: dict[str, int] | None = None
        self._options_set: frozenset[str] | None = None
        self._uses: Counter[Span] | None = None

    def with_content(self, text: str, content: ConfigurationFile) -> Document:
        """Return the same document with another text and other content."""
        from copy import copy

        document = copy(self)
        document.text = text
        document.entries, document.skipped = content.entries, content.skipped
        document.refusals, document.warnings = content.refusals, content.warnings
        document._lines = None
        document._effective = document.mask = None
        document._by_key = document._uses = document._slips = document._options_set = None
        document._mentioned, document._near = {}, {}
        return document

    @property
    def is_flink_conf(self) -> bool:
        """Whether Flink reads it as the line-based flink-conf.yaml."""
        return self.syntax == "flink-conf"

    @property
    def is_config_yaml(self) -> bool:
        """Whether Flink reads it as config.yaml."""
        return self.syntax == "config-yaml"

    @property
    def replaces_shipped_file(self) -> bool:
        """Whether it takes the place of the file a release ships (else it is laid over that)."""
        return self.whole and self.syntax != "map"

    def yaml_in(self, index: int) -> bool:
        """Whether a release reads it in standard YAML mode (lists and maps as YAML)."""
        from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML

        return self.syntax == "config-yaml" or (self.syntax == "map" and index >= FIRST_CONFIG_YAML)

    @property
    def lines(self) -> Lines:
        """The lines of the file."""
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines

    @property
    def effective(self) -> Mapping[str, Entry]:
        """Key -> the entry that wins, in file order."""
        if self._effective is None:
            self._effective = {entry.key: entry for entry in self.entries}
        return self._effective

    @property
    def file_name(self) -> str:
        """The name of the file without its folder."""
        return os.path.basename(self.path)

    @property
    def head(self) -> Span:
        """Where to point when the whole document is meant: where it begins, or its first key."""
        if self.span is not None:
            return self.span
        return self.entries[0].key_span if self.entries else Span(0, 0)

    def fix(
        self, title: str, how: str, key: str, new: str = "", *, at: Span | None = None, safe: bool = False
    ) -> Fix | None:
        """A fix that makes one `Operation`; None where it certainly cannot be made."""
        if self.is_in_part or (how == "rename" and new in self.effective):
            return None
        return Fix(title, [Operation(how, self.number, key, new, at)], safe, self.path)

    def add(self, key: str, value: str, title: str, *, safe: bool = False) -> Fix | None:
        """A fix that sets a key nothing sets yet."""
        return self.fix(title, "add", key, value, safe=safe)

    def remove(self, entry: Entry, title: str, *, safe: bool = False) -> Fix | None:
        """A fix that deletes an entry."""
        return self.fix(title, "remove", entry.key, at=entry.key_span, safe=safe)

    def entries_of(self, key: str) -> Sequence[Entry]:
        """The entries of a key in file order, of which the last one counts."""
        counts = self.effective.get(key)
        if counts is None:
            return ()
        if len(self.effective) == len(self.entries):
            return (counts,)
        if self._by_key is None:
            self._by_key = {}
            for entry in self.entries:
                self._by_key.setdefault(entry.key, []).append(entry)
        return self._by_key[key]

    def nearest_keys(self, key: str) -> Sequence[str]:
        """The options' keys that someone may have meant by a misspelled one, the likeliest first, while the file's
        budget of comparisons lasts."""
        found = self._near.get(key)
        if found is None:
            from flink_flint.linter.flink.nearest import candidates, compare
            from flink_flint.linter.flink.options import catalogue

            worth = candidates(catalogue(), key)
            found = compare(catalogue(), key, worth, None) if self.budget.take_comparisons(len(worth)) else []
            self._near[key] = found
        return found

    def slips_of(self, option: str) -> int:
        """How many of its keys that no release knows may be slips of the pen for an option."""
        if self._slips is None:
            from flink_flint.linter.flink.nearest import alike
            from flink_flint.linter.flink.options import catalogue

            options = catalogue()
            unknown = [key for key in self.effective if not options.releases(key) and not options.passes_through(key)]
            self._slips = {}
            for key in unknown:
                for near in self.nearest_keys(key):
                    if alike(key, near):
                        self._slips[near] = self._slips.get(near, 0) + 1
        return self._slips.get(option, 0)

    @property
    def options_set(self) -> frozenset[str]:
        """The newest keys of the options that it sets, under whatever name."""
        if self._options_set is None:
            from flink_flint.linter.flink.options import catalogue

            names = map(catalogue().current_names, self.effective)
            self._options_set = frozenset(name for some in names for name in some)
        return self._options_set

    def changes(self, entry: Entry, becomes: tuple[str, str] | None) -> Changes:
        """What changes when an entry gets another key or value, or is gone (None): what it had overridden counts then.

        The key is its own or one that nothing sets.
        """
        after: dict[str, str | None] = {}
        if entry is self.effective[entry.key]:
            others = self.entries_of(entry.key)[:-1]
            after[entry.key] = others[-1].text if others else None
        if becomes is not None and (becomes[0] != entry.key or after):
            after[becomes[0]] = becomes[1]
        return after

    def is_shared(self, span: Span) -> bool:
        """Whether a part of a key, such as the head of a block, leads to more than one entry."""
        if self._uses is None:
            from collections import Counter

            self._uses = Counter(span for entry in self.entries for span in entry.path_spans)
        return self._uses[span] > 1

    def mentions(self, words: str) -> bool:
        """Whether its file has these characters anywhere."""
        found = self._mentioned.get(words)
        if found is None:
            found = self._mentioned[words] = words in self.text
        return found

    def elements_of(self, kinds: Collection[str]) -> Sequence[Element]:
        """The elements of these kinds, in file order."""
        return [element for element in self.elements if element.kind in kinds]

    def values(self) -> Mapping[str, object]:
        """Key -> the value that wins, as the file's parser typed it."""
        return {key: entry.value for key, entry in self.effective.items()}

    def settings(self) -> dict[str, str]:
        """Key -> value as Flink's ``Configuration.toMap()`` holds them."""
        return {entry.key: entry.text for entry in self.entries}


def _within_limits(documents: list[Document]) -> list[Document]:
    """As many of the documents of a file, their settings and elements as are judged."""
    settings, elements = limits.SETTINGS, limits.ELEMENTS
    if (
        len(documents) <= limits.DOCUMENTS
        and sum(len(one.entries) for one in documents) <= settings
        and sum(len(one.elements) for one in documents) <= elements
    ):
        return documents
    judged: list[Document] = []
    for document in documents:
        if len(judged) == limits.DOCUMENTS or not (settings and elements):
            break
        document.entries, document.elements = document.entries[:settings], document.elements[:elements]
        settings -= len(document.entries)
        elements -= len(document.elements)
        judged.append(document)
    limits.leave_out(
        f"of its documents, settings and elements the first {limits.DOCUMENTS:,}, {limits.SETTINGS:,} and"
        f" {limits.ELEMENTS:,} are judged"
    )
    return judged


def _empty(path: str, file_format: FileFormat) -> Document:
    """A document that stands for a file of which nothing is judged."""
    from flink_flint.linter.flink.entries import ConfigurationFile

    return Document(path, "", file_format, ConfigurationFile(), syntax="map", whole=False)


Changes = Mapping[str, "str | None"]
"""Keys of a document -> the values they come to have; None: none."""


class Promise(NamedTuple):
    """Edits that nobody has verified yet, and how the settings of a document (by its number) change by them."""

    document: int
    edits: Sequence[Edit]
    changes: Changes


Ways = Iterable[Promise]
"""Ways to make one change, the best first."""


class LayeredEntry(NamedTuple):
    """An entry that counts, with the document it stands in."""

    entry: Entry
    document: Document


def merge_layers(documents: Sequence[Document]) -> dict[str, LayeredEntry]:
    """Documents laid upon each other, the lowest first: of each written key the uppermost entry counts.

    What a program sets by an option or a setter counts whatever the option is called beneath: the release it is
    compiled with gives it the key that release reads first.
    """
    held: dict[str, LayeredEntry] = {}
    for document in documents:
        for key, entry in document.effective.items():
            if held and entry.layer and document.kind == "source":
                for other in _others_of_the_option(key, held):
                    if held[other].document is not document:
                        del held[other]
            held[key] = LayeredEntry(entry, document)
    return held


def _others_of_the_option(key: str, keys: Iterable[str]) -> list[str]:
    """Those of the keys that are other spellings of the option of a key."""
    from flink_flint.linter.flink.options import catalogue

    names = set(catalogue().current_names(key))
    return [other for other in keys if other != key and not names.isdisjoint(catalogue().current_names(other))]
