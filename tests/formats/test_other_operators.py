from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
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

ENVIRONMENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: FlinkEnvironment
metadata:
  name: dev
spec:
  kubernetesNamespace: jobs
  flinkApplicationDefaults:
    spec:
      flinkConfiguration:
        state.backend.type: rocksdb
  computePoolDefaults:
    spec:
      clusterSpec:
        flinkConfiguration: {rest.profiling.enabled: true}
  statementDefaults:
    detached:
      flinkConfiguration:
        table.exec.state.ttl: 1 d
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
    "environment.yaml": ENVIRONMENT,
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
    assert document.release == ("1.14.2", "spec.flinkVersion and spec.image.name")
    assert document.settings()["parallelism.default"] == "6"
    assert ("state.checkpoints.dir", "state.checkpoints.dir", "'gs://größe/checkpoints'") in cuts(document)


def test_the_image_names_the_release_if_no_field_does() -> None:
    assert first(SPOTIFY.replace('  flinkVersion: "1.14"\n', "")).release == ("1.14.2", "spec.image.name")


def test_spotify_derives_the_memory_from_limits() -> None:
    document = first(SPOTIFY)
    size = entry(document, "taskmanager.memory.process.size")
    assert size.text == "3277m"
    assert document.text[slice(*size.value_span)] == "4Gi"
    assert size.layer == "derived from spec.taskManager.resources.limits.memory"
    assert entry(document, "jobmanager.memory.process.size").text == "1639m"


@pytest.mark.parametrize(
    ("old", "new", "key", "text"),
    [
        ("  taskManager:", "  taskManager:\n    memoryProcessRatio: 50", "taskmanager.memory.process.size", "2048m"),
        ("memory: 4Gi", "memory: '{{ .Values.memory }}'", "taskmanager.memory.process.size", None),
        ("      limits:\n        memory: 4Gi", "      requests: {memory: 1Gi}", "taskmanager.memory.process.size",
         "820m"),
        ("    resources:\n      limits:\n        memory: 4Gi\n", "", "taskmanager.memory.process.size", "1639m"),
        ("  flinkProperties:", "  flinkProperties:\n    taskmanager.memory.process.size: 3g",
         "taskmanager.memory.process.size", "3g"),
        ('"1.14"', '"1.9"', "taskmanager.heap.size", "3072m"),
        ('  flinkVersion: "1.14"\n', "", "taskmanager.heap.size", "3222m"),
        ("        memory: 4Gi", "        memory: 4Gi\n        cpu: 8", "taskmanager.numberOfTaskSlots", "3"),
        ("    parallelism: 6\n", "", "parallelism.default", "6"),
        ("  flinkProperties:", "  flinkProperties:\n    rest.port: 9999", "rest.port", "8081"),
        ("  jobManager:", "  jobManager:\n    ports: {ui: 8082}", "rest.port", "8082"),
        ("  jobManager:", "  jobManager:\n    accessScope: External", "kubernetes.rest-service.exposed.type",
         "LoadBalancer"),
        ("    jarFile", "    fromSavepoint: s3://a/b\n    jarFile", "execution.savepoint.path", "s3://a/b"),
        ("", "", "jobmanager.rpc.address", "clicks-jobmanager"),
    ],
)  # fmt: skip
def test_fields_of_a_flink_cluster(old: str, new: str, key: str, text: str | None) -> None:
    changed = SPOTIFY.replace(old, new, 1) if old else SPOTIFY
    assert old == "" or changed != SPOTIFY
    found = entry(first(changed), key)
    assert (found.text if found.value is not None else None) == text


def test_spotify_makes_a_slot_for_two_cpus_unless_a_property_names_them() -> None:
    text = SPOTIFY.replace("        memory: 4Gi", "        memory: 4Gi\n        cpu: 8")
    text = text.replace('    taskmanager.numberOfTaskSlots: "3"   # per pod\n', "").replace("    parallelism: 6\n", "")
    settings = first(text).settings()
    assert (settings["taskmanager.numberOfTaskSlots"], settings["parallelism.default"]) == ("4", "8")


def test_googles_cluster_has_one_subtask_by_default_and_needs_limits() -> None:
    text = SPOTIFY.replace('  flinkVersion: "1.14"\n', "").replace("    parallelism: 6\n", "")
    assert first(text).settings()["parallelism.default"] == "1"
    assert "taskmanager.heap.size" not in first(text.replace("      limits:\n", "      requests:\n")).settings()


def test_the_containers_of_a_cluster() -> None:
    text = SPOTIFY.replace(
        "  taskManager:",
        "  envVars: [{name: ENABLE_BUILT_IN_PLUGINS, value: a.jar}]\n  taskManager:\n"
        "    volumes: [{name: v, persistentVolumeClaim: {claimName: state}}]\n"
        "    volumeMounts: [{name: v, mountPath: /state}]",
    )
    jobmanager, taskmanager = parts(first(text), "container")
    assert jobmanager[0] == "jobmanager"
    assert jobmanager[1]["cpu"] == (0.5, '"500m"')
    values = {name: value for name, (value, _) in taskmanager[1].items()}
    assert values == {
        "role": "taskmanager", "image": "flink:1.14.2", "memory": 4 << 30, "volumes[0].target": "/state",
        "environment.ENABLE_BUILT_IN_PLUGINS": "a.jar", "volumes[0].kind": "claim", "volumes[0].source": "state",
    }  # fmt: skip


def test_the_application_of_lyft_has_typed_scalars() -> None:
    document = first(LYFT)
    settings = document.settings()
    assert settings["taskmanager.network.memory.fraction"] == "0.1"
    assert settings["restart-strategy.fixed-delay.attempts"] == "8"
    assert settings["taskmanager.numberOfTaskSlots"] == "2"
    assert layers(document)["taskmanager.numberOfTaskSlots"] == "spec.taskManagerConfig.taskSlots"
    assert settings["taskmanager.memory.process.size"] == "655360k"
    assert settings["jobmanager.memory.process.size"] == "163840k"
    assert document.release == ("1.16", "spec.flinkVersion")


@pytest.mark.parametrize(
    ("old", "new", "key", "text"),
    [
        ('"1.16"', '"1.10"', "taskmanager.heap.size", "409600k"),
        ("    taskSlots: 2\n", "    systemMemoryFraction: 0.5\n", "taskmanager.memory.process.size", "409600k"),
        ("    taskSlots: 2\n", "", "taskmanager.numberOfTaskSlots", "16"),
        (
            "  flinkConfig:",
            "  flinkConfig:\n    taskmanager.numberOfTaskSlots: 8",
            "taskmanager.numberOfTaskSlots",
            "2",
        ),
        (
            "    resources:\n      requests: {memory: 200Mi}",
            "    replicas: 1",
            "jobmanager.memory.process.size",
            "2516582k",
        ),
        ("200Mi", "{{ memory }}", "jobmanager.memory.process.size", None),
        ("  flinkConfig:", "  flinkConfig:\n    high-availability: kubernetes", "kubernetes.cluster-id", None),
        ("", "", "jobmanager.rpc.address", None),
        ("", "", "parallelism.default", "4"),
        ("  image: beam:7", "  image: beam:7\n  savepointPath: s3://a/b", "execution.savepoint.path", "s3://a/b"),
    ],
)
def test_fields_of_lyfts_application(old: str, new: str, key: str, text: str | None) -> None:
    changed = LYFT.replace(old, new, 1) if old else LYFT
    assert old == "" or changed != LYFT
    found = entry(first(changed), key)
    assert (found.text if found.value is not None else None) == text


def test_the_application_of_confluent_is_like_the_apache_operators() -> None:
    document = first(CONFLUENT)
    assert document.platform == "operator"
    assert document.release == ("1.19.1", "spec.flinkVersion and spec.image")
    assert document.settings()["taskmanager.memory.process.size"] == "1024m"
    assert layers(document)["parallelism.default"] == "spec.job.parallelism"


def test_a_compute_pool_has_the_spec_of_a_cluster() -> None:
    text = (
        "apiVersion: cmf.confluent.io/v1\nkind: ComputePool\nmetadata: {name: pool}\nspec:\n  type: DEDICATED\n"
        "  clusterSpec:\n    flinkVersion: v1_19\n    taskManager: {resource: {memory: 2g, cpu: 1}}\n"
    )
    document = first(text)
    assert document.release == ("1.19", "spec.clusterSpec.flinkVersion".replace("clusterSpec.", ""))
    assert layers(document)["taskmanager.memory.process.size"] == "spec.clusterSpec.taskManager.resource.memory"
    assert not document.whole
    assert read("pool.yaml", text.replace("  clusterSpec:\n", "  flink:\n")) == []


def test_an_environment_has_defaults_of_applications_pools_and_statements() -> None:
    documents = read("environment.yaml", ENVIRONMENT)
    assert [(document.name, document.settings(), document.prevails) for document in documents] == [
        ("FlinkEnvironment default/dev", {"state.backend.type": "rocksdb"}, True),
        ("FlinkEnvironment default/dev computePoolDefaults", {"rest.profiling.enabled": "true"}, False),
        ("FlinkEnvironment default/dev statementDefaults.detached", {"table.exec.state.ttl": "1 d"}, False),
    ]


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


@pytest.mark.parametrize(
    ("memory", "text"), [("2G", "1953125k"), ("1.5g", "1500000000b"), ("1024m", "1000000k"), ("{{ m }}", None)]
)
def test_ververicas_units_are_powers_of_ten(memory: str, text: str | None) -> None:
    resources = f"      parallelism: 3\n      resources: {{taskmanager: {{memory: '{memory}'}}}}"
    size = entry(first(VERVERICA.replace("      parallelism: 3", resources)), "taskmanager.memory.process.size")
    assert (size.text if size.value is not None else None) == text
    assert size.layer == "derived from spec.template.spec.resources.taskmanager.memory"


@pytest.mark.parametrize(
    ("kind", "before"), [("VvpDeployment", "  deployment:\n    spec:\n"), ("VpDeployment", "  spec:\n")]
)
def test_the_operators_of_ververica_wrap_the_platforms_resource(kind: str, before: str) -> None:
    spec = "template:\n  spec:\n    parallelism: 3\n    flinkConfiguration: {state.backend.type: rocksdb}\n"
    depth = " " * (before.count("\n") * 2 + 2)
    inner = "".join(f"{depth}{line}\n" for line in spec.splitlines())
    document = first(f"apiVersion: ververica.platform/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n{before}{inner}")
    assert document.kind == "ververica"
    assert document.settings() == {"state.backend.type": "rocksdb", "parallelism.default": "3"}


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
def test_a_resource_is_whole_if_all_that_its_operator_adds_is_known(name: str) -> None:
    whole = [document for document in read(name, SAMPLES[name]) if document.whole]
    assert bool(whole) == (name == "cluster.yaml")


def test_an_application_of_lyft_is_whole_if_its_image_has_flinks_own_configuration() -> None:
    assert first(LYFT.replace("beam:7", "flink:1.16.2")).whole


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (SPOTIFY, "  image:\n    name: flink:1.14.2\n", ""),
        (SPOTIFY, "  flinkProperties:", "  flinkProperties:\n    {{- toYaml .Values.p | nindent 4 }}"),
        (LYFT.replace("beam:7", "flink:1.16.2"), "  taskManagerConfig:", "  other:"),
    ],
)
def test_patches_and_templates_are_not_whole(text: str, old: str, new: str) -> None:
    assert text.replace(old, new) != text
    assert not first(text.replace(old, new)).whole


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
    role, binding, templated = read("access.yaml", text)
    ((kind, attributes),) = parts(role, "kubernetes-object")
    assert (kind, attributes["rules[0].verbs[0]"]) == ("Role", ("get", "get"))
    assert (role.name, role.entries, role.whole) == ("Role default/flink", [], False)
    assert binding.name == "ClusterRoleBinding default/flink"
    assert templated.name == "Role default/?"


@pytest.mark.parametrize(("written", "text"), [("6", "6"), ("'6'", "6"), ("", "6"), ("[6]", None), ("{a: 6}", None)])
def test_a_parallelism_is_one_value_or_all_slots(written: str, text: str | None) -> None:
    (document,) = read("cluster.yaml", SPOTIFY.replace("parallelism: 6", f"parallelism: {written}"))
    found = document.effective.get("parallelism.default")
    assert (found and found.text) == text


SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: flink-rest}
spec:
  type: NodePort
  ports: [{port: 8081}]
  selector: {app: orders, component: JobManager}
"""


def test_a_service_that_opens_a_jobmanager_is_an_element() -> None:
    (document,) = read("service.yaml", SERVICE)
    ((kind, attributes),) = parts(document, "kubernetes-object")
    assert (kind, attributes["spec.type"], document.whole) == ("Service", ("NodePort", "NodePort"), False)


@pytest.mark.parametrize("other", ["type: ClusterIP", "type: '{{ .Values.type }}'", "sessionAffinity: None"])
def test_a_service_of_flinks_pods_is_a_document_whatever_its_type(other: str) -> None:
    assert len(read("service.yaml", SERVICE.replace("type: NodePort", other))) == 1


def test_a_service_of_other_pods_is_no_document() -> None:
    assert file_format_of("service.yaml", SERVICE.replace("JobManager", "proxy").replace("flink-rest", "proxy")) is None
