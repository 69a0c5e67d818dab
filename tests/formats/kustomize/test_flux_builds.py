"""Variables that Flux fills in after it has built a kustomization."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.kustomize.flux_builds import filled_in, flux_builds
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: orders}
spec:
  path: ./envs/prod
"""
SUBSTITUTE = "  postBuild:\n    substitute: {slots: '4', empty: ''}\n"


def filled(text: str, more: str = SUBSTITUTE, *, is_quoted: bool = False) -> RenderedText:
    files = {"flux.yaml": (FLUX + more).encode()}
    (build,) = flux_builds(files, files.get)
    rendered = RenderedText([Fragment(text, Origin("job.yaml", Span(10, 10 + len(text))))])
    return filled_in(rendered, build, lambda _: is_quoted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: x${slots}y", "a: x4y"),
        ("a: ${other}", "a: "),
        ("a: ${other:=3}", "a: 3"),
        ("a: ${other:-3}", "a: 3"),
        ("a: ${empty:=3}", "a: 3"),
        ("a: $${slots}", "a: ${slots}"),
        ("a: $slots", "a: $slots"),
        ('a: "${slots}"', "a: 4"),
    ],
)
def test_variables_are_replaced(text: str, expected: str) -> None:
    assert filled(text).text == expected


def test_a_quoted_value_stays_text() -> None:
    assert filled('a: "${slots}"', is_quoted=True).text == 'a: "4"'


def test_a_value_is_at_its_place_in_the_kustomization_and_the_rest_at_its_own() -> None:
    text = filled("a: ${slots}, b")
    value = text.origin(Span(3, 4))
    assert value is not None
    assert value.path == "flux.yaml"
    assert (FLUX + SUBSTITUTE)[slice(*value.span)] == "'4'"
    assert text.origin(Span(6, 7)) == Origin("job.yaml", Span(23, 24))


def test_without_post_build_nothing_is_replaced() -> None:
    assert filled("a: ${slots}", "").text == "a: ${slots}"


def test_variables_from_objects_are_unknown() -> None:
    more = SUBSTITUTE + "    substituteFrom: [{kind: Secret, name: cluster}]\n"
    assert filled("a: ${slots} ${other:=3}", more).text == "a: 4 ${other:=3}"


@pytest.mark.parametrize("path", ["../out", "'{{ path }}'"])
def test_a_folder_that_is_not_known_is_not_built(path: str) -> None:
    files = {"flux.yaml": FLUX.replace("./envs/prod", path).encode()}
    assert list(flux_builds(files, files.get)) == []
