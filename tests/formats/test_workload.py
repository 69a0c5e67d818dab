"""Kubernetes workloads that run Flink without an operator."""

from __future__ import annotations

import pytest

from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from tests.formats.reading import assert_edits_hold, cuts, entry, parts, read

_DEPLOYMENTS = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: flink-jobmanager
  namespace: flink
  annotations:
    flint/ignore: rest-exposed -- behind a proxy
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.0
          args: ["jobmanager", "-Drest.port=8082"]
          ports:
            - {containerPort: 8081, name: webui}
          env:
            - name: FLINK_PROPERTIES
              value: |
                jobmanager.rpc.address: flink-jobmanager
                state.checkpoints.dir: file:///data/checkpoints   # é
            - name: POD_IP
              valueFrom: {fieldRef: {fieldPath: status.podIP}}
          resources:
            limits: {memory: 2Gi}
          volumeMounts:
            - name: data
              mountPath: /data
        - name: sidecar
          image: envoyproxy/envoy:v1
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: flink-data}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: flink-taskmanager
spec:
  template:
    spec:
      containers:
        - name: taskmanager
          image: flink:1.18.0
          command: ["/docker-entrypoint.sh"]
          args:
            - taskmanager
            - -Dtaskmanager.host=$(POD_IP)
          envFrom: [{configMapRef: {name: x}}]
"""

_NATIVE = """\
apiVersion: batch/v1
kind: Job
metadata: {name: boot, namespace: flink}
spec:
  template:
    spec:
      containers:
      - name: start
        image: apache/flink:1.13.1-scala_2.12
        command: ["bash", "-c",
          "mkdir -p /opt/flink/plugins/s3 && \\
          $FLINK_HOME/bin/kubernetes-session.sh \\
          -Dkubernetes.cluster-id=flink-test \\
          -Dhigh-availability: zookeeper"]
"""

_CRON = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: savepoint}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: cli
              image: flink:1.19.1
              args: [flink, savepoint, -Drest.address=jm, abc, s3://b/s]
"""

SAMPLES = {"deployment.yaml": _DEPLOYMENTS, "session-job.yaml": _NATIVE, "cron.yaml": _CRON}


def _container(document: Document) -> Element:
    return next(element for element in document.elements if element.kind == "container")


def test_each_workload_is_a_document_of_its_own() -> None:
    job, task = read("deployment.yaml", _DEPLOYMENTS)
    assert job.name == "Deployment flink/flink-jobmanager"
    assert task.name == "StatefulSet default/flink-taskmanager"
    assert (job.kind, job.platform, job.profile) == ("compose", "kubernetes", None)
    assert job.release == ("1.18.0", "image flink:1.18.0")
    assert job.ignored[0].selectors == ("rest-exposed",)
    assert job.text[slice(*job.head)] == "Deployment"


def test_properties_and_arguments_are_settings_with_their_places() -> None:
    job, task = read("deployment.yaml", _DEPLOYMENTS)
    assert [cut for cut in cuts(job) if entry(job, cut[0]).style != "implied"] == [
        ("jobmanager.rpc.address", "jobmanager.rpc.address", "flink-jobmanager"),
        ("state.checkpoints.dir", "state.checkpoints.dir", "file:///data/checkpoints"),
        ("rest.port", "rest.port", "8082"),
    ]
    assert cuts(task)[-1] == ("taskmanager.host", "taskmanager.host", "$(POD_IP)")
    assert assert_edits_hold(job, "8083") >= 4


def test_a_container_has_its_volumes_ports_and_memory() -> None:
    job, task = read("deployment.yaml", _DEPLOYMENTS)
    ((name, attributes),) = parts(job, "container")
    assert name == "jobmanager"
    assert attributes["role"] == ("jobmanager", '"jobmanager"')
    assert attributes["memory"] == (2 * 1024**3, "2Gi")
    assert attributes["ports[0].target"] == ("8081", "8081")
    assert attributes["volumes[0].target"] == ("/data", "/data")
    assert attributes["volumes[0].source"] == ("flink-data", "flink-data")
    assert attributes["volumes[0].kind"][0] == "claim"
    assert attributes["environment.POD_IP"][0] is None
    assert _container(task).value("role") == "taskmanager"


def test_the_other_workloads_of_the_file_are_neighbors() -> None:
    job, task = read("deployment.yaml", _DEPLOYMENTS)
    assert [name for name, _ in parts(job, "neighbor")] == ["taskmanager"]
    assert [name for name, _ in parts(task, "neighbor")] == ["jobmanager"]


def test_a_script_is_searched_for_the_command_of_flink() -> None:
    (document,) = read("session-job.yaml", _NATIVE)
    settings = document.settings()
    assert settings["kubernetes.cluster-id"] == "flink-test"
    assert settings["high-availability:"] == "true", "without = the key is all there is"
    assert not document.whole


def test_a_cron_job_has_its_pod_deeper() -> None:
    (document,) = read("cron.yaml", _CRON)
    assert document.release == ("1.19.1", "image flink:1.19.1")
    assert document.settings()["rest.address"] == "jm"


def test_a_command_replaces_the_entrypoint_that_reads_the_variable() -> None:
    text = _DEPLOYMENTS.replace(
        'args: ["jobmanager", "-Drest.port=8082"]', 'command: ["jobmanager.sh", "start-foreground"]'
    )
    job = read("deployment.yaml", text)[0]
    assert "state.checkpoints.dir" not in job.settings()


def test_templates_are_unknown() -> None:
    text = _DEPLOYMENTS.replace("flink:1.18.0", '"{{ .Values.image }}"').replace(
        "/data/checkpoints", "{{ .Values.dir }}"
    )
    job = read("deployment.yaml", text)[0]
    assert job.kind == "helm"
    assert job.release is None
    assert "{{" in job.settings()["state.checkpoints.dir"]


def test_other_workloads_are_passed_over() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: flink-db}\nspec: {containers: [{name: db, image: postgres}]}\n"
    assert read("pod.yaml", text) == []


@pytest.mark.parametrize(
    ("quantity", "size"),
    [
        ("2Gi", 2 * 1024**3),
        ("1.5G", 1_500_000_000),
        ("512Mi", 512 * 1024**2),
        ("1000", 1000),
        ("1e3", None),
        ("x", None),
    ],
)
def test_quantities_of_kubernetes_are_bytes(quantity: str, size: int | None) -> None:
    job = read("deployment.yaml", _DEPLOYMENTS.replace("2Gi", quantity))[0]
    assert _container(job).value("memory") == size


@pytest.mark.parametrize(
    "spec",
    [
        "containers: x", "containers: [1, {}, {name: [a]}]", "containers: [{image: flink, env: [a, {name: b}]}]",
        "containers: [{image: flink, args: flink, command: {a: b}, volumeMounts: [{}], ports: [x]}]", "[]", "null",
        "containers: [{image: flink, volumeMounts: [{name: c}]}], volumes: [{name: c, configMap: {items: []}}]",
        "containers: [{image: flink, volumeMounts: [{name: c, mountPath: /c}]}], volumes: [{name: c, configMap: {}}]",
    ],
)  # fmt: skip
def test_odd_pods_do_no_harm(spec: str) -> None:
    read(
        "pod.yaml",
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: flink}}\nspec: {{{spec if ':' in spec else 'a: b'}}}\n",
    )


@pytest.mark.parametrize(("spec", "network"), [("hostNetwork: true", "host"), ("hostNetwork: false", None)])
def test_a_pod_on_the_host_network_is_reported(spec: str, network: str | None) -> None:
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: tm}}\nspec:\n  {spec}\n  containers:\n"
        "    - name: taskmanager\n      image: flink:1.20\n      args: [taskmanager]\n"
    )
    ((_, attributes),) = parts(read("pod.yaml", text)[0], "container")
    assert attributes.get("network", (None, ""))[0] == network


def test_processes_of_one_pod_share_its_network() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: flink}\nspec:\n  containers:\n"
        "    - {name: jobmanager, image: flink, args: [jobmanager]}\n"
        "    - {name: taskmanager, image: flink, args: [taskmanager]}\n"
    )
    networks = [parts(document, "container")[0][1]["network"][0] for document in read("pod.yaml", text)]
    assert networks == ["pod", "pod"]


@pytest.mark.parametrize(("sources", "is_whole"), [("", True), ("[{secretRef: {name: x}}]", False), ("null", True)])
def test_variables_from_elsewhere_may_be_the_configuration(sources: str, is_whole: bool) -> None:
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: taskmanager}\nspec:\n  template:\n    spec:\n"
        "      containers:\n        - name: taskmanager\n          image: flink:1.20.4\n          args: [taskmanager]\n"
        f"          envFrom: {sources}\n"
    )
    (document,) = read("pods.yaml", text)
    assert document.whole == is_whole
    assert ("taskmanager.memory.process.size" in document.settings()) == is_whole
    known = text + "          env: [{name: FLINK_PROPERTIES, value: 'rest.port: 8081'}]\n"
    assert read("pods.yaml", known)[0].whole
