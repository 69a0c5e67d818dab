"""SQL scripts as they run: which settings, tables and views count for which job."""

from __future__ import annotations

import pytest

from tests.formats.reading import parts, read

T = "CREATE TABLE t (a INT, ts TIMESTAMP(3), p AS PROCTIME()) WITH ('connector' = 'kafka', 'x' = '1');\n"
S = "CREATE TABLE s (a INT) WITH ('connector' = 'jdbc', 'y' = '2');\n"
RUN = "INSERT INTO s SELECT a FROM t;\n"


def script(text: str) -> tuple[dict[str, str], list[dict[str, object]], dict[str, dict[str, object]]]:
    """Return the settings of a script, its jobs, and its tables, the latter as the values of their attributes."""
    (document,) = read("job.sql", f"-- Flink SQL\n{text}")
    jobs = [{"verb": name, **{key: one[0] for key, one in made.items()}} for name, made in parts(document, "query")]
    tables = {name: {key: one[0] for key, one in made.items()} for name, made in parts(document, "table")}
    return document.settings(), jobs, tables


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (f"SET 'a.b' = '1';\n{RUN}", {"a.b": "1"}), (f"SET a.b = 1;\n{RUN}", {"a.b": "1"}), (f"SET a.b=;\n{RUN}", {}),
        (f"SET 'a.b';\n{RUN}", {}), (f"SET;\n{RUN}", {}), (f"SET = 1;\n{RUN}", {}),
        (f"SET 'a.b' = it is;\n{RUN}", {"a.b": "it is"}),
        (f"SET a b = 1;\n{RUN}", {}), (f"SET 'a' 'b' = 1;\n{RUN}", {}), (f"SET a:b = 1;\n{RUN}", {}),
        (f"SET '${{a.b}}' = '1';\n{RUN}", {}), (f"SET 'a.b' = :value;\n{RUN}", {}),
        (f"SET 'a.b' = '1';\nSET 'a.b' = '2';\n{RUN}", {"a.b": "2"}),
        (f"SET 'a.b' = '1';\nRESET 'a.b';\n{RUN}", {}), (f"SET 'a.b' = '1';\nRESET a.b;\n{RUN}", {}),
        (f"SET 'a.b' = '1';\nRESET;\n{RUN}", {}), (f"SET 'a.b' = '1';\nRESET 'c.d';\n{RUN}", {"a.b": "1"}),
        (f"SET 'a.b' = '1';\nSET 'c.d' = '2';\nRESET 'c.d';\n{RUN}", {"a.b": "1"}),
        # the last job's
        (f"SET 'a.b' = '1';\n{RUN}SET 'a.b' = '2';\n{RUN}", {"a.b": "2"}),
        (f"SET 'a.b' = '1';\n{RUN}RESET 'a.b';\n{RUN}", {}),
        (f"{RUN}SET 'a.b' = '1';\n", {"a.b": "1"}), (f"SET 'a.b' = '1';\n{RUN}SET 'a.b' = '2';\n", {"a.b": "1"}),
        (f"SET 'a.b' = '1';\n{RUN}RESET 'a.b';\n", {"a.b": "1"}),
        ("SET 'a.b' = '1';\nSET 'a.b' = '2';\nCREATE DATABASE d;\n", {"a.b": "2"}),
    ],
)  # fmt: skip
def test_the_settings_of_the_last_job(text: str, settings: dict[str, str]) -> None:
    assert script(T + S + text)[0] == settings


def test_a_job_with_other_settings_than_the_last_knows_its_own() -> None:
    _, jobs, _ = script(f"SET 'a.b' = '1';\n{RUN}SET 'a.b' = '2';\nSET 'c.d' = '3';\n{RUN}")
    assert [{key: value for key, value in one.items() if key.startswith("set")} for one in jobs] == [
        {"settings.a.b": "1", "settings.c.d": None}, {},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "options"),
    [
        ("ALTER TABLE t SET ('x' = '2');", {"connector": "kafka", "x": "2"}),
        ("ALTER TABLE t SET ('z' = '2');", {"connector": "kafka", "x": "1", "z": "2"}),
        ("ALTER TABLE IF EXISTS t SET ('x' = '2');", {"connector": "kafka", "x": "2"}),
        ("ALTER TABLE t RESET ('x');", {"connector": "kafka"}),
        ("ALTER TABLE t RESET (x);", {"connector": "kafka", "x": "1"}),
        ("ALTER TABLE t ADD (b INT);", {"connector": "kafka", "x": "1"}),
        ("ALTER TABLE t SET;", {"connector": "kafka", "x": "1"}),
        ("ALTER TABLE o SET ('x' = '2');", {"connector": "kafka", "x": "1"}),
        ("ALTER TABLE;", {"connector": "kafka", "x": "1"}),
        ("ALTER VIEW t SET ('x' = '2');", {"connector": "kafka", "x": "1"}),
    ],
)  # fmt: skip
def test_the_options_of_an_altered_table(statement: str, options: dict[str, str]) -> None:
    tables = script(f"{T}{S}{statement}\n{RUN}")[2]
    found = {key.removeprefix("with."): value for key, value in tables["t"].items() if key.startswith("with.")}
    assert found == options


@pytest.mark.parametrize(
    ("statement", "options", "columns"),
    [
        ("CREATE TABLE u LIKE t;", {"connector": "kafka", "x": "1"}, ["a", "ts", "p"]),
        ("CREATE TABLE u (b INT) WITH ('x' = '2') LIKE t;", {"connector": "kafka", "x": "2"}, ["a", "ts", "p", "b"]),
        ("CREATE TABLE u (b INT) WITH ('x' = '2') LIKE t (EXCLUDING ALL);", {"x": "2"}, ["b"]),
        ("CREATE TABLE u (b INT) WITH ('x' = '2') LIKE missing;", {"x": "2"}, ["b"]),
    ],
)
def test_what_a_table_inherits(statement: str, options: dict[str, str], columns: list[str]) -> None:
    table = script(f"{T}{statement}\n")[2]["u"]
    assert {key.removeprefix("with."): value for key, value in table.items() if key.startswith("with.")} == options
    assert [value for key, value in table.items() if key.endswith("].name")] == columns


@pytest.mark.parametrize(
    ("statement", "verb", "target", "sources"),
    [
        ("SELECT a FROM t;", "SELECT", None, ["t"]),
        ("WITH w AS (SELECT a FROM t) SELECT a FROM w;", "SELECT", None, ["t"]),
        ("(SELECT a FROM t);", "SELECT", None, ["t"]), ("EXECUTE SELECT a FROM t;", "SELECT", None, ["t"]),
        ("INSERT INTO s SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("EXECUTE INSERT INTO s SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO TABLE s SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT OVERWRITE s SELECT a FROM t;", "INSERT OVERWRITE", "s", ["t"]),
        ("INSERT INTO s (a) SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s (SELECT a FROM t);", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s ((SELECT a FROM t));", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s PARTITION (a = 1) SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s PARTITION (a = 1) (a) SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s /*+ OPTIONS('y' = '3') */ SELECT a FROM t;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s SELECT a FROM t ON CONFLICT DO NOTHING;", "INSERT INTO", "s", ["t"]),
        ("INSERT INTO s VALUES (1);", "INSERT INTO", "s", []),
        ("CREATE TABLE u WITH ('connector' = 'x') AS SELECT a FROM t;",
         "CREATE TABLE AS", "u", ["t"]),
    ],
)  # fmt: skip
def test_jobs(statement: str, verb: str, target: str | None, sources: list[str]) -> None:
    _, (job,), _ = script(f"{T}{S}{statement}\n")
    found = [value for key, value in job.items() if key.startswith("sources[") and key.endswith(".name")]
    assert (job["verb"], job.get("targets[0].name"), found, job["parsed"]) == (verb, target, sources, True)
    assert ("values" in job) == ("VALUES" in statement)


@pytest.mark.parametrize(
    "statement", ["INSERT;", "INSERT INTO;", "SHOW TABLES;", "EXECUTE;", "DROP TABLE t;", "ADD JAR 'x';"]
)
def test_statements_that_run_no_job(statement: str) -> None:
    assert script(f"{T}{statement}\n")[1] == []


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("INSERT INTO s SELECT a FROM t\nINSERT INTO s SELECT a FROM t;\n", []),
        ("INSERT INTO s SELECT a FROM (\nINSERT INTO s SELECT a FROM t\n);\n", ["INSERT INTO"]),
    ],
)
def test_a_line_in_parentheses_begins_no_other_statement(text: str, verbs: list[str]) -> None:
    assert [one["verb"] for one in script(T + S + text)[1]] == verbs


def test_jobs_of_a_statement_set_are_one() -> None:
    text = f"{T}{S}{RUN}EXECUTE STATEMENT SET BEGIN\n{RUN}{RUN}END;\n{RUN}"
    assert [(one["job"], one["statement-set"]) for one in script(text)[1]] == [
        (0, False),
        (1, True),
        (1, True),
        (3, False),
    ]


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("CREATE VIEW v AS SELECT a FROM t;\nINSERT INTO s SELECT a FROM v;", ["t"]),
        ("CREATE VIEW v AS SELECT a FROM t;\nCREATE VIEW w AS SELECT a FROM v;\nINSERT INTO s SELECT a FROM w;", ["t"]),
        ("CREATE VIEW v AS SELECT a FROM t;\nINSERT INTO s SELECT a FROM v, u;", ["u", "t"]),
        ("CREATE VIEW v AS SELECT a FROM v;\nINSERT INTO s SELECT a FROM v;", []),
        # The newest counts.
        (("CREATE VIEW v AS SELECT a FROM t;\nCREATE TABLE v (a INT) WITH ('connector' = 'x');\n"
         "INSERT INTO s SELECT a FROM v;"), ["v"]),
        ("INSERT INTO s SELECT a FROM v;\nCREATE VIEW v AS SELECT a FROM t;", ["v"]),
    ],
)  # fmt: skip
def test_views_are_expanded(text: str, sources: list[str]) -> None:
    job = script(f"{T}{S}{text}\n")[1][-1]
    assert [value for key, value in job.items() if key.startswith("sources[") and key.endswith(".name")] == sources


def test_a_window_column_is_known_through_views() -> None:
    window = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
    view = f"CREATE VIEW v AS SELECT window_start AS ws, a FROM {window};\n"
    (job,) = script(f"{T}{S}{view}INSERT INTO s SELECT SUM(a) FROM v GROUP BY ws;\n")[1]
    assert (job.get("window"), job.get("group-by")) == ("GROUP", None)
    (job,) = script(f"{T}{S}{view}INSERT INTO s SELECT SUM(a) FROM v GROUP BY a;\n")[1]
    assert (job.get("window"), job.get("group-by")) == ("TUMBLE", "a")


@pytest.mark.parametrize(
    ("table", "time", "role"),
    [
        ("('connector' = 'jdbc')", "t.p", "lookup"), ("('connector' = 'kafka')", "t.p", "lookup"),
        ("('connector' = 'kafka')", "PROCTIME()", "lookup"), ("('connector' = 'kafka')", "t.ts", "temporal"),
        ("('connector' = 'kafka')", "t.unknown", "temporal"), ("('connector' = 'jdbc')", "t.unknown", "lookup"),
        ("('connector' = 'jdbc')", "t.ts", "temporal"),
    ],
)  # fmt: skip
def test_the_role_of_a_versioned_table(table: str, time: str, role: str) -> None:
    text = f"{T}{S}CREATE TABLE d (a INT) WITH {table};\n"
    (job,) = script(f"{text}INSERT INTO s SELECT t.a FROM t JOIN d FOR SYSTEM_TIME AS OF {time} ON t.a = d.a;\n")[1]
    assert (job["sources[1].name"], job["sources[1].role"]) == ("d", role)


def test_a_query_that_cannot_be_parsed_is_reported() -> None:
    (document,) = read("job.sql", f"{T}{S}\nINSERT INTO s SELECT SELECT;\n")
    assert document.warnings == ["the INSERT INTO in line 4 cannot be parsed, so its query is not checked"]
