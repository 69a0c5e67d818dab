"""The job can hardly be scaled up, because nothing sets its maximum parallelism.

## What it does
Where a job with checkpoints has a `parallelism.default` and no `pipeline.max-parallelism`, works out the maximum that
Flink will choose: the next power of two from one and a half times the parallelism, at least 128, at most 32768. It is
advice, given where this is less than twice the parallelism.

## Why it matters
The maximum parallelism is the number of key groups of the state. It is fixed when the job first starts and stays in
every checkpoint and savepoint: the job can never run with more subtasks without dropping its state. A parallelism of
85 gets 128, one of 86 gets 256, so that it also depends on what the parallelism happened to be that day.

## What to do
Set `pipeline.max-parallelism` before the first start, to a number with many divisors such as 720 or 1440. For a job
that already has state, set what it has now.

## Not when
There is room to double, the job has no state to keep (nothing turns checkpoints on), or the parallelism is unknown.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-an-explicit-max-parallelism>:
  set it, and what it is by default
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/KeyGroupRangeAssignment.java>:
  how the default is reckoned
"""

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import LARGEST, default_max_parallelism
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_PARALLELISM = "parallelism.default"
_MAXIMUM = "pipeline.max-parallelism"
_STATEFUL = ("execution.checkpointing.interval", "execution.checkpointing.dir", "state.backend.type")
_ROOM = 2


@rule(
    code="FLK621",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_PARALLELISM],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
)
def max_parallelism_unset(config: View) -> Iterator[Finding]:
    """nothing sets the maximum parallelism, and there is little room to scale up"""
    parallelism = config.integer(_PARALLELISM)
    setting = config.get(_PARALLELISM)
    if parallelism is None or config.is_set(_MAXIMUM):
        return
    if not any(config.is_set(key) for key in _STATEFUL) or not 1 <= parallelism <= LARGEST:
        return
    maximum = default_max_parallelism(parallelism)
    if maximum >= _ROOM * parallelism or maximum == LARGEST:
        return
    yield setting.finding(
        f"at its first start with a parallelism of {parallelism} the job gets a maximum parallelism of {maximum}, for"
        " ever: it cannot be doubled without dropping its state",
        help=f"set {_MAXIMUM}, before the first start, to a number such as {_proposal(parallelism)}",
        evidence={"maximum": maximum},
    )


def _proposal(parallelism: int) -> int:
    """The first of 720, 1440, ... that leaves room for four times the parallelism."""
    proposal = 720
    while proposal < 4 * parallelism and proposal * 2 <= LARGEST:
        proposal *= 2
    return proposal


_CHECKPOINTS = "execution.checkpointing.interval: 1 min\n"


def cases() -> list[Case]:
    return [
        bad(f"{_PARALLELISM}: 80\n{_CHECKPOINTS}", at=_PARALLELISM, says="maximum parallelism of 128"),
        bad(f"{_PARALLELISM}: 300\nstate.backend: rocksdb\n", flink="1.16", says="maximum parallelism of 512"),
        good(f"{_PARALLELISM}: 86\n{_CHECKPOINTS}"),
        good(f"{_PARALLELISM}: 64\n{_CHECKPOINTS}"),
        good(f"{_PARALLELISM}: 80\n{_MAXIMUM}: 720\n{_CHECKPOINTS}"),
        good(f"{_PARALLELISM}: 80\n"),
        good(f"{_PARALLELISM}: 20000\n{_CHECKPOINTS}"),
        bad(
            f"{_PARALLELISM}: 65\nexecution.checkpointing.dir: s3://b/c\n",
            profile="development",
            severity=Severity.INFO,
        ),
        good(f"{_PARALLELISM}: 0\n{_CHECKPOINTS}"),
        good(f"{_PARALLELISM}: 32769\n{_CHECKPOINTS}"),
        good(f"{_PARALLELISM}: ${{PARALLELISM}}\n{_CHECKPOINTS}"),
    ]
