"""The adaptive scheduler does without this feature.

## What it does
Where `jobmanager.scheduler` is `adaptive` or `scheduler-mode` is `reactive`, it reports local recovery
(`state.backend.local-recovery`) before Flink 1.18, and the `jobmanager.execution.failover-strategy` in any release.

## Why it matters
Before 1.18 the adaptive scheduler gave subtasks to TaskManagers without regard to where their state lies, so that the
copy on the local disk costs writes and space, and is hardly ever read. It restarts the whole job at each failure: the
failover strategy `region`, which restarts only the part that failed, has no effect.

## What to do
Take Flink 1.18 or newer for local recovery. Delete the failover strategy, or take the default scheduler where it
matters that one part of a job fails without the others.

## Not when
- Batch jobs run under another scheduler, whatever the option says.
- The Flink is Amazon EMR's: its adaptive scheduler restarts parts of a job.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/elastic_scaling/#limitations-1>:
  no partial failover
- <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/flink-restart.html>: EMR's scheduler
- <https://github.com/apache/flink/pull/23182>: local recovery works since 1.18 (FLINK-21450)
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment

_SCHEDULER = "jobmanager.scheduler"
_MODE = "scheduler-mode"
_LOCAL = "execution.checkpointing.local-backup.enabled"
_FAILOVER = "jobmanager.execution.failover-strategy"


@rule(
    code="FLK628",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=[_SCHEDULER, _MODE],
    flink=">=1.13",
    since="0.1",
)
def adaptive_scheduler_without(config: View) -> Iterator[Finding]:
    """a setting has no effect under the adaptive scheduler"""
    chosen = next((config.get(key) for key in (_MODE, _SCHEDULER) if _is_adaptive(config, key)), None)
    if chosen is None or (config.string("execution.runtime-mode") or "").upper() == "BATCH":
        return
    if config.boolean(_LOCAL) and not config.since("1.18"):
        yield config.get(_LOCAL).finding(
            "before 1.18 the adaptive scheduler does not look where a subtask's state is: local copies are written, and"
            " hardly ever read",
            help="take Flink 1.18 or newer, or delete the line",
            related=[chosen],
        )
    failover = config.get(_FAILOVER)
    if _is_of_emr(config):
        return
    if failover.is_set and failover.is_known and failover.text.lower() != "full":
        yield failover.finding(
            f"the failover strategy {failover.text} has no effect: the adaptive scheduler restarts the whole job each"
            " time",
            help="delete the line, or take the default scheduler",
            severity=Severity.INFO,
            related=[chosen],
            fix=failover.remove(safe=True),
        )


def _is_of_emr(config: View) -> bool:
    """Whether it is for EMR's Flink, whose adaptive scheduler restarts parts of a job."""
    parts = config.elements("kubernetes-object")
    return config.platform == "emr" or any(part.has("spec.emrReleaseLabel") for part in parts)


def _is_adaptive(config: View, key: str) -> bool:
    return config.is_set(key) and (config.string(key) or "").lower() in ("adaptive", "reactive")


_ADAPTIVE = f"{_SCHEDULER}: Adaptive\n"
_COPIES = "state.backend.local-recovery: true\n"


def cases() -> list[Case]:
    return [
        bad(_ADAPTIVE + _COPIES, flink="1.17", at=_LOCAL, severity=Severity.WARNING, says="hardly ever read"),
        bad(f"{_MODE}: reactive\n{_COPIES}", flink="1.13", at=_LOCAL),
        bad(f"{_ADAPTIVE}{_FAILOVER}: region\n", at=_FAILOVER, severity=Severity.INFO, says="restarts the whole job",
            fixed=_ADAPTIVE),
        bad(f"{_ADAPTIVE}{_FAILOVER}: region\n{_COPIES}", flink="1.15", times=2),
        good(_ADAPTIVE + _COPIES, flink="1.18"),
        good(f"{_ADAPTIVE}{_FAILOVER}: full\n"),
        good(f"{_ADAPTIVE}{_FAILOVER}: '{{{{ strategy }}}}'\n"),
        good(_ADAPTIVE),
        good(f"{_ADAPTIVE}state.backend.local-recovery: false\n", flink="1.17"),
        good(f"{_SCHEDULER}: default\n{_FAILOVER}: region\n{_COPIES}", flink="1.17"),
        good(f"{_SCHEDULER}: ${{SCHEDULER}}\n{_FAILOVER}: region\n", flink="1.17"),
        good(f"{_ADAPTIVE}{_FAILOVER}: region\n", platform="emr"),
        good(
            deployment(f"{_ADAPTIVE}{_FAILOVER}: region", spec="emrReleaseLabel: emr-7.12.0-flink-latest"),
            file="deployment.yaml",
        ),
        good(f"{_ADAPTIVE}{_FAILOVER}: region\nexecution.runtime-mode: BATCH\n"),
    ]  # fmt: skip
