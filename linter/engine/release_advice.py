"""Adapts the option keys in the help and fix of a finding to the releases that the file is for.

An option that a typed field of a custom resource sets is named by the field, because the operator ignores the key.

Rules name options by their newest keys. Where a file is for older releases, too, the help has to name a spelling that
all of them read, and if there is none, the releases that read it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from flink_flint.linter.flink.options import Catalogue, catalogue
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.flink.releases import spell
from flink_flint.linter.model.finding import Finding, Operation
from flink_flint.linter.text.lazy_regex import regex

_KEY = regex(
    r"(?<![\w./$`{@-])[a-z][A-Za-z0-9]*(?:[.-][A-Za-z0-9]+)*\.[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w/(@<-]|\.\w)"
)
_RELEASE = regex(r"(?<![\w.])[12]\.[0-9]{1,2}(?![\w.]*\d)")
_TAKES_OUT = (("delete",), ("remove",), ("without",), ("take",), ("instead", "of"), ("in", "place", "of"))
"""What a help says before a key that is to go."""


def advise(finding: Finding, written: Mapping[str, Entry], releases: Sequence[int], asked: Sequence[int]) -> None:
    """Replace option keys in a finding's help with keys that `releases` read and, if possible, all of `asked` read.

    Keys that are `written` in the file and read are left as they are, unless a field of a custom resource sets the
    option, and a help that names releases itself is left as it is. A fix is dropped if it renames a key to one that
    some of the releases do not read: it would turn the setting off.
    """
    options = catalogue()
    if finding.help is not None and not _RELEASE.search(finding.help):
        _respell(finding, options, written, releases, asked)
    fix = finding.proposed
    if fix is not None:
        for one in fix.operations:
            if isinstance(one, Operation) and one.how == "rename" and not _is_safe(options, one.new, releases):
                finding.proposed = None
                return


def _is_taken_out(text: str, place: int) -> bool:
    """Return whether the words before the key at a place say that it is to go; an expression costs more to compile."""
    words = text[:place].split() if text[:place].endswith((" ", "\n")) else []
    if words and words[-1] == "the":
        words.pop()
    return any(tuple(words[-len(said) :]) == said for said in _TAKES_OUT)


def _respell(
    finding: Finding, options: Catalogue, written: Mapping[str, Entry], releases: Sequence[int], asked: Sequence[int]
) -> None:
    text = finding.raw_help
    limited: dict[str, None] = {}

    def spelled(match: re.Match[str]) -> str:
        key = match[0]
        entry = written.get(key)
        if entry is not None and entry.field and not _is_taken_out(text, match.start()):
            return entry.field
        if (
            (key in written and _read_by(options, key, releases))
            or options.passes_through(key)
            or not options.releases(key)
            or _is_taken_out(text, match.start())
        ):
            return key
        for wanted in (asked, releases):
            if (name := common_name(options, key, wanted)) is not None:
                return name
        limited[key] = None
        return key

    help_text = _KEY.sub(spelled, text)
    by_releases: dict[str, list[str]] = {}
    for key in limited:
        readers = [index for index in releases if options.accept(key, index)]
        if readers:
            by_releases.setdefault(spell(readers), []).append(key)
    for readers_text, keys in by_releases.items():
        help_text += f" ({' and '.join(keys)} {'is' if len(keys) == 1 else 'are'} read by Flink {readers_text} only)"
    if help_text != text:
        finding.help = help_text


def common_name(options: Catalogue, key: str, indices: Sequence[int]) -> str | None:
    """Return the newest key of an option that all of the given releases read; None if there is none."""
    if _read_by(options, key, indices):
        return key
    names: dict[str, None] = {}
    for index in reversed(indices):
        name = options.primary_name(key, index)
        if name is not None:
            names[name] = None
            option = options.option(name, index)
            if option is not None:
                names.update(dict.fromkeys(option.lookup_order))
    meant = set(options.current_names(key)) or {key}
    for name in names:
        if _read_by(options, name, indices) and meant == set(options.current_names(name)):
            return name
    return None


def _is_safe(options: Catalogue, key: str, releases: Sequence[int]) -> bool:
    return not options.releases(key) or _read_by(options, key, releases)


def _read_by(options: Catalogue, key: str, indices: Sequence[int]) -> bool:
    return all(options.accept(key, index) is not None for index in indices)
