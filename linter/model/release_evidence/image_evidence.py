"""Determines the Flink release of a folder from its Dockerfile, its Compose file or the Helm chart it belongs to.

Source of what `helm create` writes: `pkg/chartutil/create.go` of Helm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import islice

from flink_flint.linter.filesystem.folders import CHART, DOCKERFILES, TEMPLATES, names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.flink.deployment.dockerfile_release import is_newest, release_of_dockerfile
from flink_flint.linter.flink.deployment.image_names import release_of_image
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.text.lazy_regex import regex

_VALUES = ("values.yaml", "values.yml")
_REPOSITORY = regex(r"(?m)^([ \t]*)repository:[ \t]*[\"']?([\w./:-]+)[\"']?[ \t]*(?:#.*)?$")
_TAG = regex(r"(?m)^([ \t]*)tag:[ \t]*[\"']?v?([\w.-]+)[\"']?[ \t]*(?:#.*)?$")
_IMAGE = regex(r"(?m)^[ \t]*(?:image|flinkImage):[ \t]*[\"']?([\w./:@-]+:[\w.-]+)[\"']?[ \t]*(?:#.*)?$")
_COMPOSE = regex(r"(?:docker-)?compose(?:[.-][\w.-]*)?\.ya?ml")
_DEFAULT = regex(r"\$\{\w{1,80}:?-([^{}$\n]{0,200})\}")
_NAME = regex(r"(?m)^name:[ \t]*[\"']?([\w.-]+)")
_APP_VERSION = regex(r"(?m)^appVersion:[ \t]*[\"']?v?(\d+\.\d+(?:\.\d+)?)[\"']?[ \t]*(?:#.*)?$")
_OF_THE_SCAFFOLD = "1.16.0"
"""The `appVersion` that `helm create` writes, which is a release of nginx."""
_SCAFFOLD = regex(
    r"(?m)^description:[ \t]*[\"']?A Helm chart for Kubernetes\b"
    r"|^#[ \t]*This is the version number of the application being deployed\b"
)
"""Matches texts of the `Chart.yaml` that `helm create` writes."""
_FIXED_TAG = regex(r"image:[ \t]*[\"']?[\w./:-]*flink[\w.-]*:v?([\w.-]+)")
"""The tag of an image of Flink in a template."""
_OWN_IMAGE = regex(r"(?m)^image:[ \t]*(?:#.*)?\n(?P<fields>(?:(?:[ \t]+.*|[ \t]*#.*)?\n)*)")
_MAX_BETWEEN = 1_000
"""The maximum number of characters between the repository of an image and its tag."""
_MAX_IMAGES = 100
_MAX_ABOVE = 4
"""The maximum number of folders between a file of a chart and the chart."""


def release_of_chart(folder: str) -> tuple[str, str] | None:
    """Return the Flink release of the images in a Helm chart's `values.yaml`, with the evidence; None if unknown.

    It is a range if they differ. `folder` is that of a file of the chart.
    """
    if (chart := _chart_of(folder)) is None:
        return None
    for name in _VALUES:
        if (found := _release_in(found_text(os.path.join(chart, name)) or "")) is not None:
            return found, f"the image in {name}"
    return None


def app_version_of_chart(folder: str) -> tuple[str, str] | None:
    """Return the Flink release that the `appVersion` of a Helm chart names, with the evidence; None if it names none.

    The chart's name must say that it deploys Flink and nothing else, and the version must be a release of Flink. The
    version that `helm create` writes names none, nor does that of a chart whose image has a tag of its own.
    """
    if (chart := _chart_of(folder)) is None or (text := found_text(os.path.join(chart, CHART))) is None:
        return None
    named, version = _NAME.search(text), _APP_VERSION.search(text)
    if named is None or version is None or not release_of_image(f"{named[1]}:{version[1]}"):
        return None
    if parse_release(version[1]).place is None:
        return None
    if version[1] == _OF_THE_SCAFFOLD and _SCAFFOLD.search(text) is not None:
        return None
    if _has_own_tag(chart, version[1]):
        return None
    return version[1], f"appVersion of the chart {named[1]}"


def _chart_of(folder: str) -> str | None:
    """Return the folder of the innermost Helm chart that contains a folder; None if there is none near."""
    folders = islice(folders_up(os.path.abspath(folder)), 1 + _MAX_ABOVE)
    return next((one for one in folders if os.path.isfile(os.path.join(one, CHART))), None)


def _has_own_tag(chart: str, version: str) -> bool:
    """Return whether a chart's image has a tag that does not start with a version: in its values, or its templates."""
    for name in _VALUES:
        image = _OWN_IMAGE.search(found_text(os.path.join(chart, name)) or "")
        tag = _TAG.search(image["fields"]) if image is not None else None
        if tag is not None and not tag[2].startswith(version):
            return True
    folder = os.path.join(chart, TEMPLATES)
    texts = (found_text(os.path.join(folder, name)) or "" for name in sorted(names_in(folder)))
    tags = {tag for text in texts for tag in _FIXED_TAG.findall(text)}
    return bool(tags) and not any(tag.startswith(version) for tag in tags)


def names_image(names: Iterable[str]) -> bool:
    """Return whether one of the files of a folder, by their names, is a Dockerfile or a Compose file."""
    return any(name in DOCKERFILES or _COMPOSE.fullmatch(name) is not None for name in names)


@remembered
def release_of_compose(folder: str) -> tuple[str, str] | None:
    """Return the release of the Flink images in a folder's Compose file, a range if they differ; None if it has none.

    Of several Compose files, the first by name that has such an image counts.
    """
    for name in sorted(names_in(folder)):
        if _COMPOSE.fullmatch(name) is None:
            continue
        text = _DEFAULT.sub(r"\1", found_text(os.path.join(folder, name)) or "")
        if (found := _release_in(text)) is not None:
            return found, f"the image in {name}"
    return None


@remembered
def compose_files_name(directory: str, image: str) -> bool:
    """Return whether a Compose file of a folder, or of one above it in the repository, has an image named so."""
    return any(
        f"image: {start}{image}" in text.replace('"', "").replace("'", "")
        for folder in folders_up(os.path.abspath(directory))
        for name in names_in(folder)
        if _COMPOSE.fullmatch(name) is not None
        for text in [found_text(os.path.join(folder, name)) or ""]
        for start in ("", "quay.io/", "docker.io/")
    )


def _release_in(values: str) -> str | None:
    """Return the Flink release of the images that a values or Compose file names, a range if they differ."""
    found = sorted({*_releases_in(values)}, key=_order)
    if len(found) > 1:
        return f">={parse_release(found[0]).name},<={parse_release(found[-1]).name}"
    return found[0] if found else None


def _order(release: str) -> tuple[int, int, int]:
    major, minor, patch = parse_release(release)
    return major, minor, -1 if patch is None else patch


def _releases_in(values: str) -> list[str]:
    """Return the Flink releases of the images that a values file names."""
    images = [match[1] for match in _IMAGE.finditer(values)][:_MAX_IMAGES]
    tags = list(_TAG.finditer(values))[:_MAX_IMAGES]
    for repository in list(_REPOSITORY.finditer(values))[:_MAX_IMAGES]:
        tag = next((tag for tag in tags if tag[1] == repository[1] and _is_near(values, repository, tag)), None)
        if tag is not None:
            images.append(f"{repository[2]}:{tag[2]}")
    return [release for image in images if (release := release_of_image(image)) is not None]


def _is_near(values: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two fields of the same indentation belong to one mapping."""
    first, second = sorted((one, other), key=lambda match: match.start())
    if second.start() - first.end() > _MAX_BETWEEN:
        return False
    between = values[first.end() : second.start()].split("\n")[1:-1]
    return all(not line.strip() or (line.startswith(first[1]) and not line.startswith("-")) for line in between)


@remembered
def release_of_folder(folder: str) -> tuple[str, str] | None:
    """Return the Flink release that the Dockerfile in a folder names, with the evidence; None if it names none."""
    for name in filter(names_in(folder).__contains__, DOCKERFILES):
        if (text := found_text(os.path.join(folder, name))) is not None:
            release = release_of_dockerfile(text)
            if release is not None:
                return release, name
    return None


@remembered
def has_newest_image(folder: str) -> bool:
    """Return whether the Dockerfile in a folder extends Flink's image of no release in particular: the newest."""
    texts = (found_text(os.path.join(folder, name)) for name in DOCKERFILES)
    return any(text is not None and is_newest(text) for text in texts)
