"""The fields that kustomize's transformers change by default (api/internal/konfig/builtinpluginconsts)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from flink_flint.linter.formats.kustomize.field_paths import FieldSpec
from flink_flint.linter.text.named_tuple import NamedTuple

_CREATED = ("Deployment", "ReplicaSet", "DaemonSet")
_WORKLOADS = (*_CREATED, "StatefulSet", "Job")
_POD = "spec/template/spec"
_CRON = "spec/jobTemplate/spec/template/spec"
_AFFINITY = (
    "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
    "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
    "topologySpreadConstraints/labelSelector/matchLabels",
)

METADATA_LABELS = FieldSpec("metadata/labels", creates=True)
TEMPLATE_LABELS = (
    METADATA_LABELS,
    FieldSpec("spec/template/metadata/labels", "ReplicationController", version="v1", creates=True),
    *(FieldSpec("spec/template/metadata/labels", kind, creates=True) for kind in _CREATED),
    FieldSpec("spec/template/metadata/labels", "StatefulSet", "apps", creates=True),
    FieldSpec("spec/volumeClaimTemplates[]/metadata/labels", "StatefulSet", "apps", creates=True),
    FieldSpec("spec/template/metadata/labels", "Job", "batch", creates=True),
    FieldSpec("spec/jobTemplate/metadata/labels", "CronJob", "batch", creates=True),
    FieldSpec("spec/jobTemplate/spec/template/metadata/labels", "CronJob", "batch", creates=True),
)
COMMON_LABELS = (
    FieldSpec("spec/selector", "Service", version="v1", creates=True),
    FieldSpec("spec/selector", "ReplicationController", version="v1", creates=True),
    *(FieldSpec("spec/selector/matchLabels", kind, creates=True) for kind in _CREATED),
    FieldSpec("spec/selector/matchLabels", "StatefulSet", "apps", creates=True),
    *(FieldSpec(f"{_POD}/{path}", kind, "apps") for kind in ("Deployment", "StatefulSet") for path in _AFFINITY),
    FieldSpec("spec/selector/matchLabels", "Job", "batch"),
    FieldSpec("spec/jobTemplate/spec/selector/matchLabels", "CronJob", "batch"),
    FieldSpec("spec/selector/matchLabels", "PodDisruptionBudget", "policy"),
    FieldSpec("spec/podSelector/matchLabels", "NetworkPolicy", "networking.k8s.io"),
    FieldSpec("spec/ingress/from/podSelector/matchLabels", "NetworkPolicy", "networking.k8s.io"),
    FieldSpec("spec/egress/to/podSelector/matchLabels", "NetworkPolicy", "networking.k8s.io"),
    *TEMPLATE_LABELS,
)
ANNOTATIONS = (
    FieldSpec("metadata/annotations", creates=True),
    FieldSpec("spec/template/metadata/annotations", "ReplicationController", version="v1", creates=True),
    *(FieldSpec("spec/template/metadata/annotations", kind, creates=True) for kind in (*_CREATED, "StatefulSet")),
    FieldSpec("spec/template/metadata/annotations", "Job", "batch", creates=True),
    FieldSpec("spec/jobTemplate/metadata/annotations", "CronJob", "batch", creates=True),
    FieldSpec("spec/jobTemplate/spec/template/metadata/annotations", "CronJob", "batch", creates=True),
)
NAMESPACES = (
    FieldSpec("metadata/name", "Namespace", creates=True),
    FieldSpec("spec/service/namespace", "APIService", "apiregistration.k8s.io", creates=True),
    FieldSpec("spec/conversion/webhook/clientConfig/service/namespace", "CustomResourceDefinition",
              "apiextensions.k8s.io"),
)  # fmt: skip
IMAGES = tuple(
    FieldSpec(f"{pod}/{path}", creates=True)
    for pod in ("spec", _POD)
    for path in ("containers[]/image", "initContainers[]/image", "volumes[]/image/reference")
)
REPLICAS = tuple(
    FieldSpec("spec/replicas", kind, creates=True)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
)


class NameReference(NamedTuple):
    """The fields that contain the names of objects of one kind."""

    kind: str
    group: str
    version: str
    referrers: tuple[FieldSpec, ...]

    def targets(self, group: str, version: str, kind: str) -> bool:
        """Return whether the fields refer to objects of a group, version, and kind."""
        return self.kind in ("", kind) and self.group in ("", group) and self.version in ("", version)


def _in_pods(paths: tuple[str, ...], kinds: tuple[str, ...] = _WORKLOADS, *, is_v1: bool = True) -> Iterator[FieldSpec]:
    for path in paths:
        yield FieldSpec(f"spec/{path}", "Pod", version="v1" if is_v1 else "")
        yield from (FieldSpec(f"{_POD}/{path}", kind) for kind in kinds)
        yield FieldSpec(f"{_CRON}/{path}", "CronJob")


_CONFIG_MAP_PATHS = (
    "volumes/configMap/name", "containers/env/valueFrom/configMapKeyRef/name",
    "initContainers/env/valueFrom/configMapKeyRef/name", "containers/envFrom/configMapRef/name",
    "initContainers/envFrom/configMapRef/name", "volumes/projected/sources/configMap/name",
)  # fmt: skip
_SECRET_PATHS = (
    "volumes/secret/secretName", "containers/env/valueFrom/secretKeyRef/name",
    "initContainers/env/valueFrom/secretKeyRef/name", "containers/envFrom/secretRef/name",
    "initContainers/envFrom/secretRef/name", "imagePullSecrets/name", "volumes/projected/sources/secret/name",
)  # fmt: skip
_RBAC = "rbac.authorization.k8s.io"
_ADMISSION = "admissionregistration.k8s.io"
_CONTROLLERS = ("StatefulSet", "Deployment", "ReplicationController", "Job", "DaemonSet")
_ROLES = (FieldSpec("rules/resourceNames", "Role"), FieldSpec("rules/resourceNames", "ClusterRole"))


@cache
def name_references() -> tuple[NameReference, ...]:
    """Return the fields that contain names of objects, by kind of the named object, in kustomize's order."""
    scaled = FieldSpec("spec/scaleTargetRef/name", "HorizontalPodAutoscaler")
    return (
        *(NameReference(kind, "", "", (scaled,))
          for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")),
        NameReference("ConfigMap", "", "v1", (
            *_in_pods(_CONFIG_MAP_PATHS),
            *(FieldSpec(f"template/spec/{path}", "PodTemplate") for path in _CONFIG_MAP_PATHS),
            FieldSpec("spec/configSource/configMap", "Node"),
            *_ROLES,
            FieldSpec(r"metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap", "Ingress"),
        )),
        NameReference("Secret", "", "v1", (
            *_in_pods(_SECRET_PATHS),
            *(FieldSpec(f"template/spec/{path}", "PodTemplate") for path in _SECRET_PATHS),
            FieldSpec("spec/tls/secretName", "Ingress"),
            FieldSpec(r"metadata/annotations/ingress.kubernetes.io\/auth-secret", "Ingress"),
            FieldSpec(r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret", "Ingress"),
            FieldSpec(r"metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret", "Ingress"),
            FieldSpec("imagePullSecrets/name", "ServiceAccount"),
            *(FieldSpec(f"parameters/{name}", "StorageClass")
              for name in ("secretName", "adminSecretName", "userSecretName", "secretRef")),
            *_ROLES,
            FieldSpec(f"{_POD}/containers/env/valueFrom/secretKeyRef/name", "Service", "serving.knative.dev", "v1"),
            FieldSpec("spec/azureFile/secretName", "PersistentVolume"),
        )),
        NameReference("Service", "", "v1", (
            FieldSpec("spec/serviceName", "StatefulSet", "apps"),
            *(FieldSpec(path, "Ingress") for path in (
                "spec/rules/http/paths/backend/serviceName", "spec/backend/serviceName",
                "spec/rules/http/paths/backend/service/name", "spec/defaultBackend/service/name",
            )),
            FieldSpec("spec/service/name", "APIService", "apiregistration.k8s.io"),
            FieldSpec("webhooks/clientConfig/service", "ValidatingWebhookConfiguration", _ADMISSION),
            FieldSpec("webhooks/clientConfig/service", "MutatingWebhookConfiguration", _ADMISSION),
        )),
        NameReference("Role", _RBAC, "", (FieldSpec("roleRef/name", "RoleBinding", _RBAC),)),
        NameReference("ClusterRole", _RBAC, "", (
            FieldSpec("roleRef/name", "RoleBinding", _RBAC), FieldSpec("roleRef/name", "ClusterRoleBinding", _RBAC),
        )),
        NameReference("ServiceAccount", "", "v1", (
            FieldSpec("subjects", "RoleBinding", _RBAC), FieldSpec("subjects", "ClusterRoleBinding", _RBAC),
            *_in_pods(("serviceAccountName",), _CONTROLLERS, is_v1=False),
        )),
        NameReference("PersistentVolumeClaim", "", "v1", tuple(
            _in_pods(("volumes/persistentVolumeClaim/claimName",), _CONTROLLERS, is_v1=False)
        )),
        NameReference("PersistentVolume", "", "v1", (
            FieldSpec("spec/volumeName", "PersistentVolumeClaim"), FieldSpec("rules/resourceNames", "ClusterRole"),
        )),
        NameReference("StorageClass", "storage.k8s.io", "v1", (
            FieldSpec("spec/storageClassName", "PersistentVolume"),
            FieldSpec("spec/storageClassName", "PersistentVolumeClaim"),
            FieldSpec("spec/volumeClaimTemplates/spec/storageClassName", "StatefulSet"),
        )),
        NameReference("PriorityClass", "scheduling.k8s.io", "v1", tuple(
            _in_pods(("priorityClassName",), _CONTROLLERS, is_v1=False)
        )),
        NameReference("ValidatingAdmissionPolicy", _ADMISSION, "", (
            FieldSpec("spec/policyName", "ValidatingAdmissionPolicyBinding", _ADMISSION),
        )),
    )  # fmt: skip


class TransformerConfig(NamedTuple):
    """The fields that the transformers of a kustomization change, including those of its `configurations`."""

    common_labels: tuple[FieldSpec, ...] = COMMON_LABELS
    labels: tuple[FieldSpec, ...] = ()
    template_labels: tuple[FieldSpec, ...] = TEMPLATE_LABELS
    annotations: tuple[FieldSpec, ...] = ANNOTATIONS
    namespaces: tuple[FieldSpec, ...] = NAMESPACES
    prefixed: tuple[FieldSpec, ...] = (FieldSpec("metadata/name"),)
    suffixed: tuple[FieldSpec, ...] = (FieldSpec("metadata/name"),)
    images: tuple[FieldSpec, ...] = IMAGES
    replicas: tuple[FieldSpec, ...] = REPLICAS
    references: tuple[NameReference, ...] = ()
    """The fields that contain names of objects, in addition to the default ones in `name_references`."""
