"""Writes an answer's settings into a configuration, preserving its format, comments and line endings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from flink_flint.calculators.answering.setting_changes import Change, means
from flink_flint.calculators.command_line.open_configuration import Opened
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.filesystem.writing import write_whole
from flink_flint.linter.fix.make_edits import edits_of
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.releases import nearest_index
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Operation
from flink_flint.linter.model.safe_text import is_neutral, neutral_line
from flink_flint.linter.output.repository_paths import BYTE_ORDER_MARK
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span, apply_edits

_TO_APPLY = "# A line with a secret, just below a change, is omitted: apply this with `git apply --unidiff-zero`.\n"
_CONTEXT = 3
"""The number of unchanged lines shown around a change."""


def applied(opened: Opened, changes: Sequence[Change]) -> bytes:
    """Return the bytes of the configuration file with the changes applied.

    The result is read again to verify that it has the old settings with exactly these changes. Raises ValueError if a
    change cannot be made this way.
    """
    source = opened.source
    documents = source.file_format.read(source.path, source.data)
    document = documents[0]
    for change in changes:
        # Each change is made in the result of the previous one, so that edits cannot overlap.
        while edits := edits_of([_operation(document, change)], documents).values():
            text = apply_edits(document.text, [edit for some in edits for edit in some])
            source = Source(source.path, source.file_format.write(text, source.data), source.file_format)
            documents = source.file_format.read(source.path, source.data)
            document = documents[0]
            if change.kind != "remove" or change.key not in document.effective:
                break
        else:
            raise ValueError(f"{opened.path}: {_cannot(opened, change)}")
    _verify(opened, document, changes)
    return source.data


def _operation(document: Document, change: Change) -> Operation:
    entry = document.effective.get(change.key)
    if entry is None:
        return Operation("add", document.number, change.key, change.becomes or "")
    if change.becomes is None:
        return Operation("remove", document.number, change.key, at=entry.key_span)
    return Operation("replace", document.number, change.key, change.becomes, entry.key_span)


def _cannot(opened: Opened, change: Change) -> str:
    if change.kind == "remove":
        return f"{change.key} cannot be removed automatically; delete it by hand"
    where = f" in line {opened.place(change.key).rpartition(':')[2]}" if change.kind == "change" else ""
    return f"{change.key}{where} cannot be set to {change.becomes} by an edit; write it by hand"


def _verify(opened: Opened, document: Document, changes: Sequence[Change]) -> None:
    """Raise ValueError unless a file has the settings of the opened one with exactly the changes."""
    required = opened.document.settings()
    for change in changes:
        if change.becomes is None:
            required.pop(change.key, None)
        else:
            required[change.key] = change.becomes
    settings = document.settings()
    if document.refusals or settings.keys() != required.keys():
        raise ValueError(f"{opened.path}: the changes would affect other settings; make them by hand")
    became = {change.key for change in changes}
    configuration = Configuration(
        document.values(), opened.release, yaml=document.yaml_in(nearest_index(opened.release))
    )
    for key, text in required.items():
        if settings[key] != text and not (key in became and means(configuration, key, text)):
            raise ValueError(f"{opened.path}: {key} would not be read as {text}; write it by hand")


def write(opened: Opened, new: bytes) -> None:
    """Replace the configuration file atomically with the bytes `new`, keeping its mode; raise ValueError on failure."""
    try:
        write_whole(opened.source.path, new)
    except OSError as error:
        raise ValueError(f"{opened.path}: cannot write it: {(error.strerror or str(error)).lower()}") from None


# -- the difference


def diff(opened: Opened, new: bytes) -> str:
    """Return a unified diff for `git apply` from the current file to the bytes `new`.

    A line with a secret is never shown: the unchanged lines around a change end before it. A changed line has its
    secret hidden; no calculator changes such a line. If the line with the secret directly follows a change, git
    accepts the patch only with `--unidiff-zero`, as it assumes that a change without lines after it is at the end of
    the file; a line before the patch, which git ignores, says so.
    """
    source = opened.source
    after = source.file_format.read(source.path, new)[0]
    old, fresh = _Shown(opened.document), _Shown(after)
    hunks = list(_hunks(old, fresh))
    if not hunks:
        return ""
    path = _relative(opened.path)
    entries = [_TO_APPLY]
    lines = [line for hunk in hunks for line in hunk.lines]
    return "".join(
        (*(entries if any(hunk.is_cut for hunk in hunks) else []), f"--- a/{path}\n", f"+++ b/{path}\n", *lines)
    )


def addition(path: str, text: str) -> str:
    """Return a unified diff that creates a file with the content `text`."""
    lines = text.splitlines()
    body = "".join(f"+{line}\n" for line in lines)
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}" if lines else ""


class _Shown:
    """The lines of a document with their ends, and the numbers of lines with secrets or control characters."""

    def __init__(self, document: Document) -> None:
        self._mask, self._text = mask_of(document), document.text
        self._starts: list[int] = []
        start = 0
        # Lines are split like git does: a lone carriage return does not end a line.
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", document.text)
        self.secret: list[bool] = []
        for line in self.lines:
            end = start + len(line)
            covered = any(secret.start < end and start < secret.end for secret in self._mask.spans)
            acts = not is_neutral(line.removeprefix(BYTE_ORDER_MARK))
            self.secret.append(covered or acts or self._mask(line) != line)
            self._starts.append(start)
            start = end

    def show(self, sign: str, place: int) -> str:
        line = self.lines[place]
        if self.secret[place]:
            span = Span(self._starts[place], self._starts[place] + len(line.rstrip("\r\n")))
            return f"{sign}{neutral_line(self._mask(self._mask.line(self._text, span, span)[0]))}\n"
        return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


class _Hunk(NamedTuple):
    lines: list[str]
    is_cut: bool
    """Whether the hunk ends with a change although lines follow in the file."""


def _hunks(old: _Shown, fresh: _Shown) -> Iterator[_Hunk]:
    matcher = SequenceMatcher(None, old.lines, fresh.lines, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        part: list[tuple[str, int, int, int, int]] = []
        for code, low, high, new_low, new_high in group:
            if code != "equal":
                part.append((code, low, high, new_low, new_high))
                continue
            after = next((place for place in range(low, high) if old.secret[place]), high)
            before = next((place + 1 for place in reversed(range(low, high)) if old.secret[place]), low)
            if after == high:
                part.append((code, low, high, new_low, new_high))
                continue
            # A secret splits the hunk: the lines before it end this one, the lines after it begin the next.
            part.append((code, low, after, new_low, new_low + after - low))
            yield from _hunk(part, old, fresh)
            part = [(code, before, high, new_low + before - low, new_high)]
        yield from _hunk(part, old, fresh)


def _hunk(part: list[tuple[str, int, int, int, int]], old: _Shown, fresh: _Shown) -> Iterator[_Hunk]:
    """Yield the hunks of one group of changes."""
    if all(code == "equal" for code, *_ in part):
        return
    low, new_low, high, new_high = part[0][1], part[0][3], part[-1][2], part[-1][4]
    lines = [f"@@ -{_range(low, high)} +{_range(new_low, new_high)} @@\n"]
    for code, start, end, new_start, new_end in part:
        if code == "equal":
            lines += [old.show(" ", place) for place in range(start, end)]
            continue
        lines += [old.show("-", place) for place in range(start, end)]
        lines += [fresh.show("+", place) for place in range(new_start, new_end)]
    ends_with_change = part[-1][0] != "equal" or part[-1][1] == high
    yield _Hunk(lines, ends_with_change and high < len(old.lines))


def _range(start: int, end: int) -> str:
    """Return a line range in unified diff notation; an empty range has the number of the line before it."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + bool(length)},{length}"


def _relative(path: str) -> str:
    """Return a path relative to the current folder, as `git apply` requires."""
    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    return (os.path.abspath(path) if relative.startswith("..") else relative).replace(os.sep, "/").lstrip("/")
