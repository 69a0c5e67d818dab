"""Flink SQL scripts: which files are recognized, spans, which settings apply when, and edits."""

from __future__ import annotations

import subprocess
import sys

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

ORDERS = """-- Ärger mit 'Kommentaren'
SET 'execution.checkpointing.interval' = '1 min';
SET table.exec.state.ttl=1h; -- the old form
\tset 'pipeline.name' = 'it''s ü';
CREATE TABLE orders (
  id BIGINT,
  `user` ROW<name STRING, age INT> COMMENT 'who, when',
  ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL,
  pt AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, /* a comment, with ; and ' */
  PRIMARY KEY (id, ts) NOT ENFORCED
) PARTITIONED BY (id) WITH (
  'connector' = 'kafka', -- it's Kafka
  'topic' = 'orders', 'properties.bootstrap.servers' = '${KAFKA}',
  'scan.startup.mode'='earliest-offset',
  'format' = 'json'
);
CREATE TABLE customers WITH ('connector' = 'jdbc', 'url' = 'jdbc:x') LIKE orders (EXCLUDING ALL);
CREATE TABLE enriched (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'enriched');
CREATE VIEW counts AS SELECT id, COUNT(*) AS c FROM orders GROUP BY id;
EXECUTE STATEMENT SET BEGIN
INSERT INTO enriched SELECT id FROM counts;
INSERT INTO enriched /*+ OPTIONS('sink.parallelism' = '3') */
SELECT o.id FROM orders /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */ o
JOIN customers FOR SYSTEM_TIME AS OF o.pt AS c ON o.id = c.id;
END;
"""
SWITCHING = """SET 'execution.runtime-mode' = 'batch';
INSERT INTO a SELECT * FROM b;
SET 'execution.runtime-mode' = 'streaming';
SET 'table.exec.state.ttl' = '1 d';
INSERT INTO a SELECT * FROM b;
RESET 'table.exec.state.ttl';
INSERT INTO a SELECT DISTINCT x FROM b;
"""
WINDOWS = """CREATE TABLE bids (price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
INSERT INTO r SELECT window_start, SUM(price) FROM TABLE(
  TUMBLE(DATA => TABLE bids, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' MINUTES))
GROUP BY window_start, window_end;
INSERT INTO r SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) AS n FROM bids) WHERE n <= 3;
INSERT INTO r SELECT T.a FROM bids MATCH_RECOGNIZE (PARTITION BY id ORDER BY ts MEASURES A.id AS a
  PATTERN (A B) DEFINE A AS price > 3) AS T;
SELECT o.id, w FROM orders o, LATERAL TABLE(split(o.words)) AS T(w), pays p
WHERE o.id = p.id AND o.ts BETWEEN p.ts - INTERVAL '1' HOUR AND p.ts;
"""
KINESIS = """CREATE TABLE clicks (id STRING) WITH (
  'connector' = 'kinesis', 'stream.arn' = 'arn:aws:kinesis:eu-west-1:1:stream/clicks',
  'aws.region' = 'eu-west-1', 'scan.shard.getrecords.maxrecordcount' = '5000');
CREATE CATALOG lake WITH ('type' = 'iceberg', 'warehouse' = 's3://b/w');
BEGIN STATEMENT SET;
INSERT INTO lake.db.clicks SELECT * FROM clicks;
INSERT INTO ${target} SELECT * FROM {{ source }};
END;
"""
SAMPLES = {
    "orders.sql": ORDERS,
    "switching.flink.sql": SWITCHING,
    "windows.sql": WINDOWS,
    "kinesis.sql.j2": KINESIS,
    "crlf.sql": ORDERS.replace("\n", "\r\n"),
}


def document(text: str, name: str = "job.sql") -> Document:
    found = read(name, text)
    assert len(found) == 1
    return found[0]


def queries(text: str) -> list[dict[str, tuple[object, str]]]:
    return [attributes for _, attributes in parts(document(text), "query")]


# -- which files


@pytest.mark.parametrize("text", [*SAMPLES.values(), "SET 'a.b' = 'c';", "set execution.target=remote;",
                                  "SELECT a, PROCTIME() FROM t;",
                                  "CREATE TABLE a WITH (\n  -- as b\n  'topic' = 'b'\n) LIKE c;"])  # fmt: skip
def test_scripts_with_statements_of_flink_are_recognized(text: str) -> None:
    assert document(text).kind == "sql"


@pytest.mark.parametrize("text", [
    "CREATE TABLE t (id SERIAL PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO t (name) VALUES ('SET');\n",
    "SET search_path = public;\nSET hive.exec.dynamic.partition=true;\nSELECT 1;\n",
    "CREATE TABLE t (a INT) WITH (format = 'ORC');\n",
    "CREATE SOURCE s WITH (connector = 'kafka', topic = 't');\nCREATE STREAM x WITH (KAFKA_TOPIC = 'a');\n",
])  # fmt: skip
def test_scripts_of_other_databases_are_not(text: str) -> None:
    assert file_format_of("job.sql", text) is None


# -- spans


def test_the_places_of_settings_cut_keys_and_values_out_with_their_quotes() -> None:
    assert cuts(document(ORDERS)) == [
        ("execution.checkpointing.interval", "'execution.checkpointing.interval'", "'1 min'"),
        ("table.exec.state.ttl", "table.exec.state.ttl", "1h"),
        ("pipeline.name", "'pipeline.name'", "'it''s ü'"),
    ]
    assert entry(document(ORDERS), "pipeline.name").text == "it's ü"


def test_line_ends_of_windows_move_nothing() -> None:
    assert cuts(document(ORDERS.replace("\n", "\r\n"))) == cuts(document(ORDERS))
    assert parts(document(ORDERS.replace("\n", "\r\n")), "table") == parts(document(ORDERS), "table")


def test_a_table_has_its_options_columns_and_keys_each_at_its_place() -> None:
    name, table = parts(document(ORDERS), "table")[0]
    assert name == "orders"
    assert table["connector"] == table["with.connector"] == ("kafka", "'kafka'")
    assert table["with.scan.startup.mode"] == ("earliest-offset", "'earliest-offset'")
    assert table["with.properties.bootstrap.servers"] == (None, "'${KAFKA}'")
    assert table["columns[1].name"] == ("user", "`user`")
    assert table["columns[1].type"] == ("ROW<NAME STRING, AGE INT>", "ROW<name STRING, age INT>")
    assert table["columns[2].metadata"] == (True, "ts")
    assert table["columns[3].expression"] == ("PROCTIME()", "pt")
    assert table["watermark"] == ("ts", "ts")
    assert table["watermark-delay"] == (5000, "ts - INTERVAL '5' SECOND")
    assert table["primary-key"] == ("id, ts", "id, ts")
    assert table["partitioned-by"] == ("id", "id")


def test_keys_of_options_have_places_too() -> None:
    found = document(ORDERS)
    attribute = next(e for e in found.elements if e.kind == "table").attributes["with.topic"]
    assert attribute.key_span is not None
    assert found.text[slice(*attribute.key_span)] == "'topic'"


def test_a_table_like_another_inherits_its_options() -> None:
    text = ("CREATE TABLE a (x INT) WITH ('connector' = 'kafka', 'topic' = 'a');\n"
            "CREATE TABLE b WITH ('topic' = 'b') LIKE a;\nALTER TABLE b SET ('format' = 'csv');\n")  # fmt: skip
    _, (_, b) = parts(document(text), "table")
    assert (b["connector"], b["with.topic"], b["with.format"]) == (("kafka", "'kafka'"), ("b", "'b'"), ("csv", "'csv'"))


# -- queries


def test_a_query_opens_the_views_it_reads() -> None:
    first, second = queries(ORDERS)
    assert first["group-by"] == ("id", "id")
    assert first["sources[0].name"] == ("orders", "orders")
    assert first["job"][0] == second["job"][0], "a statement set is one job"
    assert second["statement-set"][0] is True


def test_hints_and_lookups_of_a_query_are_reported() -> None:
    _, query = queries(ORDERS)
    assert query["targets[0].options.sink.parallelism"] == ("3", "'3'")
    assert query["sources[0].options.scan.startup.mode"] == ("latest-offset", "'latest-offset'")
    assert query["lookup-join"] == ("customers", "customers")
    assert "regular-join" not in query


def test_windows_ranks_patterns_and_interval_joins_are_distinguished() -> None:
    windowed, ranked, matched, joined = queries(WINDOWS)
    assert windowed["window"] == ("TUMBLE", "bids")
    assert "group-by" not in windowed
    assert ranked["top-n"][0] == 3
    assert matched["match-recognize"] == (True, "MATCH_RECOGNIZE")
    assert joined["interval-join"] == ("p", "pays")
    assert "regular-join" not in joined
    assert all(query["parsed"][0] for query in (windowed, ranked, matched, joined))


@pytest.mark.parametrize(
    ("columns", "feature"),
    [
        ("ts TIMESTAMP(3), WATERMARK FOR ts AS ts", "interval-join"),
        ("ts AS PROCTIME()", "interval-join"),
        ("ts TIMESTAMP(3)", "regular-join"),
        ("ts TIMESTAMP(3) METADATA", "regular-join"),
    ],
)
def test_bounds_on_other_columns_than_time_attributes_make_no_interval_join(columns: str, feature: str) -> None:
    options = "WITH ('connector' = 'kafka')"
    tables = "".join(f"CREATE TABLE {name} (id INT, {columns}) {options};\n" for name in ("a", "b"))
    bounds = "a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts"
    (query,) = queries(f"{tables}INSERT INTO o SELECT a.id FROM a JOIN b ON a.id = b.id AND {bounds};\n")
    assert {"interval-join", "regular-join"} & query.keys() == {feature}


@pytest.mark.parametrize(("query", "feature", "value", "cut"), [
    ("SELECT a.x FROM a JOIN b ON a.id = b.id", "regular-join", "b", "b"),
    ("SELECT DISTINCT x FROM a", "distinct", True, "x"),
    ("SELECT COUNT(DISTINCT x) FROM a GROUP BY y", "count-distinct", True, "x"),
    ("SELECT x FROM a UNION SELECT x FROM b", "union", "distinct", "x FROM b"),
    ("SELECT SUM(x) OVER (PARTITION BY y ORDER BY ts) FROM a", "over", "unbounded", None),
    ("SELECT * FROM a WHERE x IN (SELECT y FROM b)", "regular-join", "in", "y FROM b"),
    ("SELECT TUMBLE_START(ts, INTERVAL '1' HOUR) FROM a GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)", "window", "GROUP",
     None),
    ("SELECT SUM(x) FROM a GROUP BY y, session(ts, INTERVAL '1' HOUR)", "group-window", "SESSION", None),
    ("SELECT * FROM a JOIN v FOR SYSTEM_TIME AS OF a.ts ON a.id = v.id", "temporal-join", "v", "v"),
    ("SELECT UUID(), JSON_VALUE(x, '$.a' RETURNING INT NULL ON EMPTY) FROM a", "non-deterministic", "UUID", "UUID"),
    ("SELECT CAST(x AS ROW<a INT, b ARRAY<STRING>>) FROM a ORDER BY ts", "order-by", True, "ts"),
    ("VALUES (1)", "values", True, "VALUES"),
    ("SELECT x FROM a ON CONFLICT DO NOTHING", "on-conflict", True, "ON"),
])  # fmt: skip
def test_each_part_of_a_query_is_found_at_its_place(query: str, feature: str, value: object, cut: str | None) -> None:
    found = queries(f"SET 'a.b' = 'c';\nINSERT INTO r {query};\n")[0]
    assert found["parsed"][0] is True
    assert found[feature][0] == value
    if cut is not None:
        assert found[feature][1] == cut


def test_an_unparsable_statement_is_skipped_with_a_warning() -> None:
    found = document(
        "SET 'a.b' = 'c';\nINSERT INTO r SELECT FROM FROM x WHERE;\nINSERT INTO r SELECT DISTINCT y FROM z;\n"
    )
    first, second = (attributes for _, attributes in parts(found, "query"))
    assert (first["parsed"][0], second["distinct"][0]) == (False, True)
    assert found.warnings == ["the INSERT INTO in line 2 cannot be parsed, so its query is not checked"]


def test_a_missing_semicolon_is_reported_and_both_statements_are_read() -> None:
    found = document(
        "SET 'a.b' = 'c';\nCREATE TABLE s (x INT) WITH ('connector' = 'datagen')\n-- the sink\n"
        "CREATE TABLE d (x INT) WITH (\n  'connector' = 'print'\n)\nINSERT INTO d SELECT x FROM s;\n"
        "INSERT INTO d SELECT x FROM s\nINSERT INTO d SELECT x FROM s\n"
    )
    assert [name for name, _ in parts(found, "table")] == ["s", "d"]
    assert len(parts(found, "query")) == 1
    assert found.warnings == [
        "a semicolon is missing before the CREATE in line 4: Flink reads both as one statement and refuses it",
        "a semicolon is missing before the INSERT in line 7: Flink reads both as one statement and refuses it",
        "a semicolon is missing before the INSERT in line 9: Flink reads both as one statement and refuses it",
    ]


@pytest.mark.parametrize(
    "text",
    ["EXPLAIN PLAN FOR\nINSERT INTO d SELECT 1;", "SHOW\nCREATE TABLE d;",
     "COMPILE PLAN 'p' FOR\nINSERT INTO d SELECT 1;",
     "CREATE VIEW v AS SELECT `x`,\nINSERT FROM s;", "EXECUTE\nINSERT INTO d SELECT 1;"],
)  # fmt: skip
def test_statements_with_others_inside_lack_no_semicolon(text: str) -> None:
    assert not any("semicolon" in warning for warning in document(f"SET 'a.b' = 'c';\n{text}\n").warnings)


def test_nothing_is_told_past_the_findings(capfd: pytest.CaptureFixture[str]) -> None:
    (query,) = queries("SET 'a.b' = 'c';\nWITH x AS (SET a) SELECT 1;\n")
    assert query["parsed"][0] is False
    assert capfd.readouterr().err == ""


# -- effective settings


def test_what_is_in_force_for_the_last_job_counts_and_the_others_say_what_was_for_them() -> None:
    found = document(SWITCHING)
    assert found.settings() == {"execution.runtime-mode": "streaming"}
    assert [one.overridden for one in found.entries] == [False]
    first, second, third = (attributes for _, attributes in parts(found, "query"))
    assert first["settings.execution.runtime-mode"] == ("batch", "'batch'")
    assert second["settings.table.exec.state.ttl"] == ("1 d", "'1 d'")
    assert not any(name.startswith("settings.") for name in third)


def test_two_settings_of_a_key_before_a_job_are_the_same_key_twice() -> None:
    found = document("SET 'a.b' = '1';\nSET 'a.b' = '2';\nINSERT INTO a SELECT * FROM b;\n")
    assert [(one.text, one.overridden) for one in found.entries] == [("1", True), ("2", False)]


@pytest.mark.parametrize(
    "statement",
    ["CREATE VIEW v AS SELECT 1", "SHOW TABLES", "DESCRIBE a", "EXPLAIN SELECT 1", "LOAD MODULE hive", "USE CATALOG c",
     "CREATE TABLE t (x INT) WITH ('connector' = 'print')"],
)  # fmt: skip
def test_a_setting_that_a_statement_was_executed_with_is_not_dead(statement: str) -> None:
    found = document(f"SET 'table.sql-dialect' = 'hive';\n{statement};\nSET 'table.sql-dialect' = 'default';\n")
    assert [(one.text, one.overridden) for one in found.entries] == [("default", False)]


@pytest.mark.parametrize("value", ["'${TTL}'", "'{{ ttl }}'"])
def test_a_value_of_a_template_keeps_its_text(value: str) -> None:
    assert entry(document(f"SET 'table.exec.state.ttl' = {value};"), "table.exec.state.ttl").raw == value


def test_a_parameter_is_no_setting() -> None:
    assert document("SET 'table.exec.state.ttl' = :ttl;\nSET 'a.b' = 'c';").settings() == {"a.b": "c"}


# -- sources and sinks


def test_a_table_of_kafka_is_a_reader_for_each_set_of_options_and_a_writer() -> None:
    found = document(ORDERS)
    assert [
        (name, attributes["starting-offsets"][0], attributes["properties.bootstrap.servers"][1])
        for name, attributes in parts(found, "kafka-source")
    ] == [("orders", "earliest-offset", "'${KAFKA}'"), ("orders", "latest-offset", "'${KAFKA}'")]
    sinks = parts(found, "kafka-sink")
    assert [name for name, _ in sinks] == ["enriched", "enriched"]
    assert sinks[0][1]["api"][0] == "sql"


def test_a_table_of_kinesis_has_the_keys_of_its_consumer() -> None:
    found = document(KINESIS, "job.sql.j2")
    ((name, reader),) = parts(found, "kinesis-source")
    assert name == "clicks"
    assert reader["properties.flink.shard.getrecords.maxrecordcount"] == ("5000", "'5000'")
    assert reader["with.scan.shard.getrecords.maxrecordcount"] == ("5000", "'5000'")
    assert parts(found, "catalog")[0][1]["type"] == ("iceberg", "'iceberg'")


# -- edits


@pytest.mark.parametrize("text", SAMPLES.values())
def test_edits_change_one_setting_and_nothing_else(text: str) -> None:
    found = document(text)
    assert assert_edits_hold(found) >= len(found.effective)


def test_an_edit_keeps_quotes_and_removes_the_whole_line() -> None:
    found = document("SET 'a.b' = 'it''s';\nSET c.d=1;\nSET 'e.f' = 'g';\n")
    after = edited(found, "replace", entry(found, "a.b"), "o'clock")
    assert after is not None
    assert after.text.startswith("SET 'a.b' = 'o''clock';\n")
    assert edited(found, "replace", entry(found, "c.d"), "1 h") is None, "without quotes it cannot hold a blank"
    after = edited(found, "remove", entry(found, "c.d"))
    assert after is not None
    assert after.text == "SET 'a.b' = 'it''s';\nSET 'e.f' = 'g';\n"
    after = edited(found, "rename", entry(found, "e.f"), "g.h")
    assert after is not None
    assert after.settings() == {"a.b": "it's", "c.d": "1", "g.h": "g"}


def test_a_setting_is_added_below_related_ones_or_above_the_first_statement() -> None:
    found = document("SET 'table.exec.state.ttl' = '1 h';\r\nINSERT INTO a SELECT * FROM b;\r\n")
    after = edited(found, "add", "table.local-time-zone", "UTC")
    assert after is not None
    assert after.text.splitlines()[1] == "SET 'table.local-time-zone' = 'UTC';"
    after = edited(document(KINESIS), "add", "parallelism.default", "4")
    assert after is not None
    assert after.text.startswith("SET 'parallelism.default' = '4';\nCREATE TABLE")


# -- limits


def test_a_script_without_queries_does_without_the_parser() -> None:
    text = "SET 'a.b' = 'c';\nCREATE TABLE t (a INT) WITH ('connector' = 'kafka');\n"
    code = (
        "import sys\nfrom flink_flint.linter.formats.sql.sql_script import FILE_FORMAT\n"
        f"FILE_FORMAT.read('a.sql', {text.encode()!r})\nassert 'sqlglot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("text", [
    "INSERT INTO a SELECT " + "(" * 50_000, "CREATE TABLE t (" + "a INT," * 50_000, "'" * 99_999, "{{" * 50_000,
    "/*+ " * 50_000, "INSERT INTO a SELECT * FROM " + "TABLE(TUMBLE(" * 5_000, "EXECUTE STATEMENT SET BEGIN " * 5_000,
    "INSERT INTO a SELECT " + "CASE WHEN a THEN " * 5_000, "SET 'a'='b';" * 20_000, "\x00SET\udc80'",
])  # fmt: skip
def test_any_text_gives_a_document(text: str) -> None:
    from flink_flint.linter.formats.sql.sql_script import FILE_FORMAT

    (found,) = FILE_FORMAT.read("job.sql", text.encode("utf-8", "surrogateescape"))
    assert found.text == text


def test_a_comment_suppresses_findings_on_its_line() -> None:
    from flink_flint.linter.model.suppressions import read_suppressions

    found = document("SET 'a.b' = 'c'; -- flint: ignore[FLK901] known\n")
    assert [one.selectors for one in read_suppressions([found])] == [("FLK901",)]


def elements(text: str, kind: str) -> list[Element]:
    (document,) = read("job.sql", text)
    return [element for element in document.elements if element.kind == kind]


@pytest.mark.parametrize(
    ("written", "where", "cut"),
    [
        ("id INT, PRIMARY KEY (id)", "table", ")"),
        ("id INT, CONSTRAINT pk PRIMARY KEY (id) ENFORCED", "table", "ENFORCED"),
        ("id INT PRIMARY KEY COMMENT 'the key'", "column", "KEY"),
        ("id INT, PRIMARY KEY (id) NOT ENFORCED", None, ""),
        ("id INT PRIMARY KEY not enforced", None, ""),
        ("id INT, PRIMARY KEY (id) ${ENFORCEMENT}", None, ""),
        ("`primary` INT, key INT", None, ""),
    ],
)
def test_a_primary_key_reports_where_not_enforced_is_missing(written: str, where: str | None, cut: str) -> None:
    text = f"CREATE TABLE t ({written}) WITH ('connector' = 'print');\n"
    (table,) = elements(text, "table")
    assert table.value("primary-key-enforced") == where
    if where is not None:
        span = table.attributes["primary-key-enforced"].span
        assert text[span.start : span.end] == cut


@pytest.mark.parametrize("more", ["${COMMON}", "{{ kafka_options }}", "'format' = 'json' {{ more }}", "'a' 'b'"])
def test_options_that_a_template_may_add_are_unknown(more: str) -> None:
    (table,) = elements(f"CREATE TABLE t (id INT) WITH ('connector' = 'kafka', {more});\n", "table")
    assert table.value("connector") == "kafka"
    assert not table.is_known("with.properties.bootstrap.servers")


@pytest.mark.parametrize(
    "options",
    [
        "'connector' = 'kafka', ${MORE} 'format' = 'json'",
        "'connector' = 'kafka' ${MORE} 'format' = 'json'",
        "${MORE}${AND_MORE} 'connector' = 'kafka', 'format' = 'json'",
        "'connector' = 'kafka', 'format' = 'json' ${MORE}",
    ],
)
def test_options_beside_template_tags_are_read(options: str) -> None:
    (document,) = read("job.sql", f"CREATE TABLE t (id INT) WITH ({options});\n")
    ((_, attributes),) = parts(document, "table")
    assert (attributes["with.connector"][0], attributes["with.format"][0]) == ("kafka", "json")
    assert attributes["with"][0] is None


def test_options_of_a_table_without_a_template_are_all_there() -> None:
    (table,) = elements(
        "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '${T}', 'format' = {{ f }});\n", "table"
    )
    assert table.is_known("with.properties.bootstrap.servers")
    assert not table.is_known("with.topic")


@pytest.mark.parametrize(
    ("query", "outer", "groups"),
    [
        ("SELECT a.x FROM a JOIN b ON a.x = b.x", None, None),
        ("SELECT a.x FROM a LEFT JOIN b ON a.x = b.x", "LEFT", None),
        ("SELECT a.x FROM a FULL OUTER JOIN b ON a.x = b.x", "FULL", None),
        ("SELECT x FROM a WHERE x NOT IN (SELECT x FROM b)", "ANTI", None),
        ("SELECT x FROM a WHERE x IN (SELECT x FROM b)", None, None),
        ("SELECT x, COUNT(*) FROM a GROUP BY x", None, None),
        ("SELECT n, COUNT(*) FROM (SELECT COUNT(*) AS n FROM a GROUP BY x) GROUP BY n", None, 2),
    ],
)
def test_parts_that_may_retract_rows_are_reported(query: str, outer: str | None, groups: int | None) -> None:
    text = f"CREATE TABLE a (x INT) WITH ('connector' = 'datagen');\n{query};\n"
    (found,) = elements(text, "query")
    assert (found.value("outer-join"), found.value("group-bys")) == (outer, groups)


def test_a_comment_that_looks_like_a_hint_hides_no_statement() -> None:
    text = "/*+ section; one */\nCREATE TABLE a (x INT) WITH ('connector' = 'datagen');\n"
    assert [table.name for table in elements(text, "table")] == ["a"]


HIVE_TABLE = "CREATE TABLE h (x INT) PARTITIONED BY (d STRING) STORED AS parquet;\n"


OVERWRITTEN = "CREATE TABLE h (x INT);\nINSERT OVERWRITE TABLE h SELECT * FROM s CLUSTER BY x;\n"
DELIMITED = "CREATE TABLE h (x INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' AS SELECT 1;\n"
KAFKA = "CREATE TABLE k (x INT) WITH ('connector' = 'kafka', 'topic' = 'k', 'scan.startup.mode' = 'latest-offset');\n"


@pytest.mark.parametrize("text", [HIVE_TABLE, "SET 'table.sql-dialect' = 'HIVE';\n" + OVERWRITTEN, DELIMITED])
def test_what_is_in_the_dialect_of_hive_is_not_read(text: str) -> None:
    found = document(KAFKA + "CREATE CATALOG c WITH ('type' = 'hive');\n" + text)
    assert [one.name for one in found.elements if one.kind in ("table", "query")] == ["k"]
    assert list(found.warnings) == []


def test_statements_in_the_default_dialect_are_read_again() -> None:
    text = "SET 'table.sql-dialect' = 'hive';\n" + HIVE_TABLE + "SET 'table.sql-dialect' = 'default';\nSELECT 1;\n"
    assert [one.kind for one in document(text).elements] == ["query"]


def test_a_comment_or_column_named_like_a_clause_of_hive_is_none() -> None:
    text = "CREATE TABLE t (stored AS PROCTIME(), tblproperties INT) WITH ('connector' = 'print');\n"
    assert [one.kind for one in document(text).elements] == ["table"]
