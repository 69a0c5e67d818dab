"""A table has an option with a value that Flink does not take.

## What it does
Reports values in `WITH (...)` and in `OPTIONS` hints of tables of a known connector, and of their formats, that are not
of the option's type: names that an enumeration
does not have (`scan.startup.mode` = `earliest`, `sink.delivery-guarantee` = `exactly_once`), durations, sizes, numbers
and booleans that Flink cannot read, and lists with a quote that nothing closes.

## Why it matters
Flink refuses the statement that first uses the table: "Invalid value for option 'scan.startup.mode'".

## What to do
Write one of the values that are named.

## Not when
A template or a variable fills in the value, the connector or the format.

## Sources
- <https://github.com/apache/flink/blob/master/flink-table/flink-table-common/src/main/java/org/apache/flink/table/factories/FactoryUtil.java>:
  every option is read before the table is made
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/kafka/#connector-options>: the values
  of Kafka tables
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/filesystem/>: those of files
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/table/formats/json/#format-options>: those of a
  format
"""

from collections.abc import Iterator

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.tables.connectors import TableOption
from flink_flint.linter.flink.values import grammar_range, parse
from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.sql._table_options import FILES, KAFKA, Given, Use, nearest, refused, uses

_READ = ("Boolean", "Integer", "Long", "Float", "Double", "Duration", "MemorySize", "List<String>")
"""The types whose values Flink reads before a table is made."""


@rule(
    code="FLK916",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:table"],
    flink=">=1.9",
    since="0.1",
)
def sql_table_option_value(config: View) -> Iterator[Finding]:
    """a table has an option with a value that Flink does not take"""
    for use in uses(config):
        if not use.connector.complete:
            continue
        prefixes = use.prefixes() or {}
        for given in use.given:
            known, value = use.option(given.key, prefixes), given.attribute.value
            if known is None or not isinstance(value, str):
                continue
            found = _judge(config, use, given, known[1], value)
            if found is not None:
                yield found


def _judge(config: View, use: Use, given: Given, option: TableOption, value: str) -> Finding | None:
    if option.values:
        if value in option.values or (not option.exact and value.lower() in {one.lower() for one in option.values}):
            return None
        same = next((one for one in option.values if _bare(one) == _bare(value)), None)
        meant = same or _meant(value, option.values)
        listed = f"{', '.join(option.values[:-1])} or {option.values[-1]}"
        remedy = f"write '{meant}'" if meant else "write one of these"
        fix = _written(given, meant, safe=same is not None) if meant else None
        return refused(use, given, f"{given.key} is {listed}, not {value!r}", remedy, fix=fix)
    if option.type not in _READ:
        return None
    try:
        parse(option.type, (), value, _grammar(config, option.type), yaml=False)
    except BadValue:
        why = f"{given.key} is of type {option.type}, and {value!r} is none"
        return refused(use, given, why, _HELP.get(option.type, "write a number"))
    return None


def _grammar(config: View, option_type: str) -> int:
    """The minor whose grammar counts; where the release is unknown the newest, which takes what any other takes."""
    if not config.target.certain:
        return NEWEST
    config.configuration.restrict(*grammar_range(option_type, config.index))
    return config.index


_HELP = {
    "Boolean": "write 'true' or 'false'",
    "Duration": "write a number and a unit, such as '10 s'",
    "MemorySize": "write a number and a unit, such as '128 mb'",
    "List<String>": "close every quote",
}


def _written(given: Given, value: str, *, safe: bool) -> Fix | None:
    return given.part.replace(given.name, value, safe=safe, title=f"set {given.key} to {value}")


def _bare(value: str) -> str:
    return value.lower().replace("-", "").replace("_", "").replace(" ", "")


def _meant(value: str, values: tuple[str, ...]) -> str | None:
    """The value that begins with the same word, or that a slip of the pen is away from."""
    starts = [one for one in values if len(value) > 3 and one.lower().startswith(value.lower())]
    return starts[0] if len(starts) == 1 else nearest(value, values)


_JDBC = "CREATE TABLE d (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/d', 'lookup.cache' = '%s');\n"
_DATAGEN = "CREATE TABLE t (id INT) WITH ('connector' = 'datagen', %s);\n"


def cases() -> list[Case]:
    return [
        bad(
            KAFKA % "'scan.startup.mode' = 'earliest'",
            file="job.sql",
            at="'earliest'",
            flink="1.18",
            severity=Severity.ERROR,
            says="or specific-offsets, not 'earliest': Flink refuses the table",
            fixed=KAFKA % "'scan.startup.mode' = 'earliest-offset'",
        ),
        bad(
            KAFKA % "'sink.delivery-guarantee' = 'exactly_once'",
            file="job.sql",
            at="t.with.sink.delivery-guarantee",
            fixed=KAFKA % "'sink.delivery-guarantee' = 'exactly-once'",
        ),
        bad(
            KAFKA % "'value.fields-include' = 'EXCEPT-KEY'",
            file="job.sql",
            fixed=KAFKA % "'value.fields-include' = 'EXCEPT_KEY'",
        ),
        bad(
            KAFKA % "'scan.bounded.mode' = 'never'",
            file="job.sql",
            says="scan.bounded.mode is unbounded, latest-offset",
            fixed=KAFKA % "'scan.bounded.mode' = 'never'",
        ),
        bad(KAFKA % "'json.fail-on-missing-field' = 'yes'", file="job.sql", at="'yes'"),
        bad(
            FILES % "'json.timestamp-format.standard' = 'ISO8601'",
            file="job.sql",
            fixed=FILES % "'json.timestamp-format.standard' = 'ISO-8601'",
        ),
        bad(FILES % "'sink.rolling-policy.file-size' = '128 megs'", file="job.sql", at="'128 megs'"),
        bad(FILES % "'source.monitor-interval' = 'PT10S'", file="job.sql", flink="1.20", at="'PT10S'"),
        bad(_DATAGEN % "'rows-per-second' = 'ten'", file="job.sql", at="'ten'"),
        bad(
            _DATAGEN % "'fields.id.kind' = 'SEQUENCE'", file="job.sql", fixed=_DATAGEN % "'fields.id.kind' = 'sequence'"
        ),
        bad(
            _DATAGEN % "'number-of-rows' = '5'" + "SELECT * FROM t /*+ OPTIONS('rows-per-second' = '1k') */;\n",
            file="job.sql",
            at="'1k'",
        ),
        good(KAFKA % "'scan.startup.mode' = 'Earliest-Offset', 'sink.parallelism' = '4'", file="job.sql"),
        good(KAFKA % "'scan.startup.mode' = '${MODE}', 'sink.semantic' = 'exactly_once'", file="job.sql"),
        good(FILES % "'source.monitor-interval' = 'PT10S'", file="job.sql", flink="2.1"),
        good(FILES % "'source.monitor-interval' = '10'", file="job.sql"),
        good(FILES % "'sink.rolling-policy.file-size' = '128MB'", file="job.sql"),
        good(
            _DATAGEN % "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '9'", file="job.sql"
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'pulsar', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json', 'scan.startup.mode' = 'earliest');\n",
            file="job.sql",
        ),
        good(
            "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'a', "
            "'properties.bootstrap.servers' = 'k:9092', 'format' = '${FORMAT}', 'scan.startup.mode' = "
            "'latest-offset');\n",
            file="job.sql",
        ),
        good(FILES % "'source.monitor-interval' = 'PT10S'", file="job.sql"),
        bad(
            KAFKA % "'sink.delivery-guarantee' = 'AtLeastOnce'",
            file="job.sql",
            fixed=KAFKA % "'sink.delivery-guarantee' = 'at-least-once'",
        ),
        bad(
            KAFKA % "'value.fields-include' = 'ExceptKey'",
            file="job.sql",
            fixed=KAFKA % "'value.fields-include' = 'EXCEPT_KEY'",
        ),
        bad(_JDBC % "part", file="job.sql", fixed=_JDBC % "PARTIAL"),
        bad(_JDBC % "par", file="job.sql", fixed=_JDBC % "par"),
        bad(KAFKA % "'key.fields' = 'id;\"name'", file="job.sql", at="t.with.key.fields"),
    ]


_EARLIEST = "'scan.startup.mode' = 'earliest-offset', "


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "SQL",
            "CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = 'ten');\nSELECT * FROM a;\n",
            good="CREATE TABLE a (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');\n"
            "SELECT * FROM a;\n",
        ),
        *(
            flink_refuses(
                "SQL",
                KAFKA % f"{more}{one}" + "SELECT * FROM t;\n",
                good=KAFKA % f"{more}{other}" + "SELECT * FROM t;\n",
                releases=">=1.12",
            )
            for more, one, other in (
                ("", "'scan.startup.mode' = 'earliest'", "'scan.startup.mode' = 'Earliest-Offset'"),
                (_EARLIEST, "'json.ignore-parse-errors' = 'yes'", "'json.ignore-parse-errors' = 'true'"),
                (
                    _EARLIEST,
                    "'json.timestamp-format.standard' = 'iso-8601'",
                    "'json.timestamp-format.standard' = 'ISO-8601'",
                ),
                (_EARLIEST, "'scan.startup.timestamp-millis' = '1d'", "'scan.startup.timestamp-millis' = '1'"),
            )
        ),
    ]
