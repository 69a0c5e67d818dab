"""The containers of JobManager and TaskManager have settings that do not fit together.

## What it does
Compares the JobManager of a Compose file, or of a folder of Kubernetes manifests, with the TaskManagers beside it, by
the settings on which both must agree: the address and port of the JobManager, high availability and where it is,
internal TLS, the largest message, and the endpoint of S3 where checkpoints go there.

## Why it matters
- A JobManager takes messages only under the very name it believes to have. Without `jobmanager.rpc.address` that is
  the id of its container; a TaskManager that says `jobmanager` is then dropped ("non-local recipient") and never
  registers.
- With high availability on one side, or another cluster id or root, the TaskManager looks for the leader in a place
  where none is.
- With TLS on one side neither understands the other; above the smaller frame size messages are dropped.
- TaskManagers write checkpoints themselves, and need the endpoint of the store as the JobManager does.

## What to do
Give both the same text: one YAML anchor, one ConfigMap.

## Not when
The configuration is mounted or comes with the image, or the file is a template, and only one side sets more. There are
several JobManagers in the file.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/standalone/docker/#flink-with-docker-compose>:
  one text of properties for both
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: the address without the variable
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/#configuration>: the cluster id
"""

from collections.abc import Iterator
from typing import Any

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.high_availability._mode import KUBERNETES, NONE, UNKNOWN, ZOOKEEPER, mode
from flink_flint.rules.settings._clusters import ADDRESS_KEY, Pair, is_told_its_host, names_address, pairs

_HA = "high-availability.type"
_OF_HA = {
    ZOOKEEPER: (
        "high-availability.zookeeper.quorum",
        "high-availability.zookeeper.path.root",
        "high-availability.cluster-id",
    ),
    KUBERNETES: ("kubernetes.cluster-id",),
}
_TLS = "security.ssl.internal.enabled"
_FRAME = "pekko.framesize"
_ENDPOINT = "s3.endpoint"
_CHECKPOINTS = "execution.checkpointing.dir"
_HOST = regex(r"[\w.:\[\]-]{1,255}")


@rule(
    code="FLK033",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    scope="project",
    compares=["folder"],
    since="0.1",
)
def jobmanager_and_taskmanager_differ(project: Project) -> Iterator[Finding]:
    """JobManager and TaskManager have settings that do not fit together"""
    for pair in pairs(project):
        yield from _judge(pair)


def _judge(pair: Pair) -> Iterator[Finding]:
    modes = {mode(pair.jobmanager), mode(pair.taskmanager)}
    if UNKNOWN not in modes and len(modes) > 1:
        if pair.is_whole:
            yield _finding(pair, _HA, f"{pair.worker.name} looks for the leader where there is none")
    elif modes == {NONE}:
        yield from _address(pair)
        if _differ(pair, "jobmanager.rpc.port"):
            yield _finding(pair, "jobmanager.rpc.port", f"{pair.worker.name} never registers")
    else:
        for key in _OF_HA.get(next(iter(modes)), ()):
            if _differ(pair, key):
                yield _finding(pair, key, f"{pair.worker.name} looks for the leader where there is none")
    if _differ(pair, _TLS):
        yield _finding(pair, _TLS, "neither understands the other")
    if _differ(pair, _FRAME):
        yield _finding(pair, _FRAME, "messages above the smaller size are dropped", severity=Severity.WARNING)
    checkpoints = pair.jobmanager.get(_CHECKPOINTS).text or pair.taskmanager.get(_CHECKPOINTS).text
    if checkpoints.startswith("s3") and _differ(pair, _ENDPOINT):
        why = f"checkpoints go to {checkpoints}, and each writes them at another place"
        yield _finding(pair, _ENDPOINT, why, severity=Severity.WARNING)


def _address(pair: Pair) -> Iterator[Finding]:
    """Whether the TaskManager calls the JobManager by the name that this believes to have."""
    ours, theirs = pair.jobmanager.get(ADDRESS_KEY), pair.taskmanager.get(ADDRESS_KEY)
    if not theirs.is_set or not theirs.is_known or is_told_its_host(pair.leader):
        return
    if _HOST.fullmatch(theirs.text.strip()) is None:
        return  # whatever else went wrong with the line, this is no address
    if ours.is_set:
        if _differ(pair, ADDRESS_KEY):
            yield _finding(pair, ADDRESS_KEY, f"the JobManager drops what is meant for {theirs.text}")
        return
    if pair.jobmanager.platform != "compose" or not pair.is_whole or names_address(pair.leader):
        return
    if pair.leader.has("hostname") or pair.leader.has("network"):
        return
    yield pair.leader.finding(
        f"{pair.leader.name} has no {ADDRESS_KEY} and takes the id of its container for it; {pair.worker.name} calls it"
        f" {theirs.text}, is dropped and never registers",
        key=ADDRESS_KEY,
        help=f"set {ADDRESS_KEY}: {theirs.text} for the JobManager too",
        related=[theirs],
    )


def _setting(config: View, key: str) -> Setting:
    """The setting of an option, or of a key that is no option of Flink's own but handed on to a file system."""
    return config.written(key) if key == _ENDPOINT and key in config.effective else config.get(key)


def _value(config: View, key: str) -> Any:
    """The value in force; the text where the catalogue has no type for it."""
    setting = _setting(config, key)
    if key == "high-availability.zookeeper.quorum":
        return frozenset(part.strip() for part in setting.text.split(","))
    return config.value(key) if setting.option is not None else setting.text


def _differ(pair: Pair, key: str) -> bool:
    first, second = _setting(pair.jobmanager, key), _setting(pair.taskmanager, key)
    if not (first.is_known and second.is_known):
        return False
    if first.error or second.error or ((not first.is_set or not second.is_set) and not pair.is_whole):
        return False
    return bool(_value(pair.jobmanager, key) != _value(pair.taskmanager, key))


def _told(setting: Setting, config: View) -> str:
    if setting.is_set:
        return setting.text
    value = config.value(setting.key)
    return "none" if value is None else f"{value} by default"


def _finding(pair: Pair, key: str, effect: str, *, severity: Severity | None = None) -> Finding:
    ours, theirs = _setting(pair.jobmanager, key), _setting(pair.taskmanager, key)
    at, other = (theirs, ours) if theirs.is_set else (ours, theirs)
    return at.finding(
        f"{pair.leader.name} has {key} {_told(ours, pair.jobmanager)}, {pair.worker.name}"
        f" {_told(theirs, pair.taskmanager)}: {effect}",
        help="give both the same settings, by one YAML anchor or ConfigMap",
        severity=severity,
        related=[other],
    )


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        {}
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment:
      FLINK_PROPERTIES: |
        {}
"""
_LINES = "jobmanager.rpc.address: jobmanager\n        "
_ZOOKEEPER = "high-availability.type: zookeeper\n        high-availability.cluster-id: "


def _compose(jobmanager: str, taskmanager: str, *, address: str = _LINES) -> str:
    return _COMPOSE.format(address + jobmanager, _LINES + taskmanager)


_SLOTS = "taskmanager.numberOfTaskSlots: 2"
_MEMORY = "jobmanager.memory.process.size: 2g"
_S3 = "state.checkpoints.dir: s3://b/c\n        "

_KUBERNETES = "high-availability.type: kubernetes\n        kubernetes.cluster-id: "


def _quorum(hosts: str) -> str:
    return f"{_ZOOKEEPER}/a\n        high-availability.zookeeper.quorum: {hosts}"


def cases() -> list[Case]:
    return [
        good(
            _COMPOSE.format(_LINES, "jobmanager.rpc.address: jobmanager; taskmanager.numberOfTaskSlots: 4"),
            file="docker-compose.yml",
        ),
        bad(
            _compose(_MEMORY, _SLOTS, address=""),
            file="docker-compose.yml",
            severity=Severity.ERROR,
            at="jobmanager",
            says="jobmanager has no jobmanager.rpc.address and takes the id of its container",
        ),
        bad(
            _compose(_MEMORY, _SLOTS, address="jobmanager.rpc.address: leader\n        "),
            file="docker-compose.yml",
            says="drops what is meant for jobmanager",
            at=ADDRESS_KEY,
        ),
        bad(
            _compose("akka.framesize: 20971520b", _SLOTS),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            says="messages above the smaller size are dropped",
        ),
        bad(
            _compose(_ZOOKEEPER + "/a", _SLOTS),
            file="docker-compose.yml",
            at=_HA,
            says="taskmanager looks for the leader where there is none",
        ),
        bad(
            _compose(_ZOOKEEPER + "/a", _ZOOKEEPER + "/b"), file="docker-compose.yml", at="high-availability.cluster-id"
        ),
        bad(
            _compose("security.ssl.internal.enabled: true", _SLOTS),
            file="docker-compose.yml",
            says="neither understands the other",
        ),
        bad(
            _compose(_S3 + "s3.endpoint: http://minio:9000", _S3 + _SLOTS),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            at=_ENDPOINT,
        ),
        good(_compose(_MEMORY, _SLOTS), file="docker-compose.yml"),
        good(_compose("akka.framesize: 20971520b", "akka.framesize: 20971520b"), file="docker-compose.yml"),
        good(_compose("akka.framesize: 10485760b", _SLOTS), file="docker-compose.yml"),
        good(_compose(_ZOOKEEPER + "/a", _ZOOKEEPER + "/a", address=""), file="docker-compose.yml"),
        good(_compose("akka.framesize: ${FRAME}", _SLOTS), file="docker-compose.yml"),
        bad(
            _compose(_quorum("a:2181, b:2181"), _quorum("a:2181")),
            file="docker-compose.yml",
            at="high-availability.zookeeper.quorum",
        ),
        good(_compose(_quorum("a:2181, b:2181"), _quorum("b:2181,a:2181")), file="docker-compose.yml"),
        bad(
            _compose(_ZOOKEEPER + "/a\n        high-availability.zookeeper.path.root: /b", _ZOOKEEPER + "/a"),
            file="docker-compose.yml",
            at="high-availability.zookeeper.path.root",
        ),
        bad(_compose(_KUBERNETES + "a", _KUBERNETES + "b"), file="docker-compose.yml", at="kubernetes.cluster-id"),
        good(_compose("high-availability.type: ${HA}", _SLOTS), file="docker-compose.yml"),
        bad(_compose("jobmanager.rpc.port: 6124", _SLOTS), file="docker-compose.yml", at="jobmanager.rpc.port"),
        bad(_compose(_S3 + "s3.endpoint: http://a", "s3.endpoint: http://b"), file="docker-compose.yml", at=_ENDPOINT),
        bad(_compose("s3.endpoint: http://a", _S3 + "s3.endpoint: http://b"), file="docker-compose.yml", at=_ENDPOINT),
        good(_compose("s3.endpoint: http://a", "s3.endpoint: http://b"), file="docker-compose.yml"),
        good(_compose(_S3 + "s3.endpoint: http://a", _S3 + "s3.endpoint: http://a"), file="docker-compose.yml"),
        bad(_compose("akka.framesize: 20971520b", _SLOTS), file="docker-compose.yml", at="20971520b"),
        bad(_compose(_MEMORY, "akka.framesize: 20971520b"), file="docker-compose.yml", at="20971520b"),
        good(_compose(_SLOTS, "akka.framesize: ${FRAME}"), file="docker-compose.yml"),
        good(_compose(_SLOTS, "security.ssl.internal.enabled: maybe"), file="docker-compose.yml"),
        good(_compose("security.ssl.internal.enabled: maybe", _SLOTS), file="docker-compose.yml"),
        # What the JobManager's container is called, for those who do not set the address for it.
        good(_COMPOSE.format(_MEMORY, _SLOTS), file="docker-compose.yml"),
        good(_COMPOSE.format(_MEMORY, "jobmanager.rpc.address: ${ADDRESS}"), file="docker-compose.yml"),
        good(_compose("${MORE}: 1", _SLOTS, address=""), file="docker-compose.yml"),
        good(_compose("{{ properties }}", _SLOTS, address=""), file="docker-compose.yml"),
        *cases_in_folders(__file__),
    ]
