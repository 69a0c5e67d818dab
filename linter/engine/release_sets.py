"""Evaluates rules for all releases that a file may be for, and combines the findings of different releases.

A rule sees one release at a time. It is evaluated again only outside of the releases for which everything it read is
the same. What it reports at one place in several releases is one finding: an error only if it holds in every release,
otherwise at most a warning whose message names the releases. If the rule says something else in other releases, the
message is that of the newest ones and the note has the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from flink_flint.linter.flink.releases import NEWEST, spell
from flink_flint.linter.model.finding import Finding, Severity, noted
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import CATALOGUED, Rule
from flink_flint.linter.model.target import Target
from flink_flint.linter.model.view import View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.engine.document_findings import Judged
    from flink_flint.linter.flink.parsed_file import Entry

_MAX_OTHER_MESSAGES = 2
"""The maximum number of messages for other releases that a note quotes."""


def _advise(finding: Finding, written: Mapping[str, Entry], releases: Sequence[int], asked: Sequence[int]) -> None:
    """Spell the keys in a finding's help for its releases; what does so is imported if there are findings."""
    from flink_flint.linter.engine.release_advice import advise

    advise(finding, written, releases, asked)


class Views(Protocol):
    """The views of one document, by release index."""

    def __getitem__(self, index: int) -> View:
        """Return the view for a release."""
        ...


class _Claim(NamedTuple):
    """What a rule reports at one place, and the releases in which it reports just that."""

    finding: Finding
    releases: set[int]


_Claims = list[_Claim]
"""What a rule reports at one place, the newest releases first."""


class _Found:
    """The findings of a rule, by what they are about."""

    def __init__(self) -> None:
        self._by_text: dict[tuple[object, ...], _Claims] = {}
        self._by_place: dict[tuple[str, str | None, Span, str | None], list[_Claims]] = {}

    def add(self, found: Iterable[Finding], releases: Collection[int]) -> None:
        """Add what the rule reports for some releases, which are older than those added before."""
        taken: set[int] = set()
        others: list[Finding] = []
        for finding in found:
            claims = self._by_text.get((*_place(finding), finding.claim))
            if claims is None:
                others.append(finding)
                continue
            taken.add(id(claims))
            same = next(claim for claim in claims if claim.finding.claim == finding.claim)
            same.releases.update(releases)
            same.finding.severity = min(same.finding.severity, finding.severity)
            same.finding.layers |= finding.layers
        free: dict[tuple[object, ...], Iterator[_Claims]] = {}
        for finding in others:
            place = _place(finding)
            text = (*place, finding.claim)
            known = self._by_text.get(text)
            if known is not None:  # twice in the same release
                next(c for c in known if c.finding.claim == finding.claim).releases.update(releases)
                continue
            members = self._by_place.setdefault(place, [])
            unused = free.setdefault(place, iter([one for one in members if id(one) not in taken]))
            claims = next(unused, None)
            if claims is None:
                members.append(claims := [])
            claims.append(_Claim(finding, set(releases)))
            self._by_text[text] = claims

    def __iter__(self) -> Iterator[_Claims]:
        """Iterate over what was reported, each with what the rule says of it in other releases."""
        return chain.from_iterable(self._by_place.values())


def _place(finding: Finding) -> tuple[str, str | None, Span, str | None]:
    return finding.path, finding.document, finding.span, finding.key


def evaluate(rule: Rule, view: View, key: str | None) -> list[Finding]:
    """Run a rule on a document, or on one of its keys, in one release, and return the findings unchanged."""
    view.rule = rule
    return list((rule.check(view) if key is None else rule.check(view, view.written(key))) or ())


def evaluate_for_one(rule: Rule, view: View, key: str | None) -> list[Finding]:
    """Return the findings of a rule on a document whose release is known, with the release named in their texts."""
    return found_for_one(view, evaluate(rule, view, key))


def found_for_one(view: View, found: Iterable[Finding]) -> list[Finding]:
    """Name the release of a view in the texts of a rule's findings, and return the findings."""
    kept = list(found)
    for finding in kept:
        finding.name_releases(f"Flink {view.configuration.release}")
        _advise(finding, view.effective, (view.index,), (view.index,))
    return kept


def evaluate_for_all(
    rule: Rule, views: Views, candidates: Sequence[int], target: Target, key: str | None
) -> list[Finding]:
    """Return the findings of a rule on a document that may be for any of the candidate releases."""
    found: _Found | None = None
    remaining = list(candidates)
    while remaining:
        view = views[remaining[-1]]
        view.reset_bounds()
        findings = evaluate(rule, view, key)
        covered = _covered(remaining, *view.bounds)
        if findings:
            found = found or _Found()
            found.add(findings, covered)
    if found is None:
        return []
    merged = (_merged(claims, rule, target) for claims in found)
    kept = [finding for finding in merged if finding is not None]
    for finding, releases in kept:
        _advise(finding, views[candidates[-1]].effective, releases, target.in_question)
    return [finding for finding, _ in kept]


def _covered(remaining: list[int], first: int, last: int) -> Collection[int]:
    """Take the newest of the remaining releases, and those from `first` to `last`, from the list; return them."""
    if first <= remaining[0] and remaining[-1] <= last:
        covered, remaining[:] = remaining[:], []
        return covered
    newest = remaining[-1]
    taken = {index for index in remaining if first <= index <= last or index == newest}
    remaining[:] = [index for index in remaining if index not in taken]
    return taken


def _merged(claims: _Claims, rule: Rule, target: Target) -> tuple[Finding, Sequence[int]] | None:
    """Return one finding for what a rule reports at one place, and its releases; None if none of them is likely."""
    releases = set().union(*(claim.releases for claim in claims))
    asked = set(target.in_question)
    if releases.isdisjoint(asked) or (
        rule.every_release and not target.certain and len(releases) < len(target.indices)
    ):
        return None
    likely = [claim for claim in claims if not claim.releases.isdisjoint(asked)]
    finding = likely[0].finding
    finding.severity = min(claim.finding.severity for claim in claims)
    holds = [sorted(claim.releases & asked) for claim in likely]
    if len(releases) < len(target.indices):
        finding.severity = min(finding.severity, Severity.WARNING)
        _doubt(finding, target)
    if any(_operations(claim.finding) != _operations(finding) for claim in likely):
        finding.proposed = None  # no single change is right for all releases
    is_any = not target.certain and len(holds[0]) == len(target.indices)
    _name(finding, holds[0], asked, "this Flink" if is_any else None)
    for claim, indices in list(zip(likely, holds, strict=True))[1 : 1 + _MAX_OTHER_MESSAGES]:
        name = f"Flink {spell(indices)}"
        claim.finding.name_releases(name)
        finding.note = noted(finding.note, f"in {name}: {claim.finding.claim}")
    return finding, sorted(releases & asked)


def _name(finding: Finding, holds: Sequence[int], asked: Collection[int], name: str | None = None) -> None:
    """Name the releases that a finding holds for in its texts, and in its message if they are not all."""
    spelled = spell(holds)
    finding.name_releases(name or f"Flink {spelled}")
    if len(holds) < len(asked) and f"Flink {spelled}" not in finding.message:
        finding.add_to_message(f" (Flink {spelled})")


def _doubt(finding: Finding, target: Target) -> None:
    """Mark the fix of a finding as unsafe, since the rule supports it only in some of the releases.

    It is dropped if the file is known to be read by all of them: the others would get a change that nothing supports.
    """
    if target.certain:
        finding.proposed = None
    elif finding.proposed is not None:
        finding.proposed = finding.proposed._replace(safe=False)


def _operations(finding: Finding) -> tuple[object, ...]:
    return () if finding.proposed is None else tuple(finding.proposed.operations)


# -- rules that compare documents


class Member:
    """A document as rules of scope "project" see it: one view for each release that the document may be for."""

    def __init__(self, judged: Judged, view_at: Callable[[int], View]) -> None:
        self.judged = judged
        self._view_at = view_at
        self._views: dict[int, View] = {}

    @cached_property
    def target(self) -> Target:
        """The releases, platform and profile that the document is checked for."""
        return self.judged.target

    def at(self, index: int, releases: str = CATALOGUED) -> View:
        """Return the document's view for the release `index`, or for the nearest of its releases within `releases`."""
        nearest = _nearest(index, self.target.inside(releases) or self.target.indices)
        view = self._views.get(nearest)
        if view is None:
            view = self._views[nearest] = self._view_at(nearest)
        return view


def evaluate_project(rule: Rule, members: Sequence[Member]) -> list[Finding]:
    """Return the findings of a rule that compares documents, for all releases that they may be for."""
    inside = [one.target.inside(rule.flink) for one in members]
    steps = sorted({index for indices in inside if len(indices) > 1 for index in indices})
    if not steps:
        views = [one.at(NEWEST, rule.flink) for one in members]
        owners = {_owner(view): view for view in views}
        found = _evaluated(rule, views)
        for finding in found:
            view = owners.get((finding.path, finding.document), views[0])
            found_for_one(view, [finding])
        return found
    reported = _Found()
    remaining = list(steps)
    while remaining:
        views = [one.at(remaining[-1], rule.flink) for one in members]
        for view in views:
            view.reset_bounds()
        findings = _evaluated(rule, views)
        reported.add(findings, _covered(remaining, *_bounds(views, inside)))
    newest = [one.at(steps[-1], rule.flink) for one in members]
    by_owner = {_owner(view): view for view in newest}
    of_files: dict[str, set[int]] = {}
    for view, indices in zip(newest, inside, strict=True):
        if len(indices) > 1:
            of_files.setdefault(view.document.path, set()).update(indices)
    merged = (_merged_of_project(claims, rule, by_owner, of_files) for claims in reported)
    return [finding for finding in merged if finding is not None]


def _evaluated(rule: Rule, views: Sequence[View]) -> list[Finding]:
    for view in views:
        view.rule = rule
    return list(rule.check(Project(views)) or ())


def _bounds(views: Sequence[View], inside: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return the first and last step for which all views would have answered the same."""
    first, last = 0, NEWEST
    for view, indices in zip(views, inside, strict=True):
        if len(indices) == 1:
            continue
        view_first, view_last = view.bounds
        if view_first > indices[0]:
            first = max(first, view_first)
        if view_last < indices[-1]:
            last = min(last, view_last)
    return first, last


def _owner(view: View) -> tuple[str, str | None]:
    return view.document.path, view.document.name


def _merged_of_project(
    claims: _Claims, rule: Rule, views: Mapping[tuple[str, str | None], View], of_files: Mapping[str, set[int]]
) -> Finding | None:
    """Return one finding for what a rule reports at one place; the releases may be those of another document.

    `of_files` are the releases of the files that may be for several. Those of files that take no part do not count, so
    that a finding is the same whatever else is in the run.
    """
    newest = claims[0].finding
    view = views.get((newest.path, newest.document))
    target = None if view is None else view.target
    if target is None or len(target.indices) == 1:
        # The document is for one release, but what is reported may depend on that of another document.
        found = [claim.finding for claim in claims]
        paths = {path for one in found for path in (one.path, *one.beside, *(place.path for place in one.related))}
        steps = sorted(set().union(*(of_files.get(path, ()) for path in paths)))
        if not steps:
            if view is not None:
                found_for_one(view, [newest])
            return newest
        target = Target(tuple(steps), evidence="")
    inside = target.inside(rule.flink)
    claims = [_Claim(claim.finding, {_nearest(index, inside) for index in claim.releases}) for claim in claims]
    merged = _merged(claims, rule, target)
    if merged is None:
        return None
    finding, releases = merged
    if view is not None:
        known = view.target.indices if len(view.target.indices) == 1 else ()
        _advise(finding, view.effective, known or releases, known or target.in_question)
    return finding


def _nearest(index: int, indices: Sequence[int]) -> int:
    """Return the release for which a document is checked in a step."""
    return index if index in indices else min(indices, key=lambda one: (abs(one - index), -one))
