"""Kubernetes objects, manifests and releases of charts in Terraform: HCL, JSON and plans."""

from __future__ import annotations

import json

import pytest

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layers import relate
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

MANIFEST = """locals {
  shared = { "state.checkpoints.dir" = "s3://b/é" }
}
variable "slots" { default = 4 }
resource "kubernetes_manifest" "orders" {
  manifest = {
    apiVersion = "flink.apache.org/v1beta1"
    kind       = "FlinkDeployment"
    metadata   = { name = var.name, namespace = "jobs" }
    spec = {
      image          = "flink:1.20.4"
      flinkVersion   = "v1_20"
      serviceAccount = "flink"
      flinkConfiguration = merge(local.shared, {
        "taskmanager.numberOfTaskSlots" = var.slots
        "rest.port"                     = "8081" # é
        "rest.address"                  = "${var.host}.local"
      })
      jobManager  = { resource = { memory = "2g", cpu = 1 } }
      taskManager = { resource = { memory = "4g", cpu = 2 } }
      job         = { jarURI = "local:///a.jar", parallelism = var.parallelism, upgradeMode = "savepoint" }
    }
  }
}
"""
YAML = """resource "kubectl_manifest" "orders" {
  yaml_body = <<-EOT
    apiVersion: flink.apache.org/v1beta1
    kind: FlinkDeployment
    metadata: {name: "${var.name}"}
    spec:
      flinkVersion: v1_20
      flinkConfiguration:
        rest.port: "8081" # é
        %{ if var.wide }
        taskmanager.numberOfTaskSlots: "8"
        %{ else }
        taskmanager.numberOfTaskSlots: "2"
        %{ endif }
  EOT
}
resource "kubernetes_manifest" "clicks" {
  manifest = yamldecode(<<EOT
apiVersion: flink.apache.org/v1beta1
kind: FlinkSessionJob
metadata: {name: clicks}
spec:
  flinkConfiguration: {rest.address: a}
EOT
  )
}
"""
PODS = """resource "kubernetes_config_map_v1" "flink" {
  metadata {
    name      = "flink-config"
    namespace = "jobs"
  }
  data = {
    "flink-conf.yaml" = <<-EOT
      rest.port: 8081
      state.backend: rocksdb # é
    EOT
    "job.sql" = "SET 'execution.checkpointing.interval' = '1 min';\\nCREATE TABLE a WITH ('connector' = 'print');\\n"
    "other"   = file("${path.module}/other.txt")
  }
}
resource "kubernetes_deployment" "taskmanager" {
  metadata {
    name      = "taskmanager"
    namespace = "jobs"
    labels    = { component_name = "taskmanager" }
  }
  spec {
    template {
      spec {
        container {
          name  = "taskmanager"
          image = "flink:1.19.1"
          args  = ["taskmanager", "-Drest.address=é"]
          env {
            name  = "FLINK_PROPERTIES"
            value = <<-E
              taskmanager.numberOfTaskSlots: 2
              parallelism.default: 3
            E
          }
          port {
            container_port = 6122
          }
          volume_mount {
            name       = "config"
            mount_path = "/opt/flink/conf"
          }
          resources {
            limits = { memory = "2Gi" }
          }
        }
        volume {
          name = "config"
          config_map {
            name = "flink-config"
          }
        }
      }
    }
  }
}
"""
CHART = """resource "helm_release" "orders" {
  name  = "orders"
  chart = "flink-job"
  values = [
    yamlencode({ flinkConfiguration = { "rest.port" = "8081", "state.backend.type" = "hashmap" } }),
    <<-EOT
      flinkConfiguration:
        state.backend.type: rocksdb # é
        rest.address: ${var.host}
    EOT
    ,
    file("values.yaml"),
  ]
  set {
    name  = "flinkConfiguration.taskmanager\\\\.numberOfTaskSlots"
    value = 4
  }
}
"""
OPERATOR = """resource "helm_release" "operator" {
  chart  = "flink-kubernetes-operator"
  values = [yamlencode({ defaultConfiguration = { "flink-conf.yaml" = "rest.port: 8081\\nweb.timeout: 10 s\\n" } })]
  set    = [{ name = "defaultConfiguration.append", value = "true" }]
}
"""
PLAN = json.dumps({
    "format_version": "1.2",
    "planned_values": {"root_module": {
        "resources": [{
            "address": "kubernetes_manifest.orders", "type": "kubernetes_manifest", "name": "orders",
            "values": {"manifest": {
                "apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "orders"},
                "spec": {"flinkVersion": "v1_20", "flinkConfiguration": {"rest.port": "8081"}},
            }},
        }],
        "child_modules": [{"resources": [
            {"type": "kubernetes_config_map", "name": "c", "values": {
                "metadata": [{"name": "flink-config"}],
                "data": {"flink-conf.yaml": "rest.port: 8081 # \u003c\nweb.timeout: 10 s\n"},
            }},
            {"type": "kubernetes_deployment", "name": "t", "values": {
                "metadata": [{"name": "tm"}],
                "spec": [{"template": [{"spec": [{"container": [
                    {"name": "tm", "image": "flink:1.19.1", "args": ["taskmanager", "-Drest.port=1"]},
                ]}]}]}],
            }},
            {"type": "aws_kinesisanalyticsv2_application", "name": "k", "values": {
                "runtime_environment": "FLINK-1_20",
                "application_configuration": [{"flink_application_configuration": [{"parallelism_configuration": [
                    {"configuration_type": "CUSTOM", "parallelism": 7},
                ]}]}],
            }},
        ]}],
    }},
})  # fmt: skip
SAMPLES = {
    "manifest.tf": MANIFEST, "yaml.tf": YAML, "pods.tf": PODS, "chart.tf": CHART, "operator.tf": OPERATOR,
    "plan.json": PLAN,
}  # fmt: skip


def named(documents: list[Document]) -> dict[str | None, Document]:
    return {document.name: document for document in documents}


def test_an_object_in_hcl_is_the_object() -> None:
    (document,) = read("manifest.tf", MANIFEST)
    assert (document.kind, document.name) == ("flinkdeployment", "FlinkDeployment jobs/${var.name}")
    assert document.release == ("1.20.4", "spec.flinkVersion and spec.image")
    assert document.whole
    written = [cut for cut in cuts(document) if cut[1].startswith('"')]
    assert written == [
        ("state.checkpoints.dir", '"state.checkpoints.dir"', '"s3://b/é"'),
        ("taskmanager.numberOfTaskSlots", '"taskmanager.numberOfTaskSlots"', "var.slots"),
        ("rest.port", '"rest.port"', '"8081"'),
        ("rest.address", '"rest.address"', '"${var.host}.local"'),
    ]
    assert document.settings()["taskmanager.numberOfTaskSlots"] == "4"
    assert document.settings()["taskmanager.memory.process.size"] == "4g"
    assert document.settings()["parallelism.default"] == "${var.parallelism}"


def test_an_object_that_may_have_more_settings_is_not_whole() -> None:
    (document,) = read("manifest.tf", MANIFEST.replace("local.shared", "var.shared"))
    assert not document.whole
    assert "rest.port" in document.settings()


def test_manifests_in_heredocs_are_read_where_they_are_written() -> None:
    deployment, job = read("yaml.tf", YAML)
    assert ("rest.port", "rest.port", '"8081"') in cuts(deployment)
    assert is_templated(deployment.settings()["taskmanager.numberOfTaskSlots"])
    assert job.name == "FlinkSessionJob default/clicks"
    assert cuts(job) == [("rest.address", "rest.address", "a")]


def test_config_maps_and_pods_are_those_of_manifests() -> None:
    documents = read("pods.tf", PODS)
    found = named(documents)
    assert list(found) == [
        "ConfigMap jobs/flink-config", "ConfigMap jobs/flink-config job.sql", "Deployment jobs/taskmanager",
    ]  # fmt: skip
    files, sql, pod = documents
    assert cuts(files) == [("rest.port", "rest.port", "8081"), ("state.backend", "state.backend", "rocksdb")]
    assert (sql.kind, sql.settings()) == ("sql", {"execution.checkpointing.interval": "1 min"})
    assert pod.settings() == {"rest.address": "é"}  # the volume is read-only, so that the variable has no effect
    ((_, container),) = parts(pod, "container")
    assert container["memory"] == (2 << 30, '"2Gi"')
    assert files in relate(documents)[2].below


def test_values_of_a_chart_come_in_order_and_single_ones_last() -> None:
    first, second, last = read("chart.tf", CHART)
    assert first.settings() == {"rest.port": "8081"}
    assert second.settings() == {"state.backend.type": "rocksdb", "rest.address": "${var.host}"}
    assert last.settings() == {"taskmanager.numberOfTaskSlots": "4"}
    assert (second.overrides, last.overrides) == (first, second)
    assert first.name == "release orders values"


def test_the_chart_of_the_operator_has_the_operators_defaults() -> None:
    (document,) = read("operator.tf", OPERATOR)
    assert (document.name, document.settings()) == ("operator defaults", {"rest.port": "8081", "web.timeout": "10 s"})


def test_a_plan_has_the_resources_of_all_modules() -> None:
    found = {name: document.settings() for name, document in named(read("plan.json", PLAN)).items()}
    assert found["FlinkDeployment default/orders"]["rest.port"] == "8081"
    assert found["ConfigMap default/flink-config"] == {"rest.port": "8081", "web.timeout": "10 s"}
    assert found["Deployment default/tm"]["rest.port"] == "1"
    assert found["application k"]["parallelism.default"] == "7"


def test_terraform_in_json_has_the_same_resources() -> None:
    root = {"resource": {"kubernetes_config_map": {"c": {
        "metadata": {"name": "flink"}, "data": {"flink-conf.yaml": "rest.port: 8081\n"},
    }}}}  # fmt: skip
    (document,) = read("main.tf.json", json.dumps(root))
    assert (document.name, document.settings()) == ("ConfigMap default/flink", {"rest.port": "8081"})


@pytest.mark.parametrize(("name", "changes"), [("manifest.tf", 4), ("yaml.tf", 2), ("pods.tf", 6), ("chart.tf", 4)])
def test_edits_change_one_setting(name: str, changes: int) -> None:
    assert sum(assert_edits_hold(document) for document in read(name, SAMPLES[name])) >= changes


def test_a_setting_is_added_as_a_line_of_hcl_or_of_the_text_in_it() -> None:
    (document,) = read("manifest.tf", MANIFEST)
    after = edited(document, "add", "rest.bind-port", "8082")
    assert after is not None
    assert '"rest.bind-port" = "8082"\n' in after.text
    files = read("pods.tf", PODS)[0]
    after = edited(files, "add", "rest.bind-port", "8082")
    assert after is not None
    assert "      rest.bind-port: 8082\n" in after.text


def test_a_reference_is_not_replaced() -> None:
    (document,) = read("manifest.tf", MANIFEST)
    assert edited(document, "replace", entry(document, "taskmanager.numberOfTaskSlots"), "5") is None


def test_modules_of_others_are_not_read() -> None:
    assert file_format_of("main.tf", PODS.replace("flink", "spark").replace("FLINK", "SPARK")) is None
    quiet = (
        'resource "helm_release" "a" {\n  chart = "prometheus" # beside flink\n  values = [yamlencode({ a = 1 })]\n}\n'
    )
    assert file_format_of("main.tf", quiet) is None
