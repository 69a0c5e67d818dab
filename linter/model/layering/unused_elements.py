"""Finds the unused tables and functions of programs and scripts that other files of their repository name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import ONLY_DECLARED, ONLY_WRITTEN, UNUSED
from flink_flint.linter.model.layering.layer_graph import by_repository, repository_of_document

_PROGRAMS = ("source", "sql")
_JOBS = ("query", "job")
_EXISTS = r"(?:if\s+(?:not\s+)?exists\s+)?"


def words_used_elsewhere(documents: Sequence[Document]) -> Mapping[int, frozenset[str]]:
    """Return the words of unused elements that another program or script of the repository uses, by document id.

    What is only declared counts as used in a repository without another script or program that runs jobs.
    """
    wanted: dict[int, dict[str, bool]] = defaultdict(dict)
    for document in documents:
        for element in document.elements:
            for mark in (UNUSED, ONLY_WRITTEN, ONLY_DECLARED):
                if isinstance(word := element.value(mark), str):
                    wanted[id(document)][word] = mark == ONLY_DECLARED
    if not wanted:
        return {}
    programs = by_repository(document for document in documents if document.kind in _PROGRAMS)
    found: dict[int, frozenset[str]] = {}
    for document in documents:
        if id(document) in wanted:
            others = [one for one in programs.get(repository_of_document(document), ()) if one.path != document.path]
            run = any(one.elements_of(_JOBS) for one in others)
            found[id(document)] = frozenset(
                word
                for word, is_declared in wanted[id(document)].items()
                if (is_declared and not run) or any(_uses(other, word, is_declared=is_declared) for other in others)
            )
    return found


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
