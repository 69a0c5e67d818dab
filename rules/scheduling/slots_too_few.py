"""The TaskManagers of a cluster have fewer slots than a job needs.

## What it does
Adds up the slots of the TaskManagers in a Compose file or in manifests of a folder: `taskmanager.numberOfTaskSlots` (1
if it is not set) times the replicas. Compares them with `parallelism.default` of the cluster, and, where the repository
has one cluster only, with the parallelism that its programs set for the whole job.

## Why it matters
The default scheduler starts a job only with all the slots that it needs: as many as the largest parallelism of its
operators. With fewer the job waits for five minutes (`slot.request.timeout`), fails with `NoResourceAvailableException:
Could not acquire the minimum required resources`, and is restarted to wait again.

## What to do
Raise `taskmanager.numberOfTaskSlots` or the number of TaskManagers, or lower the parallelism.

## Not when
The adaptive scheduler makes do with what there is; slots, replicas or parallelism are not known; TaskManagers are
requested by the JobManager (native Kubernetes, YARN) or scaled by an autoscaler.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/concepts/flink-architecture/#task-slots-and-resources>:
  a job needs as many slots as its largest parallelism
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#slot-request-timeout>: how long it waits
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._clusters import Pair, pairs

_PARALLELISM = "parallelism.default"
_SLOTS = "taskmanager.numberOfTaskSlots"
_CONTAINERS = ["element:container/compose", "element:container/helm"]
_SCHEDULERS = ("jobmanager.scheduler", "scheduler-mode")


@rule(
    code="FLK613",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=_CONTAINERS,
    scope="project",
    compares=["folder", (_CONTAINERS, ["element:job"])],
    since="0.1",
)
def slots_too_few(project: Project) -> Iterator[Finding]:
    """TaskManagers have fewer slots than a job needs"""
    clusters: dict[int, list[Pair]] = {}
    for pair in pairs(project):
        clusters.setdefault(id(pair.leader), []).append(pair)
    for members in clusters.values():
        total = _slots(members)
        first = members[0]
        if total is None or _is_adaptive(first.jobmanager):
            continue
        configs = [first.jobmanager]
        if len(clusters) == 1:
            configs += [view for view in project.views if view.document.kind == "source" and _is_job(view)]
        for config in configs:
            parallelism, setting = config.integer(_PARALLELISM), config.get(_PARALLELISM)
            if parallelism is None or parallelism <= total or not setting.is_set or config.is_bounded:
                continue
            if not all(pair.is_whole for pair in members):  # last, since it reads the files
                break
            workers = "1 TaskManager has" if len(members) == 1 and total == 1 else "the TaskManagers have"
            yield setting.finding(
                f"the job needs {parallelism} slots, and {workers} {total}: it waits, fails with"
                " NoResourceAvailableException, and is restarted to wait again",
                help=f"set {_SLOTS}: {-(-parallelism // _replicas(members))}, or lower the parallelism",
                related=[first.worker.place("role", f"{total} slot{'s' if total > 1 else ''}")],
            )


def _slots(members: list[Pair]) -> int | None:
    """The slots of all TaskManagers of a cluster as far as its files tell; None if they are not known."""
    total = 0
    for pair in members:
        slots, replicas = pair.worker.process.slots, pair.worker.process.replicas
        if slots is None or replicas is None:
            return None
        if not isinstance(slots.value, int) or not isinstance(replicas.value, int):
            return None
        total += slots.value * replicas.value
    return total or None


def _replicas(members: list[Pair]) -> int:
    return sum(
        pair.worker.process.replicas.value
        for pair in members
        if pair.worker.process.replicas is not None and isinstance(pair.worker.process.replicas.value, int)
    )


def _is_adaptive(config: View) -> bool:
    return any(
        not config.is_known(key) or (config.string(key) or "").lower() in ("adaptive", "reactive")
        for key in _SCHEDULERS
    )


def _is_job(config: View) -> bool:
    """Whether a program runs on a cluster and sets the parallelism itself."""
    return bool(config.elements("job")) and config.document.purpose not in ("test", "example")


_COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        {settings}
  taskmanager:
    image: flink:1.20
    command: taskmanager
    {scale}
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        {slots}
"""
_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(2);
    env.addSource(new Orders()).uid("orders").print();
    env.execute("orders");
  }
}
"""


def _compose(settings: str = "blob.server.port: 6124", slots: str = "blob.server.port: 6124", scale: str = "") -> str:
    return _COMPOSE.format(settings=settings, slots=slots, scale=scale)


def cases() -> list[Case]:
    return [
        bad(
            _compose(f"{_PARALLELISM}: 4", f"{_SLOTS}: 2"), file="docker-compose.yaml", at=_PARALLELISM,
            severity=Severity.WARNING, says="needs 4 slots",
        ),
        bad(
            _JOB, file="src/main/java/Job.java", beside={"docker-compose.yaml": _compose()},
            says="1 TaskManager has 1",
        ),
        good(_compose(f"{_PARALLELISM}: 4", f"{_SLOTS}: 2", "deploy: {replicas: 2}"), file="docker-compose.yaml"),
        good(_compose(f"{_PARALLELISM}: 2", f"{_SLOTS}: 2"), file="docker-compose.yaml"),
        good(_compose(f"{_PARALLELISM}: 4", f"{_SLOTS}: ${{SLOTS}}"), file="docker-compose.yaml"),
        good(_compose(f"{_PARALLELISM}: 4\n        jobmanager.scheduler: adaptive"), file="docker-compose.yaml"),
        good(
            _JOB, file="src/main/java/Job.java",
            beside={"docker-compose.yaml": _compose(slots=f"{_SLOTS}: 2")},
        ),
    ]  # fmt: skip
