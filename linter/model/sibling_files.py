"""The other files of a configuration directory that Flink's scripts read along with the configuration."""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.folders import remembered
from flink_flint.linter.filesystem.reading import found_text


class SiblingFiles:
    """The files next to a configuration file: `zoo.cfg`, `masters`, `workers`, Log4j properties."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def properties(self, name: str) -> dict[str, str] | None:
        """Return the entries of a properties file (``key=value`` or ``key: value``); None if it does not exist."""
        text = _text(os.path.join(self.directory, name))
        if text is None:
            return None
        entries = {}
        for line in text.splitlines():
            stripped = line.strip()
            if stripped and stripped[0] not in "#!":
                key, separator, value = stripped.partition("=")
                if not separator:
                    key, _, value = stripped.partition(":")
                entries[key.strip()] = value.strip()
        return entries

    def hosts(self, name: str) -> list[str] | None:
        """Return the hosts listed in `masters`, `workers` or `slaves`; None if the file does not exist."""
        text = _text(os.path.join(self.directory, name))
        if text is None:
            return None
        return [host for line in text.splitlines() if (host := line.partition("#")[0].strip())]


_text = remembered(found_text)
