"""Edits in every file format change only their setting and leave the rest of the file unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.flink.deployment.operator import text_for_flink, type_of
from flink_flint.linter.formats import file_formats
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import Edit, apply_edits
from tests.fix_edits import edits_for
from tests.formats.test_robustness import SAMPLES, sample_carrier
from tests.marks import mostly_slow

VALUES = (
    *("plain", "two words", "10 s", "1 min", "60000", "60000 ms", "4g", "1.5", "s3://bucket/a/b", "http://a:80/?b=c&d"),
    *("", " ", "a ", "it's", '"', "'", '"a"', "'a'", "a # b", "#", "a: b", ":", "a:", "a=b", "=", "$", "$x", "${X}"),
    *("{{ x }}", "é", "\U0001f980", "yes", "no", "on", "null", "~", "1e3", "0x10", "010", "-0", ".5", "1_000", "true"),
    *("False", "- a", "[a]", "{a: 1}", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`", "a\\", "\\n", "a,b;c", "a\tb"),
    *("a\nb", "a\rb", "<a>", "<!--", "*/", "--", "//", ";", "%s", "2024-01-01", "12:30", "END", "EOF", "\x00", "\x85"),
)
KEYS = (
    "rest.port",
    "a.b",
    "taskmanager.numberOfTaskSlots",
    "é",
    "a b",
    "a:",
    "#a",
    "a=b",
    "'a'",
    "",
    "state.backend.x",
)
_NEVER = {"LoggingProperties", "LoggingTree", "BuildFile"}
"""What they declare are loggers, appenders and dependencies, which are no settings."""


@cache
def sample(name: str, line_end: str) -> tuple[bytes, list[Document]]:
    """Return the bytes of a sample with other line endings, and its documents."""
    data = SAMPLES[name].replace("\r\n", "\n").replace("\n", line_end).encode("utf-8", "surrogateescape")
    return data, sample_carrier(name).read(name, data)


EDITABLE = sorted(name for name in SAMPLES if any(document.entries for document in sample(name, "\n")[1]))


def line_ends(text: str) -> set[str]:
    return {end for end in ("\r\n", "\n", "\r") if end in text.replace("\r\n", "" if end != "\r\n" else "\r\n")}


def numbered(actual: dict[str, str]) -> dict[str, str | float]:
    """Return settings with numbers by value: the CPUs of a custom resource are a fraction (``2`` is ``2.0``)."""
    return {key: float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else text for key, text in actual.items()}


def assert_grammar_kept(name: str, before: str, after: str) -> None:
    """Check that the format's own parsers accept what they accepted before."""
    if name.endswith(".json"):
        json.loads(after)
    elif name.endswith((".yaml", ".yml")) and "flink-conf" not in name:
        try:
            list(yaml.compose_all(before))
        except yaml.YAMLError:
            return
        list(yaml.compose_all(after))
    elif name.endswith(".toml"):
        import tomllib

        tomllib.loads(after)
    elif name.endswith(".tf"):
        assert not has_errors(after)
    elif name.endswith(".py"):
        compile(after, name, "exec")


def has_errors(text: str) -> bool:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language())).parse(text.encode()).root_node.has_error


def assert_only_this_changed(
    name: str, data: bytes, documents: Sequence[Document], number: int, edits: list[Edit], expected: dict[str, str]
) -> None:
    document = documents[number]
    text = apply_edits(document.text, edits)
    written = document.file_format.write(text, data)
    assert written.decode("utf-8", "surrogateescape").removeprefix("\ufeff") == text.removeprefix("\ufeff")
    after = document.file_format.read(name, written)
    assert len(after) == len(documents)
    for old, new in zip(documents, after, strict=True):
        assert numbered(new.settings()) == numbered(expected if old.number == number else old.settings())
        assert len(new.refusals) <= len(old.refusals)
        assert len(new.skipped) <= len(old.skipped)
    if not line_ends("".join(expected.values())) and line_ends(document.text):
        assert line_ends(text) <= line_ends(document.text)
    assert_grammar_kept(name, document.text, text)


@pytest.mark.parametrize("name", mostly_slow(EDITABLE, every=3))
@pytest.mark.parametrize(
    "line_end", [pytest.param("\n", id="LF"), pytest.param("\r\n", id="CRLF", marks=pytest.mark.slow)]
)
@settings(max_examples=60)
@given(draw=st.data())
def test_an_edit_changes_one_setting_and_nothing_else(name: str, line_end: str, draw: st.DataObject) -> None:
    data, documents = sample(name, line_end)
    document = draw.draw(st.sampled_from([document for document in documents if document.entries]))
    entry = draw.draw(st.sampled_from(document.entries))
    value = draw.draw(st.sampled_from(VALUES) | st.text(max_size=12))
    key = draw.draw(st.sampled_from(KEYS))
    how = draw.draw(st.sampled_from(["replace", "rename", "add", "remove"]))
    becomes = {"replace": (entry.key, value), "rename": (key, entry.text)}.get(how)
    edits = edits_for(document, how, key if how == "add" else entry, key if how == "rename" else value)
    expected: dict[str, str] = {}
    for one in document.entries:
        if one is not entry or how == "add":
            expected[one.key] = one.text
        elif becomes is not None:
            expected[becomes[0]] = becomes[1]
    if how == "add":
        expected[key] = value
    for one in [key for key in expected if key.endswith(".cpu.amount")]:
        if type_of(expected[one]) == "number":  # the operator writes the number in its own way
            expected[one] = text_for_flink(expected[one]) or expected[one]
    if edits:
        assert_only_this_changed(name, data, documents, document.number, edits, expected)


@pytest.mark.parametrize("kind", sorted({type(one).__name__ for one in file_formats()} - _NEVER))
def test_every_format_replaces_some_value(kind: str) -> None:
    values = ("a-new.value/1", "123", "4g", "true")
    assert any(
        edits_for(document, "replace", entry, value)
        for name in EDITABLE
        for document in sample(name, "\n")[1]
        if type(document.file_format).__name__ == kind
        for entry in document.entries
        for value in values
        if value != entry.text
    )
