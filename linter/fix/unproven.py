"""Marks a report's safe fixes as unsafe unless a repeated check proves them, which is how `--fix` proves fixes.

Tools that read edits from a report apply them without flint, so what a report calls safe is proven first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Problem, Source
from flink_flint.linter.engine.judging import Earlier
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import offers_by_path, with_candidates
from flink_flint.linter.fix.make_edits import resolve_fixes
from flink_flint.linter.fix.one_file import FileFixes, Offer
from flink_flint.linter.fix.proof import Candidate, prove
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Fix
from flink_flint.linter.output.repository_paths import documents_to_fix

MAX_ROUNDS = 3
"""The maximum number of rounds in which fixes are tried; fixes that overlap are tried in different rounds."""

MAX_TRIALS = 12
"""The maximum number of times that one round repeats the check to prove fixes."""

MAX_READ = 8 * 1024**2
"""The maximum number of bytes that all checks of one round read; large files are therefore checked less often."""

UNTRIED = "could not be proven together with the other fixes of its file"


def mark_unproven(
    report: Report,
    sources: Sequence[Source | Problem],
    options: Options,
    *,
    processes: int | None = 1,
    earlier: Earlier | None = None,
) -> None:
    """Mark the safe fixes of a report as unsafe if they cannot be proven, and record the reason."""
    documents = documents_to_fix(report)
    resolve_fixes(report.findings, documents)
    waiting = [one for one in report.findings if one.fix is not None and one.fix.safe]
    if not waiting:
        return
    files = {source.path: FileFixes(source) for source in sources if isinstance(source, Source)}
    size = sum(len(file.source.data) for file in files.values())
    trials = max(2, min(MAX_TRIALS, MAX_READ // size))

    def judge(candidates: Sequence[Candidate]) -> Report:
        return check(with_candidates(files, documents, candidates), options, processes=processes, earlier=earlier)

    for _ in range(MAX_ROUNDS):
        offers = offers_by_path(one for one in waiting if one.path in files)
        chosen = {path: files[path].chosen(documents[path], some) for path, some in offers.items()}
        candidates = [Candidate(path, offer) for path, some in chosen.items() for offer in some]
        if not candidates:
            break
        tried = {id(finding) for candidate in candidates for finding in candidate.offer.about}
        waiting = [finding for finding in waiting if id(finding) not in tried]
        for candidate, reason in prove(report, candidates, judge, strict=True, max_trials=trials).refused:
            for finding in candidate.offer.about:
                finding.doubt_fix(reason)
    for finding in waiting:
        finding.doubt_fix(UNTRIED)


def doubt_of(
    finding: Finding, fix: Fix, source: Source, documents: Sequence[Document], check_with: Callable[[Source], Report]
) -> str | None:
    """Return why the safe fix of a finding cannot be proven; None if it can.

    `check_with` checks the file, as it is and as it is fixed. The reason is a clause that follows "it".
    """
    file = FileFixes(source)

    def judge(candidates: Sequence[Candidate]) -> Report:
        return check_with(file.text_with(documents, [one.offer for one in candidates]))

    proof = prove(judge([]), [Candidate(source.path, Offer.of(finding, fix))], judge, strict=True)
    return proof.refused[0][1] if proof.refused else None
