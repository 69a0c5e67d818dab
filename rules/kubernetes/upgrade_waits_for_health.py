"""An unhealthy job cannot be upgraded.

## What it does
Reports `kubernetes.operator.job.upgrade.last-state-fallback.enabled: false` on a job with `upgradeMode: savepoint`.

## Why it matters
A savepoint can be taken of a running job alone. By default the operator falls back to the latest checkpoint where the
job is not running; with the fallback off it waits (`Last-state fallback is disabled, waiting for upgradable state`).
A job that restarts in a loop never gets there, so that the very change that mends it is not rolled out.

## What to do
Leave the fallback on, which is the default. Who must not go back to a checkpoint has to stop the job by hand and
start it from `initialSavepointPath`.

## Not when
Another upgrade mode, for which the option says nothing.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/custom-resource/job-management/>:
  what the savepoint mode does with an unhealthy job
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-main/docs/operations/configuration/>: the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import CLUSTERS, VALUES, entry_of, flag, resources

FALLBACK = "kubernetes.operator.job.upgrade.last-state-fallback.enabled"


@rule(
    code="FLK707", severity=Severity.WARNING, confidence=Confidence.HIGH, reads=[FALLBACK], flink=">=1.0", since="0.1"
)
def upgrade_waits_for_health(config: View) -> Iterator[Finding]:
    """a job that does not run cannot be upgraded: the fallback is off"""
    entry = entry_of(config, FALLBACK)
    if entry is None or flag(config, FALLBACK) is not False:
        return
    for resource in resources(config, *CLUSTERS, "FlinkSessionJob", VALUES):
        if resource.upgrade_mode != "savepoint":
            continue
        yield config.finding(
            "a job that restarts in a loop is never upgraded: upgradeMode savepoint wants it running, and the fallback"
            " to the latest checkpoint is off",
            span=entry.value_span,
            key=FALLBACK,
            help="delete the line; the fallback is on by default",
            fix=config.document.remove(entry, f"delete {FALLBACK}"),
            related=[resource.part.place(resource.path("job.upgradeMode"))],
        )


_DIRECTORIES = "state.checkpoints.dir: s3://flink/c\nstate.savepoints.dir: s3://flink/s"
_JAR = "jarURI: https://example.com/a.jar"


def cases() -> list[Case]:
    return [
        bad(
            deployment(f'{_DIRECTORIES}\n{FALLBACK}: "false"', job="upgradeMode: savepoint"), file="deployment.yaml",
            flink="1.8", at=FALLBACK, fixed=deployment(_DIRECTORIES, job="upgradeMode: savepoint"),
        ),
        bad(deployment(f"{_DIRECTORIES}\n{FALLBACK}: false", job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(deployment(f'{FALLBACK}: "true"', job="upgradeMode: savepoint"), file="deployment.yaml"),
        good(deployment(f'{FALLBACK}: "false"', job="upgradeMode: last-state"), file="deployment.yaml"),
        good(deployment(f'{FALLBACK}: "{{{{ .Values.x }}}}"', job="upgradeMode: savepoint"), file="deployment.yaml"),
        bad(
            session_job(f"{_JAR}\nupgradeMode: savepoint", f'{FALLBACK}: "false"'), file="job.yaml", at=FALLBACK,
        ),
    ]  # fmt: skip
