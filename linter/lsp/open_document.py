"""A file that is open in the editor: its text, its file format, and the results of the last check."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.engine.discovery import HEAD, LARGEST_FILE, Source
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.flink.releases import LAST_FLINK_CONF, NEWEST
from flink_flint.linter.formats import file_format_of, recognize
from flink_flint.linter.lsp.moving_findings import moved
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from asyncio import Task

    from flink_flint.linter.engine.document_findings import Judged
    from flink_flint.linter.model.document import Document, FileFormat
    from flink_flint.linter.model.finding import Finding

LONG = 2_000
"""The maximum number of lines in a file that the server parses while the editor waits for a response."""


class Checked(NamedTuple):
    """The results of checking one version of a file's text."""

    buffer: Buffer
    judged: Sequence[Judged] = ()
    findings: Sequence[Finding] = ()
    """The findings to show in the editor, after suppressions and baselines; secrets in them are not yet masked."""
    is_rendered: bool = False
    """Whether the file is checked as rendered by a chart or kustomization; False if that is not known yet."""
    is_preliminary: bool = False
    """Whether the file's findings are unknown until all files are checked."""

    @property
    def documents(self) -> list[Document]:
        """The documents of the checked text."""
        return [one.document for one in self.judged]


class OpenFile:
    """A file that is open in the editor, with its current text and the results of its last check."""

    def __init__(self, path: str, uri: str, version: int | None, buffer: Buffer) -> None:
        self.path = path
        self.uri = uri
        self.version = version
        self.buffer = buffer
        self.others: list[Finding] = []
        """Findings of other files or project rules on this file; they move with the text."""
        self.checked = Checked(Buffer(""))
        """The results of the last check, which may be of an older text."""
        self.check: Task[None] | None = None
        """The check of the current text: waiting, running or done."""

    def edit(self, start: int, end: int, text: str) -> None:
        """Replace the characters from `start` to `end` with `text`."""
        self.buffer, replaced = self.buffer.replace(start, end, text)
        self.others = [finding for finding in self.others if moved(finding, replaced)]

    @property
    def documents(self) -> Sequence[Document]:
        """The documents of the current text; empty for a long text until it is checked."""
        if self.checked.buffer is self.buffer:
            return self.checked.documents
        source = source_of(self.path, self.buffer.text) if len(self.buffer.starts) <= LONG else None
        return source.file_format.read(self.path, source.data) if source is not None else ()

    def index_at(self, offset: int) -> int:
        """Return the index of the newest release that the settings at an offset are checked for."""
        releases = sorted((one.document.head.start, one.target.in_question[-1]) for one in self.checked.judged)
        if releases:
            return next((index for start, index in reversed(releases) if start <= offset), releases[0][1])
        file_format = likely_format(self.path, self.buffer.text)
        return LAST_FLINK_CONF if file_format is not None and file_format.kind == "flink-conf" else NEWEST


def source_of(path: str, text: str) -> Source | None:
    """Return the source for checking an open file; None if it is not a Flink file or is too large."""
    file_format = _recognize(path, text)
    if file_format is None or len(text) > LARGEST_FILE:
        return None
    return Source(path, text.encode("utf-8", "replace"), file_format)


def _recognize(path: str, text: str) -> FileFormat | None:
    """Return the format of an open file.

    A file that has the name of a Flink file counts while nothing in it speaks against it, because it is being written.
    """
    head = text[:HEAD]
    found = recognize(path, head) or recognize(path, head, trust_name=True)
    if found is None:
        return None
    weighed = found.file_format.weigh(path, head)
    return found.file_format if found.evidence.is_sufficient and weighed.against <= weighed.in_favor else None


def likely_format(path: str, text: str) -> FileFormat | None:
    """Return the format of a file by its name and text, or else by its name alone; None if neither suggests one."""
    name, head = os.path.basename(path), text[:HEAD]
    return file_format_of(name, head) or file_format_of(name, head, trust_name=True)
