"""Determines the release of a connector that a project uses: from its build files, its Dockerfiles, or a script's jars.

The nearest folder counts in which a POM, a Gradle or sbt build, or a Dockerfile names the connector's artifact with a
version; a script that names the jar itself (`ADD JAR`) takes precedence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import DOCKERFILES, names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up

_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "gradle/libs.versions.toml")
_VERSION = r"\d+\.\d+(?:\.\d+)?(?:[-_][a-z0-9.]+)*?"
_SCALA = r"(?:_(?:2\.1\d|\$\{[\w.]{1,60}\}))?"
_BETWEEN = r"""(?::|"\s*%\s*"|\s*</artifactId>\s*<version>\s*|['"]\s*,\s*version\s*[:=]\s*['"])"""
_AFTER = r"(?![\w.-])"
_MOST = 20
_LONGEST_TEXT = 500_000


def connector_versions(directory: str, text: str, artifacts: Iterable[str]) -> frozenset[str]:
    """Return the versions of a connector, by its Maven artifacts, for a script in a folder; empty if unknown."""
    names = _names(artifacts)
    if not names:
        return frozenset()
    found = _jars(text, names)
    return found or _versions_near(directory, names)


def _names(artifacts: Iterable[str]) -> str:
    """Return a pattern of the artifacts' names, without the release of Scala, and with their jars for SQL clients."""
    found = set()
    for artifact in artifacts:
        name = re.sub(r"_2\.1\d$", "", artifact.rpartition(":")[2])
        bare = name.replace("flink-sql-connector-", "flink-connector-")
        found |= {name, bare, bare.replace("flink-connector-", "flink-sql-connector-")}
    return "|".join(re.escape(name) for name in sorted(found, key=len, reverse=True))


def _jars(text: str, names: str) -> frozenset[str]:
    """Return the versions in the names of jars in a text."""
    if "flink-" not in text and ".jar" not in text:
        return frozenset()
    pattern = rf"(?<![\w-])(?:{names}){_SCALA}-({_VERSION})\.jar\b"
    return frozenset(re.findall(pattern, text[:_LONGEST_TEXT])[:_MOST])


@remembered
def _versions_near(directory: str, names: str) -> frozenset[str]:
    for folder in folders_up(os.path.abspath(directory)):
        found: set[str] = set()
        for name in _files(folder):
            text = (found_text(os.path.join(folder, name)) or "")[:_LONGEST_TEXT]
            if name in _BUILDS:
                found |= _built(folder, without_comments(text) if name == "pom.xml" else text, names)
            found |= _jars(text, names)
        if found:
            return frozenset(found)
    return frozenset()


def _files(folder: str) -> list[str]:
    names = names_in(folder)
    found = [name for name in _BUILDS if name.partition("/")[0] in names]
    return found + sorted(name for name in names if name.partition(".")[0] in DOCKERFILES)[:_MOST]


def _built(folder: str, text: str, names: str) -> set[str]:
    pattern = rf"(?<![\w-])(?:{names}){_SCALA}{_BETWEEN}(?:({_VERSION}){_AFTER}|\$\{{?([\w.-]{{1,80}})\}}?)"
    found = set()
    for version, variable in re.findall(pattern, text)[:_MOST]:
        resolved = version or _property(folder, text, variable)
        if resolved is not None:
            found.add(resolved)
    return found


def _property(folder: str, text: str, name: str) -> str | None:
    """Return the version that a variable of a build stands for, by the build itself or one above it."""
    wanted = re.escape(name)
    pattern = rf"""<{wanted}>\s*({_VERSION})\s*</|(?<![\w.]){wanted}['"]?\s*=\s*['"]?({_VERSION}){_AFTER}"""
    above = (found_text(os.path.join(one, "pom.xml")) or "" for one in list(folders_up(folder))[1:4])
    for one in (text, found_text(os.path.join(folder, "gradle.properties")) or "", *above):
        match = re.search(pattern, one[:_LONGEST_TEXT])
        if match is not None:
            return match[1] or match[2]
    return None
