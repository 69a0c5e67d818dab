"""What flint says about a report: whether a finding names the cause, and where."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

JUDGED = Path(__file__).parent.with_name("reports.toml")
"""Which rules name the cause of each report, each with what its message says; or why a suggestion must do."""

MINED = Path(__file__).with_name("mined.jsonl")
"""Reports read in public trackers and threads, in the same form, without those of the ground truth."""

NAMED, ADVICE, WRONG, SILENT, UNREAD = KINDS = "named", "advice", "wrong cause", "silent", "not read"

_RELEASE = re.compile(r"\d+\.\d+(\.\d+)?")
_NEAR = 8
"""The lines that a finding may underline to be exact; more than that names nothing."""
_NAMES = re.compile(r"[A-Za-z][\w-]*(?:[.-][\w-]+)+|[a-z]+[A-Z]\w+")
"""Names of settings or methods in a sentence."""


class Report(NamedTuple):
    """A report, as the ground truth has it."""

    identity: str
    area: str
    catchable: str
    """Whether the files show the cause beforehand: `static`, `metrics` or `no`."""
    release: str | None
    cause: str
    files: Mapping[str, str]
    culprits: Sequence[Mapping[str, Any]]
    absent: str


class Judgment(NamedTuple):
    """Which rules name the cause of a report, with reasons, and why nothing above a suggestion may."""

    rules: Mapping[str, str]
    only_advice: str


class Outcome(NamedTuple):
    """What flint says about a report."""

    report: Report
    kind: str
    """One of `KINDS`."""
    found: tuple[str, ...]
    """The rules that count for the kind."""
    others: tuple[str, ...]
    """The other rules with an error or warning."""
    excused: bool


def reports_in(path: Path) -> Iterator[Report]:
    """Yield the reports of a file with a JSON object a line."""
    for line in path.read_text("utf-8").splitlines():
        one = json.loads(line)
        yield Report(
            one["id"], one["area"], one["catchable"], one.get("release"), one["cause"], one.get("files") or {},
            one.get("culprits") or (), one.get("absent") or "",
        )  # fmt: skip


def judgments() -> dict[str, Judgment]:
    """Return the judgments by the identity of the report."""
    if not JUDGED.is_file():
        return {}
    with open(JUDGED, "rb") as stream:
        table = tomllib.load(stream)
    return {name: Judgment(one.get("rules", {}), one.get("only-advice", "")) for name, one in table.items()}


def outcome(report: Report, judgment: Judgment) -> Outcome:
    """Check the files of a report, and see whether a rule that names its cause fires at the culprit."""
    findings, number = checked(report)
    grave = {one["code"] for one in findings if one["severity"] != "info"}
    named = {one["code"] for one in findings if one["code"] in judgment.rules and one["severity"] != "info"}
    advised = {one["code"] for one in findings if one["code"] in judgment.rules} - named
    at = [finding for finding in findings if is_at(report, finding)]
    if named:
        kind, found = NAMED, named
    elif advised:
        kind, found = ADVICE, advised
    elif wrong := {one["code"] for one in at} & grave:
        kind, found = WRONG, wrong
    elif at:
        kind, found = ADVICE, {one["code"] for one in at}
    else:
        kind, found = (SILENT if number else UNREAD), set()
    return Outcome(
        report, kind, tuple(sorted(found)), tuple(sorted(grave - found)), bool(judgment.only_advice) and not named
    )


def checked(report: Report) -> tuple[Sequence[Mapping[str, Any]], int]:
    """Return what `flint check` finds in a report's files, as its JSON has it, and how many files it reads."""
    release = report.release if report.release and _RELEASE.fullmatch(report.release) else None
    version = ("--flink-version", release) if release else ()
    with tempfile.TemporaryDirectory() as folder:
        write_files(report, Path(folder))
        command = [sys.executable, "-m", "flink_flint.linter", "check", ".", "--output-format", "json", "--exit-zero"]
        done = subprocess.run([*command, *version], cwd=folder, capture_output=True, encoding="utf-8", check=False)
        shown = json.loads(done.stdout)
    return shown["findings"], shown["files"]


def write_files(report: Report, folder: Path) -> None:
    """Write the files of a report below a folder."""
    for name, text in report.files.items():
        path = folder / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def is_at(report: Report, finding: Mapping[str, Any]) -> bool:
    """Return whether a finding underlines a culprit, itself or with a related place, or names what is absent."""
    for one in (finding, *finding.get("related", ())):
        path = one.get("path") or finding["path"]
        first, last = one["start"]["line"], one["end"]["line"]
        if last - first <= _NEAR and any(
            path == culprit["path"].lstrip("/") and first <= culprit["line"] <= last for culprit in report.culprits
        ):
            return True
    said = " ".join(str(finding.get(name) or "") for name in ("key", "help")).lower()
    return any(word.lower() in said for word in _NAMES.findall(report.absent))
