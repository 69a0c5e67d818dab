"""Flink on AWS: the Flink releases of EMR and Managed Service for Apache Flink, and the latter's fixed options."""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.text.lazy_regex import regex

_EMR: Mapping[str, tuple[str, ...]] = {
    "5": (
        "", "1.1.3", "1.1.3", "1.1.4", "1.2.0", "1.2.0", "1.2.1", "1.3.0", "1.3.1", "1.3.2", "1.3.2", "1.3.2", "1.4.0",
        "1.4.0", "1.4.2", "1.4.2", "1.5.0", "1.5.2", "1.6.0", "1.6.1", "1.6.2", "1.7.0", "1.7.1", "1.7.1", "1.8.0",
        "1.8.0", "1.8.0", "1.8.1", "1.9.0", "1.9.1", "1.10.0", "1.11.0", "1.11.2", "1.12.1", "1.13.1", "1.14.2",
        "1.14.2",
    ),
    "6": (
        "", "1.11.0", "1.11.2", "1.12.1", "1.13.1", "1.14.0", "1.14.2", "1.14.2", "1.15.1", "1.15.2", "1.16.0",
        "1.16.0", "1.17.0", "1.17.0", "1.17.1", "1.17.1",
    ),
    "7": (
        "1.18.0", "1.18.1", "1.18.1", "1.18.1", "1.19.1", "1.19.1", "1.20.0", "1.20.0", "1.20.0", "1.20.0", "1.20.0",
        "1.20.0", "1.20.0", "1.20.0",
    ),
}  # fmt: skip
"""The Flink release of each minor release of an EMR series, 0 first; empty if it has none."""

EMR_CLASSIFICATIONS = frozenset(
    ("flink-conf", "flink-log4j", "flink-log4j-session", "flink-log4j-yarn-session", "flink-log4j-cli")
)
"""The EMR classifications whose properties EMR writes to Flink's configuration files."""

_LABEL = regex(r"emr-(\d+)\.(\d+)\.\d+(?:-.*)?")
_RUNTIME = regex(r"FLINK-(\d+)_(\d+)")
_STUDIO = {"ZEPPELIN-FLINK-1_0": "1.11", "ZEPPELIN-FLINK-2_0": "1.13", "ZEPPELIN-FLINK-3_0": "1.15"}


def emr_release(label: str) -> str | None:
    """Return the Flink release of an EMR release label (``emr-6.15.0``); None if it is unknown or has no Flink.

    Patches of a label have the Flink release of their minor release.
    Source: <https://docs.aws.amazon.com/emr/latest/ReleaseGuide/Flink-release-history.html>.
    """
    match = _LABEL.fullmatch(label.strip())
    if match is None:
        return None
    minors = _EMR.get(match[1], ())
    minor = int(match[2])
    return (minors[minor] or None) if minor < len(minors) else None


def managed_release(runtime: str) -> str | None:
    """Return the Flink release of a runtime environment (``FLINK-1_20``, ``ZEPPELIN-FLINK-3_0``); None if unknown.

    Source: <https://docs.aws.amazon.com/managed-flink/latest/apiv2/API_CreateApplication.html>.
    """
    match = _RUNTIME.fullmatch(runtime.strip())
    return f"{match[1]}.{match[2]}" if match else _STUDIO.get(runtime.strip())


MANAGED_INTERVAL = 60_000
"""The default interval between checkpoints, in milliseconds, in Managed Service for Apache Flink."""
MANAGED_PAUSE = 5_000
"""The default minimum pause between checkpoints, in milliseconds, in Managed Service for Apache Flink."""

MANAGED_FIXED: Mapping[str, str] = {
    "state.backend.type": "RocksDB",
    "execution.checkpointing.incremental": "incremental checkpoints",
    "execution.checkpointing.storage": "its own bucket",
    "execution.checkpointing.dir": "its own bucket",
    "execution.checkpointing.savepoint-dir": "its own bucket",
    "execution.checkpointing.mode": "exactly once",
    "execution.checkpointing.max-concurrent-checkpoints": "one checkpoint at a time",
    "execution.checkpointing.timeout": "60 minutes",
    "execution.checkpointing.num-retained": "one retained checkpoint",
    "execution.checkpointing.externalized-checkpoint-retention": "its own retention",
    "execution.checkpointing.unaligned.enabled": "aligned checkpoints, unless support changes it",
    "high-availability.type": "its own high availability",
}
"""The options that Managed Service for Apache Flink fixes: newest key -> description of the fixed value.

Source: <https://docs.aws.amazon.com/managed-flink/latest/java/reference-flink-settings.title.html>.
"""
