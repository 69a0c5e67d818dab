"""Base class of logging formats, which have loggers and appenders as elements but no settings."""

from __future__ import annotations

import os
from abc import abstractmethod

from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import CONFIG_YAML, MAX_CHARACTERS, ConfigurationFile, Entry, too_long
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import Element


class LoggingFormat(FileFormat):
    """Base class of logging formats: a file is one document without settings, so that nothing can be edited."""

    kind = "logging"

    @abstractmethod
    def elements(self, text: str, file: str) -> list[Element]:
        """Return the elements (such as loggers) in the text of a file named `file`; must not raise an exception."""

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the file as a single document."""
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
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return no edits, since the file has no settings."""
        return ()

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return no edits, since the file has no settings."""
        return ()

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return no edits, since the file cannot contain settings."""
        return ()

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return no edits, since the file has no settings."""
        return ()
