"""Findings in repositories of strangers, against the verdicts of a careful reader.

`make trust FACTS=DIRECTORY` checks each work tree of ``repositories/trees.tar.xz`` as its owner would, each file of
``corpus/files`` and each folder of ``reproductions`` in a folder of its own, and prints

- for each tree: the files that are Flink's, the errors and warnings by verdict (useful, true but unwanted, false, or
  new: not judged yet), the suggestions, and the seconds of processor time;
- the useful findings that are lost, the false ones that are left, and the new ones, to be judged by eye;
- which of the files in ``unread.tsv`` are read;
- errors in the corpus' sound files, and findings in files that are not Flink's;
- with ``--against FILE``, an earlier run's ``--save FILE``: what changed.

`trust.toml` beside this module holds verdicts on findings that the facts do not know.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

VERDICTS = ("useful", "true-unwanted", "false", "new")
TABLE = Path(__file__).with_name("trust.toml")
_NEAR = 3
"""A useful finding counts as kept if any is within this many lines, under whatever code."""


class Found(NamedTuple):
    """A finding: where, and what."""

    place: str
    """The tree, the corpus file's number or the reproduction."""
    path: str
    line: int
    code: str
    severity: str
    message: str

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What verdicts are recorded by."""
        return self.place, self.path, self.code, self.line


class Checked(NamedTuple):
    """One folder, checked."""

    place: str
    files: dict[str, str]
    """The kinds of the files that are Flink's, by path."""
    findings: list[Found]
    seconds: float


class Verdicts:
    """What a reader said of findings, and which files and findings should be there."""

    def __init__(self, folder: Path) -> None:
        self.of: dict[tuple[str, str, str, int], str] = {}
        self.useful: list[tuple[str, str, str, int]] = []
        for row in _rows(folder / "repositories" / "verdicts.jsonl"):
            self._add(row)
        if TABLE.exists():
            for row in tomllib.loads(TABLE.read_text(encoding="utf-8")).get("finding", ()):
                self._add(row)

    def _add(self, row: Mapping[str, Any]) -> None:
        key = (row["repo"], row["path"], row["code"], row["line"])
        self.of[key] = row["verdict"]
        if row["verdict"] == "useful":
            self.useful.append(key)

    def verdict(self, found: Found) -> str:
        """Return the verdict on a finding, ``new`` if there is none."""
        return self.of.get(found.key, "new")

    def lost(self, findings: Sequence[Found]) -> list[tuple[str, str, str, int]]:
        """Return the useful findings that are not there any more, under their own code or near under another one."""
        shown = [one.key for one in findings if one.severity != "info"]
        return [
            (place, path, code, line)
            for place, path, code, line in self.useful
            if not any(
                one[:2] == (place, path) and (one[2] == code or abs(one[3] - line) <= _NEAR) for one in shown
            )
        ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Print the tables; the exit status is 1 if there is a false error or a finding in another product's file."""
    options = _options(arguments)
    verdicts = Verdicts(options.facts)
    with tempfile.TemporaryDirectory() as folder:
        trees = [checked(path, path.name.replace("+", "/", 1)) for path in _trees(options, Path(folder))]
        corpus = [checked(path, path.name) for path in _copies(options, "corpus/files", Path(folder, "corpus"))]
        cases = [checked(path, str(path.relative_to(Path(folder, "cases")))) for path in _cases(options, Path(folder))]
    findings = [one for tree in trees for one in tree.findings]
    _print_trees(trees, verdicts)
    _print_findings(findings, verdicts)
    _print_unread(trees, options.facts)
    bad = _print_sound(corpus, options.facts) + _print_cases(cases)
    _compare([*trees, *corpus, *cases], options)
    false = [one for one in findings if one.severity == "error" and verdicts.verdict(one) == "false"]
    return 1 if false or bad else 0


def checked(folder: Path, place: str) -> Checked:
    """Check a folder as the root of a repository, with default settings."""
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = _flint(folder, "check", ".", "--exit-zero")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    files = _flint(folder, "check", ".", "--show-files")["files"]
    findings = [
        Found(place, one["path"].removeprefix("./"), one["start"]["line"], one["code"], one["severity"], one["message"])
        for one in report["findings"]
    ]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Checked(place, {one["path"].removeprefix("./"): one["kind"] for one in files}, findings, seconds)


def _flint(folder: Path, *arguments: str) -> Any:
    command = [sys.executable, "-m", "flink_flint", *arguments, "--output-format", "json"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FLINT_")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{folder.name}: flint {' '.join(arguments)}: {done.stderr[-500:]}") from None


def _trees(options: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """Unpack the trees and yield those that were asked for."""
    with tarfile.open(options.facts / "repositories" / "trees.tar.xz") as archive:
        archive.extractall(folder / "trees", filter="data")
    for path in sorted((folder / "trees").iterdir()):
        if not options.only or any(word in path.name for word in options.only):
            yield path


def _copies(options: argparse.Namespace, name: str, folder: Path) -> list[Path]:
    if options.only:
        return []
    shutil.copytree(options.facts / name, folder)
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _cases(options: argparse.Namespace, folder: Path) -> list[Path]:
    """Copy the reproductions; return the folders of single ones: those two levels down, or above loose files."""
    found: list[Path] = []
    for path in _copies(options, "reproductions", folder / "cases"):
        inner = sorted(one for one in path.iterdir() if one.is_dir())
        loose = [one for one in path.iterdir() if one.is_file()]
        for one in loose if inner else ():
            alone = path / f"{one.stem}-alone"
            alone.mkdir()
            inner.append(one.rename(alone / one.name).parent)
        found += inner or [path]
    return found


def _print_trees(trees: Sequence[Checked], verdicts: Verdicts) -> None:
    print(f"{'tree':<64} files  errors {' ' * 21} warnings {' ' * 19} infos seconds")
    print(f"{'':<64}        {'  '.join(f'{word[:5]:>5}' for word in VERDICTS)}  "
          f"{'  '.join(f'{word[:5]:>5}' for word in VERDICTS)}")  # fmt: skip
    total: Counter[tuple[str, str]] = Counter()
    for tree in trees:
        counts = Counter((one.severity, verdicts.verdict(one)) for one in tree.findings)
        total += counts
        print(_row(tree.place, len(tree.files), counts, tree.seconds))
    print(_row("all", sum(len(tree.files) for tree in trees), total, sum(tree.seconds for tree in trees)))
    print()


def _row(title: str, files: int, counts: Mapping[tuple[str, str], int], seconds: float) -> str:
    cells = "  ".join(
        f"{counts.get((severity, word), 0) or '.':>5}" for severity in ("error", "warning") for word in VERDICTS
    )
    infos = sum(number for (severity, _), number in counts.items() if severity == "info")
    return f"{title:<64} {files:>5}  {cells}  {infos:>5} {seconds:>7.1f}"


def _print_findings(findings: Sequence[Found], verdicts: Verdicts) -> None:
    shown = [one for one in findings if one.severity != "info"]
    counts = Counter(verdicts.verdict(one) for one in shown)
    lost = verdicts.lost(findings)
    print(f"{len(shown)} errors and warnings: " + ", ".join(f"{counts[word]} {word}" for word in VERDICTS))
    print(f"useful findings kept: {len(verdicts.useful) - len(lost)} of {len(verdicts.useful)}")
    for place, path, code, line in lost:
        print(f"  lost: {place} {path}:{line} {code}")
    for word in ("false", "new", "true-unwanted"):
        for one in shown:
            if verdicts.verdict(one) == word:
                print(f"  {word}: {one.severity} {one.code} {one.place} {one.path}:{one.line}: {one.message}")
    print()


def _print_unread(trees: Sequence[Checked], facts: Path) -> None:
    read = {(tree.place, path): kind for tree in trees for path, kind in tree.files.items()}
    places = {tree.place for tree in trees}
    lines = (facts / "repositories" / "unread.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    rows = [row for row in rows if row[0] in places]
    now = [row for row in rows if (row[0], row[1]) in read]
    print(f"files that were unread: {len(now)} of {len(rows)} are read")
    for row in rows:
        if row not in now:
            print(f"  unread: {row[0]} {row[1]}: {row[2]}")
    print()


def _print_sound(corpus: Sequence[Checked], facts: Path) -> int:
    if not corpus:
        return 0
    lines = (facts / "corpus" / "sound.tsv").read_text(encoding="utf-8").splitlines()[1:]
    sound = {line.split("\t")[0] for line in lines}
    errors = [one for file in corpus if file.place in sound for one in file.findings if one.severity == "error"]
    counts = Counter(one.severity for file in corpus for one in file.findings)
    print(f"corpus: {len(corpus)} files, {dict(counts)}; errors in {len(sound)} sound files: {len(errors)}")
    for one in errors:
        print(f"  {one.place} {one.path}:{one.line} {one.code}: {one.message}")
    print()
    return len(errors)


def _print_cases(cases: Sequence[Checked]) -> int:
    noise = 0
    for case in cases:
        shown = [one for one in case.findings if one.severity != "info"]
        kinds = ", ".join(sorted(set(case.files.values()))) or "nothing"
        counts = Counter(f"{one.severity} {one.code}" for one in shown)
        words = [f"{word} x{number}" if number > 1 else word for word, number in counts.items()]
        print(f"{case.place:<56} {kinds:<28} {', '.join(words)}")
        noise += len(shown) if case.place.startswith("not-flink") else 0
    print(f"findings in files that are not Flink's: {noise}")
    return noise


def _compare(checked: Sequence[Checked], options: argparse.Namespace) -> None:
    """Write the findings to a file, or print those that an earlier run had and this one lacks, and the reverse."""
    now = sorted({(*one.key, one.severity, one.message) for place in checked for one in place.findings})
    if options.save:
        options.save.write_text(json.dumps(now, indent=0), encoding="utf-8")
    if options.against:
        before = {tuple(row) for row in json.loads(options.against.read_text(encoding="utf-8"))}
        places = {one.place for one in checked}
        for sign, rows in (("-", before - set(now)), ("+", set(now) - before)):
            for place, path, code, line, severity, message in sorted(rows):
                if place in places:
                    print(f"{sign} {severity} {code} {place} {path}:{line}: {message}")


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.trust", description="Findings in unknown repositories.")
    parser.add_argument("facts", type=Path, help="a directory with repositories/, corpus/ and reproductions/")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="only trees with WORD in the name")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write all findings for a later --against")
    parser.add_argument("--against", type=Path, metavar="FILE", help="print what changed since a run with --save")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
