"""Finds which connectors of Flink CDC a project's POM has, thin and with everything they need inside."""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.build_modules import without_comments
from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.text.lazy_regex import regex

_ARTIFACT = regex(r"<artifactId>\s*(flink-(?:sql-)?connector-\w+-cdc)\s*</")
_OUTSIDE = regex(r"<(?:scope>\s*(?:test|provided)|optional>\s*true)\s*</")
_ASIDE = regex(r"(?s)<(profiles|dependencyManagement|build)>.{0,200000}?</\1>")
_LARGEST = 500_000


@remembered
def cdc_artifacts(directory: str) -> frozenset[str]:
    """Return the connectors of Flink CDC that the nearest POM puts into its JAR; those of profiles do not count."""
    for folder in folders_up(os.path.abspath(directory)):
        if "pom.xml" not in names_in(folder):
            continue
        text = without_comments((found_text(os.path.join(folder, "pom.xml")) or "")[:_LARGEST])
        found = set()
        for piece in _ASIDE.sub("", text).split("<dependency>")[1:]:
            one = piece.partition("</dependency>")[0]
            artifact = _ARTIFACT.search(one)
            if artifact is not None and _OUTSIDE.search(one) is None:
                found.add(artifact[1])
        return frozenset(found)
    return frozenset()
