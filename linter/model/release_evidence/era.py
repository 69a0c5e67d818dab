"""The era of a configuration whose release is not stated: the releases that read all of its keys and options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import spell
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document


class Era(NamedTuple):
    """The releases that are possible according to a file's keys, and the keys that show this."""

    indices: tuple[int, ...]
    keys: tuple[str, ...]
    """The key that rules out older releases and the key that rules out newer ones; either may be missing.

    The latter may be an option or action of a command that newer releases do not have.
    """

    @property
    def evidence(self) -> str:
        """The evidence for the era, as reports show it."""
        are = "reads" if len(self.indices) == 1 else "read"
        return f"unknown, only {spell(self.indices)} {are} {' and '.join(self.keys)}"


def era_of(document: Document, candidates: Sequence[int]) -> Era | None:
    """Return the candidate releases that read all Flink keys and options of a document; None if all or none of them do.

    None if that is all of them, or none of them: a file whose keys are of two eras has leftovers of one, and nothing
    shows which. Settings that the file does not name by their keys (fields, calls of a program) show nothing.
    """
    options = catalogue()
    left = set(candidates)
    first, last = candidates[0], candidates[-1]
    oldest = newest = ""
    for key, entry in document.effective.items():
        if entry.layer:
            continue
        releases = options.releases(key)
        if not releases:
            continue
        if releases[0] > first:
            first, oldest = releases[0], key
        if releases[-1] < last:
            last, newest = releases[-1], key
        left.intersection_update(releases)
        if not left:
            return None
    for option, until in _removed_options(document) if document.kind == "shell" else ():
        if until < last:
            last, newest = until, option
        left = {index for index in left if index <= until}
        if not left:
            return None
    if len(left) == len(candidates):
        return None
    return Era(tuple(sorted(left)), tuple(dict.fromkeys(key for key in (oldest, newest) if key)))


def _removed_options(document: Document) -> Iterator[tuple[str, int]]:
    """Yield the options and actions that newer releases do not have, as written, with the last release of each."""
    from flink_flint.linter.flink.deployment.command_options import LAST_RUN_APPLICATION, removed_options

    for element in document.elements:
        if element.kind == "command":
            action = str(element.value("action") or "")
            if action == "run-application":
                yield action, LAST_RUN_APPLICATION
            for name, removed in removed_options(element.name, action).items():
                attribute = element.attributes.get(f"options.{name}")
                if attribute is not None:
                    span = attribute.key_span or attribute.span
                    yield document.text[span.start : span.end].partition("=")[0], removed.last
