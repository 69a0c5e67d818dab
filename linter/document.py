"""A document: one Flink configuration found in a file, with the place of every entry.

A file may hold several (a manifest of many objects), and a document may declare more than settings (its elements).
Everything after the carriers works on documents and no longer knows what kind of file they came from.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from linter.elements import Element
from linter.record import NamedTuple
from linter.text import Edit, Lines, Span

if TYPE_CHECKING:
    from linter.flink.entries import ConfigurationFile, Entry, Refusal, Skipped
    from linter.masking import Mask


class Carrier(ABC):
    """A kind of file that carries Flink configuration; each module of `linter.carriers` has one."""

    kind: str
    """The name of the kind in the JSON contract, unless its documents have others."""
    comments: tuple[str, ...] = ("#",)
    """What opens a comment that runs to the end of the line."""

    def named(self, name: str) -> bool:
        """Whether a file of this name is of this kind whatever it holds."""
        return False

    @abstractmethod
    def recognise(self, name: str, head: str) -> bool:
        """Whether a file of this name that starts with `head` is of this kind."""

    def missing(self) -> str | None:
        """What reading files of this kind needs and is not installed, and how to get it; None where nothing is."""
        return None

    @abstractmethod
    def parse(self, path: str, data: bytes) -> list[Document]:
        """The documents of a file; never raises for bad content (documents hold refusals)."""

    def read(self, path: str, data: bytes) -> list[Document]:
        """The documents of a file, numbered, each with a name of its own."""
        documents = self.parse(path, data)
        names: dict[str | None, int] = {}
        for number, document in enumerate(documents):
            document.number = number
            names[document.name] = count = names.get(document.name, 0) + 1
            if count > 1:
                document.name = f"{document.name or document.kind} #{count}"
        return documents

    @abstractmethod
    def write(self, text: str, like: bytes) -> bytes:
        """The bytes of an edited text, in the encoding that the file's own bytes are `like`."""

    @abstractmethod
    def rename(self, document: Document, entry: Entry, key: str) -> list[Edit] | None:
        """Edits that give an entry another key; None where that cannot be done safely."""

    @abstractmethod
    def replace(self, document: Document, entry: Entry, value: str) -> list[Edit] | None:
        """Edits that give an entry another value, quoted as the kind wants it; None where it cannot hold it."""

    @abstractmethod
    def add(self, document: Document, key: str, value: str) -> list[Edit] | None:
        """Edits that set a key nothing sets yet, beside its kin; None where the file cannot take it or hold it.

        The text they leave holds the settings it held, and this one as given.
        """

    @abstractmethod
    def remove(self, document: Document, entry: Entry) -> list[Edit] | None:
        """Edits that take an entry out; None where that cannot be done safely."""


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
        carrier: Carrier,
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
        self.carrier = carrier
        self.syntax = syntax
        self.kind = kind or carrier.kind
        """The name of its kind in the JSON contract: ``flink-conf``, ``flinkdeployment``, ..."""
        self.name = name
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
        self._mentioned: dict[str, bool] = {}
        self._edits: dict[tuple[str | Span, ...], list[Edit] | None] = {}
        self.mask: Mask | None = None
        """What hides its secrets; made when something is to be printed."""
        self.promises: list[Promise] | None = None
        """Edits that are taken to hold until they are tried all at once; None: each is tried when it is made."""
        self.later: Callable[[str, Sequence[Entry | str]], list[Edit]] | None = None
        """What gives edits that are worked out when somebody looks into them, where few of them are ever wanted."""

    def with_content(self, text: str, content: ConfigurationFile, lines: Lines | None = None) -> Document:
        """The same document when its file has another text (with these lines), which holds something else."""
        from copy import copy

        document = copy(self)
        document.text = text
        document.entries, document.skipped = content.entries, content.skipped
        document.refusals, document.warnings = content.refusals, content.warnings
        document._lines = lines
        document._effective = document.mask = document.later = document.promises = None
        document._edits, document._mentioned = {}, {}
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
        from linter.flink.releases import FIRST_CONFIG_YAML

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

    def edits(self, how: str, *arguments: Entry | str) -> list[Edit] | None:
        """What the carrier's `rename`, `replace`, `add` or `remove` gives.

        It is asked once, because it reads the edited file again, and a rule is asked for many releases.
        """
        if self.later is not None:
            return self.later(how, arguments)
        asked: list[str | Span] = [how]
        for one in arguments:
            asked += (one,) if isinstance(one, str) else (one.key, one.key_span, one.value_span)
        known = tuple(asked)
        if known not in self._edits:
            self._edits[known] = getattr(self.carrier, how)(self, *arguments)
        return self._edits[known]

    def forget_edits(self) -> None:
        """Work edits out anew when they are asked for."""
        self._edits.clear()

    def entries_of(self, key: str) -> Sequence[Entry]:
        """The entries of a key in file order, of which the last one counts."""
        counts = self.effective.get(key)
        if counts is None:
            return ()
        if len(self.effective) == len(self.entries):
            return (counts,)
        return [entry for entry in self.entries if entry.key == key]

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


class Promise(NamedTuple):
    """Edits that nobody has tried yet, and the settings that the document is to hold after them."""

    edits: Sequence[Edit]
    settings: Mapping[str, str]


class Held(NamedTuple):
    """An entry that counts, with the document it stands in."""

    entry: Entry
    document: Document


def lay(documents: Sequence[Document]) -> dict[str, Held]:
    """Documents laid upon each other, the lowest first: of each written key the uppermost entry counts.

    What a program sets by an option or a setter counts whatever the option is called beneath: the release it is
    compiled with gives it the key that release reads first.
    """
    held: dict[str, Held] = {}
    for document in documents:
        for key, entry in document.effective.items():
            if held and entry.layer and document.kind == "source":
                for other in _others_of_the_option(key, held):
                    if held[other].document is not document:
                        del held[other]
            held[key] = Held(entry, document)
    return held


def _others_of_the_option(key: str, keys: Iterable[str]) -> list[str]:
    """Those of the keys that are other spellings of the option of a key."""
    from linter.flink.options import catalogue

    names = set(catalogue().current_names(key))
    return [other for other in keys if other != key and not names.isdisjoint(catalogue().current_names(other))]
