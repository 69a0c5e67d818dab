"""Conversion of the text of a `flink-conf.yaml` to a `config.yaml`, keeping comments and order.

The values written are those that Flink's old parser reads, and the new text is parsed again as Flink will before it is
returned.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.config_yaml_writing import BLANK, Item, Remark, Written, comment, flat, nested
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, Entry, read_config_yaml, read_flink_conf
from flink_flint.linter.flink.invalid_config_yaml import template_tags
from flink_flint.linter.flink.java_text import JAVA_BLANKS
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.migrate.option_names import Names, is_parsed_differently
from flink_flint.linter.output import ISSUES
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines, Span

_COMMENTED_SETTING = regex(r"#+[ \t]*([A-Za-z][\w\-]*(?:\.[\w<>\-]+)*)[ \t]*:(?:[ \t]|$)")
_MARK = "\ufeff"

_WHY_SKIPPED = {
    "missing-space": "there is no space after its colon",
    "tab": "there is a tab instead of the space after the colon",
    "equals": "it has = and no colon",
    "empty-value": "it has no value",
    "comment-only-value": "its value begins with #",
    "empty-key": "it has no key",
    "list-item": "it is an item of a list, and this file has none",
    "continuation": "it continues the line above, which this format does not support",
    "document-marker": "it marks a YAML document, which this file is not",
    "no-separator": "it has no colon followed by a space",
}


class Note(NamedTuple):
    """A note on a line of the old file; it never shows a value. `kind` is "warning" or "info"."""

    line: int
    message: str
    kind: str = "warning"


class Migration(NamedTuple):
    """A new `config.yaml`, with notes on the conversion."""

    text: str
    notes: list[Note]


class Unknowable(ValueError):  # noqa: N818 - the name says what the file is
    """Raised for a template line whose contents are known only after rendering."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.message = line, message


def migrate(
    text: str, *, is_nested: bool = True, to: int = NEWEST, rename: bool = False, is_template: bool = False
) -> Migration:
    """Convert the text of a `flink-conf.yaml`, as decoded by `decode`, to a `config.yaml`.

    `to` is the index in releases.MINORS of the release whose names `rename` writes. Raises ValueError, with the line,
    if there is no file that Flink would read as the same settings, or if the text is a template whose tags are more
    than values.
    """
    return _Migrator(text, to, rename=rename, is_template=is_template).migration(is_nested=is_nested)


class _Migrator:
    """Converts one file."""

    def __init__(self, text: str, to: int, *, rename: bool, is_template: bool) -> None:
        self.text = text
        self.lines = Lines(text)
        self.notes: list[Note] = []
        self.content = read_flink_conf(text)
        if self.content.refusals:
            raise ValueError(self.content.refusals[0].message)
        self._look_at_tags(is_template=is_template)
        self.names = Names(self.content.settings(), to) if rename else None
        self.to = to

    def migration(self, *, is_nested: bool) -> Migration:
        items = list(self._items())
        written = "\n".join((nested if is_nested else flat)(items))
        if written:
            written += "\n"
        if 2 * self.text.count("\r\n") > self.text.count("\n"):
            written = written.replace("\n", "\r\n")
        self._check_against_old(written)
        return Migration(written, sorted(self.notes))

    def _items(self) -> Iterator[Item]:
        """Yield the converted lines of the old file, in order."""
        entries = {self._line(entry.key_span): entry for entry in self.content.entries}
        skipped = {self._line(line.span): line for line in self.content.skipped}
        last = {entry.key: line for line, entry in entries.items()}
        for number in range(1, len(self.lines.starts) + 1):
            start, end = self.lines.span(number)
            line = self.text[start:end].strip(JAVA_BLANKS)
            if number in entries:
                yield self._setting(entries[number], number, last[entries[number].key], line)
            elif line.removeprefix(_MARK)[:1] not in ("", "#"):
                why = _WHY_SKIPPED[skipped[number].reason]
                self._note(number, f"Flink skips this line, because {why}; it stays as a comment")
                yield Remark(f"# {line}", is_setting=True)
            elif "#" in line:
                yield _remark(line[line.index("#") :])
            elif end < len(self.text):
                yield BLANK

    def _setting(self, entry: Entry, number: int, last: int, line: str) -> Item:
        key = entry.key
        if entry.overridden:
            self._note(number, f"{key} is set again in line {last}, which wins; this line is kept as a comment")
            return Remark(f"# {line}", is_setting=True)
        comment, gap = "", " "
        if entry.comment is not None:
            comment = self.text[slice(*entry.comment)].rstrip(JAVA_BLANKS)
            before = self.text[entry.value_span.end : entry.comment.start]
            if not before:
                self._note(number, f"Flink ends the value of {key} at the #; the rest stays as a comment")
            gap = before if before and not before.strip(" ") else " "
        self._look_at_value(entry, number)
        if self.names is not None:
            key = self.names.of(key, lambda message, kind: self._note(number, message, kind))
        return Written(key, entry.text, comment, gap)

    def _look_at_value(self, entry: Entry, number: int) -> None:
        """Add notes on values that a reader of the new file may not expect."""
        key, value = entry.key, entry.text
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            self._note(
                number, f"the quotes are part of the value of {key} and are kept; remove them unless they are intended"
            )
        if key.startswith(_MARK):
            self._note(number, "a byte order mark is part of this key, so that Flink does not know it")
        if "\ufffd" in value and "\ufffd" not in entry.raw:
            self._note(number, f"the value of {key} is not UTF-8; what Flink makes of its bytes is written")
        if is_parsed_differently(key, value, self.to):
            self._note(
                number,
                f"the value of {key} will be parsed differently: in {CONFIG_YAML} Flink also accepts lists and maps as "
                f"YAML, in {FLINK_CONF} it does not",
            )

    def _look_at_tags(self, *, is_template: bool) -> None:
        """Add notes on template tags: Flink reads them literally, and an engine renders them to a different file."""
        values = {self._line(entry.key_span): entry.value_span for entry in self.content.entries}
        for tag in template_tags(self.text):
            number = self._line(tag)
            start, end = values.get(number, Span(0, 0))
            if start <= tag.start and tag.end <= end:
                self._note(number, "this value contains a template tag, which is copied; migrate the rendered file")
            elif not self.text[self.lines.span(number).start : tag.start].lstrip().startswith("#"):
                message = "there is a template tag outside of a value: migrate the rendered file"
                if is_template:
                    raise Unknowable(number, message)
                self._note(number, message)

    def _check_against_old(self, written: str) -> None:
        """Parse the new file as Flink will; raises ValueError if its settings differ from the old ones."""
        expected = self.content.settings()
        if self.names is not None:
            expected = {self.names.renamed.get(key, key): value for key, value in expected.items()}
        result = read_config_yaml(written)
        if result.refusals:
            raise ValueError(f"as {CONFIG_YAML} Flink would refuse it: {result.refusals[0].message}")
        found = result.settings()
        if found != expected or len(result.entries) != len(expected):
            differing = sorted(key for key in {*found, *expected} if found.get(key) != expected.get(key))
            raise ValueError(
                f"{', '.join(differing)} cannot be written so that Flink reads it back; report it: {ISSUES}"
            )

    def _line(self, span: Span) -> int:
        return self.lines.position(span.start).line

    def _note(self, line: int, message: str, kind: str = "warning") -> None:
        self.notes.append(Note(line, comment(message), kind))


def _remark(text: str) -> Remark:
    """Return a comment; a commented-out setting is recognized by its key, which has dots or is known to Flink."""
    found = _COMMENTED_SETTING.match(text)
    return Remark(text, found is not None and ("." in found[1] or bool(catalogue().releases(found[1]))))
