"""Kustomizations: ConfigMaps generated from literals, and inline patches."""

from __future__ import annotations

import pytest

from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

SAMPLES = {
    "kustomization.yaml": """namespace: jobs
resources: [../base]
configMapGenerator:
  - name: flink-config
    behavior: merge
    literals:
      - |-
        flink-conf.yaml=taskmanager.numberOfTaskSlots: 2
        rest.port: 8081
      - MODE=prod
  - name: other
    files: [flink-conf.yaml]
""",
    "kustomization.yml": """patches:
  - target:
      kind: FlinkDeployment
      name: orders
    patch: |-
      - op: replace
        path: /spec/flinkConfiguration/taskmanager.numberOfTaskSlots
        value: "4" # größe
      - op: add
        path: "/spec/flinkConfiguration/s3.path~1style"
        value: 'true'
      - op: remove
        path: /spec/flinkConfiguration/rest.port
  - patch: |
      apiVersion: flink.apache.org/v1beta1
      kind: FlinkDeployment
      metadata: {name: payments, namespace: prod}
      spec:
        flinkConfiguration:
          taskmanager.numberOfTaskSlots: "8"
        taskManager:
          resource:
            memory: 4g
  - path: other.yaml
""",
}


def test_a_literal_that_is_a_file_of_flink_is_read() -> None:
    (document,) = read("kustomization.yaml", SAMPLES["kustomization.yaml"])
    assert (document.kind, document.name, document.whole) == ("configmap", "ConfigMap jobs/flink-config", False)
    assert cuts(document) == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", "2"),
        ("rest.port", "rest.port", "8081"),
    ]


def test_patches_in_the_file_are_parts_of_what_they_patch() -> None:
    first, second = read("kustomization.yml", SAMPLES["kustomization.yml"])
    assert (first.name, first.whole, first.platform) == ("FlinkDeployment default/orders", False, "operator")
    assert cuts(first) == [
        ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", '"4"'),
        ("s3.path/style", "s3.path~1style", "'true'"),
    ]
    assert (second.name, second.kind) == ("FlinkDeployment prod/payments", "flinkdeployment")
    assert ("taskmanager.numberOfTaskSlots", "taskmanager.numberOfTaskSlots", '"8"') in cuts(second)
    found = entry(second, "taskmanager.memory.process.size")
    assert (second.text[slice(*found.value_span)], found.layer) == ("4g", "spec.taskManager.resource.memory")
    ((_, attributes),) = parts(second, "kubernetes-object")
    assert attributes["metadata.name"] == ("payments", "payments")


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_edits_change_one_setting(name: str, line_end: str) -> None:
    documents = read(name, SAMPLES[name].replace("\n", line_end))
    assert sum(assert_edits_hold(document, "17") for document in documents) > 0


def test_a_value_of_a_json_patch_is_replaced_in_its_quotes() -> None:
    first, _ = read("kustomization.yml", SAMPLES["kustomization.yml"])
    after = edited(first, "replace", entry(first, "taskmanager.numberOfTaskSlots"), "6")
    assert after is not None
    assert after.text == first.text.replace('"4"', '"6"')
    assert edited(first, "remove", entry(first, "taskmanager.numberOfTaskSlots")) is None
    assert edited(first, "add", "rest.port", "1") is None


@pytest.mark.parametrize(
    "text", ["resources: [flink.yaml]\n", "patches: &flink\n  - *flink\n", "patches: [a, {}]  # flink\n"]
)
def test_a_kustomization_that_only_names_files_has_no_documents(text: str) -> None:
    from flink_flint.linter.formats.kustomize.kustomization import FILE_FORMAT

    assert FILE_FORMAT.read("kustomization.yaml", text.encode()) == []
