"""Strategic merge patches, as kustomize applies them (kyaml's merge2 and walk).

The whole object is walked, not only what the patch contains, and this has visible effects: keys without a value are
removed, and lists that merge lose repeated members. Lists without merge keys are replaced. Members of a merged list
that are in the patch come first.
"""

from __future__ import annotations

from flink_flint.linter.formats.kustomize.merge_keys import definition_of, field_of
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    is_missing,
    made_scalar,
)
from flink_flint.linter.formats.kustomize.problems import NotKnown, Refused
from flink_flint.linter.formats.kustomize.scalar_types import NULL

_DIRECTIVE = "$patch"
_MAX_ITEMS = 500
"""Maximum length of a list that is merged by several keys, which takes quadratic time."""


class _KeptNull(Scalar):
    """A null that the object has explicitly, which stays."""


def merged(target: Mapping, patch: Mapping) -> Mapping | None:
    """Apply `patch` to `target` and return the result, None if the patch deletes the object; modify both arguments.

    Raises `Refused` if kustomize refuses the patch, and `NotKnown` if the result is not known.
    """
    result = _walk(target, patch, "", None)
    return result if isinstance(result, Mapping) else None


def _walk(target: Node | None, patch: Node | None, definition: str, keys: tuple[str, ...] | None) -> Node | None:
    leader = patch if is_missing(target) else target
    if is_missing(leader) or leader is None:
        return _walk_mappings(target, patch, definition)
    expected = Mapping if isinstance(leader, Mapping) else Sequence if isinstance(leader, Sequence) else Scalar
    if patch is not None and not is_missing(patch) and not isinstance(patch, expected):
        raise Refused("the patch has another type of value than the object", patch.origin)
    if isinstance(leader, Mapping):
        definition = definition or _own_definition(target) or _own_definition(patch)
        return _walk_mappings(target, patch, definition)
    if isinstance(leader, Sequence) and keys is not None:
        return _walk_lists(target, patch, definition, keys)
    return target if patch is None else patch


def _own_definition(node: Node | None) -> str:
    return definition_of(node.text("apiVersion"), node.text("kind")) if isinstance(node, Mapping) else ""


# -- mappings


def _walk_mappings(target: Node | None, patch: Node | None, definition: str) -> Node | None:
    result = _chosen(target, patch)
    if not isinstance(result, Mapping):
        return result
    of_patch = patch if isinstance(patch, Mapping) else None
    names = set(result.values)
    if of_patch is not None:
        names.update(of_patch.values)
    for name in sorted(names):
        field = field_of(definition, name)
        old, new = result.values.get(name), of_patch.values.get(name) if of_patch is not None else None
        value = _walk(old, new, field.definition, field.keys)
        if value is None or (is_missing(value) and not isinstance(value, _KeptNull)):
            result.remove(name)
        elif value is not old:
            if isinstance(value, Scalar) and isinstance(old, Scalar):
                value = value.in_place_of(old)
            result.set(name, value, of_patch.keys.get(name) if of_patch is not None else None)
    return result


def _chosen(target: Node | None, patch: Node | None) -> Node | None:
    """Return the mapping that continues: of the object, or the patch's if that is new or replaces it."""
    if is_missing(target):
        if isinstance(patch, Mapping) and _directive(patch) == "delete":
            return None
        if patch is None and isinstance(target, Scalar) and target.text:
            return _KeptNull(target.text, NULL, target.origin)
        return patch
    if patch is not None and is_missing(patch):
        return None
    directive = _directive(patch) if isinstance(patch, Mapping) else "merge"
    return None if directive == "delete" else patch if directive == "replace" else target


def _directive(patch: Mapping) -> str:
    """Return the directive of a mapping, and remove it; "merge" if there is none."""
    found = patch.get(_DIRECTIVE)
    if found is None:
        return "merge"
    text = found.text if isinstance(found, Scalar) else ""
    if text not in ("merge", "replace", "delete"):
        raise Refused(f"the patch strategy {text} does not exist", found.origin)
    patch.remove(_DIRECTIVE)
    return text


# -- lists


def _walk_lists(target: Node | None, patch: Node | None, definition: str, keys: tuple[str, ...]) -> Node | None:
    """Return the merged list of mappings that have `keys`, or of scalars if there are none."""
    if is_missing(target):
        result = patch
    elif patch is not None and is_missing(patch):
        return None
    else:
        directive = _list_directive(patch) if isinstance(patch, Sequence) else "merge"
        if directive == "delete":
            return None
        result = patch if directive == "replace" else target
    if not isinstance(result, Sequence):
        return result
    of_patch = patch if isinstance(patch, Sequence) else None
    if not keys:
        return _union(result, of_patch)
    for item in (*result.items, *(of_patch.items if of_patch is not None else ())):
        if not isinstance(item, Mapping) or not item.text(keys[0]):
            if of_patch is None:
                return result
            raise NotKnown(f"a member of a list that is merged by {keys[0]} has none", item.origin)
    if len(keys) == 1:
        return _merged_by_key(result, of_patch, definition, keys[0])
    return _merged_by_keys(result, of_patch, definition, keys)


def _list_directive(patch: Sequence) -> str:
    first = next((item for item in patch.items if isinstance(item, Mapping) and _DIRECTIVE in item.values), None)
    if first is None or len(first.values) > 1:
        return "merge"
    text = first.text(_DIRECTIVE)
    if text not in ("merge", "replace", "delete"):
        raise Refused(f"the patch strategy {text} does not exist", first.origin)
    patch.items = [item for item in patch.items if not is_missing(item) and not _is_directive(item, text)]
    return text


def _is_directive(item: Node, text: str) -> bool:
    return isinstance(item, Mapping) and (not item.values or item.text(_DIRECTIVE) == text)


def _union(result: Sequence, patch: Sequence | None) -> Sequence:
    found: dict[str, Node] = {}
    for item in (*(patch.items if patch is not None else ()), *result.items):
        if not isinstance(item, Scalar):
            raise NotKnown("a member of a list of scalars is none", item.origin)
        found[item.text] = item
    return Sequence(list(found.values()), result.origin)


def _merged_by_key(result: Sequence, patch: Sequence | None, definition: str, key: str) -> Sequence:
    old: dict[str, Mapping] = {}
    last: dict[str, Mapping] = {}
    new: dict[str, Mapping] = {}
    for item in result.items:
        if isinstance(item, Mapping):
            old.setdefault(item.text(key), item)
            last[item.text(key)] = item
    for item in patch.items if patch is not None else ():
        if isinstance(item, Mapping):
            new.setdefault(item.text(key), item)
    made: dict[str, Node] = {}
    for name in (*new, *(name for name in old if name not in new)):
        value = _walk(old.get(name), new.get(name), definition, None)
        if not isinstance(value, Mapping) or not value.values:
            last.pop(name, None)
            continue
        if key not in value.values:
            value.set(key, made_scalar(name, value.origin))
        # Of members with the same key, the object's last one stays; the first one is merged.
        made[name] = value if last.get(name, value) is old.get(name, value) else last[name]
    return Sequence(list(made.values()), result.origin)


def _merged_by_keys(result: Sequence, patch: Sequence | None, definition: str, keys: tuple[str, ...]) -> Sequence:
    """Merge by several keys, of which members may lack all but the first; with kustomize's oddities."""
    old = [item for item in result.items if isinstance(item, Mapping)]
    new = [item for item in patch.items if isinstance(item, Mapping)] if patch is not None else []
    if len(old) + len(new) > _MAX_ITEMS:
        raise NotKnown("the list is too long", result.origin)
    found: dict[tuple[str, ...], None] = {}
    for item in (*new, *old):
        found.setdefault(tuple(item.text(key) for key in keys))
    values = _completed(list(found))
    made: list[Mapping] = []
    used = [key for place, key in enumerate(keys) if any(one[place] for one in values)]
    for one in values:
        wanted = {key: value for key, value in zip(keys, one, strict=True) if value}
        value = _walk(_first(old, wanted), _first(new, wanted), definition, None)
        named = {key: value for key, value in zip(keys, one, strict=True) if key in used}
        if not isinstance(value, Mapping) or not value.values:
            old = [item for item in old if not _has(item, named)]
            continue
        for key, text in named.items():
            if key not in value.values and text:
                value.set(key, made_scalar(text, value.origin))
        made = _with_member(made, value, named)
    for item in old:
        present = {key: item.text(key) for key in used if item.text(key)}
        if len(present) < len(used):
            made.append(item)  # and again below, as if it were another one
        if len(used) > 1:
            made = [member for member in made if not _has(member, present)]
        made = _with_member(made, item, present)
    return Sequence(list(made), result.origin)


def _completed(values: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return values in which those that agree as far as they exist are the same."""
    for first in range(len(values)):
        for second in range(len(values)):
            one, other = values[first], values[second]
            pairs = list(zip(one, other, strict=True))
            if any(a == b for a, b in pairs) and all(a == b or not a or not b for a, b in pairs):
                values[first] = values[second] = tuple(a or b for a, b in pairs)
    return values


def _first(items: list[Mapping], wanted: dict[str, str]) -> Mapping | None:
    return next((item for item in items if _has(item, wanted)), None)


def _has(item: Mapping, wanted: dict[str, str]) -> bool:
    return all(key in item.values and (not value or item.text(key) == value) for key, value in wanted.items())


def _with_member(items: list[Mapping], member: Mapping, named: dict[str, str]) -> list[Mapping]:
    """Return a list in which a member replaces those with the same keys, or is the last one."""
    replaced = [member if _has(item, named) else item for item in items]
    return replaced if any(item is member for item in replaced) else [*items, member]
