"""Tests of the values of the chart of the Flink Kubernetes Operator, and of what selects Flink's pods."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from tests.formats.reading import parts, read

IMAGE = "image:\n  repository: ghcr.io/apache/flink-kubernetes-operator\n"
POLICY = """apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: orders}
spec:
  podSelector: {matchLabels: {component: taskmanager}}
  ingress: [{ports: [{port: 6122}]}]
"""
MONITOR = """apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: orders}
spec:
  selector: {matchLabels: {component: taskmanager}}
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"{IMAGE}watchNamespaces: [a]\n", ""),
        ("operatorHealth:\n  port: 8085\n", ""),
        ("# of the flink-operator\nwatchNamespaces: [a]\n", ""),
        ("flink-kubernetes-operator:\n  operatorPod: {replicas: 2}\n", "flink-kubernetes-operator"),
        ("flink: {}\noperatorPod: {}\ndefaultConfiguration: {create: true}\n", ""),
    ],
)
def test_values_of_the_operators_chart_are_recognized_by_its_keys(text: str, place: str) -> None:
    (document,) = read("values.yaml", text)
    (element,) = document.elements_of(("operator-values",))
    assert (element.name, document.name, document.entries) == (place, "operator chart", [])


@pytest.mark.parametrize("text", ["flink: {}\nwatchNamespaces: [a]\n", "flink: {}\noperatorPod: {}\n"])
def test_a_key_that_others_have_is_not_enough(text: str) -> None:
    assert not read("values.yaml", text)


def test_values_and_default_settings_are_one_document() -> None:
    settings = "defaultConfiguration:\n  flink-conf.yaml: |\n    rest.port: 8081\n"
    (document,) = read("values.yaml", f"{IMAGE}{settings}replicas: 2\n")
    (element,) = document.elements_of(("operator-values",))
    assert (document.name, document.settings(), element.value("replicas")) == (
        "operator defaults",
        {"rest.port": "8081"},
        2,
    )


@pytest.mark.parametrize("text", [POLICY, MONITOR])
def test_what_selects_pods_of_flink_need_not_mention_it(text: str) -> None:
    (document,) = read("objects.yaml", text)
    ((kind, attributes),) = parts(document, "kubernetes-object")
    assert f"kind: {kind}" in text
    assert ("taskmanager", "taskmanager") in attributes.values()


@pytest.mark.parametrize("text", [POLICY, MONITOR])
def test_other_policies_and_monitors_are_not_read(text: str) -> None:
    assert file_format_of("objects.yaml", text.replace("taskmanager", "web")) is None
