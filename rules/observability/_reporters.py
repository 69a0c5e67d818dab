"""The metric reporters of a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flink_flint.linter.model.view import Setting, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_CLASS = regex(r"metrics\.reporter\.([^.\s]+)\.(?:factory\.)?class")

READS = ["metrics.reporter.<name>.factory.class", "metrics.reporter.<name>.class"]


class Reporter(NamedTuple):
    """A metric reporter that Flink loads: its name, and the setting with its class or factory."""

    name: str
    setting: Setting

    def is_a(self, word: str) -> bool:
        """Return whether the reporter has a class with the given name, or its factory."""
        last = self.setting.text.strip().rpartition(".")[2]
        return last in (word, f"{word}Factory")


def reporters(config: View) -> Iterator[Reporter]:
    """Yield the configured reporters, except those that `metrics.reporters` leaves out."""
    chosen = config.get("metrics.reporters")
    listed = re.split(r"[,\s;]+", chosen.text) if chosen.is_set and chosen.is_known else None
    seen = set()
    for setting in config.under("metrics.reporter."):
        match = _CLASS.fullmatch(setting.written)
        if match and match[1] not in seen and (listed is None or match[1] in listed) and setting.is_known:
            seen.add(match[1])
            yield Reporter(match[1], setting)
