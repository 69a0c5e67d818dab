"""The effects of changed defaults on a cluster, and changes in behavior when an option without a default is unset.

Sources: the release notes of each minor release
(<https://nightlies.apache.org/flink/flink-docs-release-1.19/release-notes/flink-1.19/> and so on).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from flink_flint.linter.flink.configuration import BadValue, Configuration, typed_default
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.release_differences import Changed, means_the_same
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.values import MAX_LONG, text_of
from flink_flint.linter.text.named_tuple import NamedTuple

EFFECTS: Mapping[str, str] = {
    "classloader.parent-first-patterns.default": "different packages are loaded from Flink's own class path first",
    "env.log.max": "more rotated log files are kept and need more disk space",
    "execution.checkpointing.checkpoints-after-tasks-finish": (
        "checkpoints continue after some tasks have finished, and a job that ends waits for a final one"
    ),
    "execution.checkpointing.data-inline-threshold": (
        "larger state chunks are stored in the checkpoint metadata: fewer small files, more heap on the JobManager"
    ),
    "execution.checkpointing.unaligned.forced": "unaligned checkpoints are off for jobs with iterations",
    "execution.batch.adaptive.auto-parallelism.avg-data-volume-per-task": (
        "batch jobs of the adaptive scheduler get a different parallelism"
    ),
    "high-availability.zookeeper.path.execution-plans": (
        "jobs that ZooKeeper still stores under the old path are not recovered: stop them with a savepoint first"
    ),
    "jobmanager.execution.failover-strategy": "a failure restarts the tasks that depend on each other, not all of them",
    "kubernetes.rest-service.exposed.type": "the REST service can no longer be reached from outside of the cluster",
    "kubernetes.transactional-operation.max-retries": (
        "updates of the high-availability ConfigMaps are retried more often before the process gives up"
    ),
    "metrics.reporter.<name>.interval": "reporters that push metrics do so at this interval",
    "restart-strategy.exponential-delay.backoff-multiplier": "delays between restarts grow more slowly",
    "restart-strategy.exponential-delay.max-backoff": "restarts are more frequent during a long outage",
    "restart-strategy.fixed-delay.delay": "restarts are delayed by 1 s instead of being immediate",
    "security.ssl.algorithms": (
        "peers that only support the old cipher suite (proxies, clients, other releases) can no longer connect"
    ),
    "security.ssl.verify-hostname": "host names in certificates are no longer verified",
    "state.backend.rocksdb.checkpoint.transfer.thread.num": (
        "each operator transfers checkpoint files over more connections at once"
    ),
    "state.backend.rocksdb.timer-service.factory": "timers move from the heap into RocksDB: less heap, slower timers",
    "state.backend.rocksdb.ttl.compaction.filter.enabled": "compactions drop expired state",
    "taskmanager.network.batch-shuffle.compression.enabled": "batch shuffles are compressed: less disk, more CPU",
    "taskmanager.network.netty.transport": "epoll is used if the system supports it",
    "taskmanager.network.sort-shuffle.min-buffers": "a batch shuffle requires more network buffers",
    "taskmanager.network.sort-shuffle.min-parallelism": "batch jobs of any parallelism use the sort shuffle",
    "taskmanager.memory.framework.off-heap.batch-shuffle.size": (
        "batch shuffles are read with more of the framework's off-heap memory"
    ),
    "taskmanager.memory.network.max": (
        "network memory can exceed 1 GiB according to its fraction, which reduces the heap of large TaskManagers"
    ),
    "jobmanager.scheduler": "jobs use a different scheduler",
    "table.generated-code.max-length": "methods generated for queries are split at a smaller size",
}
"""The effect of each changed default on a cluster, by the option's newest key."""

SAME = (
    # Unset meant this before, too.
    "execution.checkpointing.externalized-checkpoint-retention",
    "execution.checkpointing.tolerable-failed-checkpoints",
    "resourcemanager.standalone.start-up-time",
    "state.backend.type",
)
"""The keys of options whose new default has the same effect as the old one."""

_SCHEDULERS = ("ng", "default")
"""Two names of the same scheduler."""
_ROCKSDB = "state.backend.rocksdb."


def has_same_effect(key: str, before: object, after: object) -> bool:
    """Return whether two different defaults of an option are known to have the same effect; `key` is its newest key."""
    if key == "jobmanager.scheduler":
        return str(before).lower() in _SCHEDULERS and str(after).lower() in _SCHEDULERS
    if key.startswith(_ROCKSDB) and before is None:
        # The defaults that 1.15 added are those of RocksDB itself, except for its log.
        return not key.startswith(f"{_ROCKSDB}log.")
    return key in SAME


class Habit(NamedTuple):
    """A change in Flink's behavior while a certain option, which has no default, is not set."""

    since: str
    """The first minor release with the new behavior."""
    key: str
    before: str
    after: str
    effect: str

    def begins(self, before: Configuration, after: Configuration) -> bool:
        """Return whether an upgrade from one configuration's release to the other's introduces this change for it."""
        crossed = before.index < MINORS.index(self.since) <= after.index
        return crossed and not after.is_set(self.key) and after.is_set("execution.checkpointing.interval")


HABITS = (
    Habit(
        "1.19",
        "restart-strategy.type",
        "fixed-delay",
        "exponential-delay",
        "with checkpoints, restart delays grow from 1 s up to 1 min, by half each time, instead of always being 1 s",
    ),
)


def is_same(change: Changed) -> bool:
    """Return whether a changed default means the same as the previous one, or is known to have the same effect."""
    newest = catalogue().current_names(change.key)[:1] or (change.key,)
    return (
        means_the_same(change.before, change.after)
        or has_same_effect(newest[0], change.before.default, change.after.default)
        or items(shown(change.before)) == items(shown(change.after)) != ()
    )


def shown(option: Option) -> str | None:
    """Return the default of an option as text; None if it has none."""
    if typed_default(option) == MAX_LONG:
        return "no limit"
    return None if option.default is None else text_of(option.default)


def items(default: str | None) -> tuple[str, ...]:
    """Return the sorted items of a default that is a list in any notation; empty if it has fewer than two items."""
    text = (default or "").removeprefix("[").removesuffix("]")
    parts = tuple(sorted(part.strip() for part in text.replace(";", ",").split(",") if part.strip()))
    return parts if len(parts) > 1 else ()


def is_set(change: Changed, before: Configuration, after: Configuration) -> bool:
    """Return whether either configuration sets the option whose default changed."""
    if change.after.templated:
        return any(
            (accepted := after.catalogue.accept(key, after.index)) and accepted.option.key == change.key
            for key in after.settings
        )
    return before.is_set(change.before.key) or after.is_set(change.key)


_PARTS = {
    "taskmanager": ("flink", "framework", "jvm-metaspace", "jvm-overhead", "managed", "network", "process", "task"),
    "jobmanager": ("flink", "heap", "jvm-metaspace", "jvm-overhead", "off-heap", "process"),
}
"""The components of each process's memory, by their names in keys."""


class Uses:
    """Determines whether a configuration uses the feature that an option belongs to."""

    def __init__(
        self, before: Configuration, configuration: Configuration, platform: str | None, stays: frozenset[str]
    ) -> None:
        """Compare `before` with `configuration`; the memory of the processes in `stays` is unchanged."""
        self._stays = stays
        self._before = before
        self._configuration = configuration
        self._platform = platform

    def __call__(self, key: str) -> bool:
        """Return whether the configuration uses the feature of an option; `key` is its newest key."""
        return all(uses() for prefix, uses in self._conditions() if key.startswith(prefix))

    def _conditions(self) -> Iterator[tuple[str, Callable[[], bool]]]:
        platform = self._platform
        for process, parts in _PARTS.items():
            for part in parts:
                yield f"{process}.memory.{part}.", partial(self._moves, process)
        yield "kubernetes.", lambda: platform in ("kubernetes", "operator")
        yield "yarn.", lambda: platform in ("yarn", "emr")
        yield "env.log.", lambda: platform not in ("compose", "kubernetes", "operator")  # containers lose their files
        yield "state.backend.rocksdb.", lambda: "rocksdb" in self._text("state.backend.type").lower()
        yield "high-availability.zookeeper.", lambda: "zookeeper" in self._text("high-availability.type").lower()
        for strategy in ("exponential-delay", "failure-rate", "fixed-delay"):
            yield f"restart-strategy.{strategy}.", partial(self._restarts, strategy)
        yield "security.ssl.", lambda: self._any_true("security.ssl.internal.enabled", "security.ssl.rest.enabled")
        yield "execution.batch.", self._is_batch
        yield "taskmanager.memory.framework.off-heap.batch-shuffle.", self._is_batch
        yield "taskmanager.network.sort-shuffle.", self._is_batch
        yield "taskmanager.network.batch-shuffle.", self._is_batch
        for prefix in ("historyserver.", "metrics.reporter.", "python.", "sql-gateway.", "table."):
            yield prefix, partial(self._has, prefix)

    def _text(self, key: str) -> str:
        return str(self._configuration.resolve(key).raw or "")

    def _moves(self, process: str) -> bool:
        return process not in self._stays

    def _has(self, prefix: str) -> bool:
        return any(key.startswith(prefix) for key in self._configuration.settings)

    def _restarts(self, strategy: str) -> bool:
        named = self._text("restart-strategy.type")
        if not named:
            # If the step changes the strategy itself, no option of the current strategy changes its default.
            usual = {
                "exponential-delay" if one.index >= MINORS.index("1.19") else "fixed-delay"
                for one in (self._before, self._configuration)
            }
            return usual == {strategy} and self._configuration.is_set("execution.checkpointing.interval")
        return named.replace("-", "").lower() == strategy.replace("-", "")

    def _any_true(self, *keys: str) -> bool:
        for key in keys:
            try:
                if self._configuration.value(key) is True:
                    return True
            except BadValue:
                continue
        return False

    def _is_batch(self) -> bool:
        return self._text("execution.runtime-mode").upper() in ("BATCH", "AUTOMATIC")
