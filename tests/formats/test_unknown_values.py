"""Which values of a document a template or variable fills in, and what it may insert."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.unknown_values import (
    has_known_value,
    insertions,
    is_known,
    is_no_text,
    unknown_keys,
    unrecognized_objects,
    value_unknown,
)
from flink_flint.linter.model.document import Document
from tests.formats.reading import read


def conf(text: str) -> Document:
    (document,) = read("flink-conf.yaml", text)
    return document


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["a"], "the value of a is no longer known"), (["a", "b"], "the values of a and b are no longer known"),
        (["a", "b", "c"], "the values of a, b and c are no longer known"),
        (["a", "b", "c", "d"], "the values of a, b, c and 1 more are no longer known"),
        (["a", "b", "c", "d", "e"], "the values of a, b, c and 2 more are no longer known"),
    ],
)  # fmt: skip
def test_the_first_few_are_named(keys: list[str], message: str) -> None:
    assert value_unknown(*keys) == message


def test_values_that_are_filled_in_are_unknown() -> None:
    document = conf("rest.port: ${PORT}\nakka.framesize: {{ size }}\nparallelism.default: 4\nown.key: ${X}\n")
    assert [is_known(entry) for entry in document.entries] == [False, False, True, False]
    assert unknown_keys(document) == ["own.key", "pekko.framesize", "rest.port"]
    assert has_known_value(document, "parallelism.default")
    assert not has_known_value(document, "rest.port")
    assert not has_known_value(document, "jobmanager.rpc.port")
    # by any of its names
    assert has_known_value(conf("akka.framesize: 5b\n"), "pekko.framesize")


def test_attributes_without_value_are_unknown() -> None:
    text = "import pyflink\nKafkaSource.builder().set_topics(load()).set_bounded(x).build()\n"
    (document,) = read("job.py", text)
    assert unknown_keys(document) == [".topics"]
    assert has_known_value(document, ".bounded")
    assert not has_known_value(document, ".topics")
    assert not has_known_value(document, ".missing")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a: 1\n", 0), ("a: {{ x }}\n", 0), ("a: 1\n{{ x }}\n", 1), ("{{ x }}: 1\n", 1),
        ("{% if x %}\na: 1\n{% endif %}\n", 0),
        ("{{ x }}\na: 1\n{{ y }}\n", 2), ("a: {{ x }}{{ y }}\nb: 1\n", 0),
    ],
)  # fmt: skip
def test_tags_that_insert_lines_are_counted(text: str, count: int) -> None:
    assert insertions(read("flink-conf.yaml", text)) == count


OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  flink-conf.yaml: |\n    rest.port: 8081\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (OBJECT, 0), (f"{OBJECT}---\n{{{{ more }}}}\n", 1),
        (f"{{{{ more }}}}\n---\n{OBJECT}---\nkind: {{{{ x }}}}\n", 2),
        (f"{OBJECT}---\nkind: Other\n", 0), (OBJECT.replace("name: c", "name: {{ x }}"), 0),
        (f"{OBJECT}---\n{{{{- if x }}}}\n---\n", 0),
    ],
)  # fmt: skip
def test_documents_that_may_become_any_object_are_counted(text: str, count: int) -> None:
    assert unrecognized_objects(read("templates/a.yaml", text)) == count


def test_only_yaml_has_several_documents() -> None:
    assert unrecognized_objects([conf("a: 1\n---\n{{ x }}\n")]) == 1
    (document,) = read("job.sql.j2", "SET 'a' = '1';\nINSERT INTO t SELECT 1;\n---\n{{ x }}\n")
    assert unrecognized_objects([document]) == 0


def test_bytes_that_are_no_text() -> None:
    assert is_no_text(conf("rest.port: 8081\0\n"))
    assert not is_no_text(conf("rest.port: 8081\n"))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("rest.port: {{ port }}\n", 0),
        ("rest.port: {{ port }}\n{{ more }}\n", 1),
        ("{{ more }}\nrest.port: {{ port }}\n", 1),
        ("env.java.opts.all: >-\n  -Da=b\n  {{ more }}\n", 1),
        ("{{ if more }}\nrest.port: 1\n{{ end }}\n", 0),
    ],
)
def test_tags_within_the_line_of_a_value_insert_nothing(text: str, count: int) -> None:
    assert insertions(read("config.yaml", f"parallelism.default: 4\n{text}")) == count
