"""Kafka and Kinesis tables as sources and sinks, with table options as properties of the underlying clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.formats.sql.statement_parts import Option
from flink_flint.linter.formats.sql.tables import Table, as_attribute
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.formats.sql.jobs import Job
    from flink_flint.linter.formats.sql.queries import Query, Source

_KAFKA = ("kafka", "upsert-kafka")
_KINESIS = ("kinesis", "kinesis-legacy")
_KINESIS_SINKS = (*_KINESIS, "firehose", "dynamodb")
_STREAMS = ("stream", "stream.arn", "delivery-stream", "table-name")
_KAFKA_NAMES = {
    "properties.group.id": "group-id",
    "scan.startup.mode": "starting-offsets",
    "scan.bounded.mode": "bounded",
    "sink.delivery-guarantee": "delivery-guarantee",
    "sink.semantic": "delivery-guarantee",
    "sink.transactional-id-prefix": "transactional-id-prefix",
}
_READS = ("scan.", "properties.group.id", "properties.auto.offset.reset")
_WRITES = ("sink.",)


class UsedByCalls(NamedTuple):
    """The names of the tables that a program uses through the Table API or in other statements than the script's."""

    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    """What is named by the program's statements outside of the script, such as queries that become streams."""
    is_whole: bool = True
    """Whether these are all tables that the program reads and writes outside of the script."""


def client_elements(
    tables: Sequence[Table],
    uses: Sequence[tuple[Job, Query, Sequence[Source]]],
    by_calls: UsedByCalls = UsedByCalls(),  # noqa: B008 - it is immutable
) -> Iterator[Element]:
    """Yield a source or sink element for each Kafka or Kinesis table and each set of options used with it.

    A table that nothing uses is a source or a sink according to its options, if they show it.
    """
    made: set[tuple[Span, bool, frozenset[tuple[str, str]]]] = set()

    def make(table: Table, hinted: dict[str, Option], *, reads: bool) -> Iterator[Element]:
        identity = (table.name.span, reads, frozenset((key, option.raw) for key, option in hinted.items()))
        if identity not in made:
            made.add(identity)
            element = _element(table, reads, *hinted.values())
            if element is not None:
                yield element

    used: set[Span] = set()
    for job, query, sources in uses:
        for source in sources:
            table = job.tables.get(source.name.rpartition(".")[2])
            hints = [hint for hint in query.hints if hint.name == "OPTIONS"]
            options = {o.key: o for h in hints if table is not None and h.table == table.name.last for o in h.options}
            if table is not None:
                yield from make(table, options, reads=True)
                used.add(table.name.span)
        task = job.task
        target = job.tables.get(task.target.last) if task.target is not None else None
        if target is not None:
            yield from make(target, {o.key: o for o in task.target_options}, reads=False)
            used.add(target.name.span)
    for table in tables:
        for names, reads in ((by_calls.read, True), (by_calls.written, False)):
            if table.name.last in names:
                yield from make(table, {}, reads=reads)
                used.add(table.name.span)
        if table.name.span not in used:
            for prefixes, reads in ((_READS, True), (_WRITES, False)):
                if any(key.startswith(prefixes) for key in table.options):
                    yield from make(table, {}, reads=reads)


def _element(table: Table, reads: bool, *hinted: Option) -> Element | None:
    options = {**table.options, **{option.key: option for option in hinted}}
    connector = table.connector
    attributes: dict[str, Attribute] = {
        "api": Attribute("sql", table.name.span),
        "table": Attribute(".".join(table.name.parts), table.name.span),
    }
    for key, option in options.items():
        attributes[f"with.{key}"] = as_attribute(option)
    more = table.like.span if table.like is not None else table.open
    if more is not None:
        # It may inherit options from the other table, or get some from a template, that are unknown here.
        attributes |= {name: Attribute(None, more) for name in ("properties", "calls")}
    if table.primary_key is not None:
        attributes["primary-key"] = Attribute(", ".join(table.primary_key[0]), table.primary_key[1])
    if connector in _KAFKA:
        for key, option in options.items():
            if key.startswith("properties."):
                attributes[key] = as_attribute(option)
            if key in _KAFKA_NAMES:
                attributes[_KAFKA_NAMES[key]] = as_attribute(option)
        name = options.get("topic") or options.get("topic-pattern")
        topic = name.value if name is not None else None
        return Element(f"kafka-{'source' if reads else 'sink'}", topic or "", _place(name, table), attributes)
    if connector in _KINESIS_SINKS and (connector in _KINESIS or not reads):
        for key, option in options.items():
            attributes[f"properties.{_client_key(key)}"] = as_attribute(option)
        name = next((options[key] for key in _STREAMS if key in options), None)
        stream = (name.value or "").rpartition("/")[2] if name is not None else ""
        return Element(f"kinesis-{'source' if reads else 'sink'}", stream, _place(name, table), attributes)
    return None


def _client_key(key: str) -> str:
    """Return the Kinesis consumer's key for a table option, such as ``flink.shard.x`` for ``scan.shard.x``."""
    return f"flink.{key.removeprefix('scan.')}" if key.startswith("scan.") else key


def _place(name: Option | None, table: Table) -> Span:
    return name.value_span if name is not None else table.name.span
