"""Determines the Java release for which the build of a copied JAR compiles: of Maven or Gradle.

A path such as ``jobs/orders/target/orders.jar`` shows the module that builds it, whose own build file counts, and that
of the POM's parent in the folder above.
"""

from __future__ import annotations

import os
import re

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up

_OUTPUT = r"(?:\./)?((?:[\w.-]+/)*?)(target|build/libs)(?:/?|/[^/]*\.jar)"
"""Where Maven and Gradle put what they build."""
_NUMBER = r"(?:1\.)?(\d{1,2})"
_MOST = 200_000
_IN_POM = (
    r"<maven\.compiler\.release>\s*([^<\s]{1,80})\s*<", r"<release>\s*([^<\s]{1,80})\s*</release>",
    r"<maven\.compiler\.target>\s*([^<\s]{1,80})\s*<", r"<target>\s*((?:1\.)?\d{1,2}|\$\{[\w.-]{1,80}\})\s*</target>",
)  # fmt: skip
_VERSION = r"""(?:JavaVersion\.(?:VERSION_|toVersion\(\s*)|['"])?["']?(?:1[._])?(\d{1,2})\b"""
_IN_GRADLE = (
    r"options\.release(?:\.set\(|\s*=)\s*(\d{1,2})\b", rf"targetCompatibility\s*=?\s*{_VERSION}",
    rf"sourceCompatibility\s*=?\s*{_VERSION}", r"(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*(\d{1,2})\s*\)",
)  # fmt: skip
"""Where builds name the release of the classes, the one that counts first."""


def java_of_jar(directory: str, source: str, *, is_of_stage: bool) -> tuple[int, str] | None:
    """Return the Java release for which a JAR at `source` is compiled, and its build file; None if it is unknown.

    `is_of_stage` is for a JAR that another stage of the Dockerfile builds, where the path of the project is unknown.
    """
    match = re.fullmatch(_OUTPUT, source.lstrip("/") if is_of_stage else source)
    if match is None:
        return None
    module = "" if is_of_stage else match[1]
    names = ("pom.xml",) if match[2] == "target" else ("build.gradle", "build.gradle.kts")
    for folder in folders_up(os.path.abspath(directory)):
        place = os.path.join(folder, module)
        for name in names:
            if name in names_in(place):
                found = _java_of_pom(place) if name == "pom.xml" else _java_of_gradle(place, name)
                return None if found is None else (found, os.path.join(module, name))
    return None


@remembered
def _java_of_pom(folder: str) -> int | None:
    text = _pom(folder)
    parent = _pom(os.path.dirname(folder.rstrip("/"))) if "<parent>" in text else ""
    for one in (text, parent):
        for pattern in _IN_POM:
            named = [value for value in re.findall(pattern, one) if one]
            if "maven-compiler-plugin" not in one and "maven" not in pattern:
                continue
            if named:
                values = {_resolved(value, text, parent) for value in named}
                return values.pop() if len(values) == 1 else None
    return None


def _pom(folder: str) -> str:
    return without_comments(found_text(os.path.join(folder, "pom.xml")) or "")[:_MOST]


def _resolved(value: str, *texts: str) -> int | None:
    reference = re.fullmatch(r"\$\{([\w.-]+)\}", value)
    if reference is not None:
        pattern = rf"<{re.escape(reference[1])}>\s*([^<\s]{{1,80}})\s*<"
        named = [found for text in texts for found in re.findall(pattern, text)]
        value = named[0] if len(set(named)) == 1 else ""
    number = re.fullmatch(_NUMBER, value, re.ASCII)
    return int(number[1]) if number is not None else None


@remembered
def _java_of_gradle(folder: str, name: str) -> int | None:
    text = re.sub(r"(?m)//[^\n]{0,500}$", "", (found_text(os.path.join(folder, name)) or "")[:_MOST])
    for pattern in _IN_GRADLE:
        if named := {int(value) for value in re.findall(pattern, text)}:
            return named.pop() if len(named) == 1 else None
    return None
