"""A job needs more slots than the cluster may ever have.

## What it does
Compares `parallelism.default` with `slotmanager.number-of-slots.max` where the adaptive scheduler is not on.

## Why it matters
The default scheduler starts a job only with all slots it needs: as many as the largest parallelism of its operators.
Where the limit is lower, no TaskManager is added any more, the job waits for 5 minutes (`slot.request.timeout`), fails
with `NoResourceAvailableException`, and is restarted to wait again.

## What to do
Raise `slotmanager.number-of-slots.max` to the parallelism at least (of a session: to the sum over its jobs), or lower
the parallelism.

## Not when
The adaptive scheduler (`jobmanager.scheduler: adaptive`, `scheduler-mode: reactive`) makes do with what there is.
A standalone cluster, whose JobManager asks nobody for TaskManagers, ignores the limit: it takes all that register.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#slotmanager-number-of-slots-max>:
  the limit
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/flink-architecture/#task-slots-and-resources>:
  a job needs as many slots as its largest parallelism
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.network._native import asks_for_containers

_PARALLELISM = "parallelism.default"
_LIMIT = "slotmanager.number-of-slots.max"


@rule(
    code="FLK624",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_LIMIT],
    flink=">=1.12",
    since="0.1",
)
def slots_limited_below_parallelism(config: View) -> Iterator[Finding]:
    """a job needs more slots than the cluster may ever have"""
    limit, parallelism = config.integer(_LIMIT), config.integer(_PARALLELISM)
    setting, wanted = config.get(_LIMIT), config.get(_PARALLELISM)
    if limit is None or parallelism is None:
        return
    adaptive = any(
        not config.is_known(key) or (config.string(key) or "").lower() in ("adaptive", "reactive")
        for key in ("jobmanager.scheduler", "scheduler-mode")
    )
    if adaptive or parallelism <= limit or not asks_for_containers(config):
        return
    yield setting.finding(
        f"a job with the default parallelism of {parallelism} needs {parallelism} slots, but the cluster may have"
        f" {limit}: it waits, fails with NoResourceAvailableException, and is restarted to wait again",
        help=f"set {_LIMIT} to {parallelism} or more, or lower {_PARALLELISM}",
        related=[wanted] if wanted.is_set else [],
    )


def cases() -> list[Case]:
    return [
        bad(
            f"{_PARALLELISM}: 32\n{_LIMIT}: 16\n",
            at=_LIMIT,
            platform="yarn",
            severity=Severity.ERROR,
            says="needs 32 slots",
        ),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\n", platform="standalone"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\n"),
        bad(f"{_PARALLELISM}: 8\n{_LIMIT}: 4\nkubernetes.container.image: flink\n", flink="1.15"),
        good(f"{_PARALLELISM}: 16\n{_LIMIT}: 16\n", platform="yarn"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\njobmanager.scheduler: Adaptive\n", platform="yarn"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\nscheduler-mode: reactive\n", flink="1.15", platform="yarn"),
        good(f"{_PARALLELISM}: ${{P}}\n{_LIMIT}: 16\n", flink="1.15", platform="yarn"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: ${{SLOTS}}\n", platform="yarn"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\njobmanager.scheduler: ${{SCHEDULER}}\n", platform="yarn"),
        good(f"{_PARALLELISM}: 32\n{_LIMIT}: 16\n", flink="1.11", platform="yarn"),
    ]
