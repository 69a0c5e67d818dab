"""What other defaults do to a cluster, and what changed without an option for it.

Sources: the release notes of each minor
(<https://nightlies.apache.org/flink/flink-docs-release-1.19/release-notes/flink-1.19/> and its kin).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

EFFECTS: Mapping[str, str] = {
    "classloader.parent-first-patterns.default": "other packages than before come from Flink's own class path first",
    "env.log.max": "more rotated log files are kept: mind the disk",
    "execution.checkpointing.checkpoints-after-tasks-finish": (
        "checkpoints go on when some tasks have finished, and a job that ends waits for a last one"
    ),
    "execution.checkpointing.data-inline-threshold": (
        "larger pieces of state go into the metadata of a checkpoint: fewer small files, more heap on the JobManager"
    ),
    "execution.checkpointing.unaligned.forced": "unaligned checkpoints are off for jobs with iterations",
    "execution.batch.adaptive.auto-parallelism.avg-data-volume-per-task": (
        "batch jobs of the adaptive scheduler choose other parallelisms"
    ),
    "high-availability.zookeeper.path.execution-plans": (
        "jobs that ZooKeeper still holds under the old path are not found again: stop them with a savepoint first"
    ),
    "jobmanager.execution.failover-strategy": "a failure restarts the tasks that depend on each other, not all of them",
    "kubernetes.rest-service.exposed.type": "the REST service can no longer be reached from outside of the cluster",
    "kubernetes.transactional-operation.max-retries": (
        "an update of the ConfigMaps of high availability is tried more often before the process gives up"
    ),
    "metrics.reporter.<name>.interval": "reporters that push do so at this interval",
    "restart-strategy.exponential-delay.backoff-multiplier": "delays between restarts grow more slowly",
    "restart-strategy.exponential-delay.max-backoff": "restarts come more often in a lasting outage",
    "restart-strategy.fixed-delay.delay": "restarts wait a second, where they came at once",
    "security.ssl.algorithms": (
        "peers that only speak the old cipher suite (proxies, clients, other releases) cannot connect any more"
    ),
    "security.ssl.verify-hostname": "the names of hosts in certificates are no longer compared",
    "state.backend.rocksdb.checkpoint.transfer.thread.num": (
        "each operator moves files of checkpoints over more connections at once"
    ),
    "state.backend.rocksdb.timer-service.factory": "timers move from the heap into RocksDB: less heap, slower timers",
    "state.backend.rocksdb.ttl.compaction.filter.enabled": "compactions drop expired state",
    "taskmanager.network.batch-shuffle.compression.enabled": "batch shuffles are compressed: less disk, more CPU",
    "taskmanager.network.netty.transport": "epoll is used where the system has it",
    "taskmanager.network.sort-shuffle.min-buffers": "a batch shuffle wants more network buffers",
    "taskmanager.network.sort-shuffle.min-parallelism": "batch jobs of any parallelism use the sort shuffle",
    "taskmanager.memory.framework.off-heap.batch-shuffle.size": (
        "batch shuffles are read with more of the framework's off-heap memory"
    ),
    "taskmanager.memory.network.max": (
        "network memory follows its fraction beyond 1 GiB, and the heap of a large TaskManager shrinks by as much"
    ),
    "jobmanager.scheduler": "jobs are run by another scheduler",
    "table.generated-code.max-length": "generated methods of queries are split sooner",
}
"""Newest key of an option -> what its other default does."""

SAME = (
    # Unset meant this before, too.
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "resourcemanager.standalone.start-up-time",
    "state.backend.type",
)
"""Options whose default is new and whose effect is not."""

_SCHEDULERS = ("ng", "default")
"""Two names of one scheduler."""
_ROCKSDB = "state.backend.rocksdb."


def comes_to_the_same(key: str, before: object, after: object) -> bool:
    """Whether an option's other default changes nothing; `key` is its newest."""
    if key == "jobmanager.scheduler":
        return str(before).lower() in _SCHEDULERS and str(after).lower() in _SCHEDULERS
    if key.startswith(_ROCKSDB) and before is None:
        # What 1.15 began to name is what RocksDB takes by itself; its log alone is another one.
        return not key.startswith(f"{_ROCKSDB}log.")
    return key in SAME


class Habit(NamedTuple):
    """What a release does while an option is not set that has no default."""

    since: str
    """The minor that changed it."""
    key: str
    before: str
    after: str
    effect: str


HABITS = (
    Habit(
        "1.19",
        "restart-strategy.type",
        "fixed-delay",
        "exponential-delay",
        "with checkpoints, restarts wait from 1 s up to 1 min, growing by half each time, instead of 1 s always",
    ),
)
