"""The effects of an upgrade on the settings of one document: removed and renamed keys, refused values, precedence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.flink.configuration import BadValue, Configuration
from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.options import Option
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.release_differences import lost_key, successors
from flink_flint.linter.flink.releases import LAST_FLINK_CONF, MINORS
from flink_flint.linter.flink.secrets import HIDDEN, may_be_secret
from flink_flint.linter.flink.values import MILLISECOND, Duration, parse
from flink_flint.linter.model.document import Document, LayeredEntry
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.safe_text import neutral_columns
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span
from flink_flint.linter.upgrade.upgrade_report import Broken, Rename, Where, Winner, Written

REMOVED, RENAMED = "removed-key", "deprecated-key"
"""The names of the rules that report removed keys and deprecated keys."""


class Sides(NamedTuple):
    """A document as the older and the newer release read it."""

    document: Document
    settings: Mapping[str, LayeredEntry]
    """The effective settings of the document and its base layers, by key."""
    before: Configuration
    after: Configuration
    findings: Sequence[Finding]
    """The findings that rules report for the newer release."""

    @property
    def own(self) -> Iterator[Entry]:
        """The effective entries of the document itself, without those of its base layers."""
        return (one.entry for one in self.settings.values() if one.document is self.document)

    def at(self, entry: Entry) -> list[Finding]:
        """Return the findings at an entry in the newer release: those of rule `REMOVED` first, then by severity."""
        path = self.document.path
        found = [one for one in self.findings if one.path == path and one.span in (entry.key_span, entry.value_span)]
        return sorted(found, key=lambda one: (one.rule != REMOVED, -one.severity))


def where(document: Document, span: Span) -> Where:
    """Return the location of a span in a document, with the text of its line, in which secrets are masked."""
    position = document.lines.position(span.start)
    line = document.lines.span(position.line)
    shown = mask_of(document).line(document.text, line, span)[0].strip()
    return Where(document.path, *position, neutral_columns(shown))


def lost(sides: Sides) -> Iterator[Broken]:
    """Yield the keys that the older release reads and the newer release does not."""
    before, after = sides.before, sides.after
    for entry in sides.own:
        if entry.layer or before.overridden_by(entry.key) or after.catalogue.passes_through(entry.key):
            continue
        gone = lost_key(entry.key, before.catalogue, before.index, after.catalogue, after.index)
        if gone is None:
            continue
        finding = next((one for one in sides.at(entry) if one.rule != RENAMED), None)
        names = successors(entry.key, before.index, after.catalogue, after.index)
        successor = finding.key if finding and finding.rule == REMOVED and finding.fix and len(names) == 1 else None
        remedy = f"write {' and '.join(names)}" if names else "delete the line; the option has no replacement"
        yield Broken(
            "lost",
            Severity.INFO if finding and finding.severity is Severity.INFO else Severity.ERROR,
            where(sides.document, entry.key_span),
            entry.key,
            f"{entry.key} is last read by Flink {MINORS[gone.last]}; from {MINORS[gone.last + 1]} on the line"
            " is silently ignored",
            f"{(finding.help if finding else None) or remedy}{' (--fix does)' if successor else ''}",
            successor,
        )


def values(sides: Sides) -> Iterator[Broken]:
    """Yield the values that the newer release refuses or interprets differently."""
    before, after, document = sides.before, sides.after, sides.document
    # What is only read from config.yaml has to move there, whatever file it is in today.
    yaml = document.yaml_in(after.index) or (document.is_flink_conf and after.index > LAST_FLINK_CONF)
    for entry in sides.own:
        old = before.catalogue.accept(entry.key, before.index)
        new = after.catalogue.accept(entry.key, after.index)
        if old is None or new is None or "map" in (old.how, new.how) or after.overridden_by(entry.key):
            continue
        if entry.value is None or is_templated(entry.text):
            continue
        try:
            was = parse(old.option.type, old.option.enum, entry.value, before.index, yaml=before.yaml)
        except BadValue:
            continue  # the older release did not accept it either
        finding = next((one for one in sides.at(entry) if one.rule != RENAMED and one.help), None)
        try:
            now = parse(new.option.type, new.option.enum, entry.value, after.index, yaml=yaml)
        except BadValue as refused:
            yield Broken(
                "refused",
                Severity.ERROR,
                where(document, entry.value_span),
                entry.key,
                f"Flink {after.release} refuses this value of {entry.key}: {_shown(document, entry.key, refused)}",
                finding.help if finding else _remedy(new.option),
            )
            continue
        if _is_another(old.option, was, new.option, now):
            yield Broken(
                "meaning",
                Severity.ERROR,
                where(document, entry.value_span),
                entry.key,
                f"{entry.key} is {_shown(document, entry.key, was)} in Flink {before.release}"
                f" and {_shown(document, entry.key, now)} in {after.release}",
                finding.help if finding else None,
            )


def split(sides: Sides) -> Iterator[Broken]:
    """Yield the options that fall back to another option's key in the older release but not in the newer release."""
    before, after = sides.before, sides.after
    for entry in sides.own:
        mine = after.catalogue.current_names(entry.key)
        for name in sorted(before.catalogue.readers(entry.key, before.index) - {entry.key}):
            if name in mine or name in after.catalogue.readers(entry.key, after.index):
                continue
            old, new = before.resolve(name), after.resolve(name)
            if old.option is None or new.option is None or old.written != entry.key or new.written is not None:
                continue
            try:
                was, now = before.parse(old.option, entry.value), after.parse(new.option, new.option.default)
            except BadValue:
                continue
            if was == now:
                continue
            yield Broken(
                "meaning",
                Severity.WARNING,
                where(sides.document, entry.key_span),
                entry.key,
                f"{name} falls back to {_shown(sides.document, entry.key, was)} from this line in Flink"
                f" {before.release}; in {after.release} it does not and is {now}",
                f"set {name} as well",
            )


def _remedy(option: Option) -> str:
    if option.enum:
        return f"write one of {', '.join(option.enum)}"
    kinds = {"Duration": "a duration, such as 10 s", "MemorySize": "a size, such as 64 mb"}
    if option.type.startswith("List<"):
        return "write a YAML list: [a, b]"
    return f"write {kinds.get(option.type, f'a value of the type {option.type}')}"


def _is_another(old: Option, was: object, new: Option, now: object) -> bool:
    """Return whether a value changes its meaning, as far as the two types can be compared."""
    if old.type in ("Integer", "Long") and isinstance(was, int) and isinstance(now, Duration):
        return was * MILLISECOND != int(now)
    return old.type == new.type and was != now


def newly_effective(sides: Sides) -> Iterator[Broken]:
    """Yield the lines that take effect with the upgrade because only the newer release knows their keys."""
    before, after = sides.before, sides.after
    for entry in sides.own:
        if entry.layer or before.catalogue.accept(entry.key, before.index) or after.overridden_by(entry.key):
            continue
        accepted = after.catalogue.accept(entry.key, after.index)
        if accepted is None or after.catalogue.passes_through(entry.key):
            continue
        first = next(index for index in after.catalogue.releases(entry.key) if index > before.index)
        yield Broken(
            "awakened",
            Severity.WARNING,
            where(sides.document, entry.key_span),
            entry.key,
            f"Flink {before.release} does not know {entry.key} and ignores the line; it takes effect from"
            f" {MINORS[first]} on",
            "delete the line unless this is intended",
        )


def renamed(sides: Sides) -> Iterator[Rename]:
    """Yield the keys that the newer release still reads, but only as deprecated or fallback keys."""
    after = sides.after
    for entry in sides.own:
        accepted = None if entry.layer else after.catalogue.accept(entry.key, after.index)
        if accepted is None or accepted.how not in ("deprecated", "fallback") or after.overridden_by(entry.key):
            continue
        names = tuple(sorted(after.catalogue.readers(entry.key, after.index)))
        fixes = [one.fix for one in sides.at(entry) if one.rule == RENAMED and one.fix is not None]
        by_hand = None
        if len(names) > 1:
            by_hand = "it means several options"
        elif not any(fix.safe for fix in fixes):
            by_hand = "other options would get the value, too" if fixes else "it cannot be renamed in place"
            if _is_refused(after, accepted.option, entry):
                by_hand = "its value is refused"
        yield Rename(where(sides.document, entry.key_span), entry.key, names, by_hand)


def _is_refused(configuration: Configuration, option: Option, entry: Entry) -> bool:
    try:
        configuration.parse(option, entry.value)
    except BadValue:
        return True
    return False


def winners(sides: Sides) -> Iterator[Winner]:
    """Yield the options set under two keys, of which the older release uses one and the newer release the other."""
    before, after = sides.before, sides.after
    names = {name: None for entry in sides.own for name in after.catalogue.current_names(entry.key)}
    for name in names:
        old, new = before.resolve(name), after.resolve(name)
        if old.written is None or new.written is None:
            continue
        if (old.option and old.option.type == "Map") or (new.option and new.option.type == "Map"):
            continue
        one, other = sides.settings[old.written], sides.settings[new.written]
        if sides.document not in (one.document, other.document) or _are_equal(after, new.option, one, other):
            continue
        yield Winner(new.name, _written(one), _written(other))


def _are_equal(configuration: Configuration, option: Option | None, one: LayeredEntry, other: LayeredEntry) -> bool:
    """Return whether two spellings have the same value, in whatever unit."""
    if one.entry.text == other.entry.text:
        return True
    try:
        return option is not None and (
            configuration.parse(option, one.entry.value) == configuration.parse(option, other.entry.value)
        )
    except BadValue:
        return False


def _written(layered: LayeredEntry) -> Written:
    entry, document = layered
    return Written(where(document, entry.key_span), entry.key, _shown(document, entry.key, entry.text))


def _shown(document: Document, key: str, value: object) -> str:
    """Return a value of a key with its secrets masked, or what says something about that value."""
    return HIDDEN if may_be_secret(key) else mask_of(document)(str(value))
