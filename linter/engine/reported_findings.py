"""Applies severities, suppressions and limits to the findings in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

from flink_flint.linter.engine.chosen_rules import selection
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.registry import registry, severity_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.selection import called_by_a_change, called_by_a_history, codes_of
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.suppressions import Silenced, Suppression, read_suppressions, unannotated, unsuppressed
from flink_flint.linter.model.view import View

_OF_ANY_FILE = ("security", "internal-error", "unused-suppression")
"""The family and rules whose findings hold whether Flink reads the file or not."""


def finish(members: list[Judged], options: Options, *, compared: bool = False) -> tuple[list[Finding], list[Silenced]]:
    """Apply severities and suppressions to the findings in one file; return the remaining and the suppressed ones.

    Findings are numbered. `compared` says whether there was an earlier revision to compare them with.
    """
    judged = members[0]
    if judged.document.is_left_out:
        return [], []
    levels = _levels(judged.flint_config.severity)
    findings: list[Finding] = []
    for one in members:
        for finding in one.findings:
            finding.rated = finding.severity
            finding.severity = levels.get(finding.code, finding.severity)
            finding.flink_version = one.target.version
            if one.document.is_in_part:
                finding.proposed = None
        findings += one.findings
    silenced: list[Silenced] = []
    if options.ignores:
        findings = []
        for one in members:
            left, quiet = unannotated(one.document, _unignored(one, silenced))
            findings += left
            silenced += quiet
        if suppressions := read_suppressions([one.document for one in members]):
            findings, quiet = unsuppressed(judged.document, findings, suppressions)
            silenced += quiet
            running = selection(options, judged.flint_config)
            if not any(one.observed for one in members):
                running -= called_by_a_history()
            if not compared:
                running -= called_by_a_change()
            findings += _stale(judged, suppressions, running)
    findings = _once(finding for finding in findings if finding.confidence >= options.min_confidence)
    if options.leaves_out_void:
        findings = _without_void(findings)
    findings.sort(key=lambda finding: finding.order)
    quiet_ones = {id(finding) for finding in _once(one.finding for one in silenced)}
    silenced = [
        one for one in silenced if id(one.finding) in quiet_ones and one.finding.confidence >= options.min_confidence
    ]
    findings = _first_of_each_rule(judged, findings, options.max_findings)
    findings = [*_in_part(members, options), *findings]
    counts: dict[tuple[object, ...], int] = {}
    # Suppressed ones count too, so that a finding keeps its identity when its neighbor is suppressed.
    for finding in sorted([*findings, *(one.finding for one in silenced)], key=lambda finding: finding.span):
        identity = (finding.code, finding.key, finding.document)
        finding.ordinal = counts.get(identity, 0)
        counts[identity] = finding.ordinal + 1
    return findings, silenced


def _unignored(judged: Judged, silenced: list[Silenced]) -> list[Finding]:
    """Return the findings of a document; those that flint's configuration ignores go to `silenced`."""
    if not judged.ignored:
        return judged.findings
    codes = {registry().by_identity[one].code for one in judged.ignored}
    by = judged.settings.shown_path
    silenced += [Silenced(one, "flint_toml", by, 0) for one in judged.findings if one.code in codes]
    return [one for one in judged.findings if one.code not in codes]


def _first_of_each_rule(judged: Judged, findings: list[Finding], limit: int) -> list[Finding]:
    """Return at most the given number of findings of each rule for a file."""
    numbers = Counter(finding.code for finding in findings)
    if all(number <= limit for number in numbers.values()):
        return findings
    counts: Counter[str] = Counter()
    kept = []
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] <= limit:
            kept.append(finding)
    for code, number in sorted(numbers.items()):
        if number > limit:
            reason = f"only the first {limit:,} of {number:,} findings of {code} are reported"
            judged.document.budget.reasons[reason] = None
    return kept


def _in_part(members: list[Judged], options: Options) -> list[Finding]:
    """Return the finding that limits skipped parts of a file; it cannot be suppressed."""
    judged = members[0]
    reasons = {reason: None for one in members for reason in one.document.budget.reasons}
    declaration = registry().by_name["judged-in-part"]
    if not reasons or not options.rules or declaration.code in _codes_of_all(options.ignore):
        return []
    rule = declaration.load()
    view = View(judged.document, judged.target, judged.target.indices[-1])
    view.rule = rule
    return list(rule.check(view, reasons) or ())


def _codes_of_all(selectors: Iterable[str]) -> set[str]:
    return {code for selector in selectors for code in codes_of(selector)}


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings without duplicates, since documents of one file may share the text at fault.

    A finding on a whole document (a vulnerable release) is reported for the first document in the file only.
    """
    unique = {(finding.code, finding.span, finding.message): finding for finding in findings}
    first: dict[tuple[str, str], str | None] = {}
    return [
        finding
        for finding in unique.values()
        if finding.key is not None
        or first.setdefault((finding.code, finding.message), finding.document) == finding.document
    ]


def _without_void(findings: list[Finding]) -> list[Finding]:
    """Return the findings without those on settings of documents that, as another finding says, Flink does not read.

    What is exposed is exposed in a file that Flink does not read, too, and comments stay what they are.
    """
    void = {finding.document for finding in findings if finding.voids}
    if not void:
        return findings
    return [
        one
        for one in findings
        if one.voids or one.document not in void or one.family in _OF_ANY_FILE or one.rule in _OF_ANY_FILE
    ]


def _stale(judged: Judged, suppressions: list[Suppression], codes: frozenset[str]) -> list[Finding]:
    """Return the findings on suppressions that suppress nothing."""
    declaration = registry().by_name["unused-suppression"]
    if declaration.code not in codes:
        return []
    rule = declaration.load()
    view = View(judged.document, judged.target, judged.target.indices[-1])
    view.rule = rule
    known: Callable[[str], set[str]] = cache(registry().selected)
    return list(rule.check(view, suppressions, known, codes) or ())


@cache
def _levels(severity: tuple[tuple[str, str], ...]) -> dict[str, Severity]:
    """Return the configured severity of each code; specific selectors win over families and prefixes."""
    levels: dict[str, Severity] = {}
    for selector, word in sorted(severity, key=lambda pair: -len(codes_of(pair[0]))):
        by_identity = registry().by_identity
        levels.update(dict.fromkeys((by_identity[one].code for one in codes_of(selector)), severity_of(word)))
    return levels
