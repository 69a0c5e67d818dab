"""Finds the source trees of Apache Flink's own projects: Flink, its operator, its connectors, Flink CDC.

A repository may have copies of them, as a fork or as a submodule. The root POM of each has the group `org.apache.flink`
and inherits from the POM of the Apache Software Foundation or from the connectors' parent; other projects' do not.
"""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.text.lazy_regex import regex

_GROUP = "org.apache.flink"
_PARENTS = (("org.apache", "apache"), (_GROUP, "flink-connector-parent"))
"""The groups and artifacts of the POMs from which those of Flink's projects inherit."""
_BODY = regex(r"<(?:properties|modules|dependenc|build|profiles|repositories|pluginRepositories)")
"""Matches what follows the coordinates in a POM and may have coordinates of other artifacts."""
_GROUP_ID = regex(r"<groupId>\s*([\w.-]+)\s*</")
_ARTIFACT_ID = regex(r"<artifactId>\s*([\w.-]+)\s*</")


@remembered
def flink_project_in(folder: str) -> str | None:
    """Return the artifact of Flink's project whose root a folder is, such as `flink-parent`; None if it is none."""
    if "pom.xml" not in names_in(folder):
        return None
    text = found_text(os.path.join(folder, "pom.xml")) or ""
    if _GROUP not in text:
        return None
    before, _, rest = without_comments(text).partition("<parent>")
    parent, _, after = rest.partition("</parent>")
    body = _BODY.search(after)
    own = before + (after if body is None else after[: body.start()])
    if _named(own)[0] != _GROUP or _named(parent) not in _PARENTS:
        return None
    return _named(own)[1] or None


@remembered
def flink_project_of(folder: str) -> str | None:
    """Return the artifact of Flink's project that a folder, given by its absolute path, belongs to; None for others."""
    return next(filter(None, map(flink_project_in, folders_up(folder))), None)


def _named(coordinates: str) -> tuple[str, str]:
    group, artifact = _GROUP_ID.search(coordinates), _ARTIFACT_ID.search(coordinates)
    return "" if group is None else group[1], "" if artifact is None else artifact[1]
