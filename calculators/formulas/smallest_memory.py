"""A search for the smallest memory size at which a Flink process starts and a given part of its memory is large enough.

Flink derives parts from totals; proposing a value requires the inverse. A part may be a fraction of its whole, limited
by a minimum and a maximum and rounded to bytes, so the inverse is a search: more memory never makes a part smaller, so
all sizes above a threshold are enough, and interpolation between two sizes finds it. The model of `linter.flink`
derives the parts of every size tried, so that the derivation exists once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
from flink_flint.linter.flink.memory.options_reader import MemoryRefused, Trace
from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
from flink_flint.linter.flink.release_spelling import size_text
from flink_flint.linter.flink.releases import Release

MIB = 1 << 20
LARGEST = 1 << 53
"""The largest memory size in bytes that a search tries by default: 8 PiB."""

_STEEP = 3
"""The factor on the missing bytes by which a total is first raised, since the part gets only a fraction of it."""

M = TypeVar("M", TaskManagerMemory, JobManagerMemory)


class _Changed(Mapping[str, object]):
    """Settings with some values replaced or removed (None); cheap to create, as a search makes many."""

    def __init__(self, settings: Mapping[str, object], changes: Mapping[str, str | None]) -> None:
        self._settings = settings
        self._changes = changes

    def __getitem__(self, key: str) -> object:
        if key not in self._changes:
            return self._settings[key]
        value = self._changes[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        yield from (key for key in self._settings if key not in self._changes)
        yield from (key for key, value in self._changes.items() if value is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class Process(Generic[M]):
    """A Flink process's settings under one release, with methods that derive its memory for changed settings."""

    derive: Callable[..., M]
    """The function that derives the process's memory: `taskmanager` or `jobmanager` in `linter.flink.memory`."""
    settings: Mapping[str, object]
    """The process's settings by key, in the spelling of the release."""
    release: Release
    yaml: bool = False
    """Whether the settings come from a `config.yaml` rather than a `flink-conf.yaml`."""
    containers: bool = False
    restrict: Callable[[int, int], None] | None = None
    """A callback that receives the first and last minor release with the same result; see `Configuration.restrict`."""

    known: Configuration | None = None
    """A configuration with the same settings whose cached results are reused; None to compute all results."""

    def memory(self, changes: Mapping[str, str | None] | None = None, trace: Trace | None = None) -> M:
        """Return the process's memory after `changes` to its settings; a value of None removes a key.

        Raises MemoryRefused and MemoryUnknown as the model does.
        """
        return self._derived(self._configuration(changes), trace)

    def _configuration(self, changes: Mapping[str, str | None] | None) -> Configuration:
        settings = _Changed(self.settings, changes) if changes else self.settings
        return Configuration(settings, self.release, yaml=self.yaml)

    def _derived(self, configuration: Configuration, trace: Trace | None = None) -> M:
        try:
            return self.derive(configuration, trace, containers=self.containers)
        finally:
            if self.restrict is not None:
                self.restrict(configuration.first, configuration.last)

    def accepted(self, changes: Mapping[str, str | None] | None = None) -> M | None:
        """Return the process's memory after `changes` to its settings; None if Flink refuses the memory settings."""
        try:
            return self.memory(changes)
        except MemoryRefused:
            return None

    def smallest(
        self, key: str, part: Callable[[M], int], needed: int, *, above: int, most: int = LARGEST, step: int = MIB
    ) -> int | None:
        """Return the smallest size in bytes for `key` at which Flink starts and `part` reaches `needed`, or None.

        `part` returns the bytes of the part, which must reach `needed`; `above` is a size that is too small. Returns
        None if no size up to `most` is large enough.
        """
        begun = self.known if self.known is not None and key in self.settings else None
        tried = begun or self._configuration({key: size_text(step)})

        def lacking(steps: int) -> int | None:
            """Return the bytes that the part lacks, negative if it has more; None if Flink refuses the size."""
            nonlocal tried
            tried = tried.with_value(key, size_text(steps * step))
            try:
                return needed - part(self._derived(tried))
            except MemoryRefused:
                return None

        low, last = above // step, most // step
        lacks = lacking(low) if low else None
        high = max(1, min(low + (low // 4 if lacks is None else _STEEP * lacks // step + 1), last))
        while (spare := lacking(high)) is None or spare > 0:
            if high >= last:
                return None
            low, lacks, high = high, spare, min(high * 2, last)
        while high - low > 1:
            middle = (low + high) // 2
            if lacks is not None and lacks > 0:  # mostly a straight line, so that its crossing is near
                middle = min(max(low + (high - low) * lacks // (lacks - spare), low + 1), high - 1)
            found = lacking(middle)
            if found is not None and found <= 0:
                high, spare = middle, found
            else:
                low, lacks = middle, found
        return high * step
