"""Base class of logging formats: one document without settings, whose elements are loggers and appenders."""

from __future__ import annotations

import os
from abc import abstractmethod

from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import CONFIG_YAML, MAX_CHARACTERS, ConfigurationFile, Entry, too_long
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Element


class LoggingFormat(FileFormat):
    """A logging format. It has no settings to edit."""

    kind = "logging"

    @abstractmethod
    def elements(self, text: str, file: str) -> list[Element]:
        """Return what a text with that file name declares, with positions in the text; never raises."""

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the only document of the file."""
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
        """Return the text in the encoding of the original file."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return no edits: there are no settings."""
        return ()

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return no edits: there are no settings."""
        return ()

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return no edits: the file cannot contain settings."""
        return ()

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return no edits: there are no settings."""
        return ()
