"""Statement-by-statement interpretation of a script, as in the SQL client: settings, tables, and jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.sql.jobs import Catalogs, Job, Task
from flink_flint.linter.formats.sql.operator_order import KEPT_VERSION, keeps_state, kept
from flink_flint.linter.formats.sql.queries import Query, Source, read_query
from flink_flint.linter.formats.sql.query_features import feature_values
from flink_flint.linter.formats.sql.sql_tokens import STRING, TAG, WORD, Statement, Token, statements
from flink_flint.linter.formats.sql.statement_parts import Name, Option, closing, read_name, read_options
from flink_flint.linter.formats.sql.table_clients import UsedByCalls, client_elements
from flink_flint.linter.formats.sql.table_uses import Uses, uses_of
from flink_flint.linter.formats.sql.tables import (
    Catalog,
    Table,
    View,
    as_attribute,
    catalog_element,
    function_element,
    is_hive_table,
    read_created,
    table_element,
)
from flink_flint.linter.model.elements import ONLY_DECLARED, ONLY_WRITTEN, UNUSED, Attribute, Element
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_DIALECT = "table.sql-dialect"
_MAX_QUERIES = 500
"""Maximum number of queries in a script that are parsed."""
_MAX_PARSED = 400_000
"""Maximum total length of the queries in a script that are parsed."""
_MAX_VIEW_DEPTH = 30
_MAX_OUTPUTS = 200
"""Maximum number of columns of a query that are kept."""
_MAX_STATEMENTS = 1_000
"""Maximum number of statements of each kind (SET, CREATE, those that run jobs) that are processed."""
_VERBS = frozenset((
    "ADD", "ALTER", "ANALYZE", "BEGIN", "CALL", "CLEAR", "COMPILE", "DELETE", "DESC", "DESCRIBE", "DROP", "END",
    "EXECUTE", "EXIT", "EXPLAIN", "HELP", "INSERT", "LOAD", "QUIT", "REMOVE", "SELECT", "SHOW", "SOURCE", "STATEMENT",
    "STOP", "TABLE", "TRUNCATE", "UNLOAD", "UPDATE", "USE", "VALUES", "WITH",
))  # fmt: skip
"""The words that statements of Flink's parser and its SQL client begin with, besides those that are read."""
_ENDED = frozenset(("CREATE", "DROP", "INSERT", "SET", "USE", "ADD"))
"""The words that begin statements in which none of `_BEGINNINGS` occurs."""
_BEGINNINGS = {
    "CREATE": ("TABLE", "TEMPORARY", "VIEW", "CATALOG", "DATABASE", "FUNCTION"),
    "DROP": ("TABLE", "TEMPORARY", "VIEW", "CATALOG", "DATABASE", "FUNCTION"),
    "INSERT": ("INTO", "OVERWRITE"),
}
_LOOKUP_ONLY = ("jdbc", "hbase", "redis", "mongodb", "cassandra", "rest", "http")


class Script(NamedTuple):
    """The settings and elements (such as tables and queries) of a script."""

    content: ConfigurationFile
    elements: list[Element]


def read_script(text: str, by_calls: UsedByCalls | None = None) -> Script:
    """Return the settings and elements of a script; never raise an exception.

    `by_calls` has the tables that the program with the script's statements uses in other ways; None if the script is a
    file, which may also have statements for other databases.
    """
    reader = _Reader(text, by_calls)
    found = list(statements(text))
    for statement in found:
        reader.read(statement)
    return reader.finish(found)


class _Reader:
    def __init__(self, text: str, by_calls: UsedByCalls | None) -> None:
        self._text = text
        self._by_calls = by_calls or UsedByCalls()
        self._is_in_memory = by_calls is None
        """Whether the current catalog is the one that a session begins with, as far as the file shows."""
        self._foreign: dict[str, Table] = {}
        """Tables that may be another database's, by name, as long as no statement of Flink uses them."""
        self._entries: list[Entry] = []
        """All SET statements, in the order of the text."""
        self._removed: set[int] = set()
        """Entries (by identity) that were removed by RESET, or replaced by SET after a statement ran with them."""
        self._settings: dict[str, Entry] = {}
        self._tables: dict[str, Table] = {}
        self._views: dict[str, View] = {}
        self._all_tables: list[Table] = []
        self._catalogs: list[Catalog] = []
        self._known_catalogs = Catalogs()
        self._functions: list[Element] = []
        self._kept: list[Table] = []
        """All tables, as declared and as they are after each alteration."""
        self._columns: dict[str, list[tuple[int, Table, bool]]] = {}
        """Tables by column name: index in `_kept`, table, and whether the column is a processing-time attribute."""
        self._jobs: list[Job] = []
        self._entries_served = 0
        """The number of SET statements before the last job."""
        self._served: set[int] = set()
        """Entries (by identity) that were set when a statement was executed, which may have used them."""
        self._has_changed = False
        """Whether a setting was changed since the last executed statement."""
        self._numbers: dict[int, int] = {}
        self._alterations = 0
        self._parsed = 0
        self._read: dict[int, Query] = {}
        self._unknown: list[Statement] = []
        """The statements that begin with no word that Flink's do."""
        self._unended: list[Token] = []
        """The first tokens of statements before which a semicolon is missing."""
        self._window_columns: frozenset[str] = frozenset()

    def read(self, statement: Statement) -> None:
        """Process the next statement, or the next ones if the semicolons between them are missing.

        What they declare counts, so that it is not missed below; a query that Flink refuses does not.
        """
        tokens = statement.tokens
        starts = [0, *_beginnings_inside(tokens, self._text)]
        self._unended += [tokens[at] for at in starts[1:]]
        is_refused = False
        for start, end in pairwise([*starts, len(tokens)]):
            is_query = tokens[start].upper == "INSERT" and len(starts) > 1
            if not (is_query and (is_refused or end < len(tokens))):
                self._read_one(statement._replace(tokens=tokens[start:end]) if len(starts) > 1 else statement)
            is_refused = is_refused or is_query

    def _read_one(self, statement: Statement) -> None:
        word = statement.tokens[0].upper
        if word == "SET":
            self._set(statement)
        elif word == "RESET":
            self._reset(statement)
        else:
            self._execute(statement, word)

    def _execute(self, statement: Statement, word: str) -> None:
        if self._is_hive(statement, word):
            pass
        elif word == "ALTER" and statement.begins("ALTER", "TABLE"):
            self._alter(statement)
        elif word in ("CREATE", "REPLACE"):
            self._create(statement)
        else:
            self._run(statement)
        if self._has_changed:
            self._served.update(id(entry) for entry in self._settings.values())
            self._has_changed = False

    def _is_hive(self, statement: Statement, word: str) -> bool:
        """Return whether a statement is in the dialect of Hive, whose grammar and semantics are Hive's."""
        dialect = self._settings.get(_DIALECT)
        if dialect is not None and dialect.text.strip().lower() == "hive":
            return True
        return word == "CREATE" and is_hive_table(statement.tokens)

    # -- settings

    def _set(self, statement: Statement) -> None:
        entry = read_set(statement)
        if entry is None:
            return
        if len(self._entries) >= _MAX_STATEMENTS:
            leave_out(f"the first {_MAX_STATEMENTS:,} statements of a kind are read")
            return
        former = self._settings.get(entry.key)
        if former is not None and id(former) in self._served:
            self._removed.add(id(former))
        self._entries.append(entry)
        self._settings = {**self._settings, entry.key: entry}
        self._has_changed = True

    def _reset(self, statement: Statement) -> None:
        key = _plain(statement, statement.tokens[1:])
        for name in [key] if key else list(self._settings):
            former = self._settings.get(name)
            if former is not None:
                self._removed.add(id(former))
        self._settings = {name: entry for name, entry in self._settings.items() if key and name != key}

    # -- tables

    def _alter(self, statement: Statement) -> None:
        self._alterations += 1
        if self._alterations > _MAX_STATEMENTS:
            leave_out(f"the first {_MAX_STATEMENTS:,} statements of a kind are read")
            return
        altered = _read_alteration(statement)
        if altered is not None and altered.options:
            self._adopt((altered.table,))
        if altered is not None and (table := self._tables.get(altered.table)) is not None:
            self._keep(table, _altered(table, altered))

    def _keep(self, old: Table | None, table: Table) -> None:
        self._tables = {**self._tables, table.name.last: table}
        if table.name.last in self._views:
            self._views = {name: view for name, view in self._views.items() if name != table.name.last}
        self._kept.append(table)
        if old is not None:
            self._all_tables = [table if one is old else one for one in self._all_tables]
        else:
            self._all_tables.append(table)

    def _create(self, statement: Statement) -> None:
        if len(self._all_tables) + len(self._foreign) + len(self._views) + len(self._catalogs) >= _MAX_STATEMENTS:
            leave_out(f"the first {_MAX_STATEMENTS:,} statements of a kind are read")
            return
        created = read_created(statement)
        if isinstance(created, Catalog):
            self._catalogs.append(created)
            types = {**self._known_catalogs.types, created.name.last: _catalog_type(created)}
            self._known_catalogs = self._known_catalogs._replace(types=types)
        elif isinstance(created, View):
            self._views = {**self._views, created.name.last: created}
        elif isinstance(created, Table):
            if self._is_in_memory and created.may_be_foreign:
                self._foreign[created.name.last] = created
                return
            created = created._replace(catalog=self._known_catalogs.type_of(created.name))
            if created.like is not None:
                self._adopt((created.like.last,))
            base = self._tables.get(created.like.last) if created.like is not None else None
            if base is not None and not any(token.upper == "EXCLUDING" for token in statement.tokens):
                created = _with_base(created, base)
            self._keep(None, created)
            if created.query:
                self._add_job(_filling(statement, created))
        elif (function := function_element(statement.tokens)) is not None:
            self._functions.append(function)

    def _adopt(self, names: Iterable[str]) -> None:
        """Treat the tables with these names as Flink's, unless others with their names are: its statements use them.

        They may still be in a database that a catalog of Flink shows, so their keys are not judged.
        """
        for name in names:
            table = self._foreign.pop(name, None)
            if table is not None and name not in self._tables:
                self._keep(None, table._replace(enforced=None))

    # -- jobs

    def _run(self, statement: Statement) -> None:
        task = read_task(statement)
        if task is not None:
            if self._foreign and not task.is_values:
                used = _words(task) | ({task.target.last} if task.target is not None else set())
                self._adopt([name for name in self._foreign if name in used])
            self._add_job(task)
        elif statement.begins("USE", "CATALOG"):
            self._is_in_memory = False
            name, _ = read_name(statement.tokens, 2)
            self._known_catalogs = self._known_catalogs._replace(current=None if name is None else name.last)
        elif statement.tokens[0].kind == WORD and statement.tokens[0].upper not in _VERBS:
            self._unknown.append(statement)

    def _add_job(self, task: Task) -> None:
        if len(self._jobs) >= _MAX_STATEMENTS:
            leave_out(f"the first {_MAX_STATEMENTS:,} statements of a kind are read")
            return
        if task.statement.set_number is None:
            number = len(self._jobs)
        else:
            number = self._numbers.setdefault(task.statement.set_number, len(self._jobs))
        self._entries_served = len(self._entries)
        self._jobs.append(
            Job(task, number, self._settings, self._tables, self._views, len(self._kept), self._known_catalogs)
        )

    # -- the end

    def finish(self, statements: Sequence[Statement]) -> Script:
        """Return the entries that apply to the last job, and elements for all tables and queries."""
        content = ConfigurationFile()
        last = self._jobs[-1].settings if self._jobs else self._settings
        for place, entry in enumerate(self._entries):
            winner = last.get(entry.key)
            if winner is not None:
                late = self._jobs and place >= self._entries_served
                keep = entry is winner or (id(entry) not in self._removed and not late)
            else:
                keep = id(entry) not in self._removed
            if keep:
                content.entries.append(entry)
        content.mark_overridden()
        effective = {entry.key: entry for entry in content.entries}
        table_uses = uses_of(statements, self._all_tables, self._jobs, self._by_calls)
        elements: list[Element] = [table_element(table) for table in self._all_tables]
        elements += [catalog_element(catalog) for catalog in self._catalogs]
        elements += self._functions
        for statement in self._unknown[:_MAX_STATEMENTS]:
            content.warnings.append(
                f"the statement in line {self._line(statement.tokens[0])} is passed over: none of Flink's begins with "
                f"{statement.tokens[0].raw[:40]}"
            )
        for token in self._unended[:_MAX_STATEMENTS]:
            content.warnings.append(
                f"a semicolon is missing before the {token.raw} in line {self._line(token)}: Flink reads both as one"
                " statement and refuses it"
            )
        uses = []
        for job in self._jobs:
            query = self._with_time(self._query(job), job)
            if not query.parsed:
                content.warnings.append(
                    f"the {job.task.verb} in line {self._line(job.task.statement.tokens[0])} cannot be parsed, "
                    "so its query is not checked"
                )
            roles = [source.role if source.role != "version" else self._role(source, job) for source in query.sources]
            sources = _in_roles(query, *roles)
            element = _query_element(job, query, sources)
            other = [
                key
                for key in dict.fromkeys((*job.settings, *effective))
                if job.settings.get(key) is not effective.get(key)
            ]
            if other:
                element = _with_settings(element, tuple(other), *(job.settings.get(key) for key in other))
            elements.append(element)
            uses.append((job, query, sources))
        elements += client_elements(self._all_tables, uses, self._by_calls)
        if table_uses != Uses():
            elements = [_marked(element, table_uses) for element in elements]
        elements.sort(key=lambda element: element.span)
        return Script(content, elements)

    def _line(self, token: Token) -> int:
        return self._text.count("\n", 0, token.start) + 1

    def _role(self, source: Source, job: Job) -> str:
        """Return "lookup" or "temporal", judging by the time column or the table's connector."""
        if "proc" in source.time.lower():
            return "lookup"
        if not self._columns:
            for place, table in enumerate(self._kept):
                for name, is_processing in _times(table).items():
                    self._columns.setdefault(name, []).append((place, table, is_processing))
        is_declared = False
        for place, table, is_processing in self._columns.get(source.time, ()):
            if place < job.keeps and job.tables.get(table.name.last) is table:
                if is_processing:
                    return "lookup"
                is_declared = True
        declared = job.tables.get(source.name.rpartition(".")[2])
        connector = (declared.connector or "") if declared is not None else ""
        return "temporal" if is_declared or not connector.startswith(_LOOKUP_ONLY) else "lookup"

    def _query(self, job: Job) -> Query:
        """Return the analysis of a job's query, in which views are replaced by their queries."""
        if job.task.is_values:
            return _NOTHING
        words = _words(job.task) if job.views else ()
        for name, view in job.views.items():
            if name in words:
                self._window_columns |= self._parse(view.query).window_columns
        query = self._parse(job.task.query)
        for _ in range(_MAX_VIEW_DEPTH):
            opened = [source for source in query.sources if source.name in job.views and source.role == "scan"]
            if not opened:
                break
            names = dict.fromkeys(source.name for source in opened)
            views = {job.views[name].name.last: job.views[name] for name in names}
            query = _with_views(query, frozenset(names), *(self._parse(one.query) for one in views.values()))
        return query

    def _with_time(self, query: Query, job: Job) -> Query:
        """Return a query in which joins are interval joins only if two of its tables may have time attributes.

        Without them, Flink takes the bounds for conditions like any other, and keeps all rows of both sides.
        """
        features = query.features
        if not any(feature.name == "interval-join" for feature in features) or any(
            feature.value == "PROCTIME" for feature in features
        ):
            return query
        tables = [job.tables.get(source.name.rpartition(".")[2]) for source in query.sources]
        if sum(table is None or _may_have_time(table) for table in tables) > 1:
            return query
        joins = {"interval-join": "regular-join"}
        return query._replace(features=[one._replace(name=joins.get(one.name, one.name)) for one in features])

    def _parse(self, tokens: Sequence[Token]) -> Query:
        if not tokens:
            return _NOTHING
        start = tokens[0].start
        if start not in self._read:
            self._parsed += tokens[-1].end - start
            if len(self._read) >= _MAX_QUERIES or self._parsed > _MAX_PARSED:
                leave_out(f"the first {_MAX_QUERIES:,} queries, or {_MAX_PARSED:,} characters of them, are read")
                return _UNREAD
            self._read[start] = read_query(tokens, self._window_columns)
        return self._read[start]


_NOTHING = Query((), (), (), parsed=True)
_UNREAD = Query((), (), (), parsed=False)


# -- contents of statements


def _beginnings_inside(tokens: Sequence[Token], text: str) -> list[int]:
    """Return the indices of the tokens at beginnings of lines in a statement where other statements begin."""
    if tokens[0].upper not in _ENDED:
        return []
    found: list[int] = []
    depth = 0
    for place in range(1, len(tokens) - 1):
        token = tokens[place]
        if token.raw in ("(", ")"):
            depth += 1 if token.raw == "(" else -1
        elif not depth and token.upper in _BEGINNINGS and tokens[place + 1].upper in _BEGINNINGS[token.upper]:
            _, newline, indent = text[tokens[place - 1].end : token.start].rpartition("\n")
            if newline and not indent.strip(" \t"):
                found.append(place)
    return found[:_MAX_STATEMENTS]


def read_set(statement: Statement) -> Entry | None:
    """Return the entry for ``SET 'key' = 'value'`` or legacy ``SET key=value``; None if the key cannot be read."""
    tokens = statement.tokens[1:]
    equals = next((place for place, token in enumerate(tokens) if token.raw == "=" and token.kind == "mark"), None)
    if not equals or equals + 1 >= len(tokens):
        return None
    key = _plain(statement, tokens[:equals])
    before, behind = tokens[:equals], tokens[equals + 1 :]
    if not key or is_templated(key) or ":" in key or any(token.kind == TAG and token.raw[0] == ":" for token in behind):
        return None
    value_span = Span(behind[0].start, behind[-1].end)
    raw = statement.written(*value_span)
    quoted = len(behind) == 1 and behind[0].kind == STRING
    value = behind[0].text if quoted else raw
    key_bounds = (before[0].start, before[-1].end)
    return Entry(
        key, value, value, key_bounds, (value_span.start, value_span.end), raw, "single" if quoted else "plain"
    )


def _plain(statement: Statement, tokens: Sequence[Token]) -> str:
    """Return the key that is written as a string or without spaces, or an empty string for anything else."""
    if len(tokens) == 1 and tokens[0].kind == STRING:
        return tokens[0].text
    written = statement.written(tokens[0].start, tokens[-1].end) if tokens else ""
    return "" if any(token.kind == STRING for token in tokens) or len(written.split()) != 1 else written


class _Alteration(NamedTuple):
    """The options that an ALTER TABLE statement sets or resets."""

    table: str
    options: Sequence[Option]
    removed: frozenset[str]


def _read_alteration(statement: Statement) -> _Alteration | None:
    tokens = statement.tokens
    name, place = read_name(tokens, 4 if statement.begins("ALTER", "TABLE", "IF", "EXISTS") else 2)
    if name is None or place + 1 >= len(tokens) or tokens[place + 1].raw != "(":
        return None
    inner = tokens[place + 2 : closing(tokens, place + 1)]
    if tokens[place].upper == "SET":
        return _Alteration(name.last, read_options(inner), frozenset())
    if tokens[place].upper == "RESET":
        return _Alteration(name.last, (), frozenset(token.text for token in inner if token.kind == STRING))
    return None


def _altered(table: Table, alteration: _Alteration) -> Table:
    options = {key: option for key, option in table.options.items() if key not in alteration.removed}
    return table._replace(options={**options, **{option.key: option for option in alteration.options}})


def read_task(statement: Statement) -> Task | None:
    """Return the task of a statement that runs a job (such as INSERT); None for any other statement."""
    tokens = statement.tokens
    start = 1 if statement.begins("EXECUTE") else 0
    verb = tokens[start].upper if start < len(tokens) else ""
    if verb in ("SELECT", "WITH", "("):
        return _task("SELECT", statement, None, (), tokens[start:])
    if verb != "INSERT" or len(tokens) <= start + 2:
        return None
    place = start + 2
    if tokens[place].upper == "TABLE":
        place += 1
    target, place = read_name(tokens, place)
    options: list[Option] = []
    while place < len(tokens):
        token = tokens[place]
        following = tokens[place + 1].upper if place + 1 < len(tokens) else ""
        if token.kind == "hint":
            options += _hinted(token)
        elif token.upper == "PARTITION" and following == "(":
            place = closing(tokens, place + 1)
        elif token.raw == "(" and following not in ("SELECT", "WITH", "("):
            place = closing(tokens, place)
        else:
            break
        place += 1
    return _task(f"INSERT {tokens[start + 1].upper}", statement, target, options, tokens[place:])


def _filling(statement: Statement, table: Table) -> Task:
    """Return the task of a CREATE TABLE ... AS statement."""
    return _task("CREATE TABLE AS", statement, table.name, (), table.query)


def _task(
    verb: str, statement: Statement, target: Name | None, options: Sequence[Option], query: Sequence[Token]
) -> Task:
    conflict = None
    for place in range(len(query) - 2, -1, -1):
        if query[place].upper == "ON" and query[place + 1].upper == "CONFLICT":
            conflict, query = query[place], query[:place]
            break
    is_values = bool(query) and query[0].upper == "VALUES"
    return Task(verb, statement, target, options, query, conflict, is_values)


def _words(task: Task) -> frozenset[str]:
    """Return the set of all token texts in a task's query."""
    return frozenset(token.text for token in task.query)


def _hinted(token: Token) -> Iterator[Option]:
    from flink_flint.linter.formats.sql.sqlglot_query import Masked

    for hint in Masked([token]).hints:
        if hint.name == "OPTIONS":
            yield from hint.options


def _with_base(table: Table, base: Table) -> Table:
    """Return a table with everything that it inherits from `base`, the table in its LIKE clause."""
    return table._replace(
        options={**base.options, **table.options},
        columns=[*base.columns, *table.columns],
        primary_key=table.primary_key or base.primary_key,
        watermark=table.watermark or base.watermark,
        partitions=table.partitions or base.partitions,
        open=table.open or base.open,
    )


def _times(table: Table) -> Mapping[str, bool]:
    """Return, for each column of a table, whether it is a processing-time attribute."""
    found: dict[str, bool] = {}
    for column in table.columns:
        found[column.name] = found.get(column.name, False) or "PROCTIME" in column.expression.upper()
    return found


def _may_have_time(table: Table) -> bool:
    """Return whether a table may have a time attribute, of its own or from the table or query that it is made of."""
    is_known = table.like is None and not table.query
    return not is_known or table.watermark is not None or any(_times(table).values())


def _with_views(query: Query, names: frozenset[str], *inner: Query) -> Query:
    """Return a query in which the views with these names are replaced by their queries (`inner`)."""
    sources = [source for source in query.sources if source.name not in names]
    features = [feature for one in inner for feature in one.features]
    if keeps_state(query.features):
        features += list(kept(features))
    return Query(
        [*query.features, *features],
        [*sources, *(source for one in inner for source in one.sources if source.name not in names)],
        [*query.hints, *(hint for one in inner for hint in one.hints)],
        parsed=query.parsed and all(one.parsed for one in inner),
    )


def _in_roles(query: Query, *roles: str) -> Sequence[Source]:
    """Return the tables that a query reads, with the given roles."""
    return [source._replace(role=role) for source, role in zip(query.sources, roles, strict=True)]


# -- as elements


_VERSIONED = {"versioned-join": "{}-join", KEPT_VERSION: "kept-{}"}
"""The names of features that the role of the joined table completes."""


def _catalog_type(catalog: Catalog) -> str | None:
    option = catalog.options.get("type")
    return None if option is None else option.value


def _query_element(job: Job, query: Query, sources: Sequence[Source]) -> Element:
    task = job.task
    first = task.statement.tokens[0]
    attributes: dict[str, Attribute] = {
        "job": Attribute(job.number, first.span),
        "statement-set": Attribute(task.statement.set_number is not None, first.span),
        "parsed": Attribute(query.parsed, first.span),
    }
    if task.is_values:
        attributes["values"] = Attribute(True, task.query[0].span)
    if task.conflict is not None:
        attributes["on-conflict"] = Attribute(True, task.conflict.span)
    if task.target is not None:
        attributes["targets[0].name"] = Attribute(".".join(task.target.parts), task.target.span)
        if (of := job.catalogs.type_of(task.target)) is not None:
            attributes["targets[0].catalog-type"] = Attribute(of, task.target.span)
        for option in task.target_options:
            attributes[f"targets[0].options.{option.key}"] = as_attribute(option)
    for place, source in enumerate(sources):
        attributes[f"sources[{place}].name"] = Attribute(source.name, source.span)
        attributes[f"sources[{place}].role"] = Attribute(source.role, source.span)
        if (of := job.catalogs.type_of(Name(tuple(source.name.split(".")), source.span))) is not None:
            attributes[f"sources[{place}].catalog-type"] = Attribute(of, source.span)
        for hint in query.hints:
            if hint.name == "OPTIONS" and hint.table == source.name.rpartition(".")[2]:
                for option in hint.options:
                    attributes[f"sources[{place}].options.{option.key}"] = as_attribute(option)
    roles = {source.span: source.role for source in sources}
    for name, feature in feature_values(
        [
            feature._replace(name=_VERSIONED[feature.name].format(roles.get(feature.span, "temporal")))
            if feature.name in _VERSIONED
            else feature
            for feature in query.features
        ]
    ).items():
        attributes[name] = Attribute(feature.value, feature.span)
    for place, output in enumerate(query.outputs[:_MAX_OUTPUTS]):
        attributes[f"outputs[{place}].name"] = Attribute(output.name, output.span)
        if output.column is not None:
            attributes[f"outputs[{place}].column"] = Attribute(output.column, output.span)
        if output.is_constant:
            attributes[f"outputs[{place}].constant"] = Attribute(True, output.span)
        if output.calls:
            attributes[f"outputs[{place}].calls"] = Attribute(output.calls, output.span)
    groups = sum(1 for feature in query.features if feature.name == "group-by")
    if groups != sum(1 for feature in query.features if feature.name == "windows-grouped"):
        attributes.pop("windows-grouped", None)
    if groups > 1:
        attributes["group-bys"] = Attribute(groups, attributes["group-by"].span)
    for place, hint in enumerate(query.hints):
        attributes[f"hints[{place}].name"] = Attribute(hint.name, hint.span)
        attributes[f"hints[{place}].arguments"] = Attribute(", ".join(hint.arguments), hint.span)
        for option in hint.options:
            attributes[f"hints[{place}].options.{option.key}"] = as_attribute(option)
    return Element("query", task.verb, first.span, attributes)


def _marked(element: Element, uses: Uses) -> Element:
    """Return a table, or its source or sink, with the mark that nothing in its script uses or reads it, if so."""
    table = element.attributes.get("table")
    name = element.name if element.kind == "table" else table.value if table is not None else None
    span = table.span if table is not None else element.span
    marks = {UNUSED: uses.unused, ONLY_WRITTEN: uses.only_written, ONLY_DECLARED: uses.only_declared}
    mark = next((mark for mark, spans in marks.items() if span in spans), None)
    if mark is None or not isinstance(name, str):
        return element
    return Element(element.kind, element.name, element.span, {**element.attributes, mark: Attribute(name, span)})


def _with_settings(element: Element, keys: Sequence[str], *entries: Entry | None) -> Element:
    """Return a query element with the settings that differ from those of the last job (None: not set)."""
    attributes = dict(element.attributes)
    for key, entry in zip(keys, entries, strict=True):
        if entry is not None:
            value = None if is_templated(entry.text) else entry.text
            attributes[f"settings.{key}"] = Attribute(value, entry.value_span, entry.key_span, entry.raw)
        else:
            attributes[f"settings.{key}"] = Attribute(None, element.span)
    return Element(element.kind, element.name, element.span, attributes)
