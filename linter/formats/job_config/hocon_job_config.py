"""A job's HOCON configuration (Lightbend Config: ``application.conf``, ``reference.conf``) with Flink settings."""

from __future__ import annotations

import re

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.job_config.flink_sections import HINT, SettingLines, documents_of, read_text
from flink_flint.linter.formats.syntax.hocon_entries import INCLUDE, read_hocon
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_OWN = regex(r"^[ \t]*+(?:\{|[\w.\"-]++[ \t]*+(?:\+?=|[:=]?[ \t]*\{))", re.MULTILINE)
_SECTION = regex(r"^(env|source|transform|sink)[ \t]*+(?:=[ \t]*+)?\{", re.MULTILINE)
_PLAIN = regex(r"[A-Za-z0-9_][\w./-]*(?::[\w./-]+)*(?: [A-Za-z][\w./-]*)*")


class Hocon(SettingLines):
    """HOCON files, as the Lightbend Config library loads them."""

    comments = ("#", "//")

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has a section with two Flink keys and is HOCON rather than `flink-conf.yaml`.

        Braces or equals signs distinguish HOCON from `flink-conf.yaml`.
        """
        if HINT.search(head) is None or _OWN.search(head) is None or _is_seatunnels(head):
            return False
        return bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each section with Flink keys."""
        text = read_text(data)
        if len(text) > MAX_CHARACTERS:
            return []
        documents = documents_of(self, path, text, read_hocon(text))
        for document in documents:
            document.includes = len(INCLUDE.findall(text))
        return documents

    def spell(self, value: str, like: str) -> str | None:
        """Return `value`, unquoted if `like` is unquoted and no quotes are needed; None if it cannot be written."""
        if not like.startswith('"') and _PLAIN.fullmatch(value):
            return value
        return quoted(value)


def _is_seatunnels(head: str) -> bool:
    """Return whether a file has the sections of a SeaTunnel job, whose options are not Flink's."""
    sections = {match[1] for match in _SECTION.finditer(head)}
    return "env" in sections and len(sections) > 1


def quoted(value: str) -> str | None:
    """Return `value` in double quotes; None if it contains characters whose escapes parsers read differently."""
    if any(char < " " or "\ud800" <= char <= "\udfff" for char in value):
        return None
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


FILE_FORMAT = Hocon()
