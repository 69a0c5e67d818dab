"""How the Apache Flink Kubernetes Operator reads custom resources: sizes, scalars, names, and rejected values.

Sources: ``FlinkConfigBuilder``, ``DefaultValidator``, ``FlinkVersion``, ``ConfigObjectNode`` and the custom resource
definitions of the operator's releases 1.0 to 1.15 (<https://github.com/apache/flink-kubernetes-operator>).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.values import parse_memory
from flink_flint.linter.flink.yaml.yaml_core_schema import double_text
from flink_flint.linter.text.lazy_regex import regex

if TYPE_CHECKING:
    from decimal import Decimal

FIRST_NESTED = "1.13"
"""The first operator release whose `flinkConfiguration` accepts values of any type, not only strings."""
FIRST_QUANTITY = "1.7"
"""The first operator release whose `resource.memory` accepts Kubernetes quantities such as ``2Gi``."""
LONGEST_NAME = 45
"""The maximum length of a FlinkDeployment's name in characters."""
NAME = r"[a-z]([-a-z0-9]{0,43}[a-z0-9])?"
"""A regular expression for the names that the operator accepts for a FlinkDeployment."""
FORBIDDEN = ("kubernetes.namespace", "kubernetes.cluster-id", "high-availability.cluster-id")
"""The keys that `flinkConfiguration` must not contain, because the operator sets them itself."""
LOG_FILES = ("log4j-console.properties", "logback-console.xml")
"""The keys (file names) that `logConfiguration` of a FlinkDeployment may have."""
OPERATOR_NAME = regex(r"(?i)flink\S*operator")
"""Matches the names of Flink operators of any make, and of their images, accounts and programs."""
MAIN_CONTAINER = "flink-main-container"
"""The name of the pod template's container that runs Flink."""

SINCE_VERSION: Mapping[str, str] = {
    **{f"v1_{minor}": "1.0" for minor in range(13, 17)}, "v1_17": "1.4", "v1_18": "1.6", "v1_19": "1.7",
    "v1_20": "1.10", "v2_0": "1.11", "v2_1": "1.13", "v2_2": "1.13",
}  # fmt: skip
"""The operator release that added each value of `spec.flinkVersion`, by value."""
UNSUPPORTED_SINCE: Mapping[str, str] = {"v1_13": "1.7", "v1_14": "1.7"}
"""The first operator release that no longer accepts each removed value of `spec.flinkVersion`, by value."""
DEPRECATED_SINCE: Mapping[str, str] = {"v1_15": "1.10", "v1_16": "1.11", "v1_17": "1.13", "v1_18": "1.13"}
"""The first operator release in which each value of `spec.flinkVersion` is deprecated, by value."""

RELEASES: tuple[tuple[int, int], ...] = tuple((1, minor) for minor in range(4, 16))
"""The minor releases of the operator whose validators are known, the oldest first."""
_NEWEST = RELEASES[-1]
"""The newest release of the operator that these tables are from."""
DEFAULTS: Mapping[str, str] = {
    "web.cancel.enable": "false",
    "kubernetes.rest-service.exposed.type": "ClusterIP",
    "execution.submit-failed-job-on-application-error": "true",
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    "execution.checkpointing.interval": "5 min",
    "job-result-store.delete-on-commit": "false",
}
"""What the operator sets unless the user does, each only in some resources, by key."""
_VERSION = regex(r"v(\d+)_(\d+)")

# -- scalars

_YAML_TRUE = frozenset(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
_YAML_FALSE = frozenset(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
_YAML_NULL = frozenset(("~", "null", "Null", "NULL", ""))
_INTEGER = regex(r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)")
_FLOAT = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def type_of(plain: str) -> str:
    """Return kubectl's type for an unquoted scalar: ``boolean``, ``null``, ``integer``, ``number`` or ``string``."""
    if plain in _YAML_TRUE or plain in _YAML_FALSE:
        return "boolean"
    if plain in _YAML_NULL:
        return "null"
    if _integer(plain) is not None:
        return "integer"
    return "number" if _FLOAT.fullmatch(plain) else "string"


def text_for_flink(plain: str) -> str | None:
    """Return the text that Flink gets for an unquoted scalar in `flinkConfiguration`; None for null.

    kubectl reads YAML 1.1 (``on`` is true, ``010`` is 8) and sends JSON; the operator writes the JSON value as text.
    """
    kind = type_of(plain)
    if kind == "boolean":
        return "true" if plain in _YAML_TRUE else "false"
    if kind == "null":
        return None
    if kind == "integer":
        return str(_integer(plain))
    if kind == "number":
        value = float(plain)
        if value.is_integer() and abs(value) < 1e21:  # Go writes it without a point
            return str(int(value))
        return double_text(value)
    return plain


def _integer(plain: str) -> int | None:
    if not _INTEGER.fullmatch(plain) or len(plain) > 40:
        return None
    digits = plain.replace("_", "").lower()
    sign, digits = (-1, digits[1:]) if digits[:1] == "-" else (1, digits.removeprefix("+"))
    for prefix, base in (("0b", 2), ("0o", 8), ("0x", 16)):
        if digits.startswith(prefix):
            return sign * int(digits[2:], base) if digits[2:] else None
    if len(digits) > 1 and digits[0] == "0":  # an octal number of YAML 1.1; 08 and 09 are not
        return sign * int(digits, 8) if re.fullmatch(r"[0-7]+", digits) else None
    return sign * int(digits)


# -- sizes

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_QUANTITY = regex(r"([-+]?\d*\.?\d+|[-+]?\d+\.)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?|[eE][-+]?\d{1,2})")


def quantity(text: str) -> Decimal | int | None:
    """Return the value of a Kubernetes quantity (``2Gi``, ``500m``, ``1e3``); None if it is not one."""
    if text.isdecimal() and text.isascii() and len(text) <= 40:
        return int(text)
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or len(text) > 40:
        return None
    from decimal import Decimal

    number, unit = Decimal(found[1]), str(found[2])
    if unit in _BINARY:
        return number * Decimal(1 << _BINARY[unit])
    if unit in _DECIMAL:
        return number.scaleb(_DECIMAL[unit])
    return number.scaleb(int(unit[1:]))


def is_flink_size(text: str) -> bool:
    """Return whether Flink itself accepts a size (an operator before 1.7 accepts no others)."""
    try:
        parse_memory(text)
    except BadValue:
        return False
    return True


def size_text(size: int) -> str:
    """Return a size in bytes in Flink's shortest exact notation: ``2g``, ``1536m``, ``1500000000b``."""
    for shift, unit in ((30, "g"), (20, "m"), (10, "k")):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift}{unit}"
    return f"{size}b"


def quantity_text(size: int) -> str:
    """Return a size in bytes as the shortest exact Kubernetes quantity: ``2Gi``, ``1536Mi``, ``1500000000``."""
    text = size_text(size)
    return text[:-1] if text.endswith("b") else f"{text[:-1]}{text[-1].upper()}i"


# -- versions


def release_of(version: str) -> str | None:
    """Return the Flink release that a value of `spec.flinkVersion` names (``1.18`` for ``v1_18``); None for others."""
    found = _VERSION.fullmatch(version)
    return f"{found[1]}.{found[2]}" if found else None


def supported_releases(operator: str) -> str | None:
    """Return the range of Flink releases that a minor release of the operator accepts; None if it is not known."""
    number = _minor(operator)
    if number is None or not (1, 0) <= number <= _NEWEST:
        return None
    accepted = [
        version
        for version, since in SINCE_VERSION.items()
        if release_number(since) <= number
        and not (version in UNSUPPORTED_SINCE and number >= release_number(UNSUPPORTED_SINCE[version]))
    ]
    return f">={release_of(accepted[0])},<={release_of(accepted[-1])}"


def release_number(release: str) -> tuple[int, int]:
    """Return a minor release of the operator as numbers, which can be compared."""
    major, _, minor = release.partition(".")
    return int(major), int(minor)


def _minor(release: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", release)
    return (int(found[1]), int(found[2])) if found else None


# -- fields

_JOB = (
    "jarURI", "parallelism", "entryClass", "args", "state", "savepointTriggerNonce", "checkpointTriggerNonce",
    "initialSavepointPath", "upgradeMode", "allowNonRestoredState", "savepointRedeployNonce", "autoscalerResetNonce",
)  # fmt: skip
_RESOURCE = ("cpu", "memory", "ephemeralStorage")
_POD_OF_CLUSTER = (
    "affinity", "extraPorts", "hostAliases", "initContainers", "livenessProbe", "memoryOffHeapMin",
    "memoryOffHeapRatio", "memoryProcessRatio", "nodeSelector", "podAnnotations", "podLabels", "ports",
    "readinessProbe", "replicas", "resources", "securityContext", "sidecars", "tolerations", "volumeClaimTemplates",
    "volumeMounts", "volumes",
)  # fmt: skip
_LEAVES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "FlinkDeployment": {
        "": (
            "image", "imagePullPolicy", "serviceAccount", "flinkVersion", "ingress", "podTemplate", "jobManager",
            "taskManager", "logConfiguration", "mode", "job", "restartNonce", "flinkConfiguration",
        ),
        "job": _JOB,
        "jobManager": ("resource", "replicas", "podTemplate"),
        "taskManager": ("resource", "replicas", "podTemplate"),
        "jobManager.resource": _RESOURCE,
        "taskManager.resource": _RESOURCE,
        "ingress": ("template", "className", "annotations", "labels", "tls"),
    },
    "FlinkSessionJob": {"": ("deploymentName", "job", "restartNonce", "flinkConfiguration"), "job": _JOB},
    "FlinkBlueGreenDeployment": {"": ("ingress", "configuration", "template"), "template": ("metadata", "spec")},
    "FlinkStateSnapshot": {
        "": ("backoffLimit", "checkpoint", "jobReference", "savepoint"),
        "jobReference": ("kind", "name"),
        "savepoint": ("alreadyExists", "disposeOnDelete", "formatType", "path"),
    },
    "FlinkCluster": {
        "": (
            "batchScheduler", "batchSchedulerName", "envFrom", "envVars", "flinkProperties", "flinkVersion",
            "gcpConfig", "hadoopConfig", "image", "job", "jobManager", "logConfig", "podDisruptionBudget",
            "recreateOnUpdate", "revisionHistoryLimit", "serviceAccountName", "taskManager",
        ),
        "image": ("name", "pullPolicy", "pullSecrets"),
        "job": (
            "affinity", "allowNonRestoredState", "args", "autoSavepointSeconds", "cancelRequested", "className",
            "classPath", "cleanupPolicy", "fromSavepoint", "hostAliases", "initContainers", "jarFile",
            "maxStateAgeToRestoreSeconds", "mode", "noLoggingToStdout", "nodeSelector", "parallelism",
            "podAnnotations", "podLabels", "pyFile", "pyFiles", "pyModule", "resources", "restartPolicy",
            "savepointFormatType", "savepointGeneration", "savepointsDir", "securityContext",
            "takeSavepointOnUpdate", "takeSavepointOnUpgrade", "tolerations", "volumeMounts", "volumes",
        ),
        "job.cleanupPolicy": ("afterJobCancelled", "afterJobFails", "afterJobSucceeds"),
        "jobManager": (
            *_POD_OF_CLUSTER, "ServiceAnnotations", "ServiceLabels", "accessScope", "ingress",
        ),
        "jobManager.ports": ("blob", "query", "rpc", "ui"),
        "taskManager": (*_POD_OF_CLUSTER, "deploymentType", "horizontalPodAutoscaler"),
        "taskManager.ports": ("data", "query", "rpc"),
        "hadoopConfig": ("configMapName", "mountPath"),
        "gcpConfig": ("serviceAccount",),
        "gcpConfig.serviceAccount": ("keyFile", "mountPath", "secretName"),
    },
}  # fmt: skip
"""The fields by kind of resource; of FlinkCluster (v1beta1) those of Google's operator and of Spotify's."""
FIELD_SINCE: Mapping[str, str] = {
    "taskManager.replicas": "1.1", "mode": "1.2", "jobManager.resource.ephemeralStorage": "1.5",
    "taskManager.resource.ephemeralStorage": "1.5", "job.checkpointTriggerNonce": "1.7", "ingress.labels": "1.8",
    "ingress.tls": "1.8", "job.savepointRedeployNonce": "1.8", "job.autoscalerResetNonce": "1.11",
}  # fmt: skip
"""The operator release that added each FlinkDeployment spec field introduced after 1.0, by field path."""


@cache
def fields(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the fields that each object in a resource's spec may have, by path below `spec` ("" is the spec itself).

    Objects with arbitrary fields (pod templates, maps) are not included.
    """
    found = dict(_LEAVES.get(kind, {}))
    if kind == "FlinkBlueGreenDeployment":
        for path, names in _LEAVES["FlinkDeployment"].items():
            found[f"template.spec.{path}" if path else "template.spec"] = names
        found["ingress"] = _LEAVES["FlinkDeployment"]["ingress"]
    return found


def places_of(kind: str, name: str) -> list[str]:
    """Return the paths below `spec` where a resource of this kind has a field with this name."""
    return [f"{path}.{name}".lstrip(".") for path, names in fields(kind).items() if name in names]


# -- keys

_OWN = (
    "cluster.resource-view.", "config.cache.", "dynamic.config.", "dynamic.namespaces.", "events.exceptions.",
    "exception.", "flink.client.", "health.", "ingress.manage", "job.submission.timeout", "josdk.metrics.",
    "jvm.metrics.", "kubernetes.client.metrics.", "label.selector", "leader-election.", "metrics.",
    "observer.progress-check.interval", "observer.rest-ready.delay", "rate-limiter.", "reconcile.", "reconciler.",
    "resource.cleanup.timeout", "resource.deletion.propagation", "resource.lifecycle.", "resource.metrics.",
    "retry.", "savepoint.history.max.age.threshold", "savepoint.history.max.count.threshold", "startup.",
    "termination.timeout", "user.artifacts.allowed-schemes", "user.artifacts.base.dir",
    "user.artifacts.disallow-restricted-hosts", "watched.namespaces", "default-configuration.",
)  # fmt: skip
_OPERATOR = "kubernetes.operator."


def is_operators_own(key: str) -> bool:
    """Return whether an option controls the operator itself, so that it only works in the operator's configuration."""
    if not key.startswith(_OPERATOR):
        return False
    rest = key[len(_OPERATOR) :]
    if rest == "exception.label.mapper":
        return False
    return any(rest.startswith(own) if own.endswith(".") else rest == own for own in _OWN)
