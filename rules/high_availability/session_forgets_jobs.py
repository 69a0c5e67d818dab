"""A JobManager that Docker starts again comes back without its jobs.

## What it does
Looks at the JobManager of a session in a Compose file that has a `restart` policy, a folder of checkpoints that
outlives its container, and no high availability: reports it where nothing in the file submits the jobs again.

## Why it matters
A session keeps its jobs in the memory of the JobManager. After a crash, an update or a reboot the container is started
again and healthy, TaskManagers register, and no job runs: `/jobs/overview` is empty, and nothing is logged, because for
the new JobManager there never were jobs. The checkpoints are there and nobody uses them.

## What to do
Set `high-availability.type: zookeeper` with `high-availability.storageDir` on the volume, which starts the jobs again
from their last checkpoints. Or run the job as an application (`standalone-job`), or have something submit the jobs from
their last checkpoint (`flink run -s`) at each start.

## Not when
- High availability is on, or may be set by what is not in the repository.
- The JobManager runs an application, or another container of the file may submit jobs.
- The checkpoints are in the container and gone with it, or jobs are batches.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what recovers jobs
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#session-mode-on-docker>
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.processes.process import VALUE
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._state_directories import held
from flink_flint.rules.high_availability._mode import NONE, mode
from flink_flint.rules.security._exposure import is_session

_DIRECTORY = "execution.checkpointing.dir"
_POLICIES = ("always", "unless-stopped", "on-failure")


@rule(
    code="FLK426",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=[_DIRECTORY],
    only=["platform:compose"],
    flink=">=1.10",
    since="0.1",
)
def session_forgets_jobs(config: View) -> Iterator[Finding]:
    """a JobManager that Docker starts again comes back without its jobs"""
    setting = config.get(_DIRECTORY)
    if not setting.is_set or not setting.is_known or mode(config) != NONE or config.is_bounded:
        return
    if not is_session(config) or any(part.text("role") not in _CLUSTER for part in config.elements("neighbor")):
        return
    for process in config.processes:
        policy = process.text("restart")
        if process.role != "jobmanager" or policy is None or policy.partition(":")[0] not in _POLICIES:
            continue
        if any(" " in str(word.value).strip() for word in process.process.arguments):
            continue  # a script may submit jobs
        if any(one.sets != VALUE and not one.what.startswith(_IMAGE) for one in process.process.unknown):
            continue
        if not _outlives(process, setting.text):
            continue
        yield process.finding(
            f"{process.name} is a session without high availability: started again (restart: {policy}), it knows none"
            " of its jobs, and nothing runs though all is healthy",
            of="args[0]" if process.has("args[0]") else "restart",
            key="high-availability.type",
            help="turn high availability on (ZooKeeper, with a high-availability.storageDir on the volume), or run the"
            " job as an application (standalone-job)",
            related=[place for place in [setting.place("its checkpoints outlive it")] if place is not None],
        )


_IMAGE = "the configuration in image"
"""What is unknown of an image of one's own, which seldom turns high availability on."""
_CLUSTER = ("jobmanager", "taskmanager", "history-server")


def _outlives(process: ProcessView, directory: str) -> bool:
    location = locate(directory)
    if not location.is_local:
        return True
    place = held(process, process.volumes(), location.path)
    return place is not None and place.is_lasting


_COMPOSE = """services:
  jobmanager:
    image: acme/flink:1.20
    command: {command}
    restart: {restart}
    environment:
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        state.checkpoints.dir: file:///checkpoints
        {more}
    volumes: ["{volume}"]
  taskmanager:
    image: acme/flink:1.20
    command: taskmanager
    volumes: ["{volume}"]
{client}volumes: {{checkpoints: {{}}}}
"""


def _compose(
    restart: str = "unless-stopped", command: str = "jobmanager", more: str = "rest.port: 8081",
    volume: str = "checkpoints:/checkpoints", client: str = "",
) -> str:  # fmt: skip
    return _COMPOSE.format(restart=restart, command=command, more=more, volume=volume, client=client)


def cases() -> list[Case]:
    submit = "  submit:\n    image: acme/flink:1.20\n    command: [bash, /submit.sh]\n"
    return [
        bad(_compose(), file="docker-compose.yaml", at="high-availability.type", severity=Severity.WARNING,
            says="it knows none of its jobs"),
        bad(_compose("always"), file="docker-compose.yaml"),
        good(_compose('"no"'), file="docker-compose.yaml"),
        good(_compose(more="high-availability.type: zookeeper"), file="docker-compose.yaml"),
        good(_compose(command="standalone-job --job-classname org.example.Job"), file="docker-compose.yaml"),
        good(_compose(volume="logs:/opt/flink/log"), file="docker-compose.yaml"),
        good(_compose(client=submit), file="docker-compose.yaml"),
        good(_compose(more="execution.runtime-mode: BATCH"), file="docker-compose.yaml"),
    ]  # fmt: skip
