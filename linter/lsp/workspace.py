"""Checks the files in an editor's open folders, individually and together as `flint check` does.

The text in an editor replaces the file on disk. A file that has not changed is not read again, and a document is
checked again only if it or its relations to other files have changed. What charts and kustomizations render to is only
checked together; until then the findings of the last check move with the text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.config import flint_config as flint_config
from flink_flint.linter.config.flint_config import FlintConfig, flint_config_for
from flink_flint.linter.engine import declarative_rules as declared
from flink_flint.linter.engine.check_run import Report, Steps, check, documents_of, may_be_rendered, may_decide
from flink_flint.linter.engine.discovery import AnySource, Source, find, from_disk
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.judging import judge_document
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.engine.project_files import files_around
from flink_flint.linter.engine.registry import confidence_of, registry
from flink_flint.linter.engine.reported_findings import finish
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.filesystem import folders
from flink_flint.linter.lsp.moving_findings import copied
from flink_flint.linter.lsp.open_document import Checked, source_of
from flink_flint.linter.model import sibling_files as sibling_files
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer


class Canceled(Exception):  # noqa: N818 - it is not an error
    """Raised if a check is stopped because a file has changed and the result is no longer needed."""


class ProjectResults(NamedTuple):
    """The results of checking all files."""

    findings: dict[str, list[Finding]]
    """The findings to show in the editor, by path, after suppressions and baselines; secrets are not yet masked."""
    from_others: dict[str, list[Finding]]
    """The findings in `findings` that are not found when each file is checked alone, by path."""
    judged: dict[str, list[Judged]]
    """The checked documents of each file as written, not as rendered by a chart or kustomization, by path."""
    problems: list[str]
    rendered: set[str]
    """The paths of the files that are checked as rendered instead of as written."""


def _never() -> bool:
    return False


class _Known(NamedTuple):
    source: AnySource
    read: list[tuple[Document, FlintConfig]]


class _Run(NamedTuple):
    """What was checked together."""

    sources: list[AnySource]
    options: Options


_OF_WHOLE_FILES = ("judged-in-part", "unused-suppression")
"""Rules about a file and all of its findings."""


def forget_files() -> None:
    """Clear the caches of build files, `flint.toml` and the like, because one of them may have changed."""
    folders.forget()
    _dismiss_rules()


def _dismiss_rules() -> None:
    """Unregister users' rules; a check registers those that a `flint.toml` declares then."""
    known = registry()
    for rules in declared.DECLARED.values():
        for rule in rules:
            if known.own.get(rule.identity) is rule:
                known.unregister(rule)
    declared.DECLARED.clear()


def options_for(path: str) -> Options:
    """Return the options for checking a file or folder; raise ValueError for an invalid `flint.toml`."""
    found = flint_config_for(path)
    values = found.values
    history = values.get("history")
    return Options(
        min_confidence=confidence_of(values.get("min-confidence", Confidence.LOW.word)),
        history=os.path.join(found.folder, history) if history is not None else None,
        renders=True,
    )


class Project:
    """The open folders, and the open files outside of them. It is used by one thread at a time."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._known: dict[str, _Known] = {}
        self._judged: dict[int, tuple[Judged, tuple[object, ...]]] = {}
        self._used: set[int] = set()
        """The documents that the current check of all files has judged."""
        self._relations: dict[str, dict[str | None, Relation]] = {}
        """The relations of documents to others by path and document name, as of the last check of all files."""
        self._by_themselves: dict[str, frozenset[str | None] | None] = {}
        """By path, the names of the documents that nothing is rendered from, as of the last check of all files.

        None means all of them."""
        self._runs: list[_Run] = []
        """What the last check of all files has checked."""
        self._is_over: Callable[[], bool] = _never

    def forget(self) -> None:
        """Discard everything cached, so that all files are read and checked again."""
        self._known, self._judged, self._relations, self._by_themselves, self._runs = {}, {}, {}, {}, []
        forget_files()

    def check(self, path: str, buffer: Buffer, others: Sequence[Finding] = ()) -> Checked:
        """Check one open file, with the last known relations of its documents to other files.

        `others` are findings of other files on this one, and on what is rendered from it, to be shown with its own.
        Raises ValueError for an invalid `flint.toml` or baseline.
        """
        source = None if is_excluded(path) else source_of(path, buffer.text)
        is_known = path in self._by_themselves
        names = self._by_themselves.get(path)
        is_preliminary = not is_known and os.path.isabs(path) and may_be_rendered([path])
        if source is None:
            return Checked(buffer, (), shown([*others], path), is_known and names is not None, is_preliminary)
        options = options_for(path)
        read = self.read(source, options)
        documents = {document.name: document for document, _ in read}
        judged = [
            self.judge(
                document, chosen, options, self._relation_of(document, documents),
                is_judged=names is None or document.name in names,
            )
            for document, chosen in read
        ]  # fmt: skip
        own = [one for one in judged if names is None or one.document.name in names]
        found = [one for one in finish(own, options)[0] if one.path == path] if own else []
        if names is not None:
            found = [one for one in found if one.rule not in _OF_WHOLE_FILES]
        _prepare_mask(judged)
        return Checked(buffer, judged, shown([*found, *others], path), names is not None, is_preliminary)

    def _relation_of(self, document: Document, own: Mapping[str | None, Document]) -> Relation:
        """Return the last known relation of a document to others; `own` are the current documents of its own file."""
        relation = self._relations.get(document.path, {}).get(document.name, ALONE)

        def now(members: Sequence[Document]) -> tuple[Document, ...]:
            return tuple(own.get(one.name, one) if one.path == document.path else one for one in members)

        if relation is ALONE:
            return ALONE
        mounts = tuple(
            one if one.document is None else one._replace(document=now([one.document])[0]) for one in relation.mounts
        )
        return relation._replace(
            below=now(relation.below), beside=now(relation.beside), above=now(relation.above), mounts=mounts,
            arguments=now(relation.arguments), services=now(relation.services),
        )  # fmt: skip

    def check_all(self, texts: Mapping[str, str], is_over: Callable[[], bool] = _never) -> ProjectResults:
        """Check all files, using `texts` (by path) instead of the files on disk.

        Raises Canceled as soon as `is_over` returns true; what was read and checked until then is cached. Raises
        ValueError for an invalid `flint.toml` or baseline.
        """
        self._is_over = is_over
        self._used = set()
        result = ProjectResults({}, {}, {}, [], set())
        runs, self._runs = self._runs, []
        left = dict(texts)
        try:
            for folder in self.folders:
                sources = self._found(folder, result)
                opened = [path for path in left if _is_in(path, folder)]
                for path in opened:
                    sources.pop(path, None)
                    sources |= _open_source(path, left.pop(path))
                self._check_files(folder, sources, opened, texts, result)
            for path, text in left.items():
                self._check_files(path, _open_source(path, text), [path], texts, result)
        except Canceled:
            self._runs = runs
            raise
        read = {source.path for run in self._runs for source in run.sources}
        self._known = {path: known for path, known in self._known.items() if path in read}
        self._judged = {place: known for place, known in self._judged.items() if place in self._used}
        for path, findings in result.findings.items():
            result.findings[path] = shown(findings, path)
        for path in texts:
            _prepare_mask(result.judged.get(path, []))
        return result

    def _found(self, folder: str, result: ProjectResults) -> dict[str, Source]:
        """Return the files of a folder on the disk by path."""
        found = flint_config_for(folder)
        sources: dict[str, Source] = {}
        for one in find([folder], exclude=found.exclude, root=found.folder, read_ignores=self._ignore_file):
            if isinstance(one, Source):
                sources[os.path.abspath(one.path)] = one._replace(path=os.path.abspath(one.path))
            else:
                result.problems.append(f"{one.path}: {one.message}")
        return sources

    def _around(self, place: str, named: Collection[str], texts: Mapping[str, str]) -> list[AnySource]:
        """Return the other files of the project around a folder or file, as a check that names it reads them."""
        if not named or not os.path.isabs(place):
            return []
        found = files_around(named, [place])
        around: list[AnySource] = []
        for source in found.sources:
            if source.path in texts:
                around += _open_source(source.path, texts[source.path]).values()
            else:
                around.append(source)
        for source in around:
            self.go_on()
            self.read(source, options_for(source.path))
        found.save()
        return around

    def _ignore_file(self, path: str) -> bytes | None:
        # Discovery calls this for every folder, so a long walk is canceled as well.
        self.go_on()
        return from_disk(path)

    def _check_files(
        self, place: str, sources: Mapping[str, Source], opened: Sequence[str], texts: Mapping[str, str],
        result: ProjectResults,
    ) -> None:  # fmt: skip
        """Check the files of a folder or the one at a place, of which some are `opened`.

        Of those around them, only findings in which one of the files takes part are results.
        """
        named = {*sources, *(path for path in opened if may_decide(path))}
        around = self._around(place, named, texts)
        read = {*sources, *(source.path for source in around)}
        options = options_for(place)._replace(
            renders=os.path.isabs(place),
            unsaved={path: text.encode("utf-8", "replace") for path, text in texts.items() if path not in read},
            named=frozenset({*named, *([os.path.join(place, "")] if os.path.isdir(place) else ())}) if around else None,
        )
        run = _Run([*sources.values(), *around], options)
        self._runs.append(run)
        recorder = _Recorder(self)
        report = check(run.sources, options, steps=Steps(recorder.read, recorder.judge, locates=False))
        self._add(report, recorder, around, result)

    def _add(self, report: Report, recorder: _Recorder, around: Sequence[AnySource], result: ProjectResults) -> None:
        """Add the results of a run, and remember what checking one of its files needs."""
        are_around = {source.path for source in around}
        rendered: dict[str, list[Judged]] = {}
        for one in report.documents:
            rendered.setdefault(one.document.path, []).append(one)
        for path, documents in recorder.documents.items():
            if path in are_around:
                continue
            judged = [recorder.judged.get(id(document)) for document, _ in documents]
            is_whole = None not in judged
            names = frozenset(one.document.name for one in judged if one is not None)
            self._by_themselves[path] = None if is_whole else names
            self._relations[path] = {one.document.name: one.relation for one in judged if one is not None}
            result.judged[path] = [
                known or self._unjudged(*one, rendered.get(path, ()), options=options_for(path))
                for known, one in zip(judged, documents, strict=True)
            ]
            result.findings.setdefault(path, [])
            if not is_whole:
                result.rendered.add(path)
        for path, members in rendered.items():
            if path not in recorder.documents:
                self._by_themselves[path] = frozenset()
                result.judged[path] = members
                result.rendered.add(path)
        for finding in report.findings:
            result.findings.setdefault(finding.path, []).append(finding)
            is_own = id(finding) in recorder.own
            if finding.rule in _OF_WHOLE_FILES:
                is_own = finding.path not in result.rendered
            if not is_own:
                result.from_others.setdefault(finding.path, []).append(finding)

    def _unjudged(
        self, document: Document, chosen: FlintConfig, rendered: Sequence[Judged], options: Options
    ) -> Judged:
        """Return a document that is judged as rendered, for the release that it is rendered for."""
        judged = judge_document(document, chosen, options, ALONE, is_judged=False)
        return judged.with_target(rendered[0].target) if rendered else judged

    def report_with(self, source: Source) -> Report:
        """Return the report of `flint check` on an edited file, with the other files as of the last check of all."""
        run = self._run_of(source.path)
        if run is None:
            return check([source], options_for(source.path), steps=_STEPS)
        others = [one for one in run.sources if one.path != source.path]

        def read(one: AnySource, options: Options) -> list[tuple[Document, FlintConfig]]:
            return documents_of(one, options) if one is source else self.read(one, options)

        options = run.options._replace(named=frozenset([source.path]))
        return check([*others, source], options, steps=Steps(read, self.judge, locates=False))

    def with_others(self, source: Source) -> tuple[list[Source], Options]:
        """Return a file and the other files of its project, and the options for applying fixes to them."""
        run = self._run_of(source.path)
        if run is None:
            return [source], options_for(source.path)
        others = [
            Source(one.path, one.data, one.file_format, one.evidence) for one in run.sources if one.path != source.path
        ]
        return [source, *others], run.options._replace(named=frozenset([source.path]))

    def _run_of(self, path: str) -> _Run | None:
        return next((run for run in self._runs if any(source.path == path for source in run.sources)), None)

    def go_on(self) -> None:
        """Raise Canceled if the result of the current check is no longer needed."""
        if self._is_over():
            raise Canceled

    def read(self, source: AnySource, options: Options) -> list[tuple[Document, FlintConfig]]:
        """Return the documents of a file, each with its configuration; an unchanged file is not read again."""
        known = self._known.get(source.path)
        if known is None or known.source != source:
            known = self._known[source.path] = _Known(source, documents_of(source, options))
        return known.read

    def judge(
        self, document: Document, chosen: FlintConfig, options: Options, relation: Relation, *, is_judged: bool = True
    ) -> Judged:
        """Check a document unless its result is cached; return copies of findings, because reporting changes them."""
        options = options._replace(renders=False, unsaved={}, named=None)
        if not is_judged:
            return judge_document(document, chosen, options, relation, is_judged=False)
        basis = (chosen, options, _identity(relation))
        known = self._judged.get(id(document))
        if known is None or known[0].document is not document or known[1] != basis:
            known = judge_document(document, chosen, options, relation), basis
            self._judged[id(document)] = known
        self._used.add(id(document))
        return known[0].with_findings([copied(finding) for finding in known[0].findings])


class _Recorder:
    """Reads and judges what a project remembers, and records which documents and findings that yields."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.documents: dict[str, list[tuple[Document, FlintConfig]]] = {}
        """The documents of each file as they are read."""
        self.judged: dict[int, Judged] = {}
        """The documents that are judged by themselves, by identity."""
        self.own: set[int] = set()
        """The findings of documents in their own files, by identity."""
        self._read: set[int] = set()

    def read(self, source: AnySource, options: Options) -> list[tuple[Document, FlintConfig]]:
        """Return the documents of a file."""
        self._project.go_on()
        read = self.documents[source.path] = self._project.read(source, options)
        self._read.update(id(document) for document, _ in read)
        return read

    def judge(
        self, document: Document, chosen: FlintConfig, options: Options, relation: Relation, *, is_judged: bool = True
    ) -> Judged:
        """Return a document with what its rules find."""
        self._project.go_on()
        judged = self._project.judge(document, chosen, options, relation, is_judged=is_judged)
        if id(document) in self._read:
            self.judged[id(document)] = judged
            self.own.update(id(finding) for finding in judged.findings if finding.path == document.path)
        return judged


_STEPS = Steps(documents_of, judge_document, locates=False)


def _open_source(path: str, text: str) -> dict[str, Source]:
    """Return an open file by its path; empty if it is excluded or not a Flink file."""
    source = None if is_excluded(path) else source_of(path, text)
    return {} if source is None else {path: source}


def _prepare_mask(judged: Sequence[Judged]) -> None:
    """Find the secrets of an open file in advance, because that takes a while for a long one."""
    if judged:
        mask_of(*(one.document for one in judged))


def _identity(value: object) -> object:
    """Return a key that equal relations share: the document objects and the contents of a relation."""
    if isinstance(value, Document):
        return id(value)
    if isinstance(value, Mapping):
        return tuple(value.items())
    return tuple(map(_identity, value)) if isinstance(value, tuple) else value


def is_excluded(path: str) -> bool:
    """Return whether `flint.toml` excludes a file; raise ValueError for an invalid `flint.toml`."""
    found = flint_config_for(path)
    if not found.exclude:
        return False
    from flink_flint.linter.filesystem.gitignore import is_among

    return is_among(found.exclude, path, found.folder)


def _is_in(path: str, folder: str) -> bool:
    """Return whether a file is in a folder; an unsaved document, which only has a URI, is in none."""
    return os.path.isabs(path) and _same_drive(path, folder) and os.path.commonpath((path, folder)) == folder


def _same_drive(path: str, folder: str) -> bool:
    return os.path.splitdrive(path)[0] == os.path.splitdrive(folder)[0]


def shown(findings: list[Finding], path: str) -> list[Finding]:
    """Return the findings on a file that its baseline does not accept; raise ValueError for an invalid baseline."""
    found = flint_config_for(path)
    named = found.baseline
    if named is None:
        return findings
    from flink_flint.linter.engine.baseline import compare, read_baseline

    baseline = read_baseline(os.path.join(found.folder, named))
    comparison = compare(findings, baseline.entries, baseline.folder)
    return [*comparison.new, *(finding for finding, _ in comparison.grown)]
