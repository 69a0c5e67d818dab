"""A job that fails at start is restarted every second, for ever.

## What it does
Reports a fixed delay of a second or less with 1000 attempts or more, and an exponential delay that begins below a
second and does not grow (`backoff-multiplier` of 1). Lines that say what Flink up to 1.18 does without them in a job
with checkpoints (a second, for ever) are a suggestion.

## Why it matters
A cause that lasts (a topic that is gone, a full disk, too few slots) makes the job fail at once, 60 times a minute and
more. Each time it deploys all tasks, restores all state, joins its consumer group anew and writes its status to the
store of high availability: the systems that are in trouble get the most load, logs fill, and what else the cluster
runs suffers.

## What to do
Set the delay to 10 s or more, or choose `exponential-delay`, which waits longer after each failure.

## Not when
The attempts are few, so that the job soon fails for good, or a template decides.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/task_failure_recovery/>: the strategies
- <https://nightlies.apache.org/flink/flink-docs-release-1.19/release-notes/flink-1.19/>: why the default has become
  `exponential-delay`
"""

from collections.abc import Iterator

from flink_flint.linter.flink.restart_strategy_names import strategy_named
from flink_flint.linter.flink.values import SECOND, Duration
from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View

_CALM = Duration(10 * SECOND)
_FOR_EVER = 2**31 - 1
_FIXED = "restart-strategy.fixed-delay"
_EXPONENTIAL = "restart-strategy.exponential-delay"


@rule(
    code="FLK605",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=["restart-strategy.type"],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
    thresholds={
        "attempts": Threshold(1000, "attempts that nobody waits for"),
        "pause": Threshold("1 s", "longest delay that hammers what a job starts with"),
    },
)
def restart_hot_loop(config: View) -> Iterator[Finding]:
    """a job that fails at start is restarted every second, for ever"""
    chosen = config.get("restart-strategy.type")
    pause = config.threshold("pause")
    strategy = strategy_named(chosen.text)
    if strategy == "fixed-delay":
        attempts, delay = config.integer(f"{_FIXED}.attempts"), config.duration(f"{_FIXED}.delay")
        setting = config.get(f"{_FIXED}.delay")
        if attempts is None or attempts < config.threshold("attempts") or delay is None or delay > pause:
            return
        calm = _CALM if pause < _CALM else Duration(2 * pause)
        where = setting if setting.is_set else config.get(f"{_FIXED}.attempts")
        yield where.finding(
            f"a job that fails at once is restarted {f'every {delay}' if delay else 'without a pause'}, {attempts}"
            " times: it hammers brokers, checkpoint storage and the JobManager while the cause lasts",
            help=f"set {_FIXED}.delay: {calm}, or restart-strategy.type: exponential-delay",
            severity=Severity.INFO if _is_default(config, attempts, delay) else None,
            related=[chosen],
        )
    elif strategy == "exponential-delay":
        first = config.get(f"{_EXPONENTIAL}.initial-backoff")
        backoff = config.duration(f"{_EXPONENTIAL}.initial-backoff")
        factor = config.number(f"{_EXPONENTIAL}.backoff-multiplier")
        if backoff is not None and backoff < pause and factor == 1.0:
            yield first.finding(
                f"the delay stays at {backoff} because the backoff multiplier is 1: a job that fails at once is"
                " restarted without a pause",
                help=f"set {_EXPONENTIAL}.backoff-multiplier: 2.0",
                related=[config.get(f"{_EXPONENTIAL}.backoff-multiplier")],
            )


def _is_default(config: View, attempts: int, delay: Duration) -> bool:
    """Whether Flink does the same without the lines: up to 1.18, with checkpoints."""
    return not config.since("1.19") and attempts == _FOR_EVER and delay == Duration(SECOND)


def cases() -> list[Case]:
    return [
        bad(
            f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 2147483647\n{_FIXED}.delay: 1 s\n",
            flink="1.16",
            at=f"{_FIXED}.delay",
            says="every 1 s",
            severity=Severity.INFO,
        ),
        bad(
            f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 2147483647\n{_FIXED}.delay: 500 ms\n",
            flink="1.16",
            severity=Severity.WARNING,
            says="every 500 ms",
        ),
        bad(
            f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: 2147483647\n{_FIXED}.delay: 1 s\n",
            flink="1.19",
            severity=Severity.WARNING,
        ),
        bad(f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: 10000\n", at=f"{_FIXED}.attempts"),
        bad(
            f"restart-strategy.type: exponential-delay\n{_EXPONENTIAL}.initial-backoff: 100 ms\n"
            f"{_EXPONENTIAL}.backoff-multiplier: 1.0\n",
            at=f"{_EXPONENTIAL}.initial-backoff",
        ),
        good(f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 2147483647\n{_FIXED}.delay: 30 s\n", flink="1.16"),
        good(f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 3\n{_FIXED}.delay: 1 s\n", flink="1.16"),
        good(f"restart-strategy: fixed-delay\n{_FIXED}.attempts: 100000\n{_FIXED}.delay: ${{DELAY}}\n", flink="1.16"),
        good(f"restart-strategy: exponential-delay\n{_EXPONENTIAL}.initial-backoff: 100 ms\n", flink="1.16"),
        bad(
            f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: 1000\n",
            profile="development",
            severity=Severity.INFO,
        ),
        good(f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: 999\n"),
        good(f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: 1000\n{_FIXED}.delay: 1001 ms\n"),
        good(f"restart-strategy.type: fixed-delay\n{_FIXED}.attempts: ${{ATTEMPTS}}\n{_FIXED}.delay: 1 s\n"),
        good(
            f"restart-strategy.type: failure-rate\n{_EXPONENTIAL}.initial-backoff: 100 ms\n"
            f"{_EXPONENTIAL}.backoff-multiplier: 1.0\n"
        ),
        good(
            f"restart-strategy.type: exponential-delay\n{_EXPONENTIAL}.initial-backoff: 1 s\n"
            f"{_EXPONENTIAL}.backoff-multiplier: 1.0\n"
        ),
        good(
            f"restart-strategy.type: exponential-delay\n{_EXPONENTIAL}.initial-backoff: ${{BACKOFF}}\n"
            f"{_EXPONENTIAL}.backoff-multiplier: 1.0\n"
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "restart strategy",
            "restart-strategy.fixed-delay.delay: 0 s\n",
            "restart after 0.0 s",
            good="restart-strategy.fixed-delay.delay: 10 s\n",
            both="restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 1000000\n",
            releases=">=1.10",
        ),
    ]
