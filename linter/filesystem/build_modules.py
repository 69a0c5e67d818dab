"""Finds the module of a build that a folder belongs to, by its build file, and what the build names its JAR.

Builds are those of Maven, Gradle, sbt and Python; of the last, only the folder is found.
"""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.text.lazy_regex import regex

BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "pyproject.toml", "setup.py")
_POM_NAME = regex(r"<artifactId>\s*([\w.-]+)\s*</")
_POM_JAR = regex(r"<finalName>\s*([\w.-]+?)(?:[-_]\$\{[\w.]+\})?\s*</")
_JAR_NAME = {
    "build.gradle": regex(r"""\barchives?BaseName(?:[ \t]*=[ \t]*|\.set\([ \t]*)['"]([\w.-]+)['"]"""),
    "build.gradle.kts": regex(r"""\barchiveBaseName(?:[ \t]*=[ \t]*|\.set\([ \t]*)"([\w.-]+)\""""),
    "settings.gradle": regex(r"""\brootProject\.name[ \t]*=[ \t]*['"]([\w.-]+)['"]"""),
    "settings.gradle.kts": regex(r"""\brootProject\.name[ \t]*=[ \t]*"([\w.-]+)\""""),
    "build.sbt": regex(r"""\bname[ \t]*:=[ \t]*"([\w.-]+)\""""),
}
"""The name of the JAR in each kind of build file; a POM has two."""
_MAIN_CLASS = {
    "pom.xml": regex(r"<(?:mainClass|Main-Class)>\s*([\w.$]+)\s*</"),
    "build.gradle": regex(
        r"""(?:mainClass|mainClassName|Main-Class)['"]?[ \t]*+(?:[=:][ \t]*|\.set\([ \t]*)?['"]([\w.$]+)['"]"""
    ),
    "build.gradle.kts": regex(
        r"""(?:mainClass|mainClassName|Main-Class)"?[ \t]*+(?:=[ \t]*|to[ \t]+|\.set\([ \t]*)"([\w.$]+)\""""
    ),
    "build.sbt": regex(r"""mainClass\b[^"\n]{0,200}"([\w.$]+)\""""),
}
"""The main class of a JAR in each kind of build file."""


@remembered
def module_of(folder: str) -> str | None:
    """Return the nearest folder with a build file, `folder` or one above it; None if the repository has none."""
    while (names := names_in(folder)).isdisjoint(BUILD_FILES):
        parent = os.path.dirname(folder)
        if ".git" in names or parent == folder:
            return None
        folder = parent
    return folder


@remembered
def artifact_names(module: str) -> frozenset[str]:
    """Return the names, without a version, that the build files of a module give its JAR."""
    names = names_in(module)
    found: set[str] = set()
    if "pom.xml" in names:
        before, _, rest = _text(module, "pom.xml").partition("<parent>")
        own = before + rest.partition("</parent>")[2]
        found.update(_POM_JAR.findall(own))
        found.update(_POM_NAME.findall(own)[:1])
    for name, pattern in _JAR_NAME.items():
        if name in names:
            found.update(pattern.findall(_text(module, name)))
    if not names.isdisjoint(("build.gradle", "build.gradle.kts")):
        found.add(os.path.basename(module))  # Gradle names a project after its folder
    return frozenset(found)


@remembered
def main_classes(module: str) -> frozenset[str]:
    """Return the names, without their packages, of the main classes that the build file of a module names."""
    names = names_in(module)
    for name, pattern in _MAIN_CLASS.items():
        if name in names:
            text = _text(module, name)
            return frozenset(one.rpartition(".")[2].removesuffix("Kt") for one in pattern.findall(text))
    return frozenset()


def _text(module: str, name: str) -> str:
    """Return the text of a build file; of a POM, without its comments."""
    text = found_text(os.path.join(module, name)) or ""
    return without_comments(text) if name == "pom.xml" else text


def without_comments(text: str) -> str:
    """Return the text of a POM without its comments."""
    first, *rest = text.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in rest)
