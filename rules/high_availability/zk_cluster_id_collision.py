"""Two clusters share one place in ZooKeeper.

## What it does
Compares the configurations of a run that are in different directories and use ZooKeeper high availability: same
quorum, same `high-availability.zookeeper.path.root`, and the same `high-availability.cluster-id` (or none, which is
`/default`). It is an error where their `high-availability.storageDir` differ: be they two clusters or one, that is
wrong. It is a warning where the storage is the same but the checkpoint or savepoint directories differ, or the
`masters` beside them have no host in common.

## Why it matters
All JobManagers below one node of ZooKeeper elect one leader. The TaskManagers of both clusters then register with it,
it recovers the jobs of both, and shutting one cluster down deletes what the other needs.

## What to do
Give every cluster its own `high-availability.cluster-id`.

## Not when
Configurations that differ in none of these ways may be copies for the machines of one cluster. YARN and Kubernetes
generate the cluster id where none is set. Values that a template fills in are unknown. A ZooKeeper on `localhost` is
another one on each machine; a host without a domain (`zookeeper`, as every example calls it) may be, so that this is a
warning of low confidence.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/>: cluster id and root
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#high-availability-cluster-id>:
  the default
"""

from collections import defaultdict
from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode

_QUORUM = "high-availability.zookeeper.quorum"
_ROOT = "high-availability.zookeeper.path.root"
_ID = "high-availability.cluster-id"
_STORAGE = "high-availability.storageDir"
_LOOPBACK = ("localhost", "[::1]", "")
_OWN = ("execution.checkpointing.dir", "execution.checkpointing.savepoint-dir")


@rule(
    code="FLK411",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=["high-availability.type"],
    scope="project",
    compares=[([_QUORUM], [_QUORUM])],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def zk_cluster_id_collision(project: Project) -> Iterator[Finding]:
    """two clusters share one place in ZooKeeper"""
    places: dict[tuple[frozenset[str], str, str], list[View]] = defaultdict(list)
    for config in project.views:
        place = _place(config)
        if place is not None:
            places[place].append(config)
    for (servers, root, cluster), views in places.items():
        kinds: dict[object, View] = {}  # copies for the machines of one cluster need no comparing
        for config in views:
            for other in kinds.values():
                if other.document.directory == config.document.directory:
                    continue
                severity, why = _difference(config, other)
                if severity is None:
                    continue
                if not _is_one_place(servers):
                    severity = Severity.WARNING
                setting = config.get(_ID)
                setting = setting if setting.is_set else config.get("high-availability.type")
                where = f"{root.rstrip('/')}/{cluster.lstrip('/')}"
                related = other.get(_ID)
                yield setting.finding(
                    f"this cluster and that of {other.document.path} share {where} in one ZooKeeper although {why}:"
                    " they elect one leader and recover each other's jobs",
                    help=f"give each cluster a {_ID} of its own",
                    severity=severity,
                    confidence=None if _is_one_place(servers) else Confidence.LOW,
                    related=[related if related.is_set else other.get("high-availability.type")],
                )
                break
            kinds.setdefault((*(_directory(config, key) for key in (_STORAGE, *_OWN)), _masters(config)), config)


def _place(config: View) -> tuple[frozenset[str], str, str] | None:
    """Quorum, root and cluster id; None without ZooKeeper, or where they are not known."""
    if mode(config) != ZOOKEEPER or not all(map(config.is_known, (_QUORUM, _ROOT, _ID))):
        return None
    quorum = config.string(_QUORUM)
    if quorum is None or (not config.is_set(_ID) and config.is_in_containers):
        return None
    servers = frozenset(part.strip().lower() for part in quorum.split(",") if part.strip())
    if any(_host(server) in _LOOPBACK or _host(server).startswith("127.") for server in servers):
        return None
    return servers, config.string(_ROOT) or "", (config.string(_ID) or "").strip("/")


def _host(server: str) -> str:
    return server.rpartition(":")[0] or server


def _is_one_place(servers: frozenset[str]) -> bool:
    """Whether the servers are the same for all who name them: a name without a domain is one of its network alone."""
    return all("." in _host(server) for server in servers)


def _difference(one: View, other: View) -> tuple[Severity | None, str]:
    """What shows that two configurations are not copies for one cluster, and how bad it is."""
    first, second = _directory(one, _STORAGE), _directory(other, _STORAGE)
    if first is None or second is None:
        return None, ""
    if first != second:
        return Severity.ERROR, f"their {_STORAGE} differ"
    for key in _OWN:
        first, second = _directory(one, key), _directory(other, key)
        if first is not None and second is not None and first != second:
            return Severity.WARNING, f"their {key} differ"
    if _masters(one) and _masters(other) and _masters(one).isdisjoint(_masters(other)):
        return Severity.WARNING, "they have different masters"
    return None, ""


def _directory(config: View, key: str) -> str | None:
    value = config.string(key)
    return None if value is None else value.rstrip("/")


def _masters(config: View) -> frozenset[str]:
    return frozenset(host.split(":")[0].lower() for host in config.hosts("masters"))


_HA = f"high-availability: zookeeper\n{_QUORUM}: zk1.example.com:2181,zk2.example.com:2181\n"
_A = f"{_HA}{_STORAGE}: s3://bucket/a\n"
_B = f"{_HA}{_STORAGE}: s3://bucket/b\n"


def cases() -> list[Case]:
    return [
        bad(_B, file="b/flink-conf.yaml", flink="1.14", beside={"a/flink-conf.yaml": _A}, severity=Severity.ERROR),
        bad(
            f"{_B}{_ID}: /orders\n",
            file="b/flink-conf.yaml",
            flink="1.14",
            beside={"a/flink-conf.yaml": f"{_A}high-availability.zookeeper.path.namespace: orders\n"},
            at=_ID,
        ),
        good(
            "high-availability: zookeeper\n"
            "high-availability.zookeeper.quorum: localhost:2181,zk2.example.com:2181\n"
            "high-availability.storageDir: s3://bucket/b\n",
            file="b/flink-conf.yaml",
            flink="1.14",
            beside={
                "a/flink-conf.yaml": (
                    "high-availability: zookeeper\n"
                    "high-availability.zookeeper.quorum: localhost:2181,zk2.example.com:2181\n"
                    "high-availability.storageDir: s3://bucket/a\n"
                )
            },
        ),
        good(_A, file="b/flink-conf.yaml", flink="1.14", beside={"a/flink-conf.yaml": _A}),
        *cases_in_folders(__file__),
    ]
