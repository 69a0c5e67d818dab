"""The lists that strategic merge patches merge item by item, and their merge keys, by kind of object.

From the Kubernetes OpenAPI definitions (v1.21.2) that kustomize contains. Lists of any other kind of object are
replaced, among them those of custom resources; but a part of a custom resource that has a kind and an apiVersion of
its own, such as a pod template, is merged like an object of that kind.
"""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple


class Field(NamedTuple):
    """How a field is merged: the definition of its values, and, for a list, the merge keys of its items."""

    definition: str = ""
    keys: tuple[str, ...] | None = None


_TEMPLATED = {"metadata": Field("ObjectMeta"), "spec": Field("TemplatedSpec"), "status": Field("Conditions")}
_DEFINITIONS: dict[str, dict[str, Field]] = {
    "Object": {"metadata": Field("ObjectMeta")},
    "ObjectMeta": {"finalizers": Field(keys=()), "ownerReferences": Field(keys=("uid",))},
    "Conditions": {"conditions": Field(keys=("type",))},
    "Templated": _TEMPLATED,
    "TemplatedSpec": {"template": Field("PodTemplateSpec")},
    "PodTemplateSpec": {"metadata": Field("ObjectMeta"), "spec": Field("PodSpec")},
    "PodTemplate": {"metadata": Field("ObjectMeta"), "template": Field("PodTemplateSpec")},
    "CronJob": {"metadata": Field("ObjectMeta"), "spec": Field("CronJobSpec")},
    "CronJobSpec": {"jobTemplate": Field("JobTemplateSpec")},
    "JobTemplateSpec": {"metadata": Field("ObjectMeta"), "spec": Field("TemplatedSpec")},
    "Pod": {"metadata": Field("ObjectMeta"), "spec": Field("PodSpec"), "status": Field("PodStatus")},
    "PodStatus": {"conditions": Field(keys=("type",)), "podIPs": Field(keys=("ip",))},
    "PodSpec": {
        "containers": Field("Container", ("name",)),
        "ephemeralContainers": Field("EphemeralContainer", ("name",)),
        "hostAliases": Field(keys=("ip",)),
        "imagePullSecrets": Field(keys=("name",)),
        "initContainers": Field("Container", ("name",)),
        "topologySpreadConstraints": Field(keys=("topologyKey", "whenUnsatisfiable")),
        "volumes": Field("Volume", ("name",)),
    },
    "Container": {
        "env": Field(keys=("name",)),
        "ports": Field(keys=("containerPort", "protocol")),
        "volumeDevices": Field(keys=("devicePath",)),
        "volumeMounts": Field(keys=("mountPath",)),
    },
    "EphemeralContainer": {
        "env": Field(keys=("name",)),
        "volumeDevices": Field(keys=("devicePath",)),
        "volumeMounts": Field(keys=("mountPath",)),
    },
    "Volume": {"ephemeral": Field("EphemeralVolumeSource")},
    "EphemeralVolumeSource": {"volumeClaimTemplate": Field("Object")},
    "Service": {"metadata": Field("ObjectMeta"), "spec": Field("ServiceSpec"), "status": Field("Conditions")},
    "ServiceSpec": {"ports": Field(keys=("port", "protocol"))},
    "ServiceAccount": {"metadata": Field("ObjectMeta"), "secrets": Field(keys=("name",))},
    "Claim": {"metadata": Field("ObjectMeta"), "status": Field("Conditions")},
    "Webhooks": {"metadata": Field("ObjectMeta"), "webhooks": Field(keys=("name",))},
    "Node": {"metadata": Field("ObjectMeta"), "spec": Field("NodeSpec"), "status": Field("NodeStatus")},
    "NodeSpec": {"podCIDRs": Field(keys=())},
    "NodeStatus": {"addresses": Field(keys=("type",)), "conditions": Field(keys=("type",))},
    "CSINode": {"metadata": Field("ObjectMeta"), "spec": Field("CSINodeSpec")},
    "CSINodeSpec": {"drivers": Field(keys=("name",))},
}

_OF_KINDS = {
    **dict.fromkeys(
        ("apps/v1 DaemonSet", "apps/v1 Deployment", "apps/v1 ReplicaSet", "apps/v1 StatefulSet", "batch/v1 Job",
         "v1 ReplicationController"),
        "Templated",
    ),
    **dict.fromkeys(("batch/v1 CronJob", "batch/v1beta1 CronJob"), "CronJob"),
    "v1 Pod": "Pod", "v1 PodTemplate": "PodTemplate", "v1 Service": "Service", "v1 ServiceAccount": "ServiceAccount",
    "v1 Node": "Node", "storage.k8s.io/v1 CSINode": "CSINode", "storage.k8s.io/v1beta1 CSINode": "CSINode",
    **dict.fromkeys(
        ("v1 PersistentVolumeClaim", "v1 Namespace", "policy/v1 PodDisruptionBudget",
         "policy/v1beta1 PodDisruptionBudget"),
        "Claim",
    ),
    **dict.fromkeys(
        (f"admissionregistration.k8s.io/{version} {kind}WebhookConfiguration"
         for version in ("v1", "v1beta1") for kind in ("Mutating", "Validating")),
        "Webhooks",
    ),
}  # fmt: skip

_CLUSTER = {
    "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "admissionregistration.k8s.io/v1beta1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "apiregistration.k8s.io/v1beta1": "APIService",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
    "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io/v1": "IngressClass",
    "networking.k8s.io/v1beta1": "IngressClass",
    "node.k8s.io/v1": "RuntimeClass",
    "node.k8s.io/v1beta1": "RuntimeClass",
    "policy/v1beta1": "PodSecurityPolicy",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding",
    "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding",
    "scheduling.k8s.io/v1": "PriorityClass",
    "scheduling.k8s.io/v1beta1": "PriorityClass",
    "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
    "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
    "v1": "ComponentStatus Namespace Node NodeProxyOptions PersistentVolume",
}
_NAMESPACED = {
    "apps/v1": "ControllerRevision",
    "autoscaling/v1": "HorizontalPodAutoscaler Scale",
    "autoscaling/v2beta1": "HorizontalPodAutoscaler",
    "autoscaling/v2beta2": "HorizontalPodAutoscaler",
    "coordination.k8s.io/v1": "Lease",
    "coordination.k8s.io/v1beta1": "Lease",
    "discovery.k8s.io/v1": "EndpointSlice",
    "discovery.k8s.io/v1beta1": "EndpointSlice",
    "events.k8s.io/v1": "Event",
    "events.k8s.io/v1beta1": "Event",
    "extensions/v1beta1": "Ingress",
    "networking.k8s.io/v1": "Ingress NetworkPolicy",
    "networking.k8s.io/v1beta1": "Ingress",
    "policy/v1beta1": "Eviction",
    "rbac.authorization.k8s.io/v1": "Role RoleBinding",
    "rbac.authorization.k8s.io/v1beta1": "Role RoleBinding",
    "storage.k8s.io/v1beta1": "CSIStorageCapacity",
    "v1": "Binding ConfigMap Endpoints Event LimitRange ResourceQuota Secret",
}


def _known(table: dict[str, str]) -> frozenset[str]:
    return frozenset(f"{version} {kind}" for version, kinds in table.items() for kind in kinds.split())


_CLUSTER_SCOPED = _known(_CLUSTER)
_OTHERS = _known(_NAMESPACED)


def is_cluster_scoped(api_version: str, kind: str) -> bool:
    """Return whether objects of a kind are known to have no namespace; custom resources are considered namespaced."""
    return f"{api_version} {kind}" in _CLUSTER_SCOPED


def definition_of(api_version: str, kind: str) -> str:
    """Return the name of the Kubernetes definition of a kind, as needed by `field_of`; empty if there is none."""
    name = f"{api_version} {kind}"
    return _OF_KINDS.get(name) or ("Object" if name in _CLUSTER_SCOPED or name in _OTHERS else "")


def field_of(definition: str, name: str) -> Field:
    """Return how kustomize merges a field of a definition; fields of unknown definitions have no merge keys."""
    return _DEFINITIONS.get(definition, {}).get(name) or _UNKNOWN


_UNKNOWN = Field()
