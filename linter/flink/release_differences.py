"""The differences between two releases: removed, renamed, and new keys, and changed defaults and types.

All of it follows from the option catalogue, for any two releases and not just adjacent ones: a key that was renamed
twice has the last of its names, and one that was dropped and added again is not lost. Deprecation is not a difference,
because Flink still reads the key.
"""

from __future__ import annotations

from contextlib import suppress

from flink_flint.linter.flink.configuration import typed_default
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import Catalogue, Option
from flink_flint.linter.flink.releases import NEWEST
from flink_flint.linter.flink.values import MILLISECOND, parse
from flink_flint.linter.text.named_tuple import NamedTuple


class Lost(NamedTuple):
    """A key that the older release reads and the newer release does not."""

    key: str
    how: str
    """How the older release reads the lost key: ``primary``, ``deprecated`` or ``fallback``."""
    option: str
    """The primary key, in the older release, of the option that the lost key sets."""
    last: int
    """The index of the last minor release that reads the key, in an unbroken series from the older release on."""
    successors: tuple[str, ...]
    """The keys that the newer release reads for the same option; empty if it does not have the option."""


class Renamed(NamedTuple):
    """A primary key of the older release that is only an alias in the newer release."""

    key: str
    how: str
    """How the newer release reads the renamed key: ``deprecated`` or ``fallback``."""
    names: tuple[str, ...]
    """The primary keys, in the newer release, of the options that the renamed key sets."""


class Changed(NamedTuple):
    """An option that both releases have, with different defaults or types."""

    key: str
    """The primary key of the option in the newer release."""
    before: Option
    after: Option


class Differences(NamedTuple):
    """All differences between the options of two releases, as tuples sorted by key."""

    lost: tuple[Lost, ...]
    renamed: tuple[Renamed, ...]
    defaults: tuple[Changed, ...]
    types: tuple[Changed, ...]
    added: tuple[Option, ...]
    """The options of the newer release that the older release does not have under any name."""


def differences(older: Catalogue, before: int, newer: Catalogue, after: int) -> Differences:
    """Return the differences between two minor releases, given by their indices `before` and `after`.

    The catalogues are those of the two releases (`Catalogue.as_of`), usually the same one.
    """
    lost = []
    renamed = []
    defaults = []
    types = []
    added = []
    for key, _ in newer.spellings():
        if gone := lost_key(key, older, before, newer, after):
            lost.append(gone)
        elif known := renamed_key(key, older, before, newer, after):
            renamed.append(known)
        option = newer.option(key, after)
        if option is None:
            continue
        old = former(key, older, before)
        if old is None:
            added.append(option)
            continue
        change = Changed(key, old, option)
        if changes_default(old, option):
            defaults.append(change)
        if changes_type(old, option):
            types.append(change)
    return Differences(tuple(lost), tuple(renamed), tuple(defaults), tuple(types), tuple(added))


def lost_key(key: str, older: Catalogue, before: int, newer: Catalogue, after: int) -> Lost | None:
    """Return a `Lost` for a key or template that release `before` reads but `after` does not; None for other keys.

    An instance of a template, or an entry of a map, counts as read if its template or its map is.
    """
    accepted = older.accept(key, before) if "<" not in key else None
    option = accepted.option if accepted else older.option(key, before)
    if option is None or (newer.option(key, after) if "<" in key else newer.accept(key, after)):
        return None
    last = before
    while last + 1 < after and (newer.option(key, last + 1) if "<" in key else newer.accept(key, last + 1)):
        last += 1
    return Lost(key, accepted.how if accepted else "primary", option.key, last, successors(key, before, newer, after))


def renamed_key(key: str, older: Catalogue, before: int, newer: Catalogue, after: int) -> Renamed | None:
    """Return a `Renamed` for a key that is primary in release `before` but an alias in `after`; None for other keys."""
    if older.option(key, before) is None or newer.option(key, after):
        return None
    names = newer.readers(key, after)
    accepted = newer.accept(key, after)
    if accepted is None or not names:
        return None
    return Renamed(key, accepted.how, tuple(sorted(names)))


def former(key: str, older: Catalogue, before: int) -> Option | None:
    """Return the definition that the option `key` had in the older release `before`; None if it did not exist yet."""
    name = older.primary_name(key, before)
    return older.option(name, before) if name else None


def successors(key: str, before: int, newer: Catalogue, after: int) -> tuple[str, ...]:
    """Return the primary keys that replace `key` of release `before` in release `after`, following renames."""
    names = {key: None}
    for index in range(before, after + 1):
        known: dict[str, None] = {}
        for name in names:
            readers = newer.readers(name, index)
            if newer.option(name, index):
                readers = frozenset((name,))
            known.update(dict.fromkeys(sorted(readers)))
        # An old name may outlive its option: a name that is not read now may be read again later.
        names = known or names
    return tuple(name for name in names if newer.option(name, after))


def changes_default(before: Option, after: Option) -> bool:
    """Return whether the default differs between two definitions of an option, even if only in spelling.

    A number of milliseconds and the equal duration are the same default.
    """
    if (before.type, after.type) in (("Integer", "Duration"), ("Long", "Duration")):
        return not means_the_same(before, after)
    return bool(before.default != after.default)


def means_the_same(before: Option, after: Option) -> bool:
    """Return whether Flink reads the defaults of two definitions as the same value (``5 minutes`` and ``5 min``)."""
    return bool(_plain(before, after) == _plain(after, before))


def changes_type(before: Option, after: Option) -> bool:
    """Return whether two definitions of an option differ in their type or in the accepted values."""
    return before.type != after.type or set(before.enum) != set(after.enum)


def _plain(option: Option, other: Option) -> object:
    """Return a default as a value that can be compared with that of another type."""
    value = typed_default(option)
    if option.type == "String" and isinstance(value, str):
        # A duration or size of later releases was one before, too; the newest grammar reads all of them.
        with suppress(BadValue):
            value = parse(other.type, other.enum, value, NEWEST, yaml=False)
    if option.type in ("Integer", "Long") and isinstance(value, int) and other.type == "Duration":
        return value * MILLISECOND
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value.lower() if isinstance(value, str) and "Enum" in (option.type, other.type) else value
