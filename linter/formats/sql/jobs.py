"""Statements of a script that run jobs, with what the script has set and declared before them."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.sql.sql_tokens import Statement, Token
from flink_flint.linter.formats.sql.statement_parts import Name, Option
from flink_flint.linter.formats.sql.tables import Table, View
from flink_flint.linter.text.named_tuple import NamedTuple


class Job(NamedTuple):
    """A statement that runs a job: its task, and the settings and tables at that point of the script."""

    task: Task
    number: int
    settings: dict[str, Entry]
    tables: dict[str, Table]
    views: dict[str, View]
    keeps: int
    """Number of tables declared or altered before the job."""


class Task(NamedTuple):
    """The contents of a statement that runs a job or is part of one."""

    verb: str
    statement: Statement
    target: Name | None
    target_options: Sequence[Option]
    query: Sequence[Token]
    conflict: Token | None
    is_values: bool
