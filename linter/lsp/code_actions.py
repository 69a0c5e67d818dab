"""Code actions for findings: a fix, all safe fixes at once, and a comment that suppresses a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.fix.apply import fix as fix_all
from flink_flint.linter.fix.make_edits import resolved
from flink_flint.linter.fix.readback import NotAsMeant, fix_alone
from flink_flint.linter.fix.unproven import doubt_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.model.suppressions import read_suppressions
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span, apply_edits

if TYPE_CHECKING:
    from flink_flint.linter.engine.check_run import Report
    from flink_flint.linter.engine.discovery import Source
    from flink_flint.linter.engine.run_options import Options
    from flink_flint.linter.lsp.text_buffer import Buffer

_NO_COMMENTS = (".json", ".tf.json")
"""Extensions of files that cannot contain comments."""


class Action(NamedTuple):
    """A code action: its title, its edits of one file, and whether it is safe."""

    title: str
    edits: Sequence[Edit]
    is_safe: bool


def fix_of(
    finding: Finding, source: Source, documents: Sequence[Document], check_with: Callable[[Source], Report]
) -> Action | None:
    """Return an action for a finding's fix, if reading the edited file confirms its effect; None otherwise.

    A safe fix is proven by checking the file with it, as `check_with` does. An unsafe one says so in its title.
    """
    if finding.proposed is None or not documents:
        return None
    [fix] = resolved([finding.proposed], documents)
    mask = mask_of(*documents)
    if fix is None or any(mask.hides(edit.text, edit.span) for edit in fix.edits):
        return None
    try:
        fix_alone(source, documents, fix)
    except NotAsMeant:
        return None
    if fix.safe and (doubt := doubt_of(finding, fix, source, documents, check_with)) is not None:
        fix = fix._replace(safe=False, doubt=doubt)
    return Action(neutral(mask(fix.described)), fix.edits, fix.safe)


def all_safe_fixes(sources: Sequence[Source], options: Options) -> Action | None:
    """Return an action that makes the changes of `flint check --fix` to the first file; None if nothing changes."""
    fixed = fix_all(sources, options, unsafe=False)[0]
    if not fixed.changed:
        return None
    old, new = (one.data.decode("utf-8", "surrogateescape") for one in (fixed.before, fixed.after))
    return Action(f"Fix all that can be fixed safely ({len(fixed.done)})", [_difference(old, new)], True)


def _difference(old: str, new: str) -> Edit:
    """Return the single edit between two texts: from the first to the last character that differs."""
    shorter = min(len(old), len(new))
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    end = next((place for place in range(shorter - start) if old[-1 - place] != new[-1 - place]), shorter - start)
    return Edit(Span(start, len(old) - end), new[start : len(new) - end])


def acceptance_of(finding: Finding, source: Source, buffer: Buffer, documents: Sequence[Document]) -> Action | None:
    """Return an action that suppresses a finding with a comment above or on its line; None if that is impossible.

    The comment is only offered if all settings stay the same and flint recognizes it.
    """
    if source.path.endswith(_NO_COMMENTS) or not documents:
        return None
    mark = f"{documents[0].file_format.comments[0]} flint: ignore[{finding.rule}]"
    for edit in _comments(buffer, finding.span.start, mark):
        if _is_comment(source, buffer, documents, edit, mark):
            return Action(f"Accept {finding.code} {finding.rule} here", [edit], False)
    return None


def _comments(buffer: Buffer, offset: int, mark: str) -> Iterator[Edit]:
    number = buffer.line_of(offset)
    line = buffer.line(number)
    text = buffer.text[line.start : line.end]
    margin = text[: len(text) - len(text.lstrip())]
    following = buffer.starts[number + 1] if number + 1 < len(buffer.starts) else 0
    line_end = buffer.text[line.end : following] or ("\r\n" if "\r\n" in buffer.text else "\n")
    yield Edit(Span(line.start, line.start), f"{margin}{mark}{line_end}")
    yield Edit(Span(line.end, line.end), f"  {mark}")


def _is_comment(source: Source, buffer: Buffer, documents: Sequence[Document], edit: Edit, mark: str) -> bool:
    before = [document.settings() for document in documents]
    text = apply_edits(buffer.text, [edit])
    after = source.file_format.read(source.path, text.encode("utf-8", "replace"))
    if [document.settings() for document in after] != before:
        return False
    refused = sum(len(document.refusals) for document in documents)
    if sum(len(document.refusals) for document in after) > refused:
        return False
    start = edit.span.start + edit.text.index(mark)
    return any(one.span.start == start for one in read_suppressions(after))
