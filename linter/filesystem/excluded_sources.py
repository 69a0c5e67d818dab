"""Finds the Java sources that the build of their module excludes from compilation."""

from __future__ import annotations

import os
from functools import cache

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.text.lazy_regex import regex

_ROOT = "/src/main/java/"
_COMPILER = "<artifactId>maven-compiler-plugin</artifactId>"
_EXCLUDE = regex(r"<exclude>\s*+([^<\s]+)\s*+</exclude>")
_MAX_PARTS = 50


def excluded_by(path: str) -> str | None:
    """Return the pattern with which Maven leaves a Java source out of its module's build; None if there is none.

    A profile may take it in again: what is built then is not the default.
    """
    before, root, inside = path.replace(os.sep, "/").partition(_ROOT)
    parts = inside.split("/")
    if not root or not path.endswith(".java") or len(parts) > _MAX_PARTS:
        return None
    return next((one for one in _excludes(before) if _matches(tuple(_parts_of(one)), tuple(parts))), None)


@remembered
def _excludes(module: str) -> tuple[str, ...]:
    """Return the patterns of the sources that the POM of a module excludes from the compilation of its main code."""
    if "pom.xml" not in names_in(module):
        return ()
    text = found_text(os.path.join(module, "pom.xml")) or ""
    if _COMPILER not in text or "<excludes>" not in text:
        return ()
    text = _without(_without(without_comments(text), "profiles"), "executions")
    found: list[str] = []
    for piece in text.split("<plugin>")[1:]:
        plugin = piece.partition("</plugin>")[0]
        if _COMPILER in plugin:
            found += _EXCLUDE.findall(plugin.partition("<excludes>")[2].partition("</excludes>")[0])
    return tuple(found)


def _without(text: str, element: str) -> str:
    """Return the text of a POM without the elements of a name."""
    first, *rest = text.split(f"<{element}>")
    return first + "".join(piece.partition(f"</{element}>")[2] for piece in rest)


def _parts_of(pattern: str) -> list[str]:
    """Return the parts of a pattern of Maven's; a folder stands for all that is in it."""
    return (f"{pattern}**" if pattern.endswith("/") else pattern).split("/")[:_MAX_PARTS]


@cache
def _matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Return whether a path matches a pattern, in which ``**`` stands for any number of folders."""
    from fnmatch import fnmatchcase  # rarely needed

    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _matches(pattern[1:], parts) or (bool(parts) and _matches(pattern, parts[1:]))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(pattern[1:], parts[1:])
