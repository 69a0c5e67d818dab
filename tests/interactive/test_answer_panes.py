"""The text of the answer panes at a given width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.content import Content

from flink_flint.calculators.answering.answer import Answer, Value
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.answering.setting_changes import Change
from flink_flint.calculators.command_line.collect_inputs import Asked, Source, ask
from flink_flint.calculators.formulas.quantity import SECONDS, choice
from flink_flint.calculators.interactive.answer_panes import (
    answer_page,
    headline,
    help_lines,
    in_lines,
    reasoning_page,
    settings_page,
)
from flink_flint.linter.flink.releases import parse_release

ARGUMENTS = choice("-Xmx512m -Xms512m -Xss4", "-Xmx512m -Xms512m -Xss4m")
"""A unit of long texts: one of 23 characters, one of 24."""


def asked(name: str, **given: Any) -> Asked:
    """The answer of a calculator to values by field name."""
    return ask(calculator(name), given, release=parse_release("1.20"))


EXAMPLE = asked("async-io", read_timeout=2.0, capacity=5000, pool=200)


def page(*values: Value, width: int = 80, roomy: bool = True, **parts: Any) -> list[str]:
    """The lines of the answer pane for values and other parts of an answer."""
    answer = Answer(values=values, **{"binding": "", "steps": (), **parts})
    lines = answer_page(EXAMPLE._replace(answer=answer), width, roomy=roomy).plain.split("\n")
    return [line.rstrip() for line in lines]


TIMEOUT = Value("timeout", 52.0, SECONDS, "for all calls")


@pytest.mark.parametrize(("roomy", "between"), [(True, [""]), (False, [])])
def test_empty_lines_between_the_paragraphs_need_room_and_the_values_always_stand_apart(
    roomy: bool, between: list[str]
) -> None:
    lines = page(TIMEOUT, roomy=roomy, binding="Calls queue.", warnings=("Few threads.",))
    first, second = "because  Calls queue.", "! warning  Few threads."
    assert lines == [first, *between, second, "", "timeout  52 s  for all calls"]


def test_values_are_headed_only_if_there_is_a_current_setting_to_compare_with() -> None:
    kept = Value("wait", 9.0, SECONDS, "at most", present=9.0)
    assert page(TIMEOUT._replace(present=10.0), kept, Value("pause", 1.0, SECONDS, "not set")) == [
        "          now     answer",
        "timeout  10 s  →  52 s    for all calls",
        "wait      9 s  =  9 s     at most",
        "pause             1 s     not set",
    ]
    assert page(TIMEOUT) == ["timeout  52 s  for all calls"]


@pytest.mark.parametrize(
    ("present", "line"),
    [(None, "timeout  52 s"), (10.0, "timeout  52 s   now 10 s"), (52.0, "timeout  52 s   unchanged")],
)
def test_the_headline_tells_the_current_value_or_that_it_stays(present: float | None, line: str) -> None:
    answer = Answer(values=(TIMEOUT._replace(present=present),), binding="", steps=())
    assert headline(EXAMPLE._replace(answer=answer)).plain == line


def test_an_explanation_stands_beside_its_value_only_in_a_pane_with_room_for_it() -> None:
    used = len("timeout  52 s  ")
    assert page(TIMEOUT, width=used + 30) == ["timeout  52 s  for all calls"]
    assert page(TIMEOUT, width=used + 29) == ["timeout  52 s"]
    changed, used = TIMEOUT._replace(present=10.0), len("timeout  10 s  →  52 s    ")
    assert page(changed, width=used + 30)[1:] == ["timeout  10 s  →  52 s    for all calls"]
    assert page(changed, width=used + 29)[1:] == ["timeout  10 s  →  52 s"]


def test_a_long_value_has_its_line_to_itself_and_does_not_push_the_other_explanations_aside() -> None:
    shorter, longer = (Value("jvm", text, ARGUMENTS, "arguments") for text in ARGUMENTS.choices)
    assert page(TIMEOUT, longer) == [
        "timeout  52 s  for all calls",
        "jvm      -Xmx512m -Xms512m -Xss4m",
    ]
    assert page(TIMEOUT, shorter) == [
        "timeout  52 s                     for all calls",
        "jvm      -Xmx512m -Xms512m -Xss4  arguments",
    ]


def test_the_steps_of_the_reasoning_are_numbered_and_indented_below_their_numbers() -> None:
    steps = ("Each of 200 threads serves 25 calls.", "The last call waits.")
    lines = reasoning_page(EXAMPLE._replace(answer=replace(EXAMPLE.answer, steps=steps)), 24).plain.split("\n")
    assert lines[:3] == ["1. Each of 200 threads", "   serves 25 calls.", "2. The last call waits."]


def test_the_reasoning_tells_where_each_input_is_from_and_what_each_value_means() -> None:
    sources = {
        "pool": Source("given", "given"),
        "retries": Source("assumed", "none"),
        "ordered": Source("assumed", ""),
        "parallelism": Source("file", "config.yaml:12"),
    }
    inputs = {"pool": 200, "retries": 0, "ordered": False, "parallelism": 8}
    answer = Answer(values=(TIMEOUT,), binding="", steps=("It is a sum.",))
    page = reasoning_page(EXAMPLE._replace(inputs=inputs, sources=sources, answer=answer), 80)
    assert page.plain.split("\n") == [
        "1. It is a sum.",
        "",
        "Inputs used",
        "pool         200  given",
        "retries      0    assumed: none",
        "ordered      no   assumed",
        "parallelism  8    config.yaml:12",
        "",
        "Meaning of the values",
        "timeout  for all calls",
        "",
        "flint explain async-io shows the formulas and their sources",
    ]


def test_a_long_remark_is_wrapped_in_its_column() -> None:
    sources = {"pool": Source("file", "config.yaml:12 is a template")}
    answer = replace(EXAMPLE.answer, values=(TIMEOUT._replace(explanation="for all calls that wait in line"),))
    page = reasoning_page(EXAMPLE._replace(inputs={"pool": 200}, sources=sources, answer=answer), 26)
    assert "pool  200  config.yaml:12\n           is a template" in page.plain
    assert "timeout  for all calls\n         that wait in line" in page.plain


CHANGED = {"taskmanager.numberOfTaskSlots": "4", "parallelism.default": "8"}


def test_without_a_configuration_each_setting_is_an_addition_without_a_current_value() -> None:
    example = EXAMPLE._replace(
        settings=EXAMPLE.settings._replace(settings=CHANGED),
        answer=replace(EXAMPLE.answer, remove=("taskmanager.memory.process.size",)),
    )
    assert settings_page(example, None, 120).plain.split("\n")[:4] == [
        "Settings for Flink 1.20",
        "  + taskmanager.numberOfTaskSlots: 4",
        "  + parallelism.default: 8",
        "  - taskmanager.memory.process.size: remove",
    ]


def test_beside_a_configuration_each_setting_is_told_apart_by_what_changes_in_the_file() -> None:
    changes = [
        Change("taskmanager.numberOfTaskSlots", "2", "4"),
        Change("taskmanager.memory.process.size", "4g", None),
    ]
    example = EXAMPLE._replace(settings=EXAMPLE.settings._replace(settings=CHANGED), changes=changes)
    assert settings_page(example, "config.yaml", 120).plain.split("\n")[:4] == [
        "config.yaml, Flink 1.20",
        "  ~ taskmanager.numberOfTaskSlots: 2 → 4",
        "  = parallelism.default: 8",
        "  - taskmanager.memory.process.size: 4g → remove",
    ]


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("parallelism", "count · at least 1 · like 1 · parallelism.default"),
        ("retries", "count · at least 0 · like 200"),
    ],
)
def test_the_facts_about_a_field_name_its_option_if_it_has_one(name: str, facts: str) -> None:
    declared = next(one for one in inputs_of(calculator("async-io").forward.inputs) if one.name == name)
    assert help_lines(declared, 120).plain.split("\n")[-1] == facts


def test_items_stand_side_by_side_and_one_wider_than_the_pane_on_a_line_of_its_own() -> None:
    items = [Content(text) for text in ("a wide item", "b", "c")]
    assert in_lines(items, 8).plain.split("\n") == ["a wide item", "b  c"]
