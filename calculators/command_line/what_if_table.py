"""The what-if table: one row per value of the input, the values of the answer as columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.declaration import BadInput, Input, flag_of, inputs_of
from flink_flint.calculators.command_line.answer_formats import fill, value_object
from flink_flint.calculators.command_line.collect_inputs import Asked
from flink_flint.calculators.command_line.what_if import Variation
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style
from flink_flint.linter.text.named_tuple import NamedTuple


class Table(NamedTuple):
    """The answers for all tried values of an input."""

    declared: Input
    rows: list[tuple[Any, Answer | BadInput]]
    present: Any
    """The current value of the varied input; None if the input has no value."""

    @property
    def is_ordered(self) -> bool:
        """Whether the tried values are numbers, and therefore ordered."""
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value, _ in self.rows)

    def as_text(self, style: Style, width: int) -> Iterator[str]:
        """Yield the table's lines for a terminal, with the current row marked; a note names columns that do not fit."""
        return _text_lines(self, style, width)

    def as_markdown(self) -> str:
        """Return the table in Markdown, with the current row in bold."""
        return _markdown(self)

    def as_json(self) -> dict[str, Any]:
        """Return the table as a JSON object, with the complete answer of each row."""
        return {
            "input": self.declared.name,
            "unit": self.declared.unit.name,
            "present": self.present,
            "rows": [_row_object(self.declared, value, answer) for value, answer in self.rows],
        }


def _row_object(declared: Input, value: Any, answer: Answer | BadInput) -> dict[str, Any]:
    row = {"value": value, "text": declared.unit.spell(value)}
    if isinstance(answer, BadInput):
        return {**row, "values": None, "errors": [str(answer)], "warnings": []}
    return {
        **row,
        "values": [value_object(one) for one in answer.values],
        "errors": list(answer.errors),
        "warnings": list(answer.warnings),
    }


def table(asked: Asked, variation: Variation, rows: list[tuple[Any, Answer | BadInput]]) -> Table:
    """Return the what-if table of a variation, including a row for the input's current value."""
    declared = next(one for one in inputs_of(asked.way.inputs) if one.name == variation.name)
    present = asked.inputs.get(variation.name)
    if present is not None and present not in variation.values:
        rows = [*rows, (present, asked.answer)]
        if isinstance(present, (int, float)) and not isinstance(present, bool):
            rows.sort(key=lambda row: row[0])
    return Table(declared, rows, present)


def _names(rows: list[tuple[Any, Answer | BadInput]]) -> dict[str, str]:
    """Return the titles by name of all values in any row, in order."""
    answers = [answer for _, answer in rows if isinstance(answer, Answer)]
    return {value.name: value.title for answer in answers for value in answer.values}


def _text(answer: Answer | BadInput, name: str) -> str:
    if isinstance(answer, BadInput):
        return ""
    return next((value.text for value in answer.values if value.name == name), "")


_VERDICT = "verdict"


def _verdict(answer: Answer | BadInput) -> str:
    if isinstance(answer, BadInput):
        return "impossible"
    return "breaks" if answer.errors else ""


def _columns(shown: Table) -> tuple[list[list[str]], dict[str, str]]:
    """Return the columns, their titles first, and the values that are the same in all rows, by title."""
    spelt = [shown.declared.unit.spell(value) for value, _ in shown.rows]
    columns = [[shown.declared.flag, *spelt]]
    same: dict[str, str] = {}
    for name, title in _names(shown.rows).items():
        texts = [_text(answer, name) for _, answer in shown.rows]
        entries = {text for text in texts if text}
        if len(entries) == 1 and len(texts) > 1:
            same[title] = entries.pop()
        else:
            columns.append([title, *texts])
    verdicts = [_verdict(answer) for _, answer in shown.rows]
    if any(verdicts):
        columns.append([_VERDICT, *verdicts])
    return columns, same


def _changes_nothing(shown: Table) -> str:
    """Return a sentence that says that the input does not affect the answer; empty if it does."""
    columns, same = _columns(shown)
    if len(columns) > 1 or len(shown.rows) < 2:
        return ""
    low, high = (shown.declared.unit.spell(value) for value in (shown.rows[0][0], shown.rows[-1][0]))
    span = f" from {low} to {high}" if shown.is_ordered else ""
    return f"{shown.declared.flag} changes nothing in the answer{span}: {_listed(same)}"


def _text_lines(shown: Table, style: Style, width: int) -> Iterator[str]:
    columns, same = _columns(shown)
    if result := _changes_nothing(shown):
        yield from f"  {fill(result, width, '  ', used=2)}".splitlines()
        return
    titles = [_stacked(column[0]) for column in columns]
    widths = [max(map(len, [*title, *column[1:]])) for title, column in zip(titles, columns, strict=True)]
    left_out: list[str] = []
    judged = columns[-1][0] == _VERDICT
    last = len(columns) - 1 if judged else len(columns)
    while sum(widths) + 2 * len(widths) > width and last > 2:
        last -= 1
        left_out.insert(0, columns[last][0])
        del columns[last], titles[last], widths[last]
    height = max(map(len, titles))
    for level in range(height):
        cells = [([""] * (height - len(title)) + title)[level] for title in titles]
        yield style.paint(DIM, "  " + "  ".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True)).rstrip())
    for place, (value, answer) in enumerate(shown.rows, 1):
        cells = [column[place] for column in columns]
        line = "  ".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=True)).rstrip()
        if value == shown.present:
            yield f"{style.paint(FRAME, '>')} {style.paint(BOLD, line)}"
        elif isinstance(answer, BadInput) or answer.errors:
            yield f"  {style.severity(Severity.ERROR, line)}"
        else:
            yield f"  {line}"
    notes = [_same_in_all(same)] if same else []
    if left_out:
        notes.append(f"not shown: {', '.join(left_out)}; a wider terminal or --output-format markdown shows all")
    for value, answer in shown.rows:
        if isinstance(answer, BadInput):
            notes.append(f"{shown.declared.unit.spell(value)} is impossible: {_reason(shown, answer)}")
    notes += _legend(shown)
    if notes:
        yield ""
    for note in notes:
        yield from style.paint(DIM, f"  {fill(note, width, '  ', used=2)}").splitlines()


def _same_in_all(same: dict[str, str]) -> str:
    return f"the same in every row: {_listed(same)}"


def _listed(same: dict[str, str]) -> str:
    return ", ".join(f"{title} {text}" for title, text in same.items())


def _legend(shown: Table) -> list[str]:
    """Return the legend of `breaks`, with the first row's error; empty if no row breaks."""
    for value, answer in shown.rows:
        if isinstance(answer, Answer) and answer.errors:
            return [f"breaks: the answer has an error; at {shown.declared.unit.spell(value)}: {answer.errors[0]}"]
    return []


def _reason(shown: Table, bad: BadInput) -> str:
    return bad.message if bad.name == shown.declared.name else str(bad)


def _stacked(title: str) -> list[str]:
    """Return a title wrapped to one word per line, short words joined with their neighbors."""
    lines: list[str] = []
    for word in title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= max(8, len(max(title.split(), key=len))):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _markdown(shown: Table) -> str:
    columns, same = _columns(shown)
    heading = f"## What if `{flag_of(shown.declared.name)}` were different"
    if result := _changes_nothing(shown):
        return f"\n{heading}\n\n{result}.\n"
    rows = list(zip(*columns, strict=True))
    lines = [f"| {' | '.join(rows[0])} |", "|" + "---|" * len(columns)]
    for (value, _), cells in zip(shown.rows, rows[1:], strict=True):
        marked = [f"**{cell}**" if value == shown.present and cell else cell for cell in cells]
        lines.append(f"| {' | '.join(marked)} |")
    if same:
        result = _same_in_all(same)
        lines += ["", f"{result[:1].upper()}{result[1:]}."]
    for value, answer in shown.rows:
        if isinstance(answer, BadInput):
            lines += ["", f"{shown.declared.unit.spell(value)} is impossible: {_reason(shown, answer)}."]
    for note in _legend(shown):
        lines += ["", f"{note[:1].upper()}{note[1:]}."]
    return "\n".join(["", heading, "", *lines]) + "\n"
