"""What an answer changes in a configuration."""

from __future__ import annotations

from typing import NamedTuple

from calculators.answer import Answer
from calculators.spelling import spelled
from linter.flink.configuration import Configuration
from linter.flink.values import BadValue


class Change(NamedTuple):
    """One difference between an answer and a configuration."""

    key: str
    """As the release spells it, or as the configuration writes it."""
    was: str | None
    """The text in force; None where the key is to be added."""
    becomes: str | None
    """The text to write; None where the key is to be removed."""

    @property
    def kind(self) -> str:
        """``add``, ``change`` or ``remove``."""
        return "add" if self.was is None else "remove" if self.becomes is None else "change"


def changes(answer: Answer, configuration: Configuration) -> list[Change]:
    """What the answer adds to a configuration, changes and removes, in the words of its release."""
    found: list[Change] = []
    settings = spelled(answer.settings, configuration.release).settings
    names = {configuration.catalogue.primary_name(key, configuration.index): key for key in answer.settings}
    for name, text in settings.items():
        resolution = configuration.resolve(names[name])
        if resolution.written is None:
            found.append(Change(name, None, text))
        elif not _same(configuration, names[name], text):
            found.append(Change(resolution.written, str(resolution.raw), text))
    for key in answer.remove:
        resolution = configuration.resolve(key)
        # Every spelling goes: an older one that is outdone now would hold once the one that wins is gone.
        older = resolution.option.lookup_order if resolution.option is not None else ()
        for spelling in dict.fromkeys((resolution.written, *older)):
            if spelling is not None and spelling in configuration.settings:
                found.append(Change(spelling, str(configuration.settings[spelling]), None))
    return found


def _same(configuration: Configuration, key: str, text: str) -> bool:
    """Whether the value in force is already what the text means."""
    option = configuration.resolve(key).option
    assert option is not None
    try:
        return configuration.value(key) == configuration.parse(option, text)
    except BadValue:
        return False
