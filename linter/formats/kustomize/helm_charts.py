"""The Helm charts that a kustomization renders (`helmCharts`), as `kustomize build --enable-helm` does.

A chart is looked for in `helmGlobals.chartHome` (``charts`` unless set), in a folder of its version if it has a `repo`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from flink_flint.linter.formats.kustomize.fields import mappings, string, strings, submapping
from flink_flint.linter.formats.kustomize.object_tree import Mapping, RenderedSource, Scalar, is_empty, is_missing, walk
from flink_flint.linter.formats.kustomize.problems import NotKnown
from flink_flint.linter.formats.kustomize.rendered_object import rendered
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import RenderedText

CHART_FIELDS = (
    "name", "version", "repo", "releaseName", "namespace", "valuesFile", "additionalValuesFiles", "valuesInline",
    "valuesMerge", "includeCRDs", "skipHooks", "apiVersions", "kubeVersion", "nameTemplate", "skipTests", "debug",
    "devel",
)  # fmt: skip
_GLOBALS = ("chartHome", "configHome")
_UNKNOWN = ("apiVersions", "kubeVersion", "nameTemplate")
"""Fields that decide what templates see of the cluster, or a name that Helm makes up."""
NOT_RENDERED = "Helm charts are not rendered"


class ChartCall(NamedTuple):
    """A chart that a kustomization renders, with its values."""

    folder: str
    """The folder of the chart in the repository."""
    values: tuple[str | RenderedText, ...]
    """The paths of values files and the values in the kustomization, in the order in which they override each other."""
    release_name: str
    namespace: str


class RenderedChart(NamedTuple):
    """What a chart is rendered to, and the files that it is made of."""

    texts: Sequence[RenderedText | None]
    """The output of each template; None for one whose output is not known as a whole."""
    files: Sequence[str]


RenderChart = Callable[[ChartCall], RenderedChart | None]
"""A function that renders a chart of the repository; None if there is no such chart."""

FileOf = Callable[[Scalar], str]
"""A function that returns the path in the repository of the file that a scalar names, or raises `NotKnown`."""


def chart_folders(folder: str, root: Mapping) -> Iterator[str]:
    """Yield the folders in which the charts of a kustomization in a folder are, if they are in the repository."""
    home = _home(root)
    for args in mappings(root, "helmCharts", CHART_FIELDS):
        yield _chart_folder(folder, home, args)


def rendered_charts(
    folder: str, root: Mapping, render: RenderChart, file_of: FileOf
) -> Iterator[tuple[RenderedChart, list[RenderedSource], NotKnown | None]]:
    """Yield each chart of a kustomization with its objects, and what of it is not known; raise `NotKnown` for all."""
    home = _home(root)
    for args in mappings(root, "helmCharts", CHART_FIELDS):
        unknown = NotKnown(NOT_RENDERED, args.origin)
        chart = _chart_folder(folder, home, args)
        made = render(ChartCall(chart, _values(chart, args, file_of), *_release(args)))
        if made is None:
            raise unknown
        sources = [RenderedSource(posixpath.join(chart, "Chart.yaml"), one) for one in made.texts if one is not None]
        is_known = len(sources) == len(made.texts) and all(is_empty(args.get(key)) for key in _UNKNOWN)
        yield made, sources, None if is_known else unknown


def _home(root: Mapping) -> str:
    given = submapping(root, "helmGlobals", _GLOBALS)
    home = string(given, "chartHome") if given is not None else None
    return home.text if home is not None else "charts"


def _chart_folder(folder: str, home: str, args: Mapping) -> str:
    """Return where a chart is; a folder outside of the repository if it is absolute."""
    name, version = args.text("name"), args.text("version")
    if version and args.text("repo"):
        home = posixpath.join(home, f"{name}-{version}")
    return posixpath.normpath(posixpath.join(folder, home, name))


def _release(args: Mapping) -> tuple[str, str]:
    return args.text("releaseName") or "release-name", args.text("namespace") or "default"


def _values(chart: str, args: Mapping, file_of: FileOf) -> tuple[str | RenderedText, ...]:
    """Return the values with which a chart is rendered, without its own defaults."""
    named, inline = string(args, "valuesFile"), submapping(args, "valuesInline")
    file = [file_of(named)] if named is not None else []
    own: list[RenderedText] = []
    if inline is not None and inline.values:
        given = _without_nulls(inline)
        if file and any(map(is_missing, walk(inline))):
            raise NotKnown(NOT_RENDERED, inline.origin)  # they remove what the file has
        own = [rendered(given)] if given.values else []
    merge = args.text("valuesMerge")
    if merge == "merge" and own and not file:
        file = [posixpath.join(chart, "values.yaml")]
    values: list[str | RenderedText] = [*own, *file] if merge == "merge" else [*file, *own]
    if merge == "replace" and inline is not None and inline.values:
        values = [*own]
    return (*values, *map(file_of, strings(args, "additionalValuesFiles")))


def _without_nulls(mapping: Mapping) -> Mapping:
    """Return a mapping without the keys whose value is null: kustomize leaves these to the chart."""
    made = Mapping(mapping.origin)
    for key, value in mapping.values.items():
        if not is_missing(value):
            made.set(key, _without_nulls(value) if isinstance(value, Mapping) else value, mapping.keys[key])
    return made
