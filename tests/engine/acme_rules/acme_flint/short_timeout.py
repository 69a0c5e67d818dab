"""A checkpoint expires before a slow one can finish.

## What it does
Reports `execution.checkpointing.timeout` below a threshold, 30 s unless set otherwise.

## Why it matters
Our object store needs 20 s on a bad day.

## What to do
Set it to the threshold or more.
"""

from collections.abc import Iterator

from flink_flint.api import Case, Finding, Severity, Threshold, View, bad, good, rule

OPTION = "execution.checkpointing.timeout"


@rule(
    code="ACME101",
    severity=Severity.WARNING,
    reads=[OPTION],
    since="1.0",
    thresholds={"shortest": Threshold("30 s", "shortest timeout that is long enough")},
)
def short_timeout(config: View) -> Iterator[Finding]:
    """checkpoints time out early"""
    timeout, shortest = config.duration(OPTION), config.threshold("shortest")
    if timeout is not None and timeout < shortest:
        setting = config.get(OPTION)
        yield setting.finding(
            f"a checkpoint that takes more than {timeout} fails",
            help=f"set {OPTION}: {shortest}",
            fix=setting.replace(str(shortest)),
        )


def cases() -> list[Case]:
    return [
        bad(f"{OPTION}: 5 s\n", at=OPTION, says="more than 5 s", fixed=f"{OPTION}: 30 s\n"),
        good(f"{OPTION}: 30 s\n"),
    ]
