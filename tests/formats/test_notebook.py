"""Notebooks of Jupyter and Zeppelin."""

from __future__ import annotations

import json

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import assert_edits_hold, edited, entry, parts, read


def cell(*lines: str, kind: str = "code") -> dict[str, object]:
    return {"cell_type": kind, "source": [f"{line}\n" for line in lines], "metadata": {}}


JUPYTER = json.dumps(
    {
        "cells": [
            cell("# flink", kind="markdown"),
            cell("%%flink_sql", "SET 'state.backend.type' = 'rocksdb'; -- é", "CREATE TABLE a (i INT) WITH ("),
            cell("%flink.ssql(type=update)", "SET 'rest.port' = '8081'"),
            cell("%%bash", "flink run x.jar"),
        ]
    },
    indent=1,
    ensure_ascii=False,
)
ZEPPELIN = json.dumps(
    {
        "paragraphs": [
            {"text": "%flink.ssql\nCREATE TABLE a (i INT) WITH ('connector' = 'print')"},
            {"text": "%flink.ssql\nCREATE TABLE b (i INT) WITH ('connector' = 'print');\n"},
            {"title": "none"},
        ]
    }
)
PROGRAM = json.dumps(
    {
        "cells": [
            cell("!pip install apache-flink", "from pyflink.datastream import StreamExecutionEnvironment"),
            cell("env = StreamExecutionEnvironment.get_execution_environment()", "env.enable_checkpointing(1000)"),
        ]
    }
)
SAMPLES = {"a.ipynb": JUPYTER, "a.zpln": ZEPPELIN, "b.ipynb": PROGRAM}


def test_cells_of_sql_are_one_script() -> None:
    (document,) = read("a.ipynb", JUPYTER)
    assert (document.kind, document.profile) == ("sql", "development")
    assert document.settings() == {"state.backend.type": "rocksdb", "rest.port": "8081"}
    found = entry(document, "rest.port")
    assert JUPYTER[slice(*found.value_span)] == "'8081'"


def test_a_statement_ends_with_its_cell() -> None:
    (document,) = read("a.zpln", ZEPPELIN)
    assert [name for name, _ in parts(document, "table")] == ["a", "b"]


def test_cells_of_pyflink_are_one_program() -> None:
    (document,) = read("b.ipynb", PROGRAM)
    assert (document.kind, document.settings()["execution.checkpointing.interval"]) == ("source", "1000 ms")


def test_edits_change_one_setting() -> None:
    (document,) = read("a.ipynb", JUPYTER)
    assert assert_edits_hold(document) >= 2
    after = edited(document, "replace", entry(document, "rest.port"), "90\"1'")
    assert after is not None
    assert after.settings()["rest.port"] == "90\"1'"


def test_notebooks_of_others_are_not_read() -> None:
    assert file_format_of("a.ipynb", JUPYTER.replace("flink", "spark")) is None
    assert file_format_of("a.ipynb", json.dumps({"cells": [cell("# about flink and SET 'a.b' = 'c';")]})) is None
