"""A short loss of the ZooKeeper connection restarts every job.

## What it does
Reports ZooKeeper high availability, from 1.14 on, where nothing says whether suspended connections are tolerated. It
is advice; a warning where `high-availability.zookeeper.client.session-timeout` is set to 40 s or more, which
shows that somebody wants to ride out such losses.

## Why it matters
When the connection to its ZooKeeper server breaks, the client is *suspended* until it finds another server, which
takes a moment and costs no session. By default Flink takes that for a loss of leadership: it stops all jobs and
recovers them. A rolling restart of ZooKeeper thus restarts every job several times. The session timeout, however
long, does not help, because it only counts for *lost* connections.

## What to do
Set `high-availability.zookeeper.client.tolerate-suspended-connections: true`. Leadership is then given up when the
session is really lost.

## Not when
The option is set either way: `false` is a decision of those who would rather restart than ever have two leaders for
a moment. Before 1.14 the option does not exist.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-10052>: the option
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/zookeeper_ha/>:
  tolerating suspended connections
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, Threshold, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode

_TOLERATE = "high-availability.zookeeper.client.tolerate-suspended-connections"
_SESSION = "high-availability.zookeeper.client.session-timeout"


@rule(
    code="FLK408",
    severity=Severity.INFO,
    confidence=Confidence.HIGH,
    reads=["high-availability.type"],
    flink=">=1.14",
    of_scale=True,
    since="0.1",
    thresholds={"long": Threshold("40 s", "session that somebody set to ride out a loss of the connection")},
)
def zk_suspended_connections(config: View) -> Iterator[Finding]:
    """a short loss of the ZooKeeper connection restarts every job"""
    if mode(config) != ZOOKEEPER or config.is_set(_TOLERATE):
        return
    session = config.get(_SESSION)
    length = config.duration(_SESSION)
    if session.is_set and length is not None and length >= config.threshold("long"):
        yield session.finding(
            f"a session of {length} does not keep jobs running through a short loss of the ZooKeeper connection: a"
            " suspended connection already ends the leadership and restarts every job",
            help=f"set {_TOLERATE}: true",
            severity=Severity.WARNING,
        )
        return
    yield config.get("high-availability.type").finding(
        "when a ZooKeeper server restarts or the network hiccups, the suspended connection ends the leadership and"
        " every job restarts",
        help=f"set {_TOLERATE}: true (or false, if that is wanted)",
    )


_HA = "high-availability: zookeeper\n"


def cases() -> list[Case]:
    return [
        bad(_HA, at="high-availability.type", flink="1.14", severity=Severity.INFO),
        bad(f"{_HA}{_SESSION}: 120000\n", at=_SESSION, flink="1.18", severity=Severity.WARNING, says="2 min"),
        bad("high-availability.type: zookeeper\n", severity=Severity.INFO),
        good(_HA, flink="1.13"),
        good(f"{_HA}{_TOLERATE}: true\n", flink="1.18"),
        good(f"{_HA}{_TOLERATE}: false\n", flink="1.18"),
        good("high-availability: NONE\n", flink="1.18"),
        bad(f"{_HA}{_SESSION}: 40000\n", flink="1.18", severity=Severity.WARNING),
        bad(f"{_HA}{_SESSION}: 39999\n", flink="1.18", severity=Severity.INFO, at="high-availability.type"),
        bad(f"{_HA}{_SESSION}: ${{SESSION}}\n", flink="1.18", severity=Severity.INFO),
        bad(f"{_HA}{_SESSION}: 120000\n", flink="1.18", profile="development", severity=Severity.INFO),
    ]  # fmt: skip
