"""What the operator refuses of a FlinkStateSnapshot."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.operator.refusal import Refusal
from flink_flint.linter.flink.operator.resource import Fields

FIRST = (1, 10)
"""The first release with this kind of resource."""


def refusals(resource: Fields, *, has_target: bool) -> Iterator[Refusal]:
    """Refuse a snapshot; `has_target`: whether the job that it is to be taken of exists."""
    is_savepoint, is_checkpoint = resource.has("savepoint"), resource.has("checkpoint")
    if is_savepoint is is_checkpoint:
        message = "Exactly one of checkpoint or savepoint configurations has to be set."
        yield Refusal("snapshot kind", message)
        return
    if is_savepoint and resource.value("savepoint.alreadyExists") is True:
        return
    if not resource.has("jobReference"):
        yield Refusal("snapshot job", "Job reference must be supplied for this snapshot")
    elif not has_target:
        namespace, name = resource.at("metadata.namespace"), resource.value("jobReference.name")
        yield Refusal("snapshot target", f"Target for snapshot {namespace}/{name} was not found", "jobReference.name")
