"""Directories that systems clean up, and the platforms on which that happens."""

from __future__ import annotations

from flink_flint.linter.flink.uris import locate, split_directories
from flink_flint.linter.model.view import Setting, View

MACHINES = (None, "standalone")
"""The platforms on which ``/tmp`` belongs to a machine, not a container; None stands for an unknown platform."""


def temporary_of(setting: Setting) -> str | None:
    """Return the first directory of a setting that is certainly under ``/tmp`` or ``/var/tmp``; None without one."""
    if not setting.is_set or not setting.is_known:
        return None
    return next((one for one in split_directories(setting.text) if locate(one).is_temporary), None)


def on_machines(config: View) -> bool:
    """Return whether Flink runs directly on machines, whose ``/tmp`` is cleaned."""
    return config.platform in MACHINES and not config.elements("container")
