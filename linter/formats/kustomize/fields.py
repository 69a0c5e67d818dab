"""Typed access to the fields of a kustomization; refuses unknown fields and wrong types, as kustomize does."""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.formats.kustomize.object_tree import Mapping, Node, Scalar, Sequence, is_missing
from flink_flint.linter.formats.kustomize.problems import Refused
from flink_flint.linter.formats.kustomize.scalar_types import BOOLEAN, DATE, INTEGER, NULL, STRING, integer, truth


def checked(mapping: Mapping, known: Iterable[str]) -> Mapping:
    """Return a mapping with its keys in the known spelling, ignoring case; raise `Refused` for unknown keys."""
    spellings = {name.lower(): name for name in known}
    made = Mapping(mapping.origin)
    for key, value in mapping.values.items():
        name = spellings.get(key.lower())
        if name is None:
            raise Refused(f"the field {key} does not exist", mapping.keys[key].origin)
        made.set(name, value, mapping.keys[key])
    return made


def string(mapping: Mapping, key: str) -> Scalar | None:
    """Return the string at a key, None if it is missing, null, or empty; raise `Refused` if it is not a string."""
    found = mapping.get(key)
    if found is None or is_missing(found):
        return None
    text = _string(found, key)
    return text if text.text else None


def _string(node: Node, key: str) -> Scalar:
    if not isinstance(node, Scalar) or node.kind not in (STRING, DATE, NULL):
        raise Refused(f"{key} must be a string", node.origin)
    return node


def flag(mapping: Mapping | None, key: str) -> bool:
    """Return the boolean at a key, False if it is missing; raise `Refused` if it is not a boolean."""
    found = mapping.get(key) if mapping is not None else None
    if found is None or is_missing(found):
        return False
    if not isinstance(found, Scalar) or found.kind != BOOLEAN:
        raise Refused(f"{key} must be true or false", found.origin)
    return truth(found.text)


def number(mapping: Mapping, key: str) -> int | None:
    """Return the integer at a key, None if it is missing; raise `Refused` if it is not an integer."""
    found = mapping.get(key)
    if found is None or is_missing(found):
        return None
    if not isinstance(found, Scalar) or found.kind != INTEGER:
        raise Refused(f"{key} must be an integer", found.origin)
    return integer(found.text)


def items(mapping: Mapping, key: str) -> list[Node]:
    """Return the items of the list at a key (empty if it is missing); raise `Refused` if it is not a list."""
    found = mapping.get(key)
    if found is None or is_missing(found):
        return []
    if not isinstance(found, Sequence):
        raise Refused(f"{key} must be a list", found.origin)
    return found.items


def strings(mapping: Mapping, key: str) -> list[Scalar]:
    """Return the items of the list of strings at a key; raise `Refused` if it is anything else."""
    return [_string(item, f"a member of {key}") for item in items(mapping, key)]


def mappings(mapping: Mapping, key: str, known: Iterable[str]) -> list[Mapping]:
    """Return the list of mappings at a key; raise `Refused` if an item is not a mapping or has an unknown key."""
    known = tuple(known)
    found: list[Mapping] = []
    for item in items(mapping, key):
        if not isinstance(item, Mapping):
            raise Refused(f"a member of {key} must be a mapping", item.origin)
        found.append(checked(item, known))
    return found


def submapping(mapping: Mapping, key: str, known: Iterable[str] | None = None) -> Mapping | None:
    """Return the mapping at a key, None if it is missing; raise `Refused` if it is anything else."""
    found = mapping.get(key)
    if found is None or is_missing(found):
        return None
    if not isinstance(found, Mapping):
        raise Refused(f"{key} must be a mapping", found.origin)
    return found if known is None else checked(found, known)


def string_map(mapping: Mapping | None, key: str) -> dict[str, tuple[Scalar, Scalar]]:
    """Return the key and value of each entry of the mapping at `key`; raise `Refused` if a value is not a string."""
    found = submapping(mapping, key) if mapping is not None else None
    if found is None:
        return {}
    return {name: (found.keys[name], _string(value, name)) for name, value in found.values.items()}
