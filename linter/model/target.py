"""Which release, platform and profile a document is judged for, and what says so.

The release comes, in this order, from `--flink-version`, the document itself, a build file beside or
above it, flint's preferences, a Dockerfile's `FROM`. Otherwise it is unknown and the document is judged
over all releases that read a file of its kind.
"""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.flink.releases import (
    FIRST_CONFIG_YAML,
    KNOWN,
    LAST_FLINK_CONF,
    NEWEST,
    Release,
    ReleaseRange,
    nearest_index,
    parse_release,
    release_at,
    spell,
)

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document

# Patterns of files that are seldom there stay text until one is; compiling them would cost every run.
_VERSION = r"(\d+\.\d+(?:\.\d+)?)"
_REQUIRED = rf"(?:(?:==|~=)\s*{_VERSION}|(>=\s*\d+\.\d+(?:\.\d+)?\s*,\s*<=?\s*\d+(?:\.\d+){{0,2}}))"
"""A version, or a range with both ends: what has no upper end says what a program was written for long ago."""
_BUILD_FILES = {
    "pom.xml": rf"<flink\.version>\s*{_VERSION}",
    "build.gradle": rf"flink[._-]?[vV]ersion\s*=\s*['\"]{_VERSION}",
    "build.gradle.kts": rf"flink[._-]?[vV]ersion\s*=\s*['\"]{_VERSION}",
    "gradle.properties": rf"(?m)^flink[._-]?[vV]ersion\s*=\s*{_VERSION}",
    "build.sbt": rf"flinkVersion\s*=\s*\"{_VERSION}",
    "pyproject.toml": rf"apache-flink\s*{_REQUIRED}",
    "requirements.txt": rf"(?m)^apache-flink\s*{_REQUIRED}",
}
_FROM = rf"(?im)^\s*FROM\s+(?:\S*/)?(?:[\w-]*flink[\w-]*):v?{_VERSION}"
_DOCKERFILES = ("Dockerfile", "dockerfile", "Containerfile")
_READERS = {"flink-conf": (0, LAST_FLINK_CONF), "config-yaml": (FIRST_CONFIG_YAML, NEWEST), "map": (0, NEWEST)}
"""The releases that read each syntax."""


class Target:
    """The releases a document is judged for, with platform and profile.

    `indices` are the candidate minors, oldest first: one for a known release. `certain` is False when
    the release is unknown (then only what holds in all of them may be an error) and True for a
    release or a range somebody named (what holds in any of them is reported).
    """

    def __init__(
        self,
        indices: tuple[int, ...],
        *,
        release: Release | None = None,
        certain: bool = True,
        evidence: str,
        platform: str | None = None,
        profile: str = "production",
    ) -> None:
        self.indices = indices
        self.release = release
        self.certain = certain
        self.evidence = evidence
        self.platform = platform
        self.profile = profile
        self._inside: dict[str, tuple[int, ...]] = {}

    def release_at(self, index: int) -> Release:
        """The release judged at a candidate index: with its patch where that is known."""
        return _judged_at(index, self.release)

    def inside(self, releases: str) -> tuple[int, ...]:
        """The candidates within a range of releases (``>=1.14,<2``)."""
        found = self._inside.get(releases)
        if found is None:
            found = self._inside[releases] = _inside(releases, self.indices, self.release)
        return found

    @property
    def is_in_containers(self) -> bool:
        """Whether Flink itself asks a cluster manager for its containers (YARN, native Kubernetes)."""
        return self.platform in ("yarn", "emr", "kubernetes", "operator")

    @property
    def version(self) -> str | None:
        """The release as the JSON contract names it; None when unknown."""
        if self.release is not None:
            return str(self.release)
        if self.certain:
            return spell(self.indices)
        return None


def _judged_at(index: int, release: Release | None) -> Release:
    return release if release is not None and nearest_index(release) == index else release_at(index)


@cache
def _inside(releases: str, indices: tuple[int, ...], release: Release | None) -> tuple[int, ...]:
    spoken = ReleaseRange(releases)
    return tuple(index for index in indices if _judged_at(index, release) in spoken)


def target_of(
    document: Document,
    *,
    flink_version: str | None = None,
    preferred_version: str | None = None,
    platform: str | None = None,
    profile: str | None = None,
    linked: tuple[str, str] | None = None,
    linked_platform: str | None = None,
    linked_profile: str | None = None,
) -> Target:
    """The target of a document; raises ValueError for a version or range nobody can read.

    `linked` is the release, with its evidence, that a document it belongs to names.
    """
    target = _release_target(document, flink_version, preferred_version, linked)
    target.platform = platform or _platform(document) or linked_platform
    target.profile = profile or _profile(document, target.platform, linked_profile)
    return target


def target_from_version(text: str, evidence: str) -> Target:
    """A target from a version (``1.20``, ``1.20.5``) or a range (``>=1.18,<2``)."""
    try:
        release = parse_release(text)
    except ValueError:
        indices = tuple(ReleaseRange(text).indices())
        if not indices:
            raise ValueError(f"no Flink release from {KNOWN} is in the range {text!r}") from None
        if len(indices) == 1:
            return Target(indices, release=release_at(indices[0]), evidence=evidence)
        return Target(indices, evidence=evidence)
    if release.place is None:
        nearest = release_at(nearest_index(release))
        evidence += f" (outside the option catalogue, read as {nearest})"
    return Target((nearest_index(release),), release=release, evidence=evidence)


def _release_target(
    document: Document, flink_version: str | None, preferred: str | None, linked: tuple[str, str] | None
) -> Target:
    if flink_version:
        return target_from_version(flink_version, "--flink-version")
    # A program is compiled for the release its build names, whatever runs it.
    named = _known(document.release) or (None if document.kind == "source" else _known(linked))
    named = named or _known(_from_build_file(document.directory)) or _known(linked)
    if named is not None:
        return named
    if preferred:
        return target_from_version(preferred, "preferences")
    named = _known(_from_dockerfile(document.directory))
    if named is not None:
        return named
    first, last = _READERS[document.syntax]
    indices = tuple(range(first, last + 1))
    return Target(indices, certain=False, evidence=f"unknown, judged over {spell(indices)}")


def _known(named: tuple[str, str] | None) -> Target | None:
    """The target of a version that a file names; None where it names none, or none that there can be."""
    try:
        return None if named is None else target_from_version(*named)
    except ValueError:
        return None


@cache
def _from_build_file(directory: str) -> tuple[str, str] | None:
    return _search_upwards(directory, tuple(_BUILD_FILES.items()))


@cache
def _from_dockerfile(directory: str) -> tuple[str, str] | None:
    return _search_upwards(directory, tuple((name, _FROM) for name in _DOCKERFILES))


def _search_upwards(directory: str, patterns: tuple[tuple[str, str], ...]) -> tuple[str, str] | None:
    """The version the nearest file names, at most up to the root of the repository."""
    folder, child = os.path.abspath(directory), ""
    while folder != child:
        names = names_in(folder)
        for name, pattern in patterns:
            if name in names and (match := _first_match(os.path.join(folder, name), pattern)):
                return match, name
        if ".git" in names:
            break
        folder, child = os.path.dirname(folder), folder
    return None


@cache
def names_in(folder: str) -> frozenset[str]:
    """The names of a folder's files and folders; none where it cannot be read."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _first_match(path: str, pattern: str) -> str | None:
    if (text := found_text(path)) is None:
        return None
    match = re.search(pattern, text)
    found = next(filter(None, match.groups()), None) if match else None
    if found is not None and ">" in found and not ReleaseRange(found).indices():
        return None  # of releases that nobody here knows
    return found


def _platform(document: Document) -> str | None:
    if document.platform is not None:
        return document.platform
    keys = document.effective
    if any(key.startswith("yarn.") for key in keys):
        return "yarn"
    if any(key.startswith("kubernetes.") and not key.startswith("kubernetes.operator.") for key in keys):
        return "kubernetes"
    return None


def _profile(document: Document, platform: str | None, linked: str | None) -> str:
    """Development for a single-machine cluster (its JobManager is `localhost`, no HA), else production.

    Without high availability it is that of the containers that mount the file (`linked`), where they tell.
    """
    if document.profile is not None:
        return document.profile
    if platform in ("yarn", "kubernetes", "operator", "emr", "msf"):
        return "production"
    ha = document.effective.get("high-availability.type") or document.effective.get("high-availability")
    if ha is not None and ha.text.upper() != "NONE":
        return "production"
    if linked is not None:
        return linked
    for key in ("jobmanager.rpc.address", "rest.address"):
        entry = document.effective.get(key)
        if entry is not None and entry.text in ("localhost", "127.0.0.1", "::1"):
            return "development"
    return "production"
