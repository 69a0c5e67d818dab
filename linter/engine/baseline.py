"""Baselines: files that record a repository's existing findings so that only new findings are reported.

The file is JSON with one entry per line, sorted, so that its diffs can be read and merged. An entry holds the identity
of a finding, its severity, and its measure if it has one; no message and no value. Paths are relative to the file's
directory, with forward slashes, so that the file works from every directory and on every system.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from flink_flint.linter.engine.comparison_result import Identity, renamed_files
from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.filesystem.writing import save
from flink_flint.linter.model.finding import Finding, Severity, has_grown, raised_note, worse_note
from flink_flint.linter.model.safe_text import neutral
from flink_flint.linter.text.named_tuple import NamedTuple

VERSION = 1
"""The version of the baseline format; incremented when an older flint would misread the file."""

DEFAULT_FILE = "flint-baseline.json"

LARGEST_BASELINE = 64 * 1024**2
"""The maximum size of a baseline file, in bytes, enough for several hundred thousand findings."""

UNSILENCED = frozenset(("internal-error", "judged-in-part"))
"""The names of the rules that report incomplete checks; a baseline never suppresses their findings."""


class BaselineError(ValueError):
    """A baseline that cannot be used; the message names the file, the line and the remedy."""


class Group(NamedTuple):
    """A finding's identity without the ordinal: the path, rule code, document and key."""

    path: str
    code: str
    document: str
    key: str


class Entry(NamedTuple):
    """A finding that the baseline accepts."""

    path: str
    """The path of the finding's file with forward slashes, relative to the baseline; absolute if on another drive."""
    code: str
    rule: str
    document: str | None
    key: str | None
    ordinal: int
    measure: float | None
    """The largest `Finding.measure` that the entry accepts (larger is worse); None accepts any."""
    severity: Severity | None = None
    """The highest severity that the entry accepts; None accepts any."""
    line: int = 0
    """The line of the entry in the baseline file, from 1; 0 if unknown."""

    @property
    def group(self) -> Group:
        """The path, code, document and key of the entry: its identity without the ordinal."""
        return Group(self.path, self.code, self.document or "", self.key or "")

    def __str__(self) -> str:
        key = f" on {self.key}" if self.key else ""
        document = f" ({self.document})" if self.document else ""
        return f"{self.code} {self.rule}{key} in {self.path}{document}"


class Baseline(NamedTuple):
    """The contents of a baseline file."""

    file: str
    """The path of the baseline file as the user named it."""
    entries: tuple[Entry, ...]
    folder: str
    """The absolute path, with links resolved, of the directory that the paths in the baseline are relative to."""


class Known(NamedTuple):
    """A finding and the baseline entry that accepts it."""

    finding: Finding
    entry: Entry


class Comparison(NamedTuple):
    """The result of matching findings with baseline entries."""

    new: list[Finding]
    grown: list[Known]
    """The findings in the baseline whose measure or severity now exceeds what the baseline accepts."""
    known: list[Known]
    missing: list[Entry]
    """The baseline entries that match no finding."""


def folder_of(file: str) -> str:
    """Return the directory that the paths of a baseline file are relative to."""
    return os.path.dirname(os.path.realpath(file))


def relative_path(path: str, folder: str) -> str:
    """Return a file's path relative to `folder`, as baselines spell it; `folder` is absolute, with links resolved."""
    absolute = os.path.join(_real(os.path.dirname(os.path.abspath(path))), os.path.basename(path))
    try:
        return os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return absolute.replace(os.sep, "/")


@cache
def _real(folder: str) -> str:
    return os.path.realpath(folder)


def entry_of(finding: Finding, path: str) -> Entry:
    """Return the baseline entry that accepts a finding; `path` is the finding's path as written in the baseline."""
    measure = finding.measure
    if measure is not None and not math.isfinite(measure):
        measure = None
    return Entry(
        path, finding.code, finding.rule, finding.document, finding.key, finding.ordinal, measure, finding.rated
    )  # fmt: skip


Spell = Callable[[str, str], str]
"""A function that converts a file's path to the form used in a baseline, given the baseline's directory."""


def compare(
    findings: Iterable[Finding], entries: Iterable[Entry], folder: str, spell: Spell = relative_path
) -> Comparison:
    """Match findings with baseline entries, whose paths are relative to `folder`.

    Findings and entries of one group are paired so that as few findings as possible remain: the order of several
    findings on one key may change, the accepted measures do not.
    """
    allowed: dict[Group, list[Entry]] = defaultdict(list)
    for entry in entries:
        allowed[entry.group].append(entry)
    found: dict[Group, list[Finding]] = defaultdict(list)
    comparison = Comparison([], [], [], [])
    for finding in findings:
        if finding.rule in UNSILENCED:
            comparison.new.append(finding)
            continue
        path = spell(finding.path, folder)
        found[Group(path, finding.code, finding.document or "", finding.key or "")].append(finding)
    for group, members in found.items():
        _pair(members, allowed.pop(group, []), comparison)
    for left in allowed.values():
        comparison.missing.extend(left)
    comparison.missing.sort(key=_order)
    return comparison


def _pair(findings: list[Finding], entries: list[Entry], comparison: Comparison) -> None:
    """Pair each finding with the strictest entry that allows it, then the remaining findings with the remaining
    entries."""
    waiting = sorted(entries, key=lambda entry: (_most(entry), _highest(entry), entry.ordinal))
    left: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: (_measure(finding), finding.rated, finding.ordinal)):
        allowing = next((number for number, entry in enumerate(waiting) if _allows(entry, finding)), None)
        if allowing is None:
            left.append(finding)
        else:
            comparison.known.append(Known(finding, waiting.pop(allowing)))
    while left and waiting:
        comparison.grown.append(Known(left.pop(), waiting.pop()))
    comparison.new.extend(left)
    comparison.missing.extend(waiting)


def _allows(entry: Entry, finding: Finding) -> bool:
    return _measure(finding) <= _most(entry) and finding.rated <= _highest(entry)


def is_worse(finding: Finding, entry: Entry) -> bool:
    """Return whether a finding exceeds an entry's measure or severity; an unknown measure exceeds nothing."""
    return has_grown(finding.measure, entry.measure) or finding.rated > _highest(entry)


def _highest(entry: Entry) -> Severity:
    return Severity.ERROR if entry.severity is None else entry.severity


def _measure(finding: Finding) -> float:
    measure = finding.measure
    return -math.inf if measure is None or math.isnan(measure) else measure


def _most(entry: Entry) -> float:
    return math.inf if entry.measure is None else entry.measure


def followed(entries: Sequence[Entry], findings: Iterable[Finding], folder: str) -> list[Entry]:
    """Return the baseline entries, with the paths of renamed files updated.

    A file counts as renamed if the old path is gone, the new one has no entries, and some of the entries match its
    findings.
    """
    gone: dict[str, Counter[Identity]] = defaultdict(Counter)
    known = {entry.path for entry in entries}
    for path in known:
        if not os.path.lexists(os.path.join(folder, *path.split("/"))):
            gone[path] = Counter(entry.group[1:] for entry in entries if entry.path == path)
    if not gone:
        return list(entries)
    come: dict[str, Counter[Identity]] = defaultdict(Counter)
    for finding in findings:
        path = relative_path(finding.path, folder)
        if path not in known:
            come[path][finding.code, finding.document or "", finding.key or ""] += 1
    renamed = renamed_files(gone, come)
    return [entry._replace(path=renamed.get(entry.path, entry.path)) for entry in entries]


def pruned(comparison: Comparison, kept: Iterable[Entry]) -> list[Entry]:
    """Return the entries that match findings, with limits lowered to the current values, plus the `kept` entries."""
    entries = [entry for _, entry in comparison.grown]
    for finding, entry in comparison.known:
        now = entry_of(finding, entry.path)
        if now.measure is not None:
            entry = entry._replace(measure=now.measure)
        entries.append(entry if entry.severity is None else entry._replace(severity=now.severity))
    return [*entries, *kept]


# -- the file


def read_baseline(file: str) -> Baseline:
    """Read a baseline; raise `BaselineError` if it cannot be used."""
    try:
        data = read_named(file, LARGEST_BASELINE + 1)
    except FileNotFoundError:
        raise BaselineError(f"{file}: no such file; --write-baseline creates it") from None
    except OSError as error:
        raise BaselineError(f"{file}: cannot read the baseline: {(error.strerror or str(error)).lower()}") from None
    return parse_baseline(file, data)


def parse_baseline(file: str, data: bytes) -> Baseline:
    """Parse the contents of a baseline file; raise `BaselineError` if they cannot be used."""
    if len(data) > LARGEST_BASELINE:
        raise BaselineError(f"{file}: more than {LARGEST_BASELINE // 1024**2} MiB: too large for a baseline")
    try:
        text = data.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BaselineError(f"{file}:{line}: not a baseline: not UTF-8") from None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise BaselineError(
            f"{file}:{error.lineno}: not a baseline: {error.msg.lower()}; --write-baseline recreates it"
        ) from None
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise BaselineError(f'{file}:1: not a baseline: an object with "version" and "findings" is expected')
    if content.get("version") != VERSION:
        raise BaselineError(
            f"{file}: the baseline has version {content.get('version')!r}, this flint reads {VERSION}; "
            "recreate it with --write-baseline"
        )
    rows = content["findings"]
    # The line numbers are only known for the layout that flint writes; other layouts are accepted too.
    opening = [number for number, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith("{")][1:]
    lines = opening if len(opening) == len(rows) else [0] * len(rows)
    return Baseline(
        file, tuple(_entry(file, line, row) for line, row in zip(lines, rows, strict=True)), folder_of(file)
    )


_FIELDS: Mapping[str, tuple[type, ...]] = {
    "path": (str,),
    "code": (str,),
    "rule": (str,),
    "document": (str, type(None)),
    "key": (str, type(None)),
    "ordinal": (int,),
    "measure": (int, float, type(None)),
    "severity": (str, type(None)),
}
_NEEDED = ("path", "code")
_SEVERITIES = {severity.word: severity for severity in Severity}


def _entry(file: str, line: int, row: Any) -> Entry:
    where = f"{file}:{line}" if line else file
    if not isinstance(row, dict):
        raise BaselineError(f"{where}: not an entry of a baseline: {json.dumps(row)}")
    for name, types in _FIELDS.items():
        if name in row and (not isinstance(row[name], types) or isinstance(row[name], bool)):
            raise BaselineError(f'{where}: "{name}" of an entry cannot be {json.dumps(row[name])}')
    for name in _NEEDED:
        if name not in row:
            raise BaselineError(f'{where}: the entry has no "{name}"')
    measure = row.get("measure")
    if measure is not None and not math.isfinite(measure):
        raise BaselineError(f'{where}: "measure" of an entry cannot be {json.dumps(measure)}')
    severity = row.get("severity")
    if severity is not None and severity not in _SEVERITIES:
        raise BaselineError(f'{where}: "severity" of an entry cannot be {json.dumps(severity)}')
    return Entry(
        row["path"], row["code"], row.get("rule", ""), row.get("document"), row.get("key"),
        row.get("ordinal", 0), measure, severity and _SEVERITIES[severity], line,
    )  # fmt: skip


def write_baseline(file: str, entries: Iterable[Entry]) -> int:
    """Write a baseline atomically and return the number of its entries.

    Raises ValueError if it cannot be written, or if the file exists and is not a baseline.
    """
    numbered = _numbered(entries)
    try:
        head = read_named(file, 1000)
        # A baseline with merge conflict markers may be overwritten; a file named by mistake may not.
        if head.strip() and not (head.lstrip().startswith(b"{") and b'"findings"' in head):
            raise BaselineError(f"{file}: not a baseline, so it is not overwritten")
    except OSError:
        pass  # it does not exist yet, or writing reports the error
    save(file, spell(numbered), "the baseline")
    return len(numbered)


def _numbered(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries in order, with ordinals from 0 in each group."""
    counts: dict[Group, int] = {}
    numbered = []
    for entry in sorted(entries, key=_order):
        counts[entry.group] = ordinal = counts.get(entry.group, -1) + 1
        numbered.append(entry._replace(ordinal=ordinal))
    return numbered


def _order(entry: Entry) -> tuple[object, ...]:
    return (*entry.group, entry.ordinal, _most(entry))


def spell(entries: Sequence[Entry]) -> bytes:
    """Return the contents of a baseline file with the given entries, in the given order."""
    rows = ",\n".join("  " + _row(entry) for entry in entries)
    listed = f"[\n{rows}\n ]" if rows else "[]"
    return f'{{\n "version": {VERSION},\n "findings": {listed}\n}}\n'.encode()


def _row(entry: Entry) -> str:
    row = {name: getattr(entry, name) for name in _FIELDS}
    measure = row["measure"]
    if measure is not None and measure == int(measure) and abs(measure) < 2**53:
        row["measure"] = int(measure)
    row["severity"] = entry.severity and entry.severity.word
    # Escape control and bidirectional characters as JSON does: the names stay exact and visible.
    return neutral(json.dumps({name: value for name, value in row.items() if value is not None}, ensure_ascii=False))


def grown_note(finding: Finding, entry: Entry, where: str) -> None:
    """Add a note to a finding, saying that it is worse than the baseline entry at `where` allows."""
    if has_grown(finding.measure, entry.measure):
        finding.note = worse_note(finding.note, where, finding.measure, entry.measure)
    if entry.severity is not None and finding.rated > entry.severity:
        finding.note = raised_note(finding.note, where, finding.rated, entry.severity)
