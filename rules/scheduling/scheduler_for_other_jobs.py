"""The scheduler is not one for this cluster or its jobs.

## What it does
Reports

- `scheduler-mode: reactive` on anything but a standalone cluster with a job of its own: native Kubernetes (also under
  the operator without `mode: standalone`), YARN, a session cluster (error);
- `jobmanager.scheduler: AdaptiveBatch` beside a configuration for streaming (error);
- `jobmanager.scheduler` other than `adaptive` beside the reactive mode, and `adaptive` beside
  `execution.runtime-mode: BATCH`, where Flink takes another one than the file says (advice).

## Why it matters
Reactive mode takes whatever slots there are, and so cannot be had where Flink itself asks for TaskManagers. There the
JobManager does not start: `Reactive mode is configured for an unsupported cluster type`. `AdaptiveBatch` refuses
streaming jobs: `Adaptive batch scheduler only supports batch jobs`. Batch jobs run under
another scheduler where `adaptive` was asked for, and reactive mode always takes `adaptive`.

## What to do
For streaming jobs that are to follow the resources take `jobmanager.scheduler: adaptive`, which works everywhere. For
batch jobs leave the option out: Flink chooses `AdaptiveBatch` for them.

## Not when
What kind of cluster it is, the files do not say.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/elastic_scaling/#reactive-mode>:
  where reactive mode works
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/elastic_scaling/#limitations-2>:
  batch jobs only
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/jobmaster/DefaultSlotPoolServiceSchedulerFactory.java>:
  which scheduler is taken
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.kubernetes._examples import deployment
from flink_flint.rules.kubernetes._resource import CLUSTERS, resources

_SCHEDULER = "jobmanager.scheduler"
_MODE = "scheduler-mode"
_CHECKPOINTS = "execution.checkpointing.interval"


@rule(
    code="FLK626",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_SCHEDULER, _MODE],
    flink=">=1.13",
    since="0.1",
)
def scheduler_for_other_jobs(config: View) -> Iterator[Finding]:
    """the scheduler is not one for this cluster or its jobs"""
    mode, scheduler = config.get(_MODE), config.get(_SCHEDULER)
    is_reactive = mode.is_set and (config.string(_MODE) or "").lower() == "reactive"
    where = _asks_for_taskmanagers(config) if is_reactive else None
    if where is not None:
        yield mode.finding(
            "the JobManager does not start: reactive mode is for standalone clusters with a job of their own, and"
            f" {where}",
            help=f"write {_SCHEDULER}: adaptive instead",
        )
        return
    chosen = (config.string(_SCHEDULER) or "").lower() if scheduler.is_set else ""
    if is_reactive and chosen and chosen != "adaptive":
        yield scheduler.finding(
            f"{_SCHEDULER} is {scheduler.text}, but reactive mode always takes the adaptive one",
            help="delete the line",
            severity=Severity.INFO,
            related=[mode],
            fix=scheduler.remove(safe=True),
        )
    elif chosen == "adaptivebatch" and (streams := _streams(config)):
        yield scheduler.finding(
            f"no streaming job starts: the scheduler AdaptiveBatch takes batch jobs alone, and {streams}",
            help="delete the line: Flink chooses AdaptiveBatch for batch jobs by itself",
        )
    elif chosen == "adaptive" and _runtime_mode(config) == "BATCH":
        yield scheduler.finding(
            "the adaptive scheduler is for streaming: batch jobs run under another one, whatever this says",
            help="delete the line",
            severity=Severity.INFO,
            related=[config.get("execution.runtime-mode")],
            fix=scheduler.remove(),
        )


def _asks_for_taskmanagers(config: View) -> str | None:
    """Why this is no standalone cluster with a job of its own; None where it may be one."""
    for resource in resources(config, *CLUSTERS):
        if resource.is_whole and not resource.is_application:
            return "this one is a session cluster"
        if resource.lacks("mode") or (resource.text("mode") or "").lower() == "native":
            return "this one runs in Kubernetes natively"
    if config.platform in ("yarn", "emr"):
        return "YARN gives Flink its containers"
    for container in config.elements("container"):
        if container.text("role") == "jobmanager" and container.text("args[0]") == "jobmanager":
            return "this one is a session cluster"
    return None


def _streams(config: View) -> str | None:
    """What says that the jobs are streaming ones."""
    if _runtime_mode(config) == "STREAMING" and config.is_set("execution.runtime-mode"):
        return "execution.runtime-mode is STREAMING"
    if _runtime_mode(config) == "STREAMING" and config.is_set(_CHECKPOINTS) and config.duration(_CHECKPOINTS):
        return "these have checkpoints"
    return None


def _runtime_mode(config: View) -> str | None:
    return (config.string("execution.runtime-mode") or "").upper() or None


_REACTIVE = f"{_MODE}: reactive\n"
_FILE = {"file": "deployment.yaml"}
_SERVICES = "services:\n  jobmanager:\n    image: flink:1.20\n    command: {}\n    environment:\n"
_PROPERTIES = (
    "      FLINK_PROPERTIES: |\n        jobmanager.rpc.address: jobmanager\n        scheduler-mode: reactive\n"
)


def cases() -> list[Case]:
    return [
        bad(deployment(_REACTIVE), **_FILE, at=_MODE, severity=Severity.ERROR, says="runs in Kubernetes natively"),
        bad(deployment(_REACTIVE, spec="mode: native"), **_FILE, severity=Severity.ERROR),
        bad(deployment(_REACTIVE, spec="mode: standalone", job="-"), **_FILE, says="is a session cluster"),
        bad(f"{_REACTIVE}rest.port: 8081\n", platform="yarn", says="YARN gives Flink its containers"),
        bad(_REACTIVE, platform="emr", flink="1.15"),
        bad(_SERVICES.format("jobmanager") + _PROPERTIES, file="compose.yaml", says="is a session cluster"),
        bad(f"{_REACTIVE}{_SCHEDULER}: Default\n", at=_SCHEDULER, severity=Severity.INFO,
            says="always takes the adaptive one", fixed=_REACTIVE),
        bad(f"{_SCHEDULER}: AdaptiveBatch\n{_CHECKPOINTS}: 60 s\n", at=_SCHEDULER, severity=Severity.ERROR,
            says="these have checkpoints"),
        bad(f"{_SCHEDULER}: AdaptiveBatch\nexecution.runtime-mode: STREAMING\n", flink="1.16", severity=Severity.ERROR),
        bad(f"{_SCHEDULER}: adaptive\nexecution.runtime-mode: batch\n", severity=Severity.INFO, at=_SCHEDULER,
            says="run under another one", fixed="execution.runtime-mode: batch\n"),
        bad(f"{_SCHEDULER}: adaptive\nexecution.runtime-mode: BATCH\n", flink="1.14"),
        good(deployment(_REACTIVE, spec="mode: standalone"), **_FILE),
        good(deployment(_REACTIVE, spec="mode: ${MODE}"), **_FILE),
        good(_SERVICES.format("standalone-job") + _PROPERTIES, file="compose.yaml"),
        good(f"{_REACTIVE}rest.port: 8081\n"),
        good(f"{_REACTIVE}{_SCHEDULER}: adaptive\n"),
        good(f"{_SCHEDULER}: adaptive\n{_CHECKPOINTS}: 60 s\n", platform="yarn"),
        good(f"{_SCHEDULER}: AdaptiveBatch\nexecution.runtime-mode: BATCH\n{_CHECKPOINTS}: 60 s\n"),
        good(f"{_SCHEDULER}: AdaptiveBatch\nexecution.runtime-mode: AUTOMATIC\n{_CHECKPOINTS}: 60 s\n"),
        good(f"{_SCHEDULER}: AdaptiveBatch\n{_CHECKPOINTS}: 0 s\n"),
        good(f"{_SCHEDULER}: AdaptiveBatch\n"),
        good(f"{_SCHEDULER}: default\nexecution.runtime-mode: BATCH\n"),
        good(f"{_MODE}: ${{MODE}}\n{_SCHEDULER}: Default\n", platform="yarn", flink="1.18"),
    ]  # fmt: skip


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "run", "jobmanager.scheduler: AdaptiveBatch\n", good="jobmanager.scheduler: Adaptive\n",
            both="execution.checkpointing.interval: 1 min\n", releases=">=1.15",
        ),
    ]  # fmt: skip
