"""First segments of Flink's keys, divided into those that only Flink uses and those that other software uses too."""

from __future__ import annotations

OWN = frozenset(
    (
        *("akka", "blob", "classloader", "cleanup-strategy", "containerized", "dstl", "execution", "heartbeat"),
        *("high-availability", "historyserver", "io", "jobmanager", "jobstore", "job-result-store", "kubernetes"),
        *("parallelism", "pekko", "pipeline", "process", "queryable-state", "query", "recovery", "resourcemanager"),
        *("rest", "slot", "slotmanager", "sql-gateway", "state", "taskmanager", "web", "yarn"),
    )
)
"""The first key segments that only Flink uses; a key that begins with one of them is meant for Flink."""


SHARED = frozenset(
    (
        *("cluster", "env", "events", "external-resource", "metrics", "plugin", "python", "restart-strategy"),
        *("security", "sql-client", "table", "task", "traces", "zookeeper"),
    )
)
"""The first key segments under which plugins, connectors and scripts have keys that no catalogue can list."""
