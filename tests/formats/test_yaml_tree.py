"""YAML trees: the span of each node, the value of each scalar, and what template tags leave unknown."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from flink_flint.linter.formats.flink_files.settings_map import read_mapping
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees


def root(text: str) -> Value:
    trees = read_trees(text)
    assert len(trees) == 1, trees
    found = trees[0].root
    assert found is not None, trees[0].error
    return found


def cut(text: str, value: Value | None) -> str:
    assert value is not None
    return text[slice(*value.span)]


# -- nodes and spans


def test_a_value_is_cut_out_with_its_quotes_in_a_file_with_crlf() -> None:
    text = "spec:\r\n  \"a\": 'it''s'  # why\r\n  b: [1, \"two\"]\r\n"
    tree = root(text)
    assert [(name, text[slice(*span)]) for name, span, _ in tree.get("spec").pairs()] == [("a", '"a"'), ("b", "b")]  # type: ignore[union-attr]
    assert (tree.string("spec", "a"), cut(text, tree.get("spec", "a"))) == ("it's", "'it''s'")
    assert (tree.string("spec", "b", 1), cut(text, tree.get("spec", "b", -1))) == ("two", '"two"')


def test_a_place_behind_characters_beyond_ascii_is_counted_in_characters() -> None:
    text = "größe: {µ: 😀, b: 1 g}\n"
    assert cut(text, root(text).get("größe", "b")) == "1 g"


def test_documents_are_split_at_their_lines_so_that_one_that_is_broken_hides_no_other() -> None:
    trees = read_trees("a: 1\n--- # second\n: ]broken\n\t- {\n---\nb: 2\n")
    assert [tree.root is not None and tree.root.string("b") for tree in trees][-1] == "2"
    assert trees[1].error is not None


def test_a_separator_inside_a_block_scalar_is_still_the_end_of_the_document_as_kubectl_has_it() -> None:
    assert len(read_trees("a: |\n  x\n---\nb: 1\n")) == 2


def test_an_alias_has_the_value_of_its_anchor_and_a_merge_adds_missing_keys() -> None:
    text = "base: &b\n  x: 1\n  y: 2\nown:\n  <<: *b\n  y: 3\n"
    own = root(text).get("own")
    assert own is not None
    assert {name: value.text for name, _, value in own.pairs()} == {"y": "3", "x": "1"}
    assert cut(text, own.get("x")) == "1"


def test_of_several_merges_the_first_counts() -> None:
    text = "a: &a {k: 1}\nb: &b {k: 2, l: 3}\nown:\n  <<: [*a, *b]\n"
    own = root(text).get("own")
    assert own is not None
    assert {name: value.text for name, _, value in own.pairs()} == {"k": "1", "l": "3"}


def test_a_key_that_is_quoted_and_looks_like_a_merge_is_a_key() -> None:
    assert root("a:\n  '<<': x\n").string("a", "<<") == "x"


def test_aliases_that_would_grow_without_bound_are_read_in_no_time() -> None:
    levels = ["a0: &a0 {x: {}}"] + [
        f"a{n}: &a{n} {{l: *a{n - 1}, r: *a{n - 1}, <<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 12)
    ]
    tree = root("\n".join(levels) + "\n")
    assert len(tree.attributes()) <= 5_000
    assert read_mapping(tree).entries == []


def test_scalars_have_the_type_of_yaml_unless_they_are_quoted() -> None:
    tree = root("a: [1, 0x1F, 1.5, true, ~, text, '1', 1e3]\n").get("a")
    assert tree is not None
    assert [item.typed for item in tree.items()] == [1, 31, 1.5, True, None, "text", "1", 1000.0]


def test_attributes_name_list_members_in_brackets_and_leave_variables_unknown() -> None:
    text = "spec:\n  image: ${IMAGE}\n  args: [a, b]\n  env:\n    - name: X\n      value: '1'\n"
    found = root(text).attributes()
    assert {name: attribute.value for name, attribute in found.items()} == {
        "spec.image": None, "spec.args[0]": "a", "spec.args[1]": "b", "spec.env[0].name": "X", "spec.env[0].value": "1",
    }  # fmt: skip
    assert text[slice(*found["spec.env[0].value"].span)] == "'1'"


# -- scalars: text and spans

SCALARS = {
    "plain": "k: one two\n",
    "plain over lines": "k: one\n  two\n\n  three\n",
    "single": "k: 'it''s\n  folded\n\n  here'\n",
    "double": 'k: "a\\tb \\\n   c\\u00e9 \\x41 \\\\ \\"q\\"\n   d"\n',
    "double with a pair of surrogates": 'k: "x \\ud83d\\ude00 y"\n',
    "literal": "k: |\n  a: 1\n    b\n\n  c\n",
    "literal kept": "k: |+\n  a\n\n\nnext: 1\n",
    "literal stripped": "k: |-\n  a\n\n",
    "literal with an indicator": "k:\n  l: |2\n      a\n    b\n",
    "literal with an indicator and a blank first line": "k: |1-\n   \n  a\n b\n",
    "literal without a last line end": "k: |\n  a\n  b",
    "folded": "k: >\n  a\n  b\n\n  c\n    more\n  d\n",
    "folded stripped with an indicator": "k: >-2\n   a\n  b\n  c\n",
    "folded kept": "k: >+\n  a\n\n  b\n\n",
    "crlf literal": "k: |\r\n  a: 1\r\n\r\n  b: 2\r\nn: 1\r\n",
    "crlf folded": "k: >\r\n  a\r\n  b\r\n",
    "a comment behind the head": "k: |- # why\n  a # not a comment\n",
    "tabs in a literal": "k: |\n  \ta\n  b\tc\n",
    "only breaks, kept": "k: |+\n\n\n",
    "only breaks": "k: |\n\n\nn: 1\n",
    "nothing": "k: ''\n",
}


@pytest.mark.parametrize("text", SCALARS.values(), ids=SCALARS)
def test_the_text_of_a_scalar_is_what_the_parser_decoded_and_each_character_has_its_place(text: str) -> None:
    value = next(value for _, _, value in _scalars(root(text)))
    extract = value.extract()
    assert extract.text == value.text
    for place, char in enumerate(extract.text):
        start, end = extract.start(place), extract.end(place + 1)
        written = text[start:end]
        assert written == char or written[0] == "\\" or written in ("''", "\n", "\r\n") or written.isspace(), written


def _scalars(value: Value) -> list[tuple[str, object, Value]]:
    found: list[tuple[str, object, Value]] = []
    for name, span, child in value.pairs():
        found += [(name, span, child)] if child.is_scalar else _scalars(child)
    return found


LINES = st.lists(st.text("ab :#'\"\\-{é\t", max_size=6), max_size=6)


@given(
    lines=LINES, header=st.sampled_from(["|", "|-", "|+", ">", ">-", ">+", "|2", "|1-", ">2+", ">1"]),
    indent=st.integers(0, 4), line_end=st.sampled_from(["\n", "\r\n"]), tail=st.sampled_from(["", "n: 1\n"]),
)  # fmt: skip
@example(lines=["  ", "a"], header="|1-", indent=1, line_end="\n", tail="")
@settings(max_examples=400)
def test_any_block_scalar_is_taken_out_as_the_parser_reads_it(
    lines: list[str], header: str, indent: int, line_end: str, tail: str
) -> None:
    body = "".join(f"{' ' * indent if line else ''}{line}{line_end}" for line in lines)
    text = f"k: {header}{line_end}{body}{tail.replace(chr(10), line_end)}"
    trees = read_trees(text)
    assume(len(trees) == 1 and trees[0].root is not None and trees[0].error is None and trees[0].root.is_mapping)
    value = trees[0].root.get("k")  # type: ignore[union-attr]
    assume(value is not None and value.is_scalar)
    assert value is not None
    extract = value.extract()
    assert extract.text == value.text
    if not extract.text.strip():
        return  # blanks that are content because of an indentation indicator share one span
    for place, char in enumerate(extract.text):  # every character is at its reported position
        written = text[extract.start(place) : extract.end(place + 1)]
        assert written == char or (char in " \n" and written in ("\n", "\r\n")), (place, char, written)


@given(st.text("ab '\"\\\n#:,xu0e9\t", max_size=20), st.sampled_from("'\""))
@settings(max_examples=400)
def test_any_quoted_scalar_is_taken_out_as_the_parser_reads_it(body: str, quote: str) -> None:
    body = body.replace("\n", "\n  ")
    trees = read_trees(f"k: {quote}{body}{quote}\n")
    assume(len(trees) == 1 and trees[0].root is not None and trees[0].error is None and trees[0].root.is_mapping)
    value = trees[0].root.get("k")  # type: ignore[union-attr]
    assume(value is not None and value.is_scalar)
    assert value is not None
    assert value.extract().text == value.text


@given(st.text("k: |>-+{}[]%<&*!'\"\n\r\t #a0\ud800\x00é", max_size=60))
@settings(max_examples=400)
def test_any_text_gives_trees_and_never_an_exception(text: str) -> None:
    for tree in read_trees(text):
        if tree.root is not None:
            tree.root.attributes()
            read_mapping(tree.root)
            for _, _, value in _scalars(tree.root):
                value.extract()


# -- templates


def test_a_tag_makes_a_value_unknown_and_nothing_else() -> None:
    tree = root('a: {{ .Values.a }}\nb: "{{ .Values.b | default "x: y" }}-1"\nc: 3\n')
    assert [tree.string(name) for name in "abc"] == [None, None, "3"]
    assert tree.attributes()["a"].value is None


def test_control_lines_and_comments_and_inserted_blocks_do_not_break_a_file() -> None:
    text = (
        "a:\n  {{- if .Values.x }}\n  b: 1\n{{- else }}\n  c: 2\n  {{- end }}\n{{/* a\n  note: x\n*/}}\n"
        "d: {{- toYaml .Values.d | nindent 2 }}\n{{ include \"e\" . }}\nf: 6\n"
    )  # fmt: skip
    tree = root(text)
    assert (tree.string("a", "b"), tree.string("a", "c"), tree.string("f")) == ("1", "2", "6")


def test_a_key_in_both_branches_is_one_key_of_unknown_value() -> None:
    text = "{{ if .x }}\nk: 1\nsame: 5\n{{ else }}\nk: 2\nsame: 5\n{{ end }}\n"
    tree = root(text)
    assert [(name, value.text) for name, _, value in tree.pairs()] == [("k", None), ("same", "5")]
    assert tree.attributes()["k"].value is None


def test_a_duplicate_key_without_a_tag_between_is_returned_twice() -> None:
    text = "a: {{ x }}\nk: 1\nk: 2\n"
    assert [name for name, _, _ in root(text).pairs()] == ["a", "k", "k"]


def test_a_key_that_a_tag_makes_is_given_as_written_and_is_no_setting() -> None:
    text = "c:\n  {{- range $k, $v := .Values.c }}\n  {{ $k }}: {{ $v }}\n  {{- end }}\n  a.b: 1\n"
    configuration = root(text).get("c")
    assert configuration is not None
    assert [name for name, _, _ in configuration.pairs()] == ["{{ $k }}", "a.b"]
    assert configuration.is_open
    assert [entry.key for entry in read_mapping(configuration).entries] == ["a.b"]


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("a:\n  b: 1\n{{ toYaml .x | indent 2 }}\nc: 2\n", ["a"]),
        ("a:\n  b: 1\n  {{- toYaml .x | nindent 2 }}\nc: 2\n", ["a"]),
        ("a:\n  {{- toYaml .x | nindent 2 }}\nc: 2\n", ["a"]),
        ("a:\n  b:\n    {{- toYaml .x | nindent 4 }}\n  c: 2\n", ["a.b"]),
        ("a:\n  b: 1\n  {{- if .x }}\n  c: 2\n  {{- end }}\n", []),
        ("a:\n- name: x\n{{ toYaml .x | indent 2 }}\nc: 1\n", ["a[0]"]),
    ],
)
def test_where_a_tag_puts_lines_in_is_known_by_their_column(text: str, opened: list[str]) -> None:
    found = root(text).attributes()
    assert [name for name, attribute in found.items() if attribute.value is None] == opened


def test_lines_that_a_tag_puts_into_a_block_scalar_belong_to_its_text() -> None:
    text = "d:\n  f: |\n    a: 1\n    {{- if .x }}\n{{ .x | indent 4 }}\n    {{- end }}\n  g: |\n    b: 2\n"
    tree = root(text)
    first, second = tree.get("d", "f"), tree.get("d", "g")
    assert first is not None
    assert second is not None
    assert first.extract().text == "a: 1\n{{- if .x }}\n{{ .x | indent 4 }}\n"
    assert second.extract().text == "b: 2\n"


def test_a_tag_over_several_lines_ends_no_block_scalar() -> None:
    text = 'd:\n  f: |\n    a: {{ printf\n      "x" }}\n    b: 2\n'
    value = root(text).get("d", "f")
    assert value is not None
    assert value.extract().text == 'a: {{ printf\n  "x" }}\nb: 2\n'


@pytest.mark.parametrize(("header", "text"), [("|", ""), (">", ""), ("|-", ""), ("|+", "\n\n")])
def test_of_a_block_scalar_of_empty_lines_only_those_to_keep_are_text(header: str, text: str) -> None:
    value = root(f"a: {header}\n\n\nb: 1\n").get("a")
    assert value is not None
    assert (value.text, value.extract().text) == (text, text)


def test_an_empty_block_scalar_deep_in_a_file_is_no_fault() -> None:
    text = 'd:\n  e:\n    f: |-\n      {{- include "x" . | nindent 6 }}\ng: 1\n'
    tree = root(text)
    assert tree.string("g") == "1"
    value = tree.get("d", "e", "f")
    assert value is not None
    assert value.text is None
