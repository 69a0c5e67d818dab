"""Checkpoints fail, and no failure is tolerated.

## What it does
Counts failed checkpoints (`numberOfFailedCheckpoints`) against completed ones. Reports three or more while
`execution.checkpointing.tolerable-failed-checkpoints` is 0, its default, and one in ten or more in any case.

## Why it matters
With 0 each checkpoint that expires or cannot be written restarts the whole job, which then reads everything since the
last one again, under more load than before. A job that tolerates failures but loses many of them falls back far
when it does fail.

## What to do
Tolerate as many in a row as the storage is away for: `flint size checkpoint` reckons that from an outage; three is a
beginning. Then find out why they fail: the timeout (`checkpoint-timeout-observed`), barriers (`barriers-held-up`),
the size of messages (`message-vs-framesize`), the storage itself.

## Not when
The job sets the number in its code.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-tolerable-failed-checkpoints>:
  the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#checkpointing>: the counters
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._wording import evidence, likewise, percent

TOLERABLE = "execution.checkpointing.tolerable-failed-checkpoints"
FAILED = "job/numberOfFailedCheckpoints"
COMPLETED = "job/numberOfCompletedCheckpoints"
_FEW = 3


@rule(
    code="FLK652",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{FAILED} total > {_FEW - 1}"],
    flink=">=1.10",
    since="0.1",
    thresholds={"failed": Threshold(0.1, "part of the checkpoints that may fail where failures are tolerated")},
)
def checkpoints_fail(config: View) -> Iterator[Finding]:
    """checkpoints fail, and no failure is tolerated"""
    found = config.observed_where(FAILED, statistic="total", above=_FEW - 1)
    if not found or (tolerable := config.integer(TOLERABLE)) is None:
        return
    failed = found[0]
    completed = failed.holder.observed(COMPLETED, statistic="total")
    share = None if completed is None else failed / (failed + completed)
    setting = config.get(TOLERABLE)
    restarts = failed.holder.observed("job/numRestarts", statistic="total")
    if tolerable > 0 and (share is None or share < config.threshold("failed")):
        return
    of_all = "" if share is None else f", {percent(share)} of all,"
    outcome = f"and {tolerable} in a row are tolerated" if tolerable > 0 else "and each of them restarts the job"
    yield setting.finding(
        f"{int(failed)} checkpoints of {failed.holder} failed{of_all} in {failed.window}, {outcome}"
        f"{likewise(found, 'job')}",
        help="find out why they fail" if tolerable > 0 else f"set {setting.written} to {_FEW}",
        fix=None if tolerable > 0 else setting.replace(str(_FEW)),
        evidence=evidence(failed, completed, restarts, tolerable=tolerable),
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{TOLERABLE}: 0\n", at=TOLERABLE, observed={FAILED: {"total": 12}, COMPLETED: {"total": 20_000}},
            says="12 checkpoints of job 'orders' failed, 0.06 % of all, in 14 days", fixed=f"{TOLERABLE}: 3\n",
        ),
        bad("parallelism.default: 2\n", at=TOLERABLE, observed={FAILED: {"total": 3}}),
        bad(
            f"{TOLERABLE}: 5\n", at=TOLERABLE, says="50 % of all",
            observed={FAILED: {"total": 400}, COMPLETED: {"total": 400}}, fixed=f"{TOLERABLE}: 5\n",
        ),
        good(f"{TOLERABLE}: 0\n", observed={FAILED: {"total": 2}, COMPLETED: {"total": 20_000}}),
        good(f"{TOLERABLE}: 4\n", observed={FAILED: {"total": 12}, COMPLETED: {"total": 20_000}}),
        good(f"{TOLERABLE}: '{{{{ n }}}}'\n", observed={FAILED: {"total": 12}}),
        bad(f"{TOLERABLE}: 1\n", observed={FAILED: {"total": 10}, COMPLETED: {"total": 90}}, fixed=f"{TOLERABLE}: 1\n"),
        good(f"{TOLERABLE}: 1\n", observed={FAILED: {"total": 12}, COMPLETED: {"total": 20_000}}),
        good(f"{TOLERABLE}: 4\n", observed={FAILED: {"total": 12}}),
        good(f"pipeline.name: orders\n{TOLERABLE}: 0\n",
             observed={FAILED: {"total": 2}, f"{FAILED} @ payments": {"total": 12}}),
        good(f"{TOLERABLE}: 0\n", flink="1.9", observed={FAILED: {"total": 12}}),
    ]  # fmt: skip
