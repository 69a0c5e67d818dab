"""Input files: YAML or JSON, checked against the JSON Schema of the calculator's declaration."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flink_flint.calculators.answering.calculator import Calculator
from flink_flint.calculators.answering.declaration import BadInput, Input, current_name, inputs_of, schema
from flink_flint.calculators.command_line.answer_formats import VERSION
from flink_flint.calculators.command_line.collect_inputs import nearest_name, read_texts
from flink_flint.calculators.formulas.quantity import current_word
from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.text.named_tuple import NamedTuple

LARGEST_FILE = 1 << 20
"""The maximum size of an input file in bytes."""


class InputFile(NamedTuple):
    """The contents of an input file."""

    path: str
    values: dict[str, Any]
    """The values in the file by field name, in base units."""


class BadInputFile(ValueError):  # noqa: N818 - it names the file, not the failure
    """An error about the contents of an input file; `str()` lists all errors, one per line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)
        """The errors, each with the file, the line, what is wrong and what to write."""


def read_input_file(path: str, calculator: Calculator, *, reverse: bool = False) -> InputFile:
    """Read the inputs from a file; `-` is standard input.

    Names may be spelled like flags (``read-timeout``); ``?`` means not known. The file may also be an answer of flint
    in JSON: its inputs are used. Raises BadInputFile with all errors in the values, and ValueError for a file that
    cannot be read at all.
    """
    path, data = ("standard input", sys.stdin.buffer.read(LARGEST_FILE + 1)) if path == "-" else (path, _read(path))
    if len(data) > LARGEST_FILE:
        raise ValueError(f"{path}: more than {LARGEST_FILE >> 20} MiB: too large for a list of inputs")
    texts, lines = _load(path, data, calculator, reverse=reverse)
    declared = {one.name: one for one in inputs_of(calculator.way(reverse=reverse).inputs)}
    faults = dict(_faults(calculator, declared, texts, reverse=reverse))
    values: dict[str, Any] = {}
    for name, text in texts.items():
        if name in faults:
            continue
        try:
            values |= read_texts(calculator, {name: text}, reverse=reverse)
        except BadInput as bad:
            faults[name] = f"{name}: {bad.message}"
    if faults:
        result = sorted((lines.get(name, 1), message) for name, message in faults.items())
        raise BadInputFile([f"{path}:{line}: {message}" for line, message in result])
    return InputFile(path, values)


def _read(path: str) -> bytes:
    try:
        return read_named(path, LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{path}: {(error.strerror or str(error)).lower()}") from None


def _load(path: str, data: bytes, calculator: Calculator, *, reverse: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the values of a file by name, and the line of each name."""
    import yaml

    try:
        # JSON is YAML except for tabs between tokens; the lines stay the same.
        text = data.decode("utf-8-sig").replace("\t", " ")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}:{line}: the file is not UTF-8") from None
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        loaded = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        kind = "JSON" if os.path.splitext(path)[1] == ".json" else "YAML"
        raise ValueError(f"{path}{where}: not valid {kind}: {problem}") from None
    except ValueError as error:  # from the construction of a number or a date
        raise ValueError(f"{path}: a value cannot be read ({error}); write it in quotes, with its unit") from None
    if root is None:
        return {}, {}
    if not isinstance(root, yaml.MappingNode) or not isinstance(loaded, dict):
        raise ValueError(f"{path}:1: requires a mapping of inputs to values, such as `latency: 40ms`")
    if _is_answer(loaded):
        _same_question(path, loaded, calculator, reverse=reverse)
        root = next(value for key, value in root.value if key.value == "inputs")
        loaded = loaded["inputs"]
        assert isinstance(root, yaml.MappingNode)
    lines: dict[str, int] = {}
    for key, _ in root.value:
        name, line = current_name(str(key.value)), key.start_mark.line + 1
        if name in lines:
            raise ValueError(f"{path}:{line}: {name} is already given in line {lines[name]}; keep one of the two")
        lines[name] = line
    values = {name: current_word(value) if isinstance(value, str) else value for name, value in loaded.items()}
    return {current_name(str(name)): value for name, value in values.items()}, lines


def _is_answer(loaded: Mapping[Any, Any]) -> bool:
    """Return whether a file is a JSON answer of flint rather than a list of inputs."""
    return "version" in loaded and isinstance(loaded.get("inputs"), dict)


def _same_question(path: str, loaded: Mapping[Any, Any], calculator: Calculator, *, reverse: bool) -> None:
    """Raise ValueError unless a JSON answer is one of the same calculator and direction."""
    if loaded["version"] != VERSION:
        raise ValueError(f"{path}:1: an answer of version {loaded['version']}; this flint reads version {VERSION}")
    if (name := loaded.get("calculator", calculator.name)) != calculator.name:
        raise ValueError(f"{path}:1: an answer of {name}, not of {calculator.name}; use `flint size {name}`")
    if bool(loaded.get("reverse", reverse)) != reverse:
        remedy = "omit --reverse" if reverse else "add --reverse"
        raise ValueError(f"{path}:1: an answer for the other direction; {remedy}")


def _faults(
    calculator: Calculator, declared: Mapping[str, Input], texts: Mapping[str, Any], *, reverse: bool
) -> Iterator[tuple[str, str]]:
    """Yield each name that the schema rejects, with the reason and the remedy."""
    import jsonschema

    # Inputs missing in the file may come from flags, so that nothing is required here.
    required = {**schema(calculator.way(reverse=reverse).inputs), "required": []}
    for error in jsonschema.Draft202012Validator(required).iter_errors(texts):
        if error.validator == "additionalProperties":
            for name in texts:
                if name not in declared:
                    hint = _hint(name, declared, calculator, reverse=reverse)
                    yield name, f"{name!r} is not an input of {calculator.name}{hint}"
            continue
        name = str(error.absolute_path[0])
        yield name, f"{name}: {_shown(declared[name], texts[name])}"


def _hint(name: str, declared: Mapping[str, Input], calculator: Calculator, *, reverse: bool) -> str:
    if name in {one.name for one in inputs_of(calculator.way(reverse=not reverse).inputs)}:
        return f" in this direction; it is one {'without' if reverse else 'with'} --reverse"
    near = nearest_name(name, declared).replace("--", "").replace("-", "_")
    return near or f" (known are {', '.join(declared)})"


def _shown(declared: Input, value: object) -> str:
    """Return the reason why the schema rejects a value, and what to write."""
    if value is None:
        return f"has no value; write it like {declared.example}, or ? if it is not known"
    if declared.unit.choices:
        return f"{value!r} is not one of {', '.join(declared.unit.choices)}"
    if isinstance(value, (list, dict)):
        return f"requires one value; write it like {declared.example}"
    if isinstance(value, bool):
        return f"{'true' if value else 'false'} is not a quantity; write it like {declared.example}"
    return f"{value!r} has no unit; write it like {declared.example}"
