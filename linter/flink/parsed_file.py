"""The contents of a configuration file: entries with positions, dropped lines, and reasons to reject the file."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

FLINK_CONF = "flink-conf.yaml"
CONFIG_YAML = "config.yaml"

CODE_POINT_LIMIT = 3 * 1024 * 1024
"""The number of characters after which no YAML token may begin; a fixed default of Flink's YAML library."""

MAX_CHARACTERS = 4 * 1024 * 1024
"""The maximum number of characters read from a configuration file, for speed; real files are far shorter."""


REMOVED = "removed by the operator"
"""The prefix of the layer of entries that take a key out of the effective settings, since no process gets it."""


class OperatorRange(NamedTuple):
    """Minor releases of the Flink Kubernetes Operator: from `since` on, before `until`; None is no limit."""

    since: tuple[int, int] | None = None
    until: tuple[int, int] | None = None

    def covers(self, operator: tuple[int, int] | None) -> bool:
        """Return whether a release is in the range; None is the newest one."""
        if operator is None:
            return self.until is None
        return (self.since is None or operator >= self.since) and (self.until is None or operator < self.until)


class Entry:
    """One setting in a file, with its key, value, and positions.

    `key` is flattened as in Flink's configuration; `value` is what Flink's file parser makes of it (a str from
    `flink-conf.yaml`); `text` is the value as in Configuration.toMap(); `raw` the value as written. `style` is plain,
    single, double, literal, folded, flow or block (a collection), or legacy. `nested` means that the key was reached
    through a nested mapping, or was indented in `flink-conf.yaml`, whose `indent` and `comment` (cut off by the first
    ``#``) are kept. An `overridden` entry is replaced by a later one of the same key; an entry `may_be_replaced` if a
    tag of a template below it may insert a line with its key. `layer` is the source of a value that is not one of the
    file's own settings (a typed field of a custom resource, a call of the program); such an entry is written under
    another name, and its `style` is ``implied``. It `removes` its key if nothing gets what earlier entries say. Only
    under the releases of the operator in `operators` it is one of the settings; None: under all.

    Spans are offsets into the decoded text: `key_span` covers the last segment's scalar of a nested key, `path_spans`
    those of all segments, `value_span` the value as written with its quotes.
    """

    __slots__ = (
        *("_key_end", "_key_start", "_parents", "_value_end", "_value_start"),
        *("comment", "indent", "key", "layer", "may_be_replaced"),
        *("nested", "operators", "overridden", "raw", "style", "text", "value"),
    )

    def __init__(
        self, key: str, value: object, text: str, key_bounds: tuple[int, int], value_bounds: tuple[int, int],
        raw: str, style: str, *, parents: tuple[Span, ...] = (), nested: bool = False, indent: int = 0,
        comment: Span | None = None,
    ) -> None:  # fmt: skip
        self.key, self.value, self.text = key, value, text
        self._key_start, self._key_end = key_bounds
        self._value_start, self._value_end = value_bounds
        self.raw, self.style, self._parents = raw, style, parents
        self.nested, self.indent, self.comment = nested, indent, comment
        self.overridden = self.may_be_replaced = False
        self.layer = ""
        self.operators: OperatorRange | None = None

    @property
    def key_span(self) -> Span:
        return Span(self._key_start, self._key_end)

    @property
    def value_span(self) -> Span:
        return Span(self._value_start, self._value_end)

    @property
    def field(self) -> str:
        """The field of a custom resource that sets the option (``spec.job.parallelism``); empty if no field does."""
        return self.layer if self.layer.startswith("spec.") else ""

    @property
    def removes(self) -> bool:
        """Whether the entry takes its key out of the effective settings."""
        return self.layer.startswith(REMOVED)

    @property
    def path_spans(self) -> tuple[Span, ...]:
        return (*self._parents, Span(self._key_start, self._key_end))

    def __repr__(self) -> str:
        return f"Entry({self.key!r}, {self.value!r})"


class Skipped(NamedTuple):
    """A line of `flink-conf.yaml` that Flink drops, with the key and value that its author probably meant.

    `reason`: missing-space (``a:b``), tab (a tab instead of the space), equals, empty-value, empty-key,
    comment-only-value (nothing is left before the ``#``), list-item, continuation, document-marker, no-separator. `key`
    and `value` are guesses, empty if there is nothing to guess.
    """

    reason: str
    span: Span
    key: str
    key_span: Span
    value: str
    value_span: Span


class Refusal(NamedTuple):
    """The reason a whole file is rejected: flint's explanation (`message`) and the root cause (`error`)."""

    reason: str
    message: str
    span: Span
    key: str = ""
    error: str = ""


class ConfigurationFile:
    """The contents of a file: all entries in file order, the dropped lines, and the reasons to reject the file.

    `refusals[0]` is what Flink would report; `warnings` is what it would log at WARN or ERROR.
    """

    __slots__ = ("entries", "refusals", "skipped", "warnings")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.skipped: list[Skipped] = []
        self.refusals: list[Refusal] = []
        self.warnings: list[str] = []

    def settings(self) -> dict[str, str]:
        """Return the settings as Configuration.toMap() does after loading; meaningless if Flink rejects the file."""
        return {entry.key: entry.text for entry in self.entries}

    def mark_overridden(self) -> None:
        """Mark the entries that a later entry with the same key replaces."""
        mark_overridden(self.entries)


def mark_overridden(entries: Sequence[Entry]) -> None:
    """Mark which entries a later one with the same key replaces."""
    last: dict[str, Entry] = {entry.key: entry for entry in entries}
    if len(last) < len(entries):
        for entry in entries:
            entry.overridden = last[entry.key] is not entry


def entries_under(operator: tuple[int, int] | None, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return the entries that are settings under a release of the operator, marked; None is the newest release."""
    if all(entry.operators is None for entry in entries):
        return entries
    kept = [entry for entry in entries if entry.operators is None or entry.operators.covers(operator)]
    for entry in kept:
        entry.overridden = False
    mark_overridden(kept)
    return kept


def too_long(length: int) -> Refusal:
    """Return the refusal for a text of `length` characters, which is more than MAX_CHARACTERS."""
    message = f"the file has {length} characters; nothing beyond {MAX_CHARACTERS} is read"
    return Refusal("too-large", message, Span(0, 0))
