"""What a job recovers from is stored on the disk of one machine.

## What it does
Reports a directory of checkpoints, savepoints, high availability or job results that is a path of the local file
system outside `/tmp`. It is a warning where the configuration says that the processes do not share one disk: YARN,
EMR or Kubernetes, high availability, more than one host in `workers`, a `jobmanager.rpc.address` other than
localhost. Where nothing says so it is advice.

## Why it matters
TaskManagers write the state, the JobManager writes the `_metadata` file, and after a failure any machine reads both.
With a disk for each, the parts of one checkpoint lie on different machines: the checkpoint counts as complete, and
recovery fails with `FileNotFoundException`. With high availability a standby JobManager finds nothing at all.

## What to do
Use an object store, HDFS, or a file system mounted at the same path on every machine (NFS, EFS, a ReadWriteMany
volume).

## Not when
A shared mount cannot be told from a local disk by its path. Paths named like one (`/mnt`, `/nfs`, `/efs`, `pv`,
`shared`, ...) are therefore advice of low confidence; for others, suppress the finding where the mount is shared.
Paths under `/tmp` are the business of `state-dir-in-tmp`.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/#execution-checkpointing-dir>:
  every TaskManager and JobManager must reach the directory
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: what high availability stores
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, bad, good, rule
from linter.view import View
from rules.checkpoints._state_directories import READS, local_directories, looks_mounted, several_machines


@rule(
    code="FLK315",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    reads=READS,
    of_scale=True,
    flink=">=1.0",
    since="0.1",
)
def state_dir_on_local_disk(config: View) -> Iterator[Finding]:
    """checkpoints, savepoints or high-availability data are on a local disk"""
    found = [directory for directory in local_directories(config) if not directory.location.is_temporary]
    if not found:
        return
    reason = several_machines(config)
    for setting, location, what in found:
        mounted = looks_mounted(location.path)
        because = f", and {reason}" if reason else ""
        yield setting.finding(
            f"{what} go to the local path {location.path}{because}: unless that is a mount shared by all machines,"
            " one cannot read what another wrote and recovery fails",
            help="use an object store or HDFS, or make sure that the path is the same shared mount everywhere",
            severity=None if reason and not mounted else Severity.INFO,
            confidence=Confidence.LOW if mounted or not reason else None,
            evidence={"directory": location.path},
        )


CASES = [
    bad(
        "high-availability: zookeeper\nstate.checkpoints.dir: file:///var/lib/flink/checkpoints\n",
        at="execution.checkpointing.dir", flink="1.18", severity=Severity.WARNING,
    ),
    bad(
        "high-availability.type: kubernetes\nhigh-availability.storageDir: file:///flink-data/ha\n",
        at="high-availability.storageDir", severity=Severity.WARNING,
    ),
    bad(
        "jobmanager.rpc.address: jm-1\nstate.savepoints.dir: /var/flink/savepoints\n",
        at="execution.checkpointing.savepoint-dir", flink="1.14", severity=Severity.WARNING, says="jm-1",
    ),
    bad(
        "state.checkpoints.dir: file:///var/flink/checkpoints\n", flink="1.14", severity=Severity.WARNING,
        beside={"workers": "worker-1\nworker-2\n"}, says="2 worker machines",
    ),
    bad(
        "jobmanager.rpc.address: jm-1\nstate.checkpoints.dir: file:///opt/flink/pv/checkpoints\n",
        flink="1.11", severity=Severity.INFO,
    ),
    bad("state.checkpoints.dir: file:///var/flink/checkpoints\n", flink="1.14", severity=Severity.INFO),
    good("state.checkpoints.dir: hdfs:///flink/checkpoints\nhigh-availability: zookeeper\n", flink="1.14"),
    good("state.checkpoints.dir: file:///tmp/checkpoints\n", flink="1.14"),
    good("high-availability.storageDir: file:///var/flink/ha\nhigh-availability: NONE\n", flink="1.14"),
    good("state.checkpoints.dir: ${CHECKPOINTS}\njobmanager.rpc.address: jm-1\n", flink="1.14"),
]  # fmt: skip
