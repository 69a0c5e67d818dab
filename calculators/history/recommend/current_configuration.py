"""The current configuration: settings that sources recorded for a cluster and a job, overridden by files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flink_flint.calculators.answering.declaration import BadInput, Input
from flink_flint.calculators.answering.option_values import in_unit, plain
from flink_flint.calculators.formulas.quantity import BadQuantity
from flink_flint.calculators.history.samples import Record
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import Release

_KINDS = ("configuration", "checkpointing")
"""Records that contain settings; later ones override earlier ones."""


class CurrentConfiguration:
    """The settings of a cluster, or of a job on it, as one Flink release interprets them."""

    def __init__(self, settings: Mapping[str, object], release: Release, *, yaml: bool = False) -> None:
        self.configuration = Configuration(settings, release, yaml=yaml)
        self._defaults = Configuration({}, release, yaml=yaml)

    @property
    def release(self) -> Release:
        """The Flink release that interprets the settings."""
        return self.configuration.release

    @property
    def is_known(self) -> bool:
        """Whether any settings are known; if none are, unset options are not assumed to have their defaults."""
        return bool(self.configuration.settings)

    def is_set(self, key: str) -> bool:
        """Return whether an option is set to a readable value."""
        return self.configuration.is_set(key) and self.configuration.is_known(key)

    def text(self, key: str) -> str:
        """Return the raw text of an option; empty if it is not set."""
        return str(self.configuration.resolve(key).raw) if self.is_set(key) else ""

    def current(self, key: str) -> Any:
        """Return an option's current value: seconds, bytes, a number, a boolean or a string; None if it is unknown."""
        option = self.configuration.resolve(key).option
        if not self.is_known or option is None or not self.configuration.is_known(key):
            return None
        try:
            return plain(self.configuration.value(key), key)
        except (BadValue, BadQuantity):
            return None

    def supplied(self, declared: Input) -> tuple[Any, str] | None:
        """Return the value of an input's option and its origin, ``set`` or ``default``; None if there is no value."""
        if not declared.option:
            return None
        ways = [(self.configuration, "set")] if self.is_set(declared.option) else []
        for configuration, how in (*ways, (self._defaults, "default")):
            try:
                value = configuration.value(declared.option)
                if value is None:
                    continue
                found = in_unit(declared, value)
                declared.check(found)
            except (BadValue, BadQuantity, BadInput):
                continue
            return found, how
        return None


def recorded(records: Iterable[Record], cluster: str, job: str, until: int) -> dict[str, object]:
    """Return the latest settings up to `until` that sources recorded for a cluster (if `job` is empty) or for a job.

    `job` is a sanitized name, `until` milliseconds since the epoch. A job's own settings override its cluster's, and
    those of its checkpoints override both. If nothing was recorded for the cluster itself, the latest of its jobs is
    used instead: an archive of a job contains the configuration of its cluster.
    """
    entries = [one for one in records if one.kind in _KINDS and one.cluster == cluster and one.time <= until]
    entries.sort(key=lambda record: (record.time, _KINDS.index(record.kind)))
    of_cluster = [one for one in entries if not (one.job or one.job_id) and one.kind == _KINDS[0]][-1:]
    own = [one for one in entries if (one.job or one.job_id) and (not job or _name(one) == job)]
    if not job and of_cluster:
        own = []
    # The settings that a job starts with stay the same until it is restarted, with another id.
    of_run = [one for one in own if one.job_id == own[-1].job_id] if own else []
    settings: dict[str, object] = {}
    for record in (*of_cluster, *sorted(of_run, key=lambda one: _KINDS.index(one.kind))):
        settings.update(record.body)
    return settings


def _name(record: Record) -> str:
    from flink_flint.linter.flink.reporter_names import sanitized

    return sanitized(record.job or record.job_id)


def overlaid(recorded: Mapping[str, object], given: Mapping[str, object], release: Release) -> dict[str, object]:
    """Return `recorded` settings overridden by `given` ones, even if the two use different names for an option."""
    if not given:
        return dict(recorded)
    configuration = Configuration({}, release, yaml=False)

    def readers(key: str) -> set[str]:
        return set(configuration.catalogue.readers(key, configuration.index)) or {configuration.resolve(key).name}

    names = set().union(*(readers(key) for key in given))
    return {**{key: value for key, value in recorded.items() if not readers(key) & names}, **given}
