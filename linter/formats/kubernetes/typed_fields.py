"""Access to the typed fields of a custom resource, and the entries for the options that they set."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.flink_files.settings_map import implied
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.spans import Span


class TypedFields:
    """The typed fields of a spec; `path` is the path of the spec in its object (``spec``)."""

    def __init__(self, spec: Value, path: str) -> None:
        self.spec, self.path = spec, path

    def pair(self, *path: str) -> tuple[Span, Value] | None:
        """Return the key's span and the value of a scalar field; None if it is missing, empty, or not a scalar."""
        holder = self.spec.get(*path[:-1]) if len(path) > 1 else self.spec
        found = holder.entry(path[-1]) if holder is not None else None
        return found if found is not None and found[1].is_scalar and found[1].raw else None

    def text(self, *path: str) -> str | None:
        """Return the text of the scalar field at a path; None if it is missing or a template determines it."""
        found = self.pair(*path)
        return None if found is None or found[1].is_templated else found[1].text

    def is_unknown(self, *path: str) -> bool:
        """Return whether the field at a path exists and a template determines its value."""
        found = self.pair(*path)
        return found is not None and (found[1].is_templated or found[1].text is None)

    def entry(self, key: str, *path: str, value: str | None = None) -> Iterator[Entry]:
        """Yield the entry for an option that the field at `path` sets, with the field's value or with `value`."""
        found = self.pair(*path)
        if found is None:
            return
        span, field = found
        text = field.raw if field.is_templated else (field.text or "") if value is None else value
        if text:
            yield implied(key, text, span, field.span, field.raw, ".".join((self.path, *path)))

    def derived(self, key: str, value: str | None, place: tuple[Span, Value], layer: str) -> Entry:
        """Return the entry for an option that is computed from the field at `place`; the value None means unknown."""
        span, field = place
        raw = field.raw if field.is_scalar else ""
        entry = implied(key, value or "", span, field.span if field.is_scalar else span, raw, layer)
        if value is None:
            entry.value = None
        return entry
