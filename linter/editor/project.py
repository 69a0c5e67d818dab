"""The files of the folders that are open in an editor, judged together as `flint check` of the folders does.

What lies in a buffer counts instead of what is on disk. Files that are as they were are not read again, and documents
of which other files say what they said are not judged again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from linter import companions, declared, preferences, relations, target
from linter.discovery import Source, find
from linter.document import Document
from linter.editor.deferred import put_off
from linter.editor.findings import copied
from linter.engine import (
    Judged,
    Options,
    documents_of,
    finish,
    judge_document,
    judge_project,
    relations_of,
    told_once,
)
from linter.finding import Confidence, Finding
from linter.preferences import Preferences, preferences_for
from linter.registry import confidence_of, registry
from linter.relations import ALONE, Relation

_REMEMBERED = (
    companions._read, declared.own_rules, preferences._nearest, relations._module, relations._reaches,
    target._from_build_file, target._from_dockerfile, target.names_in,
)  # fmt: skip
"""What a run of the command reads but once of files that are no carriers."""


class Settled(NamedTuple):
    """What was found out about all files."""

    findings: dict[str, list[Finding]]
    """Path -> what is to be shown; levels and suppressions have been seen to, secrets not."""
    from_others: dict[str, list[Finding]]
    """Path -> those of them that the file alone does not tell."""
    documents: dict[str, list[Document]]
    relations: dict[str, dict[str | None, Relation]]
    """Path -> name of a document -> what others say of it."""
    problems: list[str]


class _Known(NamedTuple):
    source: Source
    read: list[tuple[Document, Preferences]]


def forget_files() -> None:
    """Forget what was read of build files, preferences and their like, as one of them may have changed."""
    for remembered in _REMEMBERED:
        remembered.cache_clear()
    _dismiss_rules()


def _dismiss_rules() -> None:
    """Make own rules unknown that their file declares no more, or in other words; their codes are free again."""
    former = [rule for rules in declared.DECLARED.values() for rule in rules]
    for path in list(declared.DECLARED):
        try:
            declared.own_rules(path)
        except ValueError:
            declared.DECLARED.pop(path)  # told where a file is judged by it
    kept = {id(rule) for rules in declared.DECLARED.values() for rule in rules}
    known = registry()
    for rule in former:
        if id(rule) not in kept and known.own.get(rule.code) is rule:
            known.declarations.remove(known.by_code.pop(rule.code))
            del known.by_name[rule.name], known.own[rule.code]


def options_for(path: str) -> Options:
    """What a check of a file or folder would be asked for there; raises ValueError for preferences nobody can use."""
    found = preferences_for(path)
    values = found.values
    history = values.get("history")
    return Options(
        min_confidence=confidence_of(values.get("min-confidence", Confidence.LOW.word)),
        history=os.path.join(found.folder, history) if history is not None else None,
    )


class Project:
    """The folders that are open, and the open files outside them."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._known: dict[str, _Known] = {}
        self._judged: dict[int, tuple[Judged, tuple[object, ...]]] = {}

    def forget(self) -> None:
        """Read and judge everything anew the next time."""
        self._known, self._judged = {}, {}
        forget_files()

    def settle(self, buffers: Mapping[str, Source | None]) -> Settled:
        """Judge all files, those of `buffers` as they are there; None in it is a file that is none of Flink's.

        Raises ValueError for preferences nobody can use.
        """
        settled = Settled({}, {}, {}, {}, [])
        left = dict(buffers)
        for folder in self.folders:
            found = preferences_for(folder)
            sources: dict[str, Source] = {}
            for one in find([folder], exclude=found.exclude, root=found.folder):
                if isinstance(one, Source):
                    sources[os.path.abspath(one.path)] = one._replace(path=os.path.abspath(one.path))
                else:
                    settled.problems.append(f"{one.path}: {one.message}")
            for path in [path for path in left if _is_in(path, folder)]:
                source = left.pop(path)
                if source is not None and not is_excluded(path):
                    sources[path] = source
                else:
                    sources.pop(path, None)
            self._settle(list(sources.values()), options_for(folder), settled)
        for path, source in left.items():
            if source is not None and not is_excluded(path):
                self._settle([source], options_for(path), settled)
        self._known = {path: known for path, known in self._known.items() if path in settled.documents}
        kept = {id(document) for documents in settled.documents.values() for document in documents}
        self._judged = {place: known for place, known in self._judged.items() if place in kept}
        return settled

    def _settle(self, sources: list[Source], options: Options, settled: Settled) -> None:
        sources.sort(key=lambda source: source.path)
        read = [one for source in sources for one in self._read(source, options)]
        documents = [document for document, _ in read]
        related = relations_of(documents, options)
        judged = [
            self._judge(document, chosen, options, related.get(place, ALONE))
            for place, (document, chosen) in enumerate(read)
        ]
        told_once(judged, related)
        own = [len(one.findings) for one in judged]
        judge_project(judged, options)
        from_project = {id(finding) for one, count in zip(judged, own, strict=True) for finding in one.findings[count:]}
        files: dict[str, list[Judged]] = {source.path: [] for source in sources}
        for one in judged:
            files[one.document.path].append(one)
        for path, members in files.items():
            settled.documents[path] = [one.document for one in members]
            settled.relations[path] = {one.document.name: one.relation for one in members if one.relation != ALONE}
            settled.findings.setdefault(path, [])
            for finding in finish(members, options)[0] if members else ():
                settled.findings.setdefault(finding.path, []).append(finding)
                if finding.path != path or id(finding) in from_project:
                    settled.from_others.setdefault(finding.path, []).append(finding)

    def _read(self, source: Source, options: Options) -> list[tuple[Document, Preferences]]:
        known = self._known.get(source.path)
        if known is None or known.source != source:
            known = self._known[source.path] = _Known(source, documents_of(source, options))
            for document, _ in known.read:
                put_off(document)
        return known.read

    def _judge(self, document: Document, chosen: Preferences, options: Options, relation: Relation) -> Judged:
        """A document judged, or what was said of it; with findings of its own, as a run changes them."""
        basis = (chosen, options, *_identity(relation))
        known = self._judged.get(id(document))
        if known is None or known[0].document is not document or known[1] != basis:
            known = judge_document(document, chosen, options, relation), basis
            self._judged[id(document)] = known
        return known[0]._replace(findings=[copied(finding) for finding in known[0].findings])


def _identity(relation: Relation) -> tuple[object, ...]:
    """What tells whether a relation is the same: the very documents, and what they say."""
    documents = (tuple(map(id, members)) for members in (relation.below, relation.beside, relation.above))
    return (*documents, relation.release, relation.platform, tuple(relation.why.items()), relation.profile,
            relation.is_mounted)  # fmt: skip


def is_excluded(path: str) -> bool:
    """Whether the preferences say that a file is not to be checked; raises ValueError for what nobody can use."""
    found = preferences_for(path)
    if not found.exclude:
        return False
    from pathspec import GitIgnoreSpec

    return bool(GitIgnoreSpec.from_lines(found.exclude).match_file(os.path.relpath(path, found.folder)))


def _is_in(path: str, folder: str) -> bool:
    """Whether a file lies in a folder; what has a URI alone lies in none."""
    return os.path.isabs(path) and _same_drive(path, folder) and os.path.commonpath((path, folder)) == folder


def _same_drive(path: str, folder: str) -> bool:
    return os.path.splitdrive(path)[0] == os.path.splitdrive(folder)[0]


def shown(findings: Iterable[Finding], path: str) -> Sequence[Finding]:
    """The findings on a file that its baseline does not let stand; raises ValueError for a broken one."""
    found = preferences_for(path)
    named = found.values.get("baseline")
    findings = list(findings)
    if named is None:
        return findings
    from linter.baseline import compare, read_baseline

    baseline = read_baseline(os.path.join(found.folder, named))
    comparison = compare(findings, baseline.entries, baseline.folder)
    return [*comparison.new, *(finding for finding, _ in comparison.grown)]
