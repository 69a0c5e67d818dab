"""The ZooKeeper server is too old for the client in Flink.

## What it does
Reports, for Flink 1.15 and later, an image of ZooKeeper before 3.5 in the Docker Compose file of a cluster whose
`high-availability.zookeeper.quorum` names that service.

## Why it matters
Flink 1.15 brought a client (ZooKeeper 3.5 or later, Curator 5) that no longer supports 3.4. It makes nodes of kinds
that an old server does not know, so that the JobManager elects no leader and ends.

## What to do
Run ZooKeeper 3.5 or later; 3.4 has had no fixes since 2020. Servers of 3.5 and later serve older clients, too, so they
can go first.

## Not when
The quorum is elsewhere, or the tag tells no version. An image of another vendor may have a version of its own: only
repositories called `zookeeper` are looked at.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.15/release-notes/flink-1.15/#drop-support-for-zookeeper-34>:
  the end of support
- <https://issues.apache.org/jira/browse/FLINK-25146>: the change
- <https://zookeeper.apache.org/releases.html>: the last release of 3.4
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode

_QUORUM = "high-availability.zookeeper.quorum"
_OLD = regex(r"(?:.*/)?zookeeper:v?([0-2]\.\d+|3\.[0-4])(?![\d])[\w.-]*")


@rule(
    code="FLK413",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=[_QUORUM],
    only=["element:service"],
    flink=">=1.15",
    since="0.1",
)
def zk_server_too_old(config: View) -> Iterator[Finding]:
    """the ZooKeeper server is too old for the client in Flink"""
    quorum = config.string(_QUORUM)
    if quorum is None or mode(config) != ZOOKEEPER:
        return
    hosts = {server.strip().split(":")[0] for server in quorum.partition("/")[0].split(",")}
    for service in config.elements("service"):
        old = _OLD.fullmatch(service.text("image") or "")
        if old is not None and not hosts.isdisjoint(_names(service)):
            yield service.finding(
                f"{service.name} is ZooKeeper {old[1]}, which Flink's client no longer supports from 1.15 on: the"
                " JobManager elects no leader",
                of="image",
                help="run ZooKeeper 3.5 or later",
                related=[config.get(_QUORUM)],
            )


def _names(service: ElementView) -> set[str]:
    return {service.name, service.text("hostname") or service.name}


def _file(image: str = "zookeeper:3.4.14", *, flink: str = "1.18", more: str = "", quorum: str = "zk:2181") -> str:
    return (
        f"services:\n  zk:\n    image: {image}\n{more}"
        f"  jobmanager:\n    image: flink:{flink}\n    command: jobmanager\n    environment:\n"
        "      FLINK_PROPERTIES: |\n        high-availability: zookeeper\n        high-availability.storageDir: s3://b/ha\n"
        f"        {_QUORUM}: {quorum}\n"
    )


_NAME = "docker-compose.yml"
_HOST = "    hostname: zookeeper\n"


def cases() -> list[Case]:
    return [
        bad(_file(), file=_NAME, at="zookeeper:3.4.14", severity=Severity.ERROR, says="zk is ZooKeeper 3.4"),
        bad(_file("zookeeper:3.4", flink="1.15.2"), file=_NAME, at="zookeeper:3.4"),
        bad(_file("'registry:5000/bitnami/zookeeper:3.4.13-r7'", more=_HOST, quorum="'a:1, zookeeper:2181/flink'"),
            file=_NAME, at="zk.image"),
        good(_file(flink="1.14"), file=_NAME),
        good(_file("zookeeper:3.5.9"), file=_NAME),
        good(_file("zookeeper:3.40"), file=_NAME),
        good(_file("zookeeper"), file=_NAME),
        good(_file("confluentinc/cp-zookeeper:3.4.0"), file=_NAME),
        good(_file("zookeeper:${ZK}"), file=_NAME),
        good(_file(quorum="zk.example.com:2181"), file=_NAME),
        good(
            "services:\n"
            "  zk:\n"
            "    image: zookeeper:3.4.14\n"
            "  jobmanager:\n"
            "    image: flink:1.18\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        high-availability: none\n"
            "        high-availability.storageDir: s3://b/ha\n"
            "        high-availability.zookeeper.quorum: zk:2181\n",
            file=_NAME,
        ),
    ]  # fmt: skip
