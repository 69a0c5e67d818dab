"""What a job recovers from is stored under /tmp.

## What it does
Reports a directory of checkpoints, savepoints or job results that is under `/tmp` or `/var/tmp`. The last counts only
where `high-availability.type` is on.

## Why it matters
These directories are read after something went wrong, and that is when `/tmp` is empty: a reboot clears it, a
restarted container has a new one, cleaners delete what was untouched for 10 days (30 in `/var/tmp`). On several
machines the TaskManagers and the JobManager moreover see different directories.

## What to do
Use a file system that every machine reaches and nothing cleans: an object store (`s3://bucket/checkpoints`), HDFS, or
a shared mount.

## Not when
On a single development machine the finding is advice. In containers a volume may be mounted there, which no reboot
empties; then `state-dir-on-local-disk` says whether all containers have it. Other local paths are the business of
`state-dir-on-local-disk`, `high-availability.storageDir` that of `ha-dir-local`. A path without scheme is not local
where `fs.default-scheme` names another file system.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-dir>:
  every TaskManager and JobManager must reach the directory
- <https://systemd.io/TEMPORARY_DIRECTORIES/>: what systemd deletes, after 10 days in `/tmp`, after 30 in `/var/tmp`
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._state_directories import OF_STATE, held, local_directories, on_volume_of_chart


@rule(
    code="FLK314",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=OF_STATE,
    when=["element:container"],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def state_dir_in_tmp(config: View) -> Iterator[Finding]:
    """checkpoints, savepoints or job results are stored under /tmp"""
    if config.is_mounted or "client" in {container.text("role") for container in config.elements("container")}:
        return  # the containers that mount the file tell, with their volumes; a client writes nothing there
    for directory in local_directories(config):
        setting, location, what = directory
        if location.is_temporary and not _is_volume(config, location.path):
            if on_volume_of_chart(config, directory) is not False:
                continue
            yield setting.finding(
                f"{what} go to {location.path}, which reboots, new containers and cleaners empty: what a job recovers"
                " from is then lost",
                help="use storage that every machine reaches and nothing cleans: an object store, HDFS, a shared mount",
                evidence={"directory": location.path},
            )


def _is_volume(config: View, path: str) -> bool:
    """Whether the path is a volume in the document's own containers (and not a /tmp of their host)."""
    places = [held(process, process.volumes(), path) for process in config.processes if process.containers]
    return bool(places) and all(place is None or place.survives_reboots for place in places)


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    volumes:
      - {}
    environment:
      - |
        FLINK_PROPERTIES=
        state.checkpoints.dir: file:///tmp/checkpoints
"""


def cases() -> list[Case]:
    return [
        bad(
            "state.checkpoints.dir: file:///tmp/checkpoints\n", at="execution.checkpointing.dir", flink="1.18",
            severity=Severity.ERROR,
        ),
        bad("execution.checkpointing.savepoint-dir: /tmp/savepoints\n", at="execution.checkpointing.savepoint-dir"),
        bad(
            "high-availability: zookeeper\njob-result-store.storage-path: file:/var/tmp/results\n",
            at="job-result-store.storage-path", flink="1.16",
        ),
        bad(
            "state.checkpoints.dir: file:///tmp/checkpoints\n",
            flink="1.18", profile="development", severity=Severity.INFO,
        ),
        bad("state.backend.fs.checkpointdir: file:///tmp/checkpoints\n", flink="1.4"),
        bad(_COMPOSE.format("./conf:/opt/flink/conf"), file="docker-compose.yml", profile="development"),
        bad(_COMPOSE.format("/tmp/here:/tmp/checkpoints"), file="docker-compose.yml", profile="production"),
        bad(_COMPOSE.format("/var/tmp/here:/tmp/checkpoints"), file="docker-compose.yml"),
        good(_COMPOSE.format("checkpoints:/tmp/checkpoints"), file="docker-compose.yml"),
        good(_COMPOSE.format("checkpoints:/tmp/"), file="docker-compose.yml"),
        good(_COMPOSE.format("${WHERE}"), file="docker-compose.yml"),
        good(_COMPOSE.format("/:/"), file="docker-compose.yml"),
        good("state.checkpoints.dir: s3://bucket/tmp/checkpoints\n", flink="1.18"),
        good("state.checkpoints.dir: file:///var/lib/flink/checkpoints\n", flink="1.18"),
        good("fs.default-scheme: hdfs://nn:8020/\nstate.checkpoints.dir: /tmp/checkpoints\n", flink="1.18"),
        good("job-result-store.storage-path: file:///tmp/results\n", flink="1.18"),
        good("high-availability: zookeeper\nhigh-availability.storageDir: file:///tmp/ha\n", flink="1.18"),
        good("state.checkpoints.dir: file:///tmp/{{ cluster }}\n", flink="1.18"),
        *cases_in_folders(__file__),
    ]  # fmt: skip
