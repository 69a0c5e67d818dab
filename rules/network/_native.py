"""Determines who creates the pods or containers of a cluster."""

from flink_flint.linter.model.view import View

_OF_ANY_POD = ("kubernetes.cluster-id", "kubernetes.namespace")
"""What standalone pods with Kubernetes high availability set, too."""


def is_on_native_kubernetes(config: View) -> bool:
    """Return whether Flink itself or the operator creates the pods."""
    if config.platform == "operator" or (config.string("execution.target") or "").startswith("kubernetes-"):
        return True
    return config.platform == "kubernetes" and any(
        setting.written not in _OF_ANY_POD for setting in config.under("kubernetes.")
    )


def asks_for_containers(config: View) -> bool:
    """Return whether Flink requests TaskManagers when jobs need them: on native Kubernetes, YARN and EMR."""
    return config.platform in ("yarn", "emr") or is_on_native_kubernetes(config)
