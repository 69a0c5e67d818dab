"""An answer as text and as Markdown: which parts it has, and where they are in narrow terminals."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.command_line.answer_formats import as_markdown, as_text, rows
from flink_flint.calculators.command_line.collect_inputs import Asked, ask, read_texts
from flink_flint.calculators.command_line.open_configuration import open_configuration
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.output.terminal_style import Style


def asked(**texts: str) -> Asked:
    found = calculator("async-io")
    needed = {"rate": "3000/s", "latency": "40ms", "read_timeout": "2s"}
    return ask(found, read_texts(found, {**needed, **texts}), release=parse_release("2.3"))


def example(name: str, file: Path | None = None) -> Asked:
    """Return the answer to a calculator's example, with a configuration if there is a file."""
    found, release = calculator(name), parse_release("1.20")
    opened = None if file is None else open_configuration(str(file), flink_version="1.20")
    return ask(found, read_texts(found, found.forward.example), release=release, opened=opened)


def lines(shown: Asked, width: int) -> list[str]:
    return list(as_text(shown, Style(False), width))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "flink-conf.yaml"
    path.write_text("taskmanager.memory.flink.size: 1g\ntaskmanager.memory.managed.size: 2gb\n")
    return path


def test_each_setting_has_its_kind_of_change(config: Path) -> None:
    config.write_text(f"{config.read_text()}taskmanager.memory.jvm-metaspace.size: 1gb\n")
    found = {
        row.key.removeprefix("taskmanager.memory."): row[1:] for row in rows(example("taskmanager-memory", config))
    }
    assert found == {
        "process.size": (None, "5365mb", "add"),
        "jvm-metaspace.size": ("1gb", "192mb", "change"),
        "managed.size": ("2gb", "2gb", "keep"),
        "flink.size": ("1g", None, "remove"),
    }


def test_only_without_a_configuration_markdown_lists_the_keys_that_must_not_be_set(config: Path) -> None:
    told = "\nMust not be set together with these: `taskmanager.memory.flink.size`, "
    assert told in as_markdown(example("taskmanager-memory"))
    text = as_markdown(example("taskmanager-memory", config))
    assert "Must not be set" not in text
    assert "| `taskmanager.memory.flink.size` | `1g` | remove |" in text


@pytest.mark.parametrize("name", ["taskmanager-memory", "async-io"])
def test_the_memory_of_a_process_is_drawn_where_the_answer_has_it(name: str) -> None:
    assert ("Memory of the process" in lines(example(name), 80)) == (name == "taskmanager-memory")


def test_the_current_value_has_its_own_line_where_it_does_not_fit_beside_the_result() -> None:
    assert "  timeout: 6 s   now 4 s" in lines(asked(timeout="4s"), 24)
    narrow = lines(asked(timeout="4s"), 23)
    assert narrow[narrow.index("  timeout: 6 s") + 1] == "  now 4 s"
    assert not any("now" in line for line in lines(asked(), 23)[:6])


@pytest.mark.parametrize(("texts", "column"), [({}, 26), ({"timeout": "4s"}, 33)])
def test_explanations_have_one_column_while_it_is_wide_enough(texts: dict[str, str], column: int) -> None:
    beside = lines(asked(**texts), column + 24)
    place = next(number for number, line in enumerate(beside) if line.startswith("  safe rate "))
    assert beside[place][column - 1 :] == " records per second that"
    assert beside[place + 1] == f"{'':{column}}may usually arrive; a"
    below = lines(asked(**texts), column + 23)
    place = next(number for number, line in enumerate(below) if line.startswith("  safe rate "))
    assert below[place].rstrip().endswith("3 001/s")
    assert below[place + 1].startswith("      records per second that may ")


def test_only_inputs_that_were_not_given_have_their_origin_beside_them() -> None:
    found = lines(asked(), 80)
    assert "  --latency          40 ms" in found
    assert "  --retries          0        assumed: none" in found
    assert "  --parallelism      1        default of Flink 2.3" in found
