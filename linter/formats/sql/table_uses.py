"""Finds the tables that a script declares, but that none of its statements reads, or reads or writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from flink_flint.linter.formats.sql.jobs import Job
from flink_flint.linter.formats.sql.sql_tokens import HINT, QUOTED, TAG, WORD, Statement
from flink_flint.linter.formats.sql.table_clients import UsedByCalls
from flink_flint.linter.formats.sql.tables import Table
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_NO_USE = frozenset(("ALTER", "DESC", "DESCRIBE", "DROP", "SET", "RESET", "SHOW"))
"""The words that begin statements that neither read nor write the tables they name."""
_ELSEWHERE = frozenset(("CATALOG", "DATABASE"))
_BEFORE_TABLES = frozenset(("FROM", "INTO", "JOIN", "OVERWRITE", "TABLE", ",", "."))
_WORDS = regex(r"\w+")


class Uses(NamedTuple):
    """The spans of the names of tables by how a script that declares them uses them."""

    unused: frozenset[Span] = frozenset()
    """Those that nothing uses."""
    only_written: frozenset[Span] = frozenset()
    """Those that are written and never read."""
    only_declared: frozenset[Span] = frozenset()
    """Those that nothing uses of a script that writes nothing, whose tables others may use."""


def uses_of(
    statements: Sequence[Statement], tables: Sequence[Table], jobs: Sequence[Job], by_calls: UsedByCalls
) -> Uses:
    """Return how the statements of a script use the tables it declares.

    Nothing where it is unknown: the script keeps them in a catalog that outlives the session; it runs another script;
    or a template names a table.
    """
    targets = {job.task.target.last for job in jobs if job.task.target is not None}
    if not by_calls.is_whole or any(map(_hides_uses, statements)):
        return Uses()
    read_by_calls = by_calls.read | by_calls.words
    read = set(read_by_calls)
    for statement in statements:
        read.update(_words_used(statement))
    written = targets | by_calls.written
    own = [(table.name.last, table.name.span) for table in tables if len(table.name.parts) == 1]
    if not (written or read_by_calls):
        return Uses(only_declared=frozenset(span for name, span in own if name not in read))
    return Uses(
        frozenset(span for name, span in own if name not in read and name not in written),
        frozenset(span for name, span in own if name not in read and name in written),
    )


def _hides_uses(statement: Statement) -> bool:
    tokens = statement.tokens
    first = tokens[0]
    if first.kind == TAG or first.upper in ("SOURCE", "USE"):
        return True
    if first.upper in ("CREATE", "REPLACE") and not _ELSEWHERE.isdisjoint(token.upper for token in tokens[1:5]):
        return True
    return first.upper not in _NO_USE and any(
        token.kind == TAG and (before.upper in _BEFORE_TABLES or before.kind == TAG)
        for before, token in pairwise(tokens)
    )


def _words_used(statement: Statement) -> Iterator[str]:
    """Yield the names in a statement that may be of tables it reads."""
    tokens = statement.tokens
    if tokens[0].upper in _NO_USE:
        return
    is_created = tokens[0].upper in ("CREATE", "REPLACE")
    before = ("TABLE",) if is_created else ("INTO", "OVERWRITE")
    place = next((at for at, token in enumerate(tokens[:5]) if token.upper in before), None)
    names = tokens[place + 1 :] if place is not None else ()
    target = next((token for token in names if token.upper not in ("IF", "NOT", "EXISTS", "TABLE")), None)
    for token in tokens:
        if token is target:
            continue
        if token.kind == HINT:
            yield from _WORDS.findall(token.raw)
        elif token.kind in (WORD, QUOTED):
            yield token.text
