"""What a job recovers from is stored on the disk of one machine.

## What it does
Reports a directory of checkpoints, savepoints or job results that is a path of the local file system outside `/tmp`. It
is a warning where the configuration says that the processes do not share one disk: YARN, EMR or Kubernetes, high
availability, more than one host in `workers`, a `jobmanager.rpc.address` other than localhost and than the
TaskManagers' own address (`taskmanager.host`, `taskmanager.bind-host`). Where nothing says so it is advice.

Of containers (Docker Compose, workloads of Kubernetes) it compares the volumes: all that use the directory must have
the same volume there. A TaskManager that has another than its peers, or none, is a warning on a developer's machine
too, because it does not work there either.

## Why it matters
TaskManagers write the state, the JobManager writes the `_metadata` file, and after a failure any machine reads both.
With a disk for each, the parts of one checkpoint lie on different machines: the checkpoint counts as complete, and
recovery fails with `FileNotFoundException`.

## What to do
Use an object store, HDFS, or a file system mounted at the same path on every machine (NFS, EFS, a ReadWriteMany
volume).

## Not when
All containers have the same volume at the path, also under `/tmp`; so for values that a chart's defaults do not render,
if the workloads of the chart have it. Job results are the JobManager's alone.

A shared mount cannot be told from a local disk by its path. Paths named like one (`/mnt`, `/nfs`, `/efs`, `pv`,
`shared`, ...) are therefore advice of low confidence; for others, suppress the finding where the mount is shared.
Paths under `/tmp` are the business of `state-dir-in-tmp`, `high-availability.storageDir` that of `ha-dir-local`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-dir>:
  every TaskManager and JobManager must reach the directory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#directory-structure>: what is stored
"""

from collections.abc import Iterator
from functools import partial

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.checkpoints._state_directories import (
    OF_STATE,
    HeldDirectory,
    LocalDirectory,
    holders,
    in_containers,
    local_directories,
    looks_mounted,
    on_volume_of_chart,
    several_machines,
)


@rule(
    code="FLK315",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=OF_STATE,
    when=["element:container"],
    flink=">=1.0",
    since="0.1",
)
def state_dir_on_local_disk(config: View) -> Iterator[Finding]:
    """checkpoints, savepoints or job results are on a local disk"""
    if config.is_mounted:
        return  # the containers that mount the file tell, with their volumes
    developing = config.target.profile == "development"
    reason = several_machines(config)
    own = config.elements("container")
    for directory in local_directories(config):
        if own:
            yield from _in_containers(config, directory)
            continue
        setting, location, what = directory
        is_shared = on_volume_of_chart(config, directory)
        if location.is_temporary or is_shared:
            continue
        mounted = is_shared is None or looks_mounted(location.path)
        because = f", and {reason}" if reason else ""
        yield setting.finding(
            f"{what} go to the local path {location.path}{because}: unless that is a mount shared by all machines,"
            " one cannot read what another wrote and recovery fails",
            help="use an object store or HDFS, or make sure that the path is the same shared mount everywhere",
            severity=None if reason and not mounted and not developing else Severity.INFO,
            confidence=Confidence.LOW if mounted or not reason else None,
            evidence={"directory": location.path},
        )


def _nearly(config: View, path: str) -> str | None:
    """Where a volume is mounted that was probably meant: under a name that differs by little."""
    from difflib import get_close_matches

    targets = [volume.text("target") or "" for process in in_containers(config) for volume in process.volumes()]
    others = [target for target in targets if target.rstrip("/") not in ("", path)]
    found = get_close_matches(path, others, n=1, cutoff=0.92)
    return found[0] if found and len(path) > 8 else None


def _taskmanagers(places: list[HeldDirectory]) -> int:
    """Return the number of TaskManagers that use a directory, as far as the containers say: one each otherwise."""
    containers = [place.container for place in places if place.role == "taskmanager"]
    counts = [whole(text) if (text := one.text("replicas")) is not None else 1 for one in containers]
    return sum(1 if count is None else count for count in counts)


def _in_containers(config: View, directory: LocalDirectory) -> Iterator[Finding]:
    """What is wrong with the volumes of the containers; said once, of the JobManager's."""
    setting, location, what = directory
    places = holders(config, directory)
    if not places or all(process.role != "jobmanager" for process in in_containers(config)):
        return
    distinct = {(place.source, place.is_lasting) for place in places}
    lasting = [place for place in places if place.is_lasting]
    near = _nearly(config, location.path) if not lasting else None
    if near is not None:
        message = (
            f"{what} go to {location.path}, where no volume is mounted: {near} is, which differs by a letter or two, so"
            " each container keeps them to itself and they are gone with it"
        )
        severity = None
    elif not lasting:
        if location.is_temporary:
            return  # what `state-dir-in-tmp` reports
        each = "the container" if len(places) == 1 else "each container"
        message = (
            f"{what} go to {location.path}, which {each} has on a disk of its own: no other container reads them, and"
            " they are gone when it is replaced"
        )
        few = config.target.profile == "development" and _taskmanagers(places) < 2
        severity = Severity.INFO if few else None
    elif len(distinct) == 1:
        return
    elif (apart := _apart_from_state(places)) is not None:
        state, manager = apart
        ends = [] if "savepoint" in setting.key else [f"nothing deletes old state from {state.name}"]
        if not manager.is_lasting:
            ends.append(f"no job starts from them once {manager.container.name} is replaced")
        if not ends:
            return
        message = (
            f"{what} go to {location.path}, where {state.container.name} writes the state to {state.name}, and"
            f" {manager.container.name} the metadata to {'its own disk' if manager.volume is None else manager.name}:"
            f" {', and '.join(ends)}"
        )
        severity = Severity.INFO if config.target.profile == "development" else None
    else:
        first = lasting[0]
        other = next(place for place in places if (place.source, place.is_lasting) != (first.source, first.is_lasting))
        message = (
            f"{what} go to {location.path}, where {first.container.name} has {first.name} and {other.container.name}"
            f" has {other.name}: what the one writes the other never sees, and no job recovers from it"
        )
        severity = None
    told_here = setting.document is config.document
    raised = setting.finding if told_here else partial(config.elements("container")[0].finding, key=setting.key)
    yield raised(
        message,
        help=f"mount the same volume at {location.path} in all containers of the cluster, or use an object store",
        severity=severity,
        confidence=Confidence.HIGH,
        related=[p.volume.place("target", f"of {p.container.name}") for p in places if p.volume is not None],
        evidence={"directory": location.path},
    )


def _apart_from_state(places: list[HeldDirectory]) -> tuple[HeldDirectory, HeldDirectory] | None:
    """Where all state is kept, and the other place of its metadata, which only a new JobManager reads; None if mixed.

    Jobs recover then from what the JobManager has in memory. It deletes old state at the same path, where it has none.
    """
    states = [place for place in places if place.role == "taskmanager"]
    if len({place.source for place in states}) != 1 or not all(place.is_lasting for place in states):
        return None
    others = (place for place in places if (place.source, place.is_lasting) != (states[0].source, True))
    manager = next(others, None)
    return None if manager is None else (states[0], manager)


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment: &environment
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        state.checkpoints.dir: file:///data/checkpoints
    volumes:
      - {}
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment: *environment
    volumes:
      - {}
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format(*["{type: tmpfs, target: /data/checkpoints}"] * 2),
            file="docker-compose.yml",
            says="which each container has on a disk of its own",
        ),
        *(
            bad(
                _COMPOSE.format(*["./logs:/opt/flink/log"] * 2).replace("  taskmanager:\n", f"  taskmanager:\n{more}"),
                file="docker-compose.yml",
                profile="development",
                severity=severity,
            )
            for more, severity in (("    scale: 2\n", Severity.WARNING), ("", Severity.INFO))
        ),
        bad(
            "high-availability: zookeeper\nstate.checkpoints.dir: file:///var/lib/flink/checkpoints\n",
            at="execution.checkpointing.dir",
            flink="1.18",
            severity=Severity.WARNING,
        ),
        bad(
            "high-availability.type: kubernetes\njob-result-store.storage-path: file:///flink-data/results\n",
            at="job-result-store.storage-path",
            severity=Severity.WARNING,
        ),
        bad(
            "jobmanager.rpc.address: jm-1\nstate.savepoints.dir: /var/flink/savepoints\n",
            at="execution.checkpointing.savepoint-dir",
            flink="1.14",
            severity=Severity.WARNING,
            says="jm-1",
        ),
        bad(
            "jobmanager.rpc.address: jm-1\nstate.checkpoints.dir: file:///opt/flink/pv/checkpoints\n",
            flink="1.11",
            severity=Severity.INFO,
        ),
        bad("state.checkpoints.dir: file:///var/flink/checkpoints\n", flink="1.14", severity=Severity.INFO),
        *(
            bad(
                "state.checkpoints.dir: file:///var/flink/checkpoints\n",
                flink="1.14",
                severity=Severity.WARNING,
                platform=platform,
                says=says,
            )
            for platform, says in (("yarn", "YARN"), ("emr", "YARN"), ("kubernetes", "every pod"))
        ),
        *(
            bad(
                f"jobmanager.rpc.address: {host}\nstate.checkpoints.dir: file:///var/flink/checkpoints\n",
                flink="1.14",
                severity=Severity.INFO,
            )
            for host in ("localhost", "'{{ host }}'")
        ),
        bad(
            "jobmanager.rpc.address: jm-1\nstate.checkpoints.dir: file:///var/flink/checkpoints\n",
            flink="1.14",
            profile="development",
            severity=Severity.INFO,
        ),
        *(
            bad(
                f"jobmanager.rpc.address: 10.0.0.7\n{key}: {host}\nstate.checkpoints.dir: file:///var/flink/checkpoints\n",
                flink="1.14",
                severity=severity,
            )
            for key, host, severity in (
                ("taskmanager.host", "10.0.0.7", Severity.INFO),
                ("taskmanager.bind-host", "10.0.0.7", Severity.INFO),
                ("taskmanager.host", "10.0.0.8", Severity.WARNING),
                ("taskmanager.bind-host", "0.0.0.0", Severity.WARNING),
            )
        ),
        bad(
            "state.checkpoints.dir: /tmp/checkpoints\nstate.savepoints.dir: /var/flink/savepoints\n",
            flink="1.14",
            at="execution.checkpointing.savepoint-dir",
        ),
        bad(
            "fs.default-scheme: file:///\nstate.checkpoints.dir: /var/flink/checkpoints\n",
            flink="1.14",
            at="execution.checkpointing.dir",
        ),
        bad(
            "fs.default-scheme: hdfs://nn/\nstate.checkpoints.dir: /flink/checkpoints\n"
            "state.savepoints.dir: file:///var/flink/savepoints\n",
            flink="1.14",
            at="execution.checkpointing.savepoint-dir",
        ),
        bad(
            _COMPOSE.format("./outer:/\n      - ./data:/data", "./outer:/"),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="nothing deletes old state from ./outer",
        ),
        bad(
            _COMPOSE.format("./a:/a", "./b:/b"), file="docker-compose.yml", severity=Severity.WARNING, says="of its own"
        ),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: jobmanager\n"
            "    environment: &environment\n"
            "      FLINK_PROPERTIES: |\n"
            "        jobmanager.rpc.address: jobmanager\n"
            "        state.checkpoints.dir: file:///tmp/checkpoints\n"
            "    volumes:\n"
            "      - ./a:/a\n"
            "  taskmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: taskmanager\n"
            "    environment: *environment\n"
            "    volumes:\n"
            "      - ./b:/b\n",
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format("${VOLUME}", "./b:/b"), file="docker-compose.yml"),
        bad(
            _COMPOSE.format("./jobmanager-data:/data", "./taskmanager-data:/data"),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="./taskmanager-data",
        ),
        bad(
            _COMPOSE.format("./logs:/logs", "./taskmanager-data:/data"),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="no job starts from them once jobmanager is replaced",
        ),
        good(
            _COMPOSE.format("./a:/data", "./b:/data").replace("checkpoints", "savepoints"),
            file="docker-compose.yml",
        ),
        bad(
            _COMPOSE.format("checkpoints:/data/checkpoints", "checkpoints:/data/checkpoint"),
            profile="development",
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="taskmanager has nothing",
        ),
        bad(
            _COMPOSE.format("./a:/a", "./b:/b"),
            file="docker-compose.yml",
            profile="development",
            severity=Severity.INFO,
            says="of its own",
        ),
        bad(
            _COMPOSE.format("checkpoints:/data/checkpoint", "checkpoints:/data/checkpoint"),
            file="docker-compose.yml",
            says="differs by a letter or two",
        ),
        good(_COMPOSE.format("./data:/data", "./data/checkpoints:/data/checkpoints"), file="docker-compose.yml"),
        good(_COMPOSE.format("checkpoints:/data", "checkpoints:/data:rw"), file="docker-compose.yml"),
        good(_COMPOSE.format("${DATA}:/data", "${DATA}:/data"), file="docker-compose.yml"),
        good("state.checkpoints.dir: hdfs:///flink/checkpoints\nhigh-availability: zookeeper\n", flink="1.14"),
        good("state.checkpoints.dir: file:///tmp/checkpoints\n", flink="1.14"),
        good("job-result-store.storage-path: file:///var/flink/r\nhigh-availability: NONE\n", flink="1.16"),
        good("high-availability.storageDir: file:///var/flink/ha\nhigh-availability: zookeeper\n", flink="1.14"),
        good("state.checkpoints.dir: ${CHECKPOINTS}\njobmanager.rpc.address: jm-1\n", flink="1.14"),
        *cases_in_folders(__file__),
    ]
