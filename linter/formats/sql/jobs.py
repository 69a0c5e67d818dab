"""Jobs that a script runs, with the settings, tables, and views that apply to each."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.sql.sql_tokens import Statement, Token
from flink_flint.linter.formats.sql.statement_parts import Name, Option
from flink_flint.linter.formats.sql.tables import Table, View
from flink_flint.linter.text.named_tuple import NamedTuple


class Job(NamedTuple):
    """A job that a script runs: its task, and the settings, tables, and views that apply to it."""

    task: Task
    number: int
    settings: dict[str, Entry]
    tables: dict[str, Table]
    views: dict[str, View]
    keeps: int
    """The number of tables that the script declares or alters before the job."""


class Task(NamedTuple):
    """The contents of a statement that runs a job, alone or in a statement set, such as its query and target table."""

    verb: str
    statement: Statement
    target: Name | None
    target_options: Sequence[Option]
    query: Sequence[Token]
    conflict: Token | None
    is_values: bool
