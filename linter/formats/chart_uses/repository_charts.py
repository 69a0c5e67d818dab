"""Finds charts of the repository by the names in their Chart.yaml."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.formats.chart_uses.chart_use import Read
from flink_flint.linter.formats.helm.rendering.functions.version_functions import is_in_range
from flink_flint.linter.formats.helm.rendering.limits import NotRendered
from flink_flint.linter.formats.syntax.yaml_tree import read_trees
from flink_flint.linter.text.named_tuple import NamedTuple

_LARGEST = 1 << 16


class NamedChart(NamedTuple):
    """A chart of the repository: its folder, and the version in its Chart.yaml."""

    folder: str
    version: str

    def may_be(self, version: str) -> bool:
        """Return whether the chart is of a version, or in a range of versions, as a release names one."""
        try:
            return not version or is_in_range(version, self.version)
        except NotRendered:
            return False


def charts_by_name(everything: Iterable[str], read: Read) -> Mapping[str, NamedChart]:
    """Return the charts of the repository whose names no other chart has; those that are parts of others are left out.

    `everything` are the paths of all files.
    """
    folders = [posixpath.dirname(path) for path in everything if posixpath.basename(path) == CHART]
    known = frozenset(folders)
    found: dict[str, list[NamedChart]] = {}
    for folder in folders:
        outer, _, inner = f"/{folder}".rpartition("/charts/")
        if inner and "/" not in inner and outer.strip("/") in known and outer:
            continue
        data = read(posixpath.join(folder, CHART))
        if data is None or len(data) > _LARGEST:
            continue
        roots: Sequence[object] = read_trees(data.decode("utf-8", "replace"))
        root = roots[0].root if roots else None  # type: ignore[attr-defined]
        if root is not None and root.is_mapping and (name := root.string("name")):
            found.setdefault(name, []).append(NamedChart(folder, root.string("version") or ""))
    return {name: charts[0] for name, charts in found.items() if len(charts) == 1}
