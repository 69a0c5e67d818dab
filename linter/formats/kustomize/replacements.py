"""Replacements: values that are copied from a field of one object to fields of other objects."""

from __future__ import annotations

from functools import partial

from flink_flint.linter.formats.kustomize.field_paths import split_path
from flink_flint.linter.formats.kustomize.fields import flag, mappings, number, string, strings, submapping
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    copied,
    is_empty,
    is_missing,
    made_scalar,
)
from flink_flint.linter.formats.kustomize.problems import Budget, NotKnown, Refused
from flink_flint.linter.formats.kustomize.resources import Resource, ResourceList
from flink_flint.linter.formats.kustomize.scalar_types import BOOLEAN, DATE, FLOAT, INTEGER, STRING, type_of
from flink_flint.linter.formats.kustomize.selectors import Selector, matcher
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Origin

_SELECT = ("group", "version", "kind", "name", "namespace")
_SELECT_MORE = (*_SELECT, "labelSelector", "annotationSelector")
_OPTIONS = ("delimiter", "index", "encoding", "create")
REPLACEMENT_FIELDS = ("source", "targets", "sourceValue", "path")
_SOURCE_FIELDS = (*_SELECT, "fieldPath", "options")
_TARGET_FIELDS = ("select", "reject", "fieldPaths", "options")
_NUMBER = regex(r"\d{1,6}")
_MEMBER = regex(r"\[([^=\]]*)=(.*)\]")


def replace(resources: ResourceList, replacement: Mapping, budget: Budget) -> None:
    """Copy the value of a replacement to its target fields.

    Raises `Refused` if kustomize refuses it, and `NotKnown` for paths into texts that contain YAML or JSON.
    """
    targets = mappings(replacement, "targets", _TARGET_FIELDS)
    source = submapping(replacement, "source", _SOURCE_FIELDS)
    literal = replacement.get("sourceValue")
    if "targets" not in replacement.values or (source is None) == (not isinstance(literal, Scalar)):
        raise Refused("a replacement needs a source and targets", replacement.origin)
    value: Node
    if source is None:
        assert isinstance(literal, Scalar)
        value = literal.with_kind(type_of(literal.text) if literal.text else STRING)
    else:
        value = _source_value(resources, source)
    for target in targets:
        _apply(resources, value, target, budget)


def _source_value(resources: ResourceList, source: Mapping) -> Node:
    wanted = {key: source.text(key) for key in _SELECT}
    found = [resource for resource in resources.resources if _is_source(resource, wanted)]
    if len(found) != 1:
        raise Refused(f"{len(found)} objects are the source of the replacement", source.origin)
    path = string(source, "fieldPath")
    node: Node | None = found[0].root
    for part in _parts(path.text if path is not None else "metadata.name"):
        node = _looked_up(node, part, source.origin)
    if node is None or is_empty(node):
        raise Refused("the source of the replacement has no such field", source.origin)
    options = submapping(source, "options", _OPTIONS)
    delimiter = string(options, "delimiter") if options is not None else None
    if options is None or delimiter is None:
        return node
    if not isinstance(node, Scalar):
        raise Refused("the source of the replacement is no scalar", source.origin)
    texts = node.text.split(delimiter.text)
    index = number(options, "index") or 0
    if not 0 <= index < len(texts):
        raise Refused("the source of the replacement has no such part", options.origin)
    return made_scalar(texts[index], node.origin, node.kind)


def _is_source(resource: Resource, wanted: dict[str, str]) -> bool:
    return any(
        wanted["name"] in ("", one.name)
        and wanted["namespace"] in ("", one.namespace)
        and wanted["group"] in ("", one.group)
        and wanted["version"] in ("", one.version)
        and wanted["kind"] in ("", one.kind)
        for one in resource.ids()
    )


def _parts(path: str) -> list[str]:
    """Return the parts of a path, in which brackets protect dots."""
    found: list[str] = []
    parts = split_path(path, ".")
    place = 0
    while place < len(parts):
        part = parts[place]
        place += 1
        if part.startswith("[") and not part.endswith("]"):
            while place < len(parts):
                part += "." + parts[place]
                place += 1
                if part.endswith("]"):
                    break
            if "=" not in part:
                part = part.strip("[]")
        found.append(part)
    return found


def _looked_up(node: Node | None, part: str, origin: Origin) -> Node | None:
    if node is None or is_missing(node) or not part.strip():
        return node if not part.strip() else None
    if _NUMBER.fullmatch(part) or part == "-":
        if not isinstance(node, Sequence):
            raise Refused("the path leads into something that is no list", origin)
        index = len(node.items) - 1 if part == "-" else int(part)
        return node.items[index] if 0 <= index < len(node.items) else None
    if member := _MEMBER.fullmatch(part):
        if not isinstance(node, Sequence):
            raise Refused("the path leads into something that is no list", origin)
        name, value = member.groups()
        return next((item for item in node.items if _member_text(item, name) == value), None)
    if part == "*":
        raise Refused("a source has no wildcards", origin)
    if not isinstance(node, Mapping):
        raise Refused("the path leads into something that is no mapping", origin)
    return node.values.get(part)


def _member_text(item: Node, name: str) -> str | None:
    found = item if not name else item.get(name) if isinstance(item, Mapping) else None
    return found.text if isinstance(found, Scalar) else None


def _contains(part: str, text: str) -> bool:
    return part in text


# -- targets


def _apply(resources: ResourceList, value: Node, target: Mapping, budget: Budget) -> None:
    select = submapping(target, "select", _SELECT_MORE)
    if select is None:
        raise Refused("a target of a replacement selects nothing", target.origin)
    selector = Selector(select)
    rejected = [Selector(one) for one in mappings(target, "reject", _SELECT_MORE)]
    paths = [path.text for path in strings(target, "fieldPaths")] or ["metadata.name"]
    options = submapping(target, "options", _OPTIONS)
    budget.spend(len(resources.resources), target.origin)
    for resource in resources.resources:
        if not selector.matches_expressions(resource):
            continue
        ids = resource.ids()
        if any(_rejects(one, resource) for one in rejected):
            continue
        if not any(
            selector.matches_kind(one.group, one.version, one.kind)
            and selector.matches("name", one.name)
            and selector.matches("namespace", one.namespace)
            for one in ids
        ):
            continue
        for path in paths:
            _write(resource, _parts(path), value, options, target.origin, budget)
    resources.changed()


def _rejects(selector: Selector, resource: Resource) -> bool:
    if selector.has_expressions and selector.matches_expressions(resource):
        return True
    return not selector.is_empty and any(
        selector.matches_kind(one.group, one.version, one.kind)
        and selector.matches("name", one.name)
        and selector.matches("namespace", one.namespace)
        for one in resource.ids()
    )


def _write(
    resource: Resource, path: list[str], value: Node, options: Mapping | None, origin: Origin, budget: Budget
) -> None:
    writer = _Writer(value, options, origin, budget)
    writer.write(resource.root, path)
    if not writer.count:
        raise Refused("a target of a replacement has no such field", origin)


class _Writer:
    """Writes the value of a replacement to all nodes at a path."""

    def __init__(self, value: Node, options: Mapping | None, origin: Origin, budget: Budget) -> None:
        self.value, self.options, self.origin, self.budget = value, options, origin, budget
        self.creates = flag(options, "create")
        self.count = 0

    def write(self, node: Node, path: list[str]) -> None:
        """Replace the nodes at a path below a collection."""
        part, rest = path[0], path[1:]
        if isinstance(node, Scalar):
            if is_missing(node):
                raise Refused("the path of a replacement leads into null", self.origin)
            raise NotKnown("a replacement inside a text", self.origin)
        if _NUMBER.fullmatch(part) or part == "*" or _MEMBER.fullmatch(part):
            if not isinstance(node, Sequence):
                raise Refused("the path of a replacement leads into something that is no list", self.origin)
            self._write_items(node, part, rest)
            return
        if not isinstance(node, Mapping):
            raise Refused("the path of a replacement leads into something that is no mapping", self.origin)
        child = node.values.get(part)
        if child is None and self.creates:
            child = self._created(rest)
        if child is None:
            return
        made = self._written(child, rest)
        if made is not node.values.get(part):
            node.set(part, made)

    def _write_items(self, node: Sequence, part: str, rest: list[str]) -> None:
        member = _MEMBER.fullmatch(part)
        if member is not None:
            places = self._members(node, member[1], member[2])
            if not places and self.creates:
                node.items.append(self._created_member(member[1], member[2]))
                places = [len(node.items) - 1]
        elif part == "*":
            places = list(range(len(node.items)))
        else:
            places = [int(part)]
            if places[0] == len(node.items) and self.creates:
                node.items.append(self._created(rest))
            if places[0] >= len(node.items):
                raise Refused("the list of a target has no such member", self.origin)
        for place in places:
            node.items[place] = self._written(node.items[place], rest)

    def _members(self, node: Sequence, name: str, pattern: str) -> list[int]:
        """Return the indexes of the members whose field contains a pattern."""
        if any(letter in pattern for letter in "\\^$.|?*+()[]{}"):
            is_whole = pattern.startswith("^") and pattern.endswith("$")
            matches = matcher(pattern if is_whole else f".*(?:{pattern}).*", self.origin)
        else:
            matches = partial(_contains, pattern)
        texts = [_member_text(item, name) for item in node.items]
        return [place for place, text in enumerate(texts) if text is not None and matches(text)]

    def _created(self, rest: list[str]) -> Node:
        if not rest:
            return made_scalar("", self.origin, "null") if isinstance(self.value, Scalar) else Mapping(self.origin)
        is_list = _MEMBER.fullmatch(rest[0]) or _NUMBER.fullmatch(rest[0])
        return Sequence([], self.origin) if is_list else Mapping(self.origin)

    def _created_member(self, name: str, text: str) -> Node:
        value = made_scalar(text, self.origin, type_of(text) if text else STRING)
        if not name:
            return value
        made = Mapping(self.origin)
        made.set(name, value)
        return made

    def _written(self, node: Node, rest: list[str]) -> Node:
        if rest:
            self.write(node, rest)
            return node
        self.count += 1
        value = copied(self.value, self.budget)
        delimiter = string(self.options, "delimiter") if self.options is not None else None
        if delimiter is not None and self.options is not None:
            value = self._with_part(node, delimiter.text, number(self.options, "index") or 0)
        if isinstance(node, Scalar):
            if not isinstance(value, Scalar):
                raise NotKnown("a collection in the place of a scalar", self.origin)
            return self._typed(node, value)
        return value

    def _with_part(self, node: Node, delimiter: str, index: int) -> Scalar:
        if not isinstance(node, Scalar) or not isinstance(self.value, Scalar):
            raise Refused("only texts have parts", self.origin)
        parts = node.text.split(delimiter)
        if index < 0:
            parts.insert(0, self.value.text)
        elif index >= len(parts):
            parts.append(self.value.text)
        else:
            parts[index] = self.value.text
        return made_scalar(delimiter.join(parts), self.value.origin, self.value.kind)

    def _typed(self, node: Scalar, value: Scalar) -> Scalar:
        """Return the value with the type of the scalar in the place of which it is written."""
        if node.kind == "null" and not node.text:
            return value.with_kind(type_of(value.text) if value.text else STRING)
        if node.kind in (STRING, DATE):
            return value.with_kind(STRING)
        fits = {INTEGER: (INTEGER,), FLOAT: (INTEGER, FLOAT), BOOLEAN: (BOOLEAN,)}.get(node.kind, ())
        if type_of(value.text) not in fits:
            raise NotKnown("a replacement of another type", self.origin)
        return value.with_kind(node.kind)
