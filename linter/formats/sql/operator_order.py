"""Finds the values of a query that may differ between an update and its retraction, and that an operator keeps.

Flink evaluates the select list of an aggregating query after the aggregation: a function there changes what is written,
not what is kept. A function in the input of an aggregation, a join or a deduplication, in grouping keys or in the
arguments of an aggregate function is part of the state.

Source: `StreamNonDeterministicUpdatePlanVisitor` of Flink's planner, which requires deterministic columns only of the
input of operators that keep state.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.formats.sql.query_features import Feature
from flink_flint.linter.formats.sql.sql_tokens import MARK, WORD, Token
from flink_flint.linter.formats.sql.statement_parts import bracket_ends
from flink_flint.linter.text.named_tuple import NamedTuple

_JOIN = "regular-join"
_GROUPS = ("group-by", "count-distinct")
_ROWS = ("distinct", "deduplicate", "top-n")
_STATE = frozenset((_JOIN, *_GROUPS, *_ROWS))
_CLAUSES = frozenset(("SELECT", "FROM", "JOIN", "ON", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT"))
_SETS = frozenset(("UNION", "INTERSECT", "EXCEPT", "MINUS"))
_AGGREGATES = frozenset((
    "SUM", "COUNT", "AVG", "MIN", "MAX", "LISTAGG", "COLLECT", "ARRAY_AGG", "STDDEV_POP", "STDDEV_SAMP", "STDDEV",
    "VAR_POP", "VAR_SAMP", "VARIANCE", "FIRST_VALUE", "LAST_VALUE", "JSON_OBJECTAGG", "JSON_ARRAYAGG",
))  # fmt: skip
KEPT_FUNCTION, KEPT_VERSION = "kept-function", "kept-version"
"""The features of a function or a versioned join whose result an operator keeps."""


def keeps_state(features: Iterable[Feature]) -> bool:
    """Return whether a query has an operator that keeps rows by their columns."""
    return any(feature.name in _STATE for feature in features)


def kept(features: Iterable[Feature]) -> Iterator[Feature]:
    """Yield the features for the values of a query that an operator behind it keeps."""
    for feature in features:
        if feature.name == "non-deterministic" and feature.value != "PROCTIME":
            yield feature._replace(name=KEPT_FUNCTION)
        elif feature.name == "versioned-join":
            yield feature._replace(name=KEPT_VERSION)


def kept_inside(tokens: Sequence[Token], features: Sequence[Feature]) -> Iterator[Feature]:
    """Yield the features for the values that operators of the same query keep."""
    changing = list(kept(features))
    if changing and keeps_state(features):
        scopes = _Scopes(tokens, features)
        yield from (feature for feature in changing if scopes.is_kept(feature))


class _Scope(NamedTuple):
    """One SELECT: the indices of its first token and of the token behind it, and of the bracket around it (or -1)."""

    start: int
    end: int
    bracket: int


class _Scopes:
    """The SELECTs of a query, and the operators that each has."""

    def __init__(self, tokens: Sequence[Token], features: Sequence[Feature]) -> None:
        self._tokens = tokens
        self._starts = [token.start for token in tokens]
        self._ends: Mapping[int, int] = bracket_ends(tokens)
        self._scopes = sorted(self._found())
        self._state: dict[_Scope, list[Feature]] = {}
        for feature in features:
            if feature.name in _STATE:
                self._state.setdefault(self._around(self._index(feature)), []).append(feature)

    def is_kept(self, feature: Feature) -> bool:
        """Return whether an operator keeps a value."""
        place = self._index(feature)
        scope = self._around(place)
        state = self._state.get(scope, ())
        if state and self._is_input(feature, place, scope, state):
            return True
        return any(self._state.get(one) for one in self._readers(scope, {scope}))

    def _found(self) -> Iterator[_Scope]:
        tokens = self._tokens
        inner = [
            (place + 1, end, place)
            for place, end in self._ends.items()
            if place + 1 < end and tokens[place + 1].upper in ("SELECT", "WITH")
        ]
        for start, end, bracket in [(0, len(tokens), -1), *inner]:
            first = place = start
            while place < end:
                if tokens[place].raw == "(" and tokens[place].kind == MARK:
                    place = self._ends.get(place, end)
                elif tokens[place].upper in _SETS:
                    yield _Scope(first, place, bracket)
                    first = place + 1
                place += 1
            yield _Scope(first, end, bracket)

    def _index(self, feature: Feature) -> int:
        return max(bisect_right(self._starts, feature.span.start) - 1, 0)

    def _around(self, place: int) -> _Scope:
        """Return the innermost SELECT around a token."""
        around = [one for one in self._scopes if one.start <= place < one.end]
        return max(around, key=lambda one: (one.start, -one.end)) if around else self._scopes[0]

    def _is_input(self, feature: Feature, place: int, scope: _Scope, state: Sequence[Feature]) -> bool:
        """Return whether a value is part of the input, the keys or the arguments of an operator of its own SELECT."""
        names = {one.name for one in state}
        if feature.name == KEPT_VERSION:
            return bool(names - {_JOIN}) or any(one.name == _JOIN and one.span > feature.span for one in state)
        clause, calls = self._where(place, scope)
        if clause == "SELECT":
            in_aggregate = not names.isdisjoint(_GROUPS) and not _AGGREGATES.isdisjoint(calls)
            return in_aggregate or "distinct" in names or "OVER" in calls
        if clause == "ON":
            return True
        return clause == "GROUP" or (clause in ("FROM", "JOIN", "WHERE") and bool(names - {_JOIN}))

    def _where(self, place: int, scope: _Scope) -> tuple[str, list[str]]:
        """Return the clause of a SELECT that contains a token, and the words before the brackets around the token."""
        clause, calls, at = "", [], scope.start
        while at < place:
            token = self._tokens[at]
            if token.raw == "(" and token.kind == MARK:
                end = self._ends.get(at, scope.end)
                if end < place:
                    at = end
                else:
                    calls.append(self._tokens[at - 1].upper if at else "")
            elif not calls and token.upper in _CLAUSES:
                clause = token.upper
            at += 1
        return clause, calls

    def _readers(self, scope: _Scope, seen: set[_Scope]) -> Iterator[_Scope]:
        """Yield the SELECTs that read the rows of one, directly or not."""
        if scope.bracket < 0:
            return
        name = self._name(scope.bracket)
        if name is None:
            found = [self._around(scope.bracket)]
        else:
            found = [
                self._around(place)
                for place, token in enumerate(self._tokens)
                if token.text == name and not scope.start <= place < scope.end and place != scope.bracket - 2
            ]
        for one in found:
            if one not in seen:
                seen.add(one)
                yield one
                yield from self._readers(one, seen)

    def _name(self, bracket: int) -> str | None:
        """Return the name of the common table expression (``WITH name AS``) whose query is in a bracket."""
        if bracket < 3 or self._tokens[bracket - 1].upper != "AS" or self._tokens[bracket - 2].kind == MARK:
            return None
        before = self._tokens[bracket - 3]
        return self._tokens[bracket - 2].text if before.upper in ("WITH", ",") and before.kind in (WORD, MARK) else None
