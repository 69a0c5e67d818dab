"""Built objects know the places that decide their values."""

from __future__ import annotations

from typing import Any

import pytest

from flink_flint.linter.formats.kustomize.build import build
from flink_flint.linter.formats.syntax.yaml_tree import Value, read_trees
from flink_flint.linter.text.rendered_text import RenderedText
from tests.formats.kustomize.case_files import case_named


def place_of(name: str, kind: str, *path: str | int) -> tuple[str, str]:
    """Return the file and the text in it that decide a value of an object of a case."""
    case = case_named(name)
    (text,) = (one.text for one in build(case.folder, case.files.get).objects if one.kind == kind)
    return _place(text, _value(text, *path), case.files)


def _value(text: RenderedText, *path: str | int) -> Value:
    (tree,) = read_trees(text.text)
    assert tree.root is not None
    value = tree.root.get(*path)
    assert value is not None, text.text
    return value


def _place(text: RenderedText, value: Value, files: Any) -> tuple[str, str]:
    origin = text.origin(value.span)
    assert origin is not None
    return origin.path, files[origin.path].decode()[slice(*origin.span)]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("spec", "image"), ("base/orders.yaml", "flink:1.19")),
        (("spec", "taskManager", "resource", "memory"), ("envs/prod/resources.yaml", "8g")),
        (("spec", "job", "parallelism"), ("envs/prod/kustomization.yaml", "32")),
        (("spec", "jobManager", "replicas"), ("ha/kustomization.yaml", "2")),
        (("spec", "flinkConfiguration", "high-availability.type"), ("ha/kustomization.yaml", "kubernetes")),
        (("metadata", "labels", "tier"), ("base/kustomization.yaml", "streaming")),
        (("metadata", "namespace"), ("envs/prod/kustomization.yaml", "flink-prod")),
        (("metadata", "annotations", "owner"), ("envs/prod/kustomization.yaml", "data")),
    ],
)
def test_values_come_from_bases_patches_components_and_fields(
    path: tuple[str | int, ...], place: tuple[str, str]
) -> None:
    assert place_of("flink-in-three-layers", "FlinkDeployment", *path) == place


def test_lines_of_generated_files_are_at_their_lines() -> None:
    case = case_named("generator-files")
    (built,) = build(case.folder, case.files.get).objects
    at = built.text.text.index("parallelism.default")
    origin = built.text.origin(_value(built.text, "data", "flink-conf.yaml").extract().span(
        _value(built.text, "data", "flink-conf.yaml").span._replace(start=0, end=4)
    ))  # fmt: skip
    assert origin is not None
    assert origin.path == "conf/flink-conf.yaml"
    line = built.text.origin(origin.span._replace(start=at, end=at + len("parallelism.default: 2")))
    assert line is not None
    source = case.files[line.path].decode()
    assert source[slice(*line.span)] == "parallelism.default: 2"


def test_lines_of_literals_are_in_the_kustomization() -> None:
    case = case_named("generator-literals")
    (built,) = build(case.folder, case.files.get).objects
    at = built.text.text.index("parallelism.default: 2")
    origin = built.text.origin(_value(built.text, "data").span._replace(start=at, end=at + 22))
    assert origin is not None
    assert case.files[origin.path].decode()[slice(*origin.span)] == "parallelism.default: 2"


def test_a_name_is_made_of_the_prefix_and_the_name() -> None:
    case = case_named("name-prefix-of-flink-deployment")
    (text,) = (one.text for one in build(case.folder, case.files.get).objects if one.kind == "FlinkDeployment")
    span = _value(text, "metadata", "name").span
    first = text.origin(span._replace(end=span.start + 4))
    second = text.origin(span._replace(start=span.start + 4))
    assert first is not None
    assert second is not None
    assert case.files[first.path].decode()[slice(*first.span)] == "dev-"
    assert case.files[second.path].decode()[slice(*second.span)] == "orders"


def test_a_new_tag_of_an_image_is_in_the_kustomization() -> None:
    case = case_named("images-by-configuration")
    (text,) = (one.text for one in build(case.folder, case.files.get).objects if one.kind == "FlinkDeployment")
    span = _value(text, "spec", "image").span
    assert text.text[slice(*span)].strip('"') == "flink:1.20"
    at = text.text.index("1.20", span.start)
    origin = text.origin(span._replace(start=at, end=at + 4))
    assert origin is not None
    assert (origin.path, case.files[origin.path].decode()[slice(*origin.span)]) == (
        "overlay/kustomization.yaml", '"1.20"'[1:-1],
    )  # fmt: skip
