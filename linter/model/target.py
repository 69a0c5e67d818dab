"""The release, platform and profile a document is checked for, with the evidence.

The release comes, in this order, from `--flink-version`, the document itself, a related document, the images of its
Helm chart, a build file in its folder or above, flint.toml, the base image of a Dockerfile; that of a SQL script also
from the builds and images of its repository, wherever they are, if all name one release. Otherwise it is unknown, and
the document is checked for all releases that read a file of its kind; its keys may show an era of them.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.folders import CHART, DOCKERFILES, absolute_path, names_in, remembered
from flink_flint.linter.filesystem.repository import folders_near, folders_up
from flink_flint.linter.flink.releases import (
    FIRST_CONFIG_YAML,
    FIRST_OF_THE_OPERATOR,
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
from flink_flint.linter.flink.uris import LOCAL_HOSTS
from flink_flint.linter.model.local_addresses import is_desktop_path
from flink_flint.linter.model.release_evidence.build_files import release_named_in, release_of_build
from flink_flint.linter.model.release_evidence.distribution import release_of_distribution
from flink_flint.linter.model.release_evidence.era import era_of

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document

_READERS = {"flink-conf": (0, LAST_FLINK_CONF), "config-yaml": (FIRST_CONFIG_YAML, NEWEST), "map": (0, NEWEST)}
"""The releases that read each syntax."""
_FILES = ("flink-conf", "config.yaml", "configmap")
"""Kinds of documents that are Flink's own files; an image passes such a text on to the file that it reads."""
_OF_THE_OPERATOR = ("flinkdeployment", "bluegreen")
"""Kinds of custom resources that Apache's operator reads."""


_NATIVE = ("kubernetes.container.", "kubernetes.jobmanager.", "kubernetes.taskmanager.", "kubernetes.pod-template-file")
"""The starts of keys that only a cluster reads whose containers Flink requests."""
SEVERAL_IMAGES = "the images that read it"
"""The evidence shown for a file's release range if images of several releases read the file."""
_MAX_ABOVE = 4
"""The maximum number of folders between a SQL script and the Compose file of the cluster that it is for."""
_ANSIBLE = {"templates", "files", "defaults", "vars", "group_vars"}
"""The folders of Ansible's roles and inventories in which Flink's settings are."""
_PLAIN = {
    "ConfigMap", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet",
    "FlinkCluster", "FlinkApplication",
}  # fmt: skip
"""Kubernetes objects with which containers are declared and configured."""


_OUTSIDE = " (outside the option catalogue"
"""What is added to the evidence of a release that the option catalogue does not have."""


class Target:
    """The releases a document is checked for, with platform and profile.

    `indices` are the candidate minor releases, oldest first: one for a known release. `certain` is False if the release
    is unknown and True for a release or range that was specified. Only problems of all candidates can be errors. Of an
    unknown release the file may show the `era`: the candidates that read all of its keys. Problems of other candidates
    are not reported then, but an error still has to hold in all candidates, since a key may be a leftover.
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
        purpose: str = "production",
        era: tuple[int, ...] = (),
        named: tuple[int, ...] = (),
    ) -> None:
        self.indices = indices
        self.named = named or indices
        """The releases that somebody named, including those that do not read a file of this kind."""
        self.era = era
        self.release = release
        self.certain = certain
        self.evidence = evidence
        self.platform = platform
        self.profile = profile
        self.purpose = purpose
        """What the document's file is for: ``production``, ``test`` or ``example``."""
        self.operator: tuple[int, int] | None = None
        """The minor release of the operator that flint's configuration names."""
        self.is_started_by_scripts = False
        """Whether the processes are known to be started by Flink's scripts, in containers that manifests declare."""
        self._inside: dict[str, tuple[int, ...]] = {}

    @property
    def in_question(self) -> tuple[int, ...]:
        """The indices of the file's most likely releases: those that its keys indicate, otherwise all candidates."""
        return self.era or self.indices

    def release_at(self, index: int) -> Release:
        """Return the release to check for a candidate index, with the patch version if it is known."""
        return _judged_at(index, self.release)

    def is_shown_by(self, named: tuple[str, str] | None) -> bool:
        """Return whether the release is the one of a pair of a release and its evidence."""
        return named is not None and self.evidence.partition(_OUTSIDE)[0] == named[1]

    def inside(self, releases: str) -> tuple[int, ...]:
        """Return the indices of the candidate releases within a release range (``>=1.14,<2``)."""
        found = self._inside.get(releases)
        if found is None:
            found = self._inside[releases] = _inside(releases, self.indices, self.release)
        return found

    @property
    def is_in_containers(self) -> bool:
        """Whether Flink itself requests containers from a cluster manager (YARN, native Kubernetes)."""
        return self.platform in ("yarn", "emr", "kubernetes", "operator") and not self.is_started_by_scripts

    @property
    def version(self) -> str | None:
        """The target release or release range as written in the JSON output; None if unknown."""
        if self.release is not None:
            return str(self.release)
        if self.certain:
            return spell(self.indices)
        return spell(self.era) if self.era else None


def _judged_at(index: int, release: Release | None) -> Release:
    return release if release is not None and nearest_index(release) == index else release_at(index)


@cache
def _inside(releases: str, indices: tuple[int, ...], release: Release | None) -> tuple[int, ...]:
    release_range = ReleaseRange(releases)
    return tuple(index for index in indices if _judged_at(index, release) in release_range)


def target_of(
    document: Document,
    *,
    flink_version: str | None = None,
    preferred_version: str | None = None,
    operator_version: str | None = None,
    platform: str | None = None,
    profile: str | None = None,
    linked: tuple[str, str] | None = None,
    linked_platform: str | None = None,
    started_on: str | None = None,
    linked_profile: str | None = None,
) -> Target:
    """Return the target of a document; raise ValueError for an invalid version or range.

    `operator_version` is the release of the operator as flint's configuration names it.
    `linked` is the release, with its evidence, that a related document names, and `started_on` the platform of
    containers that start JobManagers or TaskManagers with the document.
    """
    target = _read(_release_target(document, flink_version, preferred_version, linked), document)
    target.platform = platform or document.platform or started_on or _platform_of_keys(document) or linked_platform
    target.purpose = document.purpose
    target.is_started_by_scripts = target.platform == "kubernetes" and (
        _has_own_manifests(document) or (started_on == "kubernetes" and not _is_native(document))
    )
    target.profile = profile or _profile(document, target.platform, linked_profile)
    target.operator = None if operator_version is None else operator_release(operator_version)
    return target


def operator_release(text: str) -> tuple[int, int]:
    """Return the minor release of the operator in a text (``1.10``, ``1.12.1``)."""
    numbers = text.strip().split(".")
    if len(numbers) not in (2, 3) or not all(number.isascii() and number.isdecimal() for number in numbers):
        raise ValueError(f"{text!r} is no release of the operator, such as 1.10")
    return int(numbers[0]), int(numbers[1])


def target_from_version(text: str, evidence: str) -> Target:
    """Return the target for a version (``1.20``, ``1.20.5``) or a range (``>=1.18,<2``)."""
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
        evidence += f"{_OUTSIDE}, read as {nearest})"
    return Target((nearest_index(release),), release=release, evidence=evidence)


def _release_target(
    document: Document, flink_version: str | None, preferred: str | None, linked: tuple[str, str] | None
) -> Target:
    if flink_version:
        return target_from_version(flink_version, "--flink-version")
    # A program is compiled for the release its build names, whatever runs it.
    named = _known(document.release) or (None if document.kind == "source" else _known(linked))
    if named is None and document.kind not in ("source", "sql"):
        named = _known(release_of_distribution(document.directory)) or _known(_from_chart(document.directory))
        named = named or _from_app_version(document) or _known(_from_ansible(document.directory))
    if named is None and (built := _known(release_of_build(document.directory))) is not None:
        named = None if _is_for_newest_image(document) else built
    named = named or _known(linked)
    if named is not None:
        return named
    if preferred:
        return target_from_version(preferred, "flint.toml")
    named = _known(_from_dockerfile(document.directory)) or _known(_from_operator(document))
    if named is None and document.kind == "sql":
        named = _known(_from_compose(document.directory)) or _known(_from_repository(document.directory))
    if named is not None:
        return named
    indices = _readers_of(document)
    era = era_of(document, indices)
    if era is not None:
        return Target(indices, certain=False, evidence=era.evidence, era=era.indices)
    return Target(indices, certain=False, evidence=f"unknown, checked for {spell(indices)}")


def _is_for_newest_image(document: Document) -> bool:
    """Return whether a document is beside or in a Dockerfile whose image is of no known release, or in a folder of it.

    A build above it is for what runs in the image, or for another image.
    """
    if document.kind in ("source", "sql"):
        return False
    return _has_newest_image(document.directory)


@remembered
def _has_newest_image(directory: str) -> bool:
    for folder in folders_up(absolute_path(directory)):
        if not names_in(folder).isdisjoint(DOCKERFILES):
            from flink_flint.linter.model.release_evidence.image_evidence import has_newest_image

            return has_newest_image(folder)
        if release_named_in(folder) is not None:
            return False
    return False


def _readers_of(document: Document) -> tuple[int, ...]:
    """Return the releases that read a document of this kind."""
    first, last = _READERS[document.syntax]
    return tuple(range(max(first, _first_of(document)), last + 1))


def _first_of(document: Document) -> int:
    return FIRST_OF_THE_OPERATOR if document.kind in _OF_THE_OPERATOR else 0


def _read(target: Target, document: Document) -> Target:
    """Restrict a range of releases to those that read a document of this kind, if there are any."""
    if len(target.indices) > 1 and document.kind in (*_FILES, *_OF_THE_OPERATOR):
        readers = _readers_of(document)
        read = tuple(index for index in target.indices if index in readers)
        if read and len(read) < len(target.indices):
            release = release_at(read[0]) if len(read) == 1 else None
            return Target(read, release=release, evidence=target.evidence, named=target.indices)
    return target


def _known(named: tuple[str, str] | None) -> Target | None:
    """Return the target for a version that a file names; None if there is none or it is invalid."""
    try:
        return None if named is None else target_from_version(*named)
    except ValueError:
        return None


@remembered
def _from_dockerfile(directory: str) -> tuple[str, str] | None:
    folders = [one for one in folders_up(absolute_path(directory)) if not names_in(one).isdisjoint(DOCKERFILES)]
    if not folders:
        return None
    from flink_flint.linter.model.release_evidence.image_evidence import release_of_folder

    return next((found for folder in folders if (found := release_of_folder(folder)) is not None), None)


@remembered
def _from_compose(directory: str) -> tuple[str, str] | None:
    """Return the release of the containers that a script beside or below a Compose file is written for."""
    from flink_flint.linter.model.release_evidence.image_evidence import release_of_compose

    return next(filter(None, map(release_of_compose, folders_near(absolute_path(directory), _MAX_ABOVE))), None)


@remembered
def _from_repository(directory: str) -> tuple[str, str] | None:
    """Return the release that all builds and images of the repository name."""
    from flink_flint.linter.model.release_evidence.only_release import only_release_of

    return only_release_of(directory)


def _from_operator(document: Document) -> tuple[str, str] | None:
    if not document.is_operator_defaults:
        return None
    from flink_flint.linter.model.release_evidence.operator_evidence import releases_of_operator

    return releases_of_operator(document)


@remembered
def _from_chart(directory: str) -> tuple[str, str] | None:
    if not any(CHART in names_in(folder) for folder in folders_up(absolute_path(directory))):
        return None
    from flink_flint.linter.model.release_evidence.image_evidence import release_of_chart

    return release_of_chart(directory)


@remembered
def _from_ansible(directory: str) -> tuple[str, str] | None:
    if _ANSIBLE.isdisjoint(absolute_path(directory).split(os.sep)[-4:]):
        return None
    from flink_flint.linter.model.release_evidence.ansible import release_of_ansible

    return release_of_ansible(directory)


def _from_app_version(document: Document) -> Target | None:
    """Return the release that the `appVersion` of a document's chart names, if it reads a file of this kind.

    A `config.yaml` for a release without one shows that the chart's authors did not keep the version current.
    """
    named = _known(_app_version(document.directory))
    return named if named is not None and named.indices[0] in _readers_of(document) else None


@remembered
def _app_version(directory: str) -> tuple[str, str] | None:
    if not any(CHART in names_in(folder) for folder in folders_up(absolute_path(directory))):
        return None
    from flink_flint.linter.model.release_evidence.image_evidence import app_version_of_chart

    return app_version_of_chart(directory)


def _platform_of_keys(document: Document) -> str | None:
    """Return the platform that keys of a document are for, which may be leftovers where something else starts Flink."""
    keys = document.effective
    if any(key.startswith("yarn.") for key in keys):
        return "yarn"
    if any(key.startswith("kubernetes.") and not key.startswith("kubernetes.operator.") for key in keys):
        return "kubernetes"
    return None


def _has_own_manifests(document: Document) -> bool:
    """Return whether manifests declare the containers of a cluster, instead of Flink that requests them (native)."""
    if document.platform != "kubernetes" or document.kind == "ververica":
        return False
    if _is_native(document):
        return False
    kinds = {element.name for element in document.elements if element.kind == "kubernetes-object"}
    roles = {element.value("role") for element in document.elements if element.kind == "container"}
    return bool(kinds & _PLAIN) and "cluster" not in roles


def _is_native(document: Document) -> bool:
    return any(key.startswith(_NATIVE) for key in document.effective)


def _profile(document: Document, platform: str | None, linked: str | None) -> str:
    """Return "development" for a single-machine cluster (JobManager on `localhost`, no HA), else "production".

    Tests and examples are development, whatever they configure, and so is a file with paths of a developer's desktop.
    Without high availability it is the profile of the containers that mount the file (`linked`), if they agree on one.
    """
    if document.purpose != "production":
        return "development"
    if document.profile is not None:
        return document.profile
    if platform in ("yarn", "kubernetes", "operator", "emr", "msf"):
        return "production"
    if document.is_configuration_file and any(is_desktop_path(entry.text) for entry in document.effective.values()):
        return "development"
    ha = document.effective.get("high-availability.type") or document.effective.get("high-availability")
    if ha is not None and ha.text.upper() != "NONE":
        return "production"
    if linked is not None:
        return linked
    for key in ("jobmanager.rpc.address", "rest.address"):
        entry = document.effective.get(key)
        if entry is not None and entry.text in LOCAL_HOSTS:
            return "development"
    return "production"
