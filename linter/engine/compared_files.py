"""Determines which files of a project each rule of scope "project" must compare with the named files.

A rule declares which documents it compares (`compares` of `linter.model.rule.rule`): those of a folder, or those with
certain triggers. Documents that are related are always compared. A rule that declares nothing compares all of them.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from flink_flint.linter.engine.project_files import Named, worth_judging
from flink_flint.linter.engine.registry import comparisons
from flink_flint.linter.engine.selection import project_triggers
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layers import Relation
from flink_flint.linter.model.rule import Comparison
from flink_flint.linter.text.named_tuple import NamedTuple


class ComparedFiles:
    """The files that each rule of scope "project" must compare with the named files."""

    def __init__(self, documents: Sequence[Document], relations: Mapping[int, Relation], named: Iterable[str]) -> None:
        """Index the documents of a run and their relations; `named` are the named paths as reports show them."""
        self.number = len(documents)
        self._documents = documents
        self._named = frozenset(named)
        self._related: dict[str, set[str]] = defaultdict(set)
        for place, relation in relations.items():
            path = documents[place].path
            for other in (*relation.below, *relation.beside, *relation.above, *relation.services):
                self._related[path].add(other.path)
                self._related[other.path].add(path)
        self._near = self._with_related(self._named)
        self._by_trigger: dict[str, set[str]] | None = None
        self._by_folder: dict[str, set[str]] | None = None
        self._found: dict[Comparison, frozenset[str]] = {}

    def of(self, identity: str) -> frozenset[str]:
        """Return the paths of the named files and of the files that the rule `identity` compares with them."""
        compares = comparisons().get(identity)
        if compares is None:
            return self._all
        found = self._found.get(compares)
        if found is None:
            found = self._found[compares] = frozenset(self._compared(compares))
        return found

    @property
    def _all(self) -> frozenset[str]:
        return frozenset(document.path for document in self._documents)

    def _with_related(self, paths: Iterable[str]) -> set[str]:
        found = set(paths)
        for path in tuple(found):
            found |= self._related.get(path, set())
        return found

    def _compared(self, compares: Comparison) -> set[str]:
        """Return the files that a rule reaches from the named ones by what it compares.

        The last ones are those related to them, since a rule asks for what overrides a document and for its base.
        """
        found = set(self._near)
        added = found
        reached: set[str] = set()
        folders: set[str] = set()
        while added:
            others: set[str] = set()
            for one in compares:
                if isinstance(one, str):
                    for folder in {os.path.dirname(path) for path in added} - folders:
                        folders.add(folder)
                        others |= self._folders[folder]
                    continue
                for here, there in (one, one[::-1]):
                    if not reached.issuperset(there) and self._have(added, here):
                        reached.update(there)
                        others.update(*(self._files_with.get(trigger, ()) for trigger in there))
            added = self._with_related(others - found) - found
            found |= added
        return self._with_related(found)

    def _have(self, paths: set[str], triggers: Sequence[str]) -> bool:
        """Return whether any of the files has one of the triggers."""
        return any(not paths.isdisjoint(self._files_with.get(trigger, ())) for trigger in triggers)

    @property
    def _folders(self) -> dict[str, set[str]]:
        if self._by_folder is None:
            self._by_folder = defaultdict(set)
            for document in self._documents:
                self._by_folder[os.path.dirname(document.path)].add(document.path)
        return self._by_folder

    @property
    def _files_with(self) -> dict[str, set[str]]:
        if self._by_trigger is None:
            self._by_trigger = defaultdict(set)
            for document in self._documents:
                for trigger in project_triggers(document):
                    self._by_trigger[trigger].add(document.path)
        return self._by_trigger


class Scope(NamedTuple):
    """The files that must be checked to report every finding that involves a named file."""

    judged: frozenset[str]
    """The paths of the files to check because their own findings may involve a named file."""
    kept: frozenset[str]
    """The paths in `judged`, plus the paths of the files that rules compare with the named files."""
    compared: ComparedFiles
    """The files that each rule compares with the named files."""


def scope_around(
    documents: Sequence[Document],
    relations: Mapping[int, Relation],
    named: Named,
    rendered: Collection[str],
    rules: Iterable[str],
) -> Scope:
    """Return the files that must be checked so that `rules` report every finding on the `named` or `rendered` files."""
    judged = worth_judging(documents, relations, named).union(rendered)
    compared = ComparedFiles(documents, relations, {one.path for one in documents if one.path in named}.union(rendered))
    return Scope(judged, judged.union(*map(compared.of, rules)), compared)
