"""A job's TOML configuration with a section of Flink keys."""

from __future__ import annotations

from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS
from flink_flint.linter.formats.broken import Grammatical
from flink_flint.linter.formats.job_config.flink_sections import HINT, SettingLines, documents_of, read_text
from flink_flint.linter.formats.job_config.hocon_job_config import quoted
from flink_flint.linter.formats.syntax.toml_entries import read_toml
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_PLAIN = regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false")


class JobToml(Grammatical, SettingLines):
    """TOML files with Flink settings."""

    grammar = "toml"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file has two Flink keys in one section."""
        return HINT.search(head) is not None and bool(self.parse(name, head.encode("utf-8", "surrogateescape")))

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each section with Flink keys."""
        text = read_text(data)
        return [] if len(text) > MAX_CHARACTERS else documents_of(self, path, text, read_toml(text))

    def spell(self, value: str, like: str) -> str | None:
        """Return `value` quoted like `like`, but unquoted only if TOML accepts that; None if it cannot be written."""
        if like[:1] == "'" and "'" not in value and quoted(value):
            return f"'{value}'"
        return value if like[:1] not in "\"'" and _PLAIN.fullmatch(value) else quoted(value)


FILE_FORMAT = JobToml()
