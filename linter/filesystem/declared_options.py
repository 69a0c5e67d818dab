"""Finds the keys of the options that the sources of a repository declare, as Flink does: `ConfigOptions.key("a.b")`.

Whoever writes a client, a platform or a plug-in has options of his own, and often a copy of Flink's `ConfigOptions`, so
the sources need not be programs of Flink. They are read when somebody asks for a key that Flink does not know, and only
until it is found: first the files whose names say that they declare options, such as `RocksDBOptions.java`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.build_modules import module_of
from flink_flint.linter.filesystem.folders import folders_below, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.text.lazy_regex import regex

_SOURCES = (".java", ".scala", ".kt")
_FOR_TESTS = ("test", "tests", "testing")
_LIKELY = ("option", "config")
"""Words in the names of the files that declare most options, in lower case."""
_MAX_FOLDERS = 50_000
_MAX_SOURCES = 5_000
"""The maximum number of sources that are read: of those with likely names, and of the others."""
_DECLARED = regex(r"""(?:\bConfigOptions\s*+\.\s*+|(?<![\w.$"])(?<!def )(?<!fun ))key\s*+\(\s*+([^()\n]{1,200})\)""")
"""Matches the key of a declaration; also after a static import of `ConfigOptions.key`."""
_OLD = regex(r"\bwith(?:Deprecated|Fallback)Keys\s*+\(([^()]{1,1000})\)")
"""Matches the other keys of an option."""
_CONSTANT = regex(r"""(?<![\w$])([A-Za-z_]\w{0,100}+)(?:\s*+:\s*+String)?\s*+=\s*+"([^"\\\n]{1,200})\"""")
_LITERAL = regex(r'"([^"\\\n]{1,200})"')


def is_option_declared(key: str, folder: str) -> bool:
    """Return whether a source of the repository of a folder declares an option with `key`.

    Without a repository, the sources of the folder's module count.
    """
    folder = os.path.abspath(folder)
    top = repository_of(folder) or module_of(folder)
    return top is not None and _declarations_below(top).have(key)


class _Declarations:
    """The keys that the sources below a folder declare, which are read as far as necessary."""

    def __init__(self, top: str) -> None:
        self._found: set[str] = set()
        self._unread = _sources_below(top)

    def have(self, key: str) -> bool:
        """Return whether a source declares the key; read further sources until one does."""
        while key not in self._found:
            path = next(self._unread, None)
            if path is None:
                return False
            self._found.update(_declared_in(found_text(path) or ""))
        return True


@remembered
def _declarations_below(top: str) -> _Declarations:
    return _Declarations(top)


def _sources_below(top: str) -> Iterator[str]:
    """Yield the paths of the sources of a folder that are not for tests: first the likely ones, both up to a limit."""
    others: list[str] = []
    likely = 0
    for folder, names in folders_below(top, _MAX_FOLDERS, _FOR_TESTS):
        for name in names:
            if not name.endswith(_SOURCES):
                continue
            path = os.path.join(folder, name)
            lower = name.lower()
            if not any(word in lower for word in _LIKELY):
                if len(others) < _MAX_SOURCES:
                    others.append(path)
            elif likely < _MAX_SOURCES:
                likely += 1
                yield path
    yield from others


def _declared_in(text: str) -> Iterator[str]:
    if "ConfigOptions" not in text:
        return
    constants: dict[str, str] | None = None
    for written in _DECLARED.findall(text):
        if constants is None:
            constants = dict(_CONSTANT.findall(text))
        parts = [_part(one.strip(), constants) for one in written.split("+")]
        if all(parts):
            yield "".join(parts)
    for written in _OLD.findall(text):
        yield from _LITERAL.findall(written)


def _part(written: str, constants: dict[str, str]) -> str:
    """Return the text of a literal or of a constant of the same file; empty if it is unknown."""
    literal = _LITERAL.fullmatch(written)
    return literal[1] if literal is not None else constants.get(written.rpartition(".")[2], "")
