"""The user's own configuration: what a checked tree must not decide, such as whether programs are run on it.

It is `flint/flint.toml` in the platform's folder for configuration: `$XDG_CONFIG_HOME` or `~/.config`, also on macOS,
and `%APPDATA%` on Windows. Everything else belongs into the repository, so that all who check it see the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from flink_flint.linter.config.flint_config import FlintConfigError, check_file, located, schema
from flink_flint.linter.filesystem.reading import LARGEST_SIDE_FILE, read_named
from flink_flint.linter.text.named_tuple import NamedTuple


class UserConfig(NamedTuple):
    """The user's own configuration, in contrast to that of a repository."""

    render: bool = False
    """Whether charts and kustomizations are rendered with the real Helm and kustomize."""
    plan: bool = False
    """Whether SQL scripts are planned with the planner of their Flink release."""
    flink_homes: Sequence[str] = ()
    """The folders with the libraries of Flink releases to plan with, before those in flint's cache."""


def user_config_path() -> str | None:
    """Return the path of the user's configuration file; None if the user has no home directory."""
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(base):  # the specification says to ignore a relative one
            base = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "flint", "flint.toml") if os.path.isabs(base) else None


def user_config(trees: Iterable[str]) -> UserConfig:
    """Return the user's configuration, not from a file inside `trees`; raise `FlintConfigError` if it is invalid.

    A file in one of the `trees` that are checked is not the user's, wherever the environment says that the user's files
    are; nor is one that is a link into them.
    """
    path = user_config_path()
    if path is None or not os.path.exists(path):
        return UserConfig()
    # Neither the file nor a link on the way to it may be what somebody has put into a tree.
    places = {os.path.realpath(path), os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))}
    for tree in map(os.path.realpath, trees):
        if any(place.startswith(os.path.join(tree, "")) for place in places):
            return UserConfig()
    try:
        data = read_named(path, LARGEST_SIDE_FILE + 1)
    except OSError as error:
        raise FlintConfigError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if len(data) > LARGEST_SIDE_FILE:
        raise FlintConfigError(f"{path}: more than {LARGEST_SIDE_FILE // 1024**2} MiB: too large")
    found = _checked(path, data)
    homes = [os.path.expanduser(home) for home in found.get("flink-homes", ())]
    return UserConfig(bool(found.get("render", False)), bool(found.get("plan", False)), homes)


def _checked(path: str, data: bytes) -> dict[str, Any]:
    try:
        return check_file(path, data, "user")
    except FlintConfigError as error:
        name = next((word for word in error.words if word in schema()["properties"]), None)
        if name is None:
            raise
        known = ", ".join(schema()["$defs"]["user"]["properties"])
        message = f"{name!r} belongs in the flint.toml of a repository; here only {known}"
        raise located(path, FlintConfigError(message, name), data) from None
