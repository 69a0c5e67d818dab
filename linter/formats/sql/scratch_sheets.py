"""Decides whether a file with SQL is a sheet of statements that somebody runs one by one, and no script."""

from __future__ import annotations

from collections import Counter

from flink_flint.linter.formats.sql.sql_tokens import Statement, statements

_LOOKS = frozenset(("DESC", "DESCRIBE", "EXPLAIN", "SHOW"))
_WRITES = frozenset(("INSERT", "EXECUTE", "UPDATE", "DELETE", "CALL"))
_QUERIES = frozenset(("SELECT", "WITH"))
_MAX_LENGTH = 400_000


def evidence_of_sheet(text: str) -> str:
    """Return why a file is a sheet of statements; empty if it may be a script.

    In a session, Flink refuses the second CREATE TABLE of a name. A file that writes nothing and has several queries or
    statements that show something is for whoever looks at their results.
    """
    if len(text) > _MAX_LENGTH:
        return ""
    created: set[str] = set()
    count: Counter[str] = Counter()
    for statement in statements(text):
        word = statement.tokens[0].upper
        if word in ("DROP", "USE"):
            created.clear()
        elif (name := _created(statement)) is not None:
            if name in created:
                return f"it creates {name[:60]} twice"
            created.add(name)
        writes = word in _WRITES or statement.set_number is not None or _is_filled(statement)
        count["writes"] += writes
        count["queries"] += not writes and word in _QUERIES
        count["looks"] += word in _LOOKS
    if not count["writes"] and count["queries"] and count["queries"] + count["looks"] > 2:
        return "it writes nothing, and shows the results of several statements"
    return ""


def _created(statement: Statement) -> str | None:
    """Return the name of the table that a statement creates, and that must not exist; None for other statements."""
    words = [token.upper for token in statement.tokens[:4]]
    place = 2 if words[:3] == ["CREATE", "TEMPORARY", "TABLE"] else 1 if words[:2] == ["CREATE", "TABLE"] else None
    if place is None or len(statement.tokens) < place + 2 or statement.tokens[place + 1].upper == "IF":
        return None
    parts = []
    for token in statement.tokens[place:][1:8]:
        if token.raw in ("(", "WITH", "LIKE", "AS"):
            break
        parts.append(token.text)
    return "".join(parts) or None


def _is_filled(statement: Statement) -> bool:
    """Return whether a statement creates a table from a query."""
    if statement.tokens[0].upper not in ("CREATE", "REPLACE"):
        return False
    words = [token.upper for token in statement.tokens]
    return "VIEW" not in words[:4] and "SELECT" in words
