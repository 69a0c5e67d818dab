"""Template functions for maps and lists."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_printing import shown
from flink_flint.linter.formats.helm.rendering.go_values import (
    List,
    Map,
    OpenMap,
    Unknown,
    copied,
    int_argument,
    is_empty,
    is_equal,
    kind,
    list_argument,
    map_argument,
    text_argument,
    why_unknown,
)
from flink_flint.linter.formats.helm.rendering.limits import MAX_DEPTH, Budget, LimitExceeded, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import sliced


@function("dict", passes_unknown=True)
def dictionary(budget: Budget, *values: object) -> object:
    """Return a map made from alternating keys and values."""
    budget.items(len(values))
    made = Map()
    for at in range(0, len(values), 2):
        made.put(shown(values[at], budget), values[at + 1] if at + 1 < len(values) else "")
    return made


@function("list", "tuple", passes_unknown=True)
def listed(budget: Budget, *values: object) -> object:
    """Return a list of the given values."""
    budget.items(len(values))
    return List(values)


def _known_key(key: object) -> str:
    if reason := why_unknown(key):
        raise NotRendered(f"a key is unknown: {reason}")
    return text_argument(key)


@function("get", passes_unknown=True, least=2, most=2)
def get(budget: Budget, content: object, key: object) -> object:
    """Return the value of a key in a map, or an empty string if the key is missing."""
    if isinstance(content, Unknown):
        return content
    return map_argument(content).get(_known_key(key), "")


@function("set", passes_unknown=True, least=3, most=3)
def put(budget: Budget, content: object, key: object, value: object) -> object:
    """Set the value of a key in a map, and return the map."""
    if isinstance(content, Unknown):
        return content
    map_argument(content).put(_known_key(key), value)
    return content


@function("unset", passes_unknown=True, least=2, most=2)
def unset(budget: Budget, content: object, key: object) -> object:
    """Remove a key from a map, and return the map."""
    if isinstance(content, Unknown):
        return content
    map_argument(content).pop(_known_key(key), None)
    return content


@function("hasKey", least=2, most=2)
def has_key(budget: Budget, content: object, key: object) -> object:
    """Return whether a map has a key."""
    name, entries = text_argument(key), map_argument(content)
    if name not in entries and isinstance(entries, OpenMap) and not entries.keys_are_known:
        return entries.missing(name)
    return name in entries


@function("keys", passes_unknown=False)
def keys(budget: Budget, *contents: object) -> object:
    """Return the keys of all given maps, sorted within each map (in Go, the order is random)."""
    found = List(key for content in contents for key in sorted(map_argument(content)))
    budget.items(len(found))
    return found


@function("values", least=1, most=1)
def values_of(budget: Budget, content: object) -> object:
    """Return the values of a map, sorted by key (in Go, the order is random)."""
    entries = map_argument(content)
    budget.items(len(entries))
    return List(entries[key] for key in sorted(entries))


@function("pick", least=1)
def pick(budget: Budget, content: object, *names: object) -> object:
    """Return a map with only the given keys."""
    kept = set(map(text_argument, names))
    budget.items(len(map_argument(content)) + len(names))
    return Map((key, value) for key, value in map_argument(content).items() if key in kept)


@function("omit", least=1)
def omit(budget: Budget, content: object, *names: object) -> object:
    """Return a map without the given keys."""
    left_out = set(map(text_argument, names))
    budget.items(len(map_argument(content)) + len(names))
    return Map((key, value) for key, value in map_argument(content).items() if key not in left_out)


@function("pluck", least=1)
def pluck(budget: Budget, key: object, *contents: object) -> object:
    """Return a list of the values that several maps have for a key."""
    name = text_argument(key)
    return List(content[name] for content in map(map_argument, contents) if name in content)


@function("dig", passes_unknown=False, least=3)
def dig(budget: Budget, *values: object) -> object:
    """Return the value at a path of keys in a map, or the given default if a key is missing."""
    *names, default, content = values
    for number, name in enumerate(names):
        entries = map_argument(content)
        if text_argument(name) not in entries:
            is_open = isinstance(entries, OpenMap) and not entries.keys_are_known
            return entries.missing(text_argument(name)) if is_open else default  # type: ignore[attr-defined]
        content = entries[text_argument(name)]
        if isinstance(content, Unknown) and number < len(names) - 1:
            return content
    return content


def _merge(budget: Budget, target: Map, source: Map, depth: int, *, overwrite: bool) -> None:
    """Merge a map into another as the Go library mergo does."""
    if depth > MAX_DEPTH:
        raise LimitExceeded("values are nested too deeply")
    budget.spend(1 + len(source))
    for key, value in source.items():
        current = target.get(key)
        if isinstance(value, Map) and isinstance(current, Map):
            if current is not value:
                _merge(budget, current, value, depth + 1, overwrite=overwrite)
        elif overwrite or key not in target or (_is_empty(current) and not is_empty(value)):
            target.put(key, value)


def _is_empty(value: object) -> bool:
    return not isinstance(value, Unknown) and is_empty(value)


@function("merge", "mustMerge", passes_unknown=False, least=1)
def merge(budget: Budget, target: object, *sources: object) -> object:
    """Add the entries of other maps to a map without replacing existing ones, and return the map."""
    for source in sources:
        _merge(budget, map_argument(target), map_argument(source), 0, overwrite=False)
    return target


@function("mergeOverwrite", "mustMergeOverwrite", passes_unknown=False, least=1)
def merge_overwrite(budget: Budget, target: object, *sources: object) -> object:
    """Add the entries of other maps to a map, replacing existing ones, and return the map."""
    for source in sources:
        _merge(budget, map_argument(target), map_argument(source), 0, overwrite=True)
    return target


@function("deepCopy", "mustDeepCopy", passes_unknown=False, least=1, most=1)
def deep_copy(budget: Budget, value: object) -> object:
    """Return a deep copy of a value."""
    return copied(value, budget.spend)


@function("first", "mustFirst", least=1, most=1)
def first(budget: Budget, values: object) -> object:
    """Return the first member of a list, or nil."""
    members = list_argument(values)
    return members[0] if members else None


@function("last", "mustLast", least=1, most=1)
def last(budget: Budget, values: object) -> object:
    """Return the last member of a list, or nil."""
    members = list_argument(values)
    return members[-1] if members else None


@function("rest", "mustRest", least=1, most=1)
def rest(budget: Budget, values: object) -> object:
    """Return a list without its first member."""
    budget.items(len(list_argument(values)))
    return List(list_argument(values)[1:])


@function("initial", "mustInitial", least=1, most=1)
def initial(budget: Budget, values: object) -> object:
    """Return a list without its last member."""
    budget.items(len(list_argument(values)))
    return List(list_argument(values)[:-1])


@function("append", "push", "mustAppend", "mustPush", passes_unknown=True, least=2, most=2)
def append(budget: Budget, values: object, value: object) -> object:
    """Return a list with a value appended to it."""
    if isinstance(values, Unknown):
        return values
    budget.items(len(list_argument(values)))
    return List([*list_argument(values), value])


@function("prepend", "mustPrepend", passes_unknown=True, least=2, most=2)
def prepend(budget: Budget, values: object, value: object) -> object:
    """Return a list with a value prepended to it."""
    if isinstance(values, Unknown):
        return values
    budget.items(len(list_argument(values)))
    return List([value, *list_argument(values)])


@function("concat")
def concat(budget: Budget, *lists: object) -> object:
    """Return one list of the members of all given lists."""
    made = List(value for values in lists for value in list_argument(values))
    budget.items(len(made))
    return made


@function("reverse", "mustReverse", least=1, most=1)
def reverse(budget: Budget, values: object) -> object:
    """Return a list in reverse order."""
    budget.items(len(list_argument(values)))
    return List(reversed(list_argument(values)))


@function("compact", "mustCompact", least=1, most=1)
def compact(budget: Budget, values: object) -> object:
    """Return a list without its empty members."""
    budget.items(len(list_argument(values)))
    return List(value for value in list_argument(values) if not is_empty(value))


@function("uniq", "mustUniq", least=1, most=1)
def uniq(budget: Budget, values: object) -> object:
    """Return a list without duplicate members."""
    return List(_distinct(budget, list_argument(values)))


def _distinct(budget: Budget, values: list[object]) -> list[object]:
    kept: list[object] = []
    texts: set[str] = set()
    for value in values:
        if isinstance(value, str):
            if value not in texts:
                texts.add(value)
                kept.append(value)
        elif not any(is_equal(value, other, budget.spend) for other in kept):
            kept.append(value)
    return kept


@function("without", "mustWithout", least=1)
def without(budget: Budget, values: object, *left_out: object) -> object:
    """Return a list without the members that equal one of the given values."""
    return List(
        value for value in list_argument(values) if not any(is_equal(value, other, budget.spend) for other in left_out)
    )


@function("has", "mustHas", least=2, most=2)
def has(budget: Budget, value: object, values: object) -> object:
    """Return whether a list contains a value."""
    if values is None:
        return False
    return any(is_equal(value, other, budget.spend) for other in list_argument(values))


@function("slice", "mustSlice", least=1, most=3)
def slice_of(budget: Budget, values: object, *bounds: object) -> object:
    """Return the part of a list or string between two indexes."""
    start = int_argument(bounds[0]) if bounds else 0
    size = len(values) if isinstance(values, str | list) else 0
    end = int_argument(bounds[1]) if len(bounds) > 1 else size
    if not 0 <= start <= end <= size:
        raise NotRendered("slice out of range")
    if isinstance(values, str):
        return sliced(values, start, end)
    budget.items(end - start)
    return List(list_argument(values)[start:end])


@function("chunk", "mustChunk", least=2, most=2)
def chunk(budget: Budget, size: object, values: object) -> object:
    """Return a list split into lists of at most `size` members."""
    width, members = int_argument(size), list_argument(values)
    if width < 1:
        raise NotRendered("chunks without members")
    budget.items(len(members))
    return List(List(members[at : at + width]) for at in range(0, len(members), width))


@function("sortAlpha", least=1, most=1)
def sort_alpha(budget: Budget, values: object) -> object:
    """Return the members of a list, converted to strings and sorted."""
    members = values if isinstance(values, list) else [values]
    budget.items(len(members))
    return List(sorted(shown(value, budget) for value in members))


@function("len", least=1, most=1)
def length(budget: Budget, value: object) -> object:
    """Return the number of members of a list or map, or the number of bytes in a string."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, list | dict):
        return len(value)
    raise NotRendered(f"len of type {kind(value)}")


@function("index", passes_unknown=True, least=1)
def index(budget: Budget, value: object, *places: object) -> object:
    """Return the element at a path of map keys and list indexes."""
    for place in places:
        if isinstance(value, Unknown):
            return value
        if reason := why_unknown(place):
            raise NotRendered(f"an index is unknown: {reason}")
        if isinstance(value, dict):
            value = value.get(text_argument(place))
        elif isinstance(value, list):
            at = int_argument(place)
            if not 0 <= at < len(value):
                raise NotRendered(f"index out of range: {at}")
            value = value[at]
        elif value is None:
            raise NotRendered("index of untyped nil")
        elif isinstance(value, str):
            data = value.encode()
            at = int_argument(place)
            if not 0 <= at < len(data):
                raise NotRendered(f"index out of range: {at}")
            value = data[at]
        else:
            raise NotRendered(f"can't index item of type {kind(value)}")
    return value
