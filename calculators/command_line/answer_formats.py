"""Output formats of an answer: text, JSON, Markdown, a patch, an input file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.calculators.answering.answer import Value
from flink_flint.calculators.answering.declaration import flag_of, inputs_of
from flink_flint.calculators.answering.setting_changes import Change, LeftAlone
from flink_flint.calculators.command_line.collect_inputs import Asked
from flink_flint.calculators.formulas.quantity import Unit
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, Release, nearest_index
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, GOOD, Style, wrap
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.calculators.command_line.open_configuration import Opened

VERSION = 1
"""The version of the JSON contract for answers; incremented on breaking changes."""

_TASKMANAGER_PARTS = (
    "process_size", "flink_size", "framework_heap", "task_heap", "managed", "framework_off_heap", "task_off_heap",
    "network", "metaspace", "overhead",
)  # fmt: skip
_JOBMANAGER_PARTS = ("process_size", "flink_size", "heap", "off_heap", "metaspace", "overhead")
VALUES_TITLE = "answer"
"""The heading of the value column, which contains both recommended settings and forecasts."""
_NARROWEST = 24
"""The minimum columns for an explanation next to its value; with fewer it goes on the line below."""
_LONGEST = 30
"""The maximum characters of a value that is shown in a column."""


class Row(NamedTuple):
    """A row of the table of settings: a key with its current and its recommended text."""

    key: str
    now: str | None
    """The current value of the key as text; None if the configuration does not set the key."""
    wanted: str | None
    """The recommended value of the key as text; None if the key is to be removed."""
    kind: str
    """The kind of change: ``add``, ``change``, ``remove`` or ``keep``."""


def rows(asked: Asked) -> list[Row]:
    """Return the rows of all settings of the answer; without a configuration, all of them are additions.

    Settings whose values come from templates are in `Asked.left_alone` instead.
    """
    settings = asked.settings.settings
    if asked.changes is None:
        return [Row(key, None, text, "add") for key, text in settings.items()]
    alone = {_option(one.key, asked.release) for one in asked.left_alone}
    by_option = {_option(change.key, asked.release): change for change in asked.changes if change.kind != "remove"}
    found = [
        _row(by_option[key]) if key in by_option else Row(key, text, text, "keep")
        for key, text in settings.items()
        if key not in alone
    ]
    return found + [_row(change) for change in asked.changes if change.kind == "remove"]


def _option(key: str, release: Release) -> str:
    """Return the primary key of the option that a key sets in a release, whatever its spelling."""
    accepted = catalogue().as_of(release).accept(key, nearest_index(release))
    return key if accepted is None else accepted.option.key


def _row(change: Change) -> Row:
    return Row(change.key, change.was, change.becomes, change.kind)


# -- inputs as texts


def export(asked: Asked) -> dict[str, Any]:
    """Return the effective inputs as the contents of an input file that reproduces the answer."""
    units = {declared.name: declared.unit for declared in inputs_of(asked.way.inputs)}
    return {name: written(units[name], value) for name, value in asked.inputs.items()}


def written(unit: Unit, value: Any) -> Any:
    """Return a value in a form that input files accept: an exact string, or a number if the unit is implied."""
    if isinstance(value, (bool, str)):
        return value
    if "number" in unit.json_types:
        return value
    text = re.sub(r"(?<=\d)[  ](?=\d)", "", unit.spell(value))
    try:
        if unit.parse(text) == value:
            return text
    except ValueError:
        pass
    exact = repr(value)
    return exact + {"seconds": " s", "bytes": " b", "1/s": "/s", "bytes/s": " b/s"}.get(unit.name, "")


# -- JSON


def as_json(asked: Asked) -> dict[str, Any]:
    """Return the answer as a JSON object: numbers in base units, null for a missing or infinite value."""
    answer = asked.answer
    assumed = {name: source for name, source in asked.sources.items() if source.kind in ("assumed", "release")}
    return {
        "version": VERSION,
        "calculator": asked.calculator.name,
        "reverse": asked.reverse,
        "flink_version": str(asked.release),
        "inputs": export(asked),
        "sources": {name: {"kind": kind, "text": text} for name, (kind, text) in asked.sources.items()},
        "assumptions": [
            {"input": name, "value": export(asked)[name], "why": source.text} for name, source in assumed.items()
        ],
        "unused": list(asked.unused),
        "values": [value_object(value) for value in answer.values],
        "binding": answer.binding,
        "settings": dict(asked.settings.settings),
        "unknown_settings": list(asked.settings.unknown),
        "remove": list(answer.remove),
        "changes": None if asked.changes is None else [
            {"key": change.key, "was": change.was, "becomes": change.becomes, "kind": change.kind}
            for change in asked.changes
        ],
        "left_alone": [{"key": one.key, "was": one.was, "wanted": one.wanted} for one in asked.left_alone],
        "elsewhere": [{"where": snippet.where, "text": snippet.text} for snippet in answer.elsewhere],
        "errors": list(answer.errors),
        "warnings": list(answer.warnings),
        "reasoning": list(answer.steps),
        "memory": _memory_object(answer.memory),
    }  # fmt: skip


def value_object(value: Value) -> dict[str, Any]:
    """Return a value of an answer as a JSON object."""
    return {
        "name": value.name,
        "value": _number(value.value),
        "unit": value.unit.name,
        "explanation": value.explanation,
        "text": value.text,
        "present": _number(value.present),
    }


def _number(value: Any) -> Any:
    """Return a value that JSON can represent; null for numbers that are not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _memory_object(memory: TaskManagerMemory | JobManagerMemory | None) -> dict[str, Any] | None:
    if memory is None:
        return None
    parts = _TASKMANAGER_PARTS if isinstance(memory, TaskManagerMemory) else _JOBMANAGER_PARTS
    process = "taskmanager" if isinstance(memory, TaskManagerMemory) else "jobmanager"
    return {"process": process, **{part: getattr(memory, part) for part in parts}, "jvm_args": memory.jvm_args}


# -- text


def as_text(asked: Asked, style: Style, width: int) -> Iterator[str]:
    """Yield the answer as lines for a terminal: the result first, the reasoning last."""
    answer = asked.answer
    yield from headline_text(asked, style, width)
    if len(answer.values) > 1:
        yield ""
        yield from _values(answer.values, style, width)
    yield from _settings(asked, style, width)
    for snippet in answer.elsewhere:
        yield ""
        yield from (style.paint(BOLD, line) for line in _wrapped(_capital(snippet.where), width, ""))
        yield from (style.paint(FRAME, f"  {line}") if line else "" for line in snippet.text.splitlines())
    if answer.memory is not None:
        from flink_flint.linter.output.memory.memory_bars import bars

        yield ""
        yield style.paint(BOLD, "Memory of the process")
        yield from (f"  {line}" for line in bars(answer.memory, width - 2, style.color))
    yield ""
    yield style.paint(BOLD, "Inputs")
    yield from _inputs(asked, style, width)
    yield ""
    yield style.paint(BOLD, "Reasoning")
    lead = len(str(len(answer.steps))) + 4
    for number, step in enumerate(answer.steps, 1):
        yield from f"{f'{number}.':>{lead - 1}} {fill(step, width, ' ' * lead, used=lead)}".splitlines()


def headline_text(asked: Asked, style: Style, width: int) -> Iterator[str]:
    """Yield the first lines of the answer for a terminal: title, result, errors and warnings."""
    title = f"{asked.calculator.title}, for Flink {asked.release}"
    yield from (style.paint(BOLD, line) for line in _wrapped(title, width, ""))
    yield ""
    yield from _headline(asked.answer.values[0], style, width)
    if asked.answer.binding:
        yield from _wrapped(f"because {asked.answer.binding}", width, "  ")
    for severity, sentences in ((Severity.ERROR, asked.answer.errors), (Severity.WARNING, asked.answer.warnings)):
        for sentence in sentences:
            yield ""
            yield from _judgement(severity, sentence, style, width)


_GLUED = regex(r"(?<=\d) (?=\d{3}(?!\d))|(?<=\d) (?=(?:ns|µs|ms|s|min|h|d|bytes|byte|[KMGTP]iB)\b|%)")


def fill(text: str, width: int, indent: str = "", *, used: int = 0) -> str:
    """Return a paragraph wrapped to `width`, without a break inside a number or before its unit."""
    return wrap(_GLUED.sub("\0", text), width, indent, used=used).replace("\0", " ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(text: str, width: int, indent: str) -> Iterator[str]:
    yield from (indent + fill(text, width, indent, used=len(indent))).splitlines()


def _headline(value: Value, style: Style, width: int) -> Iterator[str]:
    result = fill(f"{value.title}: {value.text}", width, "    ", used=2)
    now = "" if value.present is None else f"now {value.unit.spell(value.present)}"
    beside = now and len(result.splitlines()[-1]) + 5 + len(now) <= width
    yield from f"  {style.paint(GOOD, result)}{style.paint(DIM, f'   {now}') if beside else ''}".splitlines()
    if now and not beside:
        yield style.paint(DIM, f"  {now}")
    yield from (style.paint(DIM, line) for line in _wrapped(value.explanation, width, "  "))


def _judgement(severity: Severity, sentence: str, style: Style, width: int) -> Iterator[str]:
    lines = fill(f"{severity.word}: {sentence}", width, "  ").splitlines()
    label = len(severity.word)
    yield style.severity(severity, lines[0][:label]) + lines[0][label:]
    yield from lines[1:]


def _values(values: tuple[Value, ...], style: Style, width: int) -> Iterator[str]:
    """Yield the table of values and current values; texts that do not fit their column get their own line."""
    rows = [(value, value.text, "" if value.present is None else value.unit.spell(value.present)) for value in values]
    short = [row for row in rows if len(row[1]) <= _LONGEST]
    titles = max(len(value.title) for value in values)
    texts = max(len(VALUES_TITLE), *(len(text) for _, text, _ in short))
    has_present = any(value.present is not None for value in values)
    now = max(len("now"), *(len(present) for _, _, present in short)) if has_present else 0
    lead = 2 + titles + 2 + texts + (2 + now if has_present else 0) + 2
    if has_present:
        yield style.paint(DIM, f"  {'':<{titles}}  {VALUES_TITLE:>{texts}}  {'now':>{now}}")
    for value, text, present in rows:
        if len(text) > _LONGEST:
            explained = fill(value.explanation, width, " " * (titles + 4), used=titles + 4)
            yield from f"  {value.title:<{titles}}  {style.paint(DIM, explained)}".splitlines()
            yield from (style.paint(BOLD, line) for line in _wrapped(text, width, "      "))
            continue
        line = f"  {value.title:<{titles}}  {style.paint(BOLD, f'{text:>{texts}}')}"
        line += f"  {present:>{now}}" if has_present else ""
        if width - lead >= _NARROWEST:
            explained = fill(value.explanation, width, " " * lead, used=lead)
            yield from f"{line}  {style.paint(DIM, explained)}".splitlines()
        else:
            yield line.rstrip()
            yield from (style.paint(DIM, part) for part in _wrapped(value.explanation, width, "      "))


def _settings(asked: Asked, style: Style, width: int) -> Iterator[str]:
    listed = rows(asked)
    if asked.changes is None:
        if listed:
            yield ""
            yield style.paint(BOLD, f"Settings, as Flink {asked.speller} spells them")
            yield from (f"  {style.paint(FRAME, row.key)}: {row.wanted}" for row in listed)
        if asked.answer.remove:
            yield ""
            yield style.paint(BOLD, "Must not be set together with these")
            yield from (f"  {style.paint(FRAME, key)}" for key in asked.answer.remove)
    elif listed or asked.left_alone:
        yield ""
        yield style.paint(BOLD, "Settings: current and recommended")
        yield from _table(listed, asked.left_alone, style, width)
    for key in asked.settings.unknown:
        yield ""
        yield from _wrapped(f"Flink {asked.speller} has no option {key} under any name", width, "")


_MARKS = {"add": "+", "change": "~", "remove": "-", "keep": "=", "leave": "!"}


def _table(listed: list[Row], alone: Sequence[LeftAlone], style: Style, width: int) -> Iterator[str]:
    """Yield the table of key, current and recommended value; in narrow terminals each key gets its own line."""
    cells = [(row, row.now or "not set", row.wanted or "remove") for row in listed]
    cells += [(Row(one.key, one.was, one.wanted, "leave"), one.was, _left_alone(one)) for one in alone]
    keys, nows, wanted = (max(map(len, column)) for column in (
        ["key", *(row.key for row, _, _ in cells)], ["now", *(now for _, now, _ in cells)],
        ["recommended", *(text for _, _, text in cells)],
    ))  # fmt: skip
    wide = 4 + keys + 2 + nows + 2 + wanted <= width
    if wide:
        yield style.paint(DIM, f"    {'key':<{keys}}  {'now':<{nows}}  recommended")
    for row, now, text in cells:
        mark, key = _MARKS[row.kind], style.paint(FRAME, row.key)
        text = "unchanged" if row.kind == "keep" else text
        bold = style.paint(DIM if row.kind == "keep" else BOLD, text)
        if wide:
            yield f"  {mark} {key}{' ' * (keys - len(row.key))}  {now:<{nows}}  {bold}"
        else:
            yield f"  {mark} {key}"
            yield f"      {now} -> {bold}"


def _left_alone(one: LeftAlone) -> str:
    return f"{one.wanted or 'not set'} (not changed: template)"


def _inputs(asked: Asked, style: Style, width: int) -> Iterator[str]:
    units = {declared.name: declared.unit for declared in inputs_of(asked.way.inputs)}
    texts = {name: units[name].spell(value) for name, value in asked.inputs.items()}
    flags = max(len(flag_of(name)) for name in texts)
    wide = max(map(len, texts.values()))
    lead = 2 + flags + 2 + wide + 2
    for name, text in texts.items():
        line = f"  {style.paint(FRAME, flag_of(name))}{' ' * (flags - len(flag_of(name)))}  {text}"
        remark = _remark(asked, name)
        if remark and width - lead >= _NARROWEST:
            line += " " * (wide - len(text)) + "  " + style.paint(DIM, fill(remark, width, " " * lead, used=lead))
        yield from line.splitlines()
        if remark and width - lead < _NARROWEST:
            yield from (style.paint(DIM, part) for part in _wrapped(remark, width, "      "))
    for name in asked.unused:
        yield from _wrapped(f"{flag_of(name)} has no effect with the other inputs", width, "  ")


def _remark(asked: Asked, name: str) -> str:
    source = asked.sources[name]
    if source.kind == "given":
        return ""
    return f"assumed: {source.text}" if source.kind == "assumed" else source.text


# -- Markdown


def as_markdown(asked: Asked) -> str:
    """Return the answer as Markdown."""
    answer, first = asked.answer, asked.answer.values[0]
    now = "" if first.present is None else f", now {first.unit.spell(first.present)}"
    parts = [f"# {asked.calculator.title}", "", f"**{first.title}: {first.text}**{now} (Flink {asked.release})"]
    parts += ["", f"Because {answer.binding}."] if answer.binding else []
    for word, sentences in (("Error", answer.errors), ("Warning", answer.warnings)):
        for sentence in sentences:
            parts += ["", f"> **{word}**: {sentence}"]
    has_present = any(value.present is not None for value in answer.values)
    titles = ["value", VALUES_TITLE, *(["now"] if has_present else []), "what it is"]
    parts += ["", f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for value in answer.values:
        beside = [] if not has_present else ["" if value.present is None else value.unit.spell(value.present)]
        parts.append(f"| {' | '.join([value.title, value.text, *beside, _cell(value.explanation)])} |")
    listed = rows(asked)
    if (listed or asked.left_alone) and asked.changes is not None:
        parts += ["", "## Settings", "", "| key | now | recommended |", "|---|---|---|"]
        for row in listed:
            now = "not set" if row.now is None else f"`{_cell(row.now)}`"
            parts.append(f"| `{row.key}` | {now} | {f'`{row.wanted}`' if row.wanted else 'remove'} |")
        parts += [f"| `{one.key}` | `{_cell(one.was)}` | {_left_alone(one)} |" for one in asked.left_alone]
    elif listed:
        parts += ["", "## Settings", "", "```yaml", *(f"{row.key}: {row.wanted}" for row in listed), "```"]
    if asked.changes is None and answer.remove:
        parts += ["", "Must not be set together with these: " + ", ".join(f"`{key}`" for key in answer.remove) + "."]
    for key in asked.settings.unknown:
        parts += ["", f"Flink {asked.speller} has no option `{key}`."]
    for snippet in answer.elsewhere:
        parts += ["", f"## {_capital(snippet.where)}", "", "```", snippet.text, "```"]
    parts += ["", "## Inputs", "", "| input | value | from |", "|---|---|---|"]
    units = {declared.name: declared.unit for declared in inputs_of(asked.way.inputs)}
    for name, value in asked.inputs.items():
        remark = _cell(_remark(asked, name) or "given")
        parts.append(f"| `{flag_of(name)}` | {units[name].spell(value)} | {remark} |")
    parts += ["", "## Reasoning", "", *(f"{number}. {step}" for number, step in enumerate(answer.steps, 1))]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# -- a patch


def as_patch(asked: Asked, opened: Opened | None) -> str:
    """Return a unified diff for `git apply` that writes the settings, into a new file if there is no configuration.

    Empty if nothing changes. Raises ValueError if a change cannot be made by an edit.
    """
    from flink_flint.calculators.command_line.write_settings import addition, applied, diff

    if opened is not None:
        return diff(opened, applied(opened, asked.changes or ()))
    name = "config.yaml" if nearest_index(asked.release) >= FIRST_CONFIG_YAML else "flink-conf.yaml"
    return addition(name, "".join(f"{key}: {text}\n" for key, text in asked.settings.settings.items()))
