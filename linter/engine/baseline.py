"""The baseline: the findings a repository had on the day it took flint in, so that only new ones are reported.

The file is JSON with one entry a line, sorted, so that its diffs can be read and merged. An entry holds what the
identity of a finding is made of, its severity, and its measure where it has one; no message and no value. Paths are
relative to the file's folder, with slashes, so that it counts the same from every folder and on every system.
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
from flink_flint.linter.model.encoding import neutral
from flink_flint.linter.model.finding import Finding, Severity, has_grown, raised_note, worse_note
from flink_flint.linter.text.named_tuple import NamedTuple

VERSION = 1
"""Rises when an older flint would misread the file."""

DEFAULT_FILE = "flint-baseline.json"

LARGEST_BASELINE = 64 * 1024**2
"""Bytes; room for several hundred thousand findings."""

UNSILENCED = frozenset(("internal-error", "judged-in-part"))
"""The rules that report what was not judged; no baseline silences them."""


class BaselineError(ValueError):
    """A baseline that cannot be used; the message names the file, the line and what to do."""


class Group(NamedTuple):
    """The identity without the ordinal: what the findings of one rule on one key have in common."""

    path: str
    code: str
    document: str
    key: str


class Entry(NamedTuple):
    """One finding that is let stand."""

    path: str
    """Relative to the baseline's folder, with slashes; absolute on another drive."""
    code: str
    rule: str
    document: str | None
    key: str | None
    ordinal: int
    measure: float | None
    """How bad it may be at most; None for any."""
    severity: Severity | None = None
    """How severe its rule may call it at most; None for any."""
    line: int = 0
    """Where it stands in the file, from 1; 0 where that is not known."""

    @property
    def group(self) -> Group:
        """The identity without the ordinal."""
        return Group(self.path, self.code, self.document or "", self.key or "")

    def __str__(self) -> str:
        key = f" on {self.key}" if self.key else ""
        document = f" ({self.document})" if self.document else ""
        return f"{self.code} {self.rule}{key} in {self.path}{document}"


class Baseline(NamedTuple):
    """What a baseline file holds."""

    file: str
    """As the user named it."""
    entries: tuple[Entry, ...]
    folder: str
    """What its paths are relative to, absolute and without links."""


class Known(NamedTuple):
    """A finding and the entry that lets it stand."""

    finding: Finding
    entry: Entry


class Comparison(NamedTuple):
    """Findings held against entries."""

    new: list[Finding]
    grown: list[Known]
    """Those that are worse than the entry allows, by their measure or their severity."""
    known: list[Known]
    missing: list[Entry]
    """The entries that no finding answers to."""


def folder_of(file: str) -> str:
    """The folder that the paths of a baseline file are relative to."""
    return os.path.dirname(os.path.realpath(file))


def relative_path(path: str, folder: str) -> str:
    """The path of a file as a baseline in `folder` (absolute, without links) spells it."""
    absolute = os.path.join(_real(os.path.dirname(os.path.abspath(path))), os.path.basename(path))
    try:
        return os.path.relpath(absolute, folder).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return absolute.replace(os.sep, "/")


@cache
def _real(folder: str) -> str:
    return os.path.realpath(folder)


def entry_of(finding: Finding, path: str) -> Entry:
    """The entry that lets a finding stand; `path` is the finding's as the baseline spells it."""
    measure = finding.measure
    if measure is not None and not math.isfinite(measure):
        measure = None
    return Entry(
        path, finding.code, finding.rule, finding.document, finding.key, finding.ordinal, measure, finding.rated
    )  # fmt: skip


Spell = Callable[[str, str], str]
"""What gives the path of a file as a baseline in a folder spells it."""


def compare(
    findings: Iterable[Finding], entries: Iterable[Entry], folder: str, spell: Spell = relative_path
) -> Comparison:
    """Hold findings against entries whose paths are relative to `folder`.

    Findings and entries of one group are paired so that as few findings as possible are left: which of several on
    one key is the first may change, the worst they may be does not.
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
    """Pair each finding with the narrowest entry that allows it; those left over with entries left over."""
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
    """Whether a finding is worse than an entry allows; where a measure is unknown, nobody can say so of it."""
    return has_grown(finding.measure, entry.measure) or finding.rated > _highest(entry)


def _highest(entry: Entry) -> Severity:
    return Severity.ERROR if entry.severity is None else entry.severity


def _measure(finding: Finding) -> float:
    measure = finding.measure
    return -math.inf if measure is None or math.isnan(measure) else measure


def _most(entry: Entry) -> float:
    return math.inf if entry.measure is None else entry.measure


def followed(entries: Sequence[Entry], findings: Iterable[Finding], folder: str) -> list[Entry]:
    """The entries, those of files that are gone under the names that the files have now.

    A file was renamed if the old name is gone, the new one has no entries, and some of the entries fit its findings.
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
    """The entries that are still needed, none allowing more than its finding measures, besides those to be `kept`."""
    entries = [entry for _, entry in comparison.grown]
    for finding, entry in comparison.known:
        now = entry_of(finding, entry.path)
        if now.measure is not None:
            entry = entry._replace(measure=now.measure)
        entries.append(entry if entry.severity is None else entry._replace(severity=now.severity))
    return [*entries, *kept]


# -- the file


def read_baseline(file: str) -> Baseline:
    """Read a baseline; raises `BaselineError`."""
    try:
        data = read_named(file, LARGEST_BASELINE + 1)
    except FileNotFoundError:
        raise BaselineError(f"{file}: no such file; --write-baseline makes it") from None
    except OSError as error:
        raise BaselineError(f"{file}: cannot read the baseline: {(error.strerror or str(error)).lower()}") from None
    return parse_baseline(file, data)


def parse_baseline(file: str, data: bytes) -> Baseline:
    """Read what a baseline file holds; raises `BaselineError`."""
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
            f"{file}:{error.lineno}: not a baseline: {error.msg.lower()}; --write-baseline writes it anew"
        ) from None
    if not isinstance(content, dict) or not isinstance(content.get("findings"), list):
        raise BaselineError(f'{file}:1: not a baseline: an object with "version" and "findings" is expected')
    if content.get("version") != VERSION:
        raise BaselineError(
            f"{file}: the baseline has version {content.get('version')!r}, this flint reads {VERSION}; "
            "write it anew with --write-baseline"
        )
    rows = content["findings"]
    # Only the layout that flint writes tells the lines; any other layout is read all the same.
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
    """Write a baseline, whole or not at all, and give the number of its entries.

    Raises ValueError where it cannot be written, and where the file holds something else than a baseline.
    """
    numbered = _numbered(entries)
    try:
        head = read_named(file, 1000)
        # A baseline with the marks of a merge conflict is to be written anew; a file named by mistake is not.
        if head.strip() and not (head.lstrip().startswith(b"{") and b'"findings"' in head):
            raise BaselineError(f"{file}: holds something else than a baseline; it is left alone")
    except OSError:
        pass  # there is none yet, or writing will tell
    save(file, spell(numbered), "the baseline")
    return len(numbered)


def _numbered(entries: Iterable[Entry]) -> list[Entry]:
    """The entries in order, those of one group counted from 0."""
    counts: dict[Group, int] = {}
    numbered = []
    for entry in sorted(entries, key=_order):
        counts[entry.group] = ordinal = counts.get(entry.group, -1) + 1
        numbered.append(entry._replace(ordinal=ordinal))
    return numbered


def _order(entry: Entry) -> tuple[object, ...]:
    return (*entry.group, entry.ordinal, _most(entry))


def spell(entries: Sequence[Entry]) -> bytes:
    """The file of these entries, in their order."""
    rows = ",\n".join("  " + _row(entry) for entry in entries)
    listed = f"[\n{rows}\n ]" if rows else "[]"
    return f'{{\n "version": {VERSION},\n "findings": {listed}\n}}\n'.encode()


def _row(entry: Entry) -> str:
    row = {name: getattr(entry, name) for name in _FIELDS}
    measure = row["measure"]
    if measure is not None and measure == int(measure) and abs(measure) < 2**53:
        row["measure"] = int(measure)
    row["severity"] = entry.severity and entry.severity.word
    # Neutral characters are spelled as JSON spells them, so that the file holds the very names and shows what they are.
    return neutral(json.dumps({name: value for name, value in row.items() if value is not None}, ensure_ascii=False))


def grown_note(finding: Finding, entry: Entry, where: str) -> None:
    """Say in a finding's note what of it is worse than an entry, which is `where`, allows."""
    if has_grown(finding.measure, entry.measure):
        finding.note = worse_note(finding.note, where, finding.measure, entry.measure)
    if entry.severity is not None and finding.rated > entry.severity:
        finding.note = raised_note(finding.note, where, finding.rated, entry.severity)
