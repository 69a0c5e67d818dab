"""A table has an option that its connector does not know.

## What it does
Reports keys in `WITH (...)` and in `OPTIONS` hints of tables, and keys of catalogs, that neither the connector nor its
format has, and names the key that was probably meant. `flint options --connector NAME` lists the options of a
connector, format or catalog:

- slips of the pen (`scan.startup.modes`), missing words (`bootstrap.servers` for `properties.bootstrap.servers`),
- the wrong prefix of a format (`json.ignore-parse-errors` beside `value.format` = `json`, where it has to be
  `value.json.ignore-parse-errors`), and options of another format,
- options of other releases of the connector: the release is taken from the build, the jar's name in a Dockerfile or the
  script (`ADD JAR`), or all releases count that fit the Flink at hand,
- options of a column that a `datagen` table does not have.

## Why it matters
Flink refuses the statement that first uses the table: "Unsupported options found for 'kafka'". A `filesystem` table
takes any key that begins with its format, and ignores the ones that the format does not have.

## What to do
Correct or delete the option.

## Not when
The connector takes any key below a prefix (`properties.` of Kafka; `aws.`, `scan.`, `sink.` of Kinesis), or any key at
all (Iceberg, Hudi, Paimon; `datagen` and `blackhole` up to 1.11, which ignore those they do not know); a template
fills in the connector or the format; the table takes the option over from another one (LIKE), where it is reported.
A key without a near one may be of a newer or a changed connector: then the confidence is lower.

## Sources
- <https://github.com/apache/flink/blob/master/flink-table/flink-table-common/src/main/java/org/apache/flink/table/factories/FactoryUtil.java>:
  which keys are let through (`validateUnconsumedKeys`), and the prefixes of formats (`getFormatPrefix`)
- <https://github.com/apache/flink-connector-kafka/blob/main/flink-connector-kafka/src/main/java/org/apache/flink/streaming/connectors/kafka/table/KafkaDynamicTableFactory.java>:
  the options of Kafka tables
- <https://github.com/apache/flink-connector-jdbc/blob/main/flink-connector-jdbc-core/src/main/java/org/apache/flink/connector/jdbc/core/table/JdbcDynamicTableFactory.java>:
  those of JDBC tables
- <https://github.com/apache/flink-connector-aws/blob/main/flink-connector-aws/flink-connector-aws-kinesis-streams/src/main/java/org/apache/flink/connector/kinesis/table/KinesisDynamicTableFactory.java>:
  those of Kinesis tables
"""

from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.model.claim import Claim, flink_ignores, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.spans import Edit
from flink_flint.rules.sql._table_options import (
    FILES,
    KAFKA,
    CatalogUse,
    Given,
    Prefixes,
    Use,
    catalogs,
    found_on,
    nearest,
    refused,
    uses,
)


@rule(
    code="FLK911",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table", "element:catalog"],
    flink=">=1.9",
    since="0.1",
)
def sql_table_option_unknown(config: View) -> Iterator[Finding]:
    """a table has an option that its connector does not know"""
    for use in uses(config):
        prefixes = use.prefixes()
        if prefixes is None or use.connector.takes_any:
            continue
        for given in use.given:
            found = _judge(use, given, prefixes)
            if found is not None:
                yield found
    for catalog in catalogs(config):
        yield from _unknown_to_catalog(catalog)


def _judge(use: Use, given: Given, prefixes: Prefixes) -> Finding | None:
    if use.is_unknown(given.key, prefixes):
        return _unknown(use, given, prefixes)
    return _of_no_column(use, given)


def _unknown(use: Use, given: Given, prefixes: Prefixes) -> Finding:
    elsewhere = use.elsewhere(given.key, prefixes)
    if elsewhere is not None:
        why = f"the option {given.key} {elsewhere}"
        if use.is_ignored(given.key, prefixes):
            return found_on(use, given, f"{why}: it is ignored", help="delete it", at="key")
        return refused(use, given, why, "delete it", at="key")
    meant = use.meant(given.key, prefixes)
    is_there = meant in use.values
    format_name = next((one.rstrip(".") for one in prefixes if given.key.startswith(one)), "")
    if meant is None:
        remedy = "delete it, or look for its name in the connector's documentation"
    elif is_there:
        remedy = f"delete it: {meant} is set too"
    else:
        remedy = f"did you mean {meant}?"
    why = f"{'the format ' + format_name if format_name else use.name} has no option {given.key}"
    confidence = None if meant else Confidence.MEDIUM
    fix = _renamed(given, meant) if meant and not is_there else None
    if use.is_ignored(given.key, prefixes):
        return found_on(use, given, f"{why}: it is ignored", help=remedy, at="key", confidence=confidence, fix=fix)
    return refused(use, given, why, remedy, at="key", confidence=confidence, fix=fix)


def _unknown_to_catalog(catalog: CatalogUse) -> Iterator[Finding]:
    name = catalog.catalog.factory.name
    for key in catalog.unknown():
        meant = nearest(key, catalog.catalog.keys)
        yield catalog.element.finding(
            f"the catalog {name} has no option {key}: Flink refuses to create it",
            of=f"with.{key}",
            at="key",
            key=f"{catalog.element.name}.with.{key}",
            help=f"did you mean {meant}?" if meant else "delete it",
            confidence=None if meant else Confidence.MEDIUM,
        )


def _of_no_column(use: Use, given: Given) -> Finding | None:
    """The finding on an option of a column that the table does not have."""
    if not given.key.startswith("fields.") or use.table.has("like"):
        return None
    columns = [name for one in use.table.items("columns") if one.has("type") if (name := one.text("name")) is not None]
    path = given.key.removeprefix("fields.").rpartition(".")[0]
    if any(is_templated(name) or path == name or path.startswith(f"{name}.") for name in columns):
        return None
    meant = nearest(path, columns)
    last = given.key.rpartition(".")[2]
    remedy = f"did you mean {meant}?" if meant else "delete the option"
    fix = _renamed(given, f"fields.{meant}.{last}") if meant else None
    return refused(use, given, f"{use.table.name} has no column {path} to generate", remedy, at="key", fix=fix)


def _renamed(given: Given, key: str) -> Fix:
    span = given.part.span(given.name, at="key")
    return Fix(f"rename {given.key} to {key}", [Edit(span, f"'{key}'")], False, given.part.document.path)


_PRINT = "CREATE TABLE p (id INT) WITH ('connector' = 'print', '%s' = '2');\n"
_DATAGEN = "CREATE TABLE t (id INT, name STRING, twice AS id * 2) WITH ('connector' = 'datagen', %s);\n"


def cases() -> list[Case]:
    return [
        bad(
            KAFKA % "'scan.startup.modes' = 'latest-offset'",
            file="job.sql",
            at="'scan.startup.modes'",
            flink="1.20",
            severity=Severity.ERROR,
            says="kafka has no option scan.startup.modes: Flink refuses the table",
            fixed=KAFKA % "'scan.startup.mode' = 'latest-offset'",
        ),
        bad(
            KAFKA % "'propreties.security.protocol' = 'SSL'",
            file="job.sql",
            at="'propreties.security.protocol'",
            fixed=KAFKA % "'properties.security.protocol' = 'SSL'",
        ),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', 'bootstrap.servers' = "
            "'k:9092', 'format' = 'json', 'json.ignore-parse-errors' = 'true');\n",
            file="job.sql",
            at="t.with.bootstrap.servers",
            fixed=KAFKA % "'json.ignore-parse-errors' = 'true'",
        ),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'value.format' = 'json', "
            "'json.ignore-parse-errors' = 'true');\n",
            file="job.sql",
            at="t.with.json.ignore-parse-errors",
            fixed="CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'value.format' = 'json', "
            "'value.json.ignore-parse-errors' = 'true');\n",
        ),
        bad(
            KAFKA % "'csv.field-delimiter' = ';'",
            file="job.sql",
            says="kafka has no option csv.field-delimiter",
            fixed=KAFKA % "'csv.field-delimiter' = ';'",
        ),
        bad(
            FILES % "'json.ignore-parse-error' = 'true'",
            file="job.sql",
            says="the format json has no option json.ignore-parse-error: it is ignored",
            fixed=FILES % "'json.ignore-parse-errors' = 'true'",
        ),
        bad(FILES % "'source.monitor-interval' = '10 s'", file="job.sql", flink="1.14", says="comes with Flink 1.15"),
        bad(FILES % "'sink.partition-commit.policies' = 'success-file'", file="job.sql", flink="1.12"),
        good(FILES % "'sink.partition-commit.policies' = 'success-file'", file="job.sql", flink="1.11"),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'csv', "
            "'csv.line-delimiter' = ';');\n",
            file="job.sql",
            flink="1.14",
            says="is gone after Flink 1.11",
        ),
        bad(
            _DATAGEN % "'rows-per-secnd' = '5'",
            file="job.sql",
            at="'rows-per-secnd'",
            fixed=_DATAGEN % "'rows-per-second' = '5'",
        ),
        bad(_DATAGEN % "'fields.id.minimum' = '5'", file="job.sql", at="t.with.fields.id.minimum"),
        bad(
            _DATAGEN % "'fields.twice.min' = '5'",
            file="job.sql",
            says="t has no column twice to generate",
            fixed=_DATAGEN % "'fields.twice.min' = '5'",
        ),
        bad(
            _DATAGEN % "'number-of-rows' = '5'" + "SELECT * FROM t /*+ OPTIONS('rows-per-sec' = '5') */;\n",
            file="job.sql",
            at="t.options.rows-per-sec",
        ),
        bad(
            "CREATE TABLE p (id INT) WITH ('connector' = 'print', 'sink.parallelisms' = '2');\n",
            file="job.sql",
            fixed="CREATE TABLE p (id INT) WITH ('connector' = 'print', 'sink.parallelism' = '2');\n",
        ),
        bad(
            FILES % "'sink.parallelism' = '2'"
            + "CREATE TABLE s WITH ('connector' = 'print', 'identifier' = 'x') LIKE t;",
            file="job.sql",
            at="s.with.identifier",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', ${MORE} 'json.fail-on-missing-field' = 'true');\n",
            file="job.sql",
        ),
        good(
            KAFKA % "'properties.whatever' = '1', 'json.ignore-parse-errors' = 'true', 'scan.parallelism' = '2'",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = 'avro-confluent', "
            "'avro-confluent.url' = 'http://r');\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = '${FORMAT}', "
            "'json.ignore-parse-error' = 'true');\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = '${CONNECTOR}', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.modes' = 'initial');\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = "
            "'parquet', 'parquet.compression' = 'SNAPPY');\n",
            file="job.sql",
        ),
        bad(
            "CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default_database' = 'd');\n",
            file="job.sql",
            flink="1.20",
            at="c.with.default_database",
            says="the catalog generic_in_memory has no option default_database",
        ),
        bad(
            KAFKA % "'scan.bounded.mode' = 'latest-offset'",
            file="job.sql",
            flink="1.15",
            at="t.with.scan.bounded.mode",
            says="the option scan.bounded.mode comes with kafka",
        ),
        good(KAFKA % "'scan.bounded.mode' = 'latest-offset'", file="job.sql", flink="1.18"),
        good(  # another format of this name
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = "
            "'k:9092', 'format' = 'protobuf', 'protobuf.protoclass' = 'a.B');\n",
            file="job.sql",
        ),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = "
            "'k:9092', 'format' = 'protobuf', 'protobuf.message-class-name' = 'a.B', 'protobuf.ignore-parse-error' "
            "= 'true');\n",
            file="job.sql",
            flink="1.18",
            at="t.with.protobuf.ignore-parse-error",
        ),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db',"
            " 'scan.startup.modes' = 'initial');\n",
            file="job.sql",
            at="'scan.startup.modes'",
            says="mysql-cdc has no option scan.startup.modes",
        ),
        good(
            "CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hive', 'uri' = 'thrift://m:9083');\n",
            file="job.sql",
        ),
        good("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd');\n", file="job.sql"),
        good(FILES % "'source.monitor-interval' = '10 s'", file="job.sql"),
        good(_DATAGEN % "'fields.id.kind' = 'random', 'fields.name.length' = '5'", file="job.sql"),
        good(
            "CREATE TABLE d (r ROW<a INT, b STRING>) WITH ('connector' = 'datagen', 'fields.r.a.min' = '1');\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE k (id INT) WITH ('connector' = 'kinesis', 'stream' = 's', 'aws.region' = 'eu-west-1',"
            " 'scan.stream.initpos' = 'LATEST', 'sink.batch.max-size' = '10', 'format' = 'json');\n",
            file="job.sql",
        ),
        bad(
            "CREATE TABLE i (id INT) WITH ('connector' = 'iceberg');\n"
            "CREATE TABLE o (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = '${FORMAT}', 'group.id' = 'g');\n"
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.mode' = "
            "'latest-offset', 'scan.startup.modes' = 'latest-offset');\n",
            file="job.sql",
            at="'scan.startup.modes'",
            fixed="CREATE TABLE i (id INT) WITH ('connector' = 'iceberg');\n"
            "CREATE TABLE o (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = '${FORMAT}', 'group.id' = 'g');\n"
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.mode' = "
            "'latest-offset', 'scan.startup.modes' = 'latest-offset');\n",
        ),
        good(FILES % "'source.monitor-interval' = '10 s'", file="job.sql", flink="1.15"),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'csv', "
            "'csv.line-delimiter' = ';');\n",
            file="job.sql",
            flink="1.11",
        ),
        bad(
            "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'csv', "
            "'csv.line-delimiter' = ';');\n",
            file="job.sql",
            flink="1.12",
            says="is gone after Flink 1.11",
        ),
        bad(
            _DATAGEN % "'fields.nme.length' = '5'",
            file="job.sql",
            says="t has no column nme to generate",
            fixed=_DATAGEN % "'fields.name.length' = '5'",
        ),
        bad(_DATAGEN % "'fields.address.zip.length' = '5'", file="job.sql", says="t has no column address.zip"),
        good(
            "CREATE TABLE t (id INT, name STRING, twice AS id * 2) WITH ('connector' = 'datagen', "
            "'fields.key.length' = '5') LIKE base;\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (\n{{ columns }}\n) WITH ('connector' = 'datagen', 'fields.id.min' = '1');\n",
            file="job.sql",
        ),
        bad(
            "CREATE TABLE shop.t (id INT, name STRING, twice AS id * 2) WITH ('connector' = 'datagen', "
            "'number-of-rows' = '5');\n"
            "INSERT INTO a SELECT id FROM shop.t /*+ OPTIONS('rows-per-sec' = '5') */;\n",
            file="job.sql",
            at="'rows-per-sec'",
        ),
        good(
            (_DATAGEN % "'number-of-rows' = '5'") + "SELECT * FROM orders /*+ OPTIONS('rows-per-sec' = '5') */;\n",
            file="job.sql",
        ),
        bad(_PRINT % "sink.paralellizms", file="job.sql", fixed=_PRINT % "sink.parallelism"),
        bad(_PRINT % "parallelism", file="job.sql", fixed=_PRINT % "parallelism"),
        bad(_PRINT % "sinks.topics.parallelism.hint", file="job.sql", fixed=_PRINT % "sinks.topics.parallelism.hint"),
        bad(_PRINT % "kafka.sink.topic.parallelism", file="job.sql", fixed=_PRINT % "kafka.sink.topic.parallelism"),
        bad(
            KAFKA % "'scan.topics-partitions-discovry-intervall' = '1 min'",
            file="job.sql",
            fixed=KAFKA % "'scan.topics-partitions-discovry-intervall' = '1 min'",
        ),
        bad(
            "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/d', 'table-name' = 'd',"
            " 'pasword' = '${PASSWORD}', 'usr' = 'flink');\n",
            file="job.sql",
            times=2,
            fixed="CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/d', 'table-name' = 'd',"
            " 'password' = '${PASSWORD}', 'usr' = 'flink');\n",
        ),
        bad(
            "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'paswort' = '${PASSWORD}');\n",
            file="job.sql",
            fixed="CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'paswort' = '${PASSWORD}');\n",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-secon' = '1');\nSELECT * FROM a;\n",
            good="CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');\n"
            "SELECT * FROM a;\n",
        ),
        flink_ignores(
            "SQL",
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/data/a', 'format' "
            "= 'csv', 'csv.delimiter' = ';');\n"
            "SELECT * FROM a;\n",
            good="CREATE TABLE a (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '/data/a', 'format' "
            "= 'csv');\n"
            "SELECT * FROM a;\n",
            releases=">=1.12",
        ),
        *(
            flink_refuses("SQL", (KAFKA % one) + _READ, good=(KAFKA % other) + _READ, releases=">=1.12")
            for one, other in (
                ("'scan.startup.modes' = 'latest-offset'", "'scan.startup.mode' = 'latest-offset'"),
                ("'group.id' = 'g'", "'properties.group.id' = 'g'"),
                (f"{_EARLIEST}, 'value.json.ignore-parse-errors' = 'true'", f"{_EARLIEST}, {_LENIENT}"),
                (f"{_EARLIEST}, 'json.ignore-parse-error' = 'true'", f"{_EARLIEST}, {_LENIENT}"),
                (f"{_EARLIEST}, 'csv.field-delimiter' = ';'", f"{_EARLIEST}, {_LENIENT}"),
            )
        ),
        flink_refuses(
            "SQL",
            KAFKA % "'scan.bounded.mode' = 'latest-offset'" + _READ,
            good=KAFKA % "'scan.startup.mode' = 'latest-offset'" + _READ,
            releases=">=1.12,<1.16",
        ),
        flink_refuses(
            "SQL",
            _PRINT % "sink.parallelisms" + "INSERT INTO p VALUES (1);\n",
            good=_PRINT % "sink.parallelism" + "INSERT INTO p VALUES (1);\n",
            releases=">=1.13",
        ),
        flink_refuses(
            "SQL",
            "CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default_database' = 'd');\n",
            good="CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd');\n",
            releases=">=1.13",
        ),
    ]


_EARLIEST, _LENIENT = "'scan.startup.mode' = 'earliest-offset'", "'json.ignore-parse-errors' = 'true'"
_READ = "SELECT * FROM t;\n"
