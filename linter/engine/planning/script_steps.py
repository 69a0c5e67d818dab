"""The steps by which a script is planned: what the planner is given of each statement, and what it is not given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from flink_flint.linter.formats.sql.script_run import read_set, read_task
from flink_flint.linter.formats.sql.sql_tokens import HINT, STRING, TAG, Statement, statements
from flink_flint.linter.formats.sql.statement_parts import read_name
from flink_flint.linter.formats.sql.tables import Catalog, Table, is_hive_table, read_created
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

MODE = "execution.runtime-mode"
_DIALECT = "table.sql-dialect"
_GIVEN = ("table.", MODE, "parallelism.default")
"""The beginnings of the keys that the planner is given; those of others may name files, such as jars to load."""
_DECLARING = ("CREATE", "DROP", "ALTER", "USE")
_TAGS = ("${", "{{", "{%", "<%")
_WITH_CODE = "it names code, and no jar or class of the tree is loaded"
_MAX_STATEMENTS = 1_000


class Step(NamedTuple):
    """A statement, or the statements of a set: where they are, and what the planner is asked to do with them."""

    number: int
    """The number among the statements of the script, from 1; less for what sets up the environment."""
    spans: Sequence[Span]
    question: Mapping[str, Any]
    """What the program that plans is given; empty if the statement is passed over."""
    reason: str = ""
    """Why the statement is passed over; empty if it is not, or if there is nothing to plan."""
    is_certain: bool = True
    """Whether a refusal is certain, as everything is known that the statement uses."""

    @property
    def is_query(self) -> bool:
        """Whether the step plans queries."""
        return self.question.get("do") in ("plan", "fill")


def steps_of(text: str, below: Mapping[str, str]) -> list[Step]:
    """Return the steps of a script; `below` has the settings that its deployment makes."""
    return list(_Reader(text, below).steps())


class _Reader:
    def __init__(self, text: str, below: Mapping[str, str]) -> None:
        self._statements = [_planned(one) for one in islice(statements(text), _MAX_STATEMENTS)]
        self._below = {key: value for key, value in below.items() if key.startswith(_GIVEN)}
        self._number = 0
        self._mode = self._first_mode()
        self._is_in_memory = True
        """Whether the current catalog is the one that a session begins with: its tables have connectors."""
        self._doubt = ""
        """Why nothing more of the script is planned; empty while it is."""
        self._functions: set[str] = set()
        self._filled: set[str] = set()
        """The tables that a query fills which creates them: the planner is given views in their place."""

    def _first_mode(self) -> str | None:
        """Return the mode in which the first query runs; None if it is unknown."""
        mode: str | None = self._below.get(MODE, "streaming")
        for statement in self._statements:
            entry = read_set(statement) if statement.tokens[0].upper == "SET" else None
            if entry is not None and entry.key == MODE:
                mode = None if _is_templated(statement) else entry.text
            elif read_task(statement) is not None:
                break
        return None if mode is None else mode.strip().lower()

    def steps(self) -> Iterator[Step]:
        """Yield the steps, in order; the first ones set up the environment."""
        if self._mode not in ("streaming", "batch"):
            self._doubt = f"{MODE} is not known"
        yield Step(0, (), {"do": "begin", "batch": self._mode == "batch"})
        for number, (key, value) in enumerate(self._below.items(), 1):
            yield Step(-number, (), {"do": "set", "key": key, "value": value})
        place = 0
        while place < len(self._statements):
            first = self._statements[place]
            members = [first]
            while (
                first.set_number is not None
                and place + len(members) < len(self._statements)
                and self._statements[place + len(members)].set_number == first.set_number
            ):
                members.append(self._statements[place + len(members)])
            yield self._of_set(members) if first.set_number is not None else self._of(first)
            place += len(members)

    def _step(
        self, found: Sequence[Statement], question: Mapping[str, Any], reason: str = "", *, is_certain: bool = True
    ) -> Step:
        self._number += 1
        return Step(self._number, [one.span for one in found], question, reason, is_certain)

    def _of_set(self, members: Sequence[Statement]) -> Step:
        reason = self._doubt or next(filter(None, map(self._unknown_in, members)), "")
        if reason:
            return self._step(members, {}, reason)
        texts = [_written(one) for one in members]
        return self._step(members, {"do": "plan", "texts": texts}, is_certain=all(map(self._is_certain, members)))

    def _of(self, statement: Statement) -> Step:
        word = statement.tokens[0].upper
        if word in ("SET", "RESET"):
            return self._of_setting(statement, word)
        if word in ("ADD", "REMOVE") and statement.tokens[1:2] and statement.tokens[1].upper == "JAR":
            return self._step([statement], {}, _WITH_CODE)
        if word in _DECLARING or (word == "REPLACE" and read_created(statement) is not None):
            return self._of_declaration(statement, word)
        if read_task(statement) is None:
            return self._step([statement], {})
        reason = self._doubt or self._unknown_in(statement)
        if reason:
            return self._step([statement], {}, reason)
        question = {"do": "plan", "texts": [_written(statement)]}
        return self._step([statement], question, is_certain=self._is_certain(statement))

    def _of_setting(self, statement: Statement, word: str) -> Step:
        if word == "RESET":
            key = statement.tokens[1].text if len(statement.tokens) == 2 else None
            return self._step([statement], {"do": "reset", "key": key} if key and key.startswith(_GIVEN) else {})
        entry = read_set(statement)
        if entry is None or not entry.key.startswith(_GIVEN):
            return self._step([statement], {})
        if _is_templated(statement):
            self._doubt = f"the value of {entry.key} is not known"
            return self._step([statement], {}, self._doubt)
        if entry.key == _DIALECT:
            self._doubt = "it is in another dialect" if entry.text.strip().lower() != "default" else ""
            return self._step([statement], {})
        if entry.key == MODE:
            if entry.text.strip().lower() != self._mode:
                self._doubt = f"{MODE} changes within the script"
            return self._step([statement], {})
        return self._step([statement], {"do": "set", "key": entry.key, "value": entry.text})

    def _of_declaration(self, statement: Statement, word: str) -> Step:
        words = [token.upper for token in statement.tokens[:5]]
        if "FUNCTION" in words:
            place = words.index("FUNCTION") + 1
            while place < len(statement.tokens) and statement.tokens[place].upper in ("IF", "NOT", "EXISTS"):
                place += 1
            name, _ = read_name(statement.tokens, place)
            if name is not None and word != "DROP":
                self._functions.add(name.last.lower())
            return self._step([statement], {}, _WITH_CODE if word != "DROP" else "")
        if self._doubt or _is_templated(statement) or is_hive_table(statement.tokens):
            return self._step([statement], {}, self._doubt or self._unknown_in(statement) or "it is in another dialect")
        if word == "ALTER" and any(token.kind == STRING and token.text == "connector" for token in statement.tokens):
            return self._step([statement], {}, "it changes the connector")
        created = read_created(statement)
        self._is_in_memory &= not statement.begins("USE", "CATALOG")
        if isinstance(created, Table) and self._is_in_memory and created.may_be_foreign:
            return self._step([statement], {}, "it may be a table of another database")
        if isinstance(created, Catalog):
            default = created.options.get("default-database")
            question = {"do": "catalog", "text": created.name.last, "database": default and default.value}
            return self._step([statement], question)
        if word == "DROP" and "CATALOG" in words:
            return self._step([statement], {})
        if isinstance(created, Table) and created.query:
            start, end = created.query[0].start, created.query[-1].end
            self._filled.add(created.name.last.lower())
            table = ".".join(f"`{part}`" for part in created.name.parts)
            reason = self._unknown_in(statement)
            question = {"do": "fill", "text": statement.written(start, end), "table": table}
            step = self._step([statement], {} if reason else question, reason)
            return step._replace(spans=[Span(start, end)], is_certain=self._is_certain(statement))
        return self._step([statement], {"do": "declare", "text": _written(statement)})

    def _unknown_in(self, statement: Statement) -> str:
        """Return why a statement cannot be planned; empty if it can."""
        if _is_templated(statement):
            return "a template fills in a part of it"
        if any(token.kind == HINT and "connector" in token.raw for token in statement.tokens):
            return "a hint changes the connector"
        called = next((token.text for token in statement.tokens if token.text.lower() in self._functions), None)
        return f"it calls {called}, whose code is not loaded" if called is not None else ""

    def _is_certain(self, statement: Statement) -> bool:
        return not any(token.text.lower() in self._filled for token in statement.tokens)


def _planned(statement: Statement) -> Statement:
    """Return a statement without the word that executes it."""
    executes = statement.begins("EXECUTE") and read_task(statement) is not None
    return statement._replace(tokens=statement.tokens[1:]) if executes else statement


def _is_templated(statement: Statement) -> bool:
    """Return whether a template fills in a part of a statement, also within its strings."""
    text = _written(statement)
    return any(mark in text for mark in _TAGS) or any(token.kind == TAG for token in statement.tokens)


def _written(statement: Statement) -> str:
    return statement.written(*statement.span)
