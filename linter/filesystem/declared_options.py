"""Finds the keys of the options that the sources of a repository declare, as Flink does: `ConfigOptions.key("a.b")`.

Whoever writes a client, a platform or a plug-in has options of his own, and often a copy of Flink's `ConfigOptions`, so
the sources need not be programs of Flink. They are read when somebody asks for a key that Flink does not know.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.build_modules import module_of
from flink_flint.linter.filesystem.folders import SKIPPED_FOLDERS, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.text.lazy_regex import regex

_SOURCES = (".java", ".scala", ".kt")
_FOR_TESTS = ("test", "tests", "testing")
_MAX_FOLDERS = 10_000
_MAX_SOURCES = 5_000
_DECLARED = regex(r"""(?:\bConfigOptions\s*+\.\s*+|(?<![\w.$"])(?<!def )(?<!fun ))key\s*+\(\s*+([^()\n]{1,200})\)""")
"""Matches the key of a declaration; also after a static import of `ConfigOptions.key`."""
_OLD = regex(r"\bwith(?:Deprecated|Fallback)Keys\s*+\(([^()]{1,1000})\)")
"""Matches the other keys of an option."""
_CONSTANT = regex(r"""(?<![\w$])([A-Za-z_]\w{0,100}+)(?:\s*+:\s*+String)?\s*+=\s*+"([^"\\\n]{1,200})\"""")
_LITERAL = regex(r'"([^"\\\n]{1,200})"')


def declared_options(folder: str) -> frozenset[str]:
    """Return the keys that the sources of the repository of a folder declare; without one, those of its module."""
    folder = os.path.abspath(folder)
    top = repository_of(folder) or module_of(folder)
    return frozenset() if top is None else _declared_below(top)


@remembered
def _declared_below(top: str) -> frozenset[str]:
    return frozenset(key for path in _sources_below(top) for key in _declared_in(found_text(path) or ""))


def _sources_below(top: str) -> Iterator[str]:
    """Yield the paths of the sources of a folder that are not for tests, up to a limit."""
    number = 0
    for count, (folder, folders, names) in enumerate(os.walk(top)):
        if count >= _MAX_FOLDERS:
            return
        folders[:] = [name for name in sorted(folders) if not (name[0] == "." or name in _FOR_TESTS + SKIPPED_FOLDERS)]
        for name in sorted(names):
            if name.endswith(_SOURCES):
                yield os.path.join(folder, name)
                number += 1
                if number >= _MAX_SOURCES:
                    return


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
