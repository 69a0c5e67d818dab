"""Functions that the rules on keys share: the releases of a key, and what candidate releases accept."""

from __future__ import annotations

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.values import parse
from flink_flint.linter.model.view import Setting, View

_LONGEST_SHOWN = 60


def lifetime(config: View, key: str) -> str:
    """Return the releases that accept a key as text: ``Flink 1.14 to 2.3``."""
    releases = config.catalogue.releases(key)
    first, last = MINORS[releases[0]], MINORS[releases[-1]]
    return f"Flink {first}" if first == last else f"Flink {first} to {last}"


def target_name(config: View) -> str:
    """Return the releases that a message applies to as text; "this Flink" if they are unknown."""
    return config.releases_text


def shown(value: str) -> str:
    """Return a value on one line for a message, shortened if it is long."""
    value = "\\n".join(value.splitlines())
    return value if len(value) <= _LONGEST_SHOWN else value[: _LONGEST_SHOWN - 1] + "…"


def accepted_by_all(config: View, key: str) -> bool:
    """Return whether every candidate release knows a key."""
    return all(config.catalogue.accept(key, index) for index in config.target.indices)


def fits_all(config: View, key: str, raw: object) -> bool:
    """Return whether every candidate release knows a key and accepts the value."""
    return accepted_by_all(config, key) and taken_by_all(config, key, raw)


def taken_by_all(config: View, key: str, raw: object) -> bool:
    """Return whether every candidate release that knows a key accepts the value; a template counts as accepted."""
    if isinstance(raw, str) and is_templated(raw):
        return True
    for index in config.target.indices:
        accepted = config.catalogue.accept(key, index)
        if accepted is None or accepted.how == "map":
            continue
        try:
            parse(accepted.option.type, accepted.option.enum, raw, index, yaml=config.document.yaml_in(index))
        except BadValue:
            return False
    return True


def same_value(config: View, setting: Setting, other: Setting) -> bool:
    """Return whether two settings of an option have the same value, as text or as Flink parses it."""
    if setting.text == other.text:
        return True
    if other.option is None:
        return False
    try:
        values = [config.configuration.parse(other.option, one.entry.value) for one in (setting, other) if one.entry]
    except BadValue:
        return False
    return values[0] == values[1]


def loses_everywhere(config: View, key: str) -> bool:
    """Return whether another key of the same option takes precedence over a key in every candidate release."""
    settings = config.configuration.settings
    for index in config.target.indices:
        configuration = Configuration(settings, config.target.release_at(index), yaml=config.document.yaml_in(index))
        if configuration.overridden_by(key) is None:
            return False
    return True
