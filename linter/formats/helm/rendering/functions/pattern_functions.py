"""Template functions for regular expressions, run by RE2 (the grammar of Go's regexp) in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_values import List, int_argument, text_argument
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotEvaluated
from flink_flint.linter.formats.helm.rendering.marked_text import joined, replaced, sliced
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.user_patterns import PatternError, linear_pattern

_GROUP = regex(r"\$(?:\$|(\d+|[A-Za-z_]\w*)|\{(\w+)\})")
_SPECIAL = frozenset("\\.+*?()|[]{}^$")


@lru_cache(maxsize=256)
def _compiled(expression: str) -> Any:
    try:
        return linear_pattern(expression)
    except PatternError as error:
        raise NotEvaluated(f"the pattern {expression!r} {error}") from None


def _matches(budget: Budget, expression: object, text: str, most: int = -1) -> Iterator[Any]:
    budget.text(len(text))
    if most == 0:
        return
    for number, match in enumerate(_compiled(str(text_argument(expression))).finditer(str(text))):
        budget.spend(1)
        yield match
        if number + 1 == most:
            return


@function("regexMatch", "mustRegexMatch", least=2, most=2)
def regex_match(budget: Budget, expression: object, text: object) -> object:
    """Return whether `text` contains a match of a regular expression."""
    return next(_matches(budget, expression, text_argument(text)), None) is not None


@function("regexFind", "mustRegexFind", least=2, most=2)
def regex_find(budget: Budget, expression: object, text: object) -> object:
    """Return the first match of a regular expression in `text`, or an empty string if there is none."""
    whole = text_argument(text)
    match = next(_matches(budget, expression, whole), None)
    return "" if match is None else sliced(whole, match.start(), match.end())


@function("regexFindAll", "mustRegexFindAll", least=3, most=3)
def regex_find_all(budget: Budget, expression: object, text: object, number: object) -> object:
    """Return up to `number` matches (all if negative) of a regular expression in `text`."""
    whole = text_argument(text)
    found = _matches(budget, expression, whole, int_argument(number))
    return List(sliced(whole, match.start(), match.end()) for match in found)


def _expanded(match: Any, template: str) -> str:
    parts: list[str] = []
    done = 0
    for group in _GROUP.finditer(template):
        parts.append(sliced(template, done, group.start()))
        done = group.end()
        name = group[1] or group[2]
        if name is None:
            parts.append("$")
        elif name.isdigit():
            parts.append((match[int(name)] or "") if int(name) <= len(match.groups()) else "")
        else:
            parts.append(match.groupdict().get(name) or "")
    parts.append(sliced(template, done, len(template)))
    return joined(parts)


def _replace(budget: Budget, expression: object, text: object, new: object, *, literal: bool) -> str:
    whole, insert = text_argument(text), text_argument(new)
    edits: list[tuple[int, int, str]] = []
    size = len(whole)
    for match in _matches(budget, expression, whole):
        made = insert if literal else _expanded(match, insert)
        if edits and match.start() == match.end() == edits[-1][1]:
            continue  # Go matches nothing directly after a match
        size += len(made)
        budget.text(size)
        edits.append((match.start(), match.end(), made))
    return replaced(whole, edits)


@function("regexReplaceAll", "mustRegexReplaceAll", least=3, most=3)
def regex_replace_all(budget: Budget, expression: object, text: object, new: object) -> object:
    """Return `text` with all matches of a regular expression replaced by `new`, where ``${1}`` is the first group."""
    return _replace(budget, expression, text, new, literal=False)


@function("regexReplaceAllLiteral", "mustRegexReplaceAllLiteral", least=3, most=3)
def regex_replace_all_literal(budget: Budget, expression: object, text: object, new: object) -> object:
    """Return `text` with all matches of a regular expression replaced by `new`, which is inserted as it is."""
    return _replace(budget, expression, text, new, literal=True)


@function("regexSplit", "mustRegexSplit", least=3, most=3)
def regex_split(budget: Budget, expression: object, text: object, number: object) -> object:
    """Split `text` at the matches of a regular expression into at most `number` parts (any number if negative)."""
    whole, most = text_argument(text), int_argument(number)
    if most == 0:
        return List()
    parts = List()
    done = 0
    for match in _matches(budget, expression, whole):
        if 0 < most <= len(parts) + 1:
            break
        if match.end() == 0 and match.start() == 0:
            continue
        parts.append(sliced(whole, done, match.start()))
        done = match.end()
    parts.append(sliced(whole, done, len(whole)))
    return parts


@function("regexQuoteMeta", least=1, most=1)
def regex_quote_meta(budget: Budget, text: object) -> object:
    """Return a regular expression that matches exactly `text`."""
    return "".join("\\" + character if character in _SPECIAL else character for character in text_argument(text))
