"""A job is restored in the mode that leaves the owner of its files open.

## What it does
Reports `LEGACY` as `execution.state-recovery.claim-mode` (`execution.savepoint-restore-mode` before 1.20), and
`-claimMode LEGACY` or `-restoreMode LEGACY` in a script.

## Why it matters
In this mode, Flink's only one until 1.14, the job builds on the files of the checkpoint or savepoint it starts from,
for as long as incremental checkpoints refer to them, but does not own them. So nobody can tell when they may be
deleted: too early, and the job's newer checkpoints cannot be restored; never, and they fill the storage. It has been
deprecated since 1.19. Flink 2 still takes the value.

## What to do
Delete the setting: `NO_CLAIM`, the default, makes the first checkpoint a full one, after which the old files are not
needed. `CLAIM` hands them over to the job.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#claim-mode>: the three modes
- <https://cwiki.apache.org/confluence/display/FLINK/FLIP-193%3A+Snapshots+ownership>: why there are the other two
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_MODE = "execution.state-recovery.claim-mode"
_FLAGS = ("options.claimMode", "options.restoreMode")


@rule(
    code="FLK335",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_MODE],
    when=["element:command"],
    since="0.1",
)
def legacy_claim_mode(config: View) -> Iterator[Finding]:
    """a job starts from files that nobody can tell the owner of"""
    message = "in LEGACY mode the job builds on files it does not own, so that nobody can tell when they may be deleted"
    help_text = "leave it out (NO_CLAIM, the default), or hand the files over with CLAIM"
    mode = config.get(_MODE)
    if config.string(_MODE) == "LEGACY":
        yield mode.finding(message, help=help_text, fix=mode.replace("NO_CLAIM"))
    for command in config.elements("command"):
        for flag in _FLAGS:
            if (command.text(flag) or "").upper() == "LEGACY":
                yield command.finding(message, of=flag, help=help_text)


def cases() -> list[Case]:
    return [
        bad(f"{_MODE}: LEGACY\n", at=_MODE, severity=Severity.WARNING, fixed=f"{_MODE}: NO_CLAIM\n"),
        bad("execution.savepoint-restore-mode: legacy\n", at=_MODE, flink="1.15"),
        bad("flink run -s s3://b/sp-1 -restoreMode LEGACY job.jar\n", file="run.sh", flink="1.18"),
        bad("flink run -s s3://b/sp-1 -claimMode legacy job.jar\n", file="run.sh", flink="1.20", says="does not own"),
        good(f"{_MODE}: CLAIM\n"),
        good("execution.savepoint-restore-mode: NO_CLAIM\n", flink="1.15"),
        good("flink run -s s3://b/sp-1 -claimMode CLAIM job.jar\n", file="run.sh", flink="1.20"),
        good("flink run -s s3://b/sp-1 job.jar\n", file="run.sh", flink="1.20"),
        good(f"{_MODE}: '{{{{ mode }}}}'\n"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    start = "execution.savepoint.path: file:///savepoint\n"
    return [
        flink_uses(
            "restore", "execution.savepoint-restore-mode: LEGACY\n", "LEGACY",
            good="execution.savepoint-restore-mode: NO_CLAIM\n", both=start, releases=">=1.19",
        ),
    ]  # fmt: skip
