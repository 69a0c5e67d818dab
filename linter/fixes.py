"""Applying fixes: to the text in memory, again and again until nothing is left to mend, then to the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linter.discovery import Problem, Source
from linter.document import Document
from linter.engine import Options, check
from linter.finding import Fix
from linter.locating import masked_lines
from linter.text import Edit, apply_edits
from linter.writing import write_whole

_MOST_ROUNDS = 20
"""A fix may call for another (a rename that meets a removal); more rounds than this would be a loop."""


class Fixed(NamedTuple):
    """A file and what became of it."""

    before: Source
    after: Source
    titles: tuple[str, ...]
    """What was done, in order."""

    @property
    def changed(self) -> bool:
        """Whether anything was mended."""
        return bool(self.titles)


def fix(sources: Sequence[Source], options: Options, *, unsafe: bool) -> list[Fixed]:
    """Mend files in memory, judged together as a check judges them. Edits that overlap wait for the next round.

    A round that would make Flink refuse a file it takes is undone for that file, so that a fix never does harm.
    """
    current = {source.path: source for source in sources}
    titles: dict[str, list[str]] = {source.path: [] for source in sources}
    settled: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        report = check(list(current.values()), options)
        fixes: dict[str, list[Fix]] = {}
        for finding in report.findings:
            if finding.fix is not None and (finding.fix.safe or unsafe) and finding.path not in settled:
                fixes.setdefault(finding.path, []).append(finding.fix)
        if not fixes:
            break
        texts = {one.document.path: one.document.text for one in report.documents}
        for path, wanted in fixes.items():
            source, chosen = current[path], _apart(wanted)
            text = apply_edits(texts[path], [edit for one in chosen for edit in one.edits])
            mended = Source(path, source.carrier.write(text, source.data), source.carrier)
            if mended.data == source.data or (_refused(mended) and not _refused(source)):
                settled.add(path)
                continue
            current[path] = mended
            titles[path] += [one.title for one in chosen]
    return [Fixed(source, current[source.path], tuple(titles[source.path])) for source in sources]


def _refused(source: Source) -> bool:
    return any(document.refusals for document in source.carrier.read(source.path, source.data))


def _apart(fixes: Iterable[Fix]) -> list[Fix]:
    """The fixes whose edits touch none of an earlier one."""
    chosen: list[Fix] = []
    taken: list[Edit] = []
    for one in fixes:
        if not any(_touch(edit, other) for edit in one.edits for other in taken):
            chosen.append(one)
            taken += one.edits
    return chosen


def _touch(one: Edit, other: Edit) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end


def write(fixed: Fixed) -> Problem | None:
    """Write the mended file in place of the old one, whole or not at all."""
    try:
        write_whole(fixed.after.path, fixed.after.data)
    except OSError as error:
        return Problem(fixed.after.path, f"cannot write the fixed file: {(error.strerror or str(error)).lower()}")
    return None


def diff(fixed: Fixed) -> str:
    """What fixing would change, as a unified diff with secrets hidden."""
    import difflib

    before, after = (source.carrier.read(source.path, source.data) for source in (fixed.before, fixed.after))
    shown = {**masked_lines(before), **masked_lines(after)}
    path = fixed.before.path
    lines = list(difflib.unified_diff(_lines(before[0]), _lines(after[0]), path, path, lineterm=""))
    return "".join(f"{line}\n" for line in lines[:2]) + "".join(
        f"{line}\n" if line.startswith("@@") else f"{line[0]}{shown[line[1:]]}\n" for line in lines[2:]
    )


def _lines(document: Document) -> list[str]:
    spans = map(document.lines.span, range(1, len(document.lines.starts) + 1))
    found = [document.text[span.start : span.end] for span in spans]
    return found[:-1] if found[-1] == "" else found
