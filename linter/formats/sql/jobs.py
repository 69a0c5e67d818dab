"""A statement of a script that runs a job, with what the script has set and declared by then."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.entries import Entry
from flink_flint.linter.formats.sql.sql_tokens import Statement, Token
from flink_flint.linter.formats.sql.statement_parts import Name, Option
from flink_flint.linter.formats.sql.tables import Table, View
from flink_flint.linter.text.named_tuple import NamedTuple


class Job(NamedTuple):
    """Such a statement in its script: its job, and what there is when that begins."""

    task: Task
    number: int
    settings: dict[str, Entry]
    tables: dict[str, Table]
    views: dict[str, View]
    keeps: int
    """How many tables had been declared or altered."""


class Task(NamedTuple):
    """What a statement that runs a job, or is part of one, says by itself."""

    verb: str
    statement: Statement
    target: Name | None
    target_options: Sequence[Option]
    query: Sequence[Token]
    conflict: Token | None
    is_values: bool
