"""Configuration files inside other files: settings with outer positions, and edits of single settings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.linter.flink.file_loading import read_config_yaml, read_flink_conf
from flink_flint.linter.formats.flink_files.embedding import Embedded
from flink_flint.linter.model.document import Document
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, read

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-config\ndata:\n"
INNER = "# the cluster\nparallelism.default: 4\n\ntaskmanager.numberOfTaskSlots: 2 # slots\nrest.port: 8081\n"


def block(inner: str, *, header: str = "|", indent: int = 4, name: str = "flink-conf.yaml", end: str = "") -> str:
    lines = "".join(f"{' ' * indent}{line}\n" if line else "\n" for line in inner.removesuffix("\n").split("\n"))
    return f"{HEAD}  {name}: {header}\n{lines}{end}"


def only(text: str, name: str = "flink.yaml") -> Document:
    documents = read(name, text)
    assert len(documents) == 1, documents
    return documents[0]


FORMS = {
    "literal": block(INNER),
    "literal kept": block(INNER, header="|+", end="  other: x\n"),
    "literal stripped": block(INNER, header="|-"),
    "literal with an indicator": block(INNER, header="|2", indent=4),
    "literal with an indicator and more blanks": block("  " + INNER.replace("\n", "\n  ").rstrip(" "), header="|2"),
    "crlf": block(INNER).replace("\n", "\r\n"),
    "deep": block(INNER, indent=9, end="  a: |\n    x\n"),
    "behind other keys": block(INNER).replace("data:\n", "data:\n  größe.txt: 😀\n"),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_settings_inside_a_block_scalar_stand_where_they_are_said_to(text: str) -> None:
    document = only(text)
    assert cuts(document) == [
        ("parallelism.default", "parallelism.default", "4"),
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "2"),
        ("rest.port", "rest.port", "8081"),
    ]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_edits_inside_a_block_scalar_change_one_setting(text: str) -> None:
    document = only(text)
    assert assert_edits_hold(document, "17") == 6


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_setting_is_added_next_to_related_ones(text: str) -> None:
    document = only(text)
    after = edited(document, "add", "taskmanager.memory.process.size", "4g")
    assert after is not None
    assert after.settings() == {**document.settings(), "taskmanager.memory.process.size": "4g"}
    added, sibling = entry(after, "taskmanager.memory.process.size"), entry(after, "taskmanager.numberOfTaskSlots")
    assert after.lines.position(added.key_span.start).line == after.lines.position(sibling.key_span.start).line + 1
    if not sibling.nested:
        assert after.lines.position(added.key_span.start).column == after.lines.position(sibling.key_span.start).column
    assert ("\r\n" in text) == (text.count("\n") == text.count("\r\n"))
    assert after.text.count("\r") == (after.text.count("\n") if "\r\n" in text else 0)


def test_a_setting_is_renamed_in_place() -> None:
    document = only(block(INNER))
    after = edited(document, "rename", entry(document, "rest.port"), "rest.bind-port")
    assert after is not None
    assert after.text == document.text.replace("rest.port", "rest.bind-port")


def test_a_comment_behind_a_setting_stays_when_the_setting_goes() -> None:
    document = only(block(INNER))
    after = edited(document, "remove", entry(document, "taskmanager.numberOfTaskSlots"))
    assert after is not None
    assert "    # slots\n" in after.text


def test_the_last_setting_of_a_stripped_block_goes() -> None:
    document = only(block("rest.port: 1\nweb.upload.dir: /a", header="|-"))
    after = edited(document, "remove", entry(document, "web.upload.dir"))
    assert after is not None
    assert after.settings() == {"rest.port": "1"}


def test_config_yaml_is_read_as_yaml_nested_and_flat() -> None:
    text = block("taskmanager:\n  memory:\n    process.size: '4g'\nrest.port: 8081\n", name="config.yaml")
    document = only(text)
    assert (document.syntax, document.is_config_yaml) == ("config-yaml", True)
    assert cuts(document) == [
        ("taskmanager.memory.process.size", "process.size", "'4g'"),
        ("rest.port", "rest.port", "8081"),
    ]
    assert assert_edits_hold(document, "9g") == 4
    after = edited(document, "add", "taskmanager.memory.managed.size", "1g")
    assert after is not None
    assert "\n        managed.size: 1g\n" in after.text


def test_a_quoted_scalar_with_escapes_is_edited_in_its_own_spelling() -> None:
    value = json.dumps('rest.port: 8081\nenv.java.opts.all: -Da="ü"\n', ensure_ascii=False)
    document = only(f"{HEAD}  flink-conf.yaml: {value}\n")
    assert cuts(document)[1] == ("env.java.opts.all", "env.java.opts.all", '-Da=\\"ü\\"')
    assert document.settings()["env.java.opts.all"] == '-Da="ü"'
    after = edited(document, "replace", entry(document, "env.java.opts.all"), '-Db="x"')
    assert after is not None
    assert after.settings()["env.java.opts.all"] == '-Db="x"'
    after = edited(document, "add", "rest.address", "a")
    assert after is not None
    assert after.text.count("\n") == document.text.count("\n")
    assert edited(document, "remove", entry(document, "rest.port")) is not None


def test_json_is_read_and_edited_as_yaml_is() -> None:
    config_map = {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "flink"},
        "data": {"flink-conf.yaml": "rest.port: 8081\nparallelism.default: 2\n"},
    }  # fmt: skip
    document = only(json.dumps(config_map, indent=2), "flink.json")
    assert cuts(document)[1] == ("parallelism.default", "parallelism.default", "2")
    assert assert_edits_hold(document, "17") == 4


def test_a_folded_block_joins_its_lines_and_declines_edits_that_would_change_others() -> None:
    document = only(block("rest.port: 8081\nweb.upload.dir: /a\n\n", header=">", name="flink-conf.yaml"))
    assert document.settings() == {"rest.port": "8081 web.upload.dir: /a"}
    found = entry(document, "rest.port")
    assert document.text[slice(*found.value_span)] == "8081\n    web.upload.dir: /a"


def test_dropped_lines_and_refusals_point_into_the_block() -> None:
    document = only(block("rest.port:8081\nparallelism.default: 2\n"))
    assert [document.text[slice(*skipped.span)] for skipped in document.skipped] == ["rest.port:8081"]
    document = only(block("rest.port: 8081\nparallelism.default:\n", name="config.yaml"))
    assert [document.text[slice(*refusal.span)] for refusal in document.refusals] == ["parallelism.default"]


KEYS = st.sampled_from(
    ["parallelism.default", "rest.port", "taskmanager.numberOfTaskSlots", "env.java.opts.all", "state.checkpoints.dir"]
)
VALUES = st.text("ab1:/-. #'\"\\é{}", min_size=1, max_size=8).map(str.strip).filter(lambda text: text != "")
LINES = st.lists(
    st.one_of(
        st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]}: {pair[1]}"), st.just(""), st.just("# note"),
        st.just("broken line"), st.just("  rest.address: a"),
    ),
    min_size=1, max_size=6,
)  # fmt: skip


@given(LINES, st.sampled_from(["|", "|-", "|+", "|2"]), st.booleans(), st.sampled_from(["", "  z.txt: x\n"]))
@settings(max_examples=150, deadline=None)
@pytest.mark.slow
def test_any_inner_file_is_read_as_if_it_stood_alone_and_edited_one_setting_at_a_time(
    lines: list[str], header: str, crlf: bool, end: str
) -> None:
    inner = "\n".join(["rest.address: first", *lines]) + "\n"
    text = block(inner, header=header, end=end)
    document = only(text.replace("\n", "\r\n") if crlf else text)
    alone = read_flink_conf(inner)
    assert document.settings() == alone.settings()
    assert [s.reason for s in document.skipped] == [s.reason for s in alone.skipped]
    for found, expected in zip(document.entries, alone.entries, strict=True):
        assert document.text[slice(*found.key_span)] == expected.key
        assert document.text[slice(*found.value_span)] == expected.raw
    assert_edits_hold(document, "17")


@given(st.dictionaries(KEYS, VALUES.map(lambda text: "x" + text), min_size=1), st.sampled_from(["|", "|-", "|+"]))
@settings(max_examples=100, deadline=None)
@pytest.mark.slow
def test_any_inner_config_yaml_is_read_as_if_it_stood_alone(values: dict[str, str], header: str) -> None:
    inner = "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    document = only(block(inner, header=header, name="config.yaml"))
    assert isinstance(document, Embedded)
    assert document.settings() == read_config_yaml(inner).settings()
    assert_edits_hold(document)
