"""A job with state can hardly be scaled up, or not at all, because of the maximum parallelism that is set.

## What it does
Compares `pipeline.max-parallelism` with `parallelism.default`, and gives advice if it is less than twice as much. If no
parallelism is set, it gives advice for a maximum below 32 (threshold `least`).

## Why it matters
The maximum parallelism is the number of key groups of the state, and with it of the subtasks that can have state. It is
fixed when a job first starts, and stays in its checkpoints and savepoints: with another value Flink refuses to restore
them (`Max parallelism mismatch between checkpoint/savepoint state and new program`). In the configuration of a session
cluster it applies to all jobs that do not set their own. Without the setting, Flink chooses 128 or more.

## What to do
Remove the setting, or set a number with many divisors such as 720, before a job first starts. For a job that has state,
keep the value; the job must start without that state to get another one.

## Not when
The jobs have no state of their own, or run as a batch.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/production_ready/#set-an-explicit-max-parallelism>:
  the maximum cannot be changed without discarding state
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/state/KeyGroupRangeAssignment.java>:
  the default is at least 128
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/checkpoint/Checkpoints.java>:
  the refusal of another maximum
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.formulas.key_groups import LARGEST
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

_PARALLELISM = "parallelism.default"
_MAXIMUM = "pipeline.max-parallelism"
_MODE = "execution.runtime-mode"
_ROOM = 2


@rule(
    code="FLK611",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=[_MAXIMUM],
    flink=">=1.10",
    of_scale=True,
    since="0.1",
    thresholds={"least": Threshold(32, "the maximum below which a job without a known parallelism is reported")},
)
def max_parallelism_low(config: View) -> Iterator[Finding]:
    """the maximum parallelism that is set leaves no room to scale up"""
    maximum, setting = config.integer(_MAXIMUM), config.get(_PARALLELISM)
    parallelism = config.integer(_PARALLELISM) if setting.is_set else None
    if maximum is None or not 1 <= maximum < LARGEST or not setting.is_known:
        return
    least = _ROOM * parallelism if parallelism is not None else config.threshold("least")
    if maximum >= least or (parallelism is not None and parallelism > maximum):
        return
    if (config.string(_MODE) or "").upper() == "BATCH" or not config.is_known(_MODE):
        return
    room = f"it cannot be doubled from {parallelism}" if parallelism is not None else "Flink itself chooses 128 or more"
    yield config.get(_MAXIMUM).finding(
        f"a job with state can never run with more than {maximum} subtasks ({room}), unless it drops its state",
        help=f"remove {_MAXIMUM} before a job first starts, or set it to a number such as 720",
        related=[setting] if parallelism is not None else [],
        evidence={"maximum": maximum},
    )


def cases() -> list[Case]:
    return [
        bad(f"taskmanager.numberOfTaskSlots: 3\n{_MAXIMUM}: 4\n", at=_MAXIMUM, severity=Severity.INFO,
            says="more than 4 subtasks"),
        bad(f"{_PARALLELISM}: 100\n{_MAXIMUM}: 128\n", at=_MAXIMUM, says="cannot be doubled from 100"),
        bad(deployment(f"{_MAXIMUM}: '4'", job="parallelism: 4"), file="deployment.yaml"),
        bad(deployment(f"{_MAXIMUM}: '31'", job="-"), file="deployment.yaml"),
        bad("SET 'pipeline.max-parallelism' = '8';\n", file="job.sql", flink="1.18"),
        bad(f"{_MAXIMUM}: 1\n"),
        good(f"{_PARALLELISM}: 64\n{_MAXIMUM}: 128\n"),
        good(f"{_MAXIMUM}: 32\n"),
        good(f"{_PARALLELISM}: 20\n{_MAXIMUM}: 16\n"),
        good(f"{_PARALLELISM}: 20000\n{_MAXIMUM}: 32768\n"),
        good(f"{_MAXIMUM}: -1\n"),
        good(f"{_PARALLELISM}: ${{P}}\n{_MAXIMUM}: 4\n", flink="1.18"),
        good(f"{_MAXIMUM}: ${{MAXIMUM}}\n", flink="1.18"),
        good(f"{_MODE}: BATCH\n{_MAXIMUM}: 4\n"),
        good(f"{_MODE}: ${{MODE}}\n{_MAXIMUM}: 4\n", flink="1.18"),
    ]  # fmt: skip
