"""Variables that Flux fills in after it has built a kustomization."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.gitops.flux_builds import filled_in, flux_builds
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


MAP = "kind: ConfigMap\nmetadata: {name: cluster}\ndata: {slots: '8', other: '5'}\n"
FROM = "    substituteFrom: [{kind: ConfigMap, name: cluster}]\n"


def variables(files: dict[str, str]) -> tuple[dict[str, str], bool]:
    """Return the known variables of the only build of some files, and whether there may be more."""
    data = {path: text.encode() for path, text in files.items()}
    (build,) = flux_builds(sorted(data), data.get)
    assert build.variables is not None
    for one in build.variables.values():
        assert one.origin is not None
        assert files[one.origin.path][slice(*one.origin.span)].strip("'") == one.text
    return {name: one.text for name, one in build.variables.items() if one.text}, build.is_open


def test_variables_of_config_maps_in_the_repository_are_known_and_inline_ones_override_them() -> None:
    files = {"flux.yaml": FLUX + SUBSTITUTE + FROM, "settings/map.yaml": MAP}
    assert variables(files) == ({"slots": "4", "other": "5"}, False)


def test_the_last_one_wins_and_secrets_stay_unknown() -> None:
    second = MAP.replace("cluster", "second").replace("'5'", "'6'")
    listed = "    substituteFrom:\n" + "".join(
        f"    - {{kind: {kind}, name: {name}}}\n"
        for kind, name in (("ConfigMap", "cluster"), ("Secret", "s"), ("ConfigMap", "second"))
    )
    files = {"flux.yaml": FLUX + SUBSTITUTE + listed, "a.yaml": MAP, "b.yaml": second}
    assert variables(files) == ({"slots": "4", "other": "6"}, True)


def test_of_several_config_maps_of_a_name_the_nearest_counts() -> None:
    other = MAP.replace("'5'", "'7'")
    prod = {"clusters/prod/flux.yaml": FLUX + SUBSTITUTE + FROM, "clusters/prod/map.yaml": MAP}
    assert variables({**prod, "clusters/dev/map.yaml": other})[0]["other"] == "5"
    assert variables({**prod, "clusters/prod/map2.yaml": other}) == ({"slots": "4"}, True)
    elsewhere = other.replace("name: cluster", "name: cluster, namespace: elsewhere")
    assert variables({**prod, "clusters/prod/map2.yaml": elsewhere})[0]["other"] == "5"


def test_variables_from_objects_are_unknown() -> None:
    more = SUBSTITUTE + "    substituteFrom: [{kind: Secret, name: cluster}]\n"
    assert filled("a: ${slots} ${other:=3}", more).text == "a: 4 ${other:=3}"


@pytest.mark.parametrize("path", ["../out", "'{{ path }}'"])
def test_a_folder_that_is_not_known_is_not_built(path: str) -> None:
    files = {"flux.yaml": FLUX.replace("./envs/prod", path).encode()}
    assert list(flux_builds(files, files.get)) == []


CHANGES = """\
  targetNamespace: shop
  namePrefix: prod-
  images: [{name: flink, newTag: 1.20.1}]
"""


def test_what_flux_changes_are_fields_of_the_kustomization() -> None:
    files = {"flux.yaml": (FLUX + CHANGES).encode()}
    (build,) = flux_builds(files, files.get)
    assert build.is_known
    assert build.changes is not None
    assert list(build.changes.values) == ["namespace", "namePrefix", "images"]
    assert build.changes.text("namespace") == "shop"


def test_without_changes_a_kustomization_is_built_as_it_is() -> None:
    files = {"flux.yaml": FLUX.encode()}
    (build,) = flux_builds(files, files.get)
    assert build.is_known
    assert build.changes is None


@pytest.mark.parametrize("more", ["  namePrefix: '{{ env }}'\n", "  patchesStrategicMerge: [{kind: Deployment}]\n"])
def test_changes_that_are_not_read_are_unknown(more: str) -> None:
    files = {"flux.yaml": (FLUX + more).encode()}
    (build,) = flux_builds(files, files.get)
    assert not build.is_known
