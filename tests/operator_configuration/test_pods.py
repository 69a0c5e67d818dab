"""flint merges pod templates as the operator does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.operator_configuration.pods import Container, read_containers, real_container

_RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  flinkVersion: v1_20
  flinkConfiguration: {%s}
  podTemplate:
    spec:
      containers: [%s]
      volumes: [{name: data, emptyDir: {}}]
  jobManager:
    podTemplate: {spec: {containers: [%s]}}
"""
_BY_NAME = "kubernetes.operator.pod-template.merge-arrays-by-name: true"
_NESTED = "kubernetes.operator: {pod-template: {merge-arrays-by-name: 'true'}}"
_SIDECAR = "{name: sidecar, image: proxy, env: [{name: PORT, value: '80'}]}"
_MAIN = "{name: flink-main-container, env: [{name: A, value: a}], volumeMounts: [{name: data, mountPath: /data}]}"
_OWN = "{name: flink-main-container, env: [{name: B, value: b}]}"
_MOUNT: Container = {"volume at /data": "emptyDir"}


@pytest.mark.parametrize(
    ("settings", "common", "expected"),
    [
        ("", _MAIN, {"variable B": "b", **_MOUNT}),
        (_BY_NAME, _MAIN, {"variable A": "a", "variable B": "b", **_MOUNT}),
        (_NESTED, _MAIN, {"variable A": "a", "variable B": "b", **_MOUNT}),
        # By place, the first container of one is laid over the first of the other.
        ("", f"{_SIDECAR}, {_MAIN}", {"variable A": "a", **_MOUNT}),
        ("", _SIDECAR, {"image": "proxy", "variable B": "b"}),
        (_BY_NAME, f"{_SIDECAR}, {_MAIN}", {"variable A": "a", "variable B": "b", **_MOUNT}),
        (_BY_NAME, _SIDECAR, {"variable B": "b"}),
    ],
)
def test_a_template_is_merged_into_the_common_one(
    tmp_path: Path, settings: str, common: str, expected: Container
) -> None:
    path = tmp_path / "deployment.yaml"
    path.write_text(_RESOURCE % (settings, common, _OWN), encoding="utf-8")
    assert read_containers(path)["jobManager"] == expected


def test_the_last_main_container_counts() -> None:
    main = [{"name": "flink-main-container", "image": image} for image in ("first", "last")]
    assert real_container({"spec": {"containers": main}}) == {"image": "last"}
