"""Charts that Argo CD (`Application`, `ApplicationSet`) and Flux (`HelmRelease`) install from the repository itself.

The address of the repository is not compared: a path with a chart in it is the chart that is meant.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from flink_flint.linter.formats.chart_uses.chart_use import (
    ChartUse,
    Read,
    UnknownValues,
    Values,
    file_values,
    inside,
    local_chart,
    mapping_values,
    single_values,
    text_of_file,
    text_values,
    yaml_parameters,
)
from flink_flint.linter.formats.gitops.chart_releases import argo_sources
from flink_flint.linter.formats.syntax.yaml_tree import Value

ConfigMapValues = Callable[[str, str], "Values | None"]
"""A function that returns the values under a key of the named ConfigMap; None if the repository lacks them."""


def argo_uses(path: str, text: str, root: Value, read: Read) -> Iterator[ChartUse]:
    """Yield the chart releases that an Application or an ApplicationSet's template installs from the repository."""
    holder = root.get("spec", "template") if root.string("kind") == "ApplicationSet" else root
    name = (holder.string("metadata", "name") if holder is not None else None) or ""
    namespace = (holder.string("spec", "destination", "namespace") if holder is not None else None) or "default"
    for source in argo_sources(root):
        chart = local_chart("", source.string("path") or "", read)
        if chart is None:
            continue
        helm = source.get("helm")
        try:
            values = list(_argo_values(path, text, chart, helm, read)) if helm is not None else []
        except UnknownValues:
            continue
        release = (helm.string("releaseName") if helm is not None else None) or name
        yield ChartUse(chart, tuple(values), path, release, namespace)


def _argo_values(path: str, text: str, chart: str, helm: Value, read: Read) -> Iterator[Values]:
    files = helm.get("valueFiles")
    for item in files.items() if files is not None else ():
        named = item.text or ""
        if named.startswith("$"):  # a file of another source of the Application, which is its repository
            named = named.partition("/")[1] + named.partition("/")[2]
        place = inside(chart, named)
        if helm.string("ignoreMissingValueFiles") == "true" and place is not None and read(place) is None:
            continue
        yield file_values(chart, named, read)
    values, mapping = helm.get("values"), helm.get("valuesObject")
    if mapping is not None and mapping.is_mapping:
        yield mapping_values(path, text, mapping)
    elif values is not None and values.is_scalar:
        yield text_values(path, values.extract())
    yield from single_values(path, text, yaml_parameters(helm.get("parameters")))
    given = helm.get("fileParameters")
    for item in given.items() if given is not None else ():
        name, file = item.string("name"), item.string("path")
        if not name or not file:
            raise UnknownValues
        if file.startswith("$"):
            file = file.partition("/")[1] + file.partition("/")[2]
        yield text_of_file(name, file_values(chart, file, read).path, read)


def flux_uses(path: str, text: str, root: Value, read: Read, config_map: ConfigMapValues) -> Iterator[ChartUse]:
    """Yield the chart release that a HelmRelease installs, if the chart is in the repository."""
    spec = root.get("spec")
    wanted = spec.get("chart", "spec") if spec is not None else None
    if spec is None or wanted is None or wanted.string("sourceRef", "kind") not in ("GitRepository", None):
        return
    chart = local_chart("", wanted.string("chart") or "", read)
    if chart is None:
        return
    try:
        values = tuple(_flux_values(path, text, chart, spec, wanted, read, config_map))
    except UnknownValues:
        return
    namespace = spec.string("targetNamespace") or root.string("metadata", "namespace") or "default"
    name = root.string("metadata", "name") or ""
    if spec.string("targetNamespace"):
        name = f"{spec.string('targetNamespace')}-{name}"
    yield ChartUse(chart, values, path, spec.string("releaseName") or name, namespace)


def _flux_values(
    path: str, text: str, chart: str, spec: Value, wanted: Value, read: Read, config_map: ConfigMapValues
) -> Iterator[Values]:
    yield from _flux_files(chart, wanted, read)
    several = spec.get("valuesFrom")
    for item in several.items() if several is not None else ():
        kind, name = item.string("kind"), item.string("name")
        found = None
        if kind == "ConfigMap" and name and item.string("targetPath") is None:
            found = config_map(name, item.string("valuesKey") or "values.yaml")
        if found is not None:
            yield found
        elif item.string("optional") != "true":
            raise UnknownValues
    values = spec.get("values")
    if values is not None and values.is_mapping:
        yield mapping_values(path, text, values)


def _flux_files(chart: str, wanted: Value, read: Read) -> Sequence[Values]:
    """Return the values files of a HelmRelease, which replace the chart's own and are relative to the repository."""
    listed = wanted.get("valuesFiles")
    files = [file_values("", item.text, read) for item in (listed.items() if listed is not None else ())]
    if (single := wanted.string("valuesFile")) is not None:
        files.append(file_values("", single, read))
    if files and files[0].path != posixpath.join(chart, "values.yaml"):
        raise UnknownValues  # without the chart's own values, which the rendering always has
    return files
