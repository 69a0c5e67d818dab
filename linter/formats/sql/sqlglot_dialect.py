"""Flink's SQL for sqlglot. Importing this module imports sqlglot, which takes a while: only where a query is read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import TokenType, exp, parser, tokens
from sqlglot.dialects.dialect import Dialect

# What it does not understand flint says itself; sqlglot would tell on the standard error.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

_RANKS = frozenset(("ROW_NUMBER", "RANK", "DENSE_RANK"))


def _known(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The aggregates and ranks: of other functions nothing is asked, and Flink's may take other arguments."""
    kinds = {name for kind in exp.ALL_FUNCTIONS if issubclass(kind, exp.AggFunc) for name in kind.sql_names()}
    return {name: build for name, build in functions.items() if name in kinds | _RANKS}


class Flink(Dialect):
    """What Flink's queries have that sqlglot's own language lacks."""

    class Tokenizer(tokens.Tokenizer):
        """Strings in single quotes, names in backticks; a backslash is a character like others."""

        QUOTES: ClassVar[list[tuple[str, str] | str]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]

    class Parser(parser.Parser):
        """The grammar of sqlglot, which is wide enough, with fewer functions of its own."""

        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = _known(parser.Parser.FUNCTIONS)
        FUNC_TOKENS = parser.Parser.FUNC_TOKENS | {TokenType.SESSION}


def parse(text: str) -> exp.Expr | None:
    """The tree of one query; None where it is none that sqlglot understands."""
    from sqlglot.errors import SqlglotError

    try:
        tree = next(iter(Flink.Parser(dialect=Flink).parse(Flink().tokenize(text), text)), None)
    except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError):
        # A parser of a hundred dialects may trip over a text of none.
        return None
    return tree if isinstance(tree, exp.Query) and tree.find(exp.Command) is None else None
