"""Charts of the repository that helmfile installs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from flink_flint.linter.formats.chart_uses.chart_use import (
    ChartUse,
    Read,
    UnknownValues,
    Values,
    file_values,
    local_chart,
    mapping_values,
    single_values,
    yaml_parameters,
)
from flink_flint.linter.formats.syntax.yaml_tree import Value

_FILLED_IN = (
    "valuesTemplate", "setTemplate", "secrets", "inherit", "strategicMergePatches", "jsonPatches", "transformers",
)  # fmt: skip
"""Fields of a release that change what it renders to in ways that are not evaluated."""


def helmfile_uses(path: str, text: str, root: Value, read: Read) -> Iterator[ChartUse]:
    """Yield the releases of a helmfile whose charts are in the repository and whose values are known."""
    folder = posixpath.dirname(path)
    releases = root.get("releases")
    for release in releases.items() if releases is not None else ():
        chart = local_chart(folder, release.string("chart") or "", read)
        if chart is None or release.string("installed") == "false":
            continue
        if any(release.get(field) is not None for field in _FILLED_IN):
            continue
        try:
            values = tuple(_values(path, text, folder, release, read))
        except UnknownValues:
            continue
        yield ChartUse(chart, values, path, release.string("name") or "", release.string("namespace") or "default")


def _values(path: str, text: str, folder: str, release: Value, read: Read) -> Iterator[Values]:
    listed = release.get("values")
    for item in listed.items() if listed is not None else ():
        yield mapping_values(path, text, item) if item.is_mapping else file_values(folder, item.text, read)
    yield from single_values(path, text, yaml_parameters(release.get("set")))
