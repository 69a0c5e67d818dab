"""Analysis of queries: the tables that a query reads, and its features that determine how Flink runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.formats.sql.operator_order import kept_inside
from flink_flint.linter.formats.sql.query_features import Feature
from flink_flint.linter.formats.sql.sql_tokens import WORD, Token
from flink_flint.linter.formats.sql.sqlglot_query import Hint, Masked
from flink_flint.linter.formats.sql.statement_parts import read_name
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from sqlglot import exp

_MAX_DEPTH = 100
"""Maximum depth of nested brackets in a query that is parsed."""
_MAX_LENGTH = 100_000
"""Maximum length of a query that is parsed."""
_WINDOW_COLUMNS = frozenset(("window_start", "window_end", "window_time"))
_GROUP_WINDOWS = frozenset(("TUMBLE", "HOP", "SESSION", "CUMULATE"))
_CHANGING = frozenset((
    "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP", "NOW", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME",
    "LOCALTIMESTAMP", "UUID", "RAND", "RAND_INTEGER", "UNIX_TIMESTAMP", "PROCTIME",
))  # fmt: skip
"""Functions that may return different values for the same row."""
_WITHOUT_BRACKETS = frozenset(("CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP"))


class Source(NamedTuple):
    """A table that a query reads, with its role: "scan", "lookup", "temporal", or "version" (lookup or temporal)."""

    name: str
    span: Span
    role: str
    time: str = ""
    """The time column in the table's FOR SYSTEM_TIME AS OF clause; empty if the query has no such clause for it."""


class Output(NamedTuple):
    """A column that a query yields: its name, the column that it passes on, and the functions that it calls."""

    name: str
    column: str | None
    """The column that the query reads and does not change, with its table (`o.id`); None for anything computed."""
    calls: str
    """The names of the functions in its expression, in the order of the text, separated by commas."""
    is_constant: bool
    """Whether it is a literal, the same for all rows."""
    span: Span


class Query(NamedTuple):
    """A parsed query: its features, source tables, and hints."""

    features: Sequence[Feature]
    sources: Sequence[Source]
    hints: Sequence[Hint]
    parsed: bool
    window_columns: frozenset[str] = frozenset()
    """The names of the query's columns that contain window bounds."""
    outputs: Sequence[Output] = ()
    """The columns that it yields; empty if it is more than one SELECT, or selects all columns."""


def read_query(tokens: Sequence[Token], window_columns: frozenset[str] = frozenset()) -> Query:
    """Parse a query; if that fails, return a `Query` that contains only the tables that follow FROM and JOIN.

    `window_columns` are the names of views' columns that contain window bounds.
    """
    if not tokens:
        return Query((), (), (), parsed=True)
    masked = Masked(tokens)
    features = [*_functions(tokens), *(Feature("match-recognize", True, span) for span in masked.patterns)]
    tree = None
    if masked.depth <= _MAX_DEPTH and len(masked.text) <= _MAX_LENGTH:
        tree = _parse(masked.text)
    if tree is None:
        return Query(features, list(_named(tokens)), masked.hints, parsed=False)
    reader = _Reader(tree, masked, window_columns | _WINDOW_COLUMNS)
    features += reader.features()
    features += list(kept_inside(tokens, features))
    features.sort(key=lambda feature: feature.span)
    return Query(features, reader.sources(), masked.hints, True, reader.window_columns, reader.outputs())


def _parse(text: str) -> exp.Expr | None:
    try:
        from flink_flint.linter.formats.sql.sqlglot_dialect import parse
    except ImportError:
        return None
    return parse(text)


def _functions(tokens: Sequence[Token]) -> Iterator[Feature]:
    for place, token in enumerate(tokens):
        if token.kind == WORD and token.upper in _CHANGING:
            called = place + 1 < len(tokens) and tokens[place + 1].raw == "("
            if (called or token.upper in _WITHOUT_BRACKETS) and not (place and tokens[place - 1].raw == "."):
                yield Feature("non-deterministic", token.upper, token.span)


def _named(tokens: Sequence[Token]) -> Iterator[Source]:
    for place, token in enumerate(tokens):
        if token.upper in ("FROM", "JOIN"):
            name, behind = read_name(tokens, place + 1)
            called = behind < len(tokens) and tokens[behind].raw == "("
            if name is not None and not called and name.last.upper() not in ("LATERAL", "TABLE"):
                yield Source(".".join(name.parts), name.span, "scan")


class _Reader:
    """Reads the sources and features from the tree of one query."""

    def __init__(self, tree: exp.Expr, masked: Masked, window_columns: frozenset[str]) -> None:
        from sqlglot import exp

        self._tree = tree
        self._masked = masked
        named = {
            one.alias
            for one in tree.find_all(exp.Alias)
            if (isinstance(one.this, exp.Column) and one.this.name in window_columns) or _is_window_bound(one.this)
        }
        self.window_columns = window_columns | named

    def sources(self) -> list[Source]:
        """Return the tables that the query reads, in the order of the text."""
        from sqlglot import exp

        named = {one.alias_or_name for one in self._tree.find_all(exp.CTE)}
        found = []
        for table in self._tree.find_all(exp.Table):
            if not isinstance(table.this, exp.Identifier) or (not table.args.get("db") and table.name in named):
                continue
            parts = [part.name for part in table.parts]
            span = self._span(*table.parts)
            if self._masked.tags and any(span.start <= tag < span.end for tag in self._masked.tags):
                continue
            version = self._masked.versioned.get(span.start)
            role, time = ("scan", "") if version is None else ("version", version[0])
            found.append(Source(".".join(parts), span, role, time))
        return sorted(found, key=lambda source: source.span)

    def outputs(self) -> list[Output]:
        """Return the columns that the query yields; none if it has several SELECTs or selects all columns."""
        from sqlglot import exp

        if not isinstance(self._tree, exp.Select) or self._tree.is_star:
            return []
        return [_output(one, self._span(one)) for one in self._tree.expressions]

    def features(self) -> Iterator[Feature]:
        """Yield the parts of the query that keep state or order rows."""
        from sqlglot import exp

        for node in self._tree.find_all(exp.Select, exp.SetOperation):
            if isinstance(node, exp.Select):
                yield from self._of_select(node)
            elif isinstance(node, exp.Union) and node.args.get("distinct"):
                yield Feature("union", "distinct", self._span(node.expression))
            else:
                name = "union" if isinstance(node, exp.Union) else "set-operation"
                yield Feature(name, "all" if not node.args.get("distinct") else "distinct", self._span(node.expression))
        order = self._tree.args.get("order")
        limit = self._tree.args.get("limit")
        if order is not None:
            yield Feature("order-by", True, self._span(order))
        if limit is not None:
            yield Feature("limit", True, self._span(order or self._tree))

    def _of_select(self, select: exp.Select) -> Iterator[Feature]:
        from sqlglot import exp

        yield from self._joins(select)
        yield from self._subqueries(select)
        yield from self._grouping(select)
        yield from self._ranks(select)
        yield from self._watermark_filters(select)
        for start, function in self._masked.windowed.items():
            from_ = select.args.get("from_") or select.args.get("from")
            if from_ is not None and isinstance(from_.this, exp.Table):
                span = self._span(*from_.this.parts)
                if span.start == start:
                    yield Feature("window", function, span)

    # -- joins

    def _joins(self, select: exp.Select) -> Iterator[Feature]:
        from sqlglot import exp

        where = select.args.get("where")
        for join in select.args.get("joins") or ():
            table = join.this
            if isinstance(table, (exp.Lateral, exp.Unnest)) or isinstance(getattr(table, "this", None), exp.Func):
                continue
            alias = table.args.get("alias")
            names = table.parts if isinstance(table, exp.Table) else (alias or table,)
            span = self._span(*names)
            if span.start in self._masked.versioned:
                yield Feature("versioned-join", table.name, span)
                continue
            on = join.args.get("on")
            conditions = [one for one in (on, where) if one is not None]
            if join.args.get("using") and "window_start" in {one.name for one in join.args["using"]}:
                yield Feature("window-join", table.alias_or_name, span)
            elif any(_bounds_time(one) for one in conditions):
                yield Feature("interval-join", table.alias_or_name, span)
            elif on is not None and len(_columns(on) & self.window_columns) > 1:
                yield Feature("window-join", table.alias_or_name, span)
            else:
                yield Feature("regular-join", table.alias_or_name, span)
                if join.args.get("side"):
                    yield Feature("outer-join", str(join.args["side"]).upper(), span)

    def _subqueries(self, select: exp.Select) -> Iterator[Feature]:
        from sqlglot import exp

        where = select.args.get("where")
        for node in _own(where, exp.In, exp.Exists) if where is not None else ():
            inner = node.args.get("query") if isinstance(node, exp.In) else node.this
            if inner is not None and inner.find(exp.Table) is not None:
                yield Feature("regular-join", "in" if isinstance(node, exp.In) else "exists", self._span(inner))
                if isinstance(node.parent, exp.Not):
                    yield Feature("outer-join", "ANTI", self._span(inner))

    # -- groups

    def _grouping(self, select: exp.Select) -> Iterator[Feature]:
        from sqlglot import exp

        group = select.args.get("group")
        projection = [node for one in select.expressions for node in _own(one, exp.AggFunc)]
        aggregates = [node for node in projection if not _is_over(node)]
        distinct = [node for node in aggregates if node.find(exp.Distinct) is not None]
        if group is None:
            if aggregates:
                yield Feature("aggregate", True, self._span(select.expressions[0]))
        elif self._is_windowed(group):
            yield Feature("window", "GROUP", self._span(group))
            called = next(_group_windows(group), None)
            if called is not None:
                yield Feature("group-window", called, self._span(group))
            return
        elif any(True for _ in group.find_all(exp.Column)):
            keys = ", ".join(sorted(_columns(group)))
            yield Feature("group-by", keys, self._span(group))
            named = aggregates or [
                one for part in select.expressions for one in _own(part, exp.Anonymous) if _gathers(one)
            ]
            if named:
                yield Feature("aggregates", True, self._span(named[0]))
            for one in group.expressions:
                if (column := _period_of(one)) is not None:
                    yield Feature("group-period", column, self._span(one))
            if self._reads_windows(select):
                yield Feature("windows-grouped", keys, self._span(group))
        for node in distinct:
            yield Feature("count-distinct", True, self._span(node))
        if select.args.get("distinct") and not _columns(*select.expressions) & self.window_columns:
            yield Feature("distinct", True, self._span(*select.expressions))

    def _is_windowed(self, group: exp.Expr) -> bool:
        return bool(_columns(group) & self.window_columns) or any(True for _ in _group_windows(group))

    def _reads_windows(self, select: exp.Select) -> bool:
        """Return whether a SELECT reads nothing but the results of window aggregations, one row a key and window."""
        from sqlglot import exp

        origin = select.args.get("from_") or select.args.get("from")
        if origin is None or select.args.get("joins"):
            return False
        inner = origin.this
        if isinstance(inner, exp.Table) and not inner.args.get("db"):
            inner = next((one for one in self._tree.find_all(exp.CTE) if one.alias_or_name == inner.name), None)
        query = getattr(inner, "this", None)
        group = query.args.get("group") if isinstance(query, exp.Select) else None
        return group is not None and self._is_windowed(group)

    # -- ranks

    def _ranks(self, select: exp.Select) -> Iterator[Feature]:
        from sqlglot import exp

        for projected in select.expressions:
            for window in _own(projected, exp.Window):
                partition = window.args.get("partition_by") or []
                span = self._span(window)
                if not _is_rank(window.this):
                    frame = window.args.get("spec")
                    start = frame.args.get("start") if frame is not None else None
                    yield Feature("over", "bounded" if start not in (None, "UNBOUNDED") else "unbounded", span)
                    continue
                if _columns(*partition) & self.window_columns:
                    yield Feature("window", "RANK", span)
                    continue
                max_rank = self._max_rank(projected.alias) if projected.alias else None
                if max_rank is None:
                    yield Feature("over", "unbounded", span)
                elif not partition:
                    yield Feature("top-n-of-all", max_rank, span)
                elif max_rank == 1 and isinstance(window.this, exp.RowNumber):
                    yield Feature("deduplicate", ", ".join(sorted(_columns(*partition))), span)
                else:
                    yield Feature("top-n", max_rank, span)

    def _max_rank(self, alias: str) -> int | None:
        """Return the highest rank that the query keeps (None if unknown); `alias` is the column with the rank."""
        from sqlglot import exp

        for node in self._tree.find_all(exp.EQ, exp.LTE, exp.LT):
            column, number = node.this, node.expression
            if not isinstance(column, exp.Column) or column.name != alias or not isinstance(number, exp.Literal):
                continue
            count = None if number.is_string else whole(number.name)
            if count is not None:
                return count - isinstance(node, exp.LT)
        return None

    # -- late rows

    def _watermark_filters(self, select: exp.Select) -> Iterator[Feature]:
        """Yield the conditions that compare with a watermark and forget that there is none at first."""
        from sqlglot import exp

        where = select.args.get("where")
        nulls = [one for one in _own(where, exp.Is) if _is_watermark(one.this)] if where is not None else []
        for one in nulls:
            if isinstance(one.parent, exp.Not) and _alternative(one.parent) is not None:
                yield Feature("watermark-filter", "not null or", self._span(one))
                return
        compared = _own(where, exp.GT, exp.GTE, exp.LT, exp.LTE) if where is not None and not nulls else ()
        for one in compared:
            is_above = isinstance(one, (exp.GT, exp.GTE))
            if _is_watermark(one.expression if is_above else one.this):
                yield Feature("watermark-filter", "without null", self._span(one))
                return

    # -- places

    def _span(self, *nodes: exp.Expr) -> Span:
        """Return the span from the first name in the nodes to the last name."""
        from sqlglot import exp

        low = high = None
        for node in nodes:
            for name in node.find_all(exp.Identifier):
                start, end = name.meta.get("start"), name.meta.get("end")
                if isinstance(start, int) and isinstance(end, int):
                    low = start if low is None else min(low, start)
                    high = end + 1 if high is None else max(high, end + 1)
        base = self._masked.start
        return self._masked.first if low is None or high is None else Span(base + low, base + high)


def _output(node: exp.Expr, span: Span) -> Output:
    from sqlglot import exp

    inner = node.unalias()
    kept = inner.this if isinstance(inner, exp.Cast) else inner
    column = ".".join(part.name for part in kept.parts) if isinstance(kept, exp.Column) else None
    calls = [one.name if isinstance(one, exp.Anonymous) else one.sql_name() for one in inner.find_all(exp.Func)]
    return Output(node.alias_or_name, column, ", ".join(calls), not _columns(inner) and not calls, span)


def _is_watermark(node: exp.Expr | None) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Anonymous) and node.name.upper() == "CURRENT_WATERMARK"


def _alternative(node: exp.Expr) -> exp.Expr | None:
    """Return the OR that a condition is an operand of; None if it is that of none."""
    from sqlglot import exp

    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return parent if isinstance(parent, exp.Or) else None


def _own(node: exp.Expr, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the descendants of a node that are of these kinds, except those in subqueries."""
    from sqlglot import exp

    for found in node.walk(prune=lambda one: isinstance(one, (exp.Select, exp.Subquery)) and one is not node):
        if isinstance(found, kinds):
            yield found


def _columns(*nodes: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {column.name for node in nodes for column in node.find_all(exp.Column)}


def _group_windows(group: exp.Expr) -> Iterator[str]:
    """Yield the legacy window functions that GROUP BY calls."""
    from sqlglot import exp

    for call in group.find_all(exp.Anonymous):
        if call.name.upper() in _GROUP_WINDOWS:
            yield call.name.upper()


def _bounds_time(condition: exp.Expr) -> bool:
    """Return whether a condition compares a column with another one plus or minus an interval."""
    from sqlglot import exp

    for node in _own(condition, exp.Between, exp.GT, exp.GTE, exp.LT, exp.LTE):
        if node.find(exp.Interval) is not None and len(_tables(node)) > 1:
            return True
    return False


def _tables(node: exp.Expr) -> set[str]:
    from sqlglot import exp

    return {column.table or column.name for column in node.find_all(exp.Column)}


def _is_window_bound(node: exp.Expr) -> bool:
    """Return whether a node is a function of a window's bounds, such as ``TUMBLE_START(...)``."""
    from sqlglot import exp

    first, _, last = node.name.upper().partition("_") if isinstance(node, exp.Anonymous) else ("", "", "")
    return first in _GROUP_WINDOWS and last in ("START", "END", "ROWTIME", "PROCTIME")


def _is_over(node: exp.Expr) -> bool:
    from sqlglot import exp

    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, exp.Window):
            return True
        parent = parent.parent
    return False


def _is_rank(node: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return node.name.upper() in ("RANK", "DENSE_RANK", "ROW_NUMBER")
    return type(node).__name__ in ("RowNumber", "Rank", "DenseRank")


def _gathers(node: exp.Expr) -> bool:
    """Return whether a node is an aggregate function that Flink alone has."""
    return node.name.upper() in ("LISTAGG", "COLLECT") and not _is_over(node)


def _period_of(node: exp.Expr) -> str | None:
    """Return the column whose day, hour or the like an expression is, one that never returns; None for others."""
    from sqlglot import exp

    columns = _columns(node)
    if len(columns) != 1:
        return None
    if isinstance(node, exp.Anonymous):
        layout = node.expressions[-1] if len(node.expressions) == 2 else None
        dated = isinstance(layout, exp.Literal) and any(letter in layout.name for letter in "yd")
        is_period = node.name.upper() == "DATE_FORMAT" and dated
    else:
        is_period = isinstance(node, exp.Floor) and node.args.get("to") is not None
    return next(iter(columns)) if is_period else None
