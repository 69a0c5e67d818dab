"""The two configuration files: what was measured of Flink, and the laws of places and recovery."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flink_flint.linter.flink import config_yaml, file_loading
from flink_flint.linter.flink.file_loading import (
    CONFIG_YAML,
    FLINK_CONF,
    decode,
    encode,
    encoding_of,
    is_templated,
    pick,
)
from flink_flint.linter.flink.file_loading import read_config_yaml as read_yaml
from flink_flint.linter.flink.file_loading import read_flink_conf as read_conf
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.values import text_of
from flink_flint.linter.flink.yaml.yaml_constructor import load
from flink_flint.linter.flink.yaml.yaml_parser import NON_PRINTABLE
from flink_flint.linter.text.spans import Span

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import conformance

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "parse"


def measured(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]


def named(row: dict[str, Any]) -> str:
    return f"{row['category']}-{row['releases'][0]}"


def index(minor: str) -> int:
    return MINORS.index(minor)


# Measured


@pytest.mark.parametrize("row", measured("flink_conf.jsonl") + measured("config_yaml.jsonl"), ids=named)
def test_files_as_flink_reads_them(row: dict[str, Any]) -> None:
    for release in row["releases"]:
        assert conformance.file_mismatch(row, index(release)) is None


@pytest.mark.parametrize("row", measured("ascii_locale.jsonl"), ids=named)
def test_flink_conf_under_an_ascii_locale(row: dict[str, Any]) -> None:
    assert conformance.file_mismatch(row, index("1.20"), ascii_locale=True) is None


@pytest.mark.parametrize("row", measured("config_yaml.jsonl"), ids=named)
def test_the_full_grammar_agrees_with_the_line_reader(row: dict[str, Any]) -> None:
    result = conformance.read(row, index("1.20"))
    text, _ = decode(conformance.base64.b64decode(row["b64"]), kind=CONFIG_YAML)
    full = config_yaml._read_yaml(text)
    assert [described(entry) for entry in full.entries] == [described(entry) for entry in result.entries]
    assert full.refusals == result.refusals


@pytest.mark.parametrize("row", measured("directories.jsonl"), ids=lambda row: f"{row['version']}-{row['case']}")
def test_directories(row: dict[str, Any]) -> None:
    assert conformance.directory_mismatch(row) is None


@pytest.mark.parametrize("line", (FIXTURES / "key_precedence.txt").read_text("utf-8").splitlines())
def test_precedence_of_keys(line: str) -> None:
    assert conformance.precedence_mismatch(line) is None


def test_pick_for_an_unknown_release() -> None:
    assert pick({FLINK_CONF, CONFIG_YAML}, None) == FLINK_CONF
    assert pick({CONFIG_YAML}, None) == CONFIG_YAML
    assert pick({"config.yml"}, None) is None


# Entries and their places


def described(entry: file_loading.Entry) -> tuple[object, ...]:
    return (
        *(entry.key, repr(entry.value), entry.text, entry.raw, entry.style, entry.nested, entry.overridden),
        *(entry.key_span, entry.value_span, entry.path_spans),
    )


def test_nested_yaml() -> None:
    text = "taskmanager:\n  memory:\n    process.size: 1728m # all\n  tags: [a, 1]\nx: 'it''s'\n"
    size, tags, x = read_yaml(text).entries
    assert (size.key, size.value, size.nested, size.style) == (
        *("taskmanager.memory.process.size", "1728m", True, "plain"),
    )
    assert [text[slice(*span)] for span in size.path_spans] == ["taskmanager", "memory", "process.size"]
    assert text[slice(*size.key_span)] == "process.size"
    assert text[slice(*size.value_span)] == size.raw == "1728m"
    assert (tags.key, tags.value, tags.text, tags.style) == ("taskmanager.tags", ["a", 1], "[a, 1]", "flow")
    assert text[slice(*tags.value_span)] == "[a, 1]"
    assert (x.value, x.raw, x.style, x.nested) == ("it's", "'it''s'", "single", False)


@pytest.mark.parametrize(
    ("value", "style", "raw", "made"),
    [
        ('"a b"', "double", '"a b"', "a b"),
        ('"a\\tb"', "double", '"a\\tb"', "a\tb"),
        ("|-\n  a\n  b", "literal", "|-\n  a\n  b", "a\nb"),
        (">-\n  a\n  b\n\n", "folded", ">-\n  a\n  b\n\n", "a b"),
        ("a\n  b", "plain", "a\n  b", "a b"),
        ("\n  - a\n  - b # c", "block", "- a\n  - b", ["a", "b"]),
        ("\n- a\n- [b]", "block", "- a\n- [b]", ["a", ["b"]]),
        ("!!str 5 # c", "plain", "5", "5"),
        ("&anchor 0x10", "plain", "0x10", 16),
        ("1e3", "plain", "1e3", 1000.0),
        ('"\\ud83d\\ude00 \\ud83d"', "double", '"\\ud83d\\ude00 \\ud83d"', "\U0001f600 ?"),
    ],
)
def test_styles(value: str, style: str, raw: str, made: object) -> None:
    text = f"k: {value}\n"
    (entry,) = read_yaml(text).entries
    assert (entry.style, entry.value) == (style, made)
    assert text[slice(*entry.value_span)].rstrip("\n") == entry.raw.rstrip("\n") == raw.rstrip("\n")


def test_the_usual_values_are_read_without_the_full_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_yaml, "_read_yaml", pytest.fail)
    text = "# c\na: true\nb.c:\n  d: 'x'\n  e: 1\nf: [a, 1]\ng:\n  - False\n  - tail\nh: none\n"
    assert read_yaml(text).settings() == {
        **{"a": "true", "b.c.d": "x", "b.c.e": "1", "f": "[a, 1]", "g": "[false, tail]", "h": "none"}
    }


@pytest.mark.parametrize("tag", ["!!str", "!e!str", "!e!%73tr", "!<tag:yaml.org,2002:str>"])
def test_a_tag_is_known_by_any_of_its_names(tag: str) -> None:
    result = read_yaml(f"%TAG !e! tag:yaml.org,2002:\n---\na: {tag} 010\n")
    assert (result.refusals, result.settings()) == ([], {"a": "010"})


def test_later_entries_win() -> None:
    flat, nested = read_yaml("a.b: 1\na:\n  b: 2\n").entries
    assert (flat.key, flat.overridden) == ("a.b", True)
    assert (nested.key, nested.overridden) == ("a.b", False)
    first, second = read_conf("a: 1\na: 2\n").entries
    assert (first.overridden, second.overridden) == (True, False)


def test_a_null_is_refused_only_if_it_counts() -> None:
    assert read_yaml("a.b:\na:\n  b: 2\n").refusals == []
    (refusal,) = read_yaml("a:\n  b: 2\nc:\n").refusals
    assert (refusal.reason, refusal.key, refusal.error) == ("null-value", "c", "Value must not be null.")
    assert refusal.span == Span(10, 11)


def test_flink_conf_places() -> None:
    text = "  a.b : x y # note\n\tc: 'q'\n"
    ab, c = read_conf(text).entries
    assert (ab.key, ab.value, ab.indent, ab.nested, ab.style) == ("a.b", "x y", 2, True, "legacy")
    assert text[slice(*ab.key_span)] == "a.b"
    assert text[slice(*ab.value_span)] == "x y"
    assert ab.comment is not None
    assert text[slice(*ab.comment)] == "# note"
    assert (c.value, c.raw, c.comment) == ("'q'", "'q'", None)


@pytest.mark.parametrize(
    ("line", "reason", "key", "value"),
    [
        ("a:b", "missing-space", "a", "b"),
        ("web.url:http://x:80", "missing-space", "web.url", "http://x:80"),
        ("a:\tb", "tab", "a", "b"),
        ("a = b", "equals", "a", "b"),
        ("a.b=c d", "equals", "a.b", "c d"),
        ("a:", "empty-value", "a", ""),
        ("a: # b", "comment-only-value", "a", ""),
        (": b", "empty-key", "", "b"),
        ("  - x", "list-item", "", "x"),
        ("   more", "continuation", "", "more"),
        ("word", "no-separator", "", "word"),
        ("---", "document-marker", "", ""),
    ],
)
def test_skipped_lines(line: str, reason: str, key: str, value: str) -> None:
    text = f"x: 1\n{line}\ny: 2\n"
    result = read_conf(text)
    assert result.settings() == {"x": "1", "y": "2"}
    (skipped,) = result.skipped
    assert (skipped.reason, skipped.key, skipped.value) == (reason, key, value)
    assert text[slice(*skipped.key_span)] == key
    assert len(result.warnings) == 1
    assert "flink-conf.yaml:2" in result.warnings[0]


# Refusals


@pytest.mark.parametrize(
    ("text", "reason", "culprit"),
    [
        ("a: 1\na: 2\n", "duplicate-key", "a"),
        ("a:\n\tb: c\n", "tab", "\t"),
        ("a: @x\n", "reserved-indicator", "@"),
        ("a: *x\n", "undefined-alias", "*x"),
        ("a: !foo x\n", "unknown-tag", "!foo x"),
        ("a: 1\n---\nb: 2\n", "multiple-documents", "---"),
        ("1: x\n", "non-string-key", "1"),
        ("- a\n", "not-a-mapping", "- a"),
        ("a: b\x07\n", "binary", "\x07"),
        ("a: b: c\n", "syntax", ":"),
        ("a: &x {b: *x}\n", "nesting", "b"),
    ],
)
def test_refusals(text: str, reason: str, culprit: str) -> None:
    refusal = read_yaml(text).refusals[0]
    assert refusal.reason == reason
    assert text[slice(*refusal.span)] == culprit
    assert refusal.error
    assert refusal.message


def test_a_key_written_twice_in_a_mapping_is_named() -> None:
    (refusal,) = read_yaml("a:\n  b: 1\n  b: 2\n").refusals
    assert refusal.key == "b"
    assert refusal.message == "the key 'b' occurs twice in one mapping; Flink refuses the whole file"


def test_what_can_be_read_beside_a_fault() -> None:
    text = 'a: 1\nb: @x\nc:\n  d: "open\ne: 5\nf:\n  g: %y\n'
    result = read_yaml(text)
    assert [refusal.reason for refusal in result.refusals] == ["reserved-indicator", "reserved-indicator"]
    assert {entry.key: entry.text for entry in result.entries} == {
        **{"a": "1", "b": "@x", "c.d": '"open', "e": "5", "f.g": "%y"}
    }
    for entry in result.entries:
        assert text[slice(*entry.value_span)] == entry.raw


def test_templates() -> None:
    text = "a: 1\n{{- if .Values.x }}\nb: {{ .Values.b }}\n{{- end }}\nc: x{{ .c }}\n"
    result = read_yaml(text)
    assert [refusal.reason for refusal in result.refusals] == ["template"]
    assert {entry.key: entry.text for entry in result.entries} == {
        **{"a": "1", "b": "{{ .Values.b }}", "c": "x{{ .c }}"}
    }
    assert read_yaml('a: "{{ .Values.x }}"\n').refusals == []


@pytest.mark.parametrize(
    "value", ["{{ .Values.x }}", "<%= x %>", "${ENV}", "@var@", "pre-{% x %}", "$HOME/x", "%(x)s", "__TOKEN__"]
)
def test_templated_values(value: str) -> None:
    assert is_templated(value)


@pytest.mark.parametrize("value", ["", "1728m", "a@b.c", "s3://b/p", "{a: b}", "100%", "x$", "a__b", "org.Outer$Inner"])
def test_values_that_are_no_templates(value: str) -> None:
    assert not is_templated(value)


# Bytes


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (b"a: b\n", FLINK_CONF, "a: b\n"),
        ("ä: b".encode("utf-16"), CONFIG_YAML, "\ufeffä: b"),
        ("\ufeffa: b".encode("utf-32-be"), CONFIG_YAML, "\ufeffa: b"),
        ("\ufeffa: b".encode(), CONFIG_YAML, "\ufeffa: b"),
        (b"a: \xff", FLINK_CONF, "a: \udcff"),
    ],
)
def test_decode(data: bytes, kind: str, text: str) -> None:
    assert decode(data, kind=kind) == (text, None)
    assert encode(text, data, kind=kind) == data


def test_malformed_bytes() -> None:
    data = b"a: 1\nb: \xc3\x28\nc: 2\n"
    text, refusal = decode(data, kind=CONFIG_YAML)
    assert refusal is not None
    assert (refusal.reason, refusal.span) == ("encoding", Span(8, 9))
    result = read_yaml(text)
    assert result.refusals[0].reason == "encoding"
    assert {"a", "b", "c"} == {entry.key for entry in result.entries}
    assert read_conf(decode(data, kind=FLINK_CONF)[0]).settings() == {"a": "1", "b": "\ufffd(", "c": "2"}


def test_byte_order_marks() -> None:
    (entry,) = read_yaml("\ufeffa: b\n").entries
    assert (entry.key, entry.key_span) == ("a", Span(1, 2))
    assert read_conf("\ufeffa: b\n").settings() == {"\ufeffa": "b"}


# Hostile texts


@pytest.mark.parametrize("opening", ["[", "{", "{a: ", "- ", "? ", "&a [", "a: {"])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert read_yaml(opening * 10_000).refusals[0].reason in ("nesting", "syntax")
    assert read_yaml("a: " + opening * 10_000).refusals[0].reason in ("nesting", "syntax")


def test_nesting_that_flink_bears() -> None:
    text = "a: " + "[" * 900 + "]" * 900
    assert read_yaml(text).settings() == {"a": text[3:]}


def test_alias_bombs() -> None:
    lists = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 21))
    assert len(read_yaml(lists).entries) == 21
    maps = "a0: &a0 {x: 1, y: 2}\n" + "".join(f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 21))
    assert read_yaml(maps).refusals[0].reason == "too-large"
    many = "a: &a [x]\nb: [" + ", ".join(["*a"] * 51) + "]\n"
    assert "max=50" in read_yaml(many).refusals[0].error
    assert read_yaml(many.replace("*a, ", "", 1)).refusals == []


@pytest.mark.slow
def test_long_files() -> None:
    assert read_yaml("a: b # c\n" * 500_000).refusals[0].reason == "too-large"
    assert read_yaml("a: b\n" + "# c\n" * 1_000_000).settings() == {"a": "b"}
    assert read_conf("a: b\n" * 1_000_000).refusals[0].reason == "too-large"
    assert read_yaml("a: [" + "x, " * 600_000 + "]\n").refusals[0].reason == "too-large"


def test_keys_within_keys_within_keys() -> None:
    assert read_yaml("{? " * 900 + "}" * 900).refusals[0].reason == "nesting"


# Laws

pieces = st.sampled_from(
    [
        *("a", "b.c", "key", "x y", "1", "0.5", "true", "~", "é", "k1", "s3://b/p", "10 min", "-x", "'q''r'", '"d"'),
        *(": ", ":", " ", "  ", "    ", "\n", "\n", "\n  ", "\n    ", "- ", "# c", " # c", "#", "[a, b]", "[", "]"),
        *("{a: b}", "{", "}", "&n ", "*n", "!!str ", "|\n", ">-\n", "\t", "\r\n", "\x85", "\ufeff", "---", "...", "%"),
        *("'", '"', "\\", "@", "`", ",", "?", "? ", "<<", "a: b\n", "a:\n", "c: d\n", "  e: f\n", "- g\n", "  - h\n"),
    ]
)
texts = st.one_of(st.lists(pieces, max_size=14).map("".join), st.text(max_size=40))


@given(texts)
@example("a: b\r\n  c: d")
@example("{? {? a : b} : c}: d")
@example("a: \ud800")
@example('a: "\\U0000')
def test_reading_is_total_and_places_slice_back(text: str) -> None:
    for result in (read_yaml(text), read_conf(text), config_yaml._read_yaml(text)):
        for entry in result.entries:
            assert text[slice(*entry.value_span)] == entry.raw
            assert all(0 <= span.start <= span.end <= len(text) for span in entry.path_spans)
            assert entry.path_spans[-1] == entry.key_span
        for refusal in result.refusals:
            assert 0 <= refusal.span.start <= refusal.span.end <= len(text)
        for skipped in result.skipped:
            assert text[slice(*skipped.key_span)] == skipped.key


@given(texts)
def test_the_line_reader_reads_like_the_full_grammar(text: str) -> None:
    quick, full = read_yaml(text), config_yaml._read_yaml(text)
    assert list(map(described, quick.entries)) == list(map(described, full.entries))
    assert quick.refusals == full.refusals
    assert quick.warnings == full.warnings


@given(texts.filter(lambda text: "\r" not in text))
def test_line_ends_do_not_matter(text: str) -> None:
    windows = text.replace("\n", "\r\n")
    assert read_conf(windows).settings() == read_conf(text).settings()
    if not read_yaml(text).refusals and "\n" not in "".join(read_yaml(text).settings().values()):
        assert read_yaml(windows).settings() == read_yaml(text).settings()


@given(texts, texts)
def test_flink_conf_is_read_line_by_line(first: str, second: str) -> None:
    both = read_conf(f"{first}\n{second}")
    assert both.settings() == {**read_conf(first).settings(), **read_conf(second).settings()}


@given(
    st.binary(max_size=40), st.sampled_from([FLINK_CONF, CONFIG_YAML]), st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff"])
)
def test_bytes_survive(data: bytes, kind: str, mark: bytes) -> None:
    text, _ = decode(mark + data, kind=kind)
    assert encode(text, mark + data, kind=kind) == mark + data


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=10),
)  # fmt: skip
keys = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
trees = st.recursive(
    scalars, lambda deeper: st.lists(deeper, max_size=4) | st.dictionaries(keys, deeper, max_size=3), max_leaves=12
)


@given(st.lists(trees, max_size=4))
def test_lists_survive_their_yaml(values: list[object]) -> None:
    printable = re.search(NON_PRINTABLE, json.dumps(values, ensure_ascii=False).replace("\\", "")) is None
    text = text_of(values)
    if printable:
        assert load(text) == values


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("text", ["a: b\n", "# äöü, 文\njobmanager.rpc.address: jm\n"])
def test_an_encoding_is_recognized_with_and_without_a_mark(encoding: str, mark: str, text: str) -> None:
    assert encoding_of((mark + text).encode(encoding)) == encoding


@pytest.mark.parametrize("data", [b"", b"\0", b"a", b"a: b\0c\n", b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0"])
def test_nul_bytes_alone_make_no_other_encoding(data: bytes) -> None:
    assert encoding_of(data) == "utf-8"
