"""Renders charts as `helm template` does, without Helm: the entry points of this package."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.filesystem.reading import read_found
from flink_flint.linter.formats.helm.rendering.chart_built_ins import built_ins, chart_struct, files_of
from flink_flint.linter.formats.helm.rendering.chart_files import (
    Chart,
    ChartTree,
    Read,
    file_text,
    load_chart,
    read_mapping,
)
from flink_flint.linter.formats.helm.rendering.chart_values import coalesced, overlaid, process_dependencies
from flink_flint.linter.formats.helm.rendering.filled_in_values import FilledInText, without_variables
from flink_flint.linter.formats.helm.rendering.go_values import Map, OpenMap, opened
from flink_flint.linter.formats.helm.rendering.limits import MAX_STEPS, Budget, NotRendered
from flink_flint.linter.formats.helm.rendering.manifest_splitting import manifests
from flink_flint.linter.formats.helm.rendering.marked_text import fragments_of, unknown_part
from flink_flint.linter.formats.helm.rendering.template_evaluation import Evaluator
from flink_flint.linter.formats.helm.rendering.template_nodes import Template
from flink_flint.linter.formats.helm.rendering.template_parsing import parse
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Origin, RenderedText

_MAX_FOLDERS = 2_000
_MAX_FILES = 5_000


class Problem(NamedTuple):
    """The reason why a file could not be rendered, and the position of the problem."""

    reason: str
    origin: Origin | None
    is_syntax: bool = False
    """Whether Helm cannot read the template either, so that no values help."""


class Rendering(NamedTuple):
    """The rendered output of one file of a chart."""

    path: str
    """The path of the rendered template, or of Chart.yaml if a problem concerns the whole chart."""
    name: str
    """The template's name in Helm, such as ``orders/charts/redis/templates/a.yaml``; empty if `path` is Chart.yaml."""
    text: RenderedText | None
    """The rendered output, with template tags for unknown values; None if the template could not be rendered."""
    problem: Problem | None
    unknown: str
    """The reason why a part of the output is unknown; empty if all of it is known."""


def render_chart(
    folder: str,
    values: Sequence[str],
    names: Iterable[str],
    read: Read,
    *,
    release_name: str = "release-name",
    namespace: str = "default",
    steps: int = MAX_STEPS,
    unknown_values: str = "",
) -> Iterator[Rendering]:
    """Render the templates of a chart and its subcharts, and yield their output in Helm's order.

    `values` are the texts of values files in the order of ``helm -f`` (`file_text` makes one that knows its place), in
    addition to the chart's own. `names` are the paths of all files from which `read` may be asked for one, in the same
    form as `folder`. `unknown_values` is the reason why there are other values that are not known, if any: what the
    known ones lack is then unknown where it is written, and so is what fails without it. Never raises; what fails is a
    rendering with a problem, and `steps` bounds the work.
    """
    budget = Budget(steps)
    tree = ChartTree(sorted(names), read)
    chart_file = posixpath.join(folder, CHART)
    try:
        chart = load_chart(tree, folder, budget)
        given = overlaid([_given(text, budget) for text in values], budget)
        chart.is_root = True
        process_dependencies(chart, given, budget)
        merged = coalesced(chart, given, budget)
        if unknown_values:
            like = OpenMap(reason=unknown_values, keys_are_known=True, is_optional=True)
            merged = opened(merged, like, budget.spend)  # type: ignore[assignment]
    except NotRendered as failure:
        yield _failed(chart_file, failure)
        return
    except RecursionError:
        yield _failed(chart_file, NotRendered("values are nested too deeply"))
        return
    for reason in _absent(chart):
        yield Rendering(chart_file, "", None, Problem(reason, None), "")
    yield from _Chart(chart, budget, unknown_values).renderings(merged, release_name, namespace)


def _given(text: str, budget: Budget) -> Map:
    values = read_mapping(text, budget, "values")
    if isinstance(text, FilledInText):
        without_variables(values)
    return values


def render_folder(folder: str, values_files: Sequence[str] = ()) -> Iterator[Rendering]:
    """Render the chart in a folder on disk, and yield the output of each template; see `render_chart`.

    The values files are paths, too. Only files in the folder are read, and, for the values files, those of its
    repository.
    """

    def read(path: str) -> bytes | None:
        try:
            return read_found(path)
        except (OSError, ValueError):
            return None

    top = folder.replace(os.sep, "/").rstrip("/")
    data = [(path, read(path)) for path in values_files]
    values = [file_text(path, content) for path, content in data if content is not None]
    yield from render_chart(top, values, _files_in(top), read)


def _files_in(folder: str) -> list[str]:
    """Return the paths of the files in a folder, without following links to folders."""
    found: list[str] = []
    for number, (place, folders, names) in enumerate(os.walk(folder)):
        folders[:] = sorted(name for name in folders if name != ".git")
        found += [posixpath.join(place.replace(os.sep, "/"), name) for name in sorted(names)]
        if number >= _MAX_FOLDERS or len(found) >= _MAX_FILES:
            break
    return found[:_MAX_FILES]


def _failed(path: str, failure: NotRendered, name: str = "") -> Rendering:
    return Rendering(path, name, None, Problem(failure.reason, failure.origin), "")


def _absent(chart: Chart) -> list[str]:
    """Return why charts that this one depends on, directly or not, are not rendered."""
    found = list(chart.absent.values())
    for subchart in chart.dependencies:
        found += _absent(subchart)
    return list(dict.fromkeys(found))


class _File(NamedTuple):
    """A template's file: its name in the chart, its path, and the values of its chart."""

    name: str
    path: str
    tree: ChartTree
    context: Map
    is_output: bool


class _Chart:
    """The templates of a chart and of its subcharts."""

    def __init__(self, chart: Chart, budget: Budget, unknown_values: str) -> None:
        self.chart, self.budget, self.unknown_values = chart, budget, unknown_values
        self.files: list[_File] = []
        self.templates: dict[str, Template] = {}
        self.failed: list[Rendering] = []

    def renderings(self, values: Map, release_name: str, namespace: str) -> Iterator[Rendering]:
        """Yield what the templates render to."""
        self._collect(self.chart, values, built_ins(release_name, namespace), self.chart.name)
        self.files.sort(key=lambda file: (file.name.count("/"), file.name), reverse=True)
        for file in self.files:
            self._parse(file)
        yield from self.failed
        failed = {rendering.path for rendering in self.failed}
        absent = [*_absent(self.chart), *(f"{path} could not be read" for path in sorted(failed))]
        evaluator = Evaluator(self.templates, self.budget, "; ".join(absent), unknown_values=self.unknown_values)
        for file in self.files:
            if file.is_output and file.path not in failed:
                yield self._rendered(evaluator, file)

    def _collect(self, chart: Chart, values: Map, shared: Map, full_name: str) -> Map:
        """Add the templates of a chart; return what they see as the current value."""
        context = Map(shared)
        context["Chart"] = chart_struct(chart)
        context["Files"] = files_of(chart, self.budget)
        context["Values"] = values
        subcharts = Map()
        context["Subcharts"] = subcharts
        for subchart in chart.dependencies:
            inner = values.get(subchart.name)
            scope = inner if isinstance(inner, Map) else Map()
            subcharts[subchart.name] = self._collect(subchart, scope, shared, f"{full_name}/charts/{subchart.name}")
        for name, path in chart.templates:
            base = name.rpartition("/")[2]
            is_partial = base.startswith("_")
            if is_partial or not chart.is_library:
                is_output = not is_partial and base != "NOTES.txt"
                self.files.append(_File(f"{full_name}/{name}", path, chart.tree, context, is_output))
        return context

    def _parse(self, file: _File) -> None:
        try:
            text = file.tree.text(file.path)
            if text is None:
                raise NotRendered("the file cannot be read")
            self.budget.text(len(text))
            self.budget.spend(len(text) // 8)
            for template in parse(file.name, text):
                known = self.templates.get(template.name)
                if known is None or not template.is_blank:
                    self.templates[template.name] = template
        except NotRendered as failure:
            problem = Problem(failure.reason, failure.origin, is_syntax=failure.origin is not None)
            self.failed.append(Rendering(file.path, file.name, None, problem, ""))
        except RecursionError:
            self.failed.append(_failed(file.path, NotRendered("blocks are nested too deeply"), file.name))

    def _rendered(self, evaluator: Evaluator, file: _File) -> Rendering:
        base = file.name[: file.name.rindex("/templates/")] + "/templates"
        file.context["Template"] = Map({"Name": file.name, "BasePath": base})
        try:
            text = manifests(evaluator.rendered(file.name, file.context))
        except NotRendered as failure:
            return _failed(file.path, failure, file.name)
        return Rendering(file.path, file.name, RenderedText(fragments_of(text)), None, unknown_part(text))
