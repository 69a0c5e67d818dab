"""Apply fixes to many folders of files: is anything worse after them, or lost, or changed by a second run?

`make fixes FACTS=DIRECTORY` fixes, in copies, the files of the rules' cases, of ``corpus/files/*`` (each folder for the
release that ``corpus/manifest.tsv`` gives it) and of the trees of ``repositories/trees.tar.xz`` below the directory:
first with the safe fixes, then with all. It prints a table and each new finding. Where there is a JDK, every changed
configuration is loaded by each real release that it is for (`tests.flink.loading`): the columns "loads" and "refused",
the latter also of what Flink loads otherwise than flint says.
"""

from __future__ import annotations

import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from flink_flint.linter.commands.rule_cases import place
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.fix.one_file import Fixed
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.rule import Case, Rule
from tests.flink.loading import Found, Key, Load, given, is_there, load
from tests.rules.cases import all_cases, options_of

_RELEASE = re.compile(r"(?:1\.(?:9|1\d|20)|2\.[0-3])(?:\.\d+)?")


class Effect(NamedTuple):
    """The effects of the fixes on one folder."""

    fixed: tuple[Fixed, ...]
    """The files that changed."""
    new: tuple[str, ...]
    """New findings of warning or above, such as ``error FLK001``."""
    again: bool
    """Whether a second run changes anything."""
    lost: tuple[str, ...]
    """Comments that the fixes removed."""
    loads: tuple[Load, ...]
    """The changed files that Flink loads."""


def effect_of(sources: Sequence[Source], options: Options, *, unsafe: bool) -> Effect:
    """Fix files in memory, as `--fix` does, and compare."""
    before = check(sources, options)
    results = fix(sources, options, unsafe=unsafe)
    after = [one.after for one in results]
    judged = check(after, options)
    new = _grave(judged) - _grave(before)
    again = any(one.changed for one in fix(after, options, unsafe=unsafe))
    changed = tuple(one for one in results if one.before.data != one.after.data)
    lost = tuple(comment for one in changed for comment in comments_lost(one))
    return Effect(changed, tuple(sorted(new.elements())), again, lost, tuple(_loads(changed, before, judged)))


def _loads(changed: Iterable[Fixed], before: Report, after: Report) -> Iterator[Load]:
    files = {one.after.path: one for one in changed}
    earlier = {
        (one.document.path, one.document.name): tuple(given(one, files[one.document.path].before.data))
        for one in before.documents
        if one.document.path in files
    }
    for judged in after.documents:
        path, name = judged.document.path, judged.document.name
        if path in files:
            for one in given(judged, files[path].after.data):
                yield Load(f"{path} {name or ''}", earlier.get((path, name), ()), one)


def _grave(report: Report) -> Counter[str]:
    return Counter(f"{one.severity.word} {one.code}" for one in report.findings if one.severity > Severity.INFO)


def comments_lost(fixed: Fixed) -> Iterator[str]:
    """Return the comments that the text has lost, without flint's suppression comments."""
    before, after = (_comments(one) for one in (fixed.before, fixed.after))
    text = fixed.after.data.decode("utf-8", "replace")
    for comment in (before - after).elements():
        if "flint:" not in comment and text.count(comment) < before[comment]:
            yield comment


def _comments(source: Source) -> Counter[str]:
    marks = "|".join(map(re.escape, source.file_format.comments))
    text = source.data.decode("utf-8", "replace")
    return Counter(match[1].strip() for match in re.finditer(rf"(?m)(?:^|(?<=\s))((?:{marks})[^\r\n]*)", text))


class Row(NamedTuple):
    """One line of the table."""

    name: str
    kind: str
    folders: int
    effects: list[tuple[str, Effect]]

    def line(self, loaded: Mapping[Key, Found]) -> str:
        """Return the line, with what Flink loaded if it was run."""
        new = [finding for _, one in self.effects for finding in one.new]
        errors = sum(finding.startswith("error") for finding in new)
        figures = (
            self.folders,
            sum(bool(one.fixed) for _, one in self.effects),
            sum(len(file.done) for _, one in self.effects for file in one.fixed),
            errors,
            len(new) - errors,
            sum(one.again for _, one in self.effects),
            sum(len(one.lost) for _, one in self.effects),
        )
        loads = [each for _, one in self.effects for each in one.loads]
        refused = sum(each.problem(loaded) is not None for each in loads) if loaded else 0
        shown = [*figures, *((len(loads) - refused, refused) if loaded else "--")]
        return f"{self.name:<13} {self.kind:<6}" + "".join(f"{figure:>9}" for figure in shown)


HEAD = f"{'':<13} {'fixes':<6}" + "".join(
    f"{word:>9}"
    for word in ("folders", "changed", "fixes", "errors", "warnings", "again", "comments", "loads", "refused")
)


def rows(name: str, folders: Iterable[tuple[str, Sequence[Source], Options]]) -> Iterator[Row]:
    """Return the lines for some folders, one for the safe fixes and one for all."""
    made = list(folders)
    for kind in ("safe", "all"):
        effects = [(label, effect_of(sources, options, unsafe=kind == "all")) for label, sources, options in made]
        yield Row(name, kind, len(made), effects)


def of_cases(folder: Path, cases: Sequence[tuple[Rule, Case]]) -> Iterator[tuple[str, Sequence[Source], Options]]:
    """Yield the files of the rules' cases, checked with all rules."""
    for number, (rule, case) in enumerate(cases):
        at = folder / str(number)
        at.mkdir()
        place(case, case.text, str(at))
        options = options_of(rule, case, at)._replace(select=())
        yield f"{rule.code} {number}", _sources(at), options


def of_corpus(facts: Path) -> Iterator[tuple[str, Sequence[Source], Options]]:
    """Yield the folders of the corpus."""
    lines = [line.split("\t") for line in (facts / "corpus/manifest.tsv").read_text().splitlines()[1:]]
    releases = {line[0]: line[4].split(" ")[0] for line in lines if len(line) > 4}
    for at in sorted((facts / "corpus/files").iterdir()):
        release = releases.get(at.name, "")
        yield at.name, _sources(at), Options(flink_version=release if _RELEASE.fullmatch(release) else None)


def of_trees(facts: Path, folder: Path) -> Iterator[tuple[str, Sequence[Source], Options]]:
    """Yield the trees of repositories."""
    with tarfile.open(facts / "repositories/trees.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    tops = [one for one in sorted(folder.iterdir()) if one.is_dir()]
    for at in [child for top in tops for child in sorted(top.iterdir()) if child.is_dir()] if len(tops) == 1 else tops:
        yield at.name, _sources(at), Options()


def _sources(folder: Path) -> list[Source]:
    return [one for one in find([str(folder)]) if isinstance(one, Source)]


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if safe fixes cause a finding, any fix an error, or Flink fails to load a file."""
    facts = Path(arguments[0])
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as cases, tempfile.TemporaryDirectory() as trees:
        for name, folders in (
            ("corpus", of_corpus(facts)),
            ("repositories", of_trees(facts, Path(trees))),
            ("cases", of_cases(Path(cases), all_cases())),
        ):
            if arguments[1:] and name not in arguments[1:]:
                continue
            for row in rows(name, folders):
                print(f"{name}: fixed ({row.kind})", file=sys.stderr)
                found.append(row)
    loads = [each for row in found for _, one in row.effects for each in one.loads] if is_there() else []
    loaded = load(one for each in loads for one in (*each.before, each.after))
    print(HEAD, *(row.line(loaded) for row in found), sep="\n")
    is_bad = False
    for row in found:
        for label, one in row.effects:
            wrong = [problem for each in one.loads if (problem := each.problem(loaded))] if loaded else []
            what = [*one.new, *(["changed again"] if one.again else []), *(f"lost {text!r}" for text in one.lost)]
            if misread := sorted({pair for each in one.loads for pair in each.misread(loaded)} if loaded else ()):
                print(f"  {row.name} {row.kind} {label}: flint misread before the fixes: {misread}")
            if what or wrong:
                fixes = sorted({done.code for file in one.fixed for done in file.done})
                print(f"  {row.name} {row.kind} {label}: {'; '.join([*what, *wrong])} (fixes of {', '.join(fixes)})")
            brings = any(row.kind == "safe" or "error" in new for new in one.new)
            is_bad |= brings or one.again or bool(one.lost or wrong)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
