"""A cancelled job comes back when the leadership moves.

## What it does
Reports ZooKeeper high availability on a release that does not remove the graphs of finished jobs reliably: all up to
1.4, 1.5.0 to 1.5.3, 1.6.0. It is an error where the file `masters` beside the configuration names two or more
JobManagers, a warning where a container starts one that takes jobs, else a suggestion: who runs one job in a cluster of
its own (`standalone-job.sh`, YARN per job) keeps no graphs in ZooKeeper from 1.5 on.

## Why it matters
A JobManager that lost and regained its ZooKeeper connection no longer removes the graph of a job that is cancelled
or finishes under it. The next change of leadership finds the old graph and starts that job again, without a
checkpoint, beside the running one: it takes slots away from it, writes to the same sinks, and both restart in circles.

## What to do
Upgrade to a release with the fix (1.5.4, 1.6.1, 1.7 or newer). Until then look at the nodes below `jobgraphs` in
ZooKeeper after each cancellation, and delete those of jobs that are gone.

## Sources
- <https://issues.apache.org/jira/browse/FLINK-10011>: an old job resurrected during a failover
- <https://github.com/apache/flink/pull/6587>: the fix
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.high_availability._mode import ZOOKEEPER, mode


@rule(
    code="FLK409",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    reads=["high-availability.type"],
    flink="<1.7",
    of_scale=True,
    since="0.1",
)
def zk_old_job_resurrected(config: View) -> Iterator[Finding]:
    """this release brings cancelled jobs back when the leadership moves"""
    fixed = config.since("1.6.1") or (config.since("1.5.4") and not config.since("1.6"))
    if fixed or mode(config) != ZOOKEEPER:
        return
    several = len(set(config.hosts("masters"))) > 1
    takes_jobs = any(part.text("args[0]") in _SESSIONS for part in config.elements("container"))
    yield config.get("high-availability.type").finding(
        f"{config.releases_text} leaves graphs of ended jobs of a session in ZooKeeper: when the leadership moves, an"
        " old job starts again beside the running one",
        help="upgrade to 1.7 or newer (1.5.4 and 1.6.1 have the fix too); until then delete the nodes of ended jobs"
        " below jobgraphs",
        severity=None if several else Severity.WARNING if takes_jobs else Severity.INFO,
    )


_SESSIONS = ("jobmanager", "jobmanager.sh", "cluster")
_HA = "high-availability: zookeeper\n"


_COMPOSE = """services:
  jobmanager:
    image: flink:1.6.0
    command: {}
    environment:
      FLINK_PROPERTIES: |
        high-availability: zookeeper
"""


def cases() -> list[Case]:
    return [
        bad(
            _HA,
            at="high-availability.type",
            flink="1.4.2",
            severity=Severity.ERROR,
            beside={"masters": "jm1:8081\njm2:8081\n"},
        ),
        bad(_HA, flink="1.5.3", severity=Severity.INFO),
        bad(_HA, flink="1.6.0", severity=Severity.INFO),
        bad(_COMPOSE.format("jobmanager"), file="docker-compose.yml", severity=Severity.WARNING),
        bad(_COMPOSE.format("standalone-job"), file="docker-compose.yml", severity=Severity.INFO),
        good(_HA, flink="1.5.4"),
        good(_HA, flink="1.6"),
        good(_HA, flink="1.9"),
        good("high-availability: NONE\n", flink="1.4.2"),
    ]  # fmt: skip
