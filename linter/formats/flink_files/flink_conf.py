"""The legacy `flink-conf.yaml`: one `key: value` per line, not YAML; read by Flink up to 1.20."""

from __future__ import annotations

import os
import re

from flink_flint.linter.flink.file_loading import FLINK_CONF, Entry, decode, encode, read_flink_conf
from flink_flint.linter.formats.key_evidence import evidence_of_keys, known_keys
from flink_flint.linter.formats.recognition import is_rendered, is_template
from flink_flint.linter.formats.surroundings import evidence_around
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.evidence import NOTHING, Evidence, certain
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_NAME = regex(r"flink-conf(?![a-z])[^/]*\.ya?ml(?:\.[\w-]+)?", re.IGNORECASE)
_TEMPLATES = (".conf", ".j2", ".tpl", ".erb", ".tmpl", ".tftpl", ".tfpl", ".ftl", ".mustache")
_MIN_KEYS = 2
_NO_KEY = r"[#\s]|\A\Z"
_CANNOT_HOLD = r"#|^\s|\s\Z|[\r\n]|^\Z"


class FlinkConf(FileFormat):
    """The line-based format: a line is cut at the first ``#`` and split at the first colon followed by a space."""

    kind = "flink-conf"
    reads_utf16 = True

    def named(self, name: str) -> bool:
        """Return whether the name is `flink-conf.yaml` or a variant of it, such as `flink-conf-prod.yaml`."""
        return name.startswith("flink-conf") and _NAME.fullmatch(name) is not None

    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file is `flink-conf.yaml`, or a variant or template of it with flat Flink keys."""
        return self.weigh(name, head).is_sufficient

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence that a file is Flink's: its name `flink-conf.yaml`, or flat keys if it is a variant.

        One key proves nothing where the name does not say that the file is Flink's.
        """
        name = os.path.basename(path)
        if name == FLINK_CONF:
            return certain(f"named {FLINK_CONF}")
        if not self.named(name) and not name.endswith(_TEMPLATES):
            return NOTHING
        known = known_keys(head, nested=False)
        if self.named(name) and known:
            return evidence_of_keys(head, nested=False).plus(6, "named as a variant of flink-conf.yaml")
        if known < _MIN_KEYS:
            return NOTHING
        return evidence_of_keys(head, nested=False).joined([evidence_around(path)])

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the file as a single document."""
        text, _ = decode(data, kind=FLINK_CONF)  # accepts any bytes
        content = read_flink_conf(text)
        is_open = False
        if is_template(text):
            from flink_flint.linter.formats.template_settings import resolve

            is_open = resolve(content, text, is_rendered=is_rendered(path), last_counts=True)
        return [Document(path, text, self, content, syntax="flink-conf", whole=not is_open)]

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like, kind=FLINK_CONF)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return the edit that replaces the key of a line, unless the new key is already set."""
        if key in document.effective:
            return ()
        return _ways(document, [Edit(entry.key_span, key)], entry, (key, entry.text))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return the edit that replaces a value, unless this format cannot represent it.

        A value must not be empty, contain ``#`` or line breaks, or begin or end with whitespace.
        """
        if re.search(_CANNOT_HOLD, value):
            return ()
        return _ways(document, [Edit(entry.value_span, value)], entry, (entry.key, value))

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return the edit that adds a line below the most closely related key, or at the end of the file.

        The most closely related key is the one that shares the most leading segments with `key`.
        """
        if re.search(_CANNOT_HOLD, value) or re.search(_NO_KEY, key):
            return ()
        from flink_flint.linter.formats.editing.insertion import adds_line, nearest_sibling

        sibling = nearest_sibling(document, key)
        number = document.lines.position(sibling.key_span.start).line if sibling is not None else None
        return adds_line(document, number, f"{key}: {value}", key, value)

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return the edit that deletes the line of an entry; a comment at its end is kept on a line of its own."""
        lines = document.lines
        number = lines.position(entry.key_span.start).line
        end = lines.full_span(number).end if entry.comment is None else entry.comment.start
        return _ways(document, [Edit(Span(lines.span(number).start, end), "")], entry, None)


def _ways(document: Document, edits: list[Edit], entry: Entry, becomes: tuple[str, str] | None) -> Ways:
    """Return the edits as the only way to give an entry the key and value `becomes` (None: delete it)."""
    from flink_flint.linter.formats.editing.insertion import promises

    return promises(document, edits, document.changes(entry, becomes))


FILE_FORMAT = FlinkConf()
