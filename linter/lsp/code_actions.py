"""What can be done about findings: fixes, all safe fixes at once, and comments that accept a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.fix.apply import fix as fix_all
from flink_flint.linter.fix.readback import NotAsMeant, fix_alone
from flink_flint.linter.fix.resolve import resolved
from flink_flint.linter.fix.unproven import doubt_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.encoding import neutral
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.suppressions import read_suppressions
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Span, apply_edits

if TYPE_CHECKING:
    from flink_flint.linter.engine.discovery import Source
    from flink_flint.linter.engine.running import Options
    from flink_flint.linter.lsp.text_buffer import Buffer

_NO_COMMENTS = (".json", ".tf.json")
"""Endings of files that cannot hold a comment."""


class Action(NamedTuple):
    """Edits of one file, and what they do."""

    title: str
    edits: Sequence[Edit]
    is_safe: bool


def fix_of(finding: Finding, source: Source, documents: Sequence[Document], options: Options) -> Action | None:
    """The fix of a finding, once the file has been read again with it; None where it would not do what it means.

    A safe one is proven by judging the file again with it. An unsafe one says so in its title.
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
    if fix.safe and (doubt := doubt_of(finding, fix, source, documents, options)) is not None:
        fix = fix._replace(safe=False, doubt=doubt)
    return Action(neutral(mask(fix.described)), fix.edits, fix.safe)


def all_safe_fixes(source: Source, options: Options) -> Action | None:
    """What `flint check --fix` makes of the file alone, as one edit; None where it leaves it as it is."""
    fixed = fix_all([source], options, unsafe=False)[0]
    if not fixed.changed:
        return None
    old, new = (one.data.decode("utf-8", "surrogateescape") for one in (fixed.before, fixed.after))
    return Action(f"Fix all that can be fixed safely ({len(fixed.done)})", [_difference(old, new)], True)


def _difference(old: str, new: str) -> Edit:
    """One edit that makes one text of another: from the first character that differs to the last."""
    shorter = min(len(old), len(new))
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    end = next((place for place in range(shorter - start) if old[-1 - place] != new[-1 - place]), shorter - start)
    return Edit(Span(start, len(old) - end), new[start : len(new) - end])


def acceptance_of(finding: Finding, source: Source, buffer: Buffer, documents: Sequence[Document]) -> Action | None:
    """A comment that accepts a finding, above its line or else at its end; None where the file cannot take one.

    It is a comment only if all settings are what they were, and flint takes it for what it is.
    """
    if source.path.endswith(_NO_COMMENTS) or not documents:
        return None
    mark = f"{documents[0].file_format.comments[0]} flint: ignore[{finding.rule}]"
    for edit in _comments(buffer, finding.span.start, mark):
        if _is_comment(source, buffer, documents, edit, finding.rule):
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


def _is_comment(source: Source, buffer: Buffer, documents: Sequence[Document], edit: Edit, rule: str) -> bool:
    before = [document.settings() for document in documents]
    text = apply_edits(buffer.text, [edit])
    after = source.file_format.read(source.path, text.encode("utf-8", "replace"))
    if [document.settings() for document in after] != before:
        return False
    refused = sum(len(document.refusals) for document in documents)
    if sum(len(document.refusals) for document in after) > refused:
        return False
    end = edit.span.start + len(edit.text)
    return any(edit.span.start <= one.span.start < end and rule in one.selectors for one in read_suppressions(after))
