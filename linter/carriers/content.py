"""Does a text look like Flink configuration? Cheap tests on the head of a file."""

from __future__ import annotations

import re

SEGMENTS = (
    "akka", "blob", "classloader", "cluster", "containerized", "env.java", "env.log", "execution",
    "fs.default-scheme", "heartbeat", "high-availability", "historyserver", "io.tmp", "job-result-store",
    "jobmanager", "jobstore", "kubernetes", "metrics.reporter", "metrics.reporters", "metrics.scope",
    "parallelism", "pekko", "pipeline", "process", "python", "queryable-state", "query", "resourcemanager",
    "rest", "restart-strategy", "security.ssl", "security.kerberos", "slot", "slotmanager", "state",
    "sql-gateway", "table", "task", "taskmanager", "web", "yarn", "zookeeper",
)  # fmt: skip
"""What Flink's keys start with."""

_SEGMENT = "|".join(re.escape(segment) for segment in SEGMENTS)
_FLAT = re.compile(rf"^[ \t]*(?:{_SEGMENT})\.[\w.<>-]+[ \t]*:", re.MULTILINE)
_PLAIN = re.compile(r"^(?:high-availability|restart-strategy|state\.backend|parallelism\.default):", re.MULTILINE)
_NESTED = re.compile(rf"^(?:{_SEGMENT})[ \t]*:[ \t]*(?:#.*)?$\n(?:[ \t]*(?:#.*)?\n)*[ \t]+[\w.-]+[ \t]*:", re.MULTILINE)
_FLINK_ONLY = re.compile(
    r"^(?:jobmanager|taskmanager|high-availability|pekko|akka|restart-strategy)[ \t]*:", re.MULTILINE
)
_OTHER = re.compile(
    r"^(?:apiVersion|kind|services|version|openapi|swagger|AWSTemplateFormatVersion)[ \t]*:", re.MULTILINE
)


def looks_like_flink(head: str, *, nested: bool) -> bool:
    """Whether a text has keys of Flink at its left margin, flat or (with `nested`) as mappings."""
    if _OTHER.search(head):
        return False
    if _FLAT.search(head) or _PLAIN.search(head):
        return True
    if not nested:
        return False
    return bool(_FLINK_ONLY.search(head)) or len({m.group().split(":")[0] for m in _NESTED.finditer(head)}) >= 2
