"""What the kinds of logging files share: one document without settings, whose elements are loggers and appenders."""

from __future__ import annotations

import os
from abc import abstractmethod

from flink_flint.linter.flink.entries import CONFIG_YAML, MAX_CHARACTERS, ConfigurationFile, Entry, too_long
from flink_flint.linter.flink.files import decode, encode
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Element


class LoggingFormat(FileFormat):
    """A kind of logging file. It holds no settings, so there are none to edit."""

    kind = "logging"

    @abstractmethod
    def elements(self, text: str, file: str) -> list[Element]:
        """What a text of a file of that name declares, with places in the text; never raises."""

    def parse(self, path: str, data: bytes) -> list[Document]:
        """The one document of the file."""
        text, _ = decode(data, kind=CONFIG_YAML)
        content = ConfigurationFile()
        elements: list[Element] = []
        if len(text) > MAX_CHARACTERS:
            content.refusals.append(too_long(len(text)))
        else:
            elements = self.elements(text, os.path.basename(path))
        span = elements[0].span if elements else None
        return [Document(path, text, self, content, syntax="map", elements=elements, span=span, whole=False)]

    def write(self, text: str, like: bytes) -> bytes:
        """The text in the encoding the file had."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """There is no setting."""
        return ()

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """There is no setting."""
        return ()

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Settings have no place here."""
        return ()

    def remove(self, document: Document, entry: Entry) -> Ways:
        """There is no setting."""
        return ()
