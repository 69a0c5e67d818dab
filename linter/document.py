"""A document: one Flink configuration found in a file, with the place of every entry.

Everything after the carriers works on documents and no longer knows what kind of file they came from.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from linter.text import Edit, Lines, Span

if TYPE_CHECKING:
    from linter.flink.files import ConfigurationFile, Entry, Refusal, Skipped
    from linter.flink.secrets import Mask


class Carrier(ABC):
    """A kind of file that carries Flink configuration; each module of `linter.carriers` has one."""

    kind: str
    """The name of the kind in the JSON contract."""
    comment = "#"
    """What opens a comment that runs to the end of the line."""
    rank = 50
    """When it is asked whether a file is its own: the surer it is of that, the lower."""
    yaml = True
    """Whether Flink reads it in standard YAML mode (lists and maps as YAML)."""

    @abstractmethod
    def named(self, name: str) -> bool:
        """Whether a file of this name is of this kind whatever it holds."""

    @abstractmethod
    def recognise(self, name: str, head: str) -> bool:
        """Whether a file of this name that starts with `head` is of this kind."""

    @abstractmethod
    def read(self, path: str, data: bytes) -> list[Document]:
        """The documents of a file; never raises for bad content (documents hold refusals)."""

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


class Document:
    """One Flink configuration: its entries with their places, and what Flink would say on loading it."""

    def __init__(
        self, path: str, text: str, carrier: Carrier, content: ConfigurationFile, *, name: str | None = None
    ) -> None:
        self.path = path
        self.text = text
        self.carrier = carrier
        self.name = name
        self.entries: Sequence[Entry] = content.entries
        self.skipped: Sequence[Skipped] = content.skipped
        self.refusals: Sequence[Refusal] = content.refusals
        self.warnings: Sequence[str] = content.warnings
        self._content = content
        self._lines: Lines | None = None
        self._effective: dict[str, Entry] | None = None
        self.mask: Mask | None = None
        """What hides its secrets; made when something is to be printed."""

    @property
    def kind(self) -> str:
        """The kind of file: ``flink-conf``, ``config.yaml``, ..."""
        return self.carrier.kind

    @property
    def yaml(self) -> bool:
        """Whether Flink reads it in standard YAML mode (lists and maps as YAML)."""
        return self.carrier.yaml

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
    def directory(self) -> str:
        """The folder the file is in."""
        return os.path.dirname(self.path)

    @property
    def file_name(self) -> str:
        """The name of the file without its folder."""
        return os.path.basename(self.path)

    @property
    def head(self) -> Span:
        """Where to point when the whole document is meant: its first key."""
        return self.entries[0].key_span if self.entries else Span(0, 0)

    def values(self) -> dict[str, object]:
        """Key -> the value that wins, as the file's parser typed it."""
        return {key: entry.value for key, entry in self.effective.items()}

    def settings(self) -> dict[str, str]:
        """Key -> value as Flink's ``Configuration.toMap()`` holds them."""
        return self._content.settings()
