"""Finds the module of a build (Maven, Gradle, sbt, Python) that a folder belongs to, by its build file."""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.folders import names_in, remembered

_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "pyproject.toml", "setup.py")


@remembered
def module_of(folder: str) -> str | None:
    """Return the nearest folder with a build file, `folder` or one above it; None if the repository has none."""
    while (names := names_in(folder)).isdisjoint(_BUILD_FILES):
        parent = os.path.dirname(folder)
        if ".git" in names or parent == folder:
            return None
        folder = parent
    return folder
