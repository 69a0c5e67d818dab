"""The ZooKeeper timeouts do not do what they seem to say.

## What it does
With ZooKeeper high availability it reports a session timeout below 10 s; a connection timeout above the session
timeout, as a suggestion; and a session timeout above what the server grants, read from a `zoo.cfg` beside the
configuration: `maxSessionTimeout`, or 20 times `tickTime` (2 s unless set, so 40 s).

## Why it matters
A session shorter than a garbage collection pause of the JobManager is lost in it, and every job restarts. A session
longer than the server grants is cut down without a word but a line in the log (`negotiated timeout = 40000`): the
protection one relies on is not there, not even for Flink's default of 60 s. Curator, through which Flink talks to
ZooKeeper, only warns if the connection timeout is the longer one.

## What to do
Keep `high-availability.zookeeper.client.session-timeout` at three times the longest pause of the JobManager or more,
and raise `maxSessionTimeout` in `zoo.cfg` with it.

## Not when
A `zoo.cfg` whose servers are not in `high-availability.zookeeper.quorum` (each Flink distribution ships one for
localhost) says nothing about the servers in use. The default session timeout against the server's limit is advice.

## Sources
- <https://github.com/apache/curator/blob/apache-curator-5.4.0/curator-client/src/main/java/org/apache/curator/CuratorZookeeperClient.java>:
  the warning
- <https://zookeeper.apache.org/doc/current/zookeeperAdmin.html>: maxSessionTimeout and its default
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#high-availability-zookeeper-client-session-timeout>:
  the timeouts and their defaults
"""

from collections.abc import Iterator

from flink_flint.linter.flink.values import MINUTE, Duration
from flink_flint.linter.model.rule import (
    Case,
    Confidence,
    Finding,
    Severity,
    Threshold,
    bad,
    cases_in_folders,
    good,
    rule,
)
from flink_flint.linter.model.view import View
from flink_flint.linter.text.ascii_numbers import whole
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode

_SESSION = "high-availability.zookeeper.client.session-timeout"
_CONNECTION = "high-availability.zookeeper.client.connection-timeout"
_QUORUM = "high-availability.zookeeper.quorum"
_MILLISECOND = 10**6
_DEFAULT = MINUTE


@rule(
    code="FLK410",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads=["high-availability.type", _SESSION, _CONNECTION],
    of_scale=True,
    flink=">=1.0",
    since="0.1",
    thresholds={"shortest": Threshold("10 s", "shortest session")},
)
def zk_session_timeout(config: View) -> Iterator[Finding]:
    """the ZooKeeper timeouts are too short, reversed, or above what the server grants"""
    session, connection = config.duration(_SESSION), config.duration(_CONNECTION)
    if mode(config) != ZOOKEEPER or session is None:
        return
    setting = config.get(_SESSION)
    shortest = config.threshold("shortest")
    if session < shortest:
        yield setting.finding(
            f"a ZooKeeper session of {session} is lost in one long garbage collection of the JobManager, and every job"
            " restarts",
            help="set it to three times the longest pause or more"
            + ("; the default is 60 s" if shortest <= _DEFAULT else f", and to {shortest} at least"),
        )
    if connection is not None and connection > session:
        other = config.get(_CONNECTION)
        yield (other if other.is_set else setting).finding(
            f"a connection timeout of {connection} is above the session of {session}: who waits for a connection"
            " waits for longer than the session lasts",
            help="keep the connection timeout well below the session timeout; the defaults are 15 s and 60 s",
            severity=Severity.INFO,
            related=[setting] if other.is_set else (),
        )
    granted = _granted(config)
    if granted is not None and session > granted:
        yield setting.finding(
            f"the ZooKeeper server grants sessions of {granted} at most (zoo.cfg), so the session of {session}"
            f"{'' if setting.is_set else ', the default,'} is cut down to that",
            help=f"set maxSessionTimeout={session // _MILLISECOND} in zoo.cfg, or a session timeout of {granted}",
            severity=None if setting.is_set else Severity.INFO,
        )


def _granted(config: View) -> Duration | None:
    """The longest session the server of the quorum grants; None where no `zoo.cfg` of it is known."""
    server = config.sibling_files.properties("zoo.cfg") if config.sibling_files is not None else None
    quorum = config.string(_QUORUM)
    if server is None or quorum is None:
        return None
    hosts = {value.split(":")[0] for key, value in server.items() if key.startswith("server.")} or {"localhost"}
    if hosts.isdisjoint(part.strip().split(":")[0] for part in quorum.partition("/")[0].split(",")):
        return None
    limit, tick = whole(server.get("maxSessionTimeout", "")), whole(server.get("tickTime", "2000"))
    if limit is not None:
        return Duration(limit * _MILLISECOND)
    if "maxSessionTimeout" in server:
        return None
    return None if tick is None else Duration(20 * tick * _MILLISECOND)


_HA = f"high-availability: zookeeper\n{_QUORUM}: zk1:2181,zk2:2181,zk3:2181\n"
_ZOO = "tickTime=2000\nserver.1=zk1:2888:3888\nserver.2=zk2:2888:3888\nserver.3=zk3:2888:3888\n"


def cases() -> list[Case]:
    return [
        bad(f"{_HA}{_SESSION}: 5000\n{_CONNECTION}: 3000\n", at=_SESSION, flink="1.14", says="session of 5 s"),
        bad(f"{_HA}{_CONNECTION}: 90000\n", at=_CONNECTION, flink="1.14", says="90 s", severity=Severity.INFO),
        good(_HA, flink="1.14", beside={"zoo.cfg": _ZOO + "maxSessionTimeout=60000\n"}),
        good(_HA, flink="1.14", beside={"zoo.cfg": "tickTime=2000\nserver.1=localhost:2888:3888\n"}),
        good(_HA, flink="1.14"),
        good(f"{_SESSION}: 5000\n", flink="1.14"),
        good(f"{_HA}{_SESSION}: 10000\n{_CONNECTION}: 5000\n", flink="1.14"),
        bad(
            f"{_HA}{_SESSION}: 9999\n{_CONNECTION}: 5000\n", flink="1.8", profile="development", severity=Severity.INFO
        ),
        bad(f"{_HA}{_SESSION}: 12000\n", at=_SESSION, flink="1.14", says="a connection timeout of 15 s is above"),
        good(f"{_HA}{_SESSION}: 20000\n{_CONNECTION}: 20000\n", flink="1.14"),
        good(f"{_HA}{_CONNECTION}: ${{CONNECTION}}\n", flink="1.14"),
        good(f"{_HA}{_SESSION}: ${{SESSION}}\n", flink="1.14"),
        *cases_in_folders(__file__),
    ]
