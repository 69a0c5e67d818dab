"""Releases of the operator: the Flink that each is built with, and the values of `flinkVersion` that it takes."""

from __future__ import annotations

from flink_flint.linter.flink.deployment.operator import RELEASES, SINCE_VERSION, UNSUPPORTED_SINCE, release_number
from flink_flint.linter.flink.releases import Release, parse_release

OperatorRelease = tuple[int, int]
"""A minor release of the operator."""

NEWEST = RELEASES[-1]

_FLINK = {(1, 4): "1.16.1", (1, 6): "1.17.1", (1, 8): "1.18.1", (1, 10): "1.19.1", (1, 11): "1.20.1"}
"""The Flink that the releases from each one on are built with, whose code reads the options of a resource."""


def flink_in(operator: OperatorRelease) -> Release:
    """Return the release of Flink that a release of the operator is built with."""
    return parse_release(_FLINK[max(since for since in _FLINK if since <= operator)])


def knows_version(version: str, operator: OperatorRelease) -> bool:
    """Return whether the custom resource definition of a release has a value of `flinkVersion`."""
    return version in SINCE_VERSION and release_number(SINCE_VERSION[version]) <= operator


def supports_version(version: str, operator: OperatorRelease) -> bool:
    """Return whether a release runs clusters of a value of `flinkVersion` that it knows."""
    since = UNSUPPORTED_SINCE.get(version)
    return since is None or operator < release_number(since)
