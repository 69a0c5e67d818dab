"""Configurations that recommendations are compared with and written into, each with its cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from flink_flint.calculators.command_line.open_configuration import Opened, open_configuration
from flink_flint.linter.flink.reporter_names import sanitized
from flink_flint.linter.model.safe_text import names_without_secrets
from flink_flint.linter.text.named_tuple import NamedTuple

_CLUSTER_KEYS = (
    "kubernetes.cluster-id", "high-availability.cluster-id", "high-availability.zookeeper.path.namespace",
    "yarn.application.name",
)  # fmt: skip
_JOB_KEY = "pipeline.name"


class Deployment(NamedTuple):
    """A configuration, and the cluster in the store to which the configuration belongs."""

    opened: Opened
    cluster: str


def open_deployments(
    paths: Sequence[str], clusters: Mapping[str, Sequence[str]], *, flink_version: str | None, named: str
) -> list[Deployment]:
    """Open the configurations at `paths`, and find the cluster in the store to which each one belongs.

    `clusters` maps the clusters in the store to the sanitized names of their jobs. A configuration belongs to the
    cluster `named`, or to the only one, or to the one that its identifiers, its custom resource or its job name
    identifies. Raises ValueError if none or several match, if two configurations belong to the same cluster, and for
    an unusable file.
    """
    found: dict[str, Deployment] = {}
    for path in paths:
        opened = open_configuration(path, flink_version=flink_version)
        cluster = named or _cluster_of(opened, clusters)
        if cluster in found:
            other = found[cluster].opened.path
            raise ValueError(f"{path}: is for the cluster {cluster!r}, and so is {other}; give one of the two")
        found[cluster] = Deployment(opened, cluster)
    return list(found.values())


def _cluster_of(opened: Opened, clusters: Mapping[str, Sequence[str]]) -> str:
    if len(clusters) == 1:
        return next(iter(clusters))
    settings = opened.document.settings()
    required = {sanitized(name) for name in _names(settings, opened.document.name)}
    found = [name for name in clusters if sanitized(name) in required]
    if not found and (job := settings.get(_JOB_KEY)):
        found = [name for name, jobs in clusters.items() if sanitized(job) in jobs]
    if len(found) != 1:
        names = ", ".join(names_without_secrets(list(clusters)[:10])) + (" …" if len(clusters) > 10 else "")
        raise ValueError(
            f"{opened.path}: does not name its cluster in the store ({names}); use --cluster, or set "
            f"{_CLUSTER_KEYS[0]} or {_JOB_KEY} in it"
        )
    return found[0]


def _names(settings: Mapping[str, str], name: str | None) -> Iterable[str]:
    """Return the possible names of a configuration's cluster."""
    for key in _CLUSTER_KEYS:
        if settings.get(key):
            yield settings[key].strip("/")
    if name:
        whole = name.rpartition(" ")[2]
        yield from (whole, whole.rpartition("/")[2])
