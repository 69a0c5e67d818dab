"""What the operator refuses of a FlinkSessionJob, alone and with the cluster that it is for."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.operator import autoscaler, spec_change
from flink_flint.linter.flink.operator.addresses import jar_refusals
from flink_flint.linter.flink.operator.deployment import job_refusals, name_refusals
from flink_flint.linter.flink.operator.refusal import NULL, Check, Refusal, Thrown
from flink_flint.linter.flink.operator.resource import Fields
from flink_flint.linter.flink.operator.settings import OperatorSettings

FIRST_OWN_SETTINGS = (1, 8)
"""The first release that checks the session job's own `flinkConfiguration`, over that of its cluster."""
_FIRST_LAST_STATE = (1, 10)
_FIRST_JAR_CHECK = (1, 15)


def checks(
    resource: Fields,
    settings: OperatorSettings,
    last: Fields | None,
    cluster: Fields | None,
    own: OperatorSettings,
) -> Iterator[Check]:
    """Yield the checks of a FlinkSessionJob, in the order of the operator.

    `settings` are those of the cluster and, from 1.8 on, the job; `own`, the operator's. Without `cluster` nothing that
    depends on it is checked.
    """
    operator = settings.operator
    yield lambda: name_refusals(resource.value("deploymentName"), "deploymentName")
    yield lambda: _job_absent(resource)
    if operator < _FIRST_LAST_STATE:
        yield lambda: _last_state(resource)
    yield lambda: spec_change.session_job_refusals(resource, settings, last)
    if operator >= _FIRST_JAR_CHECK:
        yield lambda: _jar(resource, settings, own)
    if cluster is None:
        return
    yield lambda: _application(cluster)
    yield lambda: _cluster_name(resource, cluster)
    yield lambda: job_refusals(resource, settings, has_workers=False)
    yield from autoscaler.checks(settings)


def _job_absent(resource: Fields) -> Iterator[Refusal]:
    if not resource.has("job"):
        yield Refusal("job absent", "The job spec should not be empty")


def _last_state(resource: Fields) -> Iterator[Refusal]:
    if not resource.has("job"):
        raise Thrown(NULL)
    if resource.text("job.upgradeMode") == "last-state":
        message = "The LAST_STATE upgrade mode is not supported in session job now."
        yield Refusal("last-state of a session job", message, "job.upgradeMode")


def _jar(resource: Fields, settings: OperatorSettings, own: OperatorSettings) -> Iterator[Refusal]:
    jar = resource.text("job.jarURI")
    if jar is None:
        return
    own.met_absence = False
    for refusal in jar_refusals(jar, own):
        settings.met_absence = own.met_absence
        yield refusal


def _application(cluster: Fields) -> Iterator[Refusal]:
    if cluster.has("job"):
        message = "Can not submit session job to application cluster"
        yield Refusal("application cluster", message, "deploymentName")


def _cluster_name(resource: Fields, cluster: Fields) -> Iterator[Refusal]:
    if cluster.at("metadata.name") != resource.value("deploymentName"):
        message = "The session job's cluster id is not match with the session cluster"
        yield Refusal("other cluster", message, "deploymentName")
