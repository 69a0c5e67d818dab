"""Fields of a custom resource that stand beside their kin in Helm values, where no template looks for them."""

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
_DEEPEST = 6
_MOST = 2_000


class _Field(NamedTuple):
    parent: tuple[str, ...]
    name: str
    span: Span
    siblings: tuple[str, ...]


def misplaced(root: Value) -> Iterator[Element]:
    """The fields that stand one level above the mapping which holds their kin, or one below it.

    Above it a field counts where the mapping has `flinkConfiguration` and no fewer of the other fields than stand
    outside. Below it `flinkConfiguration` counts where it lies among the names of files.
    """
    fields = list(_fields(root))
    inside: dict[tuple[str, ...], dict[str, _Field]] = {}
    for field in fields:
        inside.setdefault(field.parent, {})[field.name] = field
    for parent, kin in inside.items():
        if "flinkConfiguration" in kin and len(kin) > 1 and parent:
            outer = {name: field for name, field in inside.get(parent[:-1], {}).items() if name not in kin}
            if outer and "flinkConfiguration" not in outer and len(outer) < len(kin):
                yield from (_element(field, parent) for field in outer.values())
        elif len(kin) > 1:
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
    """The typed fields of a file, with the mapping they stand in."""
    stack: list[tuple[tuple[str, ...], Value]] = [((), root)]
    for _ in range(_MOST):
        if not stack:
            return
        path, mapping = stack.pop()
        pairs = list(mapping.pairs())
        names = [key for key, _, _ in pairs]
        for key, span, value in pairs:
            if not value.is_mapping:
                continue
            wanted = _FIELDS.get(key)
            if wanted is not None and (not wanted or any(value.entry(name) is not None for name in wanted)):
                yield _Field(path, key, span, tuple(name for name in names if name != key))
            elif len(path) < _DEEPEST:
                stack.append(((*path, key), value))
