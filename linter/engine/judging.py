"""Evaluates rules on documents, on the project and on changes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import FlintConfig
from flink_flint.linter.engine.chosen_rules import ignored_codes, selection
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.operator_release import set_installed_operators
from flink_flint.linter.engine.registry import Declaration, registry
from flink_flint.linter.engine.release_sets import (
    Member,
    evaluate_for_all,
    evaluate_for_one,
    evaluate_project,
    found_for_one,
)
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.selection import (
    called_by_a_change,
    called_for,
    changed_for,
    project_rules,
    project_rules_called,
)
from flink_flint.linter.formats.purpose import DEVELOPMENT, EXAMPLE
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.layers import ALONE, Relation, is_resource
from flink_flint.linter.model.sibling_files import SiblingFiles
from flink_flint.linter.model.target import Target, target_of
from flink_flint.linter.model.view import View

if TYPE_CHECKING:
    from flink_flint.linter.engine.compared_files import ComparedFiles
    from flink_flint.linter.model.observations import Observations


_ON_SETTINGS = "settings"
"""The family of rules on what Flink's parsers accept, whatever a program sets afterwards."""

Earlier = Mapping[tuple[str, "str | None"], Judged]
"""The documents of an older revision, by the current path of their file and the name of the document."""


def target_for(document: Document, flint_config: FlintConfig, options: Options, relation: Relation = ALONE) -> Target:
    """Return the releases, platform and profile to check a document for; raise ValueError for an invalid version."""
    is_for_trials = _is_for_trials(document, flint_config, options, relation)
    return target_of(
        document,
        flink_version=options.flink_version,
        preferred_version=flint_config.flink_version,
        operator_version=flint_config.operator_version,
        platform=options.platform or flint_config.platform,
        profile="development" if is_for_trials else options.profile or flint_config.profile,
        linked=relation.release,
        linked_platform=relation.platform,
        started_on=relation.started_on,
        linked_profile=relation.profile,
    )


def _is_for_trials(document: Document, flint_config: FlintConfig, options: Options, relation: Relation) -> bool:
    """Return whether a document is checked as development although no profile is set.

    That is so for examples, and for what no process of production reads.
    """
    if options.profile or flint_config.profile:
        return False
    is_unused = relation.is_left_aside or _is_in_jar(document, relation)
    return document.purpose in (EXAMPLE, DEVELOPMENT) or is_unused


def _is_in_jar(document: Document, relation: Relation) -> bool:
    """Return whether a configuration file is inside a JAR, where Flink does not read it, and nothing else uses it."""
    return is_resource(document) and not (relation.is_mounted or relation.above or relation.release)


def judge_document(
    document: Document, flint_config: FlintConfig, options: Options, relation: Relation, *, is_judged: bool = True
) -> Judged:
    """Check one document and return it with its target and findings; test files get no findings.

    An example is checked as development, unless the profile is set. Without `is_judged` the rules on one document are
    not evaluated.
    """
    find_target = partial(target_for, document, flint_config, options, relation)
    settings = options.flint_config_in(document.directory)
    if document.is_left_out:
        return Judged(document, find_target(), flint_config, [], frozenset(), settings=settings)
    ignored = ignored_codes(options, flint_config)
    codes = selection(options, flint_config) | ignored
    if not is_judged:
        return Judged(
            document, find_target, flint_config, [],
            lambda target: project_rules_called(document, codes, target.platform), relation=relation, ignored=ignored,
            settings=settings,
        )  # fmt: skip
    set_installed_operators((document, *relation.below))
    target = find_target()
    observations = _observations(document, options.history) if options.history else None
    views = _Views(document, target, observations, relation, flint_config.thresholds)
    findings, project_codes, crashed = _judge(views, codes, ignored)
    views.forget()
    _doubt_deployed(document, relation, findings)
    _doubt_overruled(document, relation, findings)
    _doubt_replaceable(document, findings)
    if relation.is_unmounted or relation.is_not_loaded:
        _advise(findings)
    elif _is_for_trials(document, flint_config, options, relation):
        _suggest(findings)
    elif document.kind == "source" and findings:
        from flink_flint.linter.engine.library_settings import suggest_in_libraries

        suggest_in_libraries(document, findings, relation.programs)
    return Judged(
        document, target, flint_config, findings, project_codes, crashed=crashed, observed=observations is not None,
        relation=relation, ignored=ignored, settings=settings,
    )  # fmt: skip


def _doubt_deployed(document: Document, relation: Relation, findings: Sequence[Finding]) -> None:
    """Make warnings of errors in what may not be deployed.

    These are values of a chart that no rendering contains, settings that values from elsewhere may override, and a
    job's own configuration, which only the job hands to Flink, if it does. Hazards in the last are suggestions.
    """
    if document.is_jobs_own:
        _suggest(finding for finding in findings if finding.key is not None)
    elif relation.workloads is None and not document.may_be_overridden:
        return
    for finding in findings:
        finding.severity = min(finding.severity, Severity.WARNING)


def _doubt_overruled(document: Document, relation: Relation, findings: Iterable[Finding]) -> None:
    """Make suggestions of hazards in settings that a program of the deployment replaces by values of its own.

    Managed Service for Apache Flink decides by itself whose value counts. What no process accepts stays an error, and
    rules that compare documents know the program's values.
    """
    programs = [one for one in relation.above if one.kind == "source"] if document.platform != "msf" else []
    overruled = frozenset[str]().union(*(program.options_decided for program in programs))
    for finding in findings:
        if finding.key in overruled and finding.family != _ON_SETTINGS:
            finding.severity = Severity.INFO


def _doubt_replaceable(document: Document, findings: Sequence[Finding]) -> None:
    """Make suggestions of findings on values that a template may replace further down; of keys, no error is certain."""
    if document.syntax != "flink-conf" or not findings:
        return
    entries = sorted(
        (entry for entry in document.effective.values() if entry.may_be_replaced), key=lambda entry: entry.key_span
    )
    starts = [entry.key_span.start for entry in entries]
    for finding in findings:
        place = bisect_right(starts, finding.span.start) - 1
        if place >= 0 and finding.span.start < entries[place].value_span.end:
            on_value = finding.span.start >= entries[place].value_span.start
            finding.severity = min(finding.severity, Severity.INFO if on_value else Severity.WARNING)


def _suggest(findings: Iterable[Finding]) -> None:
    """Make suggestions of what are hazards only in production; what is refused, or wrong anywhere, stays."""
    for finding in findings:
        if finding.severity == Severity.WARNING and not finding.anywhere:
            finding.severity = Severity.INFO


def _advise(findings: Iterable[Finding]) -> None:
    """Make suggestions of all findings, in a document of which the repository shows no process that reads it."""
    for finding in findings:
        finding.severity = Severity.INFO


def _observations(document: Document, history: str) -> Observations | None:
    """Return what the history store has for the cluster a document configures; None if the cluster is unknown."""
    from flink_flint.linter.model.observations import open_store  # imported only when there is a history

    return open_store(history).of(document.values(), document.name)


class _Views:
    """The views of one document, one per release, created on demand."""

    def __init__(
        self,
        document: Document,
        target: Target,
        observations: Observations | None,
        relation: Relation,
        thresholds: Mapping[str, Mapping[str, object]],
    ) -> None:
        self.document = document
        self.target = target
        self.observations = observations
        self._relation = relation
        self._thresholds = thresholds
        self._views: dict[int, View] = {}
        self._companions = SiblingFiles(document.directory)

    def __getitem__(self, index: int) -> View:
        view = self._views.get(index)
        if view is None:
            view = self._views[index] = View(
                self.document, self.target, index, self._companions, self.observations, self._relation, self._thresholds
            )
        return view

    def forget(self) -> None:
        """Discard the record of what was read from the views."""
        for view in self._views.values():
            view.forget()


def _judge(views: _Views, codes: frozenset[str], ignored: frozenset[str]) -> tuple[list[Finding], frozenset[str], bool]:
    """Evaluate the rules that a document triggers; return the findings, the triggered project rules, whether one
    crashed.

    A crash of an `ignored` rule is not reported.
    """
    document, target, observations = views.document, views.target, views.observations
    findings: list[Finding] = []
    project_codes = set()
    crashed = False
    sole = views[target.indices[0]] if len(target.indices) == 1 else None
    for declaration, keys in called_for(document, codes, observations, target.platform):
        if declaration.scope == "project":
            project_codes.add(declaration.identity)
            continue
        candidates = target.inside(declaration.flink)
        if not candidates:
            continue
        rule = declaration.load()
        checked_keys: Collection[str | None] = keys if declaration.scope == "key" else (None,)
        for key in checked_keys:
            try:
                found = (
                    evaluate_for_one(rule, sole, key)
                    if sole is not None
                    else evaluate_for_all(rule, views, candidates, target, key)
                )
            except Exception as error:
                if declaration.identity not in ignored:
                    findings.append(_crash(declaration, views[candidates[-1]], error))
                    crashed = True
                continue
            if found and declaration.of_scale and target.profile == "development":
                for finding in found:
                    finding.severity = Severity.INFO
            findings += found
    return findings, frozenset(project_codes), crashed


def _crash(declaration: Declaration, view: View, error: Exception) -> Finding:
    """Return the finding that reports a crashed rule."""
    rule = registry().by_name["internal-error"].load()
    view.rule = rule
    return next(iter(rule.check(view, declaration.code, error) or ()))


def judge_project(judged: list[Judged], options: Options, compared: ComparedFiles | None = None) -> bool:
    """Run the rules that compare documents, add their findings to `judged`, and return whether a rule crashed.

    Another rendering of the same objects is an environment of its own. With `compared`, a rule gets only the files that
    it compares with the named ones.
    """
    environments: dict[str, list[Judged]] = {}
    for one in judged:
        if not one.document.is_left_out:
            environments.setdefault(one.document.path if one.document.is_variant else "", []).append(one)
    crashed = False
    for members in environments.values():
        crashed |= _judge_environment(members, options, compared)
    return crashed


def _judge_environment(judged: list[Judged], options: Options, compared: ComparedFiles | None) -> bool:
    configs = {id(one.flint_config): one for one in judged}
    chosen = {number: selection(options, one.flint_config) | one.ignored for number, one in configs.items()}
    members = [Member(one, partial(_view_of, one)) for one in judged]
    owners = {(one.document.path, one.document.name): one for one in judged}
    crashed = False
    for declaration in project_rules(frozenset().union(*chosen.values())):
        identity = declaration.identity
        if declaration.several and (len(judged) if compared is None else compared.number) < 2:
            continue
        near = members
        if compared is not None:
            paths = compared.of(identity)
            near = [member for member in members if member.judged.document.path in paths]
        if not any(identity in member.judged.project_codes for member in near):
            continue
        own = [
            member
            for member in near
            if identity in chosen[id(member.judged.flint_config)] and member.target.inside(declaration.flink)
        ]
        rule = declaration.load()
        try:
            found = evaluate_project(rule, own)
        except Exception as error:
            views = [member.at(member.target.indices[-1], declaration.flink) for member in own]
            enabled = [view for view in views if identity not in owners[_owner(view)].ignored]
            found = [_crash(declaration, enabled[0], error)] if enabled else []
            crashed |= bool(enabled)
        for finding in found:
            owner = owners[finding.path, finding.document]
            if declaration.of_scale and owner.target.profile == "development" and finding.code == declaration.code:
                finding.severity = Severity.INFO
            _doubt_deployed(owner.document, owner.relation, [finding])
            _doubt_replaceable(owner.document, [finding])
            if owner.relation.is_unmounted or owner.relation.is_not_loaded:
                _advise([finding])
            owner.findings.append(finding)
    return crashed


def _view_of(judged: Judged, index: int) -> View:
    return View(
        judged.document,
        judged.target,
        index,
        SiblingFiles(judged.document.directory),
        relation=judged.relation,
        thresholds=judged.flint_config.thresholds,
    )


def _owner(view: View) -> tuple[str, str | None]:
    return view.document.path, view.document.name


def judge_changes(judged: list[Judged], earlier: Earlier, options: Options) -> bool:
    """Add the findings of the rules that compare a document with its earlier revision; return whether one crashed."""
    crashed = False
    for one in judged:
        old = earlier.get((one.document.path, one.document.name))
        if old is None or one.document.is_left_out:
            continue
        codes = selection(options, one.flint_config) & called_by_a_change()
        for declaration in changed_for(old.document, one.document, codes):
            if not one.target.inside(declaration.flink):
                continue
            rule = declaration.load()
            before, after = (_view_of(side, side.target.indices[-1]) for side in (old, one))
            before.rule = after.rule = rule
            try:
                one.findings.extend(found_for_one(after, rule.check(before, after) or ()))
            except Exception as error:
                one.findings.append(_crash(declaration, after, error))
                crashed = True
    return crashed
