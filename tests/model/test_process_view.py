"""What rules learn of a process from all documents that take part."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.deployments import deployments_of, place_of, read_project
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.view import View

DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: flink:1.20.4
  serviceAccount: flink
  flinkVersion: v1_20
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 2g, cpu: 1}}
  podTemplate:
    spec:
      containers:
      - name: flink-main-container
        env: [{name: ENABLE_BUILT_IN_PLUGINS, value: a.jar}]
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, emptyDir: {}}]
"""
COMPOSE = """\
services:
  taskmanager:
    image: %s
    command: %s
    environment:
      %s
"""


def views(folder: Path, name: str, text: str) -> list[ProcessView]:
    (folder / name).write_text(text)
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(folder)], sources), Options())
    return [
        process
        for one in found
        for process in View(one.document, one.target, one.target.indices[0], relation=one.relation).processes
    ]


def test_a_resource_has_two_processes_with_what_its_pod_template_says(tmp_path: Path) -> None:
    manager, worker = views(tmp_path, "orders.yaml", DEPLOYMENT)
    assert (manager.role, worker.role) == ("jobmanager", "taskmanager")
    facts = (manager.image, manager.service_account, worker.variable("ENABLE_BUILT_IN_PLUGINS"))
    assert [fact and fact.value for fact in facts] == ["flink:1.20.4", "flink", "a.jar"]
    assert [volume.text("target") for volume in worker.volumes()] == ["/data"]
    assert worker.is_known("environment.OTHER")
    assert worker.variable("OTHER") is None
    assert not worker.is_requested


def test_a_cluster_that_requests_its_taskmanagers_describes_none_of_them(tmp_path: Path) -> None:
    found = views(tmp_path, "compose.yaml", COMPOSE % ("flink:1.20.4", "kubernetes-session.sh", "A: b"))
    assert [one.is_requested for one in found if one.role == "taskmanager"] in ([], [True])


@pytest.mark.parametrize(
    ("image", "command", "variables", "settings", "environment"),
    [
        ("flink:1.20.4", "taskmanager", "A: b", True, True),
        ("flink:1.20.4", "taskmanager", "A: ${B}", True, True),
        ("flink:1.20.4", "taskmanager", "FLINK_CONF_DIR: /conf", False, True),
        ("flink:1.20.4", "taskmanager", "FLINK_PROPERTIES: ${PROPERTIES}", False, True),
        ("flink:1.20.4", "taskmanager", 'FLINK_PROPERTIES: "taskmanager.numberOfTaskSlots: ${SLOTS}"', True, True),
        ("flink:1.20.4", 'bash -c "configure && taskmanager.sh start-foreground"', "A: b", False, True),
        ("flink:1.20.4", "taskmanager", "A: b\n    env_file: missing.env", False, False),
        ("acme/orders:7", "taskmanager", "A: b", False, True),
    ],
)
def test_what_is_not_in_the_repository_may_set_options_or_variables(
    image: str, command: str, variables: str, settings: bool, environment: bool, tmp_path: Path
) -> None:
    (one,) = views(tmp_path, "compose.yaml", COMPOSE % (image, command, variables))
    assert (one.settings_are_known, one.environment_is_known) == (settings, environment)


def test_a_variable_from_a_secret_is_not_known_to_be_missing(tmp_path: Path) -> None:
    from_secret = "envFrom: [{secretRef: {name: flink}}]"
    text = DEPLOYMENT.replace("env: [{name: ENABLE_BUILT_IN_PLUGINS, value: a.jar}]", from_secret)
    manager, worker = views(tmp_path, "orders.yaml", text)
    assert not manager.environment_is_known
    assert not worker.environment_is_known


def test_a_finding_is_at_the_attribute_that_it_is_about(tmp_path: Path) -> None:
    (one,) = views(tmp_path, "compose.yaml", COMPOSE % ("flink:1.20.4", "taskmanager", "A: b"))
    place = one.place("image", "the image")
    text = (tmp_path / "compose.yaml").read_text()
    assert text[slice(*place.span)] in ("image: flink:1.20.4", "flink:1.20.4")
