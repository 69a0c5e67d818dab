"""Applies fixes: to the text in memory, in rounds until nothing is left to fix, then to the file.

If fixes overlap, the one of the more severe finding goes first, then the one that comes first in the file, then the one
with the lower code (`Finding.order`); the others wait for the next round. Neither the order of the files nor the number
of processes matters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Problem, Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem.writing import Changed, replace_whole
from flink_flint.linter.fix.make_edits import resolve_fixes
from flink_flint.linter.fix.one_file import MAX_ROUNDS, FileFixes, Fixed, Offer
from flink_flint.linter.fix.proof import Candidate, Proof, prove
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.limits import SETTINGS
from flink_flint.linter.output.repository_paths import documents_to_fix

FindingFilter = Callable[[Finding], bool]


def fix(
    sources: Sequence[Source],
    options: Options,
    *,
    unsafe: bool,
    processes: int | None = 1,
    selected: FindingFilter | None = None,
) -> list[Fixed]:
    """Fix files in memory, checked together as in a normal run, until there is nothing more to fix.

    Safe fixes come first. A fix is skipped, and the reason reported, if its file would not read as intended, if it is
    not proven (`linter.fix.proof`), or if it undoes another one. `selected` picks findings instead of `unsafe`,
    which selects safe fixes or all.
    """
    run = _Run(sources, options, processes)
    if selected is not None:
        run.go(selected, strict=False)
    else:
        run.go(_is_safe, strict=True)
        if unsafe:
            run.go(_any, strict=False)
    return [run.files[source.path].fixed for source in sources]


def _is_safe(finding: Finding) -> bool:
    return finding.proposed is not None and finding.proposed.safe


def _any(finding: Finding) -> bool:
    return True


class _Run:
    """The files of a run while they are being fixed."""

    def __init__(self, sources: Sequence[Source], options: Options, processes: int | None) -> None:
        self.files = {source.path: FileFixes(source) for source in sources}
        # All at once: a round per thousand findings would check the whole run each time.
        self._options = options._replace(max_findings=SETTINGS)
        self._processes = processes
        self._report: Report | None = None

    def go(self, selected: FindingFilter, *, strict: bool) -> None:
        """Run rounds until no selected finding can be fixed any more."""
        disproved: set[tuple[object, ...]] = set()
        for number in range(MAX_ROUNDS + 1):
            report = self._report or self._judged({})
            documents = documents_to_fix(report)
            resolve_fixes(report.findings, documents)
            offered = offers_by_path(one for one in report.findings if selected(one) and self._is_named(one.path))
            chosen = {
                path: self.files[path].chosen(
                    read, [one for one in offered.get(path, ()) if _identity(path, one) not in disproved]
                )
                for path, read in documents.items()
                if path in self.files
            }
            if number == MAX_ROUNDS:
                for path, offers in chosen.items():
                    self.files[path].keep(documents[path], offers, rounds_left=False)
                return
            candidates = [Candidate(path, offer) for path, offers in chosen.items() for offer in offers]
            if not candidates:
                return
            proof = prove(report, candidates, partial(self._judged, documents), strict=strict)
            self._keep(proof, documents)
            # A refused fix may become valid after the others are applied.
            refused = {_identity(one.path, one.offer) for one, _ in proof.refused}
            disproved = set() if proof.kept else disproved | refused

    def _is_named(self, path: str) -> bool:
        """Return whether a file may be changed: whoever names files wants others as they are."""
        return self._options.named is None or os.path.abspath(path) in self._options.named

    def _keep(self, proof: Proof, documents: Mapping[str, Sequence[Document]]) -> None:
        made: dict[str, list[Offer]] = {}
        for one in proof.kept:
            made.setdefault(one.path, []).append(one.offer)
            self.files[one.path].allow(one.offer)
        for one, reason in proof.refused:
            self.files[one.path].refuse(one.offer, reason)
        for path, offers in made.items():
            self.files[path].keep(documents[path], offers)
        self._report = proof.report

    def _judged(self, documents: Mapping[str, Sequence[Document]], candidates: Sequence[Candidate] = ()) -> Report:
        """Check the run with some fixes applied."""
        return check(with_candidates(self.files, documents, candidates), self._options, processes=self._processes)


def with_candidates(
    files: Mapping[str, FileFixes], documents: Mapping[str, Sequence[Document]], candidates: Sequence[Candidate]
) -> list[Source]:
    """Return all files in their current state, with the fixes of the given candidates applied."""
    offers: dict[str, list[Offer]] = {}
    for one in candidates:
        offers.setdefault(one.path, []).append(one.offer)
    return [
        file.text_with(documents[path], offers[path]) if path in offers else file.source for path, file in files.items()
    ]


def offers_by_path(findings: Iterable[Finding]) -> dict[str, list[Offer]]:
    """Return the fixes that findings offer, by the file they apply to."""
    offers: dict[str, list[Offer]] = {}
    for finding in findings:
        if (proposed := finding.fix) is not None:
            offers.setdefault(finding.path, []).append(Offer.of(finding, proposed))
    return offers


def _identity(path: str, offer: Offer) -> tuple[object, ...]:
    """Return the identity of a fix, independent of its current location."""
    return path, offer.fix.title, tuple((one.code, one.document, one.key, one.message) for one in offer.about)


def write(fixed: Fixed) -> Problem | None:
    """Atomically replace a file with its fixed version; return a problem, or None if the file was written."""
    path = fixed.after.path
    try:
        replace_whole(path, fixed.before.data, fixed.after.data)
    except Changed:
        return Problem(path, "changed while it was being fixed; nothing was written, run flint again")
    except OSError as error:
        return Problem(path, f"cannot write the fixed file: {(error.strerror or str(error)).lower()}")
    return None
