"""JSON of a source of changes has decimals as Base64.

## What it does
Looks for sources of Flink CDC in a program with `new JsonDebeziumDeserializationSchema()` and neither
`decimal.handling.mode` nor a configuration of the converter.

## Why it matters
A price of 19.99 comes out as `"B88="`. Debezium hands on `DECIMAL`, `NUMERIC` and unsigned `BIGINT` as bytes, and the
JSON converter writes bytes in Base64. Consumers fail or store the text; nothing in the job shows it.

## What to do
Set `decimal.handling.mode` to `string` in `debeziumProperties`, and `bigint.unsigned.handling.mode` to `long`; or give
the deserializer a converter configuration with `decimal.format` = `NUMERIC`.

## Not when
One of both is set, properties come from elsewhere, or no table has such a column, which the program does not show:
hence only advice. In SQL, columns have types, and decimals are right.

## Sources
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/faq/faq/>: decimals in JSON
- <https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-decimal-types>: what each mode makes
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.connectors._cdc import readers
from flink_flint.rules.connectors.oracle_dictionary_in_redo_log import PROGRAM

_DESERIALIZER, _MODE = "deserializer", "debezium.decimal.handling.mode"
_JSON = "JsonDebeziumDeserializationSchema"


@rule(
    code="FLK585",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=["element:cdc-source"],
    since="0.1",
)
def cdc_decimals_as_bytes(config: View) -> Iterator[Finding]:
    """JSON of a source of changes has decimals as Base64"""
    for reader in readers(config):
        if reader.text(_DESERIALIZER) != _JSON or reader.has("deserializer-configuration"):
            continue
        if reader.connector != "mongodb-cdc" and not reader.has(_MODE) and reader.is_whole:
            yield reader.finding(
                f"{_JSON} writes DECIMAL and unsigned BIGINT columns in Base64: 19.99 comes out as B88=",
                _DESERIALIZER,
                f"set {reader.spelled(_MODE, 'string')}",
                lacks=_MODE,
            )


def _job(deserializer: str, put: str = "", more: str = "", source: str = "MySqlSource") -> str:
    package = f"com.ververica.cdc.connectors.mysql.source.{source}"
    return PROGRAM.format(package=package, source=source, put=put, calls=f".deserializer({deserializer}){more}")


def cases() -> list[Case]:
    properties = ".debeziumProperties(properties)"
    return [
        bad(_job(f"new {_JSON}()"), file="Job.java", at=f"new {_JSON}()", severity=Severity.INFO, says="B88="),
        bad(_job(f"new {_JSON}(false)", 'properties.put("snapshot.locking.mode", "none");', properties),
            file="Job.java"),
        good(_job(f"new {_JSON}(false, converter)"), file="Job.java"),
        good(_job(f"new {_JSON}()", 'properties.put("decimal.handling.mode", "string");', properties),
             file="Job.java"),
        good(_job(f"new {_JSON}()", "", ".debeziumProperties(load(args))"), file="Job.java"),
        good(_job("new StringDebeziumDeserializationSchema()"), file="Job.java"),
        good(_job(f"new {_JSON}()", source="MongoDBSource"), file="Job.java"),
    ]  # fmt: skip
