from __future__ import annotations

import pytest

from flink_flint.linter.model.document import Document
from tests.formats.reading import assert_edits_hold, cuts, edited, entry, parts, read

SPOTIFY = """\
apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata:
  name: clicks
spec:
  flinkVersion: "1.14"
  image:
    name: flink:1.14.2
  jobManager:
    resources:
      limits: {memory: "2048Mi", cpu: "500m"}
  taskManager:
    replicas: 2
    resources:
      limits:
        memory: 4Gi
  job:
    jarFile: ./clicks.jar
    parallelism: 6
  flinkProperties:
    taskmanager.numberOfTaskSlots: "3"   # per pod
    state.checkpoints.dir: 'gs://größe/checkpoints'
"""

LYFT = """\
apiVersion: flink.k8s.io/v1beta1
kind: FlinkApplication
metadata:
  name: beam
  namespace: flink-operator
spec:
  image: beam:7
  flinkConfig:
    taskmanager.network.memory.fraction: 0.10
    restart-strategy.fixed-delay.attempts: 010
    state.checkpoints.dir: file:///checkpoints
  jobManagerConfig:
    resources:
      requests: {memory: 200Mi}
  taskManagerConfig:
    taskSlots: 2
    resources:
      requests: {memory: 800Mi}
      limits: {memory: 1Gi}
  flinkVersion: "1.16"
  parallelism: 4
"""

CONFLUENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: FlinkApplication
metadata:
  name: claims
spec:
  flinkEnvironment: dev
  image: confluentinc/cp-flink:1.19.1-cp2
  flinkVersion: v1_19
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "1"
  taskManager:
    resource: {memory: 1024m, cpu: 1}
  job:
    jarURI: local:///a.jar
    parallelism: 1
"""

LIGHTBEND = """\
apiVersion: lightbend.com/v1
kind: FlinkCluster
metadata: {name: my-flink-cluster}
spec:
  flinkConfiguration:
    num_taskmanagers: 2
    taskmanagers_slots: 2
    parallelism: 4
    checkpointing: "checkpvcname"
    state.backend: rocksdb
"""

VERVERICA = """\
apiVersion: v1
kind: Deployment
metadata:
  name: fraud
  namespace: ${NS}
spec:
  state: RUNNING
  template:
    spec:
      artifact:
        kind: JAR
        flinkVersion: '1.14'
      parallelism: 3
      flinkConfiguration:
        execution.checkpointing.interval: 10s
        high-availability: vvp-kubernetes
        taskmanager.memory.managed.fraction: '0.0'
  upgradeStrategy:
    kind: STATEFUL
---
kind: SessionCluster
apiVersion: v1
metadata: {name: dev}
spec:
  flinkVersion: "1.15"
  flinkConfiguration:
    rest.port: 8081
"""

VALUES = """\
vvp:
  blobStorage:
    baseUri: s3://vvp
  # for größere jobs
  globalDeploymentDefaults: |
    spec:
      template:
        spec:
          parallelism: 2
          flinkConfiguration:
            state.backend: filesystem
            taskmanager.memory.managed.fraction: 0.0 # not needed
            execution.checkpointing.interval: "10s"
  sqlService:
    pool: {coreSize: 1}
"""

SAMPLES = {
    "cluster.yaml": SPOTIFY,
    "beam.yaml": LYFT,
    "claims.yaml": CONFLUENT,
    "lightbend.yaml": LIGHTBEND,
    "fraud.yaml": VERVERICA,
    "values-vvp.yaml": VALUES,
}


def first(text: str, name: str = "resource.yaml") -> Document:
    return read(name, text)[0]


def layers(document: Document) -> dict[str, str]:
    return {entry.key: entry.layer for entry in document.entries if entry.style == "implied"}


def test_the_cluster_of_google_and_spotify() -> None:
    document = first(SPOTIFY)
    assert (document.kind, document.name, document.platform) == (
        "other-cr", "FlinkCluster default/clicks", "kubernetes",
    )  # fmt: skip
    assert document.release == ("1.14", "spec.flinkVersion")
    assert document.settings()["parallelism.default"] == "6"
    assert ("state.checkpoints.dir", "state.checkpoints.dir", "'gs://größe/checkpoints'") in cuts(document)


def test_the_image_names_the_release_if_no_field_does() -> None:
    assert first(SPOTIFY.replace('  flinkVersion: "1.14"\n', "")).release == ("1.14.2", "spec.image.name")


def test_memory_that_an_operator_derives_is_there_and_unknown() -> None:
    document = first(SPOTIFY)
    size = entry(document, "taskmanager.memory.process.size")
    assert size.value is None
    assert document.text[slice(*size.value_span)] == "4Gi"
    assert size.layer == "derived from spec.taskManager.resources.limits.memory"


def test_the_application_of_lyft_has_typed_scalars() -> None:
    document = first(LYFT)
    settings = document.settings()
    assert settings["taskmanager.network.memory.fraction"] == "0.1"
    assert settings["restart-strategy.fixed-delay.attempts"] == "8"
    assert settings["taskmanager.numberOfTaskSlots"] == "2"
    assert layers(document)["taskmanager.numberOfTaskSlots"] == "spec.taskManagerConfig.taskSlots"
    assert document.release == ("1.16", "spec.flinkVersion")


def test_the_application_of_confluent_is_like_the_apache_operators() -> None:
    document = first(CONFLUENT)
    assert document.platform == "operator"
    assert document.release == ("1.19.1", "spec.flinkVersion and spec.image")
    assert document.settings()["taskmanager.memory.process.size"] == "1024m"
    assert layers(document)["parallelism.default"] == "spec.job.parallelism"


def test_lightbends_own_names_stand_for_options() -> None:
    assert first(LIGHTBEND).settings() == {
        "taskmanager.numberOfTaskSlots": "2", "parallelism.default": "4", "state.backend": "rocksdb",
    }  # fmt: skip


def test_deployments_of_ververica_and_kubernetes_are_distinguished() -> None:
    documents = read("fraud.yaml", VERVERICA)
    assert [(d.kind, d.name, d.release) for d in documents] == [
        ("ververica", "Deployment ${NS}/fraud", ("1.14", "spec.template.spec.artifact.flinkVersion")),
        ("ververica", "SessionCluster default/dev", ("1.15", "spec.flinkVersion")),
    ]
    assert documents[0].settings()["high-availability"] == "vvp-kubernetes"
    assert documents[0].settings()["parallelism.default"] == "3"
    plain = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: flink-proxy}\nspec: {template: {spec: {}}}\n"
    assert all(document.kind != "ververica" for document in read("proxy.yaml", f"{plain}---\n{VERVERICA}")[:-2])


def test_the_defaults_of_ververicas_chart_are_yaml_inside_yaml() -> None:
    document = first(VALUES, "values-vvp.yaml")
    assert document.kind == "ververica"
    assert cuts(document) == [
        ("state.backend", "state.backend", "filesystem"),
        ("taskmanager.memory.managed.fraction", "taskmanager.memory.managed.fraction", "0.0"),
        ("execution.checkpointing.interval", "execution.checkpointing.interval", '"10s"'),
        ("parallelism.default", "parallelism", "2"),
    ]
    after = edited(document, "add", "execution.checkpointing.timeout", "5min")
    assert after is not None
    assert '"10s"\n            execution.checkpointing.timeout: "5min"\n  sqlService' in after.text


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_said_to_be_missing(name: str) -> None:
    assert not any(document.whole for document in read(name, SAMPLES[name]))


@pytest.mark.parametrize("name", SAMPLES)
def test_edits_change_one_setting(name: str) -> None:
    assert sum(assert_edits_hold(document) for document in read(name, SAMPLES[name])) > 0


def test_windows_line_ends() -> None:
    for name, text in SAMPLES.items():
        plain = [document.settings() for document in read(name, text)]
        assert [document.settings() for document in read(name, text.replace("\n", "\r\n"))] == plain


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: a/v1\nkind: FlinkCluster\nspec: flink\n",
        "apiVersion: flinkoperator.k8s.io/v1beta1\nkind: FlinkCluster\nspec:\n  flinkProperties: [flink]\n",
        "apiVersion: v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      artifact: flink\n",
    ],
)
def test_resources_of_odd_shape_are_read_without_fault(text: str) -> None:
    assert all(not document.entries for document in read("odd.yaml", text))


def test_a_topic_of_strimzi_is_an_element_with_its_partitions() -> None:
    text = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n  name: bids-v1  # é, read by Flink\n"
        "spec:\n  topicName: bids\n  partitions: 12\n"
    )
    (document,) = read("topics.yaml", text)
    assert parts(document, "kafka-topic") == [("bids", {"partitions": (12, "12")})]
    assert not document.whole
    assert not document.entries


def test_roles_and_bindings_are_elements_without_settings() -> None:
    text = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: flink\n"
        "rules:\n  - apiGroups: ['']\n    resources: [configmaps]\n    verbs: [get]\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: flink\n"
        "roleRef: {kind: ClusterRole, name: edit}\n---\n"
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: '{{ .Release.Name }}'\n"
    )
    role, binding = read("access.yaml", text)
    ((kind, attributes),) = parts(role, "kubernetes-object")
    assert (kind, attributes["rules[0].verbs[0]"]) == ("Role", ("get", "get"))
    assert (role.name, role.entries, role.whole) == ("Role default/flink", [], False)
    assert binding.name == "ClusterRoleBinding default/flink"


@pytest.mark.parametrize(("written", "text"), [("6", "6"), ("'6'", "6"), ("", None), ("[6]", None), ("{a: 6}", None)])
def test_a_parallelism_is_one_value(written: str, text: str | None) -> None:
    (document,) = read("cluster.yaml", SPOTIFY.replace("parallelism: 6", f"parallelism: {written}"))
    found = document.effective.get("parallelism.default")
    assert (found and found.text) == text
