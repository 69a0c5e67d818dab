"""Processes that documents start, and which of their files the release reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.engine.deployments import deployments_of, place_of, read_project
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.processes.process import Process

POD = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: flink-config}}
data:
  {key}: |
    taskmanager.numberOfTaskSlots: 2
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: tm}}
spec:
  template:
    spec:
      containers:
      - name: taskmanager
        image: flink:{release}
        args: [taskmanager]
        volumeMounts: [{mount}]
      volumes: [{{name: conf, configMap: {{name: flink-config{items}}}}}]
"""
FOLDER = "{name: conf, mountPath: /opt/flink/conf}"


def processes(folder: Path, text: str) -> list[Process]:
    (folder / "pod.yaml").write_text(text)
    sources = [source for source in find([str(folder)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(folder)], sources), Options())
    return [process for one in found for process in one.processes]


@pytest.mark.parametrize(
    ("release", "key", "is_read"),
    [
        ("1.18.1", "flink-conf.yaml", True),
        ("1.18.1", "config.yaml", False),
        ("1.20.4", "flink-conf.yaml", True),
        ("1.20.4", "config.yaml", True),
        ("2.0.2", "flink-conf.yaml", False),
        ("2.0.2", "config.yaml", True),
    ],
)
def test_a_release_reads_a_configmap_under_one_name(release: str, key: str, is_read: bool, tmp_path: Path) -> None:
    (one,) = processes(tmp_path, POD.format(release=release, key=key, mount=FOLDER, items=""))
    assert [(file.path, file.is_read) for file in one.files] == [(f"/opt/flink/conf/{key}", is_read)]
    slots = one.settings.get("taskmanager.numberOfTaskSlots")
    assert (slots is not None and slots.text == "2") == is_read


def test_a_key_of_a_configmap_is_a_file_of_another_name(tmp_path: Path) -> None:
    items = ", items: [{key: production, path: config.yaml}]"
    text = POD.format(
        release="2.0.2", key="flink-conf.yaml", mount=FOLDER, items=items.replace("production", "flink-conf.yaml")
    )
    (one,) = processes(tmp_path, text)
    assert [(file.path, file.is_read) for file in one.files] == [("/opt/flink/conf/config.yaml", True)]


def test_one_file_of_a_configmap_is_mounted_beside_those_of_the_image(tmp_path: Path) -> None:
    mount = "{name: conf, mountPath: /opt/flink/conf/flink-conf.yaml, subPath: flink-conf.yaml}"
    (one,) = processes(tmp_path, POD.format(release="2.0.2", key="flink-conf.yaml", mount=mount, items=""))
    assert [(file.path, file.is_read, file.is_folder) for file in one.files] == [
        ("/opt/flink/conf/flink-conf.yaml", False, False)
    ]


def test_a_configmap_elsewhere_is_no_configuration_of_flink(tmp_path: Path) -> None:
    mount = "{name: conf, mountPath: /etc/other}"
    (one,) = processes(tmp_path, POD.format(release="2.0.2", key="flink-conf.yaml", mount=mount, items=""))
    assert one.files == ()


def test_flink_conf_dir_decides_where_the_configuration_is(tmp_path: Path) -> None:
    mount = "{name: conf, mountPath: /etc/orders}"
    text = POD.format(release="1.18.1", key="flink-conf.yaml", mount=mount, items="")
    text = text.replace(
        "args: [taskmanager]", "args: [taskmanager]\n        env: [{name: FLINK_CONF_DIR, value: /etc/orders}]"
    )
    (one,) = processes(tmp_path, text)
    assert one.conf_dir == "/etc/orders"
    assert [file.path for file in one.files] == ["/etc/orders/flink-conf.yaml"]


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        (
            "{name: conf, mountPath: /mnt/flink}",
            [("8", "FLINK_PROPERTIES of ConfigMap env"), ("2", "ConfigMap flink-config")],
        ),
        (FOLDER, [("2", "ConfigMap flink-config")]),
        (
            "{name: conf, mountPath: /opt/flink/conf/flink-conf.yaml, subPath: flink-conf.yaml}",
            [("2", "ConfigMap flink-config")],
        ),
    ],
)
def test_flink_properties_override_no_file_that_is_mounted_read_only(
    mount: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    text = POD.format(release="1.18.1", key="flink-conf.yaml", mount=mount, items="")
    text = text.replace("args: [taskmanager]", "args: [taskmanager]\n        envFrom: [{configMapRef: {name: env}}]")
    text += """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data:
  FLINK_PROPERTIES: |
    taskmanager.numberOfTaskSlots: 8
"""
    (one,) = processes(tmp_path, text)
    chain = one.settings["taskmanager.numberOfTaskSlots"].chain
    assert [(place.text, place.layer) for place in chain] == expected


def test_arguments_override_what_several_services_share(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text("""\
x-env: &env
  FLINK_PROPERTIES: |
    taskmanager.numberOfTaskSlots: 2
services:
  jobmanager: {image: "flink:1.18.1", command: jobmanager, environment: *env}
  taskmanager:
    image: flink:1.18.1
    command: taskmanager -Dtaskmanager.numberOfTaskSlots=6
    environment: *env
""")
    sources = [source for source in find([str(tmp_path)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(tmp_path)], sources), Options())
    slots = {one.name: one.settings["taskmanager.numberOfTaskSlots"].text for each in found for one in each.processes}
    assert slots == {"jobmanager": "2", "taskmanager": "6"}


def test_an_image_built_without_a_change_has_the_official_settings(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM flink:1.20.1\nRUN mkdir /opt/flink/usrlib\n")
    (tmp_path / "compose.yaml").write_text("services:\n  taskmanager: {build: ., command: taskmanager}\n")
    sources = [source for source in find([str(tmp_path)]) if isinstance(source, Source)]
    found = deployments_of(read_project(sources, Options()), place_of([str(tmp_path)], sources), Options())
    (one,) = [process for each in found for process in each.processes]
    assert one.dockerfile == str(tmp_path / "Dockerfile")
    assert one.settings["taskmanager.memory.process.size"].text == "1728m"


@pytest.mark.parametrize(
    ("image", "dockerfile", "release"),
    [
        ("registry.example.org/orders:7", "orders/Dockerfile", "1.17.2"),
        ("registry.example.org/orders:7", "docker/Dockerfile.orders", "1.17.2"),
        ("registry.example.org/orders:7", "docker/orders.Dockerfile", "1.17.2"),
        ("registry.example.org/bills:7", "orders/Dockerfile", None),
    ],
)
def test_the_image_of_a_pod_is_built_by_the_dockerfile_of_its_name(
    image: str, dockerfile: str, release: str | None, tmp_path: Path
) -> None:
    (tmp_path / dockerfile).parent.mkdir()
    (tmp_path / dockerfile).write_text("FROM flink:1.17.2\nCOPY orders.jar /opt/flink/usrlib/\n")
    text = POD.format(release="1", key="flink-conf.yaml", mount=FOLDER, items="").replace("flink:1", image)
    (one,) = processes(tmp_path, text)
    assert one.dockerfile == (str(tmp_path / dockerfile) if release else None)
    if release:
        assert str(one.configuration.release) == release


def test_a_resource_of_another_operator_starts_processes_of_which_a_part_is_unknown(tmp_path: Path) -> None:
    manager, worker = processes(tmp_path, """\
apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: orders}
spec:
  flinkVersion: "1.14"
  image: {name: acme/orders:3}
  taskManager: {replicas: 3}
  flinkProperties: {taskmanager.numberOfTaskSlots: "2"}
""")  # fmt: skip
    assert (manager.role, worker.role) == ("jobmanager", "taskmanager")
    assert [one and one.value for one in (worker.image, worker.replicas, worker.slots)] == ["acme/orders:3", 3, 2]
    assert worker.unknown == (("what its operator or platform adds", "settings"),)
