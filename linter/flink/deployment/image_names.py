"""The Flink release that the name of a container image implies."""

from __future__ import annotations

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.lazy_regex import regex

_REPOSITORIES = ("flink", "pyflink", "cp-flink", "flink-docker")
"""The last segments of repositories whose tags are Flink versions; other tags are the application's own."""
_TAG = regex(r"(?<!\d)v?(\d+\.\d+)(\.\d+)?(?:[-_+][\w.+-]*)?")
_PLACE = regex(r"(?:[\w.-]+(?::\d+)?/)?(?:[\w.-]+/)*(?P<last>[\w.-]+):(?P<tag>[\w.-]+)(?:@[\w+.:-]+)?")
_FLOATING = regex(
    r"(?:[\w.-]+(?::\d+)?/)?(?:[\w.-]+/)*(?P<last>[\w.-]+)(?::(?:latest|stable|\d+|(?:scala|java)[\w.-]*))?"
)


def release_of_image(image: str) -> str | None:
    """Return the Flink version in the tag of an image (``1.18.1``, ``1.18``); None if there is none.

    Only for repositories that publish Flink itself (``flink``, ``apache/flink``, ``bitnami/flink``, a mirror of them):
    the tag of ``orders-job:1.4`` is the application's own. Tags without a minor version (``latest``, ``2``,
    ``scala_2.12``) and digests imply none.
    """
    found = _PLACE.fullmatch(image.strip())
    if found is None or found["last"] not in _REPOSITORIES:
        return None
    tag = _TAG.fullmatch(found["tag"])
    if tag is None or not _is_release(tag[1]):
        return None
    return f"{tag[1]}{tag[2] or ''}"


def is_floating(image: str) -> bool:
    """Return whether a Flink image's name may later mean another minor release: its tag is missing or incomplete."""
    found = _FLOATING.fullmatch(image.strip())
    return found is not None and found["last"] in _REPOSITORIES and release_of_image(image) is None


def _is_release(minor: str) -> bool:
    """Return whether the minor release exists or may exist soon: 1.0 to 1.20, then 2.x."""
    major, _, number = minor.partition(".")
    return minor in MINORS or (major == "1" and int(number) < 9) or (major == "2" and int(number) < 30)
