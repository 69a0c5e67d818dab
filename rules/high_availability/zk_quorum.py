"""The list of ZooKeeper servers is not read as it is meant, or is no quorum.

## What it does
Reads `high-availability.zookeeper.quorum` as ZooKeeper's client does, where `high-availability.type` is `zookeeper`:

- an error for a port that is no number, for servers with a semicolon or a blank between them, and for a path behind
  any server but the last;
- a warning for a server on `localhost` in a container, and for one beside servers of other machines;
- advice for an even number of servers that are named one by one.

## Why it matters
The client takes commas alone. `zk1:2181;zk2:2181` is one server called `zk1:2181;zk2`, which nobody finds, and the
JobManager waits for a connection until it gives up. `zk1:2181/flink,zk2:2181` is the server zk1 and the path
`/flink,zk2:2181`. A port such as `2181x` is refused nowhere: the JobManager waits as it does for a server that is down.

ZooKeeper works as long as more than half of its servers do. The second and the fourth server of a quorum therefore
help nobody: two servers stand still as soon as one is gone.

## What to do
Write `zk1:2181,zk2:2181,zk3:2181`, with one path behind the last server where you need one. A port left out is 2181.

## Not when
A single name may be that of a service in front of several servers. Blanks around a comma do no harm.

## Sources
- <https://zookeeper.apache.org/doc/current/zookeeperProgrammers.html#ch_zkSessions>: the connection string and its path
- <https://zookeeper.apache.org/doc/current/zookeeperAdmin.html#sc_designing>: how many servers
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/>: the option
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode

_QUORUM = "high-availability.zookeeper.quorum"
_LOCAL = ("localhost", "127.0.0.1")
_IN_CONTAINERS = ("compose", "kubernetes", "operator", "yarn", "emr")
_RIGHT = "zk1:2181,zk2:2181,zk3:2181"


@rule(
    code="FLK407",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_QUORUM],
    flink=">=1.0",
    since="0.1",
)
def zk_quorum(config: View) -> Iterator[Finding]:
    """the list of ZooKeeper servers is not read as it is meant, or is no quorum"""
    setting = config.get(_QUORUM)
    text = config.string(_QUORUM)
    if text is None or mode(config) != ZOOKEEPER:
        return
    listed, _, path = text.partition("/")
    servers = [server.strip() for server in listed.split(",") if server.strip()]
    problem = _misread(servers, path)
    if problem is not None:
        yield setting.finding(
            f"{problem}: the JobManager finds no leader to elect",
            help=f"write it as {_RIGHT}",
            fix=_mended(setting, text),
        )
    else:
        yield from _no_quorum(config, setting, {server.rpartition(":")[0] or server for server in servers})


def _misread(servers: list[str], path: str) -> str | None:
    """What ZooKeeper's client makes of it that nobody meant."""
    if "," in path:
        return (
            f"ZooKeeper's client takes all behind the first slash for a path, /{path}, and so knows"
            f" {len(servers)} server{'s' * (len(servers) > 1)} only"
        )
    for server in servers:
        if any(mark in server for mark in "; \t"):
            return f"ZooKeeper's client takes {server} for one server, as only commas part them"
        if server.count(":") == 1 and not server.rpartition(":")[2].isdecimal():
            return f"the port of {server} is no number"
    return None


def _mended(setting: Setting, text: str) -> Fix | None:
    """The same servers with commas between them, where semicolons or blanks are all that is wrong."""
    servers = text.replace(";", " ").replace(",", " ").split()
    if "/" in text or not all(server.rpartition(":")[2].isdecimal() for server in servers):
        return None
    return setting.replace(",".join(servers))


def _no_quorum(config: View, setting: Setting, hosts: set[str]) -> Iterator[Finding]:
    local = next((host for host in _LOCAL if host in hosts), None)
    if local is not None and (config.platform in _IN_CONTAINERS or hosts.difference(_LOCAL)):
        where = "container" if config.platform in _IN_CONTAINERS else "machine"
        yield setting.finding(
            f"{local} is another {where} for each process, and no JobManager or TaskManager but one on it finds"
            " ZooKeeper there",
            help="write the name by which all of them reach the server",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )
    elif (count := len(hosts)) and count % 2 == 0:
        yield setting.finding(
            f"{count} ZooKeeper servers bear the loss of {count // 2 - 1}, as {count - 1} would",
            help="run three or five servers, and name all of them",
            severity=Severity.INFO,
            confidence=Confidence.LOW,
        )


_HA = f"high-availability.type: zookeeper\n{_QUORUM}: "


def cases() -> list[Case]:
    return [
        bad(
            f"{_HA}zk1:2181;zk2:2181;zk3:2181\n",
            at=_QUORUM,
            severity=Severity.ERROR,
            says="for one server",
            fixed=f'{_HA}"zk1:2181,zk2:2181,zk3:2181"\n',
        ),
        bad(f"{_HA}zk1:2181 zk2:2181\n", severity=Severity.ERROR, fixed=f'{_HA}"zk1:2181,zk2:2181"\n'),
        bad(
            f"{_HA}'zk1:2181, zk2:2181 zk3:2181'\n",
            severity=Severity.ERROR,
            says="zk2:2181 zk3:2181 for one server",
            fixed=f"{_HA}'zk1:2181,zk2:2181,zk3:2181'\n",
        ),
        bad(
            f"{_HA}zk1:2181;zk2/flink:2181\n",
            says="takes zk1:2181;zk2 for one",
            fixed=f"{_HA}zk1:2181;zk2/flink:2181\n",
        ),
        bad(f"{_HA}zk1;zk2:2181\n", fixed=f"{_HA}zk1;zk2:2181\n"),
        bad(
            f"{_HA}zk1:2181/flink,zk2:2181/flink\n",
            severity=Severity.ERROR,
            says="knows 1 server only",
            fixed=f"{_HA}zk1:2181/flink,zk2:2181/flink\n",
        ),
        bad(
            f"high-availability: zookeeper\n{_QUORUM}: 127.0.0.1:2181,zk2:2181\n", flink="1.4.2", says="another machine"
        ),
        bad(f"{_HA}zk1:2181,zk2:218i\n", says="the port of zk2:218i is no number"),
        bad(
            f"high-availability: zookeeper\n{_QUORUM}: zk1:,zk2:2181,zk3:2181\n", flink="1.14", says="the port of zk1:"
        ),
        bad(
            f"{_HA}zk1:2181,zk2:2181\n",
            severity=Severity.INFO,
            says="2 ZooKeeper servers bear the loss of 0, as 1 would",
        ),
        bad(f"{_HA}zk1,zk2,zk3,zk4/flink\n", severity=Severity.INFO),
        bad(
            f"{_HA}localhost:2181\nkubernetes.cluster-id: orders\n", severity=Severity.WARNING, says="another container"
        ),
        bad(f"{_HA}localhost:2181,zk2:2181,zk3:2181\n", severity=Severity.WARNING, says="another machine"),
        good(f"{_HA}zk1:2181,zk2:2181,zk3:2181/flink\n"),
        good(f"{_HA}zk1 , zk2:2181,,zk3:2181\n"),
        good(f"{_HA}zookeeper:2181\n"),
        good(f"{_HA}','\n"),
        good(f"{_HA}zk1:2181,zk1:2182\n"),
        good(f"{_HA}localhost:2181\n"),
        good(f'{_HA}"[2001:db8::1]:2181,[2001:db8::2]:2181,[2001:db8::3]"\n'),
        good(f"{_HA}${{ZK}}:2181;a\n"),
        good(f"{_QUORUM}: zk1:2181;zk2:2181\n"),
        good(f"high-availability.type: kubernetes\n{_QUORUM}: zk1:2181;zk2:2181\n"),
    ]
