"""Adding a setting to a file: in the place its kin have, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flink_flint.linter.formats import file_formats
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import apply_edits
from tests.fix_edits import edits_for


def document(text: str, name: str) -> Document:
    file_format = next(file_format for file_format in file_formats() if file_format.named(name))
    return file_format.read(name, text.encode("utf-8", "surrogateescape"))[0]


def added(text: str, name: str, key: str, value: str) -> str:
    read = document(text, name)
    edits = edits_for(read, "add", key, value)
    assert edits is not None
    return apply_edits(text, edits)


LEGACY = "flink-conf.yaml"
YAML = "config.yaml"


@pytest.mark.parametrize("name", [LEGACY, YAML])
@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", "a.b: 1\n"),
        ("# c\n", "# c\na.b: 1\n"),
        ("# c", "# c\na.b: 1"),
        ("x: 1\r\n", "x: 1\r\na.b: 1\r\n"),
        ("x: 1", "x: 1\na.b: 1"),
        ("x: 1\r\ny: 2", "x: 1\r\ny: 2\r\na.b: 1"),
        ("a.c: 2\nx: 1\n", "a.c: 2\na.b: 1\nx: 1\n"),
        ("a.c: 2\n\n# of x\nx: 1\n", "a.c: 2\na.b: 1\n\n# of x\nx: 1\n"),
    ],
)
def test_a_line_joins_its_kin_or_the_end_with_the_files_line_ends(name: str, text: str, result: str) -> None:
    assert added(text, name, "a.b", "1") == result


def test_the_nearest_kin_share_most_words() -> None:
    text = "taskmanager.host: h\ntaskmanager.memory.network.min: 64mb\ntaskmanager.memory.size: 1g\nrest.port: 1\n"
    for name in (LEGACY, YAML):
        lines = added(text, name, "taskmanager.memory.network.max", "1gb").splitlines()
        assert lines[2] == "taskmanager.memory.network.max: 1gb"


def test_a_nested_file_takes_it_in_the_deepest_block_it_has() -> None:
    text = "taskmanager:\n  memory:\n    process:\n      size: 4g  # all\n  host: h\n# end\n"
    assert added(text, YAML, "taskmanager.memory.network.max", "1gb") == (
        "taskmanager:\n  memory:\n    process:\n      size: 4g  # all\n    network.max: 1gb\n  host: h\n# end\n"
    )
    assert added(text, YAML, "taskmanager.numberOfTaskSlots", "4").splitlines()[5] == "  numberOfTaskSlots: 4"
    assert added(text, YAML, "rest.port", "8081") == f"{text}rest.port: 8081\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("taskmanager: {host: h}\nx: 1\n", "taskmanager.a: v"),
        ("state:\n  backend:\n    incremental: true\n", "state.backend: v"),
        ("  a: 1\n  b: 2\n", "  c: v"),
        ("a: 1\n...\n", "c: v"),
        ("a: |\n  text\n\n", "c: v"),
        ("a: [1, 2]\n", "c: v"),
        ("a:\n  - 1\n  - 2\n", "c: v"),
    ],
)
def test_where_a_block_cannot_take_it_a_flat_line_does(text: str, line: str) -> None:
    key, _, value = line.strip().partition(": ")
    assert line in added(text, YAML, key, value).splitlines()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("true", "true"), ("4", "4"), ("0.4", "0.4"), ("10 s", "10 s"), ("1728mb", "1728mb"), ("s3://b/p", "s3://b/p"),
        ("1.20", '"1.20"'), ("0x10", '"0x10"'), ("1e3", '"1e3"'), ("null", '"null"'), ("a: b", '"a: b"'),
        ("*", '"*"'), ('say "x"', '"say \\"x\\""'), ("# c", '"# c"'), ("True", '"True"'),
    ],
)  # fmt: skip
def test_yaml_is_quoted_where_it_would_read_another_value(value: str, written: str) -> None:
    assert added("", YAML, "a.b", value) == f"a.b: {written}\n"


@pytest.mark.parametrize("value", ["a # b", " a", "a ", "a\nb", ""])
def test_what_the_legacy_file_cannot_hold_is_not_added(value: str) -> None:
    read = document("x: 1\n", LEGACY)
    assert edits_for(read, "add", "a.b", value) is None


@pytest.mark.parametrize("name", [LEGACY, YAML])
def test_a_key_that_is_set_is_not_added_again(name: str) -> None:
    read = document("a.b: 1\n", name)
    assert edits_for(read, "add", "a.b", "2") is None


def test_nothing_is_added_to_a_file_that_flink_refuses() -> None:
    read = document("a: 1\na: 2\n", YAML)
    assert edits_for(read, "add", "b", "1") is None


WORDS = st.sampled_from(["taskmanager", "memory", "state", "backend", "x", "y"])
KEYS = st.lists(WORDS, min_size=1, max_size=3).map(".".join)
VALUES = st.one_of(
    st.sampled_from(
        ["10 s", "true", "1.20", "a: b", "s3://b/p", "*", "@x", "it's", 'say "x"', "~", "-", "1e3", "0042"]
    ),
    st.text(alphabet="ab1 .:#'\"{}[]&*!|>%@`\\-?,é", min_size=1, max_size=8),
)
LINES = st.lists(
    st.sampled_from([
        "taskmanager.memory.x: 1", "state.y: b # c", "x: 'q'", "# comment", "", "y: [1, 2]",
        "taskmanager:\n  memory:\n    y: 4\n  x: 1", "state:\n    backend: {x: 1}", "memory: |\n  t",
        "backend:\n- 1\n- 2",
    ]),
    max_size=5, unique=True,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), KEYS, VALUES, st.sampled_from([LEGACY, YAML]))
@pytest.mark.slow
def test_what_was_set_stays_and_the_new_value_reads_as_given(
    lines: list[str], line_end: str, ends: bool, key: str, value: str, name: str
) -> None:
    text = "\n".join(lines).replace("\n", line_end) + (line_end if ends else "")
    read = document(text, name)
    before = read.settings()
    assume(not read.refusals)
    edits = edits_for(read, "add", key, value)
    if edits is None:
        heads_a_block = any(other.startswith(f"{key}.") for other in before)
        cannot_hold = name == LEGACY and ("#" in value or value != value.strip())
        assert key in before or heads_a_block or cannot_hold
        return
    after = document(apply_edits(text, edits), name)
    assert not after.refusals
    assert after.settings() == {**before, key: value}
    (edit,) = edits
    assert edit.span.start == edit.span.end
