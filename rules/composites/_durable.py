"""Directories that must outlive the process that writes them."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.uris import Location, locate
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.high_availability._mode import NONE, UNKNOWN, mode

CHECKPOINTS = "execution.checkpointing.dir"
HIGH_AVAILABILITY = "high-availability.storageDir"
RESULTS = "job-result-store.storage-path"
DIRECTORIES = {
    CHECKPOINTS: "checkpoints",
    "execution.checkpointing.savepoint-dir": "savepoints",
    HIGH_AVAILABILITY: "what high availability recovers from",
    RESULTS: "the results of jobs",
    "state.changelog.dstl.dfs.base-path": "the changelog",
    "jobmanager.archive.fs.dir": "the archive of jobs",
}
_ONLY_HIGHLY_AVAILABLE = (HIGH_AVAILABILITY, RESULTS)
MAX_NAMED = 5
"""The largest number of places of one kind that a finding names."""


class Durable(NamedTuple):
    """A directory that is set, with a description of its contents."""

    setting: Setting
    location: Location
    what: str

    def place(self) -> list[Place]:
        """Return the place of the setting as a one-element list; empty if no file sets the directory."""
        place = self.setting.place(self.what)
        return [place] if place is not None else []


def directories(config: View) -> Iterator[Durable]:
    """Yield the directories with known values; those for high availability only if it is enabled."""
    for key, what in DIRECTORIES.items():
        setting = config.get(key)
        if not setting.is_set or not setting.is_known:
            continue
        if key not in _ONLY_HIGHLY_AVAILABLE or mode(config) not in (NONE, UNKNOWN):
            yield Durable(setting, locate(setting.text), what)


def is_patched(config: View) -> bool:
    """Return whether other documents change a document's containers, so that they are judged there."""
    is_a_patch = config.platform == "operator" and not config.document.whole
    return is_a_patch or any(upper.kind == config.document.kind for upper in config.relation.above)
