"""Which fixes are kept: those with which a run is no worse, found within few runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.make_edits import resolve_fixes, resolved
from flink_flint.linter.fix.one_file import Offer
from flink_flint.linter.fix.proof import NOT_PROVEN, Candidate, Proof, prove
from flink_flint.linter.fix.unproven import doubt_of, mark_unproven
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Fix, Operation, Severity
from flink_flint.linter.text.spans import Span
from tests.formats.reading import read


def finding(path: str, key: str, code: str = "FLK900", severity: Severity = Severity.WARNING) -> Finding:
    made = Finding("it is wrong", Span(0, 0), severity=severity, key=key)
    made.path, made.document, made.code = path, None, code
    return made


def candidate(path: str, key: str) -> Candidate:
    return Candidate(path, Offer(Fix(key, []), (), (finding(path, key),)))


def report(findings: Iterable[Finding], documents: Sequence[Judged] = ()) -> Report:
    return Report([*findings], [*documents], [], 1, [], False)


class Run:
    """A run whose findings depend on the fixes: those of the candidates go, and `brought` tells what comes."""

    def __init__(self, candidates: Sequence[Candidate], brought: Callable[[set[str]], Iterable[Finding]]) -> None:
        self.candidates = candidates
        self.tried: list[list[str]] = []
        self._brought = brought

    def judge(self, tried: Sequence[Candidate]) -> Report:
        done = {one.offer.fix.title for one in tried}
        self.tried.append(sorted(done))
        left = [one.offer.about[0] for one in self.candidates if one.offer.fix.title not in done]
        return report([*left, *self._brought(done)])

    def prove(self, **how: int) -> Proof:
        before = report(one.offer.about[0] for one in self.candidates)
        return prove(before, self.candidates, self.judge, strict=False, **how)


def titles(candidates: Iterable[Candidate]) -> list[str]:
    return sorted(one.offer.fix.title for one in candidates)


FOUR = [candidate("a", "k1"), candidate("a", "k2"), candidate("b", "k3"), candidate("b", "k4")]


def test_fixes_that_do_no_harm_are_proven_in_one_run() -> None:
    run = Run(FOUR, lambda done: [])
    proof = run.prove()
    assert (titles(proof.kept), proof.refused, run.tried) == (["k1", "k2", "k3", "k4"], [], [["k1", "k2", "k3", "k4"]])
    assert proof.report is not None
    assert proof.report.findings == []
    assert Run([], lambda done: []).prove().kept == []


@pytest.mark.parametrize(
    ("severity", "refused"),
    [
        (Severity.ERROR, [("k2", "would cause FLK901 (error) in a")]),
        (Severity.WARNING, [("k2", "would cause FLK901 (warning) in a")]),
        (Severity.INFO, []),
    ],
)
def test_a_fix_that_brings_a_finding_is_found_among_the_others(
    severity: Severity, refused: list[tuple[str, str]]
) -> None:
    run = Run(FOUR, lambda done: [finding("a", "x", "FLK901", severity)] if "k2" in done else [])
    proof = run.prove()
    assert [(one.offer.fix.title, reason) for one, reason in proof.refused] == refused
    assert titles(proof.kept) == (["k1", "k3", "k4"] if refused else ["k1", "k2", "k3", "k4"])
    # The other file needs no further run.
    assert run.tried == ([["k1", "k2", "k3", "k4"], ["k1", "k3", "k4"], ["k1", "k2", "k3", "k4"]] if refused else [
        ["k1", "k2", "k3", "k4"]
    ])  # fmt: skip


def test_a_fix_that_leaves_its_finding_is_refused() -> None:
    run = Run(FOUR, lambda done: [finding("b", "k3")] if "k3" in done else [])
    assert [(one.offer.fix.title, reason) for one, reason in run.prove().refused] == [
        ("k3", "would not resolve FLK900")
    ]
    # A milder one in its place is as good as none.
    mild = Run(FOUR, lambda done: [finding("b", "k3", severity=Severity.INFO)] if "k3" in done else [])
    assert mild.prove().refused == []


def test_a_finding_that_was_there_before_is_nobodys_harm() -> None:
    before = [finding("a", "x", "FLK901"), *(one.offer.about[0] for one in FOUR)]
    proof = prove(report(before), FOUR, lambda tried: report([finding("a", "y", "FLK901")]), strict=False)
    assert titles(proof.kept) == ["k1", "k2", "k3", "k4"]
    proof = prove(report(before), FOUR, lambda tried: report([finding("a", "x", "FLK901")] * 2), strict=False)
    assert titles(one for one, _ in proof.refused) == ["k1", "k2"]


def test_harm_elsewhere_is_looked_for_one_file_at_a_time() -> None:
    run = Run(FOUR, lambda done: [finding("c", "x", "FLK901")] if "k4" in done else [])
    proof = run.prove()
    assert [(one.offer.fix.title, reason) for one, reason in proof.refused] == [
        ("k4", "would cause FLK901 (warning) in c")
    ]
    assert titles(proof.kept) == ["k1", "k2", "k3"]
    assert run.tried[0] == ["k1", "k2", "k3", "k4"]


def test_the_report_is_that_of_the_fixes_that_are_kept() -> None:
    found = Run(FOUR, lambda done: [finding("a", "x", "FLK901")] if "k2" in done else []).prove().report
    assert found is not None
    assert [one.key for one in found.findings] == ["k2"]
    # The fix of the other file was only tried together with the refused one.
    assert Run(FOUR[1:3], lambda done: [finding("a", "x", "FLK901")] if "k2" in done else []).prove().report is None
    last = Run(FOUR[:2], lambda done: [finding("a", "x", "FLK901")] if "k1" in done else []).prove()
    assert last.report is not None
    assert [one.key for one in last.report.findings] == ["k1"]
    none = Run(FOUR[:1], lambda done: [finding("a", "x", "FLK901")] if done else []).prove()
    assert none.report is not None
    assert [one.key for one in none.report.findings] == ["k1"]


def test_what_is_not_proven_within_the_runs_is_refused() -> None:
    run = Run(FOUR, lambda done: [finding("a", "x", "FLK901")] if "k2" in done else [])
    proof = run.prove(max_trials=2)
    assert [(one.offer.fix.title, reason) for one, reason in proof.refused] == [("k2", NOT_PROVEN)]
    assert len(run.tried) == 2
    assert len(Run(FOUR, lambda done: []).prove(max_trials=1).kept) == 4
    assert [reason for _, reason in Run(FOUR, lambda done: []).prove(max_trials=0).refused] == [NOT_PROVEN] * 4


MEMORY = "taskmanager.memory.process.size: 4g\njobmanager.memory.process.size: 2g\n"


def judged(folder: Path, text: str, name: str = "flink-conf.yaml") -> list[Judged]:
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    return check(find([str(folder)]), Options(flink_version="1.20")).documents


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (MEMORY, MEMORY.replace("4g", "5g"), "would change the memory of the TaskManager"),
        (MEMORY, MEMORY.replace("2g", "3g"), "would change the memory of the JobManager"),
        (MEMORY, MEMORY.replace("4g", "4096m"), None),
        (MEMORY, f"{MEMORY}rest.port: 8082\n", None),
        (MEMORY, MEMORY.replace("4g", "1k"), "would change the memory of the TaskManager"),
        # What did not start has no memory to keep.
        (MEMORY.replace("4g", "1k"), MEMORY, None),
    ],
)
def test_a_strict_fix_keeps_the_memory_of_every_process(
    before: str, after: str, reason: str | None, tmp_path: Path
) -> None:
    old, new = judged(tmp_path / "old", before), judged(tmp_path / "new", after)
    one = Candidate("a", Offer(Fix("k1", []), (), (finding("a", "k1"),)))
    for strict in (True, False):
        proof = prove(report(one.offer.about, old), [one], lambda tried: report([], new), strict=strict)
        assert [why for _, why in proof.refused] == ([reason] if reason is not None and strict else [])


def test_a_part_of_a_configuration_tells_nothing_of_the_memory(tmp_path: Path) -> None:
    text = "SET 'taskmanager.memory.process.size' = '4g';\nSELECT 1;\n"
    old = judged(tmp_path / "old", text, "job.sql")
    new = judged(tmp_path / "new", text.replace("4g", "5g"), "job.sql")
    one = Candidate("a", Offer(Fix("k1", []), (), (finding("a", "k1"),)))
    proof = prove(report(one.offer.about, old), [one], lambda tried: report([], new), strict=True)
    assert proof.refused == []


def test_a_fix_that_cannot_be_made_is_dropped_and_another_gets_its_edits() -> None:
    documents = read("config.yaml", "jobmanager: {rpc.port: 6123}\nrest.port: 8081\n")
    inside = Operation("replace", 0, "jobmanager.rpc.port", "3", Span(0, 1))
    gone = Finding("it is wrong", Span(0, 0), fix=Fix("t", [inside]))
    port = documents[0].effective["rest.port"]
    made = Finding("it is wrong", Span(0, 0), fix=Fix("t", [Operation("replace", 0, port.key, "8082", port.key_span)]))
    resolve_fixes([gone, made], {"": documents})
    assert (gone.proposed, gone.edits) == (None, ())
    assert made.fix is not None
    assert [(edit.start.line, edit.text) for edit in made.edits] == [(2, "8082")]


def test_a_fix_is_whole_or_none() -> None:
    documents: list[Document] = read("flink-conf.yaml", "a.b: 1\nc.d: 2\n")
    (first, second) = documents[0].entries
    here = Operation("replace", 0, "a.b", "3", first.key_span)
    gone = Operation("replace", 0, "a.b", "3", second.key_span)
    made = resolved([Fix("t", [here]), Fix("t", [here, gone]), Fix("t", [gone]), Fix("t", [])], documents)
    assert [fix is not None and len(fix.edits) for fix in made] == [1, False, False, False]


def test_safe_fixes_that_are_proven_stay_safe(tmp_path: Path) -> None:
    file = tmp_path / "flink-conf.yaml"
    file.write_text("akka.framesize: 20971520b\n", encoding="utf-8")
    sources = [one for one in find([str(tmp_path)]) if isinstance(one, Source)]
    options = Options(flink_version="1.20")
    found = check(sources, options)
    mark_unproven(found, sources, options)
    fixes = [(one, one.fix) for one in found.findings if one.fix is not None and one.code == "FLK003"]
    assert [fix.safe for _, fix in fixes] == [True]
    documents = [one.document for one in found.documents]
    assert [
        doubt_of(one, fix, sources[0], documents, lambda source: check([source], options)) for one, fix in fixes
    ] == [None]
