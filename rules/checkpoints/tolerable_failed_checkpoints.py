"""One failed checkpoint restarts the job, or hundreds of them tell nobody.

## What it does
Looks at `execution.checkpointing.tolerable-failed-checkpoints`. Reports more than 100, and 0 (Flink's default as
well) where `execution.checkpointing.timeout` is set to a minute or less and checkpoints go over the network. As
advice it reports a 0 that is written where they do so at least every 5 minutes.

## Why it matters
A checkpoint fails for small reasons: a request to the object store times out, a TaskManager is slow for a moment.
With 0 the job then restarts, replays what it had done since the last checkpoint, and the next checkpoint has more to
do than the one that failed. With hundreds tolerated nobody notices that none succeeds any more: at an interval of a
minute and a timeout of ten, 100 failures in a row are many hours that a recovery has to repeat, or can no longer,
when the source has deleted its records.

## What to do
Tolerate 3 to 10, and raise an alarm on the time since the last completed checkpoint.

## Not when
Nothing is set and the timeout is longer, which `checkpoints-at-defaults` names. Change data capture 1.x once
recommended 100 for the first snapshot of a table, which is as many as this rule lets pass.

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
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.checkpoints._checkpointing import INTERVAL, TOLERABLE, interval, is_managed, is_remote

_TIMEOUT = "execution.checkpointing.timeout"
_MOST = 100
_OFTEN = 300_000 * MILLISECOND
_SHORT = 60_000 * MILLISECOND
_DEFAULT = 0
"""The number of failures that Flink tolerates where nothing is set."""


@rule(
    code="FLK310",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[TOLERABLE, INTERVAL, _TIMEOUT],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def tolerable_failed_checkpoints(config: View) -> Iterator[Finding]:
    """a job tolerates no failed checkpoint, or far too many"""
    if is_managed(config):
        return
    setting = config.get(TOLERABLE)
    number = config.integer(TOLERABLE) if setting.is_set else _DEFAULT
    every = interval(config)
    if number is None:
        return
    if number == 0 and every is not None and (short := _short_timeout(config)) is not None:
        yield _expiring(setting, short)
    elif number > _MOST:
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
    elif number == 0 and setting.is_set and every is not None and every <= _OFTEN and is_remote(config):
        yield setting.finding(
            "one failed checkpoint restarts the job, and any hiccup of the storage fails one",
            help=f"set {TOLERABLE}: 3",
            severity=Severity.INFO,
            confidence=Confidence.MEDIUM,
            fix=setting.replace("3"),
        )


def _short_timeout(config: View) -> Setting | None:
    """Return the timeout that is set, where it is so short that an upload over the network may take longer."""
    timeout, written = config.get(_TIMEOUT), config.duration(_TIMEOUT)
    if not timeout.is_set or written is None or not 0 < written <= _SHORT or not is_remote(config):
        return None
    if not config.since("1.11"):
        return None  # expired checkpoints did not count as failed ones
    return timeout


def _expiring(setting: Setting, timeout: Setting) -> Finding:
    return timeout.finding(
        f"one checkpoint that takes longer than {timeout.text} restarts the job ('Exceeded checkpoint tolerable failure"
        f" threshold'): {TOLERABLE} is 0{'' if setting.is_set else ' by default'}",
        help=f"set {TOLERABLE}: 3, and a timeout of 10 min (Flink's default)",
        confidence=Confidence.MEDIUM,
        related=[setting] if setting.is_set else (),
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
        bad(f"{_EVERY}{_TIMEOUT}: 60 s\n", at=_TIMEOUT, severity=Severity.WARNING, says="is 0 by default", flink="2.0"),
        bad(f"{_EVERY}{_TIMEOUT}: 1 min\n{TOLERABLE}: 0\n", at=_TIMEOUT, says="longer than 1 min restarts"),
        good(f"{_EVERY}{_TIMEOUT}: 61 s\n"),
        good(f"{_EVERY}{_TIMEOUT}: 60 s\n{TOLERABLE}: 1\n"),
        good(f"{_EVERY}{_TIMEOUT}: 60 s\n", flink="1.10"),
        good(f"{_EVERY}{_TIMEOUT}: 60 s\n".replace("s3://bucket", "file://"), flink="1.20"),
        good(f"{_TIMEOUT}: 60 s\nexecution.checkpointing.dir: s3://bucket/c\n"),
    ]


def claims() -> list[Claim]:
    every = f"{INTERVAL}: 1 min\n"
    return [
        flink_uses("checkpoints", f"{TOLERABLE}: 101\n", "101 may fail", good=f"{TOLERABLE}: 10\n", both=every),
    ]
