"""The autoscaler cannot scale this job, or pays dearly for it.

## What it does
Where `job.autoscaler.enabled` is true in a resource of the operator, it reports

- a Flink before 1.17 (error);
- a scheduler other than the adaptive one from 1.18 on (advice), for a native application on 2.0 or newer an error;
- `upgradeMode: stateless` on a job whose configuration speaks of state, where a scaling is an upgrade (error).

## Why it matters
The autoscaler hands its decisions to Flink as `pipeline.jobvertex-parallelism-overrides`, which releases before 1.17
do not know: the job is restarted time and again with the parallelism it had. From 2.0 on it is the same again: an
application hands over another kind of graph, to which the option is not applied (FLINK-38770, in 2.3.0 as before).
With `mode: standalone` the operator also derives the number of TaskManagers and `parallelism.default` from the
decision, so such an application does scale, all of its operators alike.

From 1.18 on the operator changes the parallelism of a running job, if it runs under the adaptive scheduler. Otherwise
each scaling is a whole upgrade: the pods go, new ones come, the job restores. A stateless job starts with an empty
state then, not when somebody changes the resource but whenever the load does.

## What to do
Take Flink 1.18 or newer, `jobmanager.scheduler: adaptive`, and `upgradeMode: last-state` or `savepoint`.

## Not when
- `job.autoscaler.scaling.enabled` is false: then it only says what it would do.
- The image is a Flink 1.15 or 1.16 with the changes that the operator's page lists; a comment can say so.
- The resource is a session job, of which only the release is judged, or a patch.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/autoscaler/>:
  the requirements, and scaling in place
- <https://flink.apache.org/2023/08/15/apache-flink-kubernetes-operator-1.6.0-release-announcement/>:
  scaling in place is for the adaptive scheduler alone
- <https://github.com/apache/flink/pull/27334>: FLINK-38770, the overrides are ignored in application mode; the
  discussion says which modes of the operator are affected
- <https://issues.apache.org/jira/browse/FLINK-33812>: the largest override decides in standalone mode
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#pipeline-jobvertex-parallelism-overrides>:
  the option that carries the decision
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources
from flink_flint.rules.kubernetes._state_worth_keeping import starts_empty
from flink_flint.rules.scheduling._autoscaler import (
    ENABLED,
    IN_PLACE,
    SCHEDULER,
    ignores_overrides,
    is_standalone,
    scales,
    scales_in_place,
    setting,
)


@rule(
    code="FLK632",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=ENABLED,
    every_release=True,
    since="0.1",
)
def autoscaler_cannot_scale(config: View) -> Iterator[Finding]:
    """the autoscaler cannot scale the job, or restarts all of it each time"""
    enabled = setting(config, "enabled")
    resource = next(resources(config, *CLUSTERS, "FlinkSessionJob"), None)
    if enabled is None or resource is None or not scales(config):
        return
    if not config.since("1.17"):
        yield enabled.finding(
            f"the autoscaler cannot scale {config.releases_text}: it does not know"
            " pipeline.jobvertex-parallelism-overrides, so the job restarts with the parallelism it had",
            help="take Flink 1.18 or newer, or set job.autoscaler.scaling.enabled: false to have its advice alone",
        )
        return
    if scales_in_place(config, resource) is not False:
        return
    if ignores_overrides(config, resource):
        scheduler = config.get(SCHEDULER)
        yield enabled.finding(
            "the autoscaler cannot scale the job: from 2.0 on applications ignore"
            " pipeline.jobvertex-parallelism-overrides, so each scaling restarts it with the parallelism it had",
            help=f"set {SCHEDULER}: adaptive, with which the operator changes the parallelism of the running job",
            related=[scheduler] if scheduler.is_set else [],
        )
        return
    state = starts_empty(config, resource)
    if state is not None:
        mode = resource.path("job.upgradeMode")
        yield enabled.finding(
            "each time the autoscaler scales, as on every change of the resource, the job starts with an empty state:"
            f" its upgradeMode is stateless, though {state.written} speaks of state worth keeping",
            help="set spec.job.upgradeMode to last-state or savepoint",
            related=[state, *([resource.part.place(mode)] if resource.part.has(mode) else [])],
        )
    elif config.since("1.18") and not is_standalone(resource):
        scheduler = config.get(SCHEDULER)
        yield enabled.finding(
            "each scaling takes the whole cluster down and up again: only under the adaptive scheduler does the"
            " operator change the parallelism of a running job",
            help=f"set {SCHEDULER}: adaptive",
            severity=Severity.INFO,
            related=[scheduler] if scheduler.is_set else [],
        )


_ON = 'job.autoscaler.enabled: "true"'
_ADAPTIVE = f"{_ON}\njobmanager.scheduler: adaptive"
_STATE = f"{_ON}\nexecution.checkpointing.interval: 60 s"
_OLD = {"version": "v1_16", "image": "flink:1.16"}
_FILE = {"file": "deployment.yaml"}


def cases() -> list[Case]:
    return [
        bad(deployment(_ON, job="upgradeMode: savepoint", **_OLD), **_FILE, at=ENABLED[0], severity=Severity.ERROR,
            says="cannot scale Flink 1.16"),
        bad(deployment(_ADAPTIVE, version="v1_16", image="flink:1.16"), **_FILE, severity=Severity.ERROR),
        bad(session_job("jarURI: s3://a/b.jar", _ON), file="job.yaml", flink="1.15", severity=Severity.ERROR),
        bad(deployment(f'{ENABLED[1]}: "true"', **_OLD), **_FILE, at=ENABLED[1]),
        bad(deployment(_STATE, job="upgradeMode: stateless"), **_FILE, severity=Severity.ERROR, says="empty state"),
        bad(deployment(_STATE), **_FILE, severity=Severity.ERROR, says="execution.checkpointing.interval speaks of"),
        bad(deployment(_STATE, job="upgradeMode: stateless", version="v1_17", image="flink:1.17"), **_FILE,
            severity=Severity.ERROR, says="empty state"),
        bad(deployment(f'{_STATE}\njobmanager.scheduler: adaptive\n{IN_PLACE}: "false"'), **_FILE, says="empty state"),
        bad(deployment(_STATE, job="upgradeMode: savepoint"), **_FILE, severity=Severity.INFO, says="up again"),
        bad(deployment(_STATE, job="upgradeMode: last-state", version="v1_18", image="flink:1.18"), **_FILE,
            severity=Severity.INFO),
        bad(deployment(f"{_ON}\njobmanager.scheduler: default"), **_FILE, severity=Severity.INFO),
        bad(deployment(f"{_STATE}\nexecution.runtime-mode: BATCH"), **_FILE, severity=Severity.INFO),
        bad(deployment(_STATE, job="upgradeMode: savepoint", version="v2_0", image="flink:2.0"), **_FILE,
            at=ENABLED[0], severity=Severity.ERROR, says="from 2.0 on applications ignore"),
        bad(deployment(_STATE, job="upgradeMode: stateless", version="v2_1", image="flink:2.1"), **_FILE,
            severity=Severity.ERROR, says="from 2.0 on"),
        bad(deployment(_STATE, job="upgradeMode: savepoint", spec="mode: native", version="v2_1", image="flink:2.1"),
            **_FILE, severity=Severity.ERROR, says="from 2.0 on"),
        bad(deployment(_STATE, job="upgradeMode: stateless", spec="mode: standalone", version="v2_1",
            image="flink:2.1"), **_FILE, severity=Severity.ERROR, says="empty state"),
        good(deployment(_STATE, job="upgradeMode: savepoint", spec="mode: standalone", version="v2_1",
             image="flink:2.1"), **_FILE),
        good(deployment(_STATE, job="upgradeMode: savepoint", spec="mode: standalone"), **_FILE),
        good(deployment(_ADAPTIVE, job="upgradeMode: savepoint", version="v2_1", image="flink:2.1"), **_FILE),
        good(deployment(_ADAPTIVE, job="upgradeMode: savepoint"), **_FILE),
        good(deployment(f"{_STATE}\njobmanager.scheduler: adaptive"), **_FILE),
        good(deployment(_STATE, job="upgradeMode: savepoint", version="v1_17", image="flink:1.17"), **_FILE),
        good(deployment(f'{_ON}\njob.autoscaler.scaling.enabled: "false"', **_OLD), **_FILE),
        good(deployment(f"{_ON}\njob.autoscaler.scaling.enabled: ${{SCALE}}", **_OLD), **_FILE),
        good(deployment('job.autoscaler.enabled: "false"', **_OLD), **_FILE),
        good(deployment(f"{_ON}\njobmanager.scheduler: ${{SCHEDULER}}"), **_FILE),
        good(session_job("jarURI: s3://a/b.jar", _ON), file="job.yaml", flink="1.20"),
        bad(deployment(f"{_ON}\nexecution.checkpointing.interval: 0 s"), **_FILE, severity=Severity.INFO),
        good(f"{ENABLED[0]}: true\n", flink="1.16"),
    ]  # fmt: skip
