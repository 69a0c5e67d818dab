"""Runs a check, from the files to the findings.

Read files -> documents -> evaluate rules on each document (those its keys trigger, for each possible release) ->
evaluate project rules -> suppressions, severities -> locations for the reports. Documents are checked independently, so
that they can be distributed to processes; the result does not depend on the number of processes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import compress
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import (
    FlintConfig,
    FlintConfigError,
    FlintConfigFile,
    Link,
    ReadFile,
    flint_config_for,
    located,
)
from flink_flint.linter.engine.discovery import AnySource, Problem, Skipped, Source
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.locations import locate
from flink_flint.linter.engine.registry import Declaration, registry, severity_of
from flink_flint.linter.engine.release_sets import (
    Member,
    evaluate_for_all,
    evaluate_for_one,
    evaluate_project,
    found_for_one,
)
from flink_flint.linter.engine.selection import (
    called_by_a_change,
    called_by_a_history,
    called_for,
    changed_for,
    codes_of,
    project_rules_called,
    select_codes,
)
from flink_flint.linter.filesystem.folders import CHART, KUSTOMIZATIONS, names_in
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.formats.purpose import DEVELOPMENT, EXAMPLE, TEST, set_purpose
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.model.finding import Confidence, Finding, Severity
from flink_flint.linter.model.layers import ALONE, Relation, is_resource, relate
from flink_flint.linter.model.limits import FINDINGS
from flink_flint.linter.model.rule import Rule
from flink_flint.linter.model.sibling_files import SiblingFiles
from flink_flint.linter.model.suppressions import Silenced, Suppression, read_suppressions, unannotated, unsuppressed
from flink_flint.linter.model.target import Target, target_from_version, target_of
from flink_flint.linter.model.view import View
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.compared_files import ComparedFiles, Scope
    from flink_flint.linter.engine.comparison_result import Comparison
    from flink_flint.linter.engine.project_files import Named
    from flink_flint.linter.engine.rendered_documents import RenderedDocuments
    from flink_flint.linter.model.observations import Observations

FILES_WORTH_A_PROCESS = 400
"""The minimum number of files for which a second process saves time."""


TESTS = "tests"
"""The reason reported for not checking test files."""


NOT_RENDERED = "template without values"
"""The reason reported for not checking a template that cannot be read until it is rendered."""
_OF_ANY_FILE = ("security", "internal-error", "unused-suppression")
"""The family and rules whose findings hold whether Flink reads the file or not."""


class Options(NamedTuple):
    """The options of a run; None means that flint's configuration decides."""

    flink_version: str | None = None
    platform: str | None = None
    profile: str | None = None
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.LOW
    flint_config: FlintConfigFile | None = None
    """The flint configuration file to use for all paths; None means the nearest one to each file."""
    ignores: bool = True
    """Whether suppressions apply: comments, annotations, and `ignore` in flint's configuration."""
    rules: bool = True
    """Whether rules run; if not, flint only determines the documents and their targets."""
    history: str | None = None
    """The history store (``STORE`` or ``STORE#cluster``) with the metrics that rules compare the documents with."""
    read_config_file: ReadFile | None = None
    """The function that reads flint's own configuration; None reads from the disk."""
    include_tests: bool = False
    """Whether test files are checked even if flint's configuration excludes them."""
    renders: bool = False
    """Whether charts and kustomizations around the files are rendered and checked in their place."""
    by_programs: bool | None = False
    """Whether the real Helm and kustomize render them; None leaves it to the user's own configuration."""
    named: frozenset[str] | None = None
    """The absolute paths of the files to report findings for, and of folders, with a separator; None means all.

    The others are the project around them, and only findings in which a named file takes part are reported."""
    unsaved: Mapping[str, bytes] = {}
    """What replaces the files of some absolute paths on the disk, if they are not Flink's by themselves.

    A chart or kustomization may be made of them."""
    leaves_out_void: bool = True
    """Whether findings on settings are left out if another finding says that Flink does not read their file."""
    max_findings: int = FINDINGS
    """The maximum number of findings that one rule reports for a file."""

    def flint_config_at(self, path: str) -> FlintConfigFile:
        """Return the flint configuration for a file or folder; raise `FlintConfigError` if it is invalid."""
        return flint_config_for(path, self.read_config_file) if self.flint_config is None else self.flint_config


class Report(NamedTuple):
    """The result of a run: findings, checked documents, and files that could not be read."""

    findings: list[Finding]
    documents: list[Judged]
    problems: list[Problem]
    """The files that could not be read; if there are any, the exit status is 2."""
    files: int
    silenced: list[Silenced]
    crashed: bool
    skipped: Sequence[Skipped] = ()
    """The files and folders that were not read, each with the reason."""
    around: Sequence[Judged] = ()
    """The checked documents of the other files in the projects that contain the named files."""
    originals: Mapping[str, Sequence[Document]] = {}
    """The source documents of files that are checked as rendered, by path; fixes change these documents."""
    rendered: Sequence[Judged] = ()
    """The checked documents that charts and kustomizations render to, with the paths of the renderings."""
    comparison: Comparison | None = None
    """The comparison with a base revision, if there is one; the report then has only the new findings."""

    @property
    def suppressed(self) -> dict[str, int]:
        """The number of suppressed findings by kind: ``comment``, ``baseline`` and ``flint_toml``."""
        counts = {"comment": 0, "baseline": 0, "flint_toml": 0}
        for one in self.silenced:
            counts[one.by] += 1
        return counts

    @property
    def paths(self) -> set[str]:
        """The paths of the files that were read and checked."""
        return {one.document.path for one in self.documents if not one.document.is_left_out}

    @property
    def all_documents(self) -> Sequence[Judged]:
        """The checked documents of the named files and of the projects around them."""
        return [*self.documents, *self.around] if self.around else self.documents

    @property
    def unread(self) -> int:
        """The number of Flink files that were not read; the result is incomplete unless it is 0."""
        return len(self.problems) + sum(one.is_unread for one in self.skipped)


class Steps(NamedTuple):
    """How a run reads files and judges documents; a server uses what it remembers of them."""

    read: Callable[[AnySource, Options], list[tuple[Document, FlintConfig]]]
    """Returns the documents of a file, as `documents_of` does."""
    judge: Callable[..., Judged]
    """Returns a document with what its rules find, as `judge_document` does; the run changes the findings."""
    locates: bool = True
    """Whether findings get lines, columns and excerpts, and their secrets are masked."""


Earlier = Mapping[tuple[str, "str | None"], Judged]
"""The documents of an older revision, by the current path of their file and the name of the document."""


def check(
    sources: Iterable[AnySource | Problem],
    options: Options,
    *,
    processes: int | None = 1,
    earlier: Earlier | None = None,
    steps: Steps | None = None,
) -> Report:
    """Check files and return the report.

    `processes` None means one per core, if there are enough files. With the documents of an `earlier` revision, rules
    about changes are evaluated as well. With `steps`, one process reads and judges as they do. Raises ValueError for an
    invalid release, selector or flint configuration.
    """
    problems: list[Problem] = []
    readable: list[AnySource] = []
    for source in sources:
        if isinstance(source, Problem):
            problems.append(source)
        else:
            readable.append(source)
    readable.sort(key=lambda source: source.path)
    rendered = None
    if options.renders:
        rendered = rendered_of(readable, by_programs=options.by_programs, unsaved=options.unsaved)
    if steps is None and is_divided(readable, options, processes):
        judged, compared = _judge_in_processes(readable, options, processes, rendered), None
    else:
        judged, compared = _judge_all(readable, options, steps or Steps(documents_of, judge_document), rendered)
    crashed = any(one.crashed for one in judged)
    crashed |= judge_project(judged, options, compared)
    named = _named(options, readable)
    if earlier is not None:
        crashed |= _judge_changes(judged, earlier, options)
    as_rendered: list[Judged] = []
    if rendered is not None:
        as_rendered = [one for one in judged if one.document.path in rendered.paths]
        judged = rendered.moved(
            judged, partial(_config_for, options=options), partial(_target_for, options=options), readable
        )
        judged.sort(key=lambda one: one.document.path)
    findings: list[Finding] = []
    silenced: list[Silenced] = []
    files: dict[str, list[Judged]] = {}
    for one in judged:
        files.setdefault(one.document.path, []).append(one)
    for path, members in files.items():
        takes_part = named is None or path in named or any(named.takes_part(f) for one in members for f in one.findings)
        if not takes_part:
            continue
        kept, quiet = finish(members, options, compared=earlier is not None)
        findings += kept if named is None else filter(named.takes_part, kept)
        silenced += quiet if named is None else (one for one in quiet if named.takes_part(one.finding))
    documents = {path: [one.document for one in members] for path, members in files.items()}
    if steps is None or steps.locates:
        for finding in (*findings, *(one.finding for one in silenced)):
            locate(finding, documents)
    order = {path: place for place, path in enumerate(dict.fromkeys(one.document.path for one in judged))}
    findings.sort(key=lambda finding: (order[finding.path], *finding.order))
    around: list[Judged] = []
    if named is not None:
        around = [one for one in judged if one.document.path not in named]
        judged = [one for one in judged if one.document.path in named]
        readable = [source for source in readable if source.path in named]
        crashed = any(finding.rule == "internal-error" for finding in findings)
    left_out = {one.document.path for one in judged if one.document.is_left_out}
    skipped = [Skipped(path, TESTS) for path in sorted(left_out)]
    skipped += [Skipped(one.path, NOT_RENDERED) for one in readable if one.path not in files and is_template_of(one)]
    skipped += rendered.failed if rendered is not None else []
    originals = rendered.originals if rendered is not None else {}
    number = len(readable) - len(left_out)
    return Report(findings, judged, problems, number, silenced, crashed, skipped, around, originals, as_rendered)


def rendered_of(
    sources: Sequence[AnySource], *, by_programs: bool | None = False, unsaved: Mapping[str, bytes] | None = None
) -> RenderedDocuments | None:
    """Return the documents rendered from charts and kustomizations; None if there are none.

    `unsaved` replaces other files of the disk. Without any chart or kustomization near the files, nothing is imported.
    """
    if not may_be_rendered(source.path for source in sources):
        return None
    from flink_flint.linter.engine.renderings import renderings_of

    if (found := renderings_of(sources, by_programs=by_programs, unsaved=unsaved or {})) is None:
        return None
    from flink_flint.linter.engine.rendered_documents import RenderedDocuments

    return RenderedDocuments(found)


def may_be_rendered(paths: Iterable[str]) -> bool:
    """Return whether a folder of a file, or one above it, is a chart or a kustomization."""
    seen: set[str] = set()
    for path in paths:
        for folder in folders_up(os.path.dirname(os.path.abspath(path))):
            if folder in seen:
                break
            seen.add(folder)
            if not names_in(folder).isdisjoint((CHART, *KUSTOMIZATIONS)):
                return True
    return False


_DECIDING = (".yaml", ".yml", ".tpl")
"""Endings of names of files that may be values or templates, wherever the chart is."""


def may_decide(path: str) -> bool:
    """Return whether a chart or kustomization may be made of a file, though it need not be Flink's by itself."""
    return path.endswith(_DECIDING) or may_be_rendered([path])


def _named(options: Options, sources: Iterable[AnySource] = ()) -> Named | None:
    if options.named is None:
        return None
    from flink_flint.linter.engine.project_files import Named

    return Named(options.named, {os.path.abspath(source.path) for source in sources} - options.named)


def _config_for(path: str, options: Options) -> FlintConfig:
    return options.flint_config_at(path).for_path(path)


def is_template_of(source: AnySource) -> bool:
    """Return whether a source is a template that cannot be read before it is rendered."""
    return is_template(source.data.decode("utf-8", "replace"))


def unjudged(sources: Iterable[Source | Problem], options: Options) -> Earlier:
    """Read files without checking them; return their documents by path and name, to compare with a later revision."""
    report = check(sources, options._replace(rules=False))
    return {(one.document.path, one.document.name): one for one in report.documents}


def is_divided(sources: Sequence[AnySource], options: Options, processes: int | None) -> bool:
    """Return whether several processes judge the files."""
    if options.named is not None or len(sources) < 2:
        return False
    return processes > 1 if processes is not None else len(sources) >= FILES_WORTH_A_PROCESS and _cores() > 1


def _cores() -> int:
    return os.cpu_count() or 1


def _judge_all(
    sources: Sequence[AnySource], options: Options, steps: Steps, rendered: RenderedDocuments | None
) -> tuple[list[Judged], ComparedFiles | None]:
    """Return the judged documents and, if only some files are named, which files rules compare with those."""
    read = [one for source in sources for one in steps.read(source, options)]
    if rendered is not None:
        read = list(compress(read, rendered.kept([document for document, _ in read])))
        read += read_rendered(rendered, options)
    return _judge_read(read, options, steps, frozenset() if rendered is None else rendered.paths)


def _judge_in_processes(
    sources: Sequence[AnySource], options: Options, processes: int | None, rendered: RenderedDocuments | None
) -> list[Judged]:
    from concurrent.futures import ProcessPoolExecutor

    processes = processes or _cores()
    size = max(1, min(200, -(-len(sources) // processes)))
    with ProcessPoolExecutor(max_workers=processes) as pool:
        results = pool.map(partial(_judge_alone, options=options), sources, chunksize=size)
        judged = [one for some in results for one in some]
    if rendered is not None:
        judged = list(compress(judged, rendered.kept([one.document for one in judged])))
        judged += [judge_document(*one, options, ALONE) for one in read_rendered(rendered, options)]
    for path in {
        one.document.path for one in judged if one.flint_config.own or one.flint_config.plugins
    }:  # other processes have not registered these
        register(options.flint_config_at(path))
    relations = relations_of([one.document for one in judged], options)
    for place, relation in relations.items():  # other processes do not know the relations between files
        judged[place] = judge_document(judged[place].document, judged[place].flint_config, options, relation)
    return reported_once(judged, relations)


def read_rendered(rendered: RenderedDocuments, options: Options) -> list[tuple[Document, FlintConfig]]:
    """Return the rendered documents, each with the flint configuration of the file that it was rendered from."""
    read: list[tuple[Document, FlintConfig]] = []
    for document in rendered.documents:
        path = rendered.shown_path(document)
        register(options.flint_config_at(path))
        flint_config = _config_for(path, options)
        _describe([document], NOTHING, include_tests=options.include_tests or flint_config.include_tests)
        read.append((document, flint_config))
    return read


def _judge_read(
    read: Sequence[tuple[Document, FlintConfig]], options: Options, steps: Steps, rendered: Collection[str] = ()
) -> tuple[list[Judged], ComparedFiles | None]:
    """Judge documents with their relations.

    If only some files are named, those are judged that may have findings in which a named file takes part, and those of
    `rendered` paths; with the others that rules compare with them, they are returned.
    """
    documents = [document for document, _ in read]
    relations = relations_of(documents, options)
    if (named := _named(options)) is None:
        judged = [steps.judge(*one, options, relations.get(place, ALONE)) for place, one in enumerate(read)]
        return reported_once(judged, relations), None
    scope = scope_of(read, relations, options, named, rendered)
    places = [place for place, document in enumerate(documents) if document.path in scope.kept]
    judged = []
    for place in places:
        is_judged = documents[place].path in scope.judged
        judged.append(steps.judge(*read[place], options, relations.get(place, ALONE), is_judged=is_judged))
    related = [number for number, place in enumerate(places) if place in relations]
    return reported_once(judged, related), scope.compared


def scope_of(
    read: Sequence[tuple[Document, FlintConfig]],
    relations: Mapping[int, Relation],
    options: Options,
    named: Named,
    rendered: Collection[str] = (),
) -> Scope:
    """Return the files of a project that must be checked to report every finding on the `named` or `rendered` files."""
    from flink_flint.linter.engine.compared_files import scope_around

    documents = [document for document, _ in read]
    return scope_around(documents, relations, named, rendered, _project_rules_of(read, options))


def _project_rules_of(read: Iterable[tuple[Document, FlintConfig]], options: Options) -> set[str]:
    """Return the selected rules that compare documents."""
    settings = {(one.select, one.extend_select, one.ignore, one.own, one.plugins): one for _, one in read}
    chosen = [selection(options, one) | ignored_codes(options, one) for one in settings.values()]
    by_identity = registry().by_identity
    return {code for codes in chosen for code in codes if by_identity[code].scope == "project"}


def raw_findings(read: Sequence[tuple[Document, FlintConfig]], options: Options) -> tuple[list[Finding], bool]:
    """Return the findings of documents before severities and suppressions are applied, and whether a rule crashed."""
    judged, compared = _judge_read(read, options, Steps(documents_of, judge_document))
    crashed = judge_project(judged, options, compared)
    return [finding for one in judged for finding in one.findings], crashed or any(one.crashed for one in judged)


def _judge_alone(source: AnySource, options: Options) -> list[Judged]:
    read = documents_of(source, options)
    return [judge_document(document, flint_config, options, ALONE) for document, flint_config in read]


def documents_of(source: AnySource, options: Options) -> list[tuple[Document, FlintConfig]]:
    """Return the documents of a file, each with the flint configuration that applies to the file."""
    found = options.flint_config_at(source.path)
    flint_config = found.for_path(source.path)
    if found.rules or found.plugins:
        register(found)
    _check_words(found, flint_config, options)
    documents = source.documents()
    if documents:
        _describe(documents, source.evidence, include_tests=options.include_tests or flint_config.include_tests)
    return [(document, flint_config) for document in documents]


def _describe(documents: Sequence[Document], evidence: Evidence, *, include_tests: bool) -> None:
    """Set on the documents of a file what it is for, whether it is checked, and the evidence that it is Flink's."""
    set_purpose(documents)
    for document in documents:
        document.is_left_out = document.purpose == TEST and not include_tests
        document.evidence = evidence


def register(found: FlintConfigFile) -> Sequence[Rule]:
    """Register and return the rules that a configuration file declares or enables; raise ValueError naming the file."""
    if not (found.rules or found.plugins) or found.path is None:
        return ()
    from flink_flint.linter.engine.declarative_rules import own_rules

    try:
        rules = (*own_rules(found), *_plugin_rules(found.plugins))
        _check_distinct(rules)
        for rule in rules:
            if registry().own.get(rule.identity) is not rule:
                registry().register(rule)
    except ValueError as error:
        raise located(found.path, error) from None
    return rules


def _plugin_rules(names: Iterable[str]) -> list[Rule]:
    """Return the rules of the plugins that flint.toml enables; importlib.metadata is only imported if there are any."""
    if not names:
        return []
    from flink_flint.linter.engine.plugins import plugin_rules

    return [rule for name in names for rule in plugin_rules(name)]


def _check_distinct(rules: Sequence[Rule]) -> None:
    """Raise `FlintConfigError` if rules that one file declares or enables share a code or a name."""
    seen: dict[str, Rule] = {}
    for rule in rules:
        for word in (rule.code, rule.name):
            other = seen.setdefault(word, rule)
            if other is not rule:
                raise FlintConfigError(f"{word} is a rule of {other.family} and of {rule.family}", rule.family)


def _target_for(document: Document, flint_config: FlintConfig, options: Options, relation: Relation = ALONE) -> Target:
    profile = options.profile or flint_config.profile
    if profile is None and _is_for_trials(document, relation):
        profile = "development"
    return target_of(
        document,
        flink_version=options.flink_version,
        preferred_version=flint_config.flink_version,
        platform=options.platform or flint_config.platform,
        profile=profile,
        linked=relation.release,
        linked_platform=relation.platform,
        linked_profile=relation.profile,
    )


def _is_for_trials(document: Document, relation: Relation) -> bool:
    """Return whether a document is checked as development: an example, or what no process of production reads."""
    return document.purpose in (EXAMPLE, DEVELOPMENT) or _is_in_jar(document, relation)


def _is_in_jar(document: Document, relation: Relation) -> bool:
    """Return whether a configuration file is inside a JAR, where Flink does not read it, and nothing else uses it."""
    return is_resource(document) and not (relation.is_mounted or relation.above or relation.release)


def judge_document(
    document: Document, flint_config: FlintConfig, options: Options, relation: Relation, *, is_judged: bool = True
) -> Judged:
    """Return a document with its target and the findings of its rules; test files get no findings.

    An example is checked as development, unless the profile is set. Without `is_judged` the rules on one document are
    not evaluated.
    """
    is_example = _is_for_trials(document, relation) and not (options.profile or flint_config.profile)
    target = _target_for(document, flint_config, options, relation)
    if document.is_left_out:
        found = options.flint_config_at(document.path)
        return Judged(document, target, flint_config, [], frozenset(), False, False, ALONE, settings=found)
    observations = _observations(document, options.history) if options.history else None
    ignored = ignored_codes(options, flint_config)
    codes = selection(options, flint_config) | ignored
    views = _Views(document, target, observations, relation, flint_config.thresholds)
    if is_judged:
        findings, project_codes, crashed = _judge(views, codes, ignored)
    else:
        findings, project_codes, crashed = [], _project_rules(views, codes), False
    views.forget()
    if is_example:
        _suggest(findings)
    elif document.kind == "source" and findings:
        from flink_flint.linter.engine.library_settings import suggest_in_libraries

        suggest_in_libraries(document, findings, relation.programs)
    return Judged(
        document, target, flint_config, findings, project_codes, crashed, observations is not None, relation, ignored,
        options.flint_config_at(document.path),
    )  # fmt: skip


def _suggest(findings: Iterable[Finding]) -> None:
    """Make suggestions of what are hazards only in production; what Flink refuses stays an error."""
    for finding in findings:
        if finding.severity == Severity.WARNING:
            finding.severity = Severity.INFO


def relations_of(documents: list[Document], options: Options) -> dict[int, Relation]:
    """Return the relations of documents to the other documents of a run, by document index.

    Documents that are not checked are related to nothing.
    """
    places = [place for place, document in enumerate(documents) if not document.is_left_out]
    if len(places) < 2 and not any(document.elements for document in documents):
        return {}
    related = [documents[place] for place in places]
    return {places[place]: relation for place, relation in relate(related, _links(related, options)).items()}


def _links(documents: list[Document], options: Options) -> list[Link]:
    """Return the links that the flint configuration of the files declares."""
    folders = {document.directory: document.path for document in documents}
    found = [options.flint_config_at(path) for path in folders.values()]
    files = {file.path: file for file in found}
    return [link for path in sorted(files, key=str) for link in files[path].links]


def reported_once(judged: list[Judged], related: Iterable[int]) -> list[Judged]:
    """Drop the findings of overlays in the files of their bases that another document also reports."""
    reported = {
        (finding.code, finding.path, finding.span)
        for one in judged
        for finding in one.findings
        if finding.path == one.document.path
    }
    by_overlays: set[tuple[object, ...]] = set()
    for one in map(judged.__getitem__, related):
        own = one.document.path
        one.findings[:] = [
            f
            for f in one.findings
            if f.path == own
            or ((f.code, f.path, f.span) not in reported and (f.code, f.path, f.span, f.claim) not in by_overlays)
        ]
        by_overlays.update((f.code, f.path, f.span, f.claim) for f in one.findings if f.path != own)
    return judged


def _observations(document: Document, history: str) -> Observations | None:
    """Return what the history store has for the cluster a document configures; None if the cluster is unknown."""
    from flink_flint.linter.model.observations import open_store  # imported only when there is a history

    return open_store(history).of(document.values(), document.name)


def _check_words(found: FlintConfigFile, flint_config: FlintConfig, options: Options) -> None:
    """Raise ValueError, naming the flint configuration file, for an invalid value that affects this run."""
    version = None if options.flink_version else flint_config.flink_version
    selectors = flint_config.extend_select + tuple(selector for selector, _ in flint_config.severity)
    if not options.select:
        selectors += flint_config.select + flint_config.ignore
    try:
        _check_these(version, selectors if options.rules else ())
        if flint_config.thresholds and options.rules:
            _check_thresholds(flint_config.thresholds)
    except ValueError as error:
        raise located(found.path, error) if found.path else error from None


@cache
def _check_these(version: str | None, selectors: tuple[str, ...]) -> None:
    word = ""
    try:
        if version:
            word = version
            target_from_version(version, "flint.toml")
        for word in selectors:
            codes_of(word)
    except ValueError as error:
        raise FlintConfigError(str(error), word) from None


def _check_thresholds(thresholds: Mapping[str, Mapping[str, object]]) -> None:
    for word, chosen in thresholds.items():
        declaration = registry().find(word)
        if declaration is None:
            try:
                codes_of(word)
            except ValueError as error:
                raise FlintConfigError(str(error), "thresholds", word) from None
            message = f"thresholds.{word}: set thresholds for one rule, by its name or code"
            raise FlintConfigError(message, "thresholds", word)
        declared = declaration.load().thresholds
        for name, value in chosen.items():
            if name not in declared:
                known = f"has {', '.join(declared)}" if declared else "has none"
                message = f"thresholds.{word}.{name}: no such threshold; {declaration.name} {known}"
                raise FlintConfigError(message, "thresholds", word, name)
            try:
                declared[name].read(value)
            except ValueError as refused:
                raise FlintConfigError(f"thresholds.{word}.{name}: {refused}", "thresholds", word, name) from None


def selection(options: Options, flint_config: FlintConfig) -> frozenset[str]:
    """Return the identities of the rules to run; raise ValueError for a selector that matches no rule."""
    if not options.rules:
        return frozenset()
    return select_codes(
        options.select or flint_config.select,
        (*flint_config.extend_select, *options.extend_select),
        (*(() if options.select else flint_config.ignore), *options.ignore),
        flint_config.own.union(rule.identity for rule in _plugin_rules(flint_config.plugins)),
    )


def ignored_codes(options: Options, flint_config: FlintConfig) -> frozenset[str]:
    """Return the codes of the rules excluded only by `ignore` in flint's configuration, to count their findings."""
    if options.select or not flint_config.ignore or not options.ignores:
        return frozenset()
    return selection(options, flint_config._replace(ignore=())) - selection(options, flint_config)


# -- one document


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


def _project_rules(views: _Views, codes: frozenset[str]) -> frozenset[str]:
    """Return the rules of scope "project" that a document triggers."""
    return project_rules_called(views.document, codes, views.target.platform)


def _crash(declaration: Declaration, view: View, error: Exception) -> Finding:
    """Return the finding that reports a crashed rule."""
    rule = registry().by_name["internal-error"].load()
    view.rule = rule
    return next(iter(rule.check(view, declaration.code, error) or ()))


# -- the project


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
    called = sorted(frozenset().union(*(one.project_codes for one in judged)))
    if not called:
        return False
    chosen = [selection(options, one.flint_config) | one.ignored for one in judged]
    members = [Member(one.target, partial(_view_of, one)) for one in judged]
    owners = {(one.document.path, one.document.name): one for one in judged}
    crashed = False
    for declaration in map(registry().by_identity.__getitem__, called):
        if declaration.several and (len(judged) if compared is None else compared.number) < 2:
            continue
        paths = None if compared is None else compared.of(declaration.identity)
        if paths is not None and not any(
            declaration.identity in one.project_codes for one in judged if one.document.path in paths
        ):
            continue
        own = [
            member
            for member, codes, one in zip(members, chosen, judged, strict=True)
            if declaration.identity in codes and (paths is None or one.document.path in paths)
        ]
        own = [member for member in own if member.target.inside(declaration.flink)]
        rule = declaration.load()
        try:
            found = evaluate_project(rule, own)
        except Exception as error:
            views = [member.at(member.target.indices[-1], declaration.flink) for member in own]
            enabled = [view for view in views if declaration.identity not in owners[_owner(view)].ignored]
            found = [_crash(declaration, enabled[0], error)] if enabled else []
            crashed |= bool(enabled)
        for finding in found:
            owner = owners[finding.path, finding.document]
            if declaration.of_scale and owner.target.profile == "development" and finding.code == declaration.code:
                finding.severity = Severity.INFO
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


# -- the change


def _judge_changes(judged: list[Judged], earlier: Earlier, options: Options) -> bool:
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


# -- what is reported


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
