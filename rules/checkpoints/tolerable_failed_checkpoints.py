"""One failed checkpoint restarts the job, or hundreds of them tell nobody.

## What it does
Looks at `execution.checkpointing.tolerable-failed-checkpoints`. Reports more than 100. As advice it reports a 0 that
is written where checkpoints go over the network at least every 5 minutes.

## Why it matters
A checkpoint fails for small reasons: a request to the object store times out, a TaskManager is slow for a moment.
With 0 the job then restarts, replays what it had done since the last checkpoint, and the next checkpoint has more to
do than the one that failed. With hundreds tolerated nobody notices that none succeeds any more: at an interval of a
minute and a timeout of ten, 100 failures in a row are many hours that a recovery has to repeat, or can no longer,
when the source has deleted its records.

## What to do
Tolerate 3 to 10, and raise an alarm on the time since the last completed checkpoint.

## Not when
Nothing is set, which `checkpoints-at-defaults` names. Change data capture 1.x once recommended 100 for the first
snapshot of a table, which is as many as this rule lets pass.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/fault-tolerance/checkpointing/>:
  the number of consecutive failures, and its default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-tolerable-failed-checkpoints>:
  the option
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.values import MILLISECOND, Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, TOLERABLE, interval, is_managed, is_remote

_TIMEOUT = "execution.checkpointing.timeout"
_MOST = 100
_OFTEN = 300_000 * MILLISECOND


@rule(
    code="FLK310",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[TOLERABLE, INTERVAL],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def tolerable_failed_checkpoints(config: View) -> Iterator[Finding]:
    """a job tolerates no failed checkpoint, or far too many"""
    if is_managed(config):
        return
    setting = config.get(TOLERABLE)
    number = config.integer(TOLERABLE) if setting.is_set else None
    every = interval(config)
    if number is None:
        return
    if number > _MOST:
        timeout = config.duration(_TIMEOUT)
        longest = ""
        if every is not None and timeout is not None:
            longest = f" up to {Duration((number + 1) * max(every, timeout))}"
        yield setting.finding(
            f"{number:,} checkpoints in a row may fail before anything happens:{longest or ' hours'} of work that a"
            " recovery repeats, unless the source has deleted its records by then",
            help="tolerate 3 to 10, and raise an alarm on the time since the last completed checkpoint",
            fix=setting.replace("10"),
            evidence={"tolerable": number},
            measure=number,
        )
    elif number == 0 and every is not None and every <= _OFTEN and is_remote(config):
        yield setting.finding(
            "one failed checkpoint restarts the job, and any hiccup of the storage fails one",
            help=f"set {TOLERABLE}: 3",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
            fix=setting.replace("3"),
        )


_EVERY = f"{INTERVAL}: 60s\nexecution.checkpointing.dir: s3://bucket/c\n"


def cases() -> list[Case]:
    return [
        bad(
            f"{TOLERABLE}: 500\n",
            at=TOLERABLE,
            severity=Severity.WARNING,
            says="500",
            fixed=f"{TOLERABLE}: 10\n",
        ),
        bad(f"{_EVERY}{TOLERABLE}: 1000\n", at=TOLERABLE, says="1,000", times=1),
        bad(f"{_EVERY}{TOLERABLE}: 0\n", at=TOLERABLE, severity=Severity.INFO),
        good(_EVERY),
        good(f"{_EVERY}{TOLERABLE}: 3\n"),
        bad(f"{_EVERY}{TOLERABLE}: 0\n", at=TOLERABLE, fixed=f"{_EVERY}{TOLERABLE}: 3\n"),
        bad(f"{TOLERABLE}: 101\n", at=TOLERABLE, severity=Severity.WARNING, says="hours"),
        bad(f"{TOLERABLE}: 500\n", at=TOLERABLE, profile="development", severity=Severity.INFO),
        bad(f"{INTERVAL}: 5min\nexecution.checkpointing.dir: s3://bucket/c\n{TOLERABLE}: 0\n", at=TOLERABLE),
        good(f"{_EVERY}{TOLERABLE}: 500\n", platform="msf"),
        good(f"{TOLERABLE}: 0\nexecution.checkpointing.dir: s3://bucket/c\n"),
        good(f"{TOLERABLE}: 100\n"),
        good(f"{INTERVAL}: 10min\nexecution.checkpointing.dir: s3://bucket/c\n{TOLERABLE}: 0\n"),
        good(f"{INTERVAL}: 60s\nexecution.checkpointing.dir: file:///checkpoints\n{TOLERABLE}: 0\n"),
        good(f"{_EVERY}{TOLERABLE}: '{{{{ tolerable }}}}'\n"),
    ]


def claims() -> list[Claim]:
    every = f"{INTERVAL}: 1 min\n"
    return [
        flink_uses("checkpoints", f"{TOLERABLE}: 101\n", "101 may fail", good=f"{TOLERABLE}: 10\n", both=every),
    ]
