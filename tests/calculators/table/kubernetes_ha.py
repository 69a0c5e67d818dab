"""Short names of the vectors on Kubernetes high availability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flink_flint.calculators.kubernetes_ha import KubernetesHa, size_kubernetes_ha
from flink_flint.linter.flink.releases import parse_release


def _k8s_requests(inputs: dict[str, Any]) -> dict[str, Any]:
    answer = size_kubernetes_ha(KubernetesHa(jobs=inputs["jobs"], limit=inputs.get("limit")), parse_release("1.13"))
    return {"need": answer.value("requests"), "ok": not answer.errors, "limit": answer.value("limit")}


TABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"k8s_requests": _k8s_requests}
