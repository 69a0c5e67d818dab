"""The Flink release that the name of a container image implies."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.lazy_regex import regex

_REPOSITORIES = ("flink", "pyflink", "cp-flink", "flink-docker")
"""The last segments of repositories whose tags are Flink versions; other tags are the application's own."""
_ROLES = frozenset((
    "taskmanager", "taskmanagers", "jobmanager", "jobmanagers", "tm", "jm", "session", "cluster", "sql", "client",
    "gateway", "history", "server", "historyserver",
))  # fmt: skip
"""Words beside ``flink`` in a repository of images that contain Flink and nothing of an application."""
_PARTS = _ROLES | frozenset((
    "base", "image", "docker", "dist", "distribution", "runtime", "standalone", "native", "k8s", "kubernetes",
    "hadoop", "s3", "azure", "gcs", "aws", "python", "py", "pyflink", "scala", "java", "java8", "java11", "java17",
    "java21", "jdk", "jre", "alpine", "debian", "ubuntu", "ubi", "with", "plugins",
))  # fmt: skip
"""Words beside ``flink`` in a repository of images that extend Flink's own, whose tags are mostly Flink's versions."""
_NOT_FLINK = frozenset((
    "operator", "statefun", "cdc", "ml", "exporter", "dashboard", "kafka", "zeppelin", "streampark", "agents", "cli",
    "ui",
))  # fmt: skip
"""Words of repositories for other products around Flink, whose tags are the versions of these."""
_LAST_PATCHES: Mapping[str, int] = {
    "1.9": 3, "1.10": 3, "1.11": 6, "1.12": 7, "1.13": 6, "1.14": 6, "1.15": 4, "1.16": 3, "1.17": 2, "1.18": 1,
    "1.19": 3,
}  # fmt: skip
"""The last patch release of each minor release that gets no more of them (Maven Central)."""
_TAG = regex(r"(?<!\d)v?(\d+\.\d+)(\.\d+)?(?:[-_+][\w.+-]*)?")
_IN_TAG = regex(r"(?i)(?:^|[-_.+])flink[-_.]?v?(\d+[._]\d+)([._]\d+)?(?![\w]*\d)")
"""A version right after the word ``flink`` in a tag or name: ``v2-flink1.18``, ``flink-1.17.2-java11``."""
_JAVA_SUFFIX = regex(r"-(?:scala_2\.1[123]|java(?:8|11|17|21))(?:-|\Z)")
"""The ends of the tags of Flink's own images."""
_PLACE = regex(r"(?:[\w.-]+(?::\d+)?/)?(?:[\w.-]+/)*(?P<last>[\w.-]+):(?P<tag>[\w.-]+)(?:@[\w+.:-]+)?")
_VENDORS = regex(r"(?:^|[/\"'\s])cp-flink\b|:v?\d+\.\d+(?:\.\d+)?-(?:cp|stream)\d|\bemr-on-eks/flink\b")
_PUBLISHED = regex(r"(?:(?:index\.|registry-1\.)?docker\.io/)?(?:(?:library/|apache/)?flink|confluentinc/cp-flink)\b")
_FLOATING = regex(
    r"(?:(?:index\.|registry-1\.)?docker\.io/)?(?:(?:library/|apache/)?flink|confluentinc/cp-flink)"
    r"(?::(?:latest|stable|\d+|(?:scala|java)[\w.-]*))?"
)
"""Published images under a tag that is missing or incomplete; the contents of a private registry are unknown."""


def release_of_image(image: str) -> str | None:
    """Return the Flink version that the name of an image implies (``1.18.1``, ``1.18``); None if it implies none.

    For repositories that publish Flink itself (``flink``, ``apache/flink``, a mirror of them) that is the tag. The tag
    of ``orders-job:1.4`` is the application's own. Of other images it is a version after the word ``flink``
    (``orders:v2-flink1.18``), and the tag if the repository is named for nothing but Flink (``acme/flink-taskmanager``)
    or the tag ends like those of Flink's images, and a Flink release with this number exists. Tags without a minor
    version (``latest``, ``2``, ``scala_2.12``) and digests imply none.
    """
    found = _PLACE.fullmatch(image.strip())
    if found is None:
        return None
    tag = _TAG.fullmatch(found["tag"])
    if found["last"] in _REPOSITORIES:
        if tag is None or not _is_release(tag[1]):
            return None
        is_own = "/" in image and not tag[2] and _PUBLISHED.match(image) is None
        return None if is_own and _is_old(tag[1]) else f"{tag[1]}{tag[2] or ''}"
    words = [word for word in re.split(r"[-_.]", found["last"].lower()) if word]
    if not _NOT_FLINK.isdisjoint(words):
        return None
    for text in (found["tag"], found["last"]):
        named = _IN_TAG.search(text)
        if named is not None:
            return _existing(named[1].replace("_", "."), (named[2] or "").replace("_", "."))
    if tag is None or not ("flink" in words or "pyflink" in words):
        return None
    others = {word for word in words if word not in ("flink", "pyflink", "cp")}
    if others <= _ROLES or (tag[2] and (others <= _PARTS or _JAVA_SUFFIX.search(found["tag"]))):
        return _existing(tag[1], tag[2] or "")
    return None


def is_vendors_build(image: str) -> bool:
    """Return whether the name of an image shows a vendor's own build of Flink, which may have patches of its own.

    Confluent's and Ververica's builds (``confluentinc/cp-flink:1.19.1-cp2``, ``flink:1.17.1-stream4``) have the number
    of the Flink release that they derive from, and Amazon's images for EMR on EKS are EMR's build.
    """
    return _VENDORS.search(image) is not None


def repository_name(image: str) -> str:
    """Return the last segment of the name of an image, without tag and digest."""
    return image.rpartition("/")[2].partition("@")[0].partition(":")[0]


def is_official(image: str) -> bool:
    """Return whether an image is Flink's official one, or a mirror of it, whose contents are known."""
    return repository_name(image) == "flink" and "bitnami" not in image


def java_of_image(image: str) -> int | None:
    """Return the version of Java in an official image of a known release, by its tag; None if it is unknown.

    Without a version in the tag it is 11 from 1.15 up to 1.20, and 17 from 2.0 on.
    """
    release = release_of_image(image) if is_official(image) else None
    if release is None:
        return None
    found = re.search(r":[\w.-]*java(\d{1,2})(?!\d)", image)
    if found is not None:
        return int(found[1])
    major, minor = (int(part) for part in release.split(".")[:2])
    return 17 if major >= 2 else 11 if minor >= 15 else None


def is_floating(image: str) -> bool:
    """Return whether a published Flink image's name may later mean another minor: its tag is missing or incomplete."""
    return _FLOATING.fullmatch(image.strip()) is not None and release_of_image(image) is None


def _is_release(minor: str) -> bool:
    """Return whether the minor release exists or may exist soon: 1.0 to 1.20, then 2.x."""
    major, _, number = minor.partition(".")
    return minor in MINORS or _is_old(minor) or (major == "2" and int(number) < 30)


def _is_old(minor: str) -> bool:
    """Return whether a minor release is older than the catalogue: in a repository of one's own, `flink:1.0` is not."""
    major, _, number = minor.partition(".")
    return major == "1" and int(number) < 9


def _existing(minor: str, patch: str) -> str | None:
    """Return a version of a catalogued minor release whose patch exists or may exist soon; otherwise None."""
    if minor not in MINORS or (patch and int(patch[1:]) > _LAST_PATCHES.get(minor, 20)):
        return None
    return f"{minor}{patch}"
