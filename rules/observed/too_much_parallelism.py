"""All operators of a job are idle most of the time.

## What it does
Reports jobs of which no operator is busy for more than 20 % of the time even at the 99th percentile, over seven days
and more, with four subtasks or more, and says with how many the busiest one would be busy for 70 %.

## Why it matters
Subtasks, slots and TaskManagers are paid for whether they work or not, and each adds network buffers, connections,
files of a checkpoint and small batches.

## What to do
Lower the parallelism in steps (at most 60 % at a time), and look at lag and catch-up after each.

## Not when
There are less than seven days of history, a source reports no busy time (then nobody knows what it does), or the job
must read a backlog quickly: catching up shows in the 99th percentile only if it happened.

## Sources
- <https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/autoscaler/>: scaling
  down, and by how much
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/#io>: `busyTimeMsPerSecond`
"""

from collections.abc import Iterator

from flink_flint.linter.model.observations import Job, Observed, Operator
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.observed._capacity import (
    ARRIVALS,
    BUSY,
    IN_RATE,
    PARALLELISM,
    TRUE_RATE,
    parallelism_setting,
    sources_tell,
    subtasks_wanted,
)
from flink_flint.rules.observed._wording import count, evidence, likewise, percent

_IN_FLIGHT = "operator/inFlight"
_IDLE = 200


@rule(
    code="FLK679",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    when=[f"observed:{BUSY} p99 < {_IDLE}"],
    since="0.1",
    thresholds={
        "subtasks": Threshold(4, "subtasks from which fewer are worth a word"),
        "days": Threshold(7, "days of observation without which nothing is said"),
    },
)
def too_much_parallelism(config: View) -> Iterator[Finding]:
    """all operators of a job are idle most of the time"""
    busiest: dict[str, Observed] = {}
    for busy in config.observed_where(BUSY, p=0.99, below=_IDLE):
        # The farthest below comes first, the busiest of those below last.
        busiest[busy.operator.job.key] = busy
    found: list[tuple[Job, Observed, Operator, int]] = []
    for busy in busiest.values():
        job = busy.operator.job
        widest = max(_of_known_busy(job), key=lambda one: one.parallelism, default=None)
        if busy.days < config.threshold("days") or widest is None or widest.parallelism < config.threshold("subtasks"):
            continue
        wanted = subtasks_wanted(widest, busy)
        if wanted * 2 <= widest.parallelism:
            found.append((job, busy, widest, wanted))
    if not found:
        return
    job, busy, widest, wanted = max(found, key=lambda one: one[2].parallelism - one[3])
    message = (
        f"no operator of {job} is busy for more than {percent(busy / 1000)} of the time ({busy.basis}), with up to"
        f" {widest.parallelism} subtasks{likewise(found, 'job')}"
    )
    cure = f"{count(wanted, 'subtask')} would do (`flint size parallelism`)"
    proof = evidence(busy, parallelism=widest.parallelism, wanted=wanted)
    setting = parallelism_setting(config, widest)
    if setting is None:
        yield config.finding(message, help=cure, evidence=proof)
    else:
        yield setting.finding(message, help=cure, fix=setting.replace(str(wanted)), evidence=proof)


def _of_known_busy(job: Job) -> list[Operator]:
    """The operators that tell how busy they are.

    None where one of them is busy, a source does not tell, or one is asynchronous: that counts as idle while it
    waits for its calls, and needs its subtasks all the same.
    """
    operators = job.operators
    if any(one.number(_IN_FLIGHT, "max") is not None for one in operators):
        return []
    known = {one: busy for one in operators if (busy := one.number(BUSY, "p99")) is not None}
    if any(busy >= _IDLE for busy in known.values()):
        return []
    return list(known) if sources_tell(operators) else []


def cases() -> list[Case]:
    return [
        bad(
            f"{PARALLELISM}: 24\n",
            at=PARALLELISM,
            severity=Severity.INFO,
            fixed=f"{PARALLELISM}: 5\n",
            observed={BUSY: {"p50": 40, "p99": 130}, "parallelism": 24},
            says="no operator of job 'orders' is busy for",
        ),
        good(
            f"{PARALLELISM}: 24\n",
            observed={BUSY: {"p50": 40, "p99": 130}, "parallelism": 24, "operator/inFlight": {"p50": 300, "max": 900}},
        ),
        bad(f"{PARALLELISM}: 2\n", observed={BUSY: {"p50": 40, "p99": 130}, "parallelism": 24}),
        bad(
            f"{PARALLELISM}: 2\n",
            observed={
                BUSY: 100,
                "parallelism": 24,
                "operator/pendingRecords @ Source: in": 5,
                f"{BUSY} @ Source: in -> map": 50,
            },
        ),
        good(f"{PARALLELISM}: 24\n", observed={BUSY: 100, "parallelism": 24, f"{BUSY} @ join": 600}),
        good(
            f"{PARALLELISM}: 24\n", observed={BUSY: 100, "parallelism": 24, "operator/pendingRecords @ Source: in": 5}
        ),
        good(f"{PARALLELISM}: 24\n", observed={BUSY: {"p99": 100, "days": 3}, "parallelism": 24}),
        good(f"{PARALLELISM}: 2\n", observed={BUSY: 100, "parallelism": 2}),
        bad(f"{PARALLELISM}: 4\n", fixed=f"{PARALLELISM}: 1\n", observed={BUSY: {"p99": 100, "days": 7}}),
        bad(f"{PARALLELISM}: 4\n", fixed=f"{PARALLELISM}: 2\n", observed={BUSY: 199}),
        bad(
            f"{PARALLELISM}: 24\n",
            fixed=f"{PARALLELISM}: 5\n",
            observed={BUSY: 130, "parallelism": 24, f"{IN_RATE} @ join": 5, "parallelism @ join": 64},
        ),
        good(f"{PARALLELISM}: 3\n", observed={BUSY: 100, "parallelism": 3}),
        good(f"{PARALLELISM}: 24\n", observed={BUSY: 200, "parallelism": 24}),
        good(f"{PARALLELISM}: 24\n", observed={BUSY: 100, "parallelism": 24, f"{BUSY} @ join": 200}),
        good(f"{PARALLELISM}: 24\n", observed={BUSY: 100, "parallelism": 24, ARRIVALS: 9000, TRUE_RATE: 10_000}),
        good("pipeline.name: payments\n", observed={BUSY: 100, "parallelism": 24}),
    ]
