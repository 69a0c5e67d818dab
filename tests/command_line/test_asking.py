"""Asking a calculator: whose value counts, and how its origin is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import BadInput, MissingInput, inputs_of
from flink_flint.calculators.command_line.answer_formats import export, rows, written
from flink_flint.calculators.command_line.collect_inputs import Asked, ask, configured, read_texts
from flink_flint.calculators.command_line.open_configuration import Opened, open_configuration
from flink_flint.calculators.formulas.quantity import (
    BYTES,
    BYTES_PER_SECOND,
    COUNT,
    FRACTION,
    NUMBER,
    PER_SECOND,
    SECONDS,
    Unit,
)
from flink_flint.linter.flink.releases import Release, parse_release

ASYNC = calculator("async-io")
NEWEST = parse_release("2.3")
NEEDED = {"rate": 3000.0, "latency": 0.04, "read_timeout": 2.0}


def asked(given: dict[str, Any], text: str | None = None, folder: Path | None = None, **options: Any) -> Asked:
    opened = None if text is None or folder is None else opened_at(folder, text)
    return ask(ASYNC, given, release=options.pop("release", NEWEST), opened=opened, **options)


def opened_at(folder: Path, text: str, name: str = "config.yaml") -> Opened:
    (folder / name).write_text(text)
    return open_configuration(str(folder / name))


def test_given_counts_before_the_file_before_the_release(tmp_path: Path) -> None:
    text = "# c\nparallelism:\n  default: 8\n"
    one = asked({**NEEDED, "parallelism": 4}, text, tmp_path)
    two = asked(NEEDED, text, tmp_path)
    three = asked(NEEDED, "rest.port: 1\n", tmp_path)
    assert [a.inputs["parallelism"] for a in (one, two, three)] == [4, 8, 1]
    assert [a.sources["parallelism"].kind for a in (one, two, three)] == ["given", "file", "release"]
    assert two.sources["parallelism"].text == f"{tmp_path}/config.yaml:3"
    assert three.sources["parallelism"].text == "default of Flink 2.3"
    assert one.sources["utilization"] == ("assumed", "the rest is room for uneven load")


@pytest.mark.parametrize("template", ["${P}", "'{{ p }}'", "'@p@'", "$P"])
def test_a_template_in_the_file_is_no_value_and_is_told(template: str, tmp_path: Path) -> None:
    found = asked(NEEDED, f"parallelism.default: {template}\n", tmp_path)
    place = f"{tmp_path}/config.yaml:1"
    assert found.sources["parallelism"] == ("release", f"{place} is a template; default of Flink 2.3 assumed")
    told = f"{place}: parallelism.default is a template: its default is assumed, unless --parallelism is given"
    assert told in found.answer.warnings
    given = asked({**NEEDED, "parallelism": 3}, f"parallelism.default: {template}\n", tmp_path)
    assert given.sources["parallelism"].kind == "given"
    assert given.answer.warnings == asked({**NEEDED, "parallelism": 3}).answer.warnings


def test_what_is_assumed_instead_of_a_template_has_its_reason(tmp_path: Path) -> None:
    found = calculator("rpc-size")
    opened = opened_at(tmp_path, "jobmanager.memory.process.size: ${SIZE}\n")
    one = ask(found, read_texts(found, found.forward.example), release=NEWEST, opened=opened)
    assert one.sources["process"] == (
        "assumed", f"{tmp_path}/config.yaml:1 is a template; Flink's default configuration"
    )  # fmt: skip


def test_what_a_template_fills_in_is_left_alone(tmp_path: Path) -> None:
    found = calculator("checkpoint")
    given = {"duration": 47.0, "storage_outage": 600.0}
    text = "execution.checkpointing.interval: 1min\nexecution.checkpointing.timeout: ${T}\n"
    one = ask(found, given, release=NEWEST, opened=opened_at(tmp_path, text))
    assert [(left.key, left.was, left.wanted) for left in one.left_alone] == [
        ("execution.checkpointing.timeout", "${T}", "10 min")
    ]
    assert "execution.checkpointing.timeout" not in {change.key for change in one.changes or []}
    assert "execution.checkpointing.timeout" not in {row.key for row in rows(one)}
    (told,) = [warning for warning in one.answer.warnings if "template" in warning]
    assert told.startswith(
        f"{tmp_path}/config.yaml:2: execution.checkpointing.timeout is a template and is not changed"
    )
    assert "unless --timeout is given" in told


def test_a_template_that_must_go_is_left_alone(tmp_path: Path) -> None:
    found = calculator("taskmanager-memory")
    given = read_texts(found, found.forward.example)
    opened = opened_at(
        tmp_path, "taskmanager.memory.flink.size: ${SIZE}\ntaskmanager.heap.size: 1g\n", "flink-conf.yaml"
    )
    one = ask(found, given, release=parse_release("1.20"), opened=opened)
    assert ("taskmanager.memory.flink.size", "${SIZE}", None) in one.left_alone
    assert "taskmanager.memory.flink.size" not in {change.key for change in one.changes or []}


@pytest.mark.parametrize(("text", "told"), [("many", "Flink refuses its value"), ("0", "out of range")])
def test_an_unusable_value_of_the_file_is_told_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    opened = opened_at(tmp_path, f"parallelism.default: {text}\n")
    with pytest.raises(BadInput, match=rf"^--parallelism: {tmp_path}/config.yaml:1 sets parallelism.default, .*{told}"):
        ask(ASYNC, NEEDED, release=NEWEST, opened=opened)
    assert ask(ASYNC, {**NEEDED, "parallelism": 2}, release=NEWEST, opened=opened).inputs["parallelism"] == 2


def test_what_plays_no_part_is_left_out_and_named() -> None:
    answer = asked({**NEEDED, "client": "async", "pool": 25, "pause": 1.0})
    assert answer.unused == ("pool", "pause")
    assert not {"pool", "pause", "utilization", "pooled"} & answer.inputs.keys()


def test_inputs_come_in_the_order_of_the_declaration() -> None:
    names = [declared.name for declared in inputs_of(ASYNC.forward.inputs)]
    found = list(asked(dict(reversed(NEEDED.items()))).inputs)
    assert found == [name for name in names if name in found]


def test_an_older_spelling_in_the_file_is_the_same_option(tmp_path: Path) -> None:
    opened = opened_at(tmp_path, "akka.framesize: 20971520b\nstate.storage.fs.memory-threshold: 40kb\n")
    found = configured(calculator("rpc-size").forward, opened)
    assert found["threshold"][0] == 40 * 1024
    assert found["frame"] == (20 * 2**20, ("file", f"{tmp_path}/config.yaml:1"))


def test_settings_are_spelt_as_the_release_does() -> None:
    given = read_texts(calculator("rpc-size"), calculator("rpc-size").forward.example)
    new, old = (ask(calculator("rpc-size"), given, release=parse_release(text)) for text in ("2.3", "1.17"))
    assert "pekko.framesize" in new.settings.settings
    assert "akka.framesize" in old.settings.settings


def test_missing_inputs_are_told() -> None:
    with pytest.raises(MissingInput, match="--read-timeout: is missing"):
        asked({})


def test_texts_are_read_with_their_units() -> None:
    values = read_texts(ASYNC, {"rate": "180k/min", "latency": "40 ms", "parallelism": 4, "limit": "?", "margin": ""})
    assert values == {"rate": 3000.0, "latency": 0.04, "parallelism": 4}
    with pytest.raises(BadInput, match="is not an input of async-io; did you mean --latency"):
        read_texts(ASYNC, {"latncy": "1s"})


UNITS: list[tuple[Unit, st.SearchStrategy[Any]]] = [
    (SECONDS, st.floats(0, 1e9)), (BYTES, st.integers(0, 2**50)), (COUNT, st.integers(0, 10**12)),
    (PER_SECOND, st.floats(0, 1e12)), (FRACTION, st.floats(0, 1)), (NUMBER, st.floats(0, 1e12)),
    (BYTES_PER_SECOND, st.floats(0, 1e12)),
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data())
def test_an_exported_value_is_read_back_exactly(data: st.DataObject) -> None:
    unit, values = data.draw(st.sampled_from(UNITS))
    value = data.draw(values)
    assert unit.read(written(unit, value)) == value


@pytest.mark.parametrize("reverse", [False, True])
def test_exported_inputs_give_the_same_answer(reverse: bool) -> None:
    example = ASYNC.way(reverse=reverse).example
    first = ask(ASYNC, read_texts(ASYNC, example, reverse=reverse), reverse=reverse, release=NEWEST)
    again = ask(ASYNC, read_texts(ASYNC, export(first), reverse=reverse), reverse=reverse, release=NEWEST)
    assert again.answer == first.answer


# -- opening


def test_a_refused_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a: 1\nrest.port:\n")
    with pytest.raises(ValueError, match=rf"^{tmp_path}/config.yaml:2: .*flint check"):
        open_configuration(str(tmp_path))


def test_the_release_comes_from_what_is_told_or_found(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("rest.port: 1\n")
    assert open_configuration(str(tmp_path)).release == Release(1, 20)
    assert open_configuration(str(tmp_path), flink_version="1.17.2").release == Release(1, 17, 2)
    image = tmp_path / "image"
    image.mkdir()
    (image / "Dockerfile").write_text("FROM flink:1.16.1-java11\n")
    (image / "flink-conf.yaml").write_text("rest.port: 1\n")
    found = open_configuration(str(image))
    assert (found.release, found.evidence) == (Release(1, 16, 1), "Dockerfile")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.txt", "flint reads config.yaml"),
        ("missing.yaml", "no such file"),
        ("", "the directory has no"),
    ],
)
def test_what_cannot_be_opened_is_told(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(ValueError, match=told):
        open_configuration(str(tmp_path / name))


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (None, "has no config.yaml or flink-conf.yaml, which Flink reads"),
        ("1.18", "has no flink-conf.yaml, which Flink 1.18 reads"),
        ("1.19", "has no config.yaml or flink-conf.yaml, which Flink 1.19 reads"),
        ("2.0", "has no config.yaml, which Flink 2.0 reads"),
    ],
)
def test_a_directory_without_a_configuration_is_told_which_file_the_release_reads(
    version: str | None, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=rf"^{tmp_path}: the directory {told}$"):
        open_configuration(str(tmp_path), flink_version=version)


def test_a_file_that_is_a_template_as_a_whole_wants_to_be_rendered(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a.b: {{ x }}\n")
    with pytest.raises(ValueError, match=r"is a template.*; render it first, or omit --config and pass flags"):
        open_configuration(str(tmp_path / "config.yaml"))


def test_another_release_reads_the_same_file(tmp_path: Path) -> None:
    opened = opened_at(tmp_path, "rest.port: 1\n")
    assert opened.at(Release(1, 19)).configuration.release == Release(1, 19)
    assert opened.at(opened.release) is opened
