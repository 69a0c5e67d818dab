"""The last checkpoint goes when the job is cancelled.

## What it does
Looks for an interval and a directory of checkpoints without `externalized-checkpoint-retention:
RETAIN_ON_CANCELLATION`. A warning where the restart strategy gives up some day, which deletes the last checkpoint,
and no directory for savepoints is set; advice where another retention is written, as that may be meant.

## Why it matters
By default (`NO_EXTERNALIZED_CHECKPOINTS`) Flink deletes a job's checkpoints when the job ends, in whatever way: when
somebody cancels it, and when it fails for good because its restart strategy gave up. That last checkpoint was the one
way to go on from there. `DELETE_ON_CANCELLATION` keeps it after a failure, but not after a cancel, which is how a job
that hangs is usually ended.

## What to do
Set `execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION`, and delete what old jobs leave
behind in the directory from time to time.

## Not when
Nothing is set and the restart strategy does not give up, which `checkpoints-at-defaults` names. The Kubernetes
operator or Managed Service for Apache Flink runs the job and sees to it; jobs run as batches; the file is a mere part
of a configuration. A program may set the retention itself, so confidence is medium at most.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#retained-checkpoints>:
  checkpoints are deleted unless they are retained
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-externalized-checkpoint-retention>:
  the option and its values
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import DIRECTORY, INTERVAL, RETENTION, directory, interval, is_managed

_RETAIN = "RETAIN_ON_CANCELLATION"
_ENDLESS = 10_000
"""Attempts to restart that nobody lives to see used up."""


@rule(
    code="FLK311",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[INTERVAL, RETENTION],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def no_externalized_retention(config: View) -> Iterator[Finding]:
    """the last checkpoint is deleted when the job is cancelled"""
    if config.platform == "operator" or is_managed(config) or interval(config) is None or directory(config) is None:
        return
    setting = config.get(RETENTION)
    if setting.is_set:
        if setting.value in ("DELETE_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"):
            ends = "cancelled or fails for good" if setting.value == "NO_EXTERNALIZED_CHECKPOINTS" else "cancelled"
            yield setting.finding(
                f"{setting.value} deletes the last checkpoint of a job that is {ends}: it cannot go on from there",
                help=f"write {_RETAIN}, if that is not meant",
                severity=Severity.INFO,
                fix=setting.replace(_RETAIN),
            )
        return
    if not config.document.whole or not _gives_up(config):
        return
    document = config.document
    yield config.get(DIRECTORY).finding(
        "checkpoints are not retained: when a job is cancelled or fails for good, its last one is deleted and nothing"
        " is left to go on from",
        help=f"set {RETENTION}: {_RETAIN}",
        fix=document.add(RETENTION, _RETAIN, f"set {RETENTION}: {_RETAIN}"),
        at="entry",
    )


def _gives_up(config: View) -> bool:
    """Whether the restart strategy lets a job fail for good after some failures, and nothing speaks of savepoints."""
    if config.is_set("execution.checkpointing.savepoint-dir"):
        return False
    strategy = config.get("restart-strategy.type")
    name = strategy.text.lower() if strategy.is_set and strategy.is_known else ""
    if name in ("fixed-delay", "fixeddelay"):
        attempts = config.integer("restart-strategy.fixed-delay.attempts")
        return attempts is not None and attempts < _ENDLESS
    return name in ("failure-rate", "failurerate", "none", "off", "disable")


_EVERY = f"{INTERVAL}: 60s\nexecution.checkpointing.dir: s3://bucket/c\n"


def cases() -> list[Case]:
    return [
        good(_EVERY),
        bad(
            f"{_EVERY}restart-strategy.type: failure-rate\n",
            at=DIRECTORY,
            severity=Severity.WARNING,
            fixed=f"{_EVERY}{RETENTION}: {_RETAIN}\nrestart-strategy.type: failure-rate\n",
        ),
        bad(
            f"{INTERVAL}: 60000\nstate.checkpoints.dir: hdfs:///c\nrestart-strategy: fixed-delay\n"
            "restart-strategy.fixed-delay.attempts: 10\n",
            at=DIRECTORY,
            flink="1.16",
            severity=Severity.WARNING,
        ),
        good(
            f"{_EVERY}restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 2147483647\n",
        ),
        bad(f"{_EVERY}{RETENTION}: DELETE_ON_CANCELLATION\n", at=RETENTION, severity=Severity.INFO, says="cancelled:"),
        bad(f"{_EVERY}{RETENTION}: NO_EXTERNALIZED_CHECKPOINTS\n", at=RETENTION, severity=Severity.INFO),
        good(f"{_EVERY}{RETENTION}: {_RETAIN}\n"),
        good(
            f"{_EVERY}restart-strategy.type: fixed-delay\nrestart-strategy.fixed-delay.attempts: 10000\n",
        ),
        bad(
            f"{_EVERY}restart-strategy.type: fixeddelay\nrestart-strategy.fixed-delay.attempts: 9999\n",
            at=DIRECTORY,
            severity=Severity.WARNING,
        ),
        good(
            f"{_EVERY}restart-strategy.type: fixed-delay\n"
            f"restart-strategy.fixed-delay.attempts: '{{{{ attempts }}}}'\n",
        ),
        good(f"{_EVERY}restart-strategy.type: '{{{{ strategy }}}}'\n"),
        good(
            f"{_EVERY}restart-strategy.type: none\nexecution.checkpointing.savepoint-dir: s3://bucket/s\n",
        ),
        bad(f"{_EVERY}restart-strategy.type: none\n", at=DIRECTORY, profile="development", severity=Severity.INFO),
        good(f"{_EVERY}{RETENTION}: retain_on_cancellation\n"),
        good(
            'app:\n  flinkConfiguration:\n    execution.checkpointing.interval: "60s"\n'
            "    execution.checkpointing.dir: s3://bucket/c\n",
            file="values-prod.yaml",
        ),
        good(f"{INTERVAL}: 60s\n"),
        good("execution.checkpointing.dir: s3://bucket/c\n"),
        good(f"{_EVERY}execution.runtime-mode: BATCH\n"),
        good(_EVERY, platform="operator"),
        good(
            "services:\n  flink:\n    image: flink:1.18.1\n    command: taskmanager\n    environment:\n"
            f"      FLINK_PROPERTIES: |\n        {INTERVAL}: 60s\n        state.checkpoints.dir: s3://bucket/c\n",
            file="compose.yaml",
        ),
        good(f"{_EVERY}{RETENTION}: '{{{{ retention }}}}'\n"),
    ]


def claims() -> list[Claim]:
    every = f"{INTERVAL}: 1 min\nstate.checkpoints.dir: s3://bucket/c\n"
    return [
        flink_uses(
            "checkpoints", "", "NEVER_RETAIN_AFTER_TERMINATION", good=f"{RETENTION}: {_RETAIN}\n",
            both=f"{every}restart-strategy: failure-rate\n",
        ),
        flink_uses(
            "checkpoints", f"{RETENTION}: DELETE_ON_CANCELLATION\n", "RETAIN_ON_FAILURE",
            good=f"{RETENTION}: {_RETAIN}\n", both=every,
        ),
    ]  # fmt: skip
