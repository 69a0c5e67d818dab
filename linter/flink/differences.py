"""What changed between two releases: keys that went, keys of another name, other defaults, other types.

All of it follows from the option catalogue, for any two releases and not just neighbours: a key that was renamed twice
has the last of its names, and one that was dropped and came back is not lost. Deprecation is no difference here, as
Flink reads such a key as before.
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
    """A key that the older release reads and the newer one does not."""

    key: str
    how: str
    """``primary``, or as what the older one took it: ``deprecated``, ``fallback``."""
    option: str
    """The option it was for, by its primary key in the older release."""
    last: int
    """The last minor, from the older release on, that reads it without a gap."""
    successors: tuple[str, ...]
    """What the newer release calls the very option; empty where it has none."""


class Renamed(NamedTuple):
    """A primary key of the older release that the newer one reads as an old name."""

    key: str
    how: str
    """As what the newer one takes it: ``deprecated``, ``fallback``."""
    names: tuple[str, ...]
    """The options it is read for, by their primary keys in the newer release."""


class Changed(NamedTuple):
    """An option of both releases that is defined otherwise in the newer one."""

    key: str
    """Its primary key in the newer release."""
    before: Option
    after: Option


class Differences(NamedTuple):
    """All that changed on the way from one release to a later one, each list sorted by key."""

    lost: tuple[Lost, ...]
    renamed: tuple[Renamed, ...]
    defaults: tuple[Changed, ...]
    types: tuple[Changed, ...]
    added: tuple[Option, ...]
    """The options that the older release knows under no name."""


def differences(older: Catalogue, before: int, newer: Catalogue, after: int) -> Differences:
    """What changed from the minor `before` to the minor `after` (indices).

    The catalogues are those of the two releases (`Catalogue.as_of`), mostly one and the same.
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
    """What became of a key (or a template) that `before` reads and `after` does not; None if nothing did.

    An instance of a template, or an entry of a map, counts as read where its template or its map is.
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
    """The newer names of a key that is primary in `before` and an old name in `after`; None if it is not so."""
    if older.option(key, before) is None or newer.option(key, after):
        return None
    names = newer.readers(key, after)
    accepted = newer.accept(key, after)
    if accepted is None or not names:
        return None
    return Renamed(key, accepted.how, tuple(sorted(names)))


def former(key: str, older: Catalogue, before: int) -> Option | None:
    """The option of an older release that a primary key of a newer one stands for; None if there was none."""
    name = older.primary_name(key, before)
    return older.option(name, before) if name else None


def successors(key: str, before: int, newer: Catalogue, after: int) -> tuple[str, ...]:
    """What `after` calls the option that `before` read under a key, followed from rename to rename."""
    names = {key: None}
    for index in range(before, after + 1):
        known: dict[str, None] = {}
        for name in names:
            readers = newer.readers(name, index)
            if newer.option(name, index):
                readers = frozenset((name,))
            known.update(dict.fromkeys(sorted(readers)))
        # An old name outlives its option here and there: what is no longer read under any name may be later.
        names = known or names
    return tuple(name for name in names if newer.option(name, after))


def changes_default(before: Option, after: Option) -> bool:
    """Whether two definitions of an option differ in their default, be it in how it is written alone.

    Only a number of milliseconds is no other default than the duration that it stands for.
    """
    if (before.type, after.type) in (("Integer", "Duration"), ("Long", "Duration")):
        return not means_the_same(before, after)
    return bool(before.default != after.default)


def means_the_same(before: Option, after: Option) -> bool:
    """Whether Flink makes the same of two defaults of an option, however they are written: ``5 minutes``, ``5 min``."""
    return bool(_plain(before, after) == _plain(after, before))


def changes_type(before: Option, after: Option) -> bool:
    """Whether two definitions of an option differ in their type or in the values they take."""
    return before.type != after.type or set(before.enum) != set(after.enum)


def _plain(option: Option, other: Option) -> object:
    """A default as what can be compared with that of another type."""
    value = typed_default(option)
    if option.type == "String" and isinstance(value, str):
        # What later releases read as a duration or a size was one before, too; the newest grammar reads all of them.
        with suppress(BadValue):
            value = parse(other.type, other.enum, value, NEWEST, yaml=False)
    if option.type in ("Integer", "Long") and isinstance(value, int) and other.type == "Duration":
        return value * MILLISECOND
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value.lower() if isinstance(value, str) and "Enum" in (option.type, other.type) else value
