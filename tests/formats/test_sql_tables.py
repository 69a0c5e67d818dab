"""Tables, views and catalogs that SQL creates: columns, keys, watermarks, options, and the rest of the clauses."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.sql.sql_tokens import tokenize
from flink_flint.linter.formats.sql.statement_parts import interval_ms
from tests.formats.reading import parts, read

FIRST = "CREATE TABLE zz (a INT) WITH ('connector' = 'datagen');\n"


def made(kind: str, text: str) -> list[tuple[str, dict[str, object]]]:
    """Return the elements of a kind in a script: their names, and the values of their attributes."""
    (document,) = read("job.sql", f"{FIRST}USE CATALOG paimon;\n{text}\n")
    found = [(name, {key: value for key, (value, _) in one.items()}) for name, one in parts(document, kind)]
    return [one for one in found if one[0] != "zz"]


def table(text: str) -> dict[str, object]:
    ((_, attributes),) = made("table", text)
    return attributes


def columns(text: str) -> list[tuple[object, ...]]:
    """Return the columns of a table: name, type or expression, and whether they are metadata."""
    found = table(f"CREATE TABLE t ({text}) WITH ('connector' = 'x');")
    count = sum(key.endswith("].name") for key in found)
    return [
        (found[f"columns[{n}].name"], found.get(f"columns[{n}].type", found.get(f"columns[{n}].expression")),
         f"columns[{n}].metadata" in found)
        for n in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "kind", "name"),
    [
        ("CREATE TABLE t (a INT);", "table", "t"), ("CREATE TEMPORARY TABLE t (a INT);", "table", "t"),
        ("REPLACE TABLE t (a INT);", "table", "t"),
        ("CREATE OR REPLACE TABLE t (a INT);", "table", "t"),
        ("CREATE TABLE IF NOT EXISTS c.d.t (a INT);", "table", "c.d.t"),
        ("CREATE TEMPORARY SYSTEM TABLE `t x` (a INT);", "table", "t x"),
        ("CREATE MATERIALIZED TABLE t AS SELECT 1;", "table", "t"),
        ("CREATE TABLE t;", "table", "t"), ("CREATE CATALOG c WITH ('type' = 'x');", "catalog", "c"),
        ("CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'x');", "catalog", "c"),
    ],
)  # fmt: skip
def test_what_is_created(statement: str, kind: str, name: str) -> None:
    assert [one for one, _ in made(kind, statement)] == [name]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE;", "CREATE TABLE;", "CREATE TABLE ();", "CREATE FUNCTION t AS 'x';", "CREATE DATABASE t;",
        "DROP TABLE t;", "CREATE OR REPLACE;",
        "CREATE TABLE t_{{ x }} (a INT);", "CREATE TABLE {{ x }} (a INT);",
    ],
)  # fmt: skip
def test_what_creates_no_table(statement: str) -> None:
    assert made("table", statement) == made("catalog", statement) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a INT", [("a", "INT", False)]), ("a int, `b c` string", [("a", "INT", False), ("b c", "STRING", False)]),
        ("a DECIMAL(10, 2)", [("a", "DECIMAL(10, 2)", False)]),
        ("a ROW<b INT, c MAP<STRING, INT>>", [("a", "ROW<B INT, C MAP<STRING, INT>>", False)]),
        ("a TIMESTAMP(3) NOT NULL", [("a", "TIMESTAMP(3) NOT NULL", False)]), ("a AS b + 1", [("a", "b + 1", False)]),
        ("a AS PROCTIME()", [("a", "PROCTIME()", False)]), ("a INT COMMENT 'x'", [("a", "INT", False)]),
        ("a INT METADATA", [("a", "INT", True)]), ("a INT METADATA FROM 'b' VIRTUAL", [("a", "INT", True)]),
        ("a INT 'x'", [("a", "INT", False)]),
        ("a INT PRIMARY KEY NOT ENFORCED", [("a", "INT", False)]),
        ("a INT CONSTRAINT k PRIMARY KEY", [("a", "INT", False)]),
        ("a", [("a", "", False)]), ("a INT, , b INT,", [("a", "INT", False), ("b", "INT", False)]),
    ],
)  # fmt: skip
def test_columns(text: str, expected: list[tuple[object, ...]]) -> None:
    assert columns(text) == expected


@pytest.mark.parametrize(
    ("text", "key", "enforced"),
    [
        ("a INT, PRIMARY KEY (a) NOT ENFORCED", "a", None),
        ("a INT, b INT, PRIMARY KEY (a, b) NOT ENFORCED", "a, b", None),
        ("a INT, CONSTRAINT k PRIMARY KEY (a) NOT ENFORCED", "a", None), ("a INT, PRIMARY KEY (a)", "a", "table"),
        ("a INT, PRIMARY KEY (a) ENFORCED", "a", "table"), ("a INT, PRIMARY KEY ()", None, "table"),
        ("a INT, PRIMARY KEY", None, "table"),
        ("a INT, PRIMARY KEY (a) {{ x }}", "a", None), ("a INT, PRIMARY KEY (a) NOT", "a", "table"),
        ("a INT PRIMARY KEY NOT ENFORCED", "a", None), ("a INT PRIMARY KEY", "a", "column"),
        ("a INT PRIMARY KEY ENFORCED", "a", "column"),
        ("a INT, primary INT", None, None), ("a INT", None, None),
    ],
)  # fmt: skip
def test_primary_keys(text: str, key: str | None, enforced: str | None) -> None:
    found = table(f"CREATE TABLE t ({text}) WITH ('connector' = 'x');")
    assert (found.get("primary-key"), found.get("primary-key-enforced")) == (key, enforced)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WATERMARK FOR ts AS ts", ("ts", 0)), ("WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", ("ts", 5_000)),
        ("WATERMARK FOR r.ts AS r.ts - INTERVAL '1' MINUTE", ("r.ts", 60_000)),
        ("WATERMARK FOR ts AS f(ts)", ("ts", None)),
        ("WATERMARK FOR ts AS other - INTERVAL '5' SECOND", ("ts", None)),
        ("WATERMARK FOR ts AS ts + INTERVAL '5' SECOND", ("ts", None)),
        ("WATERMARK FOR ts AS ts - x", ("ts", None)), ("WATERMARK FOR ts AS", (None, None)),
        ("WATERMARK FOR ts", (None, None)),
        ("WATERMARK FOR ts IS ts", (None, None)),
    ],
)  # fmt: skip
def test_watermarks(text: str, expected: tuple[str | None, int | None]) -> None:
    found = table(f"CREATE TABLE t (ts TIMESTAMP(3), {text}) WITH ('connector' = 'x');")
    assert (found.get("watermark"), found.get("watermark-delay")) == expected


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("WITH ('connector' = 'x')", {"connector": "x", "with.connector": "x"}),
        ("WITH ('a' = '1', 'b' = '2')", {"with.a": "1", "with.b": "2"}),
        ("WITH ('a' = '${x}')", {"with.a": None}), ("WITH ('a' = 5)", {"with.a": None}),
        ("WITH ('a' = 'x' 'y')", {"with.a": None}),
        ("WITH ()", {}), ("WITH", {}), ("WITH ('a' = '1', b = '2')", {"with.a": "1", "with": None}),
        ("WITH ('a' = '1', {{ more }})", {"with.a": "1", "with": None}),
        ("WITH ('a' = {{ x }})", {"with.a": None}), ("WITH ('a', 'b' = '1')", {"with.b": "1", "with": None}),
        ("PARTITIONED BY (a, `b`)", {"partitioned-by": "a, b"}), ("PARTITIONED BY ()", {}), ("PARTITIONED BY", {}),
        ("DISTRIBUTED BY HASH(a) INTO 4 BUCKETS WITH ('a' = '1')", {"with.a": "1"}), ("LIKE c.o", {"like": "c.o"}),
        ("LIKE", {}),
        ("COMMENT 'with' WITH ('a' = '1')", {"with.a": "1"}), ("AS SELECT 1 FROM o WITH ('a' = '1')", {}),
    ],
)  # fmt: skip
def test_clauses(clauses: str, expected: dict[str, object]) -> None:
    found = table(f"CREATE TABLE t (c INT) {clauses};")
    assert {key: value for key, value in found.items() if not key.startswith("columns")} == expected


def test_options_of_a_catalog() -> None:
    ((_, attributes),) = made("catalog", "CREATE CATALOG c WITH ('type' = 'iceberg', 'warehouse' = 's3://b');")
    assert attributes == {"with.type": "iceberg", "with.warehouse": "s3://b", "type": "iceberg"}
    assert made("catalog", "CREATE CATALOG c WITH ('warehouse' = 's3://b');") == [("c", {"with.warehouse": "s3://b"})]


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("INTERVAL '5' SECOND", 5_000), ("INTERVAL '5' SECONDS", 5_000), ("INTERVAL '0.5' second", 500),
        ("INTERVAL '1.001' SECOND", 1_001), ("INTERVAL '1.0019' SECOND", 1_001),
        ("INTERVAL ' 2 ' MINUTE", 120_000),
        ("INTERVAL '1' HOUR", 3_600_000), ("INTERVAL '1' DAY", 86_400_000), ("INTERVAL '1' MONTH", None),
        ("INTERVAL '1' YEAR", None),
        ("INTERVAL '1:30' MINUTE", None), ("INTERVAL '1' DAY TO SECOND", None), ("INTERVAL 1 SECOND", None),
        ("INTERVAL '1'", None),
        ("'1' SECOND", None), ("INTERVAL '-1' SECOND", None), ("INTERVAL '1234567890' SECOND", None),
        ("INTERVAL '1' SECOND x", 1_000),
    ],
)  # fmt: skip
def test_intervals(text: str, milliseconds: int | None) -> None:
    assert interval_ms(list(tokenize(text))) == milliseconds


@pytest.mark.parametrize(
    ("base", "own", "is_open"),
    [("'a' = 'b'", "'c' = 'd'", False), ("'a' = 'b'", "{{ c }}", True), ("{{ a }}", "'c' = 'd'", True)],
)
def test_a_table_like_another_has_the_unknown_options_of_both(base: str, own: str, is_open: bool) -> None:
    found = made("table", f"CREATE TABLE b (x INT) WITH ({base});\nCREATE TABLE t WITH ({own}) LIKE b;")
    assert ("with" in dict(found)["t"]) == is_open


ACCOUNTS = "CREATE TABLE accounts (id VARCHAR(50) PRIMARY KEY, n INT);\n"


def names(text: str) -> list[str]:
    """Return the names of the tables in a script that begins with a table of Flink's."""
    (document,) = read("job.sql", FIRST + text)
    return [name for name, _ in parts(document, "table") if name != "zz"]


@pytest.mark.parametrize(
    "text",
    [
        ACCOUNTS, "CREATE TABLE IF NOT EXISTS public.accounts (id SERIAL, PRIMARY KEY (id));\n",
        ACCOUNTS + "INSERT INTO accounts VALUES ('a', 1);\n", ACCOUNTS + "ALTER TABLE accounts RESET ('a');\n",
        "CREATE CATALOG c WITH ('type' = 'paimon');\n" + ACCOUNTS,
    ],
)  # fmt: skip
def test_tables_of_another_database(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "USE CATALOG c;\n" + ACCOUNTS, ACCOUNTS.replace("accounts", "c.d.accounts"),
        ACCOUNTS.replace("VARCHAR(50)", "STRING"), ACCOUNTS.replace("n INT", "n TIMESTAMP_LTZ(3)"),
        ACCOUNTS.replace("n INT", "n AS PROCTIME()"), ACCOUNTS.replace("KEY", "KEY NOT ENFORCED"),
        ACCOUNTS.replace(");", ") WITH ({{ options }});"), ACCOUNTS.replace(");", ") PARTITIONED BY (n);"),
        ACCOUNTS.replace(");", ") LIKE zz;"), ACCOUNTS + "INSERT INTO accounts SELECT * FROM zz;\n",
        ACCOUNTS + "SELECT * FROM accounts;\n", ACCOUNTS + "ALTER TABLE accounts SET ('connector' = 'jdbc');\n",
    ],
)  # fmt: skip
def test_tables_without_options_that_are_of_flink(text: str) -> None:
    assert [name.rpartition(".")[2] for name in names(text)] == ["accounts"]


def test_a_table_of_another_database_does_not_replace_one_of_flink() -> None:
    mine = "CREATE TABLE accounts (id STRING) WITH ('connector' = 'jdbc');\n"
    for text in (mine + ACCOUNTS, ACCOUNTS + mine):
        (document,) = read("job.sql", text + "INSERT INTO accounts SELECT * FROM o;\n")
        assert [one["with.connector"][0] for _, one in parts(document, "table")] == ["jdbc"]


def test_a_base_without_options() -> None:
    (document,) = read("job.sql", "CREATE TABLE base (id INT);\nCREATE TABLE d WITH ('connector' = 'x') LIKE base;\n")
    found = dict(parts(document, "table"))
    assert [*found] == ["base", "d"]
    assert found["d"]["columns[0].name"][0] == "id"
