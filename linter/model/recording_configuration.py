"""An effective configuration of several layers that records which of its entries are read."""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.flink.configuration import Configuration, Resolution
from flink_flint.linter.flink.releases import Release

UNSET = ""
"""The key that is recorded when reading an option that no layer sets; no entry has this key."""


class RecordingConfiguration(Configuration):
    """A `Configuration` that adds the written key of each value it provides to `read`."""

    def __init__(
        self, settings: Mapping[str, object], release: Release, read: set[str], *, yaml: bool, sole: bool
    ) -> None:
        super().__init__(settings, release, yaml=yaml, sole=sole)
        self._read = read

    def resolve(self, key: str) -> Resolution:
        """Return where the value of an option comes from in this release, and record its key as read."""
        found = super().resolve(key)
        self._record(found)
        return found

    def value(self, key: str) -> object:
        """Return the typed value of an option as `Configuration` does, and record its key as read."""
        known = self._resolutions.get(key)
        if known is not None:  # otherwise `resolve` is called
            self._record(known[0])
        return super().value(key)

    def _record(self, found: Resolution) -> None:
        written, raw = found.written, found.raw
        if written is None:
            if found.option is not None:
                self._read.add(UNSET)
            return
        self._read.add(written)
        if isinstance(raw, dict) and raw and raw is not self.settings.get(written):
            # A map collected from several entries, of which `written` is the first.
            prefix = written.removesuffix(next(iter(raw)))
            self._read.update(f"{prefix}{name}" for name in raw)
