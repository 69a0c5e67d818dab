"""Writes the changes of a fix as a unified diff for `git apply` and `patch -p1`, without secrets.

Context lines that contain secrets or terminal control characters are omitted. Context is not needed for a correct hunk,
but for it to apply: `git apply` requires a line below a change, unless the file ends there or `--unidiff-zero` is
given.

Sources: git's apply.c (`apply_one_fragment`: a hunk without a line below must match at the end) and quote.c.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.model.safe_text import is_neutral, neutral
from flink_flint.linter.output.repository_paths import BYTE_ORDER_MARK
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

_CONTEXT = 3
"""The usual number of context lines."""


class Diff(NamedTuple):
    """A diff, with notes on applying it."""

    text: str
    """The text of the diff; bytes that are not valid UTF-8 are lone surrogates."""
    notes: tuple[str, ...]


def unified_diff(before: Source, after: Source) -> Diff:
    """Return the diff between two versions of a file; empty if they are equal."""
    if before.data == after.data:
        return Diff("", ())
    old, new = _Side(before), _Side(after)
    old.hide(new.mask)
    new.hide(old.mask)
    hunks = list(_hunks(old, new))
    name, notes = _name(before.path)
    reason = None
    if not (old.is_utf_8 and new.is_utf_8):
        reason = "the file is not UTF-8"
    elif any(old.acting[place] for hunk in hunks for place in range(*hunk.old)) or any(
        new.acting[place] for hunk in hunks for place in range(*hunk.new)
    ):
        reason = "a changed line has control characters"
    elif any(old.hidden[place] for hunk in hunks for place in range(*hunk.old)) or any(
        new.hidden[place] for hunk in hunks for place in range(*hunk.new)
    ):
        reason = "it hides a secret"
    lines = [f"--- {_quoted('a/' + name)}\n", f"+++ {_quoted('b/' + name)}\n"]
    for hunk in hunks:
        lines += _spelled(hunk, old, new)
    if reason is not None:
        # Written as comments, which tools that apply diffs skip: the notes must neither change the file
        # nor make the rest of the diff fail.
        lines = [f"# {line}" for line in lines]
        notes = (f"the diff cannot be applied, as {reason}; use --fix",)
    elif any(hunk.is_bare for hunk in hunks):
        notes = (
            *notes,
            "secrets or control characters next to a change are omitted; apply the diff with git apply --unidiff-zero",
        )
    return Diff("".join(lines), notes)


class _Side:
    """The lines of a file before or after, and which of them contain secrets."""

    def __init__(self, source: Source) -> None:
        documents = source.file_format.read(source.path, source.data)
        self.text = documents[0].text
        self.mask = mask_of(*documents)
        self.is_utf_8 = self.text.encode("utf-8", "surrogateescape") == source.data
        # Only a line feed ends a line of a diff.
        self.lines = self.text.split("\n")
        self.lines = [f"{line}\n" for line in self.lines[:-1]] + [line for line in self.lines[-1:] if line]
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))
        # A line with terminal control characters is hidden too, except for a byte order mark.
        self.acting = [not is_neutral(line.removeprefix(BYTE_ORDER_MARK)) for line in self.lines]
        self.hidden = self.acting.copy()
        for secret in self.mask.spans:
            for place in range(self._line(secret.start), self._line(max(secret.start, secret.end - 1)) + 1):
                self.hidden[place] = True

    def _line(self, offset: int) -> int:
        return min(bisect_right(self._starts, offset), len(self.lines)) - 1

    def hide(self, mask: Mask) -> None:
        """Hide the secrets of the other side as well."""
        for place, line in enumerate(self.lines):
            self.hidden[place] = self.hidden[place] or mask(line) != line
        self._other = mask

    def shown(self, place: int) -> str:
        """Return a line with its secrets masked."""
        line = self.lines[place]
        if not self.hidden[place]:
            return line
        span = Span(self._starts[place], self._starts[place] + len(line))
        shown = neutral(self._other(self.mask.line(self.text, span, span)[0]))
        return shown if shown.endswith("\n") or not line.endswith("\n") else f"{shown}\n"


class _Change(NamedTuple):
    """Lines [`start`, `end`) and their replacement."""

    old: tuple[int, int]
    new: tuple[int, int]


class _Hunk(NamedTuple):
    """Changes and their context lines, without those that contain secrets."""

    old: tuple[int, int]
    new: tuple[int, int]
    changes: tuple[_Change, ...]
    is_bare: bool
    """Whether there is no context line below the last change although the file continues."""


def _hunks(old: _Side, new: _Side) -> Iterator[_Hunk]:
    changes = _changes(old.lines, new.lines)
    group: list[_Change] = []
    for change in changes:
        if group:
            between = range(group[-1].old[1], change.old[0])
            if len(between) > 2 * _CONTEXT or any(old.hidden[place] for place in between):
                yield _hunk(group, old)
                group = []
        group.append(change)
    if group:
        yield _hunk(group, old)


def _changes(old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    from difflib import SequenceMatcher

    # What is equal at both ends, which is nearly all of the file, needs no search.
    low, limit = 0, min(len(old), len(new))
    while low < limit and old[low] == new[low]:
        low += 1
    high = 0
    while high < limit - low and old[-1 - high] == new[-1 - high]:
        high += 1
    matcher = SequenceMatcher(None, old[low : len(old) - high], new[low : len(new) - high], autojunk=False)
    return [
        _Change((i + low, j + low), (k + low, m + low)) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"
    ]


def _hunk(changes: list[_Change], old: _Side) -> _Hunk:
    first, last = changes[0], changes[-1]
    above, is_cut_above = _free(old, range(first.old[0] - 1, -1, -1))
    below, is_cut_below = _free(old, range(last.old[1], len(old.lines)))
    # Unequal context on both sides is only accepted at an edge of the file.
    if is_cut_above:
        below = min(below, max(above, 1))
    if is_cut_below:
        above = min(above, below)
    return _Hunk(
        (first.old[0] - above, last.old[1] + below),
        (first.new[0] - above, last.new[1] + below),
        tuple(changes),
        below == 0 and last.old[1] < len(old.lines),
    )


def _free(old: _Side, places: range) -> tuple[int, bool]:
    """Return how many lines nearest to a change can be shown, and whether a secret prevents showing more."""
    for number, place in enumerate(places[:_CONTEXT]):
        if old.hidden[place]:
            return number, True
    return min(_CONTEXT, len(places)), False


def _spelled(hunk: _Hunk, old: _Side, new: _Side) -> Iterator[str]:
    yield f"@@ -{_range(hunk.old)} +{_range(hunk.new)} @@\n"
    place = hunk.old[0]
    for change in hunk.changes:
        yield from (_line(" ", old, one) for one in range(place, change.old[0]))
        yield from (_line("-", old, one) for one in range(*change.old))
        yield from (_line("+", new, one) for one in range(*change.new))
        place = change.old[1]
    yield from (_line(" ", old, one) for one in range(place, hunk.old[1]))


def _line(sign: str, side: _Side, place: int) -> str:
    line = side.shown(place)
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(lines: tuple[int, int]) -> str:
    start, length = lines[0], lines[1] - lines[0]
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _name(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the file's name relative to the current folder, else to the root, with a note if needed."""
    path = os.path.realpath(path)  # tools that apply diffs follow no links
    inside = os.path.relpath(path)
    if inside != os.pardir and not inside.startswith(os.pardir + os.sep):
        return inside.replace(os.sep, "/"), ()
    whole = os.path.abspath(path)
    root = os.path.splitdrive(whole)[0] + os.sep
    name = whole[len(root) :].replace(os.sep, "/")
    return name, (f"it is not in the folder that flint runs in; apply its diff in {root}",)


_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def _quoted(name: str) -> str:
    """Return a name as git writes it: quoted if it contains anything but printable ASCII, and terminated if it contains
    blanks."""
    data = os.fsencode(name)
    if all(32 <= byte < 127 and byte not in (34, 92) for byte in data):
        return f"{name}\t" if " " in name else name
    written = (
        f"\\{_ESCAPES[byte]}" if byte in _ESCAPES else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
        for byte in data
    )  # fmt: skip
    return f'"{"".join(written)}"'
