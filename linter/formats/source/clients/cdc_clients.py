"""Elements for the sources of Flink CDC in a program, with the options by the keys that they have in SQL."""

from __future__ import annotations

from flink_flint.linter.formats.source.builders import known, texts
from flink_flint.linter.formats.source.program_objects import Objects, head_of, plain
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.formats.source.stateful_operators import is_of
from flink_flint.linter.model.elements import Attribute, Element

_CONNECTORS = {
    "MySqlSource": "mysql-cdc", "MySQLSource": "mysql-cdc", "OracleSource": "oracle-cdc",
    "OracleIncrementalSource": "oracle-cdc", "PostgreSQLSource": "postgres-cdc",
    "PostgresIncrementalSource": "postgres-cdc", "MongoDBSource": "mongodb-cdc", "SqlServerSource": "sqlserver-cdc",
    "SqlServerIncrementalSource": "sqlserver-cdc", "Db2Source": "db2-cdc", "Db2IncrementalSource": "db2-cdc",
}  # fmt: skip
"""The connectors by the class whose builder makes a source."""
_BUILDERS = {
    "OracleSourceBuilder": "oracle-cdc", "PostgresSourceBuilder": "postgres-cdc",
    "SqlServerSourceBuilder": "sqlserver-cdc", "Db2SourceBuilder": "db2-cdc",
}  # fmt: skip
_OPTIONS = {
    "hostname": "hostname", "serverTimeZone": "server-time-zone",
    "hosts": "hosts", "port": "port", "serverId": "server-id", "slotName": "slot.name",
    "decodingPluginName": "decoding.plugin.name", "scanNewlyAddedTableEnabled": "scan.newly-added-table.enabled",
    "heartbeatInterval": "heartbeat.interval", "heartbeatIntervalMillis": "heartbeat.interval.ms",
    "splitSize": "scan.incremental.snapshot.chunk.size",
    "closeIdleReaders": "scan.incremental.close-idle-reader.enabled",
}  # fmt: skip
"""The options by the method that sets them."""
_LISTS = {
    "database": "database-name", "databaseList": "database-name", "tableList": "table-name",
    "schemaList": "schema-name", "collectionList": "collection",
}  # fmt: skip
_MODES = {
    "initial": "initial", "latest": "latest-offset", "earliest": "earliest-offset", "snapshot": "snapshot",
    "specificOffset": "specific-offset", "timestamp": "timestamp", "committed": "committed-offset",
}  # fmt: skip
"""The start of a source by the method of `StartupOptions`."""
_LARGEST = 400
"""The characters of names that are kept."""


def cdc_elements(objects: Objects) -> list[Element]:
    """Return the ``cdc-source`` elements of a program, named like the connector in SQL."""
    program = objects.program
    found = []
    for call in program.calls.get("builder", ()):
        connector = _CONNECTORS.get(call.target.name) if call.target is not None else None
        if connector is not None:
            found.append(_built(objects, call, connector))
    for name, connector in _BUILDERS.items():
        found += [_built(objects, made, connector) for made in program.news.get(name, ())]
    return found


def _built(objects: Objects, made: Node, connector: str) -> Element:
    api = made.target if made.target is not None else made
    whole = next((one for one in objects.program.imports if one.endswith(f".{api.name}")), api.name)
    attributes = {"api": Attribute(whole, api.name_span, None, api.name)}
    for call in objects.calls_on(made):
        first = call.args[0] if call.kind == "call" and call.args else None
        if first is None:
            continue
        if call.name in _OPTIONS:
            attributes[_OPTIONS[call.name]] = objects.attribute(first, _text(known(objects, first)), call)
        elif call.name in _LISTS:
            names = ",".join(texts(objects, first, call.args[1:]))
            attributes[_LISTS[call.name]] = objects.attribute(first, names[:_LARGEST] or None, call)
        elif call.name == "startupOptions":
            mode = objects.made(first)
            value = _MODES.get(mode.name) if mode is not None and mode.kind == "call" else None
            attributes["scan.startup.mode"] = objects.attribute(first, value, call)
        elif call.name == "deserializer":
            made_by = objects.made(first)
            name = made_by.name if made_by is not None and made_by.kind == "new" else None
            attributes["deserializer"] = objects.attribute(first, name, call)
            if name is not None and made_by is not None and len(made_by.args) > 1:
                attributes["deserializer-configuration"] = objects.attribute(made_by.args[1], None)
        elif call.name in ("debeziumProperties", "dbzProperties"):
            objects.put_properties(attributes, first, "debezium.")
        elif call.name == "setParallelism" and is_of(call, made):
            number = plain(objects.fold(first))
            attributes["parallelism"] = objects.attribute(first, number if isinstance(number, int) else None, call)
    if objects.escapes(made) or not any(call.name == "build" for call in objects.calls_on(made)):
        attributes["calls"] = Attribute(None, head_of(made), None, "")
    return Element("cdc-source", connector, head_of(made), attributes)


def _text(value: object) -> str | None:
    """Return a value as SQL spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
