"""Changes of a resource that the operator refuses, compared with the spec that it deployed last."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.operator.refusal import Refusal
from flink_flint.linter.flink.operator.resource import Fields
from flink_flint.linter.flink.operator.settings import SAVEPOINTS, OperatorSettings

KINDS = ("cluster kind", "mode", "redeployment", "last-state later", "version after suspend", "deployment name")
"""The kinds of refusals that are about a change."""
_FIRST_SUSPENDED_START = (1, 7)
"""The first release that deploys a job in the state `suspended`."""
_FIRST_REDEPLOYMENT = (1, 8)
_FIRST_LAST_STATE_WITHOUT_HA = (1, 10)


def deployment_refusals(
    resource: Fields, settings: OperatorSettings, last: Fields | None, before: OperatorSettings | None
) -> Iterator[Refusal]:
    """Refuse a change of a FlinkDeployment; `before` has the settings of the deployed one."""
    if last is None:
        yield from _first_state(resource, settings)
        return
    has_job, had_job = resource.has("job"), last.has("job")
    if has_job and not had_job:
        yield Refusal("cluster kind", "Cannot switch from session to job cluster", "job")
    if had_job and not has_job:
        yield Refusal("cluster kind", "Cannot switch from job to session cluster")
    mode, old_mode = (one.text("mode") or "native" for one in (resource, last))
    if mode != old_mode:
        message = f"Cannot switch from {old_mode} kubernetes to {mode} kubernetes cluster"
        yield Refusal("mode", message, "mode")
    if has_job and had_job:
        yield from _last_state(resource, settings, last, before)
        yield from _redeployment(resource, settings, last)


def _first_state(resource: Fields, settings: OperatorSettings) -> Iterator[Refusal]:
    if settings.operator >= _FIRST_SUSPENDED_START or not resource.has("job"):
        return
    if (resource.text("job.state") or "running") != "running":
        yield Refusal("state", "Job must start in running state", "job.state")


def _last_state(
    resource: Fields, settings: OperatorSettings, last: Fields, before: OperatorSettings | None
) -> Iterator[Refusal]:
    if settings.operator >= _FIRST_LAST_STATE_WITHOUT_HA or before is None:
        return
    name = settings.name_of(SAVEPOINTS)
    if settings.has(name) and (settings.flink_text(SAVEPOINTS) or "").strip():
        return
    is_change = last.text("job.upgradeMode") != "last-state" and resource.text("job.upgradeMode") == "last-state"
    if is_change and not before.has_high_availability:
        message = f"Job could not be upgraded to last-state while config key[{name}] is not set"
        yield Refusal("last-state later", message, "job.upgradeMode")


def _redeployment(resource: Fields, settings: OperatorSettings, last: Fields) -> Iterator[Refusal]:
    if settings.operator < _FIRST_REDEPLOYMENT:
        return
    nonce = resource.value("job.savepointRedeployNonce")
    if nonce is None or nonce == last.value("job.savepointRedeployNonce"):
        return
    if not (resource.text("job.initialSavepointPath") or "").strip():
        message = "InitialSavepointPath must not be empty for savepoint redeployment"
        yield Refusal("redeployment", message, "job.savepointRedeployNonce")


def version_refusals(resource: Fields, last: Fields) -> Iterator[Refusal]:
    """Refuse another version of Flink for a job that was suspended in upgrade mode last-state."""
    if (
        not (resource.has("job") and last.has("job"))
        or (resource.text("job.upgradeMode") or "stateless") == "stateless"
    ):
        return
    if last.text("job.state") != "suspended" or last.text("job.upgradeMode") != "last-state":
        return
    if last.text("flinkVersion") != resource.text("flinkVersion"):
        yield Refusal(
            "version after suspend",
            "Changing flinkVersion after last-state suspend is not allowed. Restore your cluster with the current"
            " flinkVersion and perform the version upgrade afterwards.",
            "flinkVersion",
        )


def session_job_refusals(resource: Fields, settings: OperatorSettings, last: Fields | None) -> Iterator[Refusal]:
    """Refuse a change of a FlinkSessionJob."""
    if last is None:
        yield from _first_state(resource, settings)
    elif last.text("deploymentName") != resource.text("deploymentName"):
        yield Refusal("deployment name", "The deploymentName can't be changed", "deploymentName")
