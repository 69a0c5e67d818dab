"""Runs through a script as the SQL client would: what is set when, which tables there are, which jobs it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linter.carriers.sql.clients import client_elements
from linter.carriers.sql.lexing import STRING, TAG, Statement, Token, statements
from linter.carriers.sql.queries import Query, Source, feature_values, read_query
from linter.carriers.sql.reading import Name, Option, closing, read_name, read_options
from linter.carriers.sql.tables import Catalog, Table, View, as_attribute, catalog_element, read_created, table_element
from linter.elements import Attribute, Element
from linter.flink.entries import ConfigurationFile, Entry
from linter.flink.files import is_templated
from linter.record import NamedTuple
from linter.text import Span

_MOST_QUERIES = 500
"""Queries that are parsed, of one script."""
_MOST_PARSED = 400_000
"""Characters of queries that are parsed, of one script."""
_DEEPEST_VIEWS = 30
_MOST_STATEMENTS = 1_000
"""Statements of each kind (SET, CREATE, those that run jobs) that are taken in, of one script."""
_LOOKUP_ONLY = ("jdbc", "hbase", "redis", "mongodb", "cassandra", "rest", "http")


class Script(NamedTuple):
    """What a script holds."""

    content: ConfigurationFile
    elements: list[Element]


class Job(NamedTuple):
    """A statement that runs a job or is part of one."""

    verb: str
    statement: Statement
    target: Name | None
    target_options: Sequence[Option]
    query: Sequence[Token]
    number: int
    settings: dict[str, Entry]
    tables: dict[str, Table]
    views: dict[str, View]
    conflict: Token | None
    is_values: bool


def read_script(text: str) -> Script:
    """The settings and elements of a script; never fails."""
    reader = _Reader(text)
    for statement in statements(text):
        reader.read(statement)
    return reader.finish()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._entries: list[Entry] = []
        """All SETs, in the order of the text."""
        self._gone: set[int] = set()
        """Those that a RESET took away, or a later SET of the same key behind a job that they served, by identity."""
        self._settings: dict[str, Entry] = {}
        self._tables: dict[str, Table] = {}
        self._views: dict[str, View] = {}
        self._all_tables: list[Table] = []
        self._catalogs: list[Catalog] = []
        self._jobs: list[Job] = []
        self._served: set[int] = set()
        """Entries that were in force when a job began, by identity."""
        self._numbers: dict[int, int] = {}
        self._alterations = 0
        self._parsed = 0
        self._read: dict[int, Query] = {}
        self._window_columns: frozenset[str] = frozenset()

    def read(self, statement: Statement) -> None:
        """Take one statement in."""
        if statement.begins("SET"):
            self._set(statement)
        elif statement.begins("RESET"):
            self._reset(statement)
        elif statement.begins("ALTER", "TABLE"):
            self._alter(statement)
        elif statement.begins("CREATE") or statement.begins("REPLACE"):
            self._create(statement)
        else:
            self._run(statement)

    # -- settings

    def _set(self, statement: Statement) -> None:
        entry = read_set(self._text, statement)
        if entry is None or len(self._entries) >= _MOST_STATEMENTS:
            return
        former = self._settings.get(entry.key)
        if former is not None and id(former) in self._served:
            self._gone.add(id(former))
        self._entries.append(entry)
        self._settings = {**self._settings, entry.key: entry}

    def _reset(self, statement: Statement) -> None:
        key = _plain(self._text, statement.tokens[1:])
        for name in [key] if key else list(self._settings):
            former = self._settings.get(name)
            if former is not None:
                self._gone.add(id(former))
        self._settings = {name: entry for name, entry in self._settings.items() if key and name != key}

    # -- tables

    def _alter(self, statement: Statement) -> None:
        self._alterations += 1
        if self._alterations > _MOST_STATEMENTS:
            return
        tokens = statement.tokens
        name, place = read_name(tokens, 4 if statement.begins("ALTER", "TABLE", "IF", "EXISTS") else 2)
        table = self._tables.get(name.last) if name is not None else None
        if table is None or place + 1 >= len(tokens) or tokens[place + 1].raw != "(":
            return
        inner = tokens[place + 2 : closing(tokens, place + 1)]
        if tokens[place].upper == "SET":
            options = {**table.options, **{option.key: option for option in read_options(inner)}}
        elif tokens[place].upper == "RESET":
            gone = {token.text for token in inner if token.kind == STRING}
            options = {key: option for key, option in table.options.items() if key not in gone}
        else:
            return
        self._keep(table, table._replace(options=options))

    def _keep(self, old: Table | None, table: Table) -> None:
        self._tables = {**self._tables, table.name.last: table}
        self._views = {name: view for name, view in self._views.items() if name != table.name.last}
        if old is not None:
            self._all_tables = [table if one is old else one for one in self._all_tables]
        else:
            self._all_tables.append(table)

    def _create(self, statement: Statement) -> None:
        if len(self._all_tables) + len(self._views) + len(self._catalogs) >= _MOST_STATEMENTS:
            return
        created = read_created(statement)
        if isinstance(created, Catalog):
            self._catalogs.append(created)
        elif isinstance(created, View):
            self._views = {**self._views, created.name.last: created}
        elif isinstance(created, Table):
            base = self._tables.get(created.like.last) if created.like is not None else None
            if base is not None and not any(token.upper == "EXCLUDING" for token in statement.tokens):
                created = _laid_upon(created, base)
            self._keep(None, created)
            if created.query:
                self._add_job("CREATE TABLE AS", statement, created.name, (), created.query)

    # -- jobs

    def _run(self, statement: Statement) -> None:
        tokens = statement.tokens
        start = 1 if statement.begins("EXECUTE") else 0
        verb = tokens[start].upper if start < len(tokens) else ""
        if verb in ("SELECT", "WITH", "("):
            self._add_job("SELECT", statement, None, (), tokens[start:])
        elif verb == "INSERT" and len(tokens) > start + 2:
            place = start + 2
            if tokens[place].upper == "TABLE":
                place += 1
            target, place = read_name(tokens, place)
            options: list[Option] = []
            while place < len(tokens):
                token = tokens[place]
                following = tokens[place + 1].upper if place + 1 < len(tokens) else ""
                if token.kind == "hint":
                    options += _hinted(self._text, token)
                elif token.upper == "PARTITION" and following == "(":
                    place = closing(tokens, place + 1)
                elif token.raw == "(" and following not in ("SELECT", "WITH", "("):
                    place = closing(tokens, place)
                else:
                    break
                place += 1
            self._add_job(f"INSERT {tokens[start + 1].upper}", statement, target, options, tokens[place:])

    def _add_job(
        self, verb: str, statement: Statement, target: Name | None, options: Sequence[Option], query: Sequence[Token]
    ) -> None:
        if len(self._jobs) >= _MOST_STATEMENTS:
            return
        conflict = None
        for place in range(len(query) - 2, -1, -1):
            if query[place].upper == "ON" and query[place + 1].upper == "CONFLICT":
                conflict, query = query[place], query[:place]
                break
        if statement.set_number is None:
            number = len(self._jobs)
        else:
            number = self._numbers.setdefault(statement.set_number, len(self._jobs))
        self._served.update(id(entry) for entry in self._settings.values())
        is_values = bool(query) and query[0].upper == "VALUES"
        self._jobs.append(
            Job(
                verb,
                statement,
                target,
                options,
                query,
                number,
                self._settings,
                self._tables,
                self._views,
                conflict,
                is_values,
            )
        )

    # -- the end

    def finish(self) -> Script:
        """The entries that count for the last job, all tables, all queries."""
        content = ConfigurationFile()
        last = self._jobs[-1].settings if self._jobs else self._settings
        for entry in self._entries:
            winner = last.get(entry.key)
            if winner is not None:
                late = self._jobs and entry.key_span.start > self._jobs[-1].statement.tokens[0].start
                keep = entry is winner or (id(entry) not in self._gone and not late)
            else:
                keep = id(entry) not in self._gone
            if keep:
                content.entries.append(entry)
        content.mark_overridden()
        effective = {entry.key: entry for entry in content.entries}
        elements = [table_element(table) for table in self._all_tables]
        elements += [catalog_element(catalog) for catalog in self._catalogs]
        uses = []
        for job in self._jobs:
            query = self._query(job)
            if not query.parsed:
                content.warnings.append(_note(self._text, job))
            sources = list(_with_roles(query.sources, job.tables))
            elements.append(_query_element(job, query, sources, effective))
            uses.append((job, query, sources))
        elements += client_elements(self._all_tables, uses)
        elements.sort(key=lambda element: element.span)
        return Script(content, elements)

    def _query(self, job: Job) -> Query:
        """What a job's query does, the views it reads laid open."""
        if job.is_values:
            return Query((), (), (), parsed=True)
        views = [name for name in job.views if any(token.text == name for token in job.query)]
        for name in views:
            self._window_columns |= self._parse(job.views[name].query).window_columns
        query = self._parse(job.query)
        for _ in range(_DEEPEST_VIEWS):
            opened = [source for source in query.sources if source.name in job.views and source.role == "scan"]
            if not opened:
                break
            query = self._opened(query, [(source, job.views[source.name]) for source in opened])
        return query

    def _opened(self, query: Query, views: Sequence[tuple[Source, View]]) -> Query:
        names = {source.name for source, _ in views}
        inner = [self._parse(view.query) for view in {view.name.last: view for _, view in views}.values()]
        sources = [source for source in query.sources if source.name not in names]
        return Query(
            [*query.features, *(feature for one in inner for feature in one.features)],
            [*sources, *(source for one in inner for source in one.sources if source.name not in names)],
            [*query.hints, *(hint for one in inner for hint in one.hints)],
            parsed=query.parsed and all(one.parsed for one in inner),
        )

    def _parse(self, tokens: Sequence[Token]) -> Query:
        if not tokens:
            return Query((), (), (), parsed=True)
        start = tokens[0].start
        if start not in self._read:
            self._parsed += tokens[-1].end - start
            if len(self._read) >= _MOST_QUERIES or self._parsed > _MOST_PARSED:
                return Query((), (), (), parsed=False)
            self._read[start] = read_query(self._text, tokens, self._window_columns)
        return self._read[start]


def _note(text: str, job: Job) -> str:
    line = text.count("\n", 0, job.statement.tokens[0].start) + 1
    return f"the {job.verb} of line {line} is not understood: nothing is said of its query"


# -- pieces of statements


def read_set(text: str, statement: Statement) -> Entry | None:
    """The setting of ``SET 'key' = 'value'`` or the old ``SET key=value``; None where it sets nothing that is known."""
    tokens = statement.tokens[1:]
    equals = next((place for place, token in enumerate(tokens) if token.raw == "=" and token.kind == "mark"), None)
    if not equals or equals + 1 >= len(tokens):
        return None
    key = _plain(text, tokens[:equals])
    before, behind = tokens[:equals], tokens[equals + 1 :]
    if not key or is_templated(key) or ":" in key or any(token.kind == TAG and token.raw[0] == ":" for token in behind):
        return None
    value_span = Span(behind[0].start, behind[-1].end)
    raw = text[value_span.start : value_span.end]
    quoted = len(behind) == 1 and behind[0].kind == STRING
    value = behind[0].text if quoted else raw
    key_bounds = (before[0].start, before[-1].end)
    return Entry(
        key, value, value, key_bounds, (value_span.start, value_span.end), raw, "single" if quoted else "plain"
    )


def _plain(text: str, tokens: Sequence[Token]) -> str:
    """A key: a string, or words and marks without blanks between them; the empty string for anything else."""
    if len(tokens) == 1 and tokens[0].kind == STRING:
        return tokens[0].text
    written = text[tokens[0].start : tokens[-1].end] if tokens else ""
    return "" if any(token.kind == STRING for token in tokens) or len(written.split()) != 1 else written


def _hinted(text: str, token: Token) -> Iterator[Option]:
    from linter.carriers.sql.masking import Masked

    for hint in Masked(text, [token]).hints:
        if hint.name == "OPTIONS":
            yield from hint.options


def _laid_upon(table: Table, base: Table) -> Table:
    """A table with what it takes over from the one it is LIKE."""
    return table._replace(
        options={**base.options, **table.options},
        columns=[*base.columns, *table.columns],
        primary_key=table.primary_key or base.primary_key,
        watermark=table.watermark or base.watermark,
        partitions=table.partitions or base.partitions,
        open=table.open or base.open,
    )


# -- as elements


def _with_roles(sources: Sequence[Source], tables: dict[str, Table]) -> Iterator[Source]:
    """Tell lookups from temporal joins: by the time they are asked for, else by what the table's connector can."""
    for source in sources:
        if source.role != "version":
            yield source
            continue
        table = tables.get(source.name.rpartition(".")[2])
        connector = (table.connector or "") if table is not None else ""
        columns = [column for one in tables.values() for column in one.columns if column.name == source.time]
        if any("PROCTIME" in column.expression.upper() for column in columns) or "proc" in source.time.lower():
            role = "lookup"
        elif columns or not connector.startswith(_LOOKUP_ONLY):
            role = "temporal"
        else:
            role = "lookup"
        yield source._replace(role=role)


def _query_element(job: Job, query: Query, sources: Sequence[Source], effective: dict[str, Entry]) -> Element:
    first = job.statement.tokens[0]
    attributes: dict[str, Attribute] = {
        "job": Attribute(job.number, first.span),
        "statement-set": Attribute(job.statement.set_number is not None, first.span),
        "parsed": Attribute(query.parsed, first.span),
    }
    if job.is_values:
        attributes["values"] = Attribute(True, job.query[0].span)
    if job.conflict is not None:
        attributes["on-conflict"] = Attribute(True, job.conflict.span)
    if job.target is not None:
        attributes["targets[0].name"] = Attribute(".".join(job.target.parts), job.target.span)
        for option in job.target_options:
            attributes[f"targets[0].options.{option.key}"] = as_attribute(option)
    for number, source in enumerate(sources):
        attributes[f"sources[{number}].name"] = Attribute(source.name, source.span)
        attributes[f"sources[{number}].role"] = Attribute(source.role, source.span)
        for hint in query.hints:
            if hint.name == "OPTIONS" and hint.table == source.name.rpartition(".")[2]:
                for option in hint.options:
                    attributes[f"sources[{number}].options.{option.key}"] = as_attribute(option)
    roles = {source.span: source.role for source in sources}
    for name, feature in feature_values(
        [
            feature._replace(name=f"{roles.get(feature.span, 'temporal')}-join")
            if feature.name == "versioned-join"
            else feature
            for feature in query.features
        ]
    ).items():
        attributes[name] = Attribute(feature.value, feature.span)
    groups = sum(1 for feature in query.features if feature.name == "group-by")
    if groups > 1:
        attributes["group-bys"] = Attribute(groups, attributes["group-by"].span)
    for number, hint in enumerate(query.hints):
        attributes[f"hints[{number}].name"] = Attribute(hint.name, hint.span)
        attributes[f"hints[{number}].arguments"] = Attribute(", ".join(hint.arguments), hint.span)
        for option in hint.options:
            attributes[f"hints[{number}].options.{option.key}"] = as_attribute(option)
    for key in {*job.settings, *effective}:
        entry = job.settings.get(key)
        if entry is not effective.get(key):
            if entry is not None:
                value = None if is_templated(entry.text) else entry.text
                attributes[f"settings.{key}"] = Attribute(value, entry.value_span, entry.key_span, entry.raw)
            else:
                attributes[f"settings.{key}"] = Attribute(None, first.span)
    return Element("query", job.verb, first.span, attributes)
