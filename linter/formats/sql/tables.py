"""Tables, catalogs, and views, parsed from ``CREATE TABLE``, ``CREATE CATALOG``, and ``CREATE VIEW``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from flink_flint.linter.formats.sql.sql_tokens import STRING, TAG, Statement, Token
from flink_flint.linter.formats.sql.statement_parts import (
    Name,
    Option,
    closing,
    interval_ms,
    members,
    read_name,
    read_options,
)
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_MAX_COLUMNS = 2_000
_PARTS_WITH_CATALOG = 3
_FLINKS_TYPES = ("STRING", "BYTES", "ROW<", "MAP<", "ARRAY<", "MULTISET<", "TIMESTAMP_LTZ", "RAW(")
"""Beginnings of the types that PostgreSQL, MySQL, and their like do not have."""


class Column(NamedTuple):
    """A column of a table: physical (has a `type`), computed (has an `expression`), or metadata of the connector."""

    name: str
    span: Span
    type: str
    type_span: Span
    expression: str
    metadata: bool


class Watermark(NamedTuple):
    """A WATERMARK clause."""

    column: str
    column_span: Span
    delay: int | None
    """How far it lies behind the column, in ms; None if unknown."""
    span: Span
    """The span of the expression."""
    written: str
    """The expression without blanks."""


class Table(NamedTuple):
    """A table as its CREATE TABLE statement declares it."""

    name: Name
    options: Mapping[str, Option]
    columns: Sequence[Column]
    primary_key: tuple[tuple[str, ...], Span] | None
    watermark: Watermark | None
    """The watermark; None if missing."""
    partitions: tuple[tuple[str, ...], Span] | None
    like: Name | None
    query: Sequence[Token]
    """The tokens after AS if the table is created from a query; empty if it is not."""
    open: Span | None = None
    """The span of the table's options if some are unreadable, such as template tags; None if all are readable."""
    enforced: Token | None = None
    """The last token of a primary key without NOT ENFORCED (a bracket or ENFORCED); None if there is no such key."""
    catalog: str | None = None
    """The type of the catalog that the table is created in; None if it is unknown, or the session's own."""
    column_enforced: bool = False
    """Whether the enforced primary key is declared in a column definition, not in a table constraint."""
    temporary: bool = False
    """Whether the table lives in the session alone, whatever its catalog."""

    def option(self, key: str) -> str | None:
        """Return the value of an option of the table; None if it is absent or unknown."""
        option = self.options.get(key)
        return None if option is None else option.value

    @property
    def connector(self) -> str | None:
        """The table's connector; None if it is unknown, such as when another table (LIKE) determines it."""
        return self.option("connector")

    @property
    def may_be_foreign(self) -> bool:
        """Whether nothing in the declaration is Flink's own, so that it may be written for another database.

        Flink creates no table without a connector's options, a query, or a base, except in a catalog that stores tables
        itself; such a catalog is either the current one or named.
        """
        return (
            not (self.options or self.query or self.watermark or self.partitions)
            and self.like is None
            and self.open is None
            and len(self.name.parts) < _PARTS_WITH_CATALOG
            and (self.primary_key is None or self.enforced is not None)
            and not any(column.metadata or column.expression or _is_flinks(column.type) for column in self.columns)
        )


class View(NamedTuple):
    """A view: its name and the query that defines it."""

    name: Name
    query: Sequence[Token]


class Catalog(NamedTuple):
    """A catalog: its name and options."""

    name: Name
    options: Mapping[str, Option]


_SKIPPED = frozenset(("OR", "REPLACE", "TEMPORARY", "SYSTEM", "MATERIALIZED", "IF", "NOT", "EXISTS"))


def _created_name(tokens: Sequence[Token], place: int) -> tuple[Name | None, int]:
    """Return the name behind the kind of what is created, and the place after it."""
    while place < len(tokens) and tokens[place].upper in ("IF", "NOT", "EXISTS"):
        place += 1
    return read_name(tokens, place)


def read_created(statement: Statement) -> Table | View | Catalog | None:
    """Return the table, view, or catalog that a statement creates; None for any other statement."""
    tokens = statement.tokens
    if not tokens or tokens[0].upper not in ("CREATE", "REPLACE"):
        return None
    place = 1
    while place < len(tokens) and tokens[place].upper in _SKIPPED:
        place += 1
    kind = tokens[place].upper if place < len(tokens) else ""
    if kind not in ("TABLE", "VIEW", "CATALOG"):
        return None
    name, place = _created_name(tokens, place + 1)
    if name is None:
        return None
    if kind == "VIEW":
        at = next((at for at in range(place, len(tokens)) if tokens[at].upper == "AS"), len(tokens))
        return View(name, tokens[at + 1 :])
    if kind == "CATALOG":
        return Catalog(name, _clauses(tokens, place).options)
    is_temporary = any(token.upper == "TEMPORARY" for token in tokens[1:4])
    return _table(name, tokens, place)._replace(temporary=is_temporary)


_HIVES = (("STORED", "AS"), ("STORED", "BY"), ("ROW", "FORMAT"))


def is_hive_table(tokens: Sequence[Token]) -> bool:
    """Return whether a CREATE TABLE statement has clauses that only Hive's dialect has."""
    depth = 0
    for first, second in pairwise(tokens):
        depth += {"(": 1, ")": -1}.get(first.raw, 0)
        if not depth and ((first.upper, second.upper) in _HIVES or first.upper == "TBLPROPERTIES"):
            return True
    return False


class _Clauses:
    """The clauses after the columns of a table."""

    def __init__(self) -> None:
        self.options: dict[str, Option] = {}
        self.open: Span | None = None
        self.partitions: tuple[tuple[str, ...], Span] | None = None
        self.like: Name | None = None
        self.query: Sequence[Token] = ()


def _table(name: Name, tokens: Sequence[Token], place: int) -> Table:
    columns: list[Column] = []
    key: tuple[tuple[str, ...], Span] | None = None
    watermark: Watermark | None = None
    enforced: Token | None = None
    in_column = False
    if place < len(tokens) and tokens[place].raw == "(":
        end = closing(tokens, place)
        for member in members(tokens[place + 1 : end]):
            first = member[0].upper
            if first == "WATERMARK" and len(member) > 4 and member[1].upper == "FOR":
                watermark = _watermark(member) or watermark
            elif first == "CONSTRAINT" or (first == "PRIMARY" and len(member) > 1 and member[1].upper == "KEY"):
                key = _key(member) or key
                enforced = _enforced(member)
            elif len(columns) < _MAX_COLUMNS:
                column = _column(member)
                columns.append(column)
                if any(a.upper == "PRIMARY" and b.upper == "KEY" for a, b in pairwise(member)):
                    key = ((column.name,), column.span)
                    enforced, in_column = _enforced(member), True
        place = end + 1
    clauses = _clauses(tokens, place)
    return Table(
        name, clauses.options, columns, key, watermark, clauses.partitions, clauses.like, clauses.query,
        clauses.open, enforced, None, in_column,
    )  # fmt: skip


def _clauses(tokens: Sequence[Token], place: int) -> _Clauses:
    found = _Clauses()
    while place < len(tokens):
        word = tokens[place].upper
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if word == "WITH" and following is not None and following.raw == "(":
            end = closing(tokens, place + 1)
            inside = tokens[place + 2 : end]
            read = read_options(inside)
            found.options.update((option.key, option) for option in read)
            if len(read) < sum(1 for _ in members(inside)) or _adds(inside):
                found.open = Span(inside[0].start, inside[-1].end)
            place = end
        elif word == "PARTITIONED" and place + 2 < len(tokens) and tokens[place + 2].raw == "(":
            end = closing(tokens, place + 2)
            inner = tokens[place + 3 : end]
            if inner:
                names = tuple(member[0].text for member in members(inner))
                found.partitions = (names, Span(inner[0].start, inner[-1].end))
            place = end
        elif word == "LIKE":
            found.like, _ = read_name(tokens, place + 1)
        elif word == "AS":
            found.query = tokens[place + 1 :]
            break
        elif tokens[place].raw == "(":
            place = closing(tokens, place)
        place += 1
    return found


def _adds(tokens: Sequence[Token]) -> bool:
    """Return whether a template tag among options is not a value and may therefore add options."""
    return any(token.kind == TAG and (not place or tokens[place - 1].raw != "=") for place, token in enumerate(tokens))


def _watermark(member: Sequence[Token]) -> Watermark | None:
    column, place = read_name(member, 2)
    if column is None or place + 1 >= len(member) or member[place].upper != "AS":
        return None
    expression = member[place + 1 :]
    span = Span(expression[0].start, expression[-1].end)
    delay: int | None = None
    again, after = read_name(expression, 0)
    if again is not None and again.parts == column.parts:
        if after == len(expression):
            delay = 0
        elif expression[after].raw == "-":
            delay = interval_ms(expression[after + 1 :])
    return Watermark(".".join(column.parts), column.span, delay, span, "".join(token.raw for token in expression))


def _key(member: Sequence[Token]) -> tuple[tuple[str, ...], Span] | None:
    for place, token in enumerate(member):
        if token.raw == "(":
            inner = member[place + 1 : closing(member, place)]
            if inner:
                return tuple(part[0].text for part in members(inner)), Span(inner[0].start, inner[-1].end)
    return None


def _enforced(member: Sequence[Token]) -> Token | None:
    """Return the last token of a PRIMARY KEY clause; None if NOT ENFORCED follows or a template may insert it."""
    if any(token.kind == TAG for token in member):
        return None
    for place, (first, second) in enumerate(pairwise(member)):
        if first.upper != "PRIMARY" or second.upper != "KEY":
            continue
        last = place + 1
        if last + 1 < len(member) and member[last + 1].raw == "(":
            last = closing(member, last + 1)
            if last >= len(member):
                return None
        following = [token.upper for token in member[last + 1 : last + 3]]
        if following == ["NOT", "ENFORCED"]:
            return None
        return member[last + 1] if following[:1] == ["ENFORCED"] else member[last]
    return None


def _column(member: Sequence[Token]) -> Column:
    name = member[0]
    rest = member[1:]
    if rest and rest[0].upper == "AS":
        return Column(name.text, name.span, "", name.span, _spelled(rest[1:]), metadata=False)
    end = 0
    depth = 0
    while end < len(rest):
        token = rest[end]
        if token.raw in ("(", "<"):
            depth += 1
        elif token.raw in (")", ">"):
            depth -= 1
        elif depth == 0 and (token.upper in ("METADATA", "PRIMARY", "COMMENT", "CONSTRAINT") or token.kind == STRING):
            break
        end += 1
    kind = rest[:end]
    metadata = end < len(rest) and rest[end].upper == "METADATA"
    span = Span(kind[0].start, kind[-1].end) if kind else name.span
    return Column(name.text, name.span, _spelled(kind).upper(), span, "", metadata)


def _is_flinks(spelled: str) -> bool:
    """Return whether a column's type is one that Flink has and relational databases do not."""
    return spelled.startswith(_FLINKS_TYPES)


def _spelled(tokens: Sequence[Token]) -> str:
    """Return the text of tokens with single spaces between words and none around punctuation."""
    text = ""
    for token in tokens:
        glue = " " if text and not (text[-1] in "(<." or token.raw[0] in "(<>),.") else ""
        text += glue + token.raw
    return text


# -- as elements


def table_element(table: Table) -> Element:
    """Return the ``table`` element for a table that a statement declares."""
    attributes: dict[str, Attribute] = {}
    option = table.options.get("connector")
    if option is not None:
        attributes["connector"] = as_attribute(option)
    for key, value in table.options.items():
        attributes[f"with.{key}"] = as_attribute(value)
    for number, column in enumerate(table.columns):
        attributes[f"columns[{number}].name"] = Attribute(column.name, column.span)
        if column.expression:
            attributes[f"columns[{number}].expression"] = Attribute(column.expression, column.span)
        else:
            attributes[f"columns[{number}].type"] = Attribute(column.type, column.type_span, column.span)
        if column.metadata:
            attributes[f"columns[{number}].metadata"] = Attribute(True, column.span)
    if table.watermark is not None:
        mark = table.watermark
        attributes["watermark"] = Attribute(mark.column, mark.column_span)
        attributes["watermark-delay"] = Attribute(mark.delay, mark.span, mark.column_span, mark.written)
    if table.primary_key is not None:
        attributes["primary-key"] = Attribute(", ".join(table.primary_key[0]), table.primary_key[1])
    if table.enforced is not None:
        where = "column" if table.column_enforced else "table"
        attributes["primary-key-enforced"] = Attribute(where, table.enforced.span, None, table.enforced.raw)
    if table.open is not None:
        attributes["with"] = Attribute(None, table.open)
    if table.partitions is not None:
        attributes["partitioned-by"] = Attribute(", ".join(table.partitions[0]), table.partitions[1])
    if table.catalog is not None:
        attributes["catalog-type"] = Attribute(table.catalog, table.name.span)
    if table.temporary:
        attributes["temporary"] = Attribute(True, table.name.span)
    if table.like is not None:
        attributes["like"] = Attribute(".".join(table.like.parts), table.like.span)
    return Element("table", ".".join(table.name.parts), table.name.span, attributes)


def catalog_element(catalog: Catalog) -> Element:
    """Return the ``catalog`` element for a catalog that a statement declares."""
    attributes = {f"with.{key}": as_attribute(option) for key, option in catalog.options.items()}
    if "type" in catalog.options:
        attributes["type"] = as_attribute(catalog.options["type"])
    return Element("catalog", ".".join(catalog.name.parts), catalog.name.span, attributes)


def function_element(tokens: Sequence[Token]) -> Element | None:
    """Return the ``function`` element for a CREATE FUNCTION statement; None for any other statement."""
    place = next((at for at, token in enumerate(tokens[:6]) if token.upper == "FUNCTION"), None)
    if place is None or any(token.upper not in _SKIPPED for token in tokens[1:place]):
        return None
    name, place = _created_name(tokens, place + 1)
    if name is None:
        return None
    of = tokens[place + 1] if place + 1 < len(tokens) and tokens[place].upper == "AS" else None
    attributes = {"class": Attribute(of.text, of.span)} if of is not None and of.kind == STRING else {}
    return Element("function", name.last, name.span, attributes)


def as_attribute(option: Option) -> Attribute:
    """Convert an option of an SQL statement to an attribute that keeps the spans of its key and value."""
    return Attribute(option.value, option.value_span, option.key_span, option.raw)
