"""Whatever is edited in a SQL script, what is read and judged anew is what reading and judging all of it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.running import Options, ask
from flink_flint.linter.formats import sql
from flink_flint.linter.lsp import open_document as analysis
from flink_flint.linter.lsp import rejudging
from flink_flint.linter.lsp.open_document import Analysis
from flink_flint.linter.lsp.scripts import ScriptReading
from flink_flint.linter.lsp.text_buffer import Buffer
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Rule
from flink_flint.linter.model.view import View
from tests.lsp.test_rejudging import as_a_whole, told

SCRIPT = """\
-- What the shop takes in; prices are in euros
SET 'table.exec.state.ttl' = '1 d';
SET parallelism.default = 2;
CREATE TABLE orders (
  id BIGINT, customer BIGINT, price DECIMAL(10, 2), at_ TIMESTAMP(3), proc AS PROCTIME(),
  WATERMARK FOR at_ AS at_ - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'json',
  'properties.sasl.jaas.config' = 'geheim-und-lang', 'scan.startup.mode' = 'group-offsets'
);
CREATE TABLE again WITH ('topic' = 'again') LIKE orders;
ALTER TABLE again SET ('properties.group.id' = 'shop');
CREATE TABLE customers (id BIGINT, name STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 'c');
CREATE TABLE takings (minute TIMESTAMP(3), revenue DECIMAL(10, 2), PRIMARY KEY (minute) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'takings', 'properties.bootstrap.servers' = 'kafka:9092'
);
CREATE VIEW minutes AS
SELECT window_start AS minute, price FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at_), INTERVAL '1' MINUTE));
/* one
   job of two */
EXECUTE STATEMENT SET BEGIN
INSERT INTO takings SELECT minute, SUM(price) FROM minutes GROUP BY minute;
INSERT INTO takings /*+ OPTIONS('sink.parallelism' = '2') */
SELECT at_, COUNT(DISTINCT customer) FROM orders GROUP BY at_;
END;
SET 'table.exec.state.ttl' = '0';
RESET 'parallelism.default';
INSERT INTO takings SELECT o.at_, c.id FROM orders /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */ AS o
JOIN customers FOR SYSTEM_TIME AS OF o.proc AS c ON c.id = o.customer LEFT JOIN again AS a ON a.id = o.id;
CREATE TABLE lost (x INT) WITH ('connector' = 'print') AS SELECT id FROM again ORDER BY id LIMIT 3;
INSERT INTO takings VALUES (NOW(), 3);
SET 'restart-strategy.type' = 'none';
"""
PIECES = (
    "'", ";", "`", '"', "/*", "*/", "/*+ ", "--", "\n", "\r", "(", ")", "BEGIN STATEMENT SET;\n", "END;\n", "${x}",
    "{{", "{% if a %}", "SET 'table.exec.state.ttl' = '2 h';\n", "SET 'parallelism.default' = '9';\n", "RESET;\n",
    "INSERT INTO takings SELECT * FROM orders;\n", "CREATE TABLE orders (id INT) WITH ('connector' = 'datagen');\n",
    "CREATE VIEW orders AS SELECT 1;\n", "EXECUTE STATEMENT SET BEGIN ", "\U0001f600", "x", "-- flint: ignore[FLK9]\n",
    "ALTER TABLE orders RESET ('topic');\n", "DISTINCT ", "}}", "\ufeff", "proc", ",", ":x", " ", "''",
)  # fmt: skip

edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.one_of(st.just(0), st.integers(0, 200)),
        st.one_of(st.sampled_from(PIECES), st.text(alphabet="ab'; \n-5", max_size=4), st.just("")),
    ),
    min_size=1,
    max_size=8,
)


@pytest.fixture(autouse=True)
def every_document_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MANY_ELEMENTS", 1)


slow = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def elements(found: Sequence[Element]) -> Iterator[tuple[Any, ...]]:
    for one in found:
        yield one.kind, one.name, one.span, list(one.attributes.items())


def held(document: Document) -> list[Any]:
    """All that is read of a script."""
    entries = [
        (one.key, one.value, one.text, one.raw, one.style, one.key_span, one.value_span, one.overridden)
        for one in document.entries
    ]
    return [entries, list(elements(document.elements)), document.warnings, document.span]


def whole(text: str) -> Document:
    return sql.CARRIER.read("/nowhere/job.sql", text.encode())[0]


def made(buffer: Buffer, place: float, length: int, new: str) -> tuple[int, int, str]:
    start = int(place * len(buffer.text))
    return start, min(start + length, len(buffer.text)), new


@slow
@given(changes=edits)
@example(changes=[(0.4, 0, "'"), (0.6, 0, "/*"), (0.4, 1, "")])
def test_what_a_script_holds(changes: list[tuple[float, int, str]]) -> None:
    buffer = Buffer(SCRIPT)
    reading = ScriptReading(whole(SCRIPT), buffer)
    assert held(reading.document) == held(whole(SCRIPT))
    for change in changes:
        old, edit = buffer.text, made(buffer, *change)
        if reading.reread(old, buffer, buffer.replace(*edit)) is None:
            assert buffer.text.startswith("\ufeff")
            return
        assert held(reading.document) == held(whole(buffer.text))


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("SET a = ${x;\nSET b = 1;\nSET c = 2", "}"),
        ("SET a = {{ x;\nSET b = 1;\nSET c = 2", "}}"),
        ("SET a = {% x;\nSET b = 1;\nSET c = 2", "%}"),
        ('SET a = "x; SET b = 1; ' + "SET c = 2; " * 100, '"'),
        ("SET a = 'x;\nSET b = 1;\nSET c = 2", "'; SET d = 3"),
    ],
    ids=["variable", "expression", "tag", "name", "string"],
)
def test_what_ends_below_the_statement_it_begins_in(text: str, typed: str) -> None:
    buffer = Buffer(text)
    reading = ScriptReading(whole(text), buffer)
    reading.reread(text, buffer, buffer.replace(len(text), len(text), typed))
    assert held(reading.document) == held(whole(text + typed))
    assert reading.document.settings() != whole(text).settings()


def test_settings_that_change_places() -> None:
    old, new = "SET a = 1;\nSET a = 2;\n", "SET a = 2;\nSET a = 1;\n"
    buffer = Buffer(old)
    reading = ScriptReading(whole(old), buffer)
    reread = reading.reread(old, buffer, buffer.replace(0, len(old), new))
    assert reread is not None
    assert reread.changed == {"a"}
    assert held(reread.document) == held(whole(new))


@slow
@given(changes=edits, version=st.sampled_from(("1.18", "1.20", None)))
def test_what_is_said_of_a_script(changes: list[tuple[float, int, str]], version: str | None) -> None:
    path, options = "/nowhere/job.sql", Options(flink_version=version)
    typed = Analysis(path, Buffer(SCRIPT))
    assert told(typed.look(options)) == told(as_a_whole(path, SCRIPT, options))
    for change in changes:
        typed.edit(*made(typed.buffer, *change))
        said = typed.look(options)
        assert said.is_exact
        wanted = as_a_whole(path, typed.buffer.text, options)
        assert told(said) == told(wanted)
        assert [held(one) for one in said.documents] == [held(one) for one in wanted.documents]


def test_a_keystroke_reads_one_query_and_asks_few_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    from flink_flint.linter.formats.sql import queries

    read: list[str] = []
    asked: list[str] = []

    def parse(text: str, of: Callable[[str], Any] = queries._parse) -> Any:
        read.append(text)
        return of(text)

    def noted(rule: Rule, view: View, key: str | None) -> list[Finding]:
        asked.append(rule.code)
        return ask(rule, view, key)

    monkeypatch.setattr(queries, "_parse", parse)
    monkeypatch.setattr(rejudging, "ask", noted)
    typed = Analysis("/nowhere/job.sql", Buffer(SCRIPT))
    typed.look(Options(flink_version="1.20"))
    assert typed.prepare(inf)
    before = set(asked)
    read.clear()
    asked.clear()
    place = SCRIPT.index(" LEFT JOIN again")
    for at, char in enumerate(" AND o.price > 3"):
        typed.edit(place + at, place + at, char)
    typed.look(Options(flink_version="1.20"))
    assert typed.is_read_in_parts
    assert {text[:20] for text in read} == {"SELECT o.at_, c.id F"}
    assert set(asked) < before
