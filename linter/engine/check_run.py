"""Runs a check: reads files, evaluates rules on them, and collects the findings in a report.

Read files -> documents -> evaluate rules on each document (those its keys trigger, for each possible release) ->
evaluate project rules -> suppressions, severities -> locations for the reports. Documents are checked independently, so
that they can be distributed to processes; the result does not depend on the number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import FlintConfig, Link
from flink_flint.linter.engine.chosen_rules import check_words, ignored_codes, register, selection
from flink_flint.linter.engine.discovery import AnySource, Problem, Skipped, Source
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.judging import Earlier, judge_changes, judge_document, judge_project, target_for
from flink_flint.linter.engine.locations import locate
from flink_flint.linter.engine.operator_release import set_configured_operator
from flink_flint.linter.engine.reported_findings import finish
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.engine.selection import project_rules
from flink_flint.linter.filesystem.folders import CHART, KUSTOMIZATIONS, TEMPLATES, VALUES, absolute_path, names_in
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.formats.purpose import TEST, UNBUILT, is_in_tests, set_purpose
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.model.document import Document, empty_document
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.layers import ALONE, Relation, relate
from flink_flint.linter.model.suppressions import Silenced
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.engine.compared_files import ComparedFiles, Scope
    from flink_flint.linter.engine.comparison_result import Comparison
    from flink_flint.linter.engine.planning.planned_documents import Planning
    from flink_flint.linter.engine.project_files import Named
    from flink_flint.linter.engine.rendering.rendered_documents import RenderedDocuments
    from flink_flint.linter.engine.rendering.renderings import Memory

FILES_WORTH_A_PROCESS = 400
"""The minimum number of files for which a second process saves time."""

TESTS = "tests"
EXCLUDED = "excluded from the build"
"""The reason reported for not checking test files."""

NOT_RENDERED = "template without values"
"""The reason reported for not checking a template that cannot be read until it is rendered."""


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
    """The checked documents of the unnamed files in the projects that contain the named files."""
    originals: Mapping[str, Sequence[Document]] = {}
    """The source documents of files that are checked as rendered, by path; fixes are applied to these documents."""
    rendered: Sequence[Judged] = ()
    """The checked documents of rendered charts and kustomizations, with the paths of the renderings."""
    comparison: Comparison | None = None
    """The comparison with a base revision, after which only new findings are reported; None if there was none."""

    @property
    def suppressed(self) -> dict[str, int]:
        """The number of suppressed findings per kind of suppression: ``comment``, ``baseline`` and ``flint_toml``."""
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
        """The number of Flink files that were not read; if it is not 0, the result is incomplete."""
        return len(self.problems) + sum(one.is_unread for one in self.skipped)


class Steps(NamedTuple):
    """The functions with which a run reads files and checks documents; a server passes functions that use caches."""

    read: Callable[[AnySource, Options], list[tuple[Document, FlintConfig]]]
    """The function that returns the documents of a file and their configuration, like `documents_of`."""
    judge: Callable[..., Judged]
    """The function that runs the rules on a document, like `judge_document`; the run modifies the returned findings."""
    locates: bool = True
    """Whether the run adds lines, columns and excerpts to findings and masks secrets in them."""


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
        rendered = rendered_of(
            readable, options.by_programs, options.unsaved, options.without_deployments,
            remembers=options.remembers,
        )  # fmt: skip
    if steps is None and is_divided(readable, options, processes):
        judged, compared = _judge_in_processes(readable, options, processes, rendered), None
    else:
        judged, compared = _judge_all(readable, options, steps or Steps(documents_of, judge_document), rendered)
    crashed = any(one.crashed for one in judged)
    crashed |= judge_project(judged, options, compared)
    named = _named(options, readable)
    if earlier is not None:
        crashed |= judge_changes(judged, earlier, options)
    as_rendered: list[Judged] = []
    if rendered is not None:
        as_rendered = [one for one in judged if one.document.path in rendered.paths]
        judged = rendered.moved(
            judged, partial(_config_for, options=options), partial(target_for, options=options), readable
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
    left_out = {one.document.path: one.document.purpose for one in judged if one.document.is_left_out}
    skipped = [Skipped(path, EXCLUDED if purpose == UNBUILT else TESTS) for path, purpose in sorted(left_out.items())]
    failed = rendered.failed if rendered is not None else []
    listed = files.keys() | {one.path for one in failed}
    skipped += [Skipped(one.path, NOT_RENDERED) for one in readable if one.path not in listed and is_template_of(one)]
    skipped += failed
    originals = rendered.originals if rendered is not None else {}
    number = len(readable) - len(left_out)
    return Report(findings, judged, problems, number, silenced, crashed, skipped, around, originals, as_rendered)


def rendered_of(
    sources: Sequence[AnySource],
    by_programs: bool | None = False,
    unsaved: Mapping[str, bytes] | None = None,
    without_deployments: Mapping[str, Set[str]] | None = None,
    *,
    remembers: bool = False,
) -> RenderedDocuments | None:
    """Return the documents rendered from charts and kustomizations; None if there are none.

    The parameters are those of `renderings_of`; with `remembers`, its memory is in the user's cache directory. Without
    any chart or kustomization near the files, nothing is imported.
    """
    if not may_be_rendered(source.path for source in sources):
        return None
    from flink_flint.linter.engine.rendering.renderings import renderings_of

    memory: Memory | None = None
    if remembers:
        from flink_flint.linter.engine.rendering import remembered_renderings

        memory = remembered_renderings.MEMORY
    found = renderings_of(
        sources, by_programs=by_programs, unsaved=unsaved or {}, without_deployments=without_deployments or {},
        memory=memory,
    )  # fmt: skip
    if found is None:
        return None
    from flink_flint.linter.engine.rendering.rendered_documents import RenderedDocuments

    return RenderedDocuments(found)


def may_be_rendered(paths: Iterable[str]) -> bool:
    """Return whether any of the files is inside the folder of a chart or kustomization, at any depth.

    A folder with values and templates is a chart, too, if its Chart.yaml is elsewhere.
    """
    seen: set[str] = set()
    for path in paths:
        for folder in folders_up(os.path.dirname(absolute_path(path))):
            if folder in seen:
                break
            seen.add(folder)
            names = names_in(folder)
            if not names.isdisjoint((CHART, *KUSTOMIZATIONS)):
                return True
            if VALUES in names and names_in(os.path.join(folder, TEMPLATES)):
                return True
    return False


_DECIDING = (".yaml", ".yml", ".tpl")
"""Endings of names of files that may be values or templates, wherever the chart is."""


def may_decide(path: str) -> bool:
    """Return whether a file may be an input of a chart or kustomization, even if it is not a Flink file itself."""
    return path.endswith(_DECIDING) or may_be_rendered([path])


def _named(options: Options, sources: Iterable[AnySource] = ()) -> Named | None:
    if options.named is None:
        return None
    from flink_flint.linter.engine.project_files import Named

    return Named(options.named, {absolute_path(source.path) for source in sources} - options.named)


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
    """Return whether the check of the files is divided among several processes."""
    if options.named is not None or options.planning is not None or len(sources) < 2:
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
    return _judge_read(read, options, steps, rendered)


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
    relations = relations_of([one.document for one in judged], options, rendered)
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
        _describe([document], NOTHING, flint_config, include_tests=options.include_tests or flint_config.include_tests)
        read.append((document, flint_config))
    return read


def _judge_read(
    read: Sequence[tuple[Document, FlintConfig]],
    options: Options,
    steps: Steps,
    rendered: RenderedDocuments | None = None,
) -> tuple[list[Judged], ComparedFiles | None]:
    """Judge documents with their relations.

    If only some files are named, those are judged that may have findings in which a named file takes part, and what is
    `rendered`; with the others that rules compare with them, they are returned.
    """
    documents = [document for document, _ in read]
    relations = relations_of(documents, options, rendered)
    named = _named(options)
    if options.planning is not None:
        _add_plans(read, relations, options, options.planning, named)
    if named is None:
        judged = [steps.judge(*one, options, relations.get(place, ALONE)) for place, one in enumerate(read)]
        return reported_once(judged, relations), None
    scope = scope_of(read, relations, options, named, frozenset() if rendered is None else rendered.paths)
    places = [place for place, document in enumerate(documents) if document.path in scope.kept]
    judged = []
    for place in places:
        is_judged = documents[place].path in scope.judged
        judged.append(steps.judge(*read[place], options, relations.get(place, ALONE), is_judged=is_judged))
    related = [number for number, place in enumerate(places) if place in relations]
    return reported_once(judged, related), scope.compared


def _add_plans(
    read: Sequence[tuple[Document, FlintConfig]],
    relations: Mapping[int, Relation],
    options: Options,
    planning: Planning,
    named: Named | None,
) -> None:
    """Plan the named SQL scripts, and add what the planner says to their documents."""
    from flink_flint.linter.engine.planning.planned_documents import ToPlan, is_script

    scripts = []
    for place, (document, flint_config) in enumerate(read):
        if not is_script(document.file_format) or document.is_left_out:
            continue
        if named is not None and document.path not in named:
            continue
        relation = relations.get(place, ALONE)
        below = {entry.key: entry.text for one in relation.below for entry in one.entries}
        scripts.append(ToPlan(document, target_for(document, flint_config, options, relation), below))
    if scripts:
        planning.add_plans(scripts)


def scope_of(
    read: Sequence[tuple[Document, FlintConfig]],
    relations: Mapping[int, Relation],
    options: Options,
    named: Named,
    rendered: Collection[str] = (),
) -> Scope:
    """Return the files to check so that the rules that `options` select report all findings on the given files.

    The given files are the `named` and the `rendered` ones; the rules are those of scope "project".
    """
    from flink_flint.linter.engine.compared_files import scope_around

    documents = [document for document, _ in read]
    return scope_around(documents, relations, named, rendered, _project_rules_of(read, options))


def _project_rules_of(read: Iterable[tuple[Document, FlintConfig]], options: Options) -> set[str]:
    """Return the selected rules that compare documents."""
    settings = {(one.select, one.extend_select, one.ignore, one.own, one.plugins): one for _, one in read}
    chosen = [selection(options, one) | ignored_codes(options, one) for one in settings.values()]
    return {declaration.identity for codes in chosen for declaration in project_rules(codes)}


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
    found = options.flint_config_in(os.path.dirname(source.path))
    flint_config = found.for_path(source.path)
    if found.rules or found.plugins:
        register(found)
    check_words(found, flint_config, options)
    include_tests = options.include_tests or flint_config.include_tests
    if not include_tests and is_in_tests(source.path) and source.file_format.kind == "source":
        documents = [empty_document(source.path, source.file_format)]
    else:
        documents = source.documents()
    if documents:
        _describe(documents, source.evidence, flint_config, include_tests=include_tests)
    return [(document, flint_config) for document in documents]


def _describe(
    documents: Sequence[Document], evidence: Evidence, flint_config: FlintConfig, *, include_tests: bool
) -> None:
    """Set on the documents of a file what it is for, whether it is checked, and the evidence that it is Flink's.

    Custom resources get the release of the operator that is configured.
    """
    set_purpose(documents)
    for document in documents:
        set_configured_operator(document, flint_config)
        document.is_left_out = document.purpose == UNBUILT or (document.purpose == TEST and not include_tests)
        document.evidence = evidence


def relations_of(
    documents: list[Document], options: Options, rendered: RenderedDocuments | None = None
) -> dict[int, Relation]:
    """Return how each document relates to the other documents of a run, by its index in `documents`.

    Documents that are not checked are related to nothing. With what is `rendered`, values of a chart that no rendering
    contains are related to the workloads of the chart.
    """
    places = [place for place, document in enumerate(documents) if not document.is_left_out]
    found: dict[int, Relation] = {}
    if len(places) >= 2 or any(document.elements or document.has_another_name for document in documents):
        related = [documents[place] for place in places]
        found = {places[place]: relation for place, relation in relate(related, _links(related, options)).items()}
    if rendered is not None:
        for place in places:
            workloads = rendered.workloads_of(documents[place])
            if workloads is not None:
                found[place] = found.get(place, ALONE)._replace(workloads=workloads)
    return found


def _links(documents: list[Document], options: Options) -> list[Link]:
    """Return the links that the flint configuration of the files declares."""
    found = map(options.flint_config_in, {document.directory for document in documents})
    files = {file.path: file for file in found}
    return [link for path in sorted(files, key=str) for link in files[path].links]


def reported_once(judged: list[Judged], related: Iterable[int]) -> list[Judged]:
    """Remove the findings that overlays report in their base files if another document reports them too."""
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
