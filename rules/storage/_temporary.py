"""Directories that systems clean up, and where that happens."""

from __future__ import annotations

from flink_flint.linter.flink.uris import locate, split_directories
from flink_flint.linter.model.view import Setting, View

MACHINES = (None, "standalone")
"""Platforms whose ``/tmp`` is a machine's own (None: nobody said, and nothing speaks of containers)."""


def temporary_of(setting: Setting) -> str | None:
    """The first directory of a setting that is under ``/tmp`` or ``/var/tmp``; None where none certainly is."""
    if not setting.is_set or not setting.is_known:
        return None
    return next((one for one in split_directories(setting.text) if locate(one).is_temporary), None)


def on_machines(config: View) -> bool:
    """Whether Flink runs on machines whose ``/tmp`` something cleans."""
    return config.platform in MACHINES and not config.elements("container")
