"""The upgrade report as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.changed_defaults import items
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output.memory.derived_memory import Process
from flink_flint.linter.output.memory.memory_components import PARTS
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, GOOD, Style, count, wrap
from flink_flint.linter.upgrade.upgrade_report import Broken, Crossing, Default, Upgrade, name_of

TITLES = {"taskmanager": "TaskManager", "jobmanager": "JobManager"}
WORDS = {
    "process_size": "process", "flink_size": "Flink memory", "framework_heap": "framework heap",
    "task_heap": "task heap", "heap": "JVM heap", "managed": "managed memory",
    "framework_off_heap": "framework off-heap", "task_off_heap": "task off-heap", "off_heap": "off-heap",
    "network": "network", "metaspace": "JVM metaspace", "overhead": "JVM overhead",
}  # fmt: skip
"""The names of a process's memory components in text reports, by field name."""
_LONGEST = 90
"""The longest quoted line in characters."""
_MAX_ITEMS = 5
"""The largest list to show in full; of a longer one only the changes are shown."""
_LABEL = 9
"""The width of the label before a location: ``error``, ``warning``, ``info``."""


def render(upgrade: Upgrade, style: Style, width: int, *, all_defaults: bool) -> Iterator[str]:
    """Yield the lines of the report: documents (most affected first), notes on what else is required, and a summary."""
    shown = [one for one in upgrade.crossings if all_defaults or not one.is_unchanged]
    for one in sorted(shown, key=lambda one: -(one.worst or 0)):
        yield from _crossing(one, upgrade, style, width, all_defaults=all_defaults)
        yield ""
    if upgrade.unseen:
        yield style.paint(BOLD, "Beyond the configuration files")
        for note in upgrade.unseen:
            if note.is_link:
                yield f"  {note.title}: {note.source}"
                continue
            yield "  " + wrap(f"{note.title}: {note.text}", width, "    ", used=2)
            yield style.paint(DIM, f"    {note.source}")
        yield ""
    for path in sorted({one.document.path for one in upgrade.level}):
        there = next(one for one in upgrade.level if one.document.path == path)
        yield style.paint(DIM, wrap(f"{path} is already for {there.release} ({there.evidence})", width, "  "))
    yield summary(upgrade, style)


def summary(upgrade: Upgrade, style: Style) -> str:
    """Return a one-line summary of all changes."""
    words = counted(upgrade)
    files = count(len({one.document.path for one in upgrade.crossings}), "file")
    if not upgrade.crossings:
        return "Nothing was compared." if upgrade.problems else f"No file here is for a release before {upgrade.to}."
    starts = ", ".join(str(one) for one in upgrade.starts)
    head = f"Flink {starts} to {upgrade.to}, {files}: "
    return head + (words or style.paint(GOOD, "nothing to do")) + "."


def counted(upgrade: Upgrade) -> str:
    """Return the numbers of changes, by kind, as text; empty if there are none."""
    crossings = upgrade.crossings
    breaks = sum(one.severity is Severity.ERROR for crossing in crossings for one in crossing.broken)
    breaks += sum(one.severity is Severity.ERROR for crossing in crossings for one in crossing.new)
    renames = sum(len(crossing.renamed) for crossing in crossings)
    others = sum(len(crossing.winners) for crossing in crossings)
    defaults = sum(default.matters for crossing in crossings for default in crossing.defaults)
    hazards = sum(one.severity is not Severity.ERROR for crossing in crossings for one in crossing.new)
    names = sum(len(crossing.named) for crossing in crossings)
    parts = (
        (breaks, f"{breaks} {'breaks' if breaks == 1 else 'break'}"),
        (others, f"{count(others, 'option')} with changed precedence"),
        (renames, f"{renames} renamed"),
        (defaults, f"{count(defaults, 'default')} changed"),
        (hazards, count(hazards, "new hazard")),
        (names, f"{count(names, 'line')} with the old release"),
    )
    return ", ".join(text for number, text in parts if number)


def _crossing(crossing: Crossing, upgrade: Upgrade, style: Style, width: int, *, all_defaults: bool) -> Iterator[str]:
    yield style.paint(BOLD, f"{name_of(crossing.document)}: Flink {crossing.before} to {upgrade.to}")
    yield style.paint(DIM, f"  release from {crossing.evidence}")
    breaks = [one for one in crossing.new if one.severity is Severity.ERROR]
    if crossing.broken or breaks:
        yield from _title(heading(crossing), style)
        for broken in crossing.broken:
            yield from _broken(broken, style, width)
        for finding in breaks:
            yield from _finding(finding, style, width)
    if crossing.winners:
        yield from _title("Precedence changes", style)
        for winner in crossing.winners:
            yield f"    {winner.option}"
            sides = ((crossing.before, winner.before), (upgrade.to, winner.after))
            longest = max(len(str(release)) for release, _ in sides)
            for release, written in sides:
                place = style.paint(FRAME, f"{_short_place(written.where.path, crossing)}line {written.where.line}")
                yield f"      {release!s:<{longest}}  {_cut(f'{written.key}: {written.value}')}  {place}"
    if crossing.renamed:
        safe = sum(one.by_hand is None for one in crossing.renamed)
        yield from _title("Renamed", style, f"--fix writes {count(safe, 'new name')}" if safe else "")
        lines = max(len(str(one.where.line)) for one in crossing.renamed)
        for rename in crossing.renamed:
            place = style.paint(FRAME, f"line {rename.where.line:>{lines}}")
            hand = style.paint(DIM, f"  by hand: {rename.by_hand}") if rename.by_hand else ""
            yield f"    {place}  {rename.key} → {' and '.join(rename.names)}{hand}"
    yield from _defaults(crossing.defaults, style, width, every=all_defaults)
    for name, (before, after) in crossing.memory.items():
        yield from _memory(name, before, after, crossing, upgrade, style)
    hazards = [one for one in crossing.new if one.severity is not Severity.ERROR]
    if hazards:
        yield from _title("New hazards", style)
        for finding in hazards:
            yield from _finding(finding, style, width)
    if crossing.gone:
        yield from _title("Gone", style)
        yield "    " + wrap(", ".join(gone(crossing.gone)), width, "    ", used=4)
    if crossing.named:
        yield from _title("Names the old release", style)
        for named in crossing.named:
            place = style.paint(FRAME, f"{_short_place(named.where.path, crossing)}line {named.where.line}")
            yield f"    {place}  {_cut(named.where.text)}"
            yield f"      {style.paint(BOLD, 'write')} {named.replacement}"


def heading(crossing: Crossing) -> str:
    """Return the heading of the changes that need attention: "Breaks" if any is an error, otherwise "Changes"."""
    levels = {one.severity for one in crossing.broken} | {finding.severity for finding in crossing.new}
    return "Breaks" if Severity.ERROR in levels else "Changes"


def gone(findings: Sequence[Finding]) -> list[str]:
    """Return a text for each rule whose findings the upgrade resolves, such as ``FLK003 deprecated-key (2 times)``."""
    numbers: dict[str, int] = {}
    for finding in findings:
        name = f"{finding.code} {finding.rule}"
        numbers[name] = numbers.get(name, 0) + 1
    return [name + (f" ({number} times)" if number > 1 else "") for name, number in numbers.items()]


def _title(text: str, style: Style, remark: str = "") -> Iterator[str]:
    yield ""
    yield f"  {style.paint(BOLD, text)}" + (style.paint(DIM, f"  {remark}") if remark else "")


def _short_place(path: str, crossing: Crossing) -> str:
    return "" if path == crossing.document.path else f"{path} "


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _broken(broken: Broken, style: Style, width: int) -> Iterator[str]:
    word = style.severity(broken.severity, f"{broken.severity.word:<{_LABEL}}")
    place = "the file" if broken.kind == "file" else f"line {broken.where.line}"
    line = "" if broken.kind == "file" else f"  {_cut(broken.where.text)}"
    yield f"    {word}{style.paint(FRAME, place)}{line}"
    yield from _message_lines(broken.message, broken.help, style, width)


def _finding(finding: Finding, style: Style, width: int) -> Iterator[str]:
    word = style.severity(finding.severity, f"{finding.severity.word:<{_LABEL}}")
    place = style.paint(FRAME, f"line {finding.where.start.line}")
    yield f"    {word}{place}  {finding.code} {finding.rule}"
    yield from _message_lines(finding.message, finding.help, style, width)


def _message_lines(message: str, remedy: str | None, style: Style, width: int) -> Iterator[str]:
    indent = " " * (4 + _LABEL)
    yield indent + wrap(message, width, indent, used=len(indent))
    if remedy:
        text = wrap(f"help: {remedy}", width, indent, used=len(indent))
        yield f"{indent}{style.paint(BOLD, 'help:')}{text[5:]}"


def _defaults(defaults: Sequence[Default], style: Style, width: int, *, every: bool) -> Iterator[str]:
    shown = [one for one in defaults if every or one.matters]
    others = len(defaults) - len(shown)
    if shown:
        yield from _title("Changed defaults of unset options", style)
    for default in shown:
        yield f"    {default.key}"
        values = spelled_change(default)
        remark = default.effect or ("which has the same effect" if default.same else "")
        if remark:
            values += f": {remark}"
        yield "      " + wrap(values, width, "      ", used=6)
    if others:
        yield style.paint(DIM, f"    {of_little_weight(others, more=bool(shown))}: --all-defaults lists them")


def spelled_change(default: Default) -> str:
    """Return the old and new default as text; for long lists, only the added and removed items."""
    before, after = items(default.before), items(default.after)
    if len(before) < _MAX_ITEMS and len(after) < _MAX_ITEMS:
        return f"{default.before or 'none'} → {default.after or 'none'}"
    came, went = (sorted(set(one) - set(other)) for one, other in ((after, before), (before, after)))
    parts = [f"{word} {', '.join(some)}" for word, some in (("now with", came), ("without", went)) if some]
    return " and ".join(parts) or "the same list, written differently"


def of_little_weight(number: int, *, more: bool) -> str:
    """Return a clause with the number of changed defaults that are omitted because they have little effect."""
    more_words = "more " if more else ""
    what = "default changes" if number == 1 else "defaults change"
    return f"{number} {more_words}{what} with little effect here"


def _memory(
    name: str, before: Process, after: Process, crossing: Crossing, upgrade: Upgrade, style: Style
) -> Iterator[str]:
    """Yield the components of a process before and after in bytes; nothing if neither release derives any."""
    if before.derived is None and after.derived is None:
        return
    title = f"{TITLES[name]} memory"
    rows = memory_rows(name, before, after)
    if before.derived == after.derived:
        yield from _title(title, style, f"unchanged: {grouped(rows[0][1])} bytes")
        return
    if before.derived is None or after.derived is None:
        derives, derives_not = (crossing.before, upgrade.to) if before.derived else (upgrade.to, crossing.before)
        size = grouped(rows[0][1] if before.derived else rows[0][2])
        yield from _title(title, style, f"{size} bytes in {derives}; {derives_not} derives none")
        return
    yield from _title(title, style, "in bytes")
    heads = ("", f"Flink {crossing.before}", f"Flink {upgrade.to}", "difference")
    cells = [heads, *((WORDS[part], grouped(old), grouped(new), signed(old, new)) for part, old, new in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    for number, row in enumerate(cells):
        numbers = "  ".join(f"{cell:>{wide}}" for cell, wide in zip(row[1:], widths[1:], strict=True))
        line = f"    {row[0]:<{widths[0]}}  {numbers}".rstrip()
        yield style.paint(DIM, line) if number == 0 or row[3] == "" else line


def memory_rows(name: str, before: Process, after: Process) -> list[tuple[str, int | None, int | None]]:
    """Return each memory component of a process with its bytes before and after; None if a release derives no sizes."""
    return [(part, getattr(before.derived, part, None), getattr(after.derived, part, None)) for part in PARTS[name]]


def grouped(size: int | None) -> str:
    """Return a number with spaces as thousands separators; a hyphen for None."""
    return "-" if size is None else f"{size:,}".replace(",", " ")


def signed(before: int | None, after: int | None) -> str:
    """Return the change in a size, with its sign; empty if the size is unchanged or unknown in either release."""
    if before is None or after is None or before == after:
        return ""
    return f"{'+' if after > before else '-'}{grouped(abs(after - before))}"
