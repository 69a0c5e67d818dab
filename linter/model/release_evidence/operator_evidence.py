"""Determines the Flink releases that an installed Apache operator supports, from the file that installs it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.flink.deployment.operator import RELEASES, SINCE_VERSION, release_number, supported_releases
from flink_flint.linter.model.document import Document
from flink_flint.linter.text.lazy_regex import regex

_CHART_NAME = "flink-kubernetes-operator"
_IN_NAME = regex(r"flink-kubernetes-operator[:-]v?(\d+\.\d+)(?:\.\d+)?(?![\w.]*\d)")
"""Matches the operator's release in an image, an archive, or the address of the repository of its chart."""
_IN_ADDRESS = regex(
    r"flink-kubernetes-operator(?:\.git)?(?:/(?:refs/heads/)?|(?://[^\s\"'?]{0,200})?\?ref=)release-(\d+\.\d+)(?!\d)"
)
"""Matches the branch of the operator's repository that manifests come from; a page to read is elsewhere."""
_INSTALLS = regex(r"(?<![\w./-])(?:helm|kubectl|oc|curl|wget|git)[ \t]++[a-z-]")
"""Matches the start of a command in Markdown that may install the operator."""
_OPTION = regex(r"[ \t](?:--version[ =]|(?:-b|--branch)[ =]release-)[\"']?v?(\d+\.\d+)(?:\.\d+)?[\"']?(?=[\s`]|\Z)")
_NAMED = regex(r"([ \t-]*+)[\"']?\w+[\"']?[ \t]*[:=].*flink-kubernetes-operator[\"']?[ \t,]*(?:#.*)?")
_VERSION = regex(
    r"([ \t-]*+)[\"']?(?:version|targetRevision|tag)[\"']?[ \t]*[:=][ \t]*"
    r"[\"']?v?(\d+\.\d+)(?:\.\d+)?[\"']?[ \t,]*(?:#.*)?"
)
_DEFINITION = "flinkdeployments.flink.apache.org"
_VERSION_LISTED = regex(r"(?<![\w.])v[12]_\d{1,2}(?![\w.])")
"""Matches the values of `flinkVersion` in a custom resource definition."""
_LINES_APART = 5
"""The maximum number of lines between the name of the chart or image and its version."""


def releases_of_operator(document: Document) -> tuple[str, str] | None:
    """Return the range of Flink releases that the installed operator supports, with the evidence; None if unknown.

    `document` has the operator's defaults. Its file, or the chart beside it, names the release of the operator: in the
    tag of an image, the address of a repository, or the version of a chart. Several different ones prove nothing.
    """
    chart = found_text(os.path.join(document.directory, CHART)) or ""
    for text in (document.text, chart):
        found = operators_named_in(text)
        if len(found) == 1:
            (operator,) = found
            supported = supported_releases(operator)
            return (supported, f"operator {operator}") if supported else None
    return None


def operators_named_in(text: str) -> set[str]:
    """Return the minor releases of the operator that a file names in an image, an address or a version of its chart."""
    return {*_IN_NAME.findall(text), *_IN_ADDRESS.findall(text), *_versions(text)} if _CHART_NAME in text else set()


def operators_of_definition(text: str) -> frozenset[tuple[int, int]]:
    """Return the releases of the operator whose definition of a FlinkDeployment has the versions of Flink of a text."""
    if _DEFINITION not in text or "CustomResourceDefinition" not in text:
        return frozenset()
    listed = frozenset(_VERSION_LISTED.findall(text))
    return frozenset(
        operator
        for operator in RELEASES
        if listed == {version for version in SINCE_VERSION if release_number(SINCE_VERSION[version]) <= operator}
    )


def operators_installed_in(markdown: str) -> set[str]:
    """Return the minor releases of the operator that commands in Markdown install; other text proves nothing."""
    if _CHART_NAME not in markdown:
        return set()
    found: set[str] = set()
    for command in markdown.replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        if _CHART_NAME in command and _INSTALLS.search(command) is not None:
            found.update(*(pattern.findall(command) for pattern in (_IN_NAME, _IN_ADDRESS, _OPTION)))
    return found


def _versions(text: str) -> Iterator[str]:
    """Yield the versions in the mappings that name the operator's chart or image: near it, in the same column."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        named = _NAMED.fullmatch(line) if _CHART_NAME in line else None
        if named is not None:
            for other in lines[max(0, number - _LINES_APART) : number + _LINES_APART + 1]:
                version = _VERSION.fullmatch(other)
                if version is not None and len(version[1]) == len(named[1]):
                    yield version[2]
