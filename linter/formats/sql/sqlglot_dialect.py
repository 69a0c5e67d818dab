"""Flink's SQL dialect for sqlglot. Importing this module is slow because it imports sqlglot."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import TokenType, exp, parser, tokens
from sqlglot.dialects.dialect import Dialect

# flint itself reports queries that cannot be parsed; sqlglot would also log them to stderr.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

_RANKS = frozenset(("ROW_NUMBER", "RANK", "DENSE_RANK"))


def _known(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return only the aggregate and rank functions; others are not needed, and their arguments may differ in Flink."""
    kinds = {name for kind in exp.ALL_FUNCTIONS if issubclass(kind, exp.AggFunc) for name in kind.sql_names()}
    return {name: build for name, build in functions.items() if name in kinds | _RANKS}


class Flink(Dialect):
    """The sqlglot dialect for Flink SQL queries."""

    class Tokenizer(tokens.Tokenizer):
        """Tokenizer for Flink: strings in single quotes, names in backticks or double quotes, no backslash escapes."""

        QUOTES: ClassVar[list[tuple[str, str] | str]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]

    class Parser(parser.Parser):
        """sqlglot's permissive parser with fewer built-in functions."""

        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = _known(parser.Parser.FUNCTIONS)
        FUNC_TOKENS = parser.Parser.FUNC_TOKENS | {TokenType.SESSION}


def parse(text: str) -> exp.Expr | None:
    """Parse a query with sqlglot; return None if it cannot be parsed."""
    from sqlglot.errors import SqlglotError

    try:
        tree = next(iter(Flink.Parser(dialect=Flink).parse(Flink().tokenize(text), text)), None)
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError):
        # sqlglot may raise any of these for text that is not SQL.
        return None
    return tree if isinstance(tree, exp.Query) and tree.find(exp.Command) is None else None
