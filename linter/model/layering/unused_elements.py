"""Finds the unused tables and functions of programs and scripts that other files of their repository name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import cached_property

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import ONLY_DECLARED, ONLY_WRITTEN, UNUSED
from flink_flint.linter.model.layering.layer_graph import by_repository, repository_of_document

_PROGRAMS = ("source", "sql")
_JOBS = ("query", "job")
_EXISTS = r"(?:if\s+(?:not\s+)?exists\s+)?"


def words_used_elsewhere(documents: Sequence[Document]) -> Mapping[int, WordsUsed]:
    """Return which words of unused elements another program or script of the repository uses, by document id."""
    wanted: dict[int, dict[str, bool]] = defaultdict(dict)
    for document in documents:
        for element in document.elements:
            for mark in (UNUSED, ONLY_WRITTEN, ONLY_DECLARED):
                if isinstance(word := element.value(mark), str):
                    wanted[id(document)][word] = mark == ONLY_DECLARED
    if not wanted:
        return {}
    programs = by_repository(document for document in documents if document.kind in _PROGRAMS)
    found: dict[int, WordsUsed] = {}
    for document in documents:
        if id(document) in wanted:
            beside = programs.get(repository_of_document(document), ())
            found[id(document)] = WordsUsed(wanted[id(document)], document.path, beside)
    return found


class WordsUsed(Container[str]):
    """The words of a document's unused elements that other programs and scripts use, who are read when one asks.

    What is only declared counts as used in a repository without another script or program that runs jobs.
    """

    def __init__(self, wanted: Mapping[str, bool], path: str, programs: Sequence[Document]) -> None:
        """`wanted` has the words, and whether each is one that is only declared; `path` is that of the document."""
        self._wanted, self._path, self._programs = wanted, path, programs

    def __contains__(self, word: object) -> bool:
        return word in self._found

    def __eq__(self, other: object) -> bool:
        """Return whether the same words are used, in two states of a project."""
        return isinstance(other, WordsUsed) and self._found == other._found

    def __hash__(self) -> int:
        """Return a hash of the document's path."""
        return hash(self._path)

    @cached_property
    def _found(self) -> frozenset[str]:
        others = [one for one in self._programs if one.path != self._path]
        run = any(one.elements_of(_JOBS) for one in others)
        return frozenset(
            word
            for word, is_declared in self._wanted.items()
            if (is_declared and not run) or any(_uses(other, word, is_declared=is_declared) for other in others)
        )


def _uses(document: Document, word: str, *, is_declared: bool) -> bool:
    """Return whether a document has a word other than to declare a table of that name, or in the value of an option.

    A table that `is_declared` in a session's own database has no other one in front of its name, as topics may have.
    """
    if not document.mentions(word):
        return False
    name = rf"(?<!\w){re.escape(word)}(?!\w)"
    others = rf"(?i:\b(?:create|drop|alter|describe|desc)\s+(?:temporary\s+)?(?:table|view)\s+{_EXISTS}[`\"]?{name})"
    option = rf"'\s*=\s*'[^'\n]*{name}[^'\n]*'"
    comment = r"|--[^\n]*" if document.kind == "sql" else ""
    text = re.sub(rf"{others}|{option}{comment}", "", document.text)
    return re.search(rf"(?:(?<![\w.-])|default_database\.){name}(?!-)" if is_declared else name, text) is not None
