"""Where the resources of operators other than Apache's say what a FlinkDeployment says in fields of its own.

Sources: ``flink_state_machine.go`` of <https://github.com/lyft/flinkk8soperator> (an update cancels the job without a
savepoint) and its ``ComputeTaskManagerReplicas``, ``flinkcluster_types.go`` of
<https://github.com/spotify/flink-on-k8s-operator>, and
<https://docs.ververica.com/vvp/user-guide/application-operations/deployments/deployment-upgrades> (`NONE` restores
from nothing).
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.named_tuple import NamedTuple


class Fields(NamedTuple):
    """The fields of a kind of resource, as paths in it; empty where it has none."""

    image: str = ""
    release: str = ""
    stateless: str = ""
    """The field that says whether a change of the resource starts the job with an empty state."""
    stateless_value: str = ""
    stateful_value: str = ""
    restored_from: str = ""
    """The field with a savepoint that an update starts from instead."""
    counts_taskmanagers: bool = False
    """Whether the operator makes as many TaskManagers as the parallelism needs."""


_FIELDS = (
    ("flinkoperator.k8s.io/", "FlinkCluster", Fields("spec.image.name", "spec.flinkVersion")),
    (
        "flink.k8s.io/", "FlinkApplication",
        Fields(
            "spec.image", "spec.flinkVersion", "spec.savepointDisabled", "true", "false", "spec.savepointPath",
            counts_taskmanagers=True,
        ),
    ),
    ("", "Deployment", Fields("", "", "spec.restoreStrategy.kind", "NONE", "LATEST_STATE")),
    ("", "VvpDeployment", Fields("", "", "spec.deployment.spec.restoreStrategy.kind", "NONE", "LATEST_STATE")),
    ("", "VpDeployment", Fields("", "", "spec.spec.restoreStrategy.kind", "NONE", "LATEST_STATE")),
)  # fmt: skip


class OtherResource(NamedTuple):
    """A resource of another operator, with the fields of its kind."""

    part: ElementView
    fields: Fields

    @property
    def loses_state(self) -> bool:
        """Whether each change of it starts the job with an empty state."""
        fields = self.fields
        if not fields.stateless or (fields.restored_from and self.part.has(fields.restored_from)):
            return False
        value = self.part.value(fields.stateless)
        return value is not None and str(value).lower() == fields.stateless_value.lower()

    @property
    def named_release(self) -> tuple[int, int] | None:
        """Major and minor of the release that it names."""
        try:
            release = parse_release(self.part.text(self.fields.release) or "") if self.fields.release else None
        except ValueError:
            return None
        return None if release is None else (release.major, release.minor)


def other_resources(config: View) -> Iterator[OtherResource]:
    """The resources of a document that other operators read."""
    if config.document.kind not in ("other-cr", "ververica", "helm"):
        return
    for part in config.elements("kubernetes-object"):
        version = part.text("apiVersion") or ""
        for group, kind, fields in _FIELDS:
            if part.name == kind and version.startswith(group):
                yield OtherResource(part, fields)
                break
