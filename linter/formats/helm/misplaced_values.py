"""Fields of a custom resource at the wrong level of Helm values, where no template reads them."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_FIELDS = {
    "job": ("jarURI", "entryClass", "upgradeMode", "parallelism", "state"),
    "jobManager": ("resource", "replicas"),
    "taskManager": ("resource", "replicas"),
    "flinkConfiguration": (),
}
_FILE = regex(r"[\w-]+(?:\.[\w-]+)+")
_MAX_DEPTH = 6
_MAX_NODES = 2_000


class _Field(NamedTuple):
    parent: tuple[str, ...]
    name: str
    span: Span
    siblings: tuple[str, ...]


def misplaced(root: Value) -> Iterator[Element]:
    """Yield an element for each field that is one level above or below the mapping in which it belongs.

    A field is too high if the mapping below has `flinkConfiguration` and more of the fields than the level above.
    `flinkConfiguration` is too low if all its siblings are file names.
    """
    fields = list(_fields(root))
    inside: dict[tuple[str, ...], dict[str, _Field]] = {}
    for field in fields:
        inside.setdefault(field.parent, {})[field.name] = field
    for parent, related in inside.items():
        if "flinkConfiguration" in related and len(related) > 1 and parent:
            outer = {name: field for name, field in inside.get(parent[:-1], {}).items() if name not in related}
            if outer and "flinkConfiguration" not in outer and len(outer) < len(related):
                yield from (_element(field, parent) for field in outer.values())
        elif len(related) > 1:
            for below, others in inside.items():
                if below[:-1] == parent and below != parent and list(others) == ["flinkConfiguration"]:
                    field = others["flinkConfiguration"]
                    if field.siblings and all(_FILE.fullmatch(name) for name in field.siblings):
                        yield _element(field, parent)


def _element(field: _Field, belongs: tuple[str, ...]) -> Element:
    attributes = {
        "path": Attribute(".".join((*field.parent, field.name)), field.span),
        "belongs": Attribute(".".join((*belongs, field.name)), field.span),
    }
    return Element("misplaced-field", field.name, field.span, attributes)


def _fields(root: Value) -> Iterator[_Field]:
    """Yield the fields of custom resources in a file, each with the path of its mapping."""
    stack: list[tuple[tuple[str, ...], Value]] = [((), root)]
    for _ in range(_MAX_NODES):
        if not stack:
            return
        path, mapping = stack.pop()
        pairs = list(mapping.pairs())
        names = [key for key, _, _ in pairs]
        for key, span, value in pairs:
            if not value.is_mapping:
                continue
            typical = _FIELDS.get(key)
            if typical is not None and (not typical or any(value.entry(name) is not None for name in typical)):
                yield _Field(path, key, span, tuple(name for name in names if name != key))
            elif len(path) < _MAX_DEPTH:
                stack.append(((*path, key), value))
