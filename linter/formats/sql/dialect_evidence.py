"""Evidence that a script is Flink SQL: constructs that only Flink has, or that only other engines have.

Each construct counts once, however often it occurs. Constructs are searched for outside comments, and keywords outside
strings as well, each with an expression whose time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple


class _Construct(NamedTuple):
    """A construct of one engine's SQL: its weight, what it is, and how it is found."""

    weight: int
    what: str
    pattern: re.Pattern[str]
    in_strings: bool = False
    """Whether the text of strings is needed to find it."""


def _words(expression: str) -> re.Pattern[str]:
    return regex(expression.replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE)


_OPTION = r"'[\w.-]+'\s*=\s*'"
_GROUPS = (
    r"(?:execution|parallelism|pipeline|restart-strategy|sql-client|state|table\.(?:exec|optimizer|dml|sql-dialect))"
)
_FLINKS = (
    _Construct(3, "options of a table, quoted as Flink's", _words(rf"\bWITH\s*\(\s*{_OPTION}"), True),
    _Construct(3, "'connector' of a table", _words(r"'connector'\s*=\s*'"), True),
    _Construct(3, "SET with a quoted key", _words(r"(?:^|;)[ \t]*SET '[\w.-]+'\s*="), True),
    _Construct(3, "SET of a key of Flink's", _words(rf"(?:^|;)[ \t]*SET {_GROUPS}\.[\w.-]+\s*="), True),
    _Construct(4, "a statement set", _words(r"\b(?:EXECUTE|BEGIN) STATEMENT SET\b")),
    _Construct(3, "a watermark", _words(r"\bWATERMARK FOR [`\w.]+ AS\b")),
    _Construct(4, "a window of a table", _words(r"\b(?:TUMBLE|HOP|CUMULATE|SESSION)\s*\(\s*(?:DATA\s*=>\s*)?TABLE\b")),
    _Construct(4, "a hint with options", _words(r"/\*\+[^*]{0,2000}\bOPTIONS\s*\(\s*'"), True),
    _Construct(3, "PROCTIME()", _words(r"\bPROCTIME\s*\(\s*\)")),
    _Construct(3, "a catalog with a type", _words(r"\bCREATE CATALOG \S+ WITH\s*\(\s*'type'"), True),
    _Construct(3, "an unenforced key", _words(r"\bPRIMARY KEY\s*\([^()]{0,500}\) NOT ENFORCED\b")),
    _Construct(3, "metadata columns", _words(r"\bMETADATA (?:FROM '|VIRTUAL\b)")),
)
_UNQUOTED = r"[A-Za-z_][\w.]*\s*=\s*(?:''|\d|ARRAY\b|TRUE\b|FALSE\b)"
_OTHERS = (
    _Construct(-6, "a source, sink or stream (RisingWave, ksqlDB, Materialize, DeltaStream)", _words(
        r"\bCREATE (?:OR REPLACE )?(?:TEMPORARY )?(?:EXTERNAL )?"
        r"(?:SOURCE|SINK|STREAM|CHANGELOG|SUBSCRIPTION|INDEX|CONNECTION)\b"
    )),
    _Construct(-6, "settings of Kafka Streams (ksqlDB)", _words(
        r"(?:^|;)[ \t]*(?:UN)?SET '(?:ksql\.[\w.-]+|auto\.offset\.reset|processing\.guarantee|num\.stream\.threads"
        r"|commit\.interval\.ms|cache\.max\.bytes\.buffering|statestore\.cache\.max\.bytes)'"
    ), True),
    _Construct(-6, "PRINT of a topic (ksqlDB)", _words(
        r"(?:^|;)[ \t]*PRINT ['`\"]?[\w.-]*['`\"]?\s*(?:;|\Z|\b(?:FROM BEGINNING|INTERVAL|SAMPLE|LIMIT)\b)"
    )),
    _Construct(-6, "windows with a SIZE (ksqlDB)", _words(
        r"\bWINDOW (?:TUMBLING|HOPPING|SESSION)\s*\(\s*(?:SIZE )?\d"
    )),
    _Construct(-6, "a materialized view", _words(r"\bCREATE (?:OR REPLACE )?MATERIALIZED VIEW\b")),
    _Construct(-6, "EMIT CHANGES or EMIT ON (ksqlDB, RisingWave)", _words(r"\bEMIT (?:CHANGES|FINAL|ON)\b")),
    _Construct(-6, "FORMAT … ENCODE (RisingWave)", _words(r"\bFORMAT \w+ ENCODE\b")),
    _Construct(-6, "options with unquoted keys (RisingWave, ksqlDB, Trino, Arroyo)", _words(
        rf"\bWITH\s*\(\s*{_UNQUOTED}"
    )),
    _Construct(-8, "tables with the type source or sink (SeaTunnel)", _words(r"'type'\s*=\s*'(?:source|sink)'"), True),
    _Construct(-6, "connectors of a table as JSON (Feldera)", _words(r"'connectors'\s*=\s*'"), True),
    _Construct(-6, "plugin inputs and outputs (SeaTunnel)", _words(
        r"'(?:plugin_(?:input|output)|(?:source|result)_table_name|generate_sink_sql)'\s*="
    ), True),
    _Construct(-6, "USING a table format (Spark)", _words(
        r"\bUSING (?:delta|iceberg|hudi|parquet|csv|json|orc|avro|jdbc|kafka|paimon)\b"
    )),
    _Construct(-5, "STORED AS, ROW FORMAT or SerDe (Hive)", _words(
        r"\bSTORED (?:AS|BY)\b|\bROW FORMAT (?:SERDE|DELIMITED)\b"
    )),
    _Construct(-5, "TBLPROPERTIES (Spark, Hive)", _words(r"\bTBLPROPERTIES\s*\(")),
    _Construct(-6, "settings of Spark or Hive", _words(
        r"(?:^|;)[ \t]*SET (?:spark|hive|mapreduce|mapred|tez|hoodie|delta)\.[\w.-]+\s*="
    ), True),
    _Construct(-6, "OPTIMIZE, VACUUM, MSCK or CACHE TABLE (Spark, Hive, Trino)", _words(
        r"(?:^|;)[ \t]*(?:OPTIMIZE [\w.`]+|VACUUM\b|MSCK REPAIR\b|(?:UN)?CACHE TABLE\b|REFRESH TABLE\b)"
    )),
    _Construct(-5, "LATERAL VIEW (Hive, Spark)", _words(r"\bLATERAL VIEW (?:OUTER )?\w+\s*\(")),
    _Construct(-5, "dollar-quoting or PL/pgSQL (PostgreSQL)", _words(r"\$(?:[A-Za-z_]\w*)?\$|\bLANGUAGE plpgsql\b")),
    _Construct(-5, "commands of psql", _words(r"^\\(?:c|connect|i|ir|echo|copy|set|timing|gexec|d[a-z]*\+?)\b")),
    _Construct(-4, "serial columns or extensions (PostgreSQL)", _words(
        r"\b(?:BIG|SMALL)?SERIAL\b|\bCREATE EXTENSION\b|\bTIMESTAMPTZ\b|\bJSONB\b"
    )),
    _Construct(-4, "casts with :: (PostgreSQL, RisingWave, Materialize)", _words(r"[\w)'`\"]::[A-Za-z]")),
    _Construct(-5, "ENGINE of a table (MySQL, ClickHouse, StarRocks)", _words(r"\)\s*ENGINE\s*=?\s*[A-Za-z]\w*")),
    _Construct(-4, "AUTO_INCREMENT or DELIMITER (MySQL)", _words(r"\bAUTO_INCREMENT\b|(?:^|;)[ \t]*DELIMITER\b")),
    _Construct(-5, "keys or buckets of Doris or StarRocks", _words(
        r"\b(?:DUPLICATE|AGGREGATE|UNIQUE) KEY\s*\([^()]{0,500}\)\s*(?:COMMENT|PARTITION|DISTRIBUTED)\b"
        r"|\)\s*PROPERTIES\s*\(\s*\""
    )),
    _Construct(-6, "SETTINGS of a table (ClickHouse, Proton)", _words(r"\)\s*SETTINGS \w+\s*=")),
    _Construct(-6, "mappings (Hazelcast)", _words(r"\bCREATE (?:OR REPLACE )?(?:EXTERNAL )?MAPPING\b")),
    _Construct(-6, "clusters, secrets or SUBSCRIBE (Materialize)", _words(
        r"\bCREATE (?:CLUSTER|SECRET)\b|\bIN CLUSTER\b|\bENVELOPE (?:DEBEZIUM|UPSERT|NONE)\b|(?:^|;)[ \t]*SUBSCRIBE\b"
    )),
    _Construct(-4, "types of BigQuery", _words(r"\b(?:INT64|FLOAT64|BIGNUMERIC)\b")),
    _Construct(-4, "options with unquoted keys (BigQuery)", _words(r"\bOPTIONS\s*\(\s*\w+\s*=")),
    _Construct(-4, "types of Snowflake or Oracle", _words(r"\bTIMESTAMP_(?:NTZ|TZ)\b|\bNUMBER\s*\(\s*\d")),
    _Construct(-6, "stages, warehouses or COPY INTO (Snowflake)", _words(
        r"\bCREATE (?:OR REPLACE )?(?:WAREHOUSE|STAGE|PIPE|DYNAMIC TABLE)\b|\bCOPY INTO\b"
    )),
)  # fmt: skip
_WITHOUT_COLUMNS = _Construct(
    -2,
    "tables without columns (SeaTunnel)",
    _words(r"\bCREATE TABLE (?:IF NOT EXISTS )?[`\w.]+ WITH\s*\([^()]{0,4000}\)\s*(?:;|\Z)"),
)
_HIVE_DIALECT = _words(r"table\.sql-dialect'?\s*=\s*'?hive")
_HIVES = ("STORED AS", "TBLPROPERTIES", "settings of Spark or Hive", "LATERAL VIEW", "OPTIMIZE")
"""Constructs that Flink understands in its dialect of Hive."""
_COMMENT = regex(r"--[^\r\n]*|(/\*(?!\+)[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))|'[^']*(?:''[^']*)*(?:'|\Z)")
_STRING = regex(r"'[^']*(?:''[^']*)*(?:'|\Z)")


def evidence_of_sql(head: str) -> Evidence:
    """Return the evidence that a script is Flink SQL, from its statements; none if nothing is specific to Flink."""
    code = _COMMENT.sub(_kept, head)
    bare = _STRING.sub("''", code)
    found = _weighed(_FLINKS, code, bare)
    if not found.in_favor:
        return NOTHING
    others: tuple[_Construct, ...] = _OTHERS
    if _HIVE_DIALECT.search(code) is not None:
        others = tuple(one for one in _OTHERS if not one.what.startswith(_HIVES))
    return found.joined([_weighed((*others, _WITHOUT_COLUMNS), code, bare)])


def _kept(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("'") else " "


def _weighed(constructs: tuple[_Construct, ...], code: str, bare: str) -> Evidence:
    found = NOTHING
    for weight, what in _present(constructs, code, bare):
        found = found.plus(weight, what)
    return found


def _present(constructs: tuple[_Construct, ...], code: str, bare: str) -> Iterator[tuple[int, str]]:
    for construct in constructs:
        if construct.pattern.search(code if construct.in_strings else bare) is not None:
            yield construct.weight, construct.what
