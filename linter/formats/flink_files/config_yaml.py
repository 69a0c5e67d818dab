"""`config.yaml`: YAML, nested or flat; supported since Flink 1.19 and the only configuration file since 2.0."""

from __future__ import annotations

import os
import re

from flink_flint.linter.flink.file_loading import CONFIG_YAML, Entry, decode, encode, read_config_yaml
from flink_flint.linter.formats.key_evidence import evidence_of_keys, known_keys
from flink_flint.linter.formats.recognition import is_rendered, is_template
from flink_flint.linter.formats.surroundings import evidence_around
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

_NAME = r"\.ya?ml(?:\.(?:j2|tpl|erb|tmpl|tftpl|tfpl|ftl|mustache))?$"
_STANDARD = regex(r"config\.ya?ml(?:\.(?:j2|tpl|erb|tmpl|tftpl|tfpl|ftl|mustache))?")
_ENVIRONMENTS = ("sql-client-defaults.yaml", "sql-gateway-defaults.yaml")
"""The environment files of the SQL client up to 1.13 and of its former gateway, which no process reads as settings."""
_MIN_KEYS = 2
_PLAIN = r"[A-Za-z_./][\w./+-]*(?::[\w./+-]+)*|\d+(?:[a-zA-Z]+| [a-zA-Z]+)"
_RETYPED = r"(?i:true|false|null|y|n|yes|no|on|off)|[+-]?[\d.][\d._eExXoO+-]*"

_KEY = r"[A-Za-z_][\w./-]*"


class ConfigYaml(FileFormat):
    """The standard YAML configuration of Flink 1.19 and later."""

    kind = "config.yaml"
    reads_utf16 = True

    def named(self, name: str) -> bool:
        """Return whether the name is `config.yaml`, the only name that Flink reads."""
        return name == "config.yaml"

    def recognize(self, name: str, head: str) -> bool:
        """Return whether the keys of a YAML file or template are Flink's; the name `config.yaml` is not sufficient."""
        return self.weigh(name, head).is_sufficient

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence that a YAML file is Flink's, from its keys, its name, and its surroundings.

        A file with another name than Flink's needs two keys.
        """
        name = os.path.basename(path)
        if name in _ENVIRONMENTS or (name != CONFIG_YAML and re.search(_NAME, name) is None):
            return NOTHING
        found = evidence_of_keys(head, nested=True)
        if name == CONFIG_YAML or _STANDARD.fullmatch(name):
            found = found.plus(1, "named config.yaml")
        elif not found.in_favor or known_keys(head, nested=True) < _MIN_KEYS:
            return NOTHING
        return found.joined([evidence_around(path)])

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the file as a single document."""
        text, refusal = decode(data, kind=CONFIG_YAML)
        content = read_config_yaml(text)
        if refusal is not None:
            content.refusals.insert(0, refusal)
        is_open = False
        if is_template(text):
            from flink_flint.linter.formats.template_settings import resolve

            is_open = resolve(content, text, is_rendered=is_rendered(path))
        return [Document(path, text, self, content, syntax="config-yaml", whole=not is_open)]

    def write(self, text: str, like: bytes) -> bytes:
        """Return the bytes of an edited text in the encoding of the original file (`like`)."""
        return encode(text, like, kind=CONFIG_YAML)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that rename a flat key or a nested key's last segment, or move a nested entry to a flat line.

        The result is empty if the new key is already set.
        """
        if key in document.effective:
            return ()
        old_parent, _, _ = entry.key.rpartition(".")
        new_parent, _, last = key.rpartition(".")
        written = document.text[entry.key_span.start : entry.key_span.end]
        if not entry.nested:
            edits: list[Edit] | None = [Edit(entry.key_span, key)]
        elif old_parent == new_parent and "." not in written:
            edits = [Edit(entry.key_span, last)]
        else:
            edits = self._lift(document, entry, key)
        return _ways(document, edits, entry, (key, entry.text))

    def _lift(self, document: Document, entry: Entry, key: str) -> list[Edit] | None:
        """Rewrite a nested one-line entry as a flat, unindented line, with the comments above and after it."""
        lines = document.lines
        number = lines.position(entry.key_span.start).line
        if lines.position(max(entry.value_span.end - 1, entry.value_span.start)).line != number:
            return None
        removal = self._removal(document, entry, moves=True)
        if removal is None:
            return None
        rest = document.text[entry.value_span.start : lines.span(number).end]
        margin = Span(entry.path_spans[0].start, entry.path_spans[0].start)
        line_end = document.text[lines.span(number).end : lines.full_span(number).end] or "\n"
        first = number
        while first > 1 and self._is_comment_at(document, first - 1, entry.key_span):
            first -= 1
        spans = [lines.full_span(line) for line in range(first, number)]
        comments = "".join(document.text[span.start : span.end].lstrip(" ") for span in spans)
        return [Edit(margin, f"{comments}{key}: {rest}{line_end}"), *(Edit(span, "") for span in spans), *removal]

    @staticmethod
    def _is_comment_at(document: Document, number: int, key: Span) -> bool:
        """Return whether a line contains only a comment with the indentation of a key."""
        lines, text = document.lines, document.text
        span = lines.span(number)
        line = text[span.start : span.end]
        return (
            line.lstrip(" ").startswith("#")
            and len(line) - len(line.lstrip(" ")) == lines.position(key.start).column - 1
        )

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace a scalar, keeping its quotes and adding quotes where YAML needs them."""
        if entry.style not in ("plain", "single", "double") or re.search(r"[\r\n]", value):
            return ()
        if entry.style == "single":
            written = ["'" + value.replace("'", "''") + "'"]
        elif entry.style == "plain" and (re.fullmatch(_PLAIN, value) or re.fullmatch(_RETYPED, value)):
            written = [value, _quoted(value)]  # a plain 1.20 is the number 1.2
        else:
            written = [_quoted(value)]
        becomes = entry.key, value
        return [way for text in written for way in _ways(document, [Edit(entry.value_span, text)], entry, becomes)]

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return edits that add a line to the deepest matching block, next to related keys, or at the end of the file.

        The value is quoted if YAML would read the unquoted value differently.
        """
        if document.refusals or not re.fullmatch(_KEY, key) or re.search(r"[\r\n]", value):
            return
        from flink_flint.linter.formats.editing.insertion import adds_line, yaml_places

        written = [value] if re.fullmatch(_PLAIN, value) or re.fullmatch(_RETYPED, value) else []
        # Verification selects what works: a plain 1.20 is the number 1.2, and the block may contain the key already.
        for place in yaml_places(document, key):
            for text in (*written, _quoted(value)):
                line = f"{' ' * place.indent}{place.rest}: {text}"
                yield from adds_line(document, place.below, line, key, value)

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return edits that delete the lines of an entry and of parents that become empty (Flink refuses nulls)."""
        return _ways(document, self._removal(document, entry), entry, None)

    @staticmethod
    def _removal(document: Document, entry: Entry, *, moves: bool = False) -> list[Edit] | None:
        """Return the edits that delete the lines of an entry, including its comment if the entry is moved (`moves`)."""
        lines, text = document.lines, document.text
        own = [span for span in entry.path_spans if not document.is_shared(span)]
        if not own:
            return None
        numbers = [lines.position(span.start).line for span in own]
        last = lines.position(max(entry.value_span.end - 1, entry.value_span.start)).line
        for span, number in zip(own, numbers, strict=True):
            if text[lines.span(number).start : span.start].strip():
                return None
        from flink_flint.linter.formats.editing.insertion import removed_lines

        ends = [*(span.end for span in own), entry.value_span.end]
        parents = [number for number in dict.fromkeys(numbers[:-1]) if number != numbers[-1]]
        edits = [edit for number in parents for edit in removed_lines(document, number, number, ends)]
        return [*edits, *removed_lines(document, numbers[-1], last, [] if moves else ends)]


def _ways(document: Document, edits: list[Edit] | None, entry: Entry, becomes: tuple[str, str] | None) -> Ways:
    """Return the edits as the only way to give an entry the key and value `becomes` (None: delete it)."""
    from flink_flint.linter.formats.editing.insertion import promises

    return promises(document, edits, document.changes(entry, becomes)) if edits else ()


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


FILE_FORMAT = ConfigYaml()
