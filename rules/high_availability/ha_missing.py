"""A cluster of several machines has checkpoints, and no high availability to find them again.

## What it does
Reports, as advice, a whole configuration of a standalone cluster with an `execution.checkpointing.interval` and without
`high-availability.type`, where TaskManagers evidently run on other machines than the JobManager: it has an address of
its own, or a `workers` file names several.

## Why it matters
Which jobs run and which checkpoint was their last is known to the JobManager alone. When its process ends, for a full
heap, an upgrade of its machine or a reboot, all jobs of a session are gone, and an application begins again at its
savepoint of long ago, or at nothing. The checkpoints lie in their directory, and somebody has to find the right one
and start each job from it by hand.

## What to do
Turn high availability on (`zookeeper`, or `kubernetes` from 1.12 on) with a storage directory that every JobManager
reaches. It takes no second JobManager: whatever starts the first one again is enough.

## Not when
Jobs run as batches; on one machine; under the operator, YARN, EMR and the managed service, which start a JobManager
anew by their own means.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#configure-jobmanager-high-availability>:
  why it belongs in production
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what it does
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, interval
from flink_flint.rules.checkpoints._state_directories import several_machines
from flink_flint.rules.high_availability._mode import NONE, mode

_OWN_MEANS = ("operator", "yarn", "emr", "msf")


@rule(
    code="FLK401",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[INTERVAL],
    flink=">=1.10",
    since="0.1",
    every_release=True,
)
def ha_missing(config: View) -> Iterator[Finding]:
    """a cluster of several machines has checkpoints, but no high availability"""
    if mode(config) != NONE or not config.document.whole or not interval(config):
        return
    if config.platform in _OWN_MEANS or config.target.profile != "production" or config.is_set_above(_HA):
        return
    if several_machines(config) is None:
        return
    yield config.get(INTERVAL).finding(
        "checkpoints are taken without high availability: a JobManager that is started again knows neither the jobs"
        " nor their last checkpoints",
        help=f"set {_HA} and high-availability.storageDir",
        at="key",
    )


_HA = "high-availability.type"
_LINE = f"{INTERVAL}: 1 min\n"
_ADDRESS = "jobmanager.rpc.address: jm-1\n"


def cases() -> list[Case]:
    return [
        bad(_ADDRESS + _LINE, at=INTERVAL, severity=Severity.INFO, says="neither the jobs nor"),
        bad(f"{_LINE}high-availability: NONE\n{_ADDRESS}", at=INTERVAL, flink="1.14"),
        good(f"{_ADDRESS}{_LINE}{_HA}: zookeeper\n"),
        good(f"{_ADDRESS}{_LINE}{_HA}: ${{HA}}\n"),
        good(f"{_ADDRESS}{_LINE}{_HA}: zookeeper\n", file="flink-conf.yaml"),
        good(f"{_ADDRESS}{INTERVAL}: 0\n"),
        good(f"{_ADDRESS}{_LINE}execution.runtime-mode: BATCH\n"),
        good(_LINE),
        good(_ADDRESS + _LINE, profile="development"),
        good(_ADDRESS + _LINE, platform="operator"),
        good(f"{_ADDRESS}{_LINE}yarn.application-attempts: 2\n"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
