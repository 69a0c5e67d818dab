"""High availability keeps its data where the next JobManager does not find it.

## What it does
Reports, where `high-availability.type` is on, a `high-availability.storageDir` of the local file system. It is an error
under `/tmp`, and in containers (Docker Compose, workloads of Kubernetes, deployments of the operator) whose JobManager
has no lasting volume there, or not the same one as the JobManager beside it. Elsewhere it is a warning, because a
shared mount may be behind the path.

## Why it matters
ZooKeeper and the ConfigMaps hold pointers alone. The job graphs, the checkpoints' metadata and the jars are files
in this directory. A JobManager that takes over on another machine, or in a new pod, follows a pointer to a file that it
does not have: `FileNotFoundException`, no job is recovered, and the process ends and starts again for as long as the
pointers are there.

## What to do
Use an object store, HDFS, or a file system mounted at the same path wherever a JobManager may run.

## Not when
The JobManagers have one lasting volume at the path. Paths named like a shared mount (`/mnt`, `/nfs`, `pv`, `shared`,
...) are advice of low confidence. On a developer's machine the finding is advice.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what high availability stores
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/#configuration>:
  the files are in the storage directory, ZooKeeper has pointers to them
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/jobmanager/DefaultJobGraphStore.java>:
  `recoverJobGraph`: a pointer whose file cannot be read fails the recovery
"""

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.checkpoints._state_directories import (
    OF_HIGH_AVAILABILITY,
    LocalDirectory,
    holders,
    in_containers,
    local_directories,
    looks_mounted,
    on_volume_of_chart,
)

_POD_TEMPLATES = "kubernetes.pod-template-file"


@rule(
    code="FLK403",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[OF_HIGH_AVAILABILITY],
    scope="project",
    compares=[],
    flink=">=1.0",
    since="0.1",
)
def ha_dir_local(project: Project) -> Iterator[Finding]:
    """high availability keeps its data where the next JobManager does not find it"""
    for config in project.views:
        for directory in local_directories(config, [OF_HIGH_AVAILABILITY]):
            if config.elements("container"):
                yield from _in_containers(config, directory)
            elif (
                directory.setting.document is config.document
                and not _is_mounted(project, config)
                and on_volume_of_chart(config, directory) is False
            ):
                yield _on_machines(config, directory)


def _is_mounted(project: Project, config: View) -> bool:
    """Whether containers of the run have the file, so that their volumes tell."""
    return any(other.elements("container") for other in project.overriding(config))


def _severity(config: View, severity: Severity) -> Severity:
    return Severity.INFO if config.target.profile == "development" else severity


def _on_machines(config: View, directory: LocalDirectory) -> Finding:
    setting, location, what = directory
    if location.is_temporary:
        message = (
            f"{what} go to {location.path}, which reboots, new containers and cleaners empty: the pointers to them"
            " stay, and no job recovers"
        )
        severity, confidence = Severity.ERROR, Confidence.HIGH
    else:
        message = (
            f"{what} go to the local path {location.path}: unless that is a mount shared by all JobManagers, the one"
            " that takes over finds pointers to files it does not have"
        )
        mounted = looks_mounted(location.path)
        severity = Severity.INFO if mounted else Severity.WARNING
        confidence = Confidence.LOW if mounted else Confidence.MEDIUM
    return setting.finding(
        message,
        help="use an object store or HDFS, or a mount that every JobManager has",
        severity=_severity(config, severity),
        confidence=confidence,
        evidence={"directory": location.path},
    )


def _in_containers(config: View, directory: LocalDirectory) -> Iterator[Finding]:
    """What is wrong with the volumes of the JobManagers' containers."""
    setting, location, what = directory
    if all(process.role != "jobmanager" for process in in_containers(config)):
        return
    if config.platform == "operator" and (not config.document.whole or any(config.under(_POD_TEMPLATES))):
        return  # its pods are described elsewhere too
    places = holders(config, directory) or []
    lost = next((place for place in places if not place.survives_reboots), None)
    if lost is not None:
        where = "on a volume of the container's own" if lost.volume is not None else "in the container itself"
        if lost.is_lasting:
            where = f"in {lost.source} of its machine"
        message = (
            f"{what} go to {location.path}, which {lost.container.name} has {where}: the next JobManager finds pointers"
            " to files that are gone"
        )
    elif len({place.source for place in places}) > 1:
        first = places[0]
        other = next(place for place in places if place.source != first.source)
        message = (
            f"{what} go to {location.path}, where {first.container.name} has {first.name} and {other.container.name}"
            f" has {other.name}: the one that takes over finds pointers to files it does not have"
        )
    else:
        return
    yield setting.finding(
        message,
        help=f"mount the same lasting volume at {location.path} in all JobManagers, or use an object store",
        severity=_severity(config, Severity.ERROR),
        related=[p.volume.place("target", f"of {p.container.name}") for p in places if p.volume is not None],
        evidence={"directory": location.path},
    )


_STANDBY = """services:
  jobmanager-1:
    image: flink:1.18.1
    command: jobmanager
    environment: &environment
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        high-availability.type: zookeeper
        high-availability.zookeeper.quorum: zk:2181
        high-availability.storageDir: file:///flink/ha
    volumes:
      - {}
  jobmanager-2:
    image: flink:1.18.1
    command: jobmanager
    environment: *environment
    volumes:
      - {}
"""
_CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-config
data:
  flink-conf.yaml: |
    high-availability: kubernetes
    high-availability.storageDir: file:///data/ha
"""
_WORKLOAD = """---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: jobmanager
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18
          args: [jobmanager]
          volumeMounts:
            - {name: config, mountPath: /opt/flink/conf}
            - {name: data, mountPath: /data}
      volumes:
        - name: config
          configMap: {name: flink-config}
        - name: data
          %s
"""
_OPERATOR = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    high-availability.type: kubernetes
    high-availability.storageDir: file:///flink-data/ha
  jobManager:
    resource: {memory: 2g, cpu: 1}
"""
_POD = """  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          volumeMounts: [{name: data, mountPath: /flink-data}]
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: orders}
"""
_ZOOKEEPER = "high-availability: zookeeper\nhigh-availability.storageDir: %s\n"


def cases() -> list[Case]:
    return [
        bad(_ZOOKEEPER % "file:/var/tmp/ha", at="high-availability.storageDir", flink="1.14", severity=Severity.ERROR),
        bad(
            _ZOOKEEPER % "/var/lib/flink/ha",
            at="high-availability.storageDir",
            flink="1.14",
            severity=Severity.WARNING,
            says="finds pointers to files it does not have",
        ),
        bad(_ZOOKEEPER % "file:///opt/flink/pv/ha", flink="1.14", severity=Severity.INFO),
        bad(_ZOOKEEPER % "file:///tmp/ha", flink="1.18", profile="development", severity=Severity.INFO),
        bad(
            _STANDBY.format("./one:/flink", "./two:/flink"),
            file="docker-compose.yml",
            severity=Severity.ERROR,
            says="jobmanager-2 has ./two/ha",
        ),
        bad(
            _STANDBY.format("ha:/flink/ha", "ha:/flink/state"),
            file="docker-compose.yml",
            severity=Severity.ERROR,
            says="jobmanager-2 has in the container itself",
        ),
        bad(
            _CONFIG_MAP + _WORKLOAD % "emptyDir: {}",
            file="flink.yaml",
            severity=Severity.ERROR,
            says="jobmanager has on a volume of the container's own",
        ),
        bad(_OPERATOR, file="deployment.yaml", severity=Severity.ERROR, says="in the container itself"),
        good(_OPERATOR + _POD, file="deployment.yaml"),
        good(_CONFIG_MAP + _WORKLOAD % "persistentVolumeClaim: {claimName: flink}", file="flink.yaml"),
        good(_STANDBY.format("ha:/flink/ha", "ha:/flink/ha:rw"), file="docker-compose.yml"),
        good(_STANDBY.format("${HA}:/flink/ha", "${HA}:/flink/ha"), file="docker-compose.yml"),
        good(_ZOOKEEPER % "hdfs:///flink/ha", flink="1.14"),
        good("high-availability: NONE\nhigh-availability.storageDir: file:///tmp/ha\n", flink="1.14"),
        good("fs.default-scheme: hdfs://nn:8020/\n" + _ZOOKEEPER % "/flink/ha", flink="1.14"),
        good(_ZOOKEEPER % "file:///{{ storage }}", flink="1.14"),
        bad(
            _CONFIG_MAP + _WORKLOAD % "hostPath: {path: /tmp/flink}",
            file="flink.yaml",
            severity=Severity.ERROR,
            says="in /tmp/flink/ha of its machine",
        ),
        bad(_CONFIG_MAP + _WORKLOAD % "hostPath: {path: /var/tmp/flink}", file="flink.yaml", severity=Severity.ERROR),
        good(_CONFIG_MAP + _WORKLOAD % "hostPath: {path: /srv/flink}", file="flink.yaml"),
        bad(_ZOOKEEPER % "file:/var/tmp/ha", flink="1.8", severity=Severity.ERROR),
        *cases_in_folders(__file__),
    ]
