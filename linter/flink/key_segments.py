"""First segments of Flink's keys: those that only Flink uses, and those that others use too."""

from __future__ import annotations

OWN = frozenset(
    (
        *("akka", "blob", "classloader", "cleanup-strategy", "containerized", "dstl", "execution", "heartbeat"),
        *("high-availability", "historyserver", "io", "jobmanager", "jobstore", "job-result-store", "kubernetes"),
        *("parallelism", "pekko", "pipeline", "process", "queryable-state", "query", "recovery", "resourcemanager"),
        *("rest", "slot", "slotmanager", "sql-gateway", "state", "taskmanager", "web", "yarn"),
    )
)
"""First segments that nobody but Flink uses: whatever follows them was meant for Flink."""


SHARED = frozenset(
    (
        *("cluster", "env", "events", "external-resource", "metrics", "plugin", "python", "restart-strategy"),
        *("security", "sql-client", "table", "task", "traces", "zookeeper"),
    )
)
"""First segments under which plug-ins, connectors and scripts have keys that no catalogue can list."""
