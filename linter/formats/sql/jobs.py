"""Jobs that a script runs, with the settings, tables, and views that apply to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.sql.sql_tokens import Statement, Token
from flink_flint.linter.formats.sql.statement_parts import Name, Option
from flink_flint.linter.formats.sql.tables import Table, View
from flink_flint.linter.text.named_tuple import NamedTuple

_PARTS_WITH_CATALOG = 3


class Catalogs(NamedTuple):
    """The catalogs that a script creates, and the one that it uses."""

    types: Mapping[str, str | None] = {}
    """The types by the names; None for one that is unknown."""
    current: str | None = None
    """The name of the catalog that is used; None for the one that a session begins with."""

    def type_of(self, name: Name) -> str | None:
        """Return the type of the catalog that a table is in; None if it is unknown, or the session's own."""
        if len(name.parts) >= _PARTS_WITH_CATALOG:
            return self.types.get(name.parts[0])
        return None if self.current is None else self.types.get(self.current)


class Job(NamedTuple):
    """A job that a script runs: its task, and the settings, tables, and views that apply to it."""

    task: Task
    number: int
    settings: dict[str, Entry]
    tables: dict[str, Table]
    views: dict[str, View]
    keeps: int
    """The number of tables that the script declares or alters before the job."""
    catalogs: Catalogs
    """The catalogs that the script knows before the job."""


class Task(NamedTuple):
    """The contents of a statement that runs a job, alone or in a statement set, such as its query and target table."""

    verb: str
    statement: Statement
    target: Name | None
    target_options: Sequence[Option]
    query: Sequence[Token]
    conflict: Token | None
    is_values: bool
