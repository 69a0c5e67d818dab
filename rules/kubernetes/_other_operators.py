"""The fields of other operators' resources that correspond to fields of a FlinkDeployment.

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
    """The paths of fields in a kind of resource; an empty path means that the kind has no such field."""

    image: str = ""
    release: str = ""
    stateless: str = ""
    """The path of the field that decides whether a change of the resource restarts the job with empty state."""
    stateless_value: str = ""
    stateful_value: str = ""
    restored_from: str = ""
    """The path of the field for a savepoint, which an update restores instead of starting with empty state."""
    counts_taskmanagers: bool = False
    """Whether the operator starts as many TaskManagers as the parallelism needs."""


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
    """A resource of an operator other than Apache's, with the fields of its kind."""

    part: ElementView
    fields: Fields

    @property
    def loses_state(self) -> bool:
        """Whether each change of the resource restarts the job with empty state."""
        fields = self.fields
        if not fields.stateless or (fields.restored_from and self.part.has(fields.restored_from)):
            return False
        value = self.part.value(fields.stateless)
        return value is not None and str(value).lower() == fields.stateless_value.lower()

    @property
    def named_release(self) -> tuple[int, int] | None:
        """The major and minor version of the release that the resource names; None if it names none."""
        try:
            release = parse_release(self.part.text(self.fields.release) or "") if self.fields.release else None
        except ValueError:
            return None
        return None if release is None else (release.major, release.minor)


def other_resources(config: View) -> Iterator[OtherResource]:
    """Yield the resources of a document that operators other than Apache's read."""
    if config.document.kind not in ("other-cr", "ververica", "helm"):
        return
    for part in config.elements("kubernetes-object"):
        version = part.text("apiVersion") or ""
        for group, kind, fields in _FIELDS:
            if part.name == kind and version.startswith(group):
                yield OtherResource(part, fields)
                break
