"""Local copies of the state are written and never read, or the other way round.

## What it does
From 1.20 on, compares `execution.checkpointing.local-backup.enabled` with `execution.state-recovery.from-local`, of
which one makes local copies and the other restores from them. Reports that one of them is true and the other is not.
Before 1.18, reports `state.backend.local-recovery: true` where the scheduler is adaptive.

## Why it matters
A local copy costs disk and bandwidth at every checkpoint, and pays only where a restarted task reads it. Copies alone
are costs without a use; recovery alone finds nothing and fetches everything from the storage. The adaptive scheduler
(and the reactive mode, which uses it) did not know local recovery before 1.18.

## What to do
Set `execution.state-recovery.from-local: true` alone: it stands for both, unless the other one is set.

## Not when
- `state.backend.local-recovery: true`, the older key, stands for both.
- Only `from-local` is set.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/large_state_tuning/#task-local-recovery>:
  how it works
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-local-backup-enabled>:
  both options
- <https://issues.apache.org/jira/browse/FLINK-21450>: local recovery for the adaptive scheduler (1.18)
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_BACKUP = "execution.checkpointing.local-backup.enabled"
_RECOVERY = "execution.state-recovery.from-local"
_SCHEDULER = "jobmanager.scheduler"
_MODE = "scheduler-mode"


@rule(
    code="FLK325",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_BACKUP],
    since="0.1",
)
def local_recovery_half(config: View) -> Iterator[Finding]:
    """local copies of the state are written and never read, or read and never written"""
    if config.since("1.20"):
        yield from _halves(config)
    elif not config.since("1.18"):
        yield from _under_adaptive_scheduler(config)


def _halves(config: View) -> Iterator[Finding]:
    backup, recovery = config.get(_BACKUP), config.get(_RECOVERY)
    copies, restores = config.boolean(_BACKUP), config.boolean(_RECOVERY)
    if copies and restores is False:
        yield backup.finding(
            "every checkpoint is copied to local disks, and no task ever restores from there",
            help=f"set {_RECOVERY}: true alone, which stands for both",
            related=[recovery],
        )
    elif restores and copies is False:
        yield recovery.finding(
            f"tasks look for local copies of their state, and {backup.written}: false says that there are none",
            help=f"delete {backup.written}",
            related=[backup],
        )


def _under_adaptive_scheduler(config: View) -> Iterator[Finding]:
    if not config.boolean(_BACKUP):
        return
    asked = ((_MODE, "REACTIVE"), (_SCHEDULER, "Adaptive"))
    reason = next((config.get(key) for key, word in asked if config.string(key) == word), None)
    if reason is not None:
        yield config.get(_BACKUP).finding(
            "the adaptive scheduler restores nothing from local disks before 1.18: the copies are written for nothing",
            help="delete the line, or upgrade",
            related=[reason],
        )


def cases() -> list[Case]:
    return [
        bad(f"{_BACKUP}: true\n", at=_BACKUP, severity=Severity.WARNING, says="no task ever restores", flink="1.20"),
        bad(f"{_BACKUP}: true\n{_RECOVERY}: false\n", at=_BACKUP, flink="2.1"),
        bad(f"{_BACKUP}: false\n{_RECOVERY}: true\n", at=_RECOVERY, flink="2.3", says="says that there are none"),
        bad(
            "state.backend.local-recovery: true\njobmanager.scheduler: adaptive\n", at=_BACKUP, flink="1.17",
            says="before 1.18",
        ),
        bad("state.backend.local-recovery: true\nscheduler-mode: reactive\n", flink="1.13"),
        good("state.backend.local-recovery: true\njobmanager.scheduler: adaptive\n", flink="1.18"),
        good("state.backend.local-recovery: true\njobmanager.scheduler: default\n", flink="1.17"),
        good("state.backend.local-recovery: false\njobmanager.scheduler: adaptive\n", flink="1.17"),
        good("state.backend.local-recovery: true\n", flink="1.20", file="config.yaml"),
        good(f"{_RECOVERY}: true\n", flink="1.20"),
        good(f"{_BACKUP}: true\n{_RECOVERY}: true\n"),
        good(f"{_BACKUP}: false\n{_RECOVERY}: false\n"),
        good(f"{_BACKUP}: true\n{_RECOVERY}: '{{{{ local }}}}'\n"),
        good(f"{_BACKUP}: '{{{{ local }}}}'\n{_RECOVERY}: true\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_uses(
            "local recovery", f"{_BACKUP}: true\n", "copies true, restores false", good=f"{_RECOVERY}: true\n",
            releases=">=1.20",
        ),
        flink_uses(
            "local recovery", f"{_BACKUP}: false\n", "copies false, restores true", good="",
            both=f"{_RECOVERY}: true\n", releases=">=1.20",
        ),
    ]  # fmt: skip
