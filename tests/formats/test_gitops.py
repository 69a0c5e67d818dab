"""Objects of Argo CD, Flux, Crossplane and K3s that install charts, patch resources, or contain other objects."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.layers import relate
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, read

APPLICATION = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: orders, namespace: argocd}
spec:
  sources:
    - chart: flink-job # é
      helm:
        parameters:
          - name: flinkConfiguration.rest\\.port
            value: "8082"
          - {name: "flinkConfiguration.taskmanager\\\\.numberOfTaskSlots", value: '4', forceString: true}
        values: |
          flinkConfiguration:
            rest.port: "8081"
            state.backend.type: rocksdb # é
    - path: overlays/production
      kustomize:
        patches:
          - target: {kind: FlinkDeployment, name: clicks}
            patch: |-
              - op: replace
                path: /spec/flinkConfiguration/rest.port
                value: "8083"
"""
VALUES_OBJECT = """apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: orders}
spec:
  generators: [{list: {elements: [{region: eu}]}}]
  template:
    spec:
      source:
        chart: flink-job
        helm:
          values: |
            flinkConfiguration: {rest.port: "1"}
          valuesObject:
            flinkConfiguration:
              rest.port: "8081"
              state.checkpoints.dir: s3://{{region}}/checkpoints
"""
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: operator, namespace: flux}
spec:
  valuesFrom: [{kind: ConfigMap, name: more}]
  values:
    defaultConfiguration:
      flink-conf.yaml: |
        rest.port: 8081
        taskmanager.numberOfTaskSlots: 2
"""
CHARTS = """apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: orders}
spec:
  valuesContent: |-
    flinkConfiguration:
      rest.port: "8081"
---
apiVersion: helm.crossplane.io/v1beta1
kind: Release
metadata: {name: orders}
spec:
  forProvider:
    values:
      flinkConfiguration:
        rest.port: "8082"
    set:
      - {name: 'flinkConfiguration.rest\\.address', value: orders}
"""
OBJECT = """apiVersion: kubernetes.crossplane.io/v1alpha2
kind: Object
metadata: {name: o}
spec:
  forProvider:
    manifest:
      apiVersion: flink.apache.org/v1beta1
      kind: FlinkDeployment
      metadata: {name: orders, namespace: jobs}
      spec:
        flinkVersion: v1_20
        flinkConfiguration:
          rest.port: "8081"
"""
FLUX_PATCH = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: jobs, namespace: flux-system}
spec:
  path: ./jobs
  patches:
    - patch: |
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata: {name: orders}
        spec:
          flinkConfiguration:
            rest.port: "8081"
"""
SAMPLES = {
    "application.yaml": APPLICATION, "set.yaml": VALUES_OBJECT, "release.yaml": RELEASE, "charts.yaml": CHARTS,
    "object.yaml": OBJECT, "flux.yaml": FLUX_PATCH,
}  # fmt: skip


def test_parameters_override_the_values_of_an_application() -> None:
    values, parameters, patch = read("application.yaml", APPLICATION)
    assert values.name == "Application argocd/orders values"
    assert cuts(values) == [("state.backend.type", "state.backend.type", "rocksdb")]
    assert values.kind == parameters.kind == "helm"
    assert parameters.settings() == {"rest.port": "8082", "taskmanager.numberOfTaskSlots": "4"}
    assert cuts(parameters)[0][2] == '"8082"'
    assert parameters.overrides is values
    assert patch.name == "FlinkDeployment default/clicks"
    assert cuts(patch) == [("rest.port", "rest.port", '"8083"')]


def test_later_values_are_a_layer_over_earlier_ones() -> None:
    documents = read("application.yaml", APPLICATION)
    relations = relate(documents)
    assert relations[1].below == (documents[0],)
    assert relations[0].above == (documents[1],)


def test_argo_ignores_values_next_to_an_object_of_values() -> None:
    (document,) = read("set.yaml", VALUES_OBJECT)
    assert document.settings()["rest.port"] == "8081"
    assert "{{region}}" in document.settings()["state.checkpoints.dir"]


def test_the_chart_of_the_operator_has_the_operators_defaults() -> None:
    (document,) = read("release.yaml", RELEASE)
    assert (document.name, document.platform, document.whole) == ("operator defaults", "operator", False)
    assert document.settings() == {"rest.port": "8081", "taskmanager.numberOfTaskSlots": "2"}


def test_releases_of_other_controllers() -> None:
    found = {document.name: document.settings() for document in read("charts.yaml", CHARTS)}
    assert found == {
        "HelmChart default/orders values": {"rest.port": "8081"},
        "Release default/orders values": {"rest.port": "8082"},
        "Release default/orders values #2": {"rest.address": "orders"},
    }


def test_an_object_in_another_is_read_as_the_object_that_it_is() -> None:
    (document,) = read("object.yaml", OBJECT)
    assert (document.kind, document.name) == ("flinkdeployment", "FlinkDeployment jobs/orders")
    assert document.release == ("1.20", "spec.flinkVersion")
    assert ("rest.port", "rest.port", '"8081"') in cuts(document)


def test_a_patch_of_flux_is_that_of_a_kustomization() -> None:
    (document,) = read("flux.yaml", FLUX_PATCH)
    assert (document.name, document.whole) == ("FlinkDeployment default/orders", False)
    assert document.settings() == {"rest.port": "8081"}


@pytest.mark.parametrize(("name", "changes"), [("application.yaml", 4), ("set.yaml", 3), ("charts.yaml", 3)])
def test_edits_change_one_setting(name: str, changes: int) -> None:
    assert sum(assert_edits_hold(document) for document in read(name, SAMPLES[name])) >= changes


def test_a_parameter_is_replaced_and_not_removed() -> None:
    _, parameters, _ = read("application.yaml", APPLICATION)
    after = edited(parameters, "replace", entry(parameters, "rest.port"), "9000")
    assert after is not None
    assert 'value: "9000"' in after.text
    assert edited(parameters, "remove", entry(parameters, "rest.port")) is None


def test_a_setting_is_added_to_values_in_a_text() -> None:
    values, *_ = read("application.yaml", APPLICATION)
    after = edited(values, "add", "state.savepoints.dir", "s3://b/savepoints")
    assert after is not None
    assert "            state.savepoints.dir: s3://b/savepoints\n" in after.text


def test_objects_of_others_are_not_read() -> None:
    assert file_format_of("a.yaml", APPLICATION.replace("flink", "job")) is None
    quiet = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: flink}\nspec: {source: {path: a}}\n"
    assert file_format_of("a.yaml", quiet) is None


def test_findings_point_into_the_values() -> None:
    text = APPLICATION.replace("rocksdb # é", "rocksdb\n            execution.checkpointing.timeout: 10 hours and more")
    file_format = file_format_of("application.yaml", text)
    assert file_format is not None
    report = check([Source("application.yaml", text.encode(), file_format)], Options(select=("FLK021",)))
    (finding,) = report.findings
    assert text[slice(*finding.span)] == "10 hours and more"
