"""`--input FILE`: what it may hold, and what is said of what it may not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.calculators.answering.calculator import NAMES, calculator
from flink_flint.calculators.answering.declaration import schema
from flink_flint.calculators.command_line.input_file import read_input_file
from tests.conftest import Flint

ASYNC = calculator("async-io")


def read(folder: Path, text: str, name: str = "in.yaml") -> dict[str, object]:
    path = folder / name
    path.write_text(text)
    return read_input_file(str(path), ASYNC).values


def test_yaml_and_json_with_units_and_numbers(tmp_path: Path) -> None:
    values = {"rate": 3000.0, "latency": 0.04, "read_timeout": 2.0, "parallelism": 4, "ordered": True}
    assert read(tmp_path, "rate: 3k/s\nlatency: 40ms\nread-timeout: 2s\nparallelism: 4\nordered: yes\n") == values
    text = '{\n\t"rate": "3k/s",\n\t"latency": "40 ms",\n\t"read_timeout": "2s", "parallelism": "4", "ordered": true\n}'
    assert read(tmp_path, text, "in.json") == values


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, "rate: '?'\nlimit: ''\nclient: '?'\nlatency: 40ms\n") == {"latency": 0.04}
    assert read(tmp_path, "# nothing yet\n") == {}


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("rate: 3k/s\nlatncy: 40ms\n", 2, "'latncy' is not an input of async-io; did you mean latency?"),
        ("rate: 3k/s\nlatency: 40\n", 2, "latency: 40 has no unit; write it like 2s"),
        ("rate: 3k/s\nlatency: fast\n", 2, "latency: 'fast' does not start with a number"),
        ("\nrate: 0/s\n", 2, "rate: 0/s is out of range; allowed: above 0/s"),
        ("client: mixed\n", 1, "client: 'mixed' is not one of pool, async"),
        ("latency:\n", 1, "latency: has no value; write it like 2s, or ? if it is not known"),
        ("latency: [1s, 2s]\n", 1, "latency: requires one value"),
        ("rate: true\n", 1, "rate: true is not a quantity"),
        ("latency: 1s\nrate: 3/s\nlatency: 2s\n", 3, "latency is already given in line 1"),
        ("- latency\n", 1, "requires a mapping"),
        ("a: b: c\n", 1, "not valid YAML"),
        ("latency: 1s\nx\n", 3, "not valid YAML"),
    ],
)
def test_a_fault_is_told_with_its_line_and_the_remedy(text: str, line: int, told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"in\.yaml") as found:
        read(tmp_path, text)
    assert str(found.value).startswith(f"{tmp_path}/in.yaml:{line}: ")
    assert told in str(found.value)


def test_bad_json_and_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"in\.json:2: not valid JSON"):
        read(tmp_path, '{"rate": 1,\n "latency" "2s"}', "in.json")
    with pytest.raises(ValueError, match="no such file"):
        read_input_file(str(tmp_path / "none.yaml"), ASYNC)
    (tmp_path / "latin.yaml").write_bytes(b"a: 1\nb: \xe9\n")
    with pytest.raises(ValueError, match=r"latin\.yaml:2: the file is not UTF-8"):
        read_input_file(str(tmp_path / "latin.yaml"), ASYNC)


def test_an_input_of_the_other_way_is_told_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "in.yaml").write_text("rate: 3k/s\n")
    with pytest.raises(ValueError, match="it is one without --reverse"):
        read_input_file(str(tmp_path / "in.yaml"), ASYNC, reverse=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_schema_takes_the_worked_example(name: str, reverse: bool, tmp_path: Path) -> None:
    way = calculator(name).way(reverse=reverse)
    assert schema(way.inputs)["additionalProperties"] is False
    (tmp_path / "in.json").write_text(json.dumps(dict(way.example)))
    found = read_input_file(str(tmp_path / "in.json"), calculator(name), reverse=reverse)
    assert found.values.keys() == way.example.keys()


@pytest.mark.slow
def test_all_faults_are_told_in_the_order_of_the_file(tmp_path: Path, flint: Flint) -> None:
    (tmp_path / "in.yaml").write_text("rate: 0/s\nlatncy: 40ms\nlatency: 40\nclient: pool\nread-timeout: fast\n")
    result = flint("size", "async-io", "--input", "in.yaml", "--pool", "many")
    assert (result.returncode, result.stdout) == (2, "")
    told = [" ".join(line.split()[:3]) for line in result.stderr.splitlines()]
    assert told == [
        "error: in.yaml:1: rate:", "error: in.yaml:2: 'latncy'", "error: in.yaml:3: latency:",
        "error: in.yaml:5: read_timeout:", "error: --pool: 'many'",
    ]  # fmt: skip


@pytest.mark.slow
def test_inputs_may_come_through_a_pipe(flint: Flint) -> None:
    arguments = ("size", "async-io", "--input", "-", "--output-format", "json")
    result = flint(*arguments, stdin="rate: 3k/s\nlatency: 40ms\nread-timeout: 2s\n")
    assert json.loads(result.stdout)["inputs"]["latency"] == "40 ms"
    result = flint(*arguments, stdin="rate: 3\n")
    assert result.returncode == 2
    assert result.stderr.startswith("error: standard input:1: rate: 3 has no unit; write it like 5k/s")


@pytest.mark.slow
def test_an_answer_of_flint_gives_its_inputs(flint: Flint, tmp_path: Path) -> None:
    words = [f"--{name.replace('_', '-')}={text}" for name, text in ASYNC.forward.example.items()]
    first = flint("size", "async-io", *words, "--output-format", "json").stdout
    again = flint("size", "async-io", "--input", "-", "--output-format", "json", stdin=first)
    assert json.loads(again.stdout)["values"] == json.loads(first)["values"]
    (tmp_path / "a.json").write_text(first)
    other = flint("size", "checkpoint", "--input", "a.json")
    assert (other.returncode, other.stderr) == (
        2, "error: a.json:1: an answer of async-io, not of checkpoint; use `flint size async-io`\n"
    )  # fmt: skip
    assert "add --reverse" not in flint("size", "async-io", "--reverse", "--input", "a.json").stderr
    assert "omit --reverse" in flint("size", "async-io", "--reverse", "--input", "a.json").stderr
    (tmp_path / "a.json").write_text(first.replace('"version": 1', '"version": 2'))
    assert "this flint reads version 1" in flint("size", "async-io", "--input", "a.json").stderr


def test_flags_win_over_the_file(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "in.yaml").write_text("rate: 3k/s\nlatency: 40ms\nread_timeout: 2s\n")
    arguments = ("size", "async-io", "--input", "in.yaml", "--output-format", "json")
    assert json.loads(flint(*arguments).stdout)["inputs"]["latency"] == "40 ms"
    assert json.loads(flint(*arguments, "--latency", "1s").stdout)["inputs"]["latency"] == "1 s"


def test_the_inputs_of_an_answer_are_a_file_that_gives_it_again(flint: Flint, tmp_path: Path) -> None:
    words = [f"--{name.replace('_', '-')}={text}" for name, text in ASYNC.forward.example.items()]
    first = json.loads(flint("size", "async-io", *words, "--output-format", "json").stdout)
    (tmp_path / "in.json").write_text(json.dumps(first["inputs"]))
    again = json.loads(flint("size", "async-io", "--input", "in.json", "--output-format", "json").stdout)
    assert again["values"] == first["values"]
    assert again["inputs"] == first["inputs"]
