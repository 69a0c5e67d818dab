"""A job with unaligned checkpoints is upgraded by savepoints, which are always aligned.

## What it does
Advice where unaligned checkpoints are on, a custom resource has `upgradeMode: savepoint`, and
`execution.checkpointing.timeout` is at most `timeout` (10 min, Flink's default).

## Why it matters
Unaligned checkpoints let barriers pass the records that wait in buffers, so that checkpoints complete under
backpressure. A savepoint waits for the alignment all the same, and the timeout of checkpoints is its as well. So a job
that has unaligned checkpoints for a reason may have no savepoint just when it is behind: it expires, the upgrade does
not happen, and the operator tries again.

## What to do
Raise the timeout to what a savepoint takes on a bad day; it costs nothing while checkpoints are fast. Or upgrade by
`last-state`, which needs no savepoint.

## Not when
The timeout is longer. The upgrade mode is another one, or not known.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpointing_under_backpressure/#unaligned-checkpoints>:
  savepoints are always aligned
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/job-management/>: the
  upgrade modes
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment, session_job
from flink_flint.rules.kubernetes._resource import resources

_UNALIGNED = "execution.checkpointing.unaligned.enabled"
_TIMEOUT = "execution.checkpointing.timeout"


@rule(
    code="FLK993",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_UNALIGNED],
    only=["element:kubernetes-object"],
    flink=">=1.11",
    thresholds={"timeout": Threshold("10 min", "timeout above which a savepoint has time enough under backpressure")},
    since="0.1",
)
def savepoint_under_backpressure(config: View) -> Iterator[Finding]:
    """checkpoints are unaligned, and upgrades wait for savepoints, which never are"""
    timeout = config.duration(_TIMEOUT)
    if config.boolean(_UNALIGNED) is not True or timeout is None or timeout > config.threshold("timeout"):
        return
    unaligned, written = config.get(_UNALIGNED), config.get(_TIMEOUT)
    for resource in resources(config):
        if resource.upgrade_mode == "savepoint":
            yield (written if written.is_set else unaligned).finding(
                f"a savepoint is aligned even though checkpoints are not, and has {timeout} for it: under backpressure"
                " it expires, and the upgrade waits",
                help=f"raise {_TIMEOUT} to what a savepoint takes on a bad day, or upgrade by last-state",
                related=[resource.part.place(resource.path("job.upgradeMode"))],
            )


_BY_SAVEPOINT = "upgradeMode: savepoint"


def cases() -> list[Case]:
    return [
        bad(
            deployment(f"{_UNALIGNED}: true", job=_BY_SAVEPOINT),
            file="deployment.yaml",
            at=_UNALIGNED,
            severity=Severity.INFO,
            says="has 10 min for it",
        ),
        bad(
            deployment(f"{_UNALIGNED}: true\n{_TIMEOUT}: 5 min", job=_BY_SAVEPOINT), file="deployment.yaml", at=_TIMEOUT
        ),
        bad(
            session_job("jarURI: https://a/b.jar\nupgradeMode: savepoint", "execution.checkpointing.unaligned: true"),
            file="job.yaml",
            flink="1.18",
        ),
        good(deployment(f"{_UNALIGNED}: true\n{_TIMEOUT}: 11 min", job=_BY_SAVEPOINT), file="deployment.yaml"),
        good(deployment(f"{_UNALIGNED}: true\n{_TIMEOUT}: '${{TIMEOUT}}'", job=_BY_SAVEPOINT), file="deployment.yaml"),
        good(deployment(f"{_UNALIGNED}: true", job="upgradeMode: last-state"), file="deployment.yaml"),
        good(deployment(f"{_UNALIGNED}: true", job="upgradeMode: ${MODE}"), file="deployment.yaml"),
        good(deployment(f"{_UNALIGNED}: false", job=_BY_SAVEPOINT), file="deployment.yaml"),
        good(f"{_UNALIGNED}: true\n", flink="1.20"),
    ]
