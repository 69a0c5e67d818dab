"""Recommendations as text for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from flink_flint.calculators.command_line.answer_formats import fill
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, GOOD, Style, count, wrap

if TYPE_CHECKING:
    from flink_flint.calculators.history.recommend.recommendation import Missing, Recommendation, Recommended

_MARKS = {"raise": "^", "lower": "v", "change": "~", "unset": "+", "ok": "="}
_WORDS = {"raise": "to raise", "lower": "to lower", "change": "to change", "unset": "to set"}
_UNKNOWN = "not known"
_WIDEST = 120
_TITLES = ("setting", "now", "recommended", "confidence")
_SHOWN = 12
"""The maximum number of missing data items that are listed."""


def is_estimate(row: Recommendation) -> bool:
    """Return whether a recommendation is only an estimate, without a setting to write."""
    return row.severity == "ok" and row.current is None


def shown(rows: Sequence[Recommendation], explain: bool) -> list[Recommendation]:
    """Return the recommendations to show: all of them with `explain`, otherwise only changes and estimates."""
    return [row for row in rows if explain or row.severity != "ok" or is_estimate(row)]


def owner(row: Recommendation | Missing) -> str:
    """Return the job or cluster that a recommendation is for: ``orders``, ``(cluster eu)``."""
    return row.job or f"(cluster {row.cluster})"


def as_lines(found: Recommended, style: Style, width: int, *, explain: bool) -> Iterator[str]:
    """Yield the recommendations as lines for a terminal, job by job, then a summary and the missing data."""
    width = min(width, _WIDEST)
    clusters = {row.cluster for row in found.recommendations}
    rows = shown(found.recommendations, explain)
    for (cluster, who), of_owner in groupby(rows, key=lambda row: (row.cluster, owner(row))):
        listed = list(of_owner)
        beside = f"  cluster {cluster}" if len(clusters) > 1 and not who.startswith("(") else ""
        yield style.paint(BOLD, who) + style.paint(DIM, beside)
        yield from _table(listed, style, width, explain)
        yield ""
    yield from _summary(found, style, width, explain)


def _table(rows: Sequence[Recommendation], style: Style, width: int, explain: bool) -> Iterator[str]:
    cells = [(row, row.key, row.current_text or _UNKNOWN, row.recommended_text, row.confidence) for row in rows]
    cells = [
        (row, key, "" if is_estimate(row) else now, f"expect {text}" if is_estimate(row) else text, sure)
        for row, key, now, text, sure in cells
    ]
    keys, nows, texts = (max(map(len, column)) for column in (
        [_TITLES[0], *(cell[1] for cell in cells)], [_TITLES[1], *(cell[2] for cell in cells)],
        [_TITLES[2], *(cell[3] for cell in cells)],
    ))  # fmt: skip
    wide = 4 + keys + 2 + nows + 2 + texts + 2 + len(_TITLES[3]) <= width
    if wide:
        head = f"    {_TITLES[0]:<{keys}}  {_TITLES[1]:>{nows}}  {_TITLES[2]:>{texts}}  {_TITLES[3]}"
        yield style.paint(DIM, head)
    for (operator, calculator), of_operator in groupby(cells, key=lambda cell: (cell[0].operator, cell[0].calculator)):
        listed = list(of_operator)
        about = calculator if not operator else f"{_short(operator, width - len(calculator) - 6)}  {calculator}"
        yield f"  {style.paint(FRAME, about)}"
        for row, key, now, text, sure in listed:
            mark = _mark(row, style)
            if wide:
                yield f"  {mark} {key:<{keys}}  {now:>{nows}}  {style.paint(BOLD, f'{text:>{texts}}')}  {sure}"
            else:
                yield f"  {mark} {key}"
                message = f"{now} -> " if now else ""
                yield f"      {message}{style.paint(BOLD, text)}  ({sure} confidence)"
        yield from _because(listed[0][0], style, width, explain)


def _mark(row: Recommendation, style: Style) -> str:
    mark = "." if is_estimate(row) else _MARKS[row.severity]
    if row.severity == "raise":
        return style.severity(Severity.WARNING, mark)
    return style.paint(GOOD if row.severity == "lower" else DIM, mark)


def _because(row: Recommendation, style: Style, width: int, explain: bool) -> Iterator[str]:
    indent = "      "
    yield from style.paint(DIM, f"{indent}{fill(row.reason, width, indent, used=6)}").splitlines()
    if not explain:
        return
    evidence = row.evidence
    sentences = [f"assumed: {one}" for one in evidence["assumed"]]
    sentences += [f"note: {one}" for one in evidence["notes"]]
    score = evidence["method_score"]
    if score is not None:
        sentences.append(
            f"on the last days of this series the method would have been too small for {_percent(score['U'])} of the "
            f"time, too late for {_percent(score['lag'])}, and {_percent(score['slack'])} idle"
        )
    sentences += evidence["reasoning"]
    for sentence in sentences:
        yield from style.paint(DIM, f"{indent}- {fill(sentence, width, '        ', used=8)}").splitlines()


def _percent(share: float | None) -> str:
    return "no part" if share is None else f"{share:.1%}".replace("%", " %")


def _short(name: str, room: int) -> str:
    room = max(room, 12)
    return name if len(name) <= room else f"{name[: room - 1]}…"


def _summary(found: Recommended, style: Style, width: int, explain: bool) -> Iterator[str]:
    rows = [row for row in found.recommendations if not is_estimate(row)]
    numbers = {word: sum(row.severity == word for row in rows) for word in (*_WORDS, "ok")}
    changes = sum(numbers[word] for word in _WORDS)
    message = ", ".join(f"{numbers[word]} {text}" for word, text in _WORDS.items() if numbers[word])
    line = f"{count(changes, 'recommendation')} for {count(len(found.jobs), 'job')}" + (
        f": {message}" if message else ""
    )
    if numbers["ok"]:
        line += f"; {count(numbers['ok'], 'value')} correct now" + ("" if explain else " (--explain shows them)")
    line += f". Seen: {found.first} to {found.last}."
    yield from style.paint(BOLD, wrap(line, width, "")).splitlines()
    if found.missing:
        yield ""
        yield f"No recommendation because data is missing, {count(len(found.missing), 'time')}:"
        reasons = list(_missing(found.missing))
        for sentence in reasons if explain else reasons[:_SHOWN]:
            yield from style.paint(DIM, f"  - {wrap(sentence, width, '    ', used=4)}").splitlines()
        if len(reasons) > _SHOWN and not explain:
            yield style.paint(DIM, f"  and {len(reasons) - _SHOWN} more (--explain)")


def _missing(missing: Sequence[Missing]) -> Iterator[str]:
    """Yield lines that say which data is missing for which calculators, equal ones joined."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for one in missing:
        place = f"{owner(one)} / {one.operator}" if one.operator else owner(one)
        kinds.setdefault((one.calculator, one.reason), []).append(place)
    for (calculator, reason), places in kinds.items():
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        yield f"{calculator}: {reason}: {', '.join(places[:3])}{more}"


# -- Markdown


def as_markdown(found: Recommended, *, explain: bool) -> str:
    """Return the recommendations as Markdown, one table per job."""
    parts = ["# What the history recommends", "", f"`{found.store}`, {found.first} to {found.last}"]
    for who, of_owner in groupby(shown(found.recommendations, explain), key=lambda row: (row.cluster, owner(row))):
        parts += ["", f"## {_cell(who[1])}", "", "| operator | setting | now | recommended | confidence | why |"]
        parts.append("|---|---|---|---|---|---|")
        for row in of_owner:
            now = "" if is_estimate(row) else f"`{_cell(row.current_text)}`" if row.current_text else _UNKNOWN
            text = f"expect {row.recommended_text}" if is_estimate(row) else f"`{_cell(row.recommended_text)}`"
            cells = (_cell(row.operator), f"`{row.key}`", now, text, row.confidence, _cell(row.reason))
            parts.append(f"| {' | '.join(cells)} |")
    if not found.recommendations:
        parts += ["", "Nothing is recommended."]
    if found.missing:
        parts += ["", "## No recommendation because data is missing", ""]
        parts += [f"- {_cell(sentence)}" for sentence in _missing(found.missing)]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
