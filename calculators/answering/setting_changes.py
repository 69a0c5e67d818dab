"""The changes that an answer makes to a configuration, and the settings that it keeps because templates set them."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.calculators.answering.answer import Answer
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.release_spelling import spelled
from flink_flint.linter.text.named_tuple import NamedTuple


class Change(NamedTuple):
    """A change to one key of a configuration: its current text and the text to write."""

    key: str
    """The key as written in the configuration or, if the key is to be added, as the release spells it."""
    was: str | None
    """The current value of the key as text; None if the key is to be added."""
    becomes: str | None
    """The new value of the key as text; None if the key is to be removed."""

    @property
    def kind(self) -> str:
        """The kind of change: ``add``, ``change`` or ``remove``."""
        return "add" if self.was is None else "remove" if self.becomes is None else "change"


class LeftAlone(NamedTuple):
    """A setting that an answer would change, but whose value comes from a template."""

    key: str
    """The key as written in the configuration."""
    was: str
    """The template that is the key's current value in the configuration."""
    wanted: str | None
    """The value that the answer recommends, as text; None if the key should be removed."""


def changes(answer: Answer, configuration: Configuration) -> list[Change]:
    """Return the changes that an answer makes to a configuration, spelled for the configuration's release.

    Values that come from templates are not changed: `left_alone` returns these.
    """
    return [change for change in _wanted(answer, configuration) if not _is_template(configuration, change.key)]


def left_alone(answer: Answer, configuration: Configuration) -> list[LeftAlone]:
    """Return the settings that an answer would change, but whose current values come from templates."""
    return [
        LeftAlone(change.key, str(change.was), change.becomes)
        for change in _wanted(answer, configuration)
        if _is_template(configuration, change.key)
    ]


def _wanted(answer: Answer, configuration: Configuration) -> Iterator[Change]:
    """Yield all changes that the answer requires, including values that come from templates."""
    settings = spelled(answer.settings, configuration.release).settings
    names = {configuration.catalogue.primary_name(key, configuration.index): key for key in answer.settings}
    for name, text in settings.items():
        resolution = configuration.resolve(names[name])
        if resolution.written is None:
            yield Change(name, None, text)
        elif _is_template(configuration, resolution.written):
            yield Change(resolution.written, _text(configuration.settings[resolution.written]), text)
        elif not means(configuration, name, text):
            yield Change(resolution.written, _text(resolution.raw), text)
    for spelling in _to_remove(answer, configuration):
        yield Change(spelling, _text(configuration.settings[spelling]), None)


def _to_remove(answer: Answer, configuration: Configuration) -> Iterator[str]:
    """Yield the keys to remove, in every spelling.

    An overridden older key would take effect once the newer one is gone.
    """
    for key in answer.remove:
        resolution = configuration.resolve(key)
        older = resolution.option.lookup_order if resolution.option is not None else ()
        for spelling in dict.fromkeys((resolution.written, *older)):
            if spelling is not None and spelling in configuration.settings:
                yield spelling


def _is_template(configuration: Configuration, written: str) -> bool:
    raw = configuration.settings.get(written)
    return isinstance(raw, str) and is_templated(raw)


def _text(raw: object) -> str:
    return "null" if raw is None else str(raw)


def means(configuration: Configuration, key: str, text: str) -> bool:
    """Return whether `text` means the same value as the configuration's text for `key`, spelled for its release."""
    accepted = configuration.catalogue.accept(key, configuration.index)
    try:
        return accepted is not None and configuration.value(key) == configuration.parse(accepted.option, text)
    except BadValue:
        return False
