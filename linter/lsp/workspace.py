"""The files of the folders that are open in an editor, judged together as `flint check` of the folders does.

What lies in a buffer counts instead of what is on disk. Files that are as they were are not read again, and documents
of which other files say what they said are not judged again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from flink_flint.linter.config import flint_config as preferences
from flink_flint.linter.config.flint_config import Preferences, preferences_for
from flink_flint.linter.engine import declarative_rules as declared
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.judged import Judged
from flink_flint.linter.engine.registry import confidence_of, registry
from flink_flint.linter.engine.running import (
    Options,
    documents_of,
    finish,
    judge_document,
    judge_project,
    relations_of,
    told_once,
)
from flink_flint.linter.lsp.deferred import put_off
from flink_flint.linter.lsp.findings import copied
from flink_flint.linter.lsp.open_document import MANY_ENTRIES
from flink_flint.linter.lsp.rejudging import Rejudging, can_rejudge
from flink_flint.linter.model import layers as relations
from flink_flint.linter.model import sibling_files as companions
from flink_flint.linter.model import target
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Confidence, Finding
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.lsp.open_document import Own

SLICE = 0.02
"""Seconds after which whoever judges a long document asks whether that is still wanted."""
_REMEMBERED = (
    companions._text, preferences._nearest, preferences._in_folder, relations._module, relations._built_upon,
    relations._resources, target._from_build_file, target._from_dockerfile, target.names_in,
)  # fmt: skip
"""What a run of the command reads but once of files that are no carriers."""


class GivenUp(Exception):  # noqa: N818 - it is no error
    """Nobody wants to know any more: a file is being edited."""


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
            found = preferences.read_preferences(path, required=False)
            declared.own_rules(found or preferences.PreferencesFile(path, {}))
        except ValueError:
            declared.DECLARED.pop(path)  # told where a file is judged by it
    kept = {id(rule) for rules in declared.DECLARED.values() for rule in rules}
    known = registry()
    for rule in former:
        if id(rule) not in kept and known.own.get(rule.identity) is rule:
            known.dismiss(rule)


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
        self._own: Mapping[str, Own] = {}
        self._taken: dict[str, tuple[Document, Document]] = {}
        """Path -> the document that an open file has of itself, and the same for this."""
        self._is_wanted = _always

    def forget(self) -> None:
        """Read and judge everything anew the next time."""
        self._known, self._judged, self._taken = {}, {}, {}
        forget_files()

    def settle(
        self,
        buffers: Mapping[str, Source | None],
        own: Mapping[str, Own] | None = None,
        is_wanted: Callable[[], bool] | None = None,
    ) -> Settled:
        """Judge all files, those of `buffers` as they are there; None in it is a file that is none of Flink's.

        `own` is what files of `buffers` were found to hold by themselves. As soon as `is_wanted` denies it, GivenUp is
        raised; what was read and judged until then need not be again. Raises ValueError for preferences nobody can use.
        """
        self._own, self._is_wanted = own or {}, is_wanted or _always
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
        self._taken = {path: taken for path, taken in self._taken.items() if path in self._own}
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

    def _go_on(self) -> None:
        if not self._is_wanted():
            raise GivenUp

    def _own_of(self, path: str, options: Options) -> Own | None:
        own = self._own.get(path)
        return own if own is not None and own.options == options else None

    def _read(self, source: Source, options: Options) -> list[tuple[Document, Preferences]]:
        self._go_on()
        if (own := self._own_of(source.path, options)) is not None:
            return [(self._take(source.path, own.judged.document), own.judged.preferences)]
        known = self._known.get(source.path)
        if known is None or known.source != source:
            known = self._known[source.path] = _Known(source, documents_of(source, options))
            for document, _ in known.read:
                put_off(document)
        return known.read

    def _take(self, path: str, document: Document) -> Document:
        """The document that an open file has of itself, with nothing hidden yet; the same as long as that is."""
        taken = self._taken.get(path)
        if taken is None or taken[0] is not document:
            same = copy(document)
            same.mask = None
            taken = self._taken[path] = document, same
        return taken[1]

    def _judge(self, document: Document, chosen: Preferences, options: Options, relation: Relation) -> Judged:
        """A document judged, or what was said of it; with findings of its own, as a run changes them."""
        self._go_on()
        own = self._own_of(document.path, options)
        if own is not None and own.judged.relation == relation:
            return own.judged._replace(document=document)
        basis = (chosen, options, *_identity(relation))
        known = self._judged.get(id(document))
        if known is None or known[0].document is not document or known[1] != basis:
            known = self._judge_anew(document, chosen, options, relation), basis
            self._judged[id(document)] = known
        return known[0]._replace(findings=[copied(finding) for finding in known[0].findings])

    def _judge_anew(self, document: Document, chosen: Preferences, options: Options, relation: Relation) -> Judged:
        if len(document.entries) < MANY_ENTRIES or not can_rejudge(options, relation):
            return judge_document(document, chosen, options, relation)
        # The same, in slices: a document that takes seconds is seldom wanted to the end while somebody types.
        judging = Rejudging(options, chosen, relation)
        judging.begin(document)
        while (judged := judging.judge(SLICE)) is None:
            self._go_on()
        return judged


def _always() -> bool:
    return True


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
    from flink_flint.linter.filesystem.gitignore import is_among

    return is_among(found.exclude, path, found.folder)


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
    from flink_flint.linter.engine.baseline import compare, read_baseline

    baseline = read_baseline(os.path.join(found.folder, named))
    comparison = compare(findings, baseline.entries, baseline.folder)
    return [*comparison.new, *(finding for finding, _ in comparison.grown)]
