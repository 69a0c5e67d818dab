"""The files in the folders open in an editor, checked individually and together as `flint check` does.

The text in an editor replaces the file on disk. A file that has not changed is not read again, and a document is
checked again only if it or its relations to other files have changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.config import flint_config as flint_config
from flink_flint.linter.config.flint_config import FlintConfig, flint_config_for
from flink_flint.linter.engine import declarative_rules as declared
from flink_flint.linter.engine.check_run import (
    Options,
    documents_of,
    finish,
    judge_document,
    judge_project,
    relations_of,
    reported_once,
    scope_of,
)
from flink_flint.linter.engine.discovery import AnySource, Source, find, from_disk
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.engine.project_files import Named, files_around
from flink_flint.linter.engine.registry import confidence_of, registry
from flink_flint.linter.filesystem import folders
from flink_flint.linter.lsp.moving_findings import copied
from flink_flint.linter.lsp.open_document import Checked, source_of
from flink_flint.linter.model import sibling_files as sibling_files
from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.model.document import Document


class Canceled(Exception):  # noqa: N818 - it is not an error
    """Raised if a check is stopped because a file has changed and the result is no longer needed."""


class ProjectResults(NamedTuple):
    """The results of checking all files."""

    findings: dict[str, list[Finding]]
    """The findings to show in the editor, by path, after suppressions and baselines; secrets are not yet masked."""
    from_others: dict[str, list[Finding]]
    """The findings in `findings` that checking each file alone does not yield, by path."""
    judged: dict[str, list[Judged]]
    problems: list[str]


def _never() -> bool:
    return False


class _Known(NamedTuple):
    source: AnySource
    read: list[tuple[Document, FlintConfig]]


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
    )


class Project:
    """The open folders, and the open files outside of them. It is used by one thread at a time."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._known: dict[str, _Known] = {}
        self._judged: dict[int, tuple[Judged, tuple[object, ...]]] = {}
        self._relations: dict[str, dict[str | None, Relation]] = {}
        """The relations of documents to others by path and document name, as of the last check of all files."""
        self._paths_around: set[str] = set()
        """The files that the last check of all read around the open folders and files."""
        self._is_over: Callable[[], bool] = _never

    def forget(self) -> None:
        """Discard everything cached, so that all files are read and checked again."""
        self._known, self._judged, self._relations = {}, {}, {}
        forget_files()

    def check(self, path: str, buffer: Buffer, others: Sequence[Finding] = ()) -> Checked:
        """Check one open file, with the last known relations of its documents to other files.

        `others` are findings of other files on this one, to be shown with its own. Raises ValueError for an invalid
        `flint.toml` or baseline.
        """
        source = None if is_excluded(path) else source_of(path, buffer.text)
        if source is None:
            return Checked(buffer)
        options = options_for(path)
        read = self._read(source, options)
        documents = {document.name: document for document, _ in read}
        judged = [
            self._judge(document, chosen, options, self._relation_of(document, documents)) for document, chosen in read
        ]
        own = [one for one in finish(judged, options)[0] if one.path == path] if judged else []
        _prepare_mask(judged)
        return Checked(buffer, judged, shown([*own, *others], path))

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
        self._paths_around = set()
        result = ProjectResults({}, {}, {}, [])
        left = dict(texts)
        for folder in self.folders:
            found = flint_config_for(folder)
            sources: dict[str, Source] = {}
            for one in find([folder], exclude=found.exclude, root=found.folder, read_ignores=self._ignore_file):
                if isinstance(one, Source):
                    sources[os.path.abspath(one.path)] = one._replace(path=os.path.abspath(one.path))
                else:
                    result.problems.append(f"{one.path}: {one.message}")
            for path in [path for path in left if _is_in(path, folder)]:
                sources.pop(path, None)
                sources |= _open_source(path, left.pop(path))
            self._check_files(list(sources.values()), options_for(folder), result, self._around(folder, sources, texts))
        for path, text in left.items():
            opened = _open_source(path, text)
            self._check_files(list(opened.values()), options_for(path), result, self._around(path, opened, texts))
        used = {*result.judged, *self._paths_around}
        self._known = {path: known for path, known in self._known.items() if path in used}
        kept = {id(one.document) for judged in result.judged.values() for one in judged}
        self._judged = {place: known for place, known in self._judged.items() if place in kept}
        self._relations = {
            path: {one.document.name: one.relation for one in judged} for path, judged in result.judged.items()
        }
        for path, findings in result.findings.items():
            result.findings[path] = shown(findings, path)
        for path in texts:
            _prepare_mask(result.judged.get(path, []))
        return result

    def _around(self, place: str, sources: Mapping[str, Source], texts: Mapping[str, str]) -> list[AnySource]:
        """Return the other files of the project around a folder or file, as a check that names it reads them."""
        if not sources or not os.path.isabs(place):
            return []
        found = files_around(sources.keys(), [place])
        around: list[AnySource] = []
        for source in found.sources:
            if source.path in texts:
                around += _open_source(source.path, texts[source.path]).values()
            else:
                around.append(source)
        for source in around:
            self._go_on()
            self._read(source, options_for(source.path))
        found.save()
        self._paths_around.update(source.path for source in around)
        return around

    def _ignore_file(self, path: str) -> bytes | None:
        # Discovery calls this for every folder, so a long walk is canceled as well.
        self._go_on()
        return from_disk(path)

    def _check_files(
        self, sources: list[Source], options: Options, result: ProjectResults, around: Sequence[AnySource] = ()
    ) -> None:
        """Check files; of those `around` them, only findings in which one of the files takes part are results."""
        named = Named(frozenset(os.path.abspath(source.path) for source in sources)) if around else None
        everything: list[AnySource] = sorted([*sources, *around], key=lambda source: source.path)
        read: list[tuple[Document, FlintConfig]] = []
        for source in everything:
            self._go_on()
            read += self._read(source, options)
        related = relations_of([document for document, _ in read], options)
        scope = None if named is None else scope_of(read, related, options, named)
        judged: list[Judged] = []
        relations: list[int] = []
        for place, (document, chosen) in enumerate(read):
            if scope is not None and document.path not in scope.kept:
                continue
            self._go_on()
            relation = related.get(place, ALONE)
            if place in related:
                relations.append(len(judged))
            if scope is None or document.path in scope.judged:
                judged.append(self._judge(document, chosen, options, relation))
            else:
                judged.append(judge_document(document, chosen, options, relation, is_judged=False))
        reported_once(judged, relations)
        own = [len(one.findings) for one in judged]
        judge_project(judged, options, None if scope is None else scope.compared)
        from_project = {id(finding) for one, count in zip(judged, own, strict=True) for finding in one.findings[count:]}
        files: dict[str, list[Judged]] = {source.path: [] for source in sources}
        for one in judged:
            files.setdefault(one.document.path, []).append(one)
        for path, members in files.items():
            is_around = named is not None and path not in named
            if is_around and not any(named.takes_part(finding) for one in members for finding in one.findings):  # type: ignore[union-attr]
                continue
            if not is_around:
                result.judged[path] = members
                result.findings.setdefault(path, [])
            for finding in finish(members, options)[0] if members else ():
                if named is not None and not named.takes_part(finding):
                    continue
                result.findings.setdefault(finding.path, []).append(finding)
                if finding.path != path or id(finding) in from_project:
                    result.from_others.setdefault(finding.path, []).append(finding)

    def _go_on(self) -> None:
        if self._is_over():
            raise Canceled

    def _read(self, source: AnySource, options: Options) -> list[tuple[Document, FlintConfig]]:
        known = self._known.get(source.path)
        if known is None or known.source != source:
            known = self._known[source.path] = _Known(source, documents_of(source, options))
        return known.read

    def _judge(self, document: Document, chosen: FlintConfig, options: Options, relation: Relation) -> Judged:
        """Check a document unless the result is cached, and return copies of its findings, because reporting changes
        them."""
        basis = (chosen, options, *_identity(relation))
        known = self._judged.get(id(document))
        if known is None or known[0].document is not document or known[1] != basis:
            known = judge_document(document, chosen, options, relation), basis
            self._judged[id(document)] = known
        return known[0]._replace(findings=[copied(finding) for finding in known[0].findings])


def _open_source(path: str, text: str) -> dict[str, Source]:
    """Return an open file by its path; empty if it is excluded or not a Flink file."""
    source = None if is_excluded(path) else source_of(path, text)
    return {} if source is None else {path: source}


def _prepare_mask(judged: Sequence[Judged]) -> None:
    """Find the secrets of an open file in advance, because that takes a while for a long one."""
    if judged:
        mask_of(*(one.document for one in judged))


def _identity(relation: Relation) -> tuple[object, ...]:
    """Return a key that equal relations share: the document objects and the contents of the relation."""
    related = (relation.below, relation.beside, relation.above, relation.arguments, relation.services,
               (relation.dockerfile,))  # fmt: skip
    documents = (tuple(map(id, members)) for members in related)
    mounts = tuple((id(one.document), one.container, one.path, one.is_read) for one in relation.mounts)
    return (*documents, mounts, relation.release, relation.platform, tuple(relation.why.items()), relation.profile,
            relation.is_mounted)  # fmt: skip


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
    """Return the findings on a file that its baseline does not accept; raise ValueError for a broken baseline."""
    found = flint_config_for(path)
    named = found.baseline
    if named is None:
        return findings
    from flink_flint.linter.engine.baseline import compare, read_baseline

    baseline = read_baseline(os.path.join(found.folder, named))
    comparison = compare(findings, baseline.entries, baseline.folder)
    return [*comparison.new, *(finding for finding, _ in comparison.grown)]
