"""Options that a table needs are not all there.

## What it does
Reports tables of a SQL script that lack an option they cannot do without, or have some of a group of options and not
the others.

- What a connector requires, in all its releases that fit: `topic` (or `topic-pattern`), `properties.bootstrap.servers`
  and `format` (or `value.format`) of `kafka`; `topic`, `properties.bootstrap.servers`, `key.format` and `value.format`
  of `upsert-kafka`; `url` and `table-name` of `jdbc`; `path` and `format` of `filesystem`; `hostname`, `username`,
  `password` and more of `mysql-cdc`. Flink refuses the table: "One or more required options are missing", or "Either
  'topic' or 'topic-pattern' must be set". `flint options --connector NAME` lists them.
- What a value requires: `scan.startup.mode` = `timestamp` asks for `scan.startup.timestamp-millis`, `specific-offsets`
  for `scan.startup.specific-offsets`, `scan.bounded.mode` likewise; a `datagen` column of kind `sequence` for `start`
  and `end`.
- JDBC: `username` and `password`; `scan.partition.column`, `.num`, `.lower-bound` and `.upper-bound`;
  `lookup.cache.max-rows` and `lookup.cache.ttl`. Flink refuses the table: "Either all or none of the following options
  should be provided".
- JDBC, Elasticsearch 6 to 8, MongoDB, HBase: `lookup.partial-cache.*` without `lookup.cache` = `PARTIAL`, which are
  ignored.
- Elasticsearch 6 to 8: `username` without `password`, which is refused.

## Why it matters
All but the lookup cache keep the job from starting. Without PARTIAL every record asks the other system, and the cache
that the options describe does not exist.

## What to do
Add what is missing, or delete the rest.

## Not when
The table has the option under a misspelt key (which `sql-table-option-unknown` tells), takes options over from another
(LIKE), a query gives it more in a hint, or a template stands among its options.

## Sources
- <https://github.com/apache/flink/blob/master/flink-table/flink-table-common/src/main/java/org/apache/flink/table/factories/FactoryUtil.java>:
  required options are asked for before the table is made
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaConnectorOptionsUtil.java>:
  what the modes of Kafka tables require
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/jdbc/#connector-options>: what belongs
  together
- <https://github.com/apache/flink-connector-jdbc/blob/main/flink-connector-jdbc-core/src/main/java/org/apache/flink/connector/jdbc/core/table/JdbcDynamicTableFactory.java>:
  the checks, and when there is a cache
- <https://github.com/apache/flink-connector-elasticsearch/blob/main/flink-connector-elasticsearch8/src/main/java/org/apache/flink/connector/elasticsearch/table/ElasticSearch8AsyncDynamicTableFactory.java>:
  those of Elasticsearch 8
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.sql._queries import queries, readings, tables, target
from flink_flint.rules.sql._table_options import Use, is_whole, uses

_GROUPS = (
    ("username", "password"),
    ("scan.partition.column", "scan.partition.num", "scan.partition.lower-bound", "scan.partition.upper-bound"),
    ("lookup.cache.max-rows", "lookup.cache.ttl"),
)
_ELASTICSEARCH = ("elasticsearch-6", "elasticsearch-7", "elasticsearch-8")
_CACHED = ("jdbc", *_ELASTICSEARCH, "mongodb", "hbase-1.4", "hbase-2.2")
_ALTERNATIVES: dict[str, tuple[tuple[str, ...], ...]] = {
    "kafka": (("topic", "topic-pattern"), ("properties.bootstrap.servers",), ("format", "value.format")),
    "upsert-kafka": (("topic", "topic-pattern"),),
}
"""What the factory of a connector itself requires, one option of each group, in the order of its documentation."""
_MODES = {"timestamp": ("{}.timestamp-millis",), "specific-offsets": ("{}.specific-offsets",)}
_BOUNDED = {value: tuple(key.format("scan.bounded") for key in keys) for value, keys in _MODES.items()}
_STARTUP = {value: tuple(key.format("scan.startup") for key in keys) for value, keys in _MODES.items()}
_NEEDS = {
    "kafka": {"scan.startup.mode": _STARTUP, "scan.bounded.mode": _BOUNDED},
    "upsert-kafka": {"scan.bounded.mode": _BOUNDED},
}
"""The options that a value of another one requires."""
_PARTIAL = "lookup.partial-cache."


@rule(
    code="FLK851",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.9",
    since="0.1",
)
def table_options_incomplete(config: View) -> Iterator[Finding]:
    """options that a table needs are not all there"""
    hinted = _hinted(config)
    for use in uses(config):
        if use.table.name.rpartition(".")[2] not in hinted and is_whole(config, use.table):
            yield from _without_required(use)
            yield from _without_needed(use)
    for table in tables(config, *_CACHED):
        if table.name.rpartition(".")[2] in hinted:
            continue
        connector = table.text("connector")
        for group in _GROUPS if connector == "jdbc" else (("username", "password"),):
            there = [name for name in group if table.has(f"with.{name}")]
            missing = [name for name in group if name not in there]
            if not there or not missing or (connector != "jdbc" and there != ["username"]):
                continue
            if connector not in ("jdbc", *_ELASTICSEARCH):
                continue
            yield table.finding(
                f"{table.name} has {_list(there)} and not {_list(missing)}: Flink refuses the table",
                of=f"with.{there[0]}",
                at="entry",
                help=f"add {_list(missing)}, or delete {_list(there)}",
            )
        yield from _cache_without_switch(table)


def _without_required(use: Use) -> Iterator[Finding]:
    if use.connector.takes_any:  # what such a factory declares, it does not check
        return
    there = {*use.values, *use.misspelt()}
    alternatives = _ALTERNATIVES.get(use.name, ())
    named_there = {key for group in alternatives for key in group}
    required = [(key,) for key in use.connector.factory.required(use.connector.places) if key not in named_there]
    groups = [*alternatives, *((key, *_aliases(use, key)) for (key,) in required)]
    missing = [group for group in groups if there.isdisjoint(group)]
    if missing:
        named = _list([" or ".join(group) for group in missing])
        yield use.table.finding(
            f"{use.table.name} ({use.name}) lacks {named}: Flink refuses the table when it is used",
            of="with.connector",
            at="entry",
            help=f"add {named}",
        )


def _aliases(use: Use, key: str) -> tuple[str, ...]:
    option = use.connector.option(key)
    return () if option is None else option.aliases


def _without_needed(use: Use) -> Iterator[Finding]:
    there = {*use.values, *use.misspelt()}
    for given in use.given:
        value = given.attribute.value
        if not isinstance(value, str):
            continue
        needed = _NEEDS.get(use.name, {}).get(given.key, {}).get(value.lower(), ())
        if given.key.startswith("fields.") and given.key.endswith(".kind") and value == "sequence":
            column = given.key.removesuffix(".kind")
            needed = (f"{column}.start", f"{column}.end")
        missing = [name for name in needed if name not in there]
        if missing:
            yield use.table.finding(
                f"{given.key} = {value} of {use.table.name} requires {_list(missing)}: Flink refuses the table when it"
                " is used",
                of=given.name,
                at="entry",
                help=f"add {_list(missing)}",
            )


def _cache_without_switch(table: ElementView) -> Iterator[Finding]:
    partial = [name for name, _ in table.under("with") if name.startswith(_PARTIAL)]
    switch = table.text("with.lookup.cache")
    if not partial or not table.is_known("with.lookup.cache") or (switch is not None and switch.upper() == "PARTIAL"):
        return
    yield table.finding(
        f"{_list(partial)} of {table.name} {'do' if len(partial) > 1 else 'does'} nothing: lookup.cache is"
        f" {switch or 'not set'}, so there is no cache",
        of=f"with.{partial[0]}",
        at="entry",
        help="set lookup.cache to PARTIAL",
        severity=Severity.WARNING,
    )


def _hinted(config: View) -> set[str]:
    """The tables that a query gives more options to."""
    found = set()
    for query in queries(config):
        sink = target(config, query)
        for one in (*readings(config, query), *([sink] if sink is not None else ())):
            if one.hints:
                found.add(one.name.rpartition(".")[2])
    return found


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_TABLE = "CREATE TABLE d (id INT) WITH ('connector' = '%s', 'url' = 'jdbc:mysql://db/x', 'table-name' = 'd', %s);\n"
_KAFKA = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a'%s);\n"
_SERVERS = ", 'properties.bootstrap.servers' = 'k:9092'"
_UPSERT = (
    "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'a'%s);\n"
)


def cases() -> list[Case]:
    return [
        bad(
            _TABLE % ("jdbc", "'username' = 'flink'"),
            file="job.sql",
            at="'username' = 'flink'",
            flink="1.18",
            severity=Severity.ERROR,
            says="d has username and not password: Flink refuses the table",
        ),
        bad(
            _TABLE % ("jdbc", "'scan.partition.column' = 'id', 'scan.partition.num' = '8'"),
            file="job.sql",
            flink="1.16",
            says="not scan.partition.lower-bound and scan.partition.upper-bound",
        ),
        bad(
            _TABLE % ("jdbc", "'lookup.cache.ttl' = '10 min'"),
            file="job.sql",
            flink="1.14",
            says="not lookup.cache.max-rows",
        ),
        bad(
            _TABLE % ("jdbc", "'lookup.partial-cache.max-rows' = '1000'"),
            file="job.sql",
            flink="1.18",
            severity=Severity.WARNING,
            says="lookup.cache is not set, so there is no cache",
        ),
        bad(
            _TABLE % ("elasticsearch-7", "'username' = 'flink'"), file="job.sql", flink="1.18", severity=Severity.ERROR
        ),
        bad(
            _KAFKA % ", 'format' = 'json'",
            file="job.sql",
            at="t.with.connector",
            severity=Severity.ERROR,
            says="t (kafka) lacks properties.bootstrap.servers: Flink refuses the table",
        ),
        bad(_KAFKA % _SERVERS, file="job.sql", says="lacks format or value.format"),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'format' = 'json');\n",
            file="job.sql",
            says="t (kafka) lacks topic or topic-pattern and properties.bootstrap.servers: Flink refuses the table",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topics' = 'a', 'format' = 'json',"
            " 'properties.bootstrap.servers' = 'k:9092');\n",
            file="job.sql",
        ),
        good(
            f"CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic-pattern' = 'a.*'{_SERVERS},"
            " 'format' = 'json');\n",
            file="job.sql",
        ),
        bad(
            _UPSERT % (_SERVERS + ", 'value.format' = 'json'"), file="job.sql", says="t (upsert-kafka) lacks key.format"
        ),
        bad(
            _KAFKA % (_SERVERS + ", 'format' = 'json', 'scan.startup.mode' = 'timestamp'"),
            file="job.sql",
            at="t.with.scan.startup.mode",
            says="requires scan.startup.timestamp-millis",
        ),
        bad(
            "CREATE TABLE g (id INT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
            " 'fields.id.start' = '1');\n",
            file="job.sql",
            says="requires fields.id.end",
        ),
        bad(
            "CREATE TABLE f (id INT) WITH ('connector' = 'filesystem', 'format' = 'json');\n",
            file="job.sql",
            says="f (filesystem) lacks path",
        ),
        good(_KAFKA % (_SERVERS + ", 'value.format' = 'json'"), file="job.sql"),
        good(_KAFKA % ", 'bootstrap.servers' = 'k:9092', 'formats' = 'json'", file="job.sql"),
        good(_KAFKA % ", ${KAFKA_COMMON}", file="job.sql"),
        good(_KAFKA % "{% include 'kafka.sql' %}", file="job.sql"),
        good("CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a') LIKE base;\n", file="job.sql"),
        good(_KAFKA % _SERVERS + "SELECT * FROM t /*+ OPTIONS('format' = 'json') */;\n", file="job.sql"),
        good(_UPSERT % (_SERVERS + ", 'key.format' = 'json', 'value.format' = '${FORMAT}'"), file="job.sql"),
        good(_TABLE % ("jdbc", "'username' = 'flink', 'password' = '${DB_PASSWORD}'"), file="job.sql", flink="1.18"),
        good(
            _TABLE % ("jdbc", "'lookup.cache' = 'partial', 'lookup.partial-cache.max-rows' = '1000'"),
            file="job.sql",
            flink="1.18",
        ),
        good(
            _TABLE % ("jdbc", "'username' = 'flink'")
            + "INSERT INTO r SELECT * FROM d /*+ OPTIONS('password' = '${DB_PASSWORD}') */;\n",
            file="job.sql",
            flink="1.18",
        ),
        good(
            "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x', "
            "'table-name' = 'd', 'username' = 'flink') LIKE base;\n",
            file="job.sql",
            flink="1.18",
        ),
        good("CREATE TABLE i (id INT) WITH ('connector' = 'iceberg', 'catalog-name' = 'c');\n", file="job.sql"),
        bad(
            "CREATE TABLE c (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db', 'username' = 'u',"
            " 'password' = '${P}', 'database-name' = 'd');\n",
            file="job.sql",
            says="c (mysql-cdc) lacks table-name",
        ),
        good(_TABLE % ("mongodb", "'username' = 'flink'"), file="job.sql", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv');\nSELECT * FROM a;\n",
            good="CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/data/a', 'format' "
            "= 'csv');\n"
            "SELECT * FROM a;\n",
            releases=">=1.12",
        ),
        flink_refuses(
            "SQL",
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/data/a');\nSELECT * FROM a;\n",
            good="CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/data/a', 'format' "
            "= 'csv');\n"
            "SELECT * FROM a;\n",
            releases=">=1.12",
        ),
        *(
            flink_refuses("SQL", _read(less), good=_read(enough), releases=releases)
            for less, enough, releases in (
                (_SERVERS[2:] + ", 'format' = 'json'" + _EARLIEST, _ENOUGH + _EARLIEST, ">=1.12"),
                ("'topic' = 'a', 'format' = 'json'" + _EARLIEST, _ENOUGH + _EARLIEST, ">=1.12"),
                ("'topic' = 'a'" + _SERVERS + _EARLIEST, _ENOUGH + _EARLIEST, ">=1.12"),
                (
                    _ENOUGH + ", 'scan.startup.mode' = 'timestamp'",
                    _ENOUGH + ", 'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1'",
                    ">=1.12",
                ),
                (
                    _ENOUGH + ", 'scan.startup.mode' = 'specific-offsets'",
                    _ENOUGH + ", 'scan.startup.mode' = 'specific-offsets',"
                    " 'scan.startup.specific-offsets' = 'partition:0,offset:1'",
                    ">=1.12",
                ),
                (
                    _ENOUGH + _EARLIEST + ", 'scan.bounded.mode' = 'timestamp'",
                    _ENOUGH + _EARLIEST + ", 'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '1'",
                    ">=1.17",
                ),
            )
        ),
        *(
            flink_refuses(
                "SQL",
                _TABLE % ("jdbc", less) + "SELECT * FROM d;\n",
                good=_TABLE % ("jdbc", f"{less}, {more}") + "SELECT * FROM d;\n",
                releases=">=1.12,<1.20",  # later the dialects are jars of their own
            )
            for less, more in (
                ("'username' = 'flink'", "'password' = 'p'"),
                (
                    "'scan.partition.column' = 'id', 'scan.partition.num' = '8'",
                    "'scan.partition.lower-bound' = '0', 'scan.partition.upper-bound' = '9'",
                ),
            )
        ),
        flink_refuses(
            "SQL",
            "CREATE TABLE g (id INT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
            " 'fields.id.start' = '1');\nSELECT * FROM g;\n",
            good="CREATE TABLE g (id INT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
            " 'fields.id.start' = '1', 'fields.id.end' = '9');\nSELECT * FROM g;\n",
        ),
    ]


_EARLIEST = ", 'scan.startup.mode' = 'earliest-offset'"
_ENOUGH = "'topic' = 'a'" + _SERVERS + ", 'format' = 'json'"


def _read(options: str) -> str:
    return f"CREATE TABLE t (id INT) WITH ('connector' = 'kafka', {options});\nSELECT * FROM t;\n"
