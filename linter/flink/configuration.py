"""The effective configuration: the values that one Flink release reads for its options.

A `Configuration` has the settings of a file (key -> value as typed by the file's parser) and provides values by option.
Options are named by their newest primary key; the key in a given release, its fallback and deprecated keys, its default
and the grammar of its value come from that release (the option catalogue). Order of precedence: primary key, then the
aliases in the option's own order, then the default; for each of these keys that is not set itself, a map option
collects the `key.<sub>` entries before it goes on to the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import FIRST_PREFIX_MAP, Catalogue, Option, catalogue
from flink_flint.linter.flink.releases import NEWEST, Release, nearest_index
from flink_flint.linter.flink.values import grammar_range, parse
from flink_flint.linter.text.named_tuple import NamedTuple

__all__ = ["BadValue", "Configuration", "Resolution"]


class Resolution(NamedTuple):
    """How a release reads one option."""

    option: Option | None
    """The option as the release defines it; None if the release does not have it."""
    name: str
    """The primary key of the option in the release, or the requested key if the release does not have the option."""
    written: str | None
    """The key in the configuration that provides the option's value; None if nothing sets the option."""
    raw: object
    """The option's value with the type that the file's parser gave it; None if nothing sets the option."""


class Configuration:
    """The values that one release reads from one set of entries.

    `first` and `last` bound the minor releases (indices) for which every result so far is the same; each query
    restricts them. To check many releases, evaluate one and continue after `last` (or before `first`) instead of
    evaluating each; `reset_bounds` resets the bounds for the next query. With `sole`, when only one release is of
    interest, the bounds are not maintained. A release outside the catalogue is read as the nearest minor release.
    """

    def __init__(
        self,
        settings: Mapping[str, object],
        release: Release,
        *,
        yaml: bool,
        sole: bool = False,
        options: Catalogue | None = None,
    ) -> None:
        self.settings = settings
        self.release = release
        self.index = nearest_index(release)
        self.yaml = yaml
        self.sole = sole
        self.catalogue = options or catalogue().as_of(release)
        self.first, self.last = 0, NEWEST
        self._resolutions: dict[str, tuple[Resolution, int, int]] = {}
        self._values: dict[str, tuple[object, int, int]] = {}

    def with_value(self, key: str, value: object) -> Configuration:
        """Return a copy with another value for one key; cached results for other keys are kept."""
        other = Configuration(
            {**self.settings, key: value}, self.release, yaml=self.yaml, sole=self.sole, options=self.catalogue
        )
        other._resolutions = {
            name: known
            for name, known in self._resolutions.items()
            if known[0].written != key and not isinstance(known[0].raw, dict)
        }
        other._values = {name: known for name, known in self._values.items() if name in other._resolutions}
        return other

    def reset_bounds(self) -> None:
        """Reset `first` and `last` to all minor releases, before independent queries."""
        self.first, self.last = 0, NEWEST

    def restrict(self, first: int, last: int) -> None:
        """Narrow the bounds `self.first` and `self.last` to the given range of minor releases."""
        if not self.sole:
            self.first = max(self.first, first)
            self.last = min(self.last, last)

    def restrict_to(self, key: str) -> None:
        """Narrow the bounds of this object to the minor releases that read `key` in the same way as this release."""
        if not self.sole:
            self.restrict(*self.catalogue.release_range(key, self.index))

    def resolve(self, key: str) -> Resolution:
        """Return where the value of an option comes from in this release."""
        known = self._resolutions.get(key)
        if known is None:
            known = self._resolve(key)
            self._resolutions[key] = known
        if not self.sole:
            self.restrict(known[1], known[2])
        return known[0]

    def _resolve(self, key: str) -> tuple[Resolution, int, int]:
        options, index, settings = self.catalogue, self.index, self.settings
        first, last = self._release_range(key)
        name, option, spellings = options.reading(key, index)
        if name != key:
            low, high = self._release_range(name)
            first, last = max(first, low), min(last, high)
        if option is None:
            return Resolution(None, key, None, None), first, last
        is_map = option.type == "Map"
        for spelling in spellings:
            if spelling in settings:
                return Resolution(option, name, spelling, settings[spelling]), first, last
            written = [key for key in settings if key.startswith(f"{spelling}.")] if is_map else ()
            if written and index >= FIRST_PREFIX_MAP:
                parts = {key[len(spelling) + 1 :]: settings[key] for key in written}
                return Resolution(option, name, written[0], parts), max(first, FIRST_PREFIX_MAP), last
            if written:
                last = min(last, FIRST_PREFIX_MAP - 1)
        return Resolution(option, name, None, None), first, last

    def _release_range(self, key: str) -> tuple[int, int]:
        return (0, NEWEST) if self.sole else self.catalogue.release_range(key, self.index)

    def overridden_by(self, key: str) -> str | None:
        """Return the key, set for the same option, that Flink reads instead of `key`; None if it reads `key` itself.

        An alias of several options counts as read if one of them reads it. Also None for a key that the release does
        not know.
        """
        options, index, settings = self.catalogue, self.index, self.settings
        self.restrict_to(key)
        accepted = options.accept(key, index)
        if accepted is None:
            return None
        if accepted.how == "map":
            parent = accepted.option.key
            return parent if parent in settings else None
        names = options.readers(key, index)
        if accepted.option.deprecated:
            names -= {key}
        found: str | None = None
        for name in sorted(names):
            option = options.option(name, index)
            assert option is not None
            self.restrict_to(name)
            first = next((spelling for spelling in (name, *option.lookup_order) if spelling in settings), key)
            if first == key:
                return None
            found = first
        return found

    def is_set(self, key: str) -> bool:
        """Return whether the option is set, under any spelling that this release accepts."""
        return self.resolve(key).written is not None

    def is_known(self, key: str) -> bool:
        """Return whether the value is known; False if it contains a template expression or is null in YAML."""
        return not _is_open(self.resolve(key))

    def value(self, key: str) -> object:
        """Return the typed value that is set for an option, otherwise the release's default; None if there is neither.

        Also None if the value is unknown (a template expression). Raises `BadValue` if Flink rejects the value.
        """
        known = self._values.get(key)
        if known is None:
            resolution = self.resolve(key)
            _, first, last = self._resolutions[key]
            low, high = self._grammar(resolution)
            known = self._values[key] = self._value(resolution), max(first, low), min(last, high)
        value, first, last = known
        if not self.sole:
            self.restrict(first, last)
        if isinstance(value, BadValue):
            raise value
        return value

    def _value(self, resolution: Resolution) -> object:
        option = resolution.option
        if option is None:
            return None
        if resolution.written is None:
            return self.default(option)
        if _is_open(resolution):
            return None
        try:
            return self.parse(option, resolution.raw)
        except BadValue as refused:
            return refused

    def parse(self, option: Option, raw: object) -> object:
        """Convert a raw value to the option's type; raise `BadValue` if Flink rejects it."""
        if not self.sole:
            self.restrict(*grammar_range(option.type, self.index))
        return parse(option.type, option.enum, raw, self.index, yaml=self.yaml)

    def _grammar(self, resolution: Resolution) -> tuple[int, int]:
        if self.sole or resolution.option is None or resolution.written is None:
            return 0, NEWEST
        return grammar_range(resolution.option.type, self.index)

    def default(self, option: Option) -> object:
        """Return the typed default of an option; None if it has none. A machine-dependent default is a string token."""
        default = typed_default(option)
        return default.copy() if isinstance(default, (list, dict)) else default


@cache
def typed_default(option: Option) -> object:
    """Return the typed default of an option, as an object shared by all callers; None if it has none."""
    if option.default is None or isinstance(option.default, (list, dict)):
        return option.default
    try:
        # The catalogue spells defaults the same way for all releases, in the newest grammar.
        return parse(option.type, option.enum, option.default, NEWEST, yaml=False)
    except BadValue:
        return option.default


def _is_open(resolution: Resolution) -> bool:
    """Return whether the option is set, but to an unknown value: a template expression or null."""
    raw = resolution.raw
    if resolution.written is None:
        return False
    if isinstance(raw, list):
        return any(isinstance(item, str) and is_templated(item) for item in raw)
    return raw is None or (isinstance(raw, str) and is_templated(raw))
