"""Queries of Flink SQL: the tables that they read, and what in them keeps state."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.sql.queries import Query, read_query
from flink_flint.linter.formats.sql.query_features import feature_values
from flink_flint.linter.formats.sql.sql_tokens import tokenize


def query(text: str, *window_columns: str) -> Query:
    return read_query(list(tokenize(text)), frozenset(window_columns))


def features(text: str, *window_columns: str) -> list[tuple[str, object, str]]:
    """Return the features of a query, each with the text in its span."""
    found = query(text, *window_columns)
    assert found.parsed
    return [(one.name, one.value, text[slice(*one.span)]) for one in found.features]


TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
RANKED = "SELECT * FROM (SELECT *, {rank}() OVER ({by}ORDER BY ts) AS n FROM t) WHERE {kept}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM t", []), ("SELECT UPPER(a) FROM t", []),
        # groups
        ("SELECT SUM(b) FROM t", [("aggregate", True, "b")]),
        ("SELECT a, SUM(b) FROM t GROUP BY a", [("aggregates", True, "b"), ("group-by", "a", "a")]),
        ("SELECT a, LISTAGG(b) FROM t GROUP BY a", [("aggregates", True, "b"), ("group-by", "a", "a")]),
        ("SELECT b FROM t GROUP BY b, DATE_FORMAT(ts, 'yyyy')",
         [("group-by", "b, ts", "b, DATE_FORMAT(ts"), ("group-period", "ts", "ts")]),
        ("SELECT b FROM t GROUP BY b, DATE_FORMAT(ts, 'HH')", [("group-by", "b, ts", "b, DATE_FORMAT(ts")]),
        ("SELECT a, c FROM t GROUP BY c, a", [("group-by", "a, c", "c, a")]),
        ("SELECT COUNT(*) FROM t GROUP BY 1", []),
        ("SELECT COUNT(DISTINCT b) FROM t GROUP BY a",
         [("aggregates", True, "b"), ("count-distinct", True, "b"), ("group-by", "a", "a")]),
        ("SELECT DISTINCT a, b FROM t", [("distinct", True, "a, b")]), ("SELECT DISTINCT window_start FROM t", []),
        ("SELECT a FROM t GROUP BY a, TUMBLE(ts, INTERVAL '1' MINUTE)",
         [("window", "GROUP", "a, TUMBLE(ts"), ("group-window", "TUMBLE", "a, TUMBLE(ts")]),
        ("SELECT a FROM t GROUP BY a, SESSION(ts, INTERVAL '1' MINUTE)",
         [("window", "GROUP", "a, SESSION(ts"), ("group-window", "SESSION", "a, SESSION(ts")]),
        ("SELECT a FROM t GROUP BY a, FLOOR(b)", [("group-by", "a, b", "a, FLOOR(b")]),
        (f"SELECT SUM(a) FROM {TUMBLE} GROUP BY window_start, window_end",
         [("window", "TUMBLE", "t"), ("window", "GROUP", "window_start, window_end")]),
        (f"SELECT a FROM {TUMBLE}", [("window", "TUMBLE", "t")]),
        (f"SELECT DISTINCT a FROM {TUMBLE}", [("distinct", True, "a"), ("window", "TUMBLE", "t")]),
        # order
        ("SELECT a FROM t ORDER BY a", [("order-by", True, "a")]),
        ("SELECT a FROM t ORDER BY a LIMIT 5", [("order-by", True, "a"), ("limit", True, "a")]),
        ("SELECT a FROM t LIMIT 5", [("limit", True, "a FROM t")]),
        ("SELECT * FROM (SELECT a FROM t ORDER BY a)", []),
        # sets
        ("SELECT a FROM t UNION SELECT b FROM s", [("union", "distinct", "b FROM s")]),
        ("SELECT a FROM t UNION ALL SELECT b FROM s", [("union", "all", "b FROM s")]),
        ("SELECT a FROM t INTERSECT SELECT b FROM s", [("set-operation", "distinct", "b FROM s")]),
        ("SELECT a FROM t EXCEPT ALL SELECT b FROM s", [("set-operation", "all", "b FROM s")]),
        # joins
        ("SELECT 1 FROM t JOIN s ON t.a = s.a", [("regular-join", "s", "s")]),
        ("SELECT 1 FROM t, s x WHERE t.a = x.a", [("regular-join", "x", "s")]),
        ("SELECT 1 FROM t LEFT JOIN s ON t.a = s.a", [("regular-join", "s", "s"), ("outer-join", "LEFT", "s")]),
        ("SELECT 1 FROM t FULL OUTER JOIN s ON t.a = s.a", [("regular-join", "s", "s"), ("outer-join", "FULL", "s")]),
        ("SELECT 1 FROM t JOIN (SELECT a FROM s) x ON t.a = x.a", [("regular-join", "x", "x")]),
        ("SELECT 1 FROM t JOIN s ON t.a = s.a AND t.ts BETWEEN s.ts AND s.ts + INTERVAL '1' HOUR",
         [("interval-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s ON t.a = s.a WHERE t.ts >= s.ts - INTERVAL '1' HOUR", [("interval-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s ON t.a = s.a WHERE t.ts >= t.u - INTERVAL '1' HOUR", [("regular-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s ON t.a = s.a AND t.ts >= s.ts", [("regular-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s ON t.window_start = s.window_start AND t.window_end = s.window_end",
         [("window-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s ON t.window_start = s.a", [("regular-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s USING (window_start, window_end)", [("window-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s USING (a)", [("regular-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s FOR SYSTEM_TIME AS OF t.pt ON t.a = s.a", [("versioned-join", "s", "s")]),
        ("SELECT 1 FROM t JOIN s FOR SYSTEM_TIME AS OF t.pt AS x ON t.a = x.a", [("versioned-join", "s", "s")]),
        ("SELECT 1 FROM t, LATERAL TABLE(split(t.a)) AS x(b)", []),
        ("SELECT 1 FROM t CROSS JOIN UNNEST(t.a) AS x(b)", []),
        # subqueries
        ("SELECT 1 FROM t WHERE a IN (SELECT b FROM s)", [("regular-join", "in", "b FROM s")]),
        ("SELECT 1 FROM t WHERE a NOT IN (SELECT b FROM s)", [("regular-join", "in", "b FROM s"),
        ("outer-join", "ANTI", "b FROM s")]),
        ("SELECT 1 FROM t WHERE EXISTS (SELECT b FROM s)", [("regular-join", "exists", "b FROM s")]),
        ("SELECT 1 FROM t WHERE NOT EXISTS (SELECT b FROM s)",
         [("regular-join", "exists", "b FROM s"), ("outer-join", "ANTI", "b FROM s")]),
        ("SELECT 1 FROM t WHERE a IN (1, 2)", []), ("SELECT 1 FROM t WHERE a IN (SELECT 1)", []),
        # ranks and windows of rows
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n = 1"), [("deduplicate", "a", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n < 2"), [("deduplicate", "a", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n <= 3"), [("top-n", 3, "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n < 3"), [("top-n", 2, "a ORDER BY ts")]),
        (RANKED.format(rank="RANK", by="PARTITION BY a ", kept="n = 1"), [("top-n", 1, "a ORDER BY ts")]),
        (RANKED.format(rank="DENSE_RANK", by="PARTITION BY a ", kept="n <= 3"), [("top-n", 3, "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="", kept="n <= 3"), [("top-n-of-all", 3, "ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n > 3"),
         [("over", "unbounded", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n = b"),
         [("over", "unbounded", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="b = 1"),
         [("over", "unbounded", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY a ", kept="n = '1'"),
         [("over", "unbounded", "a ORDER BY ts")]),
        (RANKED.format(rank="ROW_NUMBER", by="PARTITION BY window_start ", kept="n = 1"),
         [("window", "RANK", "window_start ORDER BY ts")]),
        ("SELECT ROW_NUMBER() OVER (ORDER BY ts) FROM t", [("over", "unbounded", "ts")]),
        ("SELECT SUM(a) OVER (PARTITION BY b ORDER BY ts) FROM t",
         [("over", "unbounded", "a) OVER (PARTITION BY b ORDER BY ts")]),
        ("SELECT SUM(a) OVER (ORDER BY ts ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM t",
         [("over", "bounded", "a) OVER (ORDER BY ts")]),
        ("SELECT SUM(a) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t",
         [("over", "unbounded", "a) OVER (ORDER BY ts")]),
        # functions whose results change
        ("SELECT NOW() FROM t", [("non-deterministic", "NOW", "NOW")]),
        ("SELECT CURRENT_TIMESTAMP FROM t", [("non-deterministic", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP")]),
        ("SELECT UUID FROM t", []), ("SELECT t.NOW() FROM t", []),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts PATTERN (A B) DEFINE A AS b > 3) AS x",
         [("match-recognize", True, "MATCH_RECOGNIZE")]),
    ],
)  # fmt: skip
def test_what_a_query_does(text: str, expected: list[tuple[str, object, str]]) -> None:
    assert features(text) == expected


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("SELECT a FROM t", [("t", "scan", "")]), ("SELECT a FROM c.d.`t x`", [("c.d.t x", "scan", "")]),
        ("SELECT a FROM t, s JOIN u ON TRUE", [("t", "scan", ""), ("s", "scan", ""), ("u", "scan", "")]),
        ("WITH v AS (SELECT a FROM t) SELECT a FROM v", [("t", "scan", "")]),
        ("WITH v AS (SELECT a FROM t) SELECT a FROM d.v", [("t", "scan", ""), ("d.v", "scan", "")]),
        ("SELECT a FROM (SELECT a FROM t) x", [("t", "scan", "")]), ("SELECT a FROM {{ t }}, s", [("s", "scan", "")]),
        ("SELECT 1 FROM t JOIN d.s FOR SYSTEM_TIME AS OF t.pt ON TRUE", [("t", "scan", ""), ("d.s", "version", "pt")]),
        ("SELECT 1 FROM t JOIN s FOR SYSTEM_TIME AS OF PROCTIME() x ON TRUE", [("t", "scan", ""),
        ("s", "version", "PROCTIME")]),
        ("SELECT 1 FROM t JOIN s /*+ OPTIONS('a'='b') */ FOR SYSTEM_TIME AS OF t.pt x ON TRUE",
         [("t", "scan", ""), ("s", "version", "pt")]),
        ("SELECT 1 FROM s FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00' WHERE a > 1",
         [("s", "version", "TIMESTAMP")]),
        ("SELECT 1 FROM s FOR SYSTEM_TIME AS OF (a + b) WHERE a > 1", [("s", "version", "")]),
        (f"SELECT 1 FROM {TUMBLE}", [("t", "scan", "")]), ("SELECT 1 FROM TABLE(f(a)) AS x", []),
        ("SELECT 1 FROM TABLE(HOP(DATA => TABLE d.t, TIMECOL => DESCRIPTOR(ts))) x", [("d.t", "scan", "")]),
        # queries that cannot be parsed
        ("SELECT SELECT FROM t JOIN d.s ON", [("t", "scan", ""), ("d.s", "scan", "")]),
        ("SELECT SELECT FROM f(a), JOIN LATERAL TABLE(g(a))", []),
    ],
)  # fmt: skip
def test_the_tables_of_a_query(text: str, sources: list[tuple[str, str, str]]) -> None:
    found = query(text).sources
    assert [(one.name, one.role, one.time) for one in found] == sources
    for one in found:
        assert text[slice(*one.span)].replace("`", "") == one.name


@pytest.mark.parametrize(
    "text",
    [
        "SELECT CAST(a AS ROW<b INT, c STRING>) FROM t", "SELECT TRY_CAST(a AS MAP<STRING, INT>) FROM t",
        "SELECT X'1F' FROM t",
        "SELECT JSON_OBJECT('a' VALUE b ABSENT ON NULL) FROM t",
        "SELECT JSON_VALUE(a, '$.b' RETURNING INT NULL ON EMPTY) FROM t",
        "SELECT a /*+ OPTIONS('b'='c') */ FROM t", "SELECT (CAST((a) AS DECIMAL(10, 2))) FROM t",
    ],
)  # fmt: skip
def test_syntax_of_flinks_own_is_read(text: str) -> None:
    assert features(text) == []
    assert [one.name for one in query(text).sources] == ["t"]


def test_hints() -> None:
    text = "SELECT /*+ STATE_TTL('o'='1d'), BROADCAST(s, u) */ a FROM t /*+ OPTIONS('scan.mode'='latest') */, s"
    found = query(text).hints
    assert [(one.name, one.table, [option.key for option in one.options], one.arguments) for one in found] == [
        ("STATE_TTL", "SELECT", ["o"], []), ("BROADCAST", "SELECT", [], ["s", "u"]),
        ("OPTIONS", "t", ["scan.mode"], []),
    ]  # fmt: skip
    assert query("SELECT /*+ NO_BRACKETS */ a FROM t").hints == []


def test_names_of_window_bounds() -> None:
    named = "SELECT window_start AS ws, TUMBLE_END(ts, INTERVAL '1' MINUTE) AS we, a AS b FROM t"
    assert {"window_start", "ws", "we"} <= query(named).window_columns
    assert "b" not in query(named).window_columns
    assert features("SELECT a FROM t GROUP BY ws", "ws") == [("window", "GROUP", "ws")]
    assert features("SELECT a FROM t GROUP BY ws") == [("group-by", "ws", "ws")]


def test_nothing_and_too_much() -> None:
    assert query("") == Query((), (), (), parsed=True)
    deep = "SELECT " + "(" * 101 + "a" + ")" * 101 + " FROM t"
    assert not query(deep).parsed
    assert [one.name for one in query(deep).sources] == ["t"]


def test_the_first_feature_of_a_name_counts() -> None:
    found = feature_values(query("SELECT 1 FROM t JOIN s ON TRUE JOIN u ON TRUE").features)
    assert {name: one.value for name, one in found.items()} == {"regular-join": "s"}


KEPT = [
    # in the input, the keys or the arguments
    ("SELECT k, COUNT(*) FROM (SELECT k, NOW() AS t FROM c) GROUP BY k", ["NOW"]),
    ("SELECT k, MAX(v + RAND()) FROM c GROUP BY k", ["RAND"]),
    ("SELECT COUNT(*) FROM c GROUP BY k, CURRENT_DATE", ["CURRENT_DATE"]),
    ("SELECT k, COUNT(*) FROM c WHERE d = CURRENT_DATE GROUP BY k", ["CURRENT_DATE"]),
    ("SELECT DISTINCT k, UUID() FROM c", ["UUID"]),
    ("SELECT a.k FROM c a JOIN d ON a.k = d.k AND d.t < NOW()", ["NOW"]),
    ("SELECT k FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY RAND()) AS n FROM c) WHERE n = 1", ["RAND"]),
    ("SELECT x.k FROM (SELECT k, NOW() AS t FROM c) x JOIN d ON x.k = d.k", ["NOW"]),
    ("WITH a AS (SELECT k, NOW() AS t FROM c), b AS (SELECT t, COUNT(*) FROM a GROUP BY t) SELECT * FROM b", ["NOW"]),
    ("SELECT k, COUNT(*) FROM (SELECT k, NOW() FROM c UNION ALL SELECT k, t FROM e) GROUP BY k", ["NOW"]),
    ("SELECT d.n, COUNT(*) FROM c JOIN d FOR SYSTEM_TIME AS OF c.pt ON c.k = d.k GROUP BY d.n", ["d"]),
    ("SELECT * FROM c JOIN d FOR SYSTEM_TIME AS OF c.pt ON c.k = d.k JOIN e ON d.n = e.n", ["d"]),
    # behind the operator, or beside it
    ("SELECT k, COUNT(*), NOW() FROM c GROUP BY k", []),
    ("SELECT k, COUNT(*) AS n FROM c GROUP BY k HAVING NOW() > t", []),
    ("SELECT a.k, NOW() FROM c a JOIN d ON a.k = d.k", []),
    ("SELECT k, n, NOW() FROM (SELECT k, COUNT(*) AS n FROM c GROUP BY k)", []),
    ("WITH a AS (SELECT k, COUNT(*) AS n FROM c GROUP BY k) SELECT k, n, NOW() FROM a", []),
    ("SELECT k, NOW() FROM c UNION ALL SELECT k, MAX(t) FROM e GROUP BY k", []),
    ("SELECT k, COUNT(*) FROM (SELECT k, PROCTIME() AS t FROM c) GROUP BY k", []),
    ("SELECT k, NOW() FROM c", []),
    ("SELECT * FROM (SELECT k, COUNT(*) FROM c GROUP BY k) a JOIN d FOR SYSTEM_TIME AS OF a.pt ON a.k = d.k", []),
    ("SELECT * FROM c JOIN e ON c.n = e.n JOIN d FOR SYSTEM_TIME AS OF c.pt ON c.k = d.k", []),
]


@pytest.mark.parametrize(("text", "expected"), KEPT)
def test_values_that_operators_keep(text: str, expected: list[str]) -> None:
    query = read_query([*tokenize(text)])
    assert query.parsed
    kept = [one.span for one in query.features if one.name in ("kept-function", "kept-version")]
    assert [text[span.start : span.end] for span in kept] == expected
