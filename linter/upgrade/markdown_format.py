"""The upgrade report as Markdown, for the pull request that upgrades Flink."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output.escaped_markdown import code, message, prose
from flink_flint.linter.output.repository_paths import slashes
from flink_flint.linter.upgrade.text_format import (
    TITLES,
    WORDS,
    counted,
    gone,
    grouped,
    heading,
    memory_rows,
    of_little_weight,
    signed,
    spelled_change,
)
from flink_flint.linter.upgrade.upgrade_report import Broken, Crossing, Default, Upgrade

_SIGNS = {Severity.ERROR: "🔴", Severity.WARNING: "🟠", Severity.INFO: "🔵"}


def render(upgrade: Upgrade, *, all_defaults: bool) -> Iterator[str]:
    """Yield the lines of the report: headline, documents (most affected first), and notes on what else is required."""
    starts = ", ".join(str(one) for one in upgrade.starts)
    yield f"## Flink {starts or 'any'} → {upgrade.to}: {counted(upgrade) or 'nothing to do in these files'}"
    quiet = []
    for one in sorted(upgrade.crossings, key=lambda one: -(one.worst or 0)):
        if one.is_unchanged and not all_defaults:
            quiet.append(one)
            continue
        yield from _crossing(one, upgrade, all_defaults=all_defaults)
    if quiet:
        yield ""
        yield f"Unchanged: {', '.join(_name(one) for one in quiet)}."
    if upgrade.unseen:
        yield from ("", "### Beyond the configuration files", "")
        for note in upgrade.unseen:
            text = f"[{note.title}](<{note.source}>)"
            yield f"- {text}" if note.is_link else f"- {text}: {message(note.text)}"


def _name(crossing: Crossing) -> str:
    document = crossing.document
    return code(slashes(document.path)) + (f" ({prose(document.name)})" if document.name else "")


def _crossing(crossing: Crossing, upgrade: Upgrade, *, all_defaults: bool) -> Iterator[str]:
    yield from ("", f"### {_name(crossing)}", "")
    yield f"Flink {crossing.before} → {upgrade.to} (release from {prose(crossing.evidence)})"
    breaks = [one for one in crossing.new if one.severity is Severity.ERROR]
    if crossing.broken or breaks:
        yield from ("", f"#### {heading(crossing)}", "")
        for broken in crossing.broken:
            yield _broken(broken)
        yield from map(_finding, breaks)
    if crossing.winners:
        yield from ("", "#### Precedence changes", "")
        yield f"| Option | in {crossing.before} | in {upgrade.to} |"
        yield "| :--- | :--- | :--- |"
        for winner in crossing.winners:
            sides = (
                f"{code(f'{side.key}: {side.value}')} (line {side.where.line})"
                for side in (winner.before, winner.after)
            )
            yield f"| {code(winner.option)} | {' | '.join(sides)} |"
    if crossing.renamed:
        yield from ("", "#### Renamed", "", "| Line | Old name | New name | |", "| ---: | :--- | :--- | :--- |")
        for rename in crossing.renamed:
            names = " and ".join(map(code, rename.names))
            how = f"by hand: {rename.by_hand}" if rename.by_hand else "`flint upgrade --fix`"
            yield f"| {rename.where.line} | {code(rename.key)} | {names} | {how} |"
    yield from _defaults(crossing.defaults, every=all_defaults)
    yield from _memory(crossing, upgrade)
    hazards = [one for one in crossing.new if one.severity is not Severity.ERROR]
    if hazards:
        yield from ("", "#### New hazards", "")
        yield from map(_finding, hazards)
    if crossing.gone:
        yield from ("", f"Gone: {', '.join(map(prose, gone(crossing.gone)))}.")
    if crossing.named:
        yield from ("", "#### Names the old release", "")
        for named in crossing.named:
            place = code(f"{slashes(named.where.path)}:{named.where.line}")
            yield f"- [ ] {place}: {code(named.where.text)}, write {prose(named.replacement)}"


def _broken(broken: Broken) -> str:
    place = "" if broken.kind == "file" else f"line {broken.where.line}, {code(broken.where.text)}: "
    remedy = f" *{message(broken.help)}*" if broken.help else ""
    return f"- [ ] {_SIGNS[broken.severity]} {place}{message(broken.message)}.{remedy}"


def _finding(finding: Finding) -> str:
    name = f"{finding.code} {finding.rule}"
    linked = f"[{name}](<{finding.url}>)" if finding.url else name
    remedy = f" *{message(finding.help)}*" if finding.help else ""
    head = f"{_SIGNS[finding.severity]} line {finding.where.start.line}, {linked}"
    return f"- [ ] {head}: {message(finding.message)}.{remedy}"


def _defaults(defaults: Sequence[Default], *, every: bool) -> Iterator[str]:
    shown = [one for one in defaults if every or one.matters]
    others = len(defaults) - len(shown)
    if shown:
        yield from ("", "#### Changed defaults of unset options", "")
        yield "| Option | Default | What it does |"
        yield "| :--- | :--- | :--- |"
        for one in shown:
            remark = one.effect or ("has the same effect" if one.same else "")
            yield f"| {code(one.key)} | {prose(spelled_change(one))} | {prose(remark)} |"
    if others:
        yield ""
        yield f"{of_little_weight(others, more=bool(shown))} (`--all-defaults` lists them)."


def _memory(crossing: Crossing, upgrade: Upgrade) -> Iterator[str]:
    for name, (before, after) in crossing.memory.items():
        if before.derived == after.derived or before.derived is None or after.derived is None:
            continue
        yield from ("", f"#### {TITLES[name]} memory, in bytes", "")
        yield f"| | {crossing.before} | {upgrade.to} | Difference |"
        yield "| :--- | ---: | ---: | ---: |"
        for part, old, new in memory_rows(name, before, after):
            yield f"| {WORDS[part]} | {grouped(old)} | {grouped(new)} | {signed(old, new)} |"
