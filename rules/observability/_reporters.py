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
    """A reporter that is loaded: its name and what names its class or factory."""

    name: str
    setting: Setting

    def is_a(self, word: str) -> bool:
        """Whether its class is the one of that name, or its factory."""
        last = self.setting.text.strip().rpartition(".")[2]
        return last in (word, f"{word}Factory")


def reporters(config: View) -> Iterator[Reporter]:
    """The reporters that are configured and that `metrics.reporters` does not leave out."""
    chosen = config.get("metrics.reporters")
    listed = re.split(r"[,\s;]+", chosen.text) if chosen.is_set and chosen.is_known else None
    seen = set()
    for setting in config.under("metrics.reporter."):
        match = _CLASS.fullmatch(setting.written)
        if match and match[1] not in seen and (listed is None or match[1] in listed) and setting.is_known:
            seen.add(match[1])
            yield Reporter(match[1], setting)
