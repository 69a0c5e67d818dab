"""Merges the pod template of a process into the common one, as the Flink Kubernetes Operator does.

`tests/operator_configuration` compares the result with real releases of the operator.
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.spans import Span

MERGES_BY_NAME = "kubernetes.operator.pod-template.merge-arrays-by-name"


def pod_template(spec: Value, holder: str) -> Value | None:
    """Return the merged pod template of the process that a field of a spec (``jobManager``) describes."""
    common, own = spec.get("podTemplate"), spec.get(holder, "podTemplate")
    if common is None or own is None or not (common.is_mapping and own.is_mapping):
        return own or common
    return _mapping(common, own, by_name=_setting(spec.get("flinkConfiguration"), MERGES_BY_NAME) == "true")


def _setting(configuration: Value | None, key: str) -> str | None:
    """Return the text of a setting, whose key may be written as nested mappings."""
    if configuration is None:
        return None
    for name, _, value in configuration.pairs():
        if name == key:
            return value.text
        if key.startswith(f"{name}.") and (found := _setting(value, key[len(name) + 1 :])) is not None:
            return found
    return None


class _Merged(Value):
    """A mapping or list with members of two; it stands where the one does that it is merged into."""

    __slots__ = ("_entries", "_members")

    def __init__(self, base: Value, entries: dict[str, tuple[Span, Value]], members: list[Value]) -> None:
        super().__init__(base._source, base._node, base._first)
        self._entries, self._members = entries, members

    def pairs(self) -> Iterator[tuple[str, Span, Value]]:
        for name, (span, value) in self._entries.items():
            yield name, span, value

    def items(self) -> list[Value]:
        return self._members

    def entry(self, name: str) -> tuple[Span, Value] | None:
        return self._entries.get(name)


def _mapping(base: Value, over: Value, *, by_name: bool) -> Value:
    entries = {name: (span, value) for name, span, value in base.pairs()}
    for name, span, value in over.pairs():
        before = entries[name][1] if name in entries else None
        if before is None or before.is_scalar or (before.is_sequence and not value.is_sequence):
            entries[name] = span, value
        elif before.is_sequence:
            entries[name] = entries[name][0], _sequence(before, value, by_name=by_name)
        elif value.is_mapping:
            entries[name] = entries[name][0], _mapping(before, value, by_name=by_name)
    return _Merged(base, entries, [])


def _sequence(base: Value, over: Value, *, by_name: bool) -> Value:
    """Return a merged list: by the names of its members, if all have one and that is set, otherwise by place.

    Where two scalars stand at one place, the operator keeps the one of the common template.
    """
    members, others = base.items(), over.items()
    if by_name and all(one.entry("name") for one in (*members, *others)):
        named = {one.string("name"): one for one in members}
        for one in others:
            name = one.string("name")
            named[name] = _mapping(named[name], one, by_name=True) if name in named else one
        return _Merged(base, {}, list(named.values()))
    merged = [
        _mapping(mine, other, by_name=by_name) if mine.is_mapping and other.is_mapping else mine
        for mine, other in zip(members, others, strict=False)
    ]
    return _Merged(base, {}, [*merged, *members[len(merged) :], *others[len(merged) :]])
