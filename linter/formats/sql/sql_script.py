"""Flink SQL scripts: the settings, tables, and jobs in them."""

from __future__ import annotations

import re

from flink_flint.linter.flink.file_loading import decode, encode, is_templated
from flink_flint.linter.flink.parsed_file import MAX_CHARACTERS, ConfigurationFile, Entry, too_long
from flink_flint.linter.formats.editing.insertion import line_end_at, promises, removed_lines, shared_words
from flink_flint.linter.formats.sql.dialect_evidence import evidence_of_sql
from flink_flint.linter.formats.sql.script_run import read_script
from flink_flint.linter.formats.sql.sql_tokens import STRING, statements, tokenize
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.evidence import Evidence
from flink_flint.linter.model.local_addresses import are_local
from flink_flint.linter.text.spans import Edit, Span

_PLAIN = re.compile(r"[^\s';=`]+")


class SqlScript(FileFormat):
    """SQL scripts for Flink's SQL client or gateway, or for a job that reads them."""

    kind = "sql"
    comments = ("--",)

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a script has more constructs that only Flink SQL has than constructs of other engines."""
        return evidence_of_sql(head).is_sufficient

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence that a script is Flink SQL, from its statements."""
        return evidence_of_sql(head)

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document with the settings of the script's last job and with all elements of the script."""
        text, _ = decode(data, kind="config.yaml")
        if len(text) > MAX_CHARACTERS:
            content = ConfigurationFile()
            content.refusals.append(too_long(len(text)))
            return [Document(path, text, self, content, syntax="map", whole=False)]
        script = read_script(text)
        first = next(tokenize(text), None)
        return [
            Document(
                path,
                text,
                self,
                script.content,
                syntax="map",
                elements=script.elements,
                whole=False,
                span=first.span if first is not None else None,
                profile="development" if _is_local(text) else None,
            )
        ]

    def write(self, text: str, like: bytes) -> bytes:
        """Encode an edited `text` in the encoding of the original file, whose bytes are `like`."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that change the key of a SET statement; the new key is quoted like the old one."""
        written = _like(key, document.text[entry.key_span.start : entry.key_span.end])
        if written is None:
            return ()
        edits = [Edit(entry.key_span, written)]
        return promises(document, edits, document.changes(entry, (key, entry.text)))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace the value of a SET; none if the new value needs quotes but the old one has none."""
        written = _like(value, entry.raw)
        if written is None:
            return ()
        edits = [Edit(entry.value_span, written)]
        return promises(document, edits, document.changes(entry, (entry.key, value)))

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a SET statement below the one with the most similar key, or before all statements."""
        if key in document.effective or "\n" in key:
            return ()
        sibling = max(
            document.entries,
            key=lambda entry: (shared_words(entry.key, key), entry.value_span.start),
            default=None,
        )
        quoted = "'" + value.replace("'", "''") + "'"
        line = f"SET '{key}' = {quoted};"
        if sibling is not None:
            behind = sibling.value_span.end
            end = next((token.end for token in tokenize(document.text, behind) if token.raw == ";"), None)
            if end is None:
                return ()
            lines = document.lines
            number = lines.position(end).line
            if document.text[end : lines.span(number).end].strip():
                return ()
            at = lines.span(number).end
            new = f"{line_end_at(document, number)}{line}"
        else:
            at = next((statement.tokens[0].start for statement in statements(document.text)), len(document.text))
            new = f"{line}{line_end_at(document, None)}"
        edits = [Edit(Span(at, at), new)]
        return promises(document, edits, {key: value})

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that delete a SET statement and the lines that it leaves empty."""
        text, lines = document.text, document.lines
        word = _set_before(document, entry)
        end = next((token.end for token in tokenize(text, entry.value_span.end) if token.raw == ";"), None)
        if word < 0 or end is None:
            return ()
        first, last = lines.position(word).line, lines.position(end).line
        behind = text[end : lines.span(last).end].strip()
        alone = not text[lines.span(first).start : word].strip() and (not behind or behind.startswith("--"))
        edits = removed_lines(document, first, last, [end]) if alone else [Edit(Span(word, end), "")]
        return promises(document, edits, document.changes(entry, None))


def _is_local(text: str) -> bool:
    """Return whether all addresses in a script are of the machine itself, and none is filled in."""
    values = [token.text for token in tokenize(text) if token.kind == STRING]
    return not any(map(is_templated, values)) and are_local(values)


def _set_before(document: Document, entry: Entry) -> int:
    """Return the offset of the SET before an entry, or -1 if there is anything between them."""
    before = document.text[: entry.key_span.start].rstrip()
    return len(before) - 3 if before[-3:].upper() == "SET" else -1


def _like(written: str, old: str) -> str | None:
    """Return a key or value quoted like the old one, or None if it needs quotes and the old one has none."""
    if old[:1] == "'":
        return "'" + written.replace("'", "''") + "'"
    return written if _PLAIN.fullmatch(written) and "--" not in written else None


FILE_FORMAT = SqlScript()
