"""Helm charts of kustomizations: which chart, with which values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from flink_flint.linter.formats.kustomize.build import Build, build
from flink_flint.linter.formats.kustomize.helm_charts import ChartCall, RenderedChart
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n"
FILES = {"o/v.yaml": b"a: file\n", "o/w.yaml": b"b: file\n"}


class Charts:
    """A renderer that records its calls and renders each chart to one object."""

    def __init__(self, texts: Sequence[str | None] = (OBJECT,)) -> None:
        self.calls: list[ChartCall] = []
        self._texts = texts

    def __call__(self, call: ChartCall) -> RenderedChart | None:
        self.calls.append(call)
        path = f"{call.folder}/templates/a.yaml"
        return RenderedChart([None if one is None else _rendered(path, one) for one in self._texts], [path])

    @property
    def values(self) -> list[str]:
        (call,) = self.calls
        return [one if isinstance(one, str) else one.text for one in call.values]


def _rendered(path: str, text: str) -> RenderedText:
    return RenderedText([Fragment(text, Origin(path, Span(0, len(text))))])


def built(text: str, charts: Charts) -> Build:
    return build("o", {**FILES, "o/kustomization.yaml": text.encode()}.get, render_chart=charts)


@pytest.mark.parametrize(
    ("more", "values"),
    [
        ("", []),
        ("valuesFile: v.yaml", ["o/v.yaml"]),
        ("valuesInline: {a: b}", ["a: b\n"]),
        ("valuesFile: v.yaml, valuesInline: {a: b}", ["o/v.yaml", "a: b\n"]),
        ("valuesFile: v.yaml, valuesInline: {a: b}, valuesMerge: override", ["o/v.yaml", "a: b\n"]),
        ("valuesFile: v.yaml, valuesInline: {a: b}, valuesMerge: merge", ["a: b\n", "o/v.yaml"]),
        ("valuesInline: {a: b}, valuesMerge: merge", ["a: b\n", "o/charts/c/values.yaml"]),
        ("valuesFile: v.yaml, valuesInline: {a: b}, valuesMerge: replace", ["a: b\n"]),
        ("valuesFile: v.yaml, valuesMerge: replace", ["o/v.yaml"]),
        ("valuesInline: {a: b}, additionalValuesFiles: [v.yaml, w.yaml]", ["a: b\n", "o/v.yaml", "o/w.yaml"]),
        ("valuesInline: {a: null, b: {c: null, d: e}}", ["b:\n  d: e\n"]),
    ],
)
def test_values_override_each_other_in_this_order(more: str, values: list[str]) -> None:
    charts = Charts()
    assert built(f"helmCharts: [{{name: c, {more}}}]\n", charts).is_whole
    assert charts.values == values


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("helmCharts: [{name: c}]\n", "o/charts/c"),
        ("helmCharts: [{name: c, version: 1.0.0}]\n", "o/charts/c"),
        ("helmCharts: [{name: c, version: 1.0.0, repo: 'https://example.org'}]\n", "o/charts/c-1.0.0/c"),
        ("helmGlobals: {chartHome: ../all}\nhelmCharts: [{name: c}]\n", "all/c"),
    ],
)
def test_the_folder_of_a_chart(text: str, folder: str) -> None:
    charts = Charts()
    result = built(text, charts)
    assert result.charts == (folder,)
    assert result.chart_files == (f"{folder}/templates/a.yaml",)
    assert charts.calls[0].folder == folder


def test_the_release_has_the_name_and_namespace_that_the_kustomization_gives_it() -> None:
    charts = Charts()
    built("namespace: shop\nhelmCharts: [{name: c}, {name: c, releaseName: orders, namespace: flink}]\n", charts)
    assert [(one.release_name, one.namespace) for one in charts.calls] == [
        ("release-name", "default"), ("orders", "flink"),
    ]  # fmt: skip


def test_objects_of_charts_are_changed_like_others_and_keep_their_places() -> None:
    result = built("namePrefix: prod-\nhelmCharts: [{name: c}]\n", Charts())
    (one,) = result.objects
    assert one.name == "prod-made"
    origin = one.text.origin(Span(one.text.text.index("ConfigMap"), one.text.text.index("ConfigMap") + 9))
    assert origin is not None
    assert origin.path == "o/charts/c/templates/a.yaml"
    assert OBJECT[slice(*origin.span)] == "ConfigMap"


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("helmCharts: [{name: c}]\n", [OBJECT, None]),
        ("helmCharts: [{name: c, kubeVersion: '1.30'}]\n", [OBJECT]),
        ("helmCharts: [{name: c, valuesFile: missing.yaml}]\n", [OBJECT]),
        ("helmCharts: [{name: c, valuesFile: v.yaml, valuesInline: {a: {b: null}}}]\n", [OBJECT]),
    ],
)
def test_what_is_not_known_of_a_chart_is_a_problem(text: str, texts: list[str | None]) -> None:
    result = built(text, Charts(texts))
    assert not result.is_whole
    assert result.charts == ("o/charts/c",)


def test_a_chart_outside_of_the_repository_is_not_known() -> None:
    result = build("o", {"o/kustomization.yaml": b"helmCharts: [{name: c}]\n"}.get, render_chart=lambda _: None)
    assert [one.reason for one in result.problems] == ["Helm charts are not rendered"]
