"""JSON patches (RFC 6902), as kustomize applies them (evanphx/json-patch, version 4)."""

from __future__ import annotations

from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, Sequence, copied, made_scalar, walk
from flink_flint.linter.formats.kustomize.problems import Budget, NotKnown, Refused
from flink_flint.linter.formats.kustomize.scalar_types import NULL, STRING, as_written
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Origin

_INDEX = regex(r"-?\d{1,9}")


def patched(root: Mapping, operations: Sequence, budget: Budget) -> None:
    """Apply the operations of a JSON patch to an object in place; quotes that are not needed are removed.

    Raises `Refused` for operations that do not apply, and `NotKnown` for those on the whole object.
    """
    for operation in operations.items:
        if not isinstance(operation, Mapping):
            raise Refused("an operation of the patch is no mapping", operation.origin)
        _apply(root, operation, budget)
    budget.spend(sum(_requoted(node) for node in walk(root)), operations.origin)


def _requoted(node: Node) -> int:
    """Give the scalars of a collection the quotes that they have when read from JSON, and return their number."""
    if isinstance(node, Mapping):
        for key, value in node.values.items():
            if isinstance(value, Scalar):
                node.values[key] = value.requoted()
        return len(node.values)
    if isinstance(node, Sequence):
        node.items = [item.requoted() if isinstance(item, Scalar) else item for item in node.items]
        return len(node.items)
    return 0


def _apply(root: Mapping, operation: Mapping, budget: Budget) -> None:
    op, origin = operation.text("op"), operation.origin
    path = operation.get("path")
    if not isinstance(path, Scalar):
        raise Refused("an operation of the patch has no path", origin)
    parent, key = _parent(root, path.text, path.origin)
    if op in ("add", "replace", "test"):
        value = operation.get("value")
        value = copied(value, budget) if value is not None else made_scalar("null", origin, NULL)
        if op == "test":
            if not _equal(_found(parent, key, path.origin) or made_scalar("null", origin, NULL), value):
                raise Refused("the test of the patch fails", path.origin)
        elif op == "add":
            _add(parent, key, value, path)
        else:
            _replace(parent, key, value, path)
    elif op == "remove":
        _remove(parent, key, path.origin)
    elif op in ("move", "copy"):
        start = operation.get("from")
        if not isinstance(start, Scalar):
            raise Refused("an operation of the patch has no source", origin)
        from_parent, from_key = _parent(root, start.text, start.origin)
        value = _value(from_parent, from_key, start.origin)
        if op == "move":
            _remove(from_parent, from_key, start.origin)
            parent, key = _parent(root, path.text, path.origin)
        _add(parent, key, copied(value, budget), path)
    else:
        raise Refused(f"the operation {op} does not exist", origin)


def _parent(root: Mapping, pointer: str, origin: Origin) -> tuple[Mapping | Sequence, str]:
    """Return the collection that a pointer leads into, and the key or index in it."""
    parts = pointer.split("/")
    if len(parts) < 2:
        raise NotKnown("the patch is of the whole object", origin)
    node: Node = root
    for part in parts[1:-1]:
        node = _value(node, _unescaped(part), origin)
    if isinstance(node, Scalar):
        raise Refused(f"the path {pointer} does not exist in the object", origin)
    return node, _unescaped(parts[-1])


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _value(node: Node, key: str, origin: Origin) -> Node:
    if isinstance(node, Mapping) and key in node.values:
        return node.values[key]
    if isinstance(node, Sequence):
        return node.items[_index(node, key, len(node.items), origin)]
    raise Refused(f"the object has no {key} at the path of the patch", origin)


def _found(parent: Mapping | Sequence, key: str, origin: Origin) -> Node | None:
    return parent.values.get(key) if isinstance(parent, Mapping) else _value(parent, key, origin)


def _index(node: Sequence, key: str, length: int, origin: Origin) -> int:
    if not _INDEX.fullmatch(key) or not -length <= int(key) < length:
        raise Refused(f"the list of the object has no member {key}", origin)
    return int(key) % length


def _add(parent: Mapping | Sequence, key: str, value: Node, path: Scalar) -> None:
    if isinstance(parent, Mapping):
        parent.set(key, value, made_scalar(key, path.origin))
    elif key == "-":
        parent.items.append(value)
    else:
        parent.items.insert(_index(parent, key, len(parent.items) + 1, path.origin), value)


def _replace(parent: Mapping | Sequence, key: str, value: Node, path: Scalar) -> None:
    if isinstance(parent, Mapping):
        parent.set(key, value, made_scalar(key, path.origin))  # also if there is no such key
    else:
        parent.items[_index(parent, key, len(parent.items), path.origin)] = value


def _remove(parent: Mapping | Sequence, key: str, origin: Origin) -> None:
    _value(parent, key, origin)
    if isinstance(parent, Mapping):
        parent.remove(key)
    else:
        del parent.items[_index(parent, key, len(parent.items), origin)]


def _equal(one: Node, other: Node) -> bool:
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        if STRING in (one.kind, other.kind):
            return one.kind == other.kind and one.text == other.text
        return as_written(one.text, one.kind) == as_written(other.text, other.kind)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.values.keys() == other.values.keys() and all(
            _equal(value, other.values[key]) for key, value in one.values.items()
        )
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.items) == len(other.items) and all(map(_equal, one.items, other.items))
    return False
