"""HCL: the values of expressions, the blocks, and where they are."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.syntax.hcl_tree import MAX_CHARACTERS, Block, read_blocks
from flink_flint.linter.formats.syntax.value_tree import LIST, MAPPING, SCALAR, UNKNOWN, Node
from flink_flint.linter.text.spans import Span

DECLARED = """
variable "env" { default = "prod" }
variable "none" { default = null }
variable "open" {}
variable "spaced" { default = "   a" }
variable "lines" { default = "  a\\n  b" }
locals {
  count = 3
  flink = { parallelism = 4, state = { backend = "rocksdb" } }
  names = ["a", "b"]
  again = local.again
}
"""


def plain(node: Node) -> object:
    """Return a value as Python has it: `...` for an unknown one, and at the end of what may have more members."""
    more: list[object] = [...] if node.is_open else []
    if node.kind == MAPPING:
        return {**{key: plain(child) for key, _, child in node.pairs}, **({"...": ...} if node.is_open else {})}
    if node.kind == LIST:
        return [*map(plain, node.items), *more]
    return node.value if node.kind == SCALAR else ...


def value(expression: str) -> Node:
    (*_, block) = read_blocks(f'{DECLARED}\nresource "t" "n" {{\n  a = {expression}\n}}\n')
    return block.attributes["a"][1]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("5", 5), ("5.5", 5.5), ("1.0e3", 1000.0), ("1e3", ...), ("true", True), ("false", False), ("null", None),
        ('"x"', "x"),
        ('""', ""),
        # text
        (r'"a\nb\tc\"d\\e"', 'a\nb\tc"d\\e'), (r'"\u00e9\U0001F600\U00110000"', "é😀\ufffd"), (r'"\q"', ...),
        ('"$${a} %%{b}"', "${a} %{b}"), ('"$$ %%"', "$$ %%"),
        ('"${var.env}-x"', "prod-x"), ('"a${local.count}b${true}"', "a3btrue"), ('"${var.open}-x"', ...),
        ('"${local.names}"', ...),
        ('"${var.none}"', ...), ('"%{ if true }x%{ endif }"', ...), ('"${unknown()}"', ...),
        # arithmetic
        ("1 + 2", 3), ("1 - 2", -1), ("2 * 3", 6), ("7 / 2", 3.5), ("6 / 2", 3), ("1 / 0", ...), ("-5", -5),
        ("- local.count", -3),
        ("!true", ...), ("7 % 2", ...), ("1 == 1", ...), ("true + 1", ...), ('"a" + 1', ...), ("local.count * 2", 6),
        ("2 * local.count", 6), ("local.flink.parallelism * 2", 8), ("(1 + 2) * 2", 6), ("2 * (1 + 2)", 6),
        ("var.open + 1", ...),
        ("local.names + 1", ...), ("1 + 2 + 3", 6), ("1 /* one */ + 2", 3), ("(5)", 5), ('("x")', "x"),
        # references
        ("var.env", "prod"), ("local.count", 3), ("local.flink.state.backend", "rocksdb"), ("local.flink.missing", ...),
        ("local.flink", {"parallelism": 4, "state": {"backend": "rocksdb"}}), ("local.names", ["a", "b"]),
        ("local.names[0]", ...), ('local.flink["parallelism"]', 4), ('local.flink["state"].backend', "rocksdb"),
        ("var.none", ...), ("var.open", ...), ("var.missing", ...), ("local.again", ...), ("data.x.y", ...),
        ("aws_x.y.arn", ...),
        # collections
        ("[1, var.env, open()]", [1, "prod", ...]), ("[]", []), ("{}", {}), ("{ a = 1, b : 2 }", {"a": 1, "b": 2}),
        ('{ "a" = 1, "${var.env}.b" = 2, (local.count) = 3 }', {"a": 1, "prod.b": 2, "3": 3}),
        ("{ (var.open) = 1, b = 2 }", {"b": 2, "...": ...}), ("[for x in y : x]", ...),
        # functions
        ('jsonencode({ a = 1 })', {"a": 1}), ("yamlencode([1])", [1]), ("tomap({ a = 1 })", {"a": 1}),
        ("tolist([1])", [1]),
        ("jsonencode()", ...), ("jsonencode(1, 2)", ...), ("tostring(5)", 5), ("tostring()", ...),
        ('tonumber("5")', "5"),
        ("merge({ a = 1 }, { b = 2 })", {"a": 1, "b": 2}), ("merge({ a = 1 }, { a = 2 })", {"a": 2}), ("merge()", ...),
        ("merge({ a = 1 }, var.open)", {"a": 1, "...": ...}), ("merge({ a = 1 }, [1])", {"a": 1, "...": ...}),
        ("concat([1], [2, 3])", [1, 2, 3]), ("concat([1], var.open)", [1, ...]), ("concat([1], { a = 1 })", [1, ...]),
        ('lookup(local.flink, "parallelism", 1)', 4), ('lookup(local.flink, "slots", 1)', 1),
        ('lookup(local.flink, var.open, 1)', ...), ('lookup(var.open, "slots", 1)', ...), ("lookup(local.flink)", ...),
        ("true ? 1 : 2", 1), ("false ? 1 : local.count", 3), ("var.open ? 1 : 2", ...),
        ("upper(var.env)", ...), ('var.env == "prod" ? 1 : 2', ...),
        # heredocs
        ("<<E\nx y\nE", "x y\n"), ("<<-E\n  x\n  E", "x\n"), ("<<E\n${var.env}\nE", "prod\n"),
        ("<<-E\n  x\n\n    y\n  E", "x\n\n  y\n"), ("<<-E\n    ${var.lines}x\n    y\n  E", "  a\n  bx\ny\n"),
        ("<<-E\n  ${var.spaced}\n    y\n  E", "   a\n  y\n"), ("<<-E\n${var.spaced}\n    y\n  E", "   a\n    y\n"),
        ("<<E\n${var.open}\nE", ...),
        ("<<E\n%{ if true }x%{ endif }\nE", ...), ('<<E\n{"a": [1, "b"]}\nE', {"a": [1, "b"]}),
        ("<<E\n[1, 2]\nE", [1, 2]),
        ('<<E\n{"a": "${var.env}", "b": ${local.count}}\nE', {"a": "prod", "b": 3}),
        ("<<E\n{ not json\nE", {}),
        ('<<E\n{"a": "${var.open}"}\nE', {"a": ...}),
    ],
)  # fmt: skip
def test_values(expression: str, expected: object) -> None:
    made = plain(value(expression))
    assert (made, type(made)) == (expected, type(expected))


def test_a_text_in_a_heredoc_of_json_is_escaped_where_it_is_quoted() -> None:
    declared = 'locals {\n  q = "a \\"b\\""\n  n = 5\n}\n'
    text = f'{declared}resource "t" "n" {{\n  a = <<E\n{{"x": "${{local.q}}", "y": ${{local.n}}}}\nE\n}}\n'
    (_, block) = read_blocks(text)
    assert plain(block.attributes["a"][1]) == {"x": 'a "b"', "y": 5}


@pytest.mark.parametrize(
    ("expression", "is_literal"),
    [("5", True), ('"x"', True), ('"a${var.env}"', False), ("var.env", False), ("1 + 2", False), ("(5)", False),
     ("<<E\nx\nE", False)],
)  # fmt: skip
def test_only_what_is_written_out_is_literal(expression: str, is_literal: bool) -> None:
    node = value(expression)
    assert node.is_literal is is_literal
    assert node.raw == expression


def test_blocks_with_labels_and_places() -> None:
    inside = '  a = 1\n  inner "l" {\n    b = 2\n    deep { c = 3 }\n  }\n  b.c = 4\n  d = \n'
    text = f'terraform {{}}\nresource "aws_x" "é" {{\n{inside}}}\n'
    first, second = read_blocks(text)
    assert first == Block("terraform", (), first.span, {}, ())
    assert (second.kind, second.labels, text[slice(*second.span)]) == (
        "resource",
        ("aws_x", "é"),
        'resource "aws_x" "é"',
    )
    key, node = second.attributes["a"]
    assert (text[slice(*key)], text[slice(*node.span)], node.value) == ("a", "1", 1)
    (inner,) = second.blocks
    assert (inner.kind, inner.labels, inner.blocks[0].attributes["c"][1].value) == ("inner", ("l",), 3)


def test_a_variable_has_its_default_alone() -> None:
    text = 'variable { default = 1 }\nvariable "v" {\n  type = 5\n}\nlocals {}\nresource "t" "n" { a = var.v }\n'
    assert plain(read_blocks(text)[-1].attributes["a"][1]) is ...


def test_what_is_too_long_or_too_deep_is_left_out() -> None:
    assert len(read_blocks("a {}\n" + "#" * (MAX_CHARACTERS - 5))) == 1
    assert read_blocks("a {}\n" + "#" * (MAX_CHARACTERS - 4)) == []
    assert len(read_blocks("# " + "(" * 400 + "\na {}\n")) == 0
    assert len(read_blocks("# " + "(" * 399 + "\na {}\n")) == 1
    assert len(read_blocks("# " + "()" * 900 + "))))" + "(" * 399 + "\na {}\n")) == 1
    assert plain(value("[" * 30 + "1" + "]" * 30)) != ...


def test_a_broken_value_is_unknown_and_the_others_are_read() -> None:
    (block,) = read_blocks('resource "t" "n" {\n  a = 1\n  b = [1, {c = }]\n  d = 2\n}\n')
    assert {key: plain(node) for key, (_, node) in block.attributes.items() if key in "ad"} == {"a": 1, "d": 2}
    assert value("{ a = 1, b = }").kind in (MAPPING, UNKNOWN)


def test_a_character_behind_an_escape_is_where_it_stands() -> None:
    text = 'locals {\n  a = "x\\nyz"\n}\n'
    (block,) = read_blocks(text)
    extract = block.attributes["a"][1].extract
    assert extract is not None
    assert extract.text == "x\nyz"
    assert text[slice(*extract.span(Span(2, 3)))] == "y"
