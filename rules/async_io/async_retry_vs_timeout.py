"""The retries of asynchronous functions wait longer than their timeout allows.

## What it does
Adds up the pauses before all retries of `table.exec.async-scalar` (1.19 and later) and `table.exec.async-table` (2.2
and later): `retry-delay` times `max-attempts` or `max-retries`. Reports when they alone reach the `timeout`.

## Why it matters
One timeout covers a record's first attempt, all retries and the pauses between them. When the pauses use it up, the
last retries never happen: the record fails with a TimeoutException, and so does the job, while its author counts on
attempts that Flink does not make.

## What to do
Raise the timeout above the pauses and the calls themselves, or retry less often or sooner. `flint size async-io` adds
up calls, retries and pauses.

## Not when
With `retry-strategy: NO_RETRY` nothing is retried. Programs can set the options for themselves, which the
configuration does not show.

## Sources
- <https://github.com/apache/flink/pull/26774>: the timeout runs from the first attempt to the last, retries included
- <https://nightlies.apache.org/flink/flink-docs-release-2.2/docs/dev/table/config/>: the options and their defaults
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_GROUPS = (("table.exec.async-scalar", "max-attempts"), ("table.exec.async-table", "max-retries"))

_LONGEST = 86_400.0
"""Seconds: nobody waits longer for one record, so more retries than fit are the mistake."""


@rule(
    code="FLK888",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[
        f"{group}.{name}"
        for group, retries in _GROUPS
        for name in ("timeout", "retry-delay", "retry-strategy", retries)
    ],
    flink=">=1.19",
    since="0.1",
)
def async_retry_vs_timeout(config: View) -> Iterator[Finding]:
    """the retries of asynchronous functions wait longer than their timeout"""
    for group, name in _GROUPS:
        timeout = config.duration(f"{group}.timeout")
        pause, retries = config.duration(f"{group}.retry-delay"), config.integer(f"{group}.{name}")
        strategy = config.string(f"{group}.retry-strategy")
        if not timeout or pause is None or retries is None:
            continue
        if strategy is None or strategy.upper() == "NO_RETRY":
            continue
        settings = [config.get(f"{group}.{key}") for key in ("timeout", "retry-delay", name)]
        places = [setting for setting in settings if setting.is_set]
        if places and pause * retries >= timeout:
            from flink_flint.calculators.formulas.async_calls import longest_call, required_timeout
            from flink_flint.calculators.formulas.quantity import spell_duration
            from flink_flint.linter.flink.release_spelling import duration_text

            waits = longest_call(0.0, retries=retries, pause=pause.seconds)
            enough = float(-(-required_timeout(1, None, waits) // 1))
            sensible, wanted = enough <= _LONGEST, duration_text(enough)
            yield places[0].finding(
                f"{retries} retries, {spell_duration(pause.seconds)} apart, wait {spell_duration(waits)}, and a record"
                f" has {spell_duration(timeout.seconds)} for all of them: it times out before the last retry",
                help=f"set {group}.timeout to {wanted} and the time of the calls themselves, or retry less"
                if sensible
                else "retry less, or sooner",
                fix=settings[0].replace(wanted) if sensible else None,
                related=places[1:],
            )


def cases() -> list[Case]:
    return [
        bad(
            "table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.retry-delay: 5 s\n",
            at="10 s",
            flink="1.20",
            severity=Severity.WARNING,
            says="3 retries, 5 s apart, wait 15 s",
            fixed="table.exec.async-scalar.timeout: 18 s\ntable.exec.async-scalar.retry-delay: 5 s\n",
        ),
        bad("table.exec.async-scalar.max-attempts: 2000\n", at="2000", flink="2.1", says="wait 3 min 20 s"),
        bad(
            "table.exec.async-table.max-retries: 60\ntable.exec.async-table.retry-delay: 3 s\n",
            flink="2.2",
            at="table.exec.async-table.retry-delay",
        ),
        bad(
            "table.exec.async-scalar.max-attempts: 2000000000\ntable.exec.async-scalar.timeout: 10 s\n",
            flink="2.1",
            at="10 s",
        ),
        good("table.exec.async-table.max-retries: 60\ntable.exec.async-table.retry-delay: 3 s\n", flink="2.1"),
        good("table.exec.async-scalar.timeout: 10 s\n", flink="1.20"),
        good(
            "table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.retry-delay: 5 s\n"
            "table.exec.async-scalar.retry-strategy: NO_RETRY\n",
            flink="1.20",
        ),
        good("table.exec.async-scalar.timeout: ${TIMEOUT}\ntable.exec.async-scalar.retry-delay: 5 min\n", flink="1.20"),
        bad(
            "table.exec.async-scalar.retry-delay: ${DELAY}\n"
            "table.exec.async-table.max-retries: 3\ntable.exec.async-table.retry-delay: 60 s\n",
            flink="2.2",
            times=1,
            at="table.exec.async-table.retry-delay",
            says="3 retries, 60 s apart",
        ),
        bad(
            "table.exec.async-scalar.retry-strategy: NO_RETRY\ntable.exec.async-table.max-retries: 3\n"
            "table.exec.async-table.retry-delay: 60 s\n",
            flink="2.2",
            at="table.exec.async-table.retry-delay",
        ),
        bad(
            "table.exec.async-scalar.timeout: 500 ms\ntable.exec.async-scalar.max-attempts: 1\n"
            "table.exec.async-scalar.retry-delay: 500 ms\n",
            flink="1.20",
            at="500 ms",
        ),
        bad(
            "table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.max-attempts: 1000000\n"
            "table.exec.async-scalar.retry-delay: 1 s\n",
            flink="2.1",
            at="10 s",
            fixed="table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.max-attempts: 1000000\n"
            "table.exec.async-scalar.retry-delay: 1 s\n",
        ),
        good(
            "table.exec.async-scalar.timeout: 1 s\ntable.exec.async-scalar.retry-delay: 1 s\n"
            "table.exec.async-scalar.max-attempts: 0\n",
            flink="1.20",
        ),
        good("table.exec.async-scalar.timeout: 1 s\ntable.exec.async-scalar.retry-delay: 0 s\n", flink="1.20"),
        good("table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.retry-delay: ${DELAY}\n", flink="1.20"),
        good("table.exec.async-scalar.timeout: 1 s\ntable.exec.async-scalar.max-attempts: ${RETRIES}\n", flink="1.20"),
        good("table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.retry-delay: 5 s\n", flink="1.18"),
        good(
            "table.exec.async-scalar.timeout: 1501 ms\ntable.exec.async-scalar.retry-delay: 500 ms\n"
            "table.exec.async-scalar.max-attempts: 3\n",
            flink="1.20",
        ),
        bad(
            "table.exec.async-scalar.timeout: 1 s\ntable.exec.async-scalar.retry-delay: 500 ms\n",
            at="1 s",
            flink="1.20",
            fixed="table.exec.async-scalar.timeout: 2 s\ntable.exec.async-scalar.retry-delay: 500 ms\n",
        ),
        bad(
            "table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.max-attempts: 75000\n"
            "table.exec.async-scalar.retry-delay: 1 s\n",
            flink="2.1",
            fixed="table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.max-attempts: 75000\n"
            "table.exec.async-scalar.retry-delay: 1 s\n",
        ),
        good(
            "table.exec.async-scalar.timeout: 10 s\ntable.exec.async-scalar.retry-delay: 5 s\n"
            "table.exec.async-scalar.retry-strategy: ${STRATEGY}\n",
            flink="1.20",
        ),
    ]
