"""Kustomizations that Argo CD changes before it builds them."""

from __future__ import annotations

from functools import partial

import pytest
import yaml

from flink_flint.linter.formats.gitops.argo_builds import argo_builds
from flink_flint.linter.formats.gitops.deployed_builds import DeployedBuild, edited
from flink_flint.linter.formats.kustomize.build import Build, build

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders}
spec:
  source:
    repoURL: https://example.org/deploy.git
    path: base
    kustomize: KUSTOMIZE
"""
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: orders}
spec:
  generators:
    - list: {elements: [{env: one}, {env: two}]}
  template:
    metadata: {name: 'orders-{{env}}'}
    spec:
      source: {path: 'apps/{{env}}', kustomize: {namePrefix: '{{env}}-'}}
"""
OBJECT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: tm}
spec:
  replicas: 1
  selector: {matchLabels: {app: tm}}
  template:
    metadata: {labels: {app: tm}}
    spec:
      containers: [{name: tm, image: "flink:1.18.1"}, {name: other, image: "registry:5000/x/other:1"}]
"""
KUSTOMIZATION = """\
resources: [tm.yaml]
images: [{name: flink, newTag: 1.19.1}]
namePrefix: own-
replicas: [{name: tm, count: 2}]
commonAnnotations: {a: own, b: own}
"""


def builds(text: str, path: str = "app.yaml") -> list[DeployedBuild]:
    files = {path: text.encode()}
    return list(argo_builds(files, files.get))


def built(kustomize: str) -> Build:
    (one,) = builds(APPLICATION.replace("KUSTOMIZE", kustomize))
    assert one.is_known
    assert one.changes is not None
    files = {"base/kustomization.yaml": KUSTOMIZATION.encode(), "base/tm.yaml": OBJECT.encode()}
    result = build("base", files.get, edit=partial(edited, changes=one.changes))
    assert result.is_whole, result.problems
    return result


def made(kustomize: str) -> dict[str, object]:
    """Return the object as Argo CD deploys it, which the real kustomize makes as well after `kustomize edit`."""
    (one,) = built(kustomize).objects
    found: dict[str, object] = yaml.safe_load(one.text.text)
    return found


def images(kustomize: str) -> list[str]:
    spec = made(kustomize)["spec"]
    assert isinstance(spec, dict)
    return [one["image"] for one in spec["template"]["spec"]["containers"]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("[flink:1.20.1]", ["flink:1.20.1", "registry:5000/x/other:1"]),
        ("[flink=acme/flink:1.20.1]", ["acme/flink:1.20.1", "registry:5000/x/other:1"]),
        ("[flink=acme/flink]", ["acme/flink:1.18.1", "registry:5000/x/other:1"]),
        ("['registry:5000/x/other=registry:5000/y']", ["flink:1.19.1", "registry:5000/y:1"]),
        ("['flink@sha256:24a0', other=b:2]", ["flink@sha256:24a0", "registry:5000/x/other:1"]),
    ],
)
def test_an_image_replaces_that_of_the_same_name(given: str, expected: list[str]) -> None:
    assert images(f"{{images: {given}}}") == expected


def test_a_prefix_replaces_that_of_the_kustomization() -> None:
    assert made("{namePrefix: p-, nameSuffix: -s, namespace: shop}")["metadata"] == {
        "name": "p-tm-s", "namespace": "shop", "annotations": {"a": "own", "b": "own"},
    }  # fmt: skip


def test_annotations_are_added() -> None:
    metadata = made("{commonAnnotations: {b: argo, c: argo}}")["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["annotations"] == {"a": "own", "b": "argo", "c": "argo"}


def test_a_number_of_replicas_may_be_text() -> None:
    spec = made("{replicas: [{name: tm, count: '5'}]}")["spec"]
    assert isinstance(spec, dict)
    assert spec["replicas"] == 5


@pytest.mark.parametrize(
    ("more", "selector", "template"),
    [
        ("", {"app": "tm", "x": "z"}, {"app": "tm", "x": "z"}),
        (", labelWithoutSelector: true", {"app": "tm"}, {"app": "tm"}),
        (", labelWithoutSelector: true, labelIncludeTemplates: true", {"app": "tm"}, {"app": "tm", "x": "z"}),
    ],
)
def test_labels_go_where_the_application_says(more: str, selector: object, template: object) -> None:
    spec = made(f"{{commonLabels: {{x: z}}{more}}}")["spec"]
    assert isinstance(spec, dict)
    assert spec["selector"]["matchLabels"] == selector
    assert spec["template"]["metadata"]["labels"] == template


def test_a_patch_has_its_place_in_the_application() -> None:
    patch = '{patches: [{target: {kind: Deployment}, patch: "- {op: add, path: /spec/paused, value: true}"}]}'
    (one,) = built(patch).objects
    assert any(
        fragment.text == "true" and fragment.origin is not None and fragment.origin.path == "app.yaml"
        for fragment in one.text.fragments
    )


@pytest.mark.parametrize(
    "kustomize",
    ["{namePrefix: '{{ .Values.env }}-'}", "{images: ['*:2']}", "{unheardOf: true}", "{patches: [{a: 1, a: 2}]}"],
)
def test_changes_that_are_not_read_are_unknown(kustomize: str) -> None:
    (one,) = builds(APPLICATION.replace("KUSTOMIZE", kustomize))
    assert not one.is_known


@pytest.mark.parametrize("kustomize", ["{}", "{version: v5.0.0, kubeVersion: '1.30'}", "null"])
def test_other_fields_change_nothing(kustomize: str) -> None:
    (one,) = builds(APPLICATION.replace("KUSTOMIZE", kustomize))
    assert one == DeployedBuild("base", "app.yaml", "orders")


def test_an_application_set_deploys_a_folder_for_each_set_of_parameters() -> None:
    found = builds(SET)
    assert [(one.folder, one.name) for one in found] == [("apps/one", "orders-one"), ("apps/two", "orders-two")]
    assert [one.changes.text("namePrefix") for one in found if one.changes is not None] == ["one-", "two-"]


@pytest.mark.parametrize("path", ["path: '{{ .Values.path }}'", "path: ../outside", "chart: base"])
def test_other_sources_are_left_out(path: str) -> None:
    assert builds(APPLICATION.replace("path: base", path)) == []
