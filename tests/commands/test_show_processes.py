"""`flint show` of deployments: processes with their files, limits and chains, and what differs between two."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Flint

COMPOSE = {
    "conf/flink-conf.yaml": """\
jobmanager.rpc.address: jobmanager
execution.checkpointing.interval: 5 min
taskmanager.memory.process.size: 1728m
jobmanager.memory.process.size: 1600m
""",
    "docker-compose.yml": """\
services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    ports: ["8082:8081"]
    volumes: ["./conf:/opt/flink/conf"]
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment:
      S3_SECRET_KEY: hush-7f3a
      FLINK_PROPERTIES: |
        execution.checkpointing.interval: 1 min
        taskmanager.numberOfTaskSlots: 4
    volumes: ["./conf:/opt/flink/conf"]
    deploy:
      replicas: 3
      resources: {limits: {memory: 2g, cpus: "1.5"}}
""",
}
OVERLAYS = {
    "base/job.yaml": """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: payments
  namespace: streaming
spec:
  image: acme/payments:1.4
  flinkVersion: v1_20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "4"
    execution.checkpointing.interval: 1 min
    s3.secret-key: hush-7f3a
  jobManager: {resource: {memory: 2g, cpu: 1}}
  taskManager: {resource: {memory: 4g, cpu: 2}}
  job: {jarURI: "local:///a.jar", parallelism: 4, upgradeMode: savepoint}
""",
    "base/kustomization.yaml": "resources: [job.yaml]\n",
    "overlays/dev/kustomization.yaml": "resources: [../../base]\nnamePrefix: dev-\n",
    "overlays/prod/kustomization.yaml": "resources: [../../base]\npatches:\n- path: patch.yaml\n",
    "overlays/prod/patch.yaml": """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: payments
  namespace: streaming
spec:
  flinkConfiguration:
    execution.checkpointing.interval: 60 s
    execution.checkpointing.timeout: 20 min
    s3.secret-key: whisper-81c
  taskManager: {resource: {memory: 8g}}
  job: {parallelism: 16}
""",
}


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files of a repository."""
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def processes(flint: Flint, *arguments: str) -> list[dict[str, Any]]:
    """Return the processes in the JSON of `flint show`."""
    result = flint("show", *arguments, "--output-format", "json")
    assert result.returncode == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)["processes"]
    return found


def test_the_processes_of_a_compose_file(flint: Flint, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    write(tmp_path, COMPOSE)
    result = flint("show", "docker-compose.yml", COLUMNS="100")
    assert result.returncode == 0, result.stderr
    golden("show-compose.txt", result.stdout)
    manager, worker = processes(flint, "docker-compose.yml")
    assert (manager["role"], manager["image"]["value"], manager["ports"]) == (
        "jobmanager",
        "flink:1.18.1",
        ["8082:8081"],
    )
    assert (worker["role"], worker["replicas"]["value"], worker["slots"]["value"]) == ("taskmanager", 3, 4)
    assert worker["memory_limit"] == {"value": 2 << 30, "path": "docker-compose.yml", "line": 18}
    assert worker["cpu_limit"]["value"] == "1.5"
    assert worker["files"][0] == {
        "path": "/opt/flink/conf/flink-conf.yaml", "source": "./conf", "file": "conf/flink-conf.yaml", "is_read": True,
        "mounted_at": {"path": "docker-compose.yml", "line": 15},
    }  # fmt: skip
    assert [(one["path"], one["line"], one["value"]) for one in worker["settings"][INTERVAL]["chain"]] == [
        ("docker-compose.yml", 13, "1 min"),
        ("conf/flink-conf.yaml", 2, "5 min"),
    ]
    assert manager["settings"][INTERVAL]["value"] == "5 min"
    assert worker["memory"]["task_heap"] == 402653174


INTERVAL = "execution.checkpointing.interval"


def test_a_mounted_file_shows_the_processes_that_read_it(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, COMPOSE)
    assert [one["name"] for one in processes(flint, "conf/flink-conf.yaml")] == ["jobmanager", "taskmanager"]
    assert "docker-compose.yml (service taskmanager) as Flink 1.18.1 reads it" in flint("show", "conf").stdout


def test_overlays_are_shown_as_they_are_built(flint: Flint, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    write(tmp_path, OVERLAYS)
    golden("show-overlay.txt", flint("show", "overlays/prod", COLUMNS="100").stdout)
    manager, worker = processes(flint, "overlays/prod")
    assert manager["deployment"] == "FlinkDeployment streaming/payments (prod)"
    assert worker["replicas"] == {"value": 4, "path": "overlays/prod/patch.yaml", "line": 12}
    assert worker["unknown"] == ["the operator's defaults"]


def test_what_differs_between_two_overlays(flint: Flint, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    write(tmp_path, OVERLAYS)
    result = flint("show", "--diff", "overlays/dev", "overlays/prod", COLUMNS="100")
    assert result.returncode == 0, result.stderr
    golden("show-diff.txt", result.stdout)
    as_json = flint("show", "--diff", "overlays/dev", "overlays/prod", "--output-format", "json")
    golden("show-diff.json.txt", as_json.stdout)
    report = json.loads(as_json.stdout)
    worker = next(one for one in report["processes"] if one["role"] == "taskmanager")
    assert [one["what"] for one in worker["differences"]] == ["replicas", "memory limit"]
    # The interval is spelled in another way, but it is the same.
    assert [one["key"] for one in worker["settings"]] == [
        "execution.checkpointing.timeout", "kubernetes.cluster-id", "parallelism.default", "pipeline.name",
        "s3.secret-key", "taskmanager.memory.process.size",
    ]  # fmt: skip


def test_what_starts_no_process_is_compared_by_its_settings(flint: Flint, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.sql": "SET 'parallelism.default' = '2';\nSELECT 1;\n", "b.sql": "SET 'parallelism.default' = '3';\n"},
    )
    shown = flint("show", "--diff", "a.sql", "b.sql").stdout
    assert "  parallelism.default\n  - 2  a.sql:1\n  + 3  b.sql:1\n" in shown


def test_equal_deployments_have_no_differences(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, COMPOSE)
    result = flint("show", "--diff", "docker-compose.yml", "docker-compose.yml")
    assert result.returncode == 0
    assert result.stdout.endswith("\nNo differences.\n")


def test_a_process_without_counterpart_is_on_one_side_only(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, COMPOSE)
    (tmp_path / "small.yml").write_text(COMPOSE["docker-compose.yml"].partition("  taskmanager:")[0])
    result = flint("show", "--diff", "docker-compose.yml", "small.yml")
    assert "only in docker-compose.yml" in result.stdout
    report = json.loads(flint("show", "--diff", "docker-compose.yml", "small.yml", "--output-format", "json").stdout)
    assert [one["after"] for one in report["processes"] if one["role"] == "taskmanager"] == [None]


@pytest.mark.slow
def test_no_secret_is_shown_unless_requested(flint: Flint, tmp_path: Path) -> None:
    write(tmp_path, COMPOSE | OVERLAYS)
    for output_format in ("text", "json"):
        for arguments in (["."], ["--diff", "overlays/dev", "overlays/prod"]):
            shown = flint("show", *arguments, "--output-format", output_format).stdout
            assert "hush" not in shown
            assert "whisper" not in shown
    assert "whisper-81c" in flint("show", "--diff", "overlays/dev", "overlays/prod", "--show-secrets").stdout
    assert (
        processes(flint, "docker-compose.yml", "--show-secrets")[1]["environment"]["S3_SECRET_KEY"]["value"]
        == "hush-7f3a"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.yaml", "b.yaml"], "flint show takes one path, not 2; to compare two, use --diff"),
        (["--diff", "a.yaml"], "--diff compares two paths, not 1: flint show --diff A B"),
        (["--diff", "conf", "docker-compose.yml"], None),
    ],
)
def test_one_path_is_shown_and_two_are_compared(
    arguments: list[str], message: str | None, flint: Flint, tmp_path: Path
) -> None:
    write(tmp_path, COMPOSE)
    result = flint("show", *arguments)
    assert (message is None) == (result.returncode == 0)
    assert (message or "") in result.stderr


def test_what_is_not_in_the_repository_is_unknown(flint: Flint, tmp_path: Path) -> None:
    manifest = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: tm}
spec:
  replicas: 2
  template:
    spec:
      serviceAccountName: flink
      containers:
      - name: taskmanager
        image: acme/orders:7
        args: [taskmanager, -Dtaskmanager.numberOfTaskSlots=8]
        env:
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: tokens, key: a}}}
        envFrom: [{secretRef: {name: s3}}]
        volumeMounts: [{name: conf, mountPath: /opt/flink/conf/flink-conf.yaml, subPath: flink-conf.yaml}]
      volumes: [{name: conf, configMap: {name: flink-config}}]
"""
    (tmp_path / "tm.yaml").write_text(manifest)
    (worker,) = processes(flint, "tm.yaml")
    assert worker["unknown"] == [
        "ConfigMap flink-config at /opt/flink/conf/flink-conf.yaml",
        "the configuration in image acme/orders:7",
        "Secret s3 (its variables)",
        "the value of TOKEN",
    ]
    assert (worker["replicas"]["value"], worker["service_account"]["value"]) == (2, "flink")
    assert worker["settings"]["taskmanager.numberOfTaskSlots"]["chain"][0]["layer"] == "-Dtaskmanager.numberOfTaskSlots"
    assert worker["memory"] is None


def test_an_option_that_two_releases_spell_differently_is_one_setting(flint: Flint, tmp_path: Path) -> None:
    for name, key in (("a/flink-conf.yaml", "state.checkpoints.dir"), ("b/config.yaml", "execution.checkpointing.dir")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"{key}: s3://state/{name[0]}\n")
    shown = flint("show", "--diff", "a", "b").stdout
    assert (
        "  execution.checkpointing.dir\n  - s3://state/a  a/flink-conf.yaml:1\n  + s3://state/b  b/config.yaml:1\n"
        in shown
    )
    assert "state.checkpoints.dir" not in shown
