"""What the configuration of a resource says of its job's state, for rules about upgrades that throw it away."""

from __future__ import annotations

from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.kubernetes._resource import Resource, entry_of

SIGNS = (
    "execution.checkpointing.interval",
    "execution.checkpointing.dir",
    "execution.checkpointing.savepoint-dir",
    "high-availability.type",
)
"""Options that speak of state, the clearest first."""


def sign_of_state(config: View) -> Setting | None:
    """Return the clearest setting of a resource that speaks of state; None if there is none."""
    return next((config.get(key) for key in SIGNS if speaks_of_state(config, key)), None)


def speaks_of_state(config: View, key: str) -> bool:
    """Return whether the resource itself sets one of these options to what only a job with state needs."""
    setting = config.get(key)
    if setting.entry is None or entry_of(config, setting.written) is None:
        return False
    if key == "high-availability.type":
        return setting.text.upper() not in ("", "NONE", "STANDALONE")
    interval = config.duration(key) if key == "execution.checkpointing.interval" else None
    return interval is None or interval > 0


def is_batch(config: View) -> bool:
    """Return whether jobs run in batch mode."""
    return (config.string("execution.runtime-mode") or "").upper() == "BATCH"


def starts_empty(config: View, resource: Resource) -> Setting | None:
    """Return the setting that speaks of state, if each upgrade of a streaming job starts it without that state."""
    return sign_of_state(config) if resource.upgrade_mode == "stateless" and not is_batch(config) else None
