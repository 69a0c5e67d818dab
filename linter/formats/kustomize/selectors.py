"""Selectors of objects: anchored patterns for kinds and names, and expressions for labels and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from flink_flint.linter.formats.kustomize.object_tree import Mapping as MappingNode
from flink_flint.linter.formats.kustomize.problems import NotKnown, Refused
from flink_flint.linter.formats.kustomize.resources import Resource
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Origin

_MAX_PATTERN = 500
_MAX_SUBJECT = 1_000
_MAX_REPEATS = 2
_ATOM = r"(?:\\[.\-/^$*+?()\[\]{}|dDwWsS]|\[\^?[\w.\-/:@ ]+\]|[^\\\[\]{}()*+?|^$])"
_SIMPLE = regex(rf"(?:{_ATOM}[*+?]?|[|^$]|\((?:\?:)?|\)(?![*+?{{]))*")
_REPEAT = regex(r"(?<!\\)[*+]")
_PLAIN = regex(r"[\w\-/: ]*", re.ASCII)
_SET = regex(
    r"\s*+(?:(!)\s*+)?([\w./-]++)\s*+(?:(in|notin)\s*+\(([^()]*)\)|(==|=|!=|>|<)\s*+([\w./-]*+))?\s*+", re.ASCII
)


def matcher(pattern: str, origin: Origin) -> Callable[[str], bool]:
    """Return a function that returns whether a pattern matches a whole string, as Go's `^(?:pattern)$` does.

    Python's engine runs in time polynomial in the text for patterns with few repetitions, none of them nested; raises
    `NotKnown` for others.
    """
    if _PLAIN.fullmatch(pattern):
        return pattern.__eq__
    if len(pattern) > _MAX_PATTERN or not _SIMPLE.fullmatch(pattern) or len(_REPEAT.findall(pattern)) > _MAX_REPEATS:
        raise NotKnown("the pattern is too complex", origin)
    try:
        compiled = re.compile(rf"(?:{pattern.replace('$', chr(92) + 'Z')})", re.ASCII)
    except (re.error, OverflowError) as error:
        raise Refused("the pattern is not a regular expression", origin) from error
    return lambda text: len(text) <= _MAX_SUBJECT and compiled.fullmatch(text) is not None


class Selector:
    """The conditions that the target of a patch or replacement must meet."""

    def __init__(self, target: MappingNode) -> None:
        self.origin = target.origin
        texts = {name: target.text(name) for name in ("group", "version", "kind", "name", "namespace")}
        self.is_empty = not any(texts.values())
        self._matchers = {name: matcher(text, target.origin) for name, text in texts.items() if text}
        self.has_expressions = bool(target.text("labelSelector") or target.text("annotationSelector"))
        self._labels = _expressions(target.text("labelSelector"), target.origin)
        self._annotations = _expressions(target.text("annotationSelector"), target.origin)

    def matches(self, name: str, text: str) -> bool:
        """Return whether `text` matches the pattern for a field ("kind", "name"); True if the field has no pattern."""
        found = self._matchers.get(name)
        return found is None or found(text)

    def matches_kind(self, group: str, version: str, kind: str) -> bool:
        """Return whether an API group, version, and kind match the selector."""
        return self.matches("group", group) and self.matches("version", version) and self.matches("kind", kind)

    def matches_expressions(self, resource: Resource) -> bool:
        """Return whether the labels and annotations of an object match the selector."""
        labels, annotations = resource.strings("labels"), resource.strings("annotations")
        return all(one(labels) for one in self._labels) and all(one(annotations) for one in self._annotations)

    def selects(self, resource: Resource) -> bool:
        """Return whether a patch with this selector applies to an object, by the object's first or current name."""
        first, now = resource.original_id(), resource.id()
        return (
            any(self.matches("namespace", one.namespace) for one in (first, now))
            and any(self.matches("name", one.name) for one in (first, now))
            and self.matches_kind(now.group, now.version, now.kind)
            and self.matches_expressions(resource)
        )


def _expressions(text: str, origin: Origin) -> list[Callable[[Mapping[str, str]], bool]]:
    found: list[Callable[[Mapping[str, str]], bool]] = []
    at = 0
    while at < len(text):
        match = _SET.match(text, at)
        if match is None or (match.end() < len(text) and text[match.end()] != ","):
            raise Refused("the selector is not valid", origin)
        found.append(_condition(match, origin))
        at = match.end() + 1
    return found


def _condition(match: re.Match[str], origin: Origin) -> Callable[[Mapping[str, str]], bool]:
    negated, key, set_operator, members, operator, value = match.groups()
    if negated:
        if set_operator or operator:
            raise Refused("the selector is not valid", origin)
        return lambda labels: key not in labels
    if set_operator:
        values = {member.strip() for member in members.split(",")}
        if set_operator == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if operator is None:
        return lambda labels: key in labels
    if operator == "!=":
        return lambda labels: labels.get(key) != value
    if operator in ("=", "=="):
        return lambda labels: labels.get(key) == value
    raise NotKnown("the selector compares numbers", origin)
