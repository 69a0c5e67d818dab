"""Finds the unused tables and functions of programs and scripts that other files of their repository name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import ONLY_WRITTEN, UNUSED
from flink_flint.linter.model.layering.layer_graph import by_repository, repository_of_document

_PROGRAMS = ("source", "sql")


def words_used_elsewhere(documents: Sequence[Document]) -> Mapping[int, frozenset[str]]:
    """Return the words of unused elements that another program or script of the repository has, by document id."""
    wanted: dict[int, set[str]] = defaultdict(set)
    for document in documents:
        for element in document.elements:
            for mark in (UNUSED, ONLY_WRITTEN):
                if isinstance(word := element.value(mark), str):
                    wanted[id(document)].add(word)
    if not wanted:
        return {}
    programs = by_repository(document for document in documents if document.kind in _PROGRAMS)
    found: dict[int, frozenset[str]] = {}
    for document in documents:
        if id(document) in wanted:
            others = [one for one in programs.get(repository_of_document(document), ()) if one.path != document.path]
            found[id(document)] = frozenset(
                word for word in wanted[id(document)] if any(_has_word(other, word) for other in others)
            )
    return found


def _has_word(document: Document, word: str) -> bool:
    return document.mentions(word) and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", document.text) is not None
