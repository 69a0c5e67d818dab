"""The fields of a custom resource by path, as the operator reads them; some of them may be unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flink_flint.linter.flink.operator.refusal import Unknown

UNKNOWN = object()
"""The value of a field that a template or another file decides."""


class Fields:
    """The fields of a resource: values by dotted path (`spec.job.upgradeMode`, `metadata.name`)."""

    def __init__(self, values: Mapping[str, object], base: str = "spec", *, complete: bool = True) -> None:
        """`base` is the path of the spec of the cluster or job; `complete`: a field that is not there is absent."""
        self.values = values
        self.base = base
        self.complete = complete

    def value(self, path: str) -> object:
        """Return the value of a field of the spec; None if it is absent. Raises Unknown."""
        return self.at(f"{self.base}.{path}")

    def at(self, path: str) -> object:
        """Return the value of a field by its whole path; None if it is absent. Raises Unknown."""
        value = self.values.get(path)
        if value is UNKNOWN or (value is None and not self._lacks(path)):
            raise Unknown(path)
        return value

    def text(self, path: str) -> str | None:
        """Return the text of a field of the spec; None if it is absent. Raises Unknown."""
        value = self.value(path)
        return None if value is None else str(value)

    def number(self, path: str) -> int | None:
        """Return a whole number; None if it is absent. Raises Unknown for anything else, which is not checked here."""
        value = self.value(path)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unknown(path)
        return value

    def has(self, path: str) -> bool:
        """Return whether the spec has a field, or fields below it. Raises Unknown."""
        whole = f"{self.base}.{path}"
        if any(name == whole or name.startswith(f"{whole}.") for name in self.values):
            if self.values.get(whole) is UNKNOWN:
                raise Unknown(path)
            return self.values.get(whole, "") is not None
        if not self._lacks(whole):
            raise Unknown(path)
        return False

    def below(self, path: str) -> Iterator[str]:
        """Yield the names of the fields below a field of the spec. Raises Unknown."""
        whole = f"{self.base}.{path}"
        if self.values.get(whole) is UNKNOWN:
            raise Unknown(path)
        for name in self.values:
            if name.startswith(f"{whole}."):
                yield name[len(whole) + 1 :]

    def _lacks(self, path: str) -> bool:
        """Return whether a field is certainly absent: the resource is complete, and no parent is unknown."""
        parent = path.rpartition(".")[0]
        while parent:
            if self.values.get(parent) is UNKNOWN:
                return False
            parent = parent.rpartition(".")[0]
        return self.complete


def flattened(resource: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a resource by path; an empty object is a field without a value of its own."""
    found: dict[str, object] = {}
    _flatten("", resource, found)
    return found


def _flatten(path: str, value: object, found: dict[str, object]) -> None:
    if isinstance(value, Mapping):
        if path and not value:
            found[path] = value
        for name, inner in value.items():
            _flatten(f"{path}.{name}" if path else str(name), inner, found)
    else:
        found[path] = value
