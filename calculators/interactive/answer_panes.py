"""The text of the answer panes, laid out for a given width.

Words or marks repeat what colors show, for terminals without colors and color-blind users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from textual.content import Content

from flink_flint.calculators.answering.answer import Answer, Value
from flink_flint.calculators.answering.declaration import Input, inputs_of
from flink_flint.calculators.command_line.answer_formats import VALUES_TITLE, Row, fill, rows
from flink_flint.calculators.command_line.collect_inputs import Asked

MUTED = "$foreground 60%"
STRONG = "bold"
ACCENT = "bold $text-primary"
ERROR = "bold $text-error"
WARNING = "bold $text-warning"
GOOD = "bold $text-success"

_NARROW = 30
"""The minimum columns for an explanation next to a value."""

_LONG = 24
"""The number of characters from which a value (such as JVM arguments) gets its own lines."""


def headline(asked: Asked) -> Content:
    """Return a one-line result: the first value of the answer, with its current value."""
    first = asked.answer.values[0]
    return Content.assemble((f"{first.title}  ", MUTED), _compared(first))


def answer_page(asked: Asked, width: int, *, wrong: Iterable[str] = (), roomy: bool = True) -> Content:
    """Return the reason for the answer, its errors and warnings, and each answered value next to the current setting.

    `wrong`: errors in the inputs, because of which the answer is still that to the previous ones. `roomy`: whether the
    window has room for empty lines between the paragraphs.
    """
    answer = asked.answer
    blocks = [_paragraph("✗ outdated", text, width, ERROR) for text in wrong]
    blocks += [_paragraph("because", answer.binding, width, ACCENT)] if answer.binding else []
    blocks += _judgements(answer, width)
    table = _joined(_table(answer.values, width))
    return _joined([_joined(blocks, "\n\n" if roomy else "\n"), table], "\n\n") if blocks else table


def _compared(value: Value) -> Content:
    if value.present is None:
        return Content.styled(value.text, ACCENT)
    now = value.unit.spell(value.present)
    text = f"   now {now}" if value.present != value.value else "   unchanged"
    return Content.assemble((value.text, ACCENT), (text, MUTED))


def _judgements(answer: Answer, width: int) -> list[Content]:
    return [
        *(_paragraph("✗ error", text, width, ERROR) for text in answer.errors),
        *(_paragraph("! warning", text, width, WARNING) for text in answer.warnings),
    ]


def _table(values: tuple[Value, ...], width: int) -> Iterator[Content]:
    compares = any(value.present is not None for value in values)
    now = ["" if value.present is None else value.unit.spell(value.present) for value in values]
    named = max(len(value.title) for value in values)
    present = max(len("now"), *map(len, now))
    start = named + 2 + (present + 5 if compares else 0)
    room = max([len(VALUES_TITLE) if compares else 0, *(len(one.text) for one in values if len(one.text) < _LONG)])
    used = start + room + 2
    if compares:
        yield Content.styled(f"{'':{named}}  {'now':>{present}}     {VALUES_TITLE}", MUTED)
    for value, before in zip(values, now, strict=True):
        cells: list[Any] = [(f"{value.title:<{named}}  ", MUTED)]
        if compares:
            mark = " " if not before else "=" if value.present == value.value else "→"
            cells += [f"{before:>{present}}", (f"  {mark}  ", MUTED)]
        if len(value.text) >= _LONG:
            cells.append((fill(value.text, width, " " * start, used=start), STRONG))
        elif width - used < _NARROW:
            cells.append((value.text, STRONG))
        else:
            explained = fill(value.explanation, width, " " * used, used=used)
            cells += [(f"{value.text:<{room}}  ", STRONG), (explained, MUTED)]
        yield Content.assemble(*cells)


def reasoning_page(asked: Asked, width: int) -> Content:
    """Return the numbered steps of the calculation, the inputs they use, and the meaning of the values."""
    declared = {one.name: one for one in inputs_of(asked.way.inputs)}
    inputs = []
    for name, value in asked.inputs.items():
        source = asked.sources[name]
        why = f"assumed: {source.text}" if source.kind == "assumed" and source.text else source.text or source.kind
        inputs.append((name.replace("_", " "), declared[name].unit.spell(value), why))
    blocks = [
        _joined(_item(f"{number}.", step, width) for number, step in enumerate(asked.answer.steps, 1)),
        _headed("Inputs used", _columns(inputs, width)),
        _headed("Meaning of the values", _columns([(v.title, "", v.explanation) for v in asked.answer.values], width)),
        Content.styled(
            fill(f"flint explain {asked.calculator.name} shows the formulas and their sources", width), MUTED
        ),
    ]
    return _joined(blocks, "\n\n")


def _columns(rows: list[tuple[str, str, str]], width: int) -> Iterator[Content]:
    """Return name, value and remark in columns, the remark wrapped in its column."""
    names = max(len(name) for name, _, _ in rows) + 2
    texts = max(len(text) for _, text, _ in rows)
    used = names + (texts + 2 if texts else 0)
    for name, text, remark in rows:
        value = f"{text:<{texts}}  " if texts else ""
        yield Content.assemble(
            (f"{name:<{names}}", MUTED), value, (fill(remark, max(width, used + 12), " " * used, used=used), MUTED)
        )


def _headed(title: str, lines: Iterable[Content]) -> Content:
    return _joined([Content.styled(title, STRONG), *lines])


def settings_page(asked: Asked, path: str | None, width: int) -> Content:
    """Return the settings to add, change, remove and keep, as the release spells them, and code to change elsewhere."""
    blocks = []
    listed = rows(asked)
    if path is None:
        listed += [Row(key, None, None, "remove") for key in asked.answer.remove]
    if listed:
        title = f"Settings for Flink {asked.release}" if path is None else f"{path}, Flink {asked.release}"
        blocks.append(_joined([Content.styled(title, STRONG), *(_row(row, width) for row in listed)]))
    elif not asked.answer.elsewhere:
        blocks.append(Content(fill("This answer sets no option of Flink.", width)))
    for alone in asked.left_alone:
        required = f"the answer is {alone.wanted}" if alone.wanted else "it should be removed"
        text = f"{alone.key} comes from a template, {alone.was}, and is not changed; {required}"
        blocks.append(_paragraph("! warning", text, width, WARNING))
    for key in asked.settings.unknown:
        blocks.append(_paragraph("! warning", f"Flink {asked.release} has no {key}", width, WARNING))
    for snippet in asked.answer.elsewhere:
        code = [Content(f"  {line}") for line in snippet.text.splitlines()]
        blocks.append(_joined([Content.styled(_sentence_case(snippet.where), STRONG), *code]))
    return _joined(blocks, "\n\n")


_MARKS = {"add": ("+", GOOD), "change": ("~", WARNING), "remove": ("-", ERROR), "keep": ("=", MUTED)}


def _row(row: Row, width: int) -> Content:
    """Return ``+ key: value``; in narrow panes the value goes on the next line."""
    mark, style = _MARKS[row.kind]
    required = row.wanted or ("remove" if row.now is None else f"{row.now} → remove")
    text = f"{row.now} → {required}" if row.kind == "change" else required
    between = " " if len(row.key) + len(text) + 6 <= width else "\n      "
    return Content.assemble(
        (f"  {mark} ", style), f"{row.key}:", between, (text, MUTED if row.kind == "keep" else STRONG)
    )


def waiting_page(wanted: Iterable[Input], wrong: Iterable[str], width: int) -> Content:
    """Return the page shown while inputs are missing or wrong."""
    blocks = []
    blocks += [_paragraph("✗ error", text, width, ERROR) for text in wrong]
    if names := [one.name.replace("_", " ") for one in wanted]:
        blocks.append(_paragraph("waiting for", ", ".join(names), width, ACCENT))
        blocks.append(Content.styled(fill("ctrl+g fills in a worked example", width), MUTED))
    return _joined(blocks, "\n\n")


def help_lines(declared: Input, width: int) -> Content:
    """Return the help for the focused field: meaning, unit, range, and the option or metric that provides the value."""
    known = [declared.unit.name if not declared.unit.choices else "", declared.range, f"like {declared.example}"]
    if declared.unit.choices or declared.unit.name == "yes/no":
        known = [declared.range if declared.range != "any" else "yes or no"]
    known += [declared.option, f"{declared.metric} {declared.statistic}".strip()]
    facts = " · ".join(part for part in known if part and part != "any")
    meaning = _sentence_case(declared.meaning)
    return Content.assemble(fill(meaning, width), "\n", (fill(facts, width), MUTED))


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _paragraph(mark: str, text: str, width: int, style: str) -> Content:
    indent = "  "
    return Content.assemble((mark, style), "  ", fill(text, width, indent, used=len(mark) + 2))


def _item(mark: str, text: str, width: int) -> Content:
    indent = " " * (len(mark) + 1)
    return Content.assemble((f"{mark} ", MUTED), fill(text, width, indent, used=len(indent)))


def _joined(parts: Iterable[Content], between: str = "\n") -> Content:
    return Content(between).join(list(parts))


def in_lines(items: Iterable[Content], width: int, between: str = "  ") -> Content:
    """Return items side by side, on as many lines as needed, without splitting any item."""
    lines: list[list[Content]] = [[]]
    used = 0
    for item in items:
        length = len(item.plain)
        if used and used + length > width:
            lines.append([])
            used = 0
        lines[-1].append(item)
        used += length + len(between)
    return _joined(_joined(line, between) for line in lines)
