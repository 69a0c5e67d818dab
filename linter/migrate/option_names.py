"""Names of options by release, and whether a list or map is parsed differently in `config.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.options import Option, catalogue
from flink_flint.linter.flink.releases import LAST_FLINK_CONF, MINORS
from flink_flint.linter.flink.values import parse


def is_parsed_differently(key: str, value: str, to: int) -> bool:
    """Return whether a list or map is parsed differently in a `config.yaml` than in a `flink-conf.yaml`."""
    accepted = catalogue().accept(key, LAST_FLINK_CONF)
    if accepted is None or not accepted.option.type.startswith(("List", "Map")) or accepted.how == "map":
        return False
    if is_templated(value):
        return False
    option = accepted.option
    return _made(option, value, LAST_FLINK_CONF, yaml=False) != _made(option, value, to, yaml=True)


def _made(option: Option, value: str, index: int, *, yaml: bool) -> object:
    """Return the value that a release reads for an option; None if it refuses the text."""
    try:
        return parse(option.type, option.enum, value, index, yaml=yaml)
    except BadValue:
        return None


class Names:
    """Determines, for each option in a file, the key from which a release reads it with unchanged meaning."""

    def __init__(self, settings: Mapping[str, str], to: int) -> None:
        self._settings = settings
        self._to = to
        self._options = catalogue()
        self._current: dict[str, list[str]] = {}
        for key in self._settings:
            for name in self._options.current_names(key):
                self._current.setdefault(name, []).append(key)
        names = {key: self._name(key) for key in self._settings}
        self.renamed = {key: name for key, name in names.items() if name is not None}

    def of(self, key: str, note: Callable[[str, str], None]) -> str:
        """Return the key to write in place of `key`; `note` receives remarks on the change.

        `note` is called if the name differs, and with the reason for keeping an old one."""
        if key in self.renamed:
            note(f"{key} is written as {self.renamed[key]}", "info")
            return self.renamed[key]
        now = self._options.accept(key, self._to)
        if now is None and self._options.accept(key, LAST_FLINK_CONF):
            note(f"Flink {MINORS[self._to]} does not read {key} and has no other name for it", "warning")
        elif now is not None and now.how == "deprecated":
            name = now.option.key
            note(f"{key} is kept, although it is an old name: {name} would have another meaning in this file", "info")
        return key

    def _name(self, key: str) -> str | None:
        """Return the release's name for the single option that a key means; None if it must not be renamed."""
        options, to = self._options, self._to
        newest = options.current_names(key)
        before = options.accept(key, LAST_FLINK_CONF)
        if len(newest) != 1 or before is None or before.how in ("template", "map"):
            return None
        name, after, _ = options.reading(newest[0], to)
        if after is None or after.deprecated:
            return None
        if name in self._settings or len(self._current[newest[0]]) > 1:
            return None  # it is current, or another name of the option is set as well: precedence must not change
        if not all(self._serves_the_same(key, name, index) for index in {LAST_FLINK_CONF, to}):
            return None
        return name if before.option.type == after.type else None  # it accepts at least what the old name did

    def _serves_the_same(self, key: str, name: str, index: int) -> bool:
        """Return whether a release reads both names for the same options, or knows only one of them."""
        options = self._options
        if not options.accept(key, index) or not options.accept(name, index):
            return True
        return options.readers(key, index) - {key} == options.readers(name, index) - {key}
