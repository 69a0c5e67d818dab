"""Determines the Flink release of a folder from its Dockerfile or the Helm chart that it belongs to."""

from __future__ import annotations

import os
import re
from itertools import islice

from flink_flint.linter.filesystem.folders import CHART, DOCKERFILES, names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.flink.deployment.dockerfile_release import release_of_dockerfile
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
_MAX_BETWEEN = 1_000
"""The maximum number of characters between the repository of an image and its tag."""
_MAX_IMAGES = 100
_MAX_ABOVE = 4
"""The maximum number of folders between a file of a chart and the chart."""


def release_of_chart(folder: str) -> tuple[str, str] | None:
    """Return the Flink release that the Helm chart of a folder names, with the evidence; None if it names none.

    That is the release of the images in its `values.yaml` (a range if they differ), otherwise the `appVersion` of a
    chart whose name says that it deploys Flink and nothing else.
    """
    folders = islice(folders_up(os.path.abspath(folder)), 1 + _MAX_ABOVE)
    chart = next((one for one in folders if os.path.isfile(os.path.join(one, CHART))), None)
    if chart is None:
        return None
    for name in _VALUES:
        if (text := found_text(os.path.join(chart, name))) is not None:
            found = sorted({*_releases_in(text)}, key=parse_release)
            if found:
                first, last = (parse_release(release).name for release in (found[0], found[-1]))
                return (found[0] if len(found) == 1 else f">={first},<={last}"), f"the image in {name}"
    text = found_text(os.path.join(chart, CHART)) or ""
    named, version = _NAME.search(text), _APP_VERSION.search(text)
    if named and version and (release := release_of_image(f"{named[1]}:{version[1]}")):
        return release, "appVersion of Chart.yaml"
    return None


@remembered
def release_of_compose(folder: str) -> tuple[str, str] | None:
    """Return the release of the Flink images in a folder's Compose file, a range if they differ; None if it has none.

    Of several Compose files, the first by name that has such an image counts.
    """
    for name in sorted(names_in(folder)):
        if _COMPOSE.fullmatch(name) is None:
            continue
        text = _DEFAULT.sub(r"\1", found_text(os.path.join(folder, name)) or "")
        found = sorted({*_releases_in(text)}, key=parse_release)
        if found:
            first, last = (parse_release(release).name for release in (found[0], found[-1]))
            return (found[0] if len(found) == 1 else f">={first},<={last}"), f"the image in {name}"
    return None


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
    for name in DOCKERFILES:
        if (text := found_text(os.path.join(folder, name))) is not None:
            release = release_of_dockerfile(text)
            if release is not None:
                return release, name
    return None
