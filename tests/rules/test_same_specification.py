"""One specification, written as the resource of each operator: the same findings, or a reason why not."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options

SETTINGS = """\
taskmanager.numberOfTaskSlots: "4"
execution.checkpointing.interval: 10 s
execution.checkpointing.timeout: 5 s
execution.checkpointing.unaligned: "true"
execution.checkpointing.max-concurrent-checkpoints: "2"
execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION
state.checkpoints.dir: s3://flink/orders
state.savepoints.dir: file:///tmp/savepoints
high-availability: kubernetes
high-availability.storageDir: s3://flink/ha
restart-strategy: fixed-delay
taskmanager.memory.managed.fracton: "0.2"
web.upload.dir: /tmp
s3.secret-key: wJalrXUtnFEMIK7MDENG
pekko.framesize: 10m
akka.framesize: 20m
"""
APACHE = """\
apiVersion: {version}
kind: {kind}
metadata: {{name: orders, namespace: shop}}
spec:
  image: flink:1.19.3
  flinkVersion: v1_18
  serviceAccount: flink
  flinkConfiguration:
{settings}
  jobManager: {{resource: {{memory: 1g, cpu: 0.4}}}}
  taskManager: {{resource: {{memory: 1g, cpu: 0.4}}}}
  job: {{jarURI: "local:///opt/orders.jar", entryClass: Orders, parallelism: 2, upgradeMode: stateless}}
"""
POOL = """\
apiVersion: platform.confluent.io/v1beta1
kind: ComputePool
metadata: {name: orders, namespace: shop}
spec:
  type: DEDICATED
  clusterSpec:
    image: flink:1.19.3
    flinkVersion: v1_18
    serviceAccount: flink
    flinkConfiguration:
{settings}
    jobManager: {resource: {memory: 1g, cpu: 0.4}}
    taskManager: {resource: {memory: 1g, cpu: 0.4}}
"""
CLUSTER = """\
apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders, namespace: shop}
spec:
  image: {name: "flink:1.19.3"}
  flinkVersion: "1.18"
  serviceAccountName: flink
  flinkProperties:
    kubernetes.cluster-id: orders
{settings}
  jobManager: {resources: {limits: {memory: 1280Mi, cpu: 400m}}}
  taskManager: {replicas: 1, resources: {limits: {memory: 1280Mi, cpu: 400m}}}
  job: {jarFile: ./orders.jar, className: Orders, parallelism: 2}
"""
LYFT = """\
apiVersion: flink.k8s.io/v1beta1
kind: FlinkApplication
metadata: {name: orders, namespace: shop}
spec:
  image: flink:1.19.3
  flinkVersion: "1.18"
  serviceAccountName: flink
  flinkConfig:
{settings}
  jobManagerConfig:
    resources: {requests: {memory: 1280Mi}, limits: {memory: 1280Mi, cpu: 400m}}
  taskManagerConfig:
    taskSlots: 4
    resources: {requests: {memory: 1280Mi}, limits: {memory: 1280Mi, cpu: 400m}}
  jarName: orders.jar
  entryClass: Orders
  parallelism: 2
  savepointDisabled: true
"""
VERVERICA = """\
apiVersion: v1
kind: Deployment
metadata: {name: orders, namespace: shop}
spec:
  upgradeStrategy: {kind: STATEFUL}
  restoreStrategy: {kind: NONE}
  template:
    spec:
      artifact: {kind: JAR, jarUri: s3://flink/orders.jar, flinkVersion: "1.18"}
      flinkConfiguration:
{settings}
      parallelism: 2
      resources:
        jobmanager: {cpu: 0.4, memory: 1.0737G}
        taskmanager: {cpu: 0.4, memory: 1.0737G}
"""


def resource(template: str, depth: int = 4) -> str:
    return template.replace("{settings}", indent(SETTINGS, " " * depth).rstrip())


RESOURCES = {
    "FlinkDeployment": resource(APACHE).format(version="flink.apache.org/v1beta1", kind="FlinkDeployment"),
    "Confluent's FlinkApplication": resource(APACHE).format(
        version="platform.confluent.io/v1beta1", kind="FlinkApplication"
    ),
    "Confluent's ComputePool": resource(POOL, 6),
    "Spotify's FlinkCluster": resource(CLUSTER),
    "Google's FlinkCluster": resource(CLUSTER).replace('  flinkVersion: "1.18"\n', ""),
    "Lyft's FlinkApplication": resource(LYFT),
    "Ververica's Deployment": resource(VERVERICA, 8),
}
APART: dict[str, dict[str, str]] = {
    "Confluent's FlinkApplication": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK703": "the releases that Apache's operator supports are not those of Confluent's",
        "FLK975": "an environment may mount the JAR",
    },
    "Confluent's ComputePool": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK059": "an environment may give the pods a plugin",
        "FLK604": "a statement or the environment may set the attempts",
        "FLK625": "a pool has no parallelism of its own",
        "FLK703": "the releases that Apache's operator supports are not those of Confluent's",
        "FLK705": "what happens to the state is up to each statement",
        "FLK948": "an environment may name another image",
        "FLK975": "statements need no JAR",
    },
    "Spotify's FlinkCluster": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK625": "the number of TaskManagers is written in the resource",
        "FLK703": "only Apache's operator deprecates releases",
        "FLK705": "an update takes a savepoint, or refuses to start without one",
        "FLK975": "a pod of its own submits the JAR",
    },
    "Google's FlinkCluster": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK625": "the number of TaskManagers is written in the resource",
        "FLK702": "the resource names no release",
        "FLK703": "only Apache's operator deprecates releases",
        "FLK705": "an update takes a savepoint",
        "FLK975": "a pod of its own submits the JAR",
    },
    "Lyft's FlinkApplication": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK703": "only Apache's operator deprecates releases",
        "FLK975": "jarName is a name and no path",
    },
    "Ververica's Deployment": {
        "FLK104": "only Apache's operator is known to start an application, which takes no uploads",
        "FLK059": "the platform's images load the plugins",
        "FLK604": "the defaults of the platform may set the attempts",
        "FLK625": "the number of TaskManagers may be set elsewhere",
        "FLK702": "the platform chooses the image of a release",
        "FLK703": "only Apache's operator deprecates releases",
        "FLK714": "the platform's installation may set other limits than the requests",
        "FLK948": "the platform chooses the patch of a release",
        "FLK975": "the platform fetches the artifact from its storage",
    },
}
"""What is not the same, by the codes that only one of the two resources has."""


def codes(folder: Path, text: str) -> set[str]:
    path = folder / "resource.yaml"
    path.write_text(text)
    return {finding.code for finding in check(find([str(path)]), Options()).findings}


@pytest.fixture(scope="module")
def apache(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    found = codes(tmp_path_factory.mktemp("apache"), RESOURCES["FlinkDeployment"])
    assert len(found) > 12
    return found


@pytest.mark.parametrize("name", [name for name in RESOURCES if name != "FlinkDeployment"])
def test_a_specification_has_the_same_findings_in_every_resource(name: str, apache: set[str], tmp_path: Path) -> None:
    assert codes(tmp_path, RESOURCES[name]) ^ apache == set(APART[name])


@pytest.mark.parametrize("name", RESOURCES)
def test_every_resource_sizes_the_processes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "resource.yaml"
    path.write_text(RESOURCES[name])
    (source,) = find([str(path)])
    assert isinstance(source, Source)
    (document,) = source.file_format.read(source.path, source.data)
    settings = document.settings()
    sizes = [key for key in settings if key.endswith(("manager.memory.process.size", "manager.heap.size"))]
    assert sorted(key.split(".")[0] for key in sizes) == ["jobmanager", "taskmanager"]
    assert all(settings[key] for key in sizes)
    assert "parallelism.default" in settings or name == "Confluent's ComputePool"
