"""What the rules on keys share: in which releases a key lives, and what all candidate releases make of it."""

from __future__ import annotations

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.flink.values import parse
from flink_flint.linter.model.view import Setting, View

_LONGEST_SHOWN = 60


def lifetime(config: View, key: str) -> str:
    """The releases that accept a key, as people write them: ``Flink 1.14 to 2.3``."""
    releases = config.catalogue.releases(key)
    first, last = MINORS[releases[0]], MINORS[releases[-1]]
    return f"Flink {first}" if first == last else f"Flink {first} to {last}"


def target_name(config: View) -> str:
    """The releases for which a text holds, as people write them; if nothing is known of them, "this Flink"."""
    return config.releases_text


def shown(value: str) -> str:
    """A value for a message, on one line: whole if it is short, else its beginning."""
    value = "\\n".join(value.splitlines())
    return value if len(value) <= _LONGEST_SHOWN else value[: _LONGEST_SHOWN - 1] + "…"


def accepted_by_all(config: View, key: str) -> bool:
    """Whether every candidate release knows a key."""
    return all(config.catalogue.accept(key, index) for index in config.target.indices)


def fits_all(config: View, key: str, raw: object) -> bool:
    """Whether every candidate release knows a key and takes the value for it."""
    return accepted_by_all(config, key) and taken_by_all(config, key, raw)


def taken_by_all(config: View, key: str, raw: object) -> bool:
    """Whether every candidate release that knows a key takes the value for it (a template's counts as taken)."""
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
    """Whether two spellings of an option give the same value, as text or as what Flink makes of it."""
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
    """Whether a written key loses to another spelling in every candidate release."""
    settings = config.configuration.settings
    for index in config.target.indices:
        configuration = Configuration(settings, config.target.release_at(index), yaml=config.document.yaml_in(index))
        if configuration.overridden_by(key) is None:
            return False
    return True
