"""Upgrades files that name their own release: `--fix` writes both the new keys and the new release, or neither.

A file such as a custom resource names the release that reads it. New keys beside the old release are ignored by Flink,
so both change in one step. If any part of the step is not certain, the file stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Lines
from flink_flint.linter.upgrade.upgrade_report import Crossing, Named, Upgrade

_NOT_REWRITABLE = "line {} names the old release in a way that flint cannot rewrite"


class ReleaseStep(NamedTuple):
    """The files of an upgrade that name their own release."""

    lines: Mapping[str, tuple[Named, ...]]
    """The lines that name the old release, with their new text, by path, for files that can be upgraded in one step."""
    files: Mapping[str, Source]
    """The files that can be upgraded in one step, by path, with contents that name the new release."""
    blocked: Mapping[str, str]
    """The reasons why files cannot be upgraded in one step, by path."""


def release_step(upgrade: Upgrade, sources: Iterable[Source]) -> ReleaseStep:
    """Return which files that name their own release can be upgraded in one step, and why others cannot."""
    lines: dict[str, list[Named]] = {}
    blocked: dict[str, str] = {}
    for crossing in upgrade.crossings:
        path = crossing.document.path
        own = [one for one in crossing.named if one.where.path == path]
        if not own:
            continue
        lines.setdefault(path, []).extend(own)
        reason = next(_obstacles(crossing, own), None)
        if reason is not None:
            blocked.setdefault(path, reason)
    named = {path: tuple(sorted(set(found))) for path, found in lines.items() if path not in blocked}
    files: dict[str, Source] = {}
    for source in sources:
        if source.path not in named:
            continue
        changed = _with_release(source, named[source.path])
        if changed is None:
            blocked[source.path] = _NOT_REWRITABLE.format(named[source.path][0].where.line)
        else:
            files[source.path] = changed
    return ReleaseStep(named, files, blocked)


def _obstacles(crossing: Crossing, own: list[Named]) -> Iterator[str]:
    """Yield what keeps a document from being upgraded in one step."""
    for one in own:
        if one.written is None:
            yield _NOT_REWRITABLE.format(one.where.line)
    for broken in crossing.broken:
        if broken.severity >= Severity.ERROR and not broken.successor:
            yield f"line {broken.where.line} has to be changed by hand"
    for finding in crossing.new:
        if finding.severity >= Severity.ERROR and (finding.fix is None or not finding.fix.safe):
            yield f"{finding.code} {finding.rule} reports an error for the new release"


def _with_release(source: Source, named: tuple[Named, ...]) -> Source | None:
    """Return a file with the new release in place of the old one; None if a line does not read as it did."""
    text = source.data.decode("utf-8", "surrogateescape")
    lines = Lines(text)
    for one in sorted(named, key=lambda line: line.where[1:3], reverse=True):
        start = lines.span(one.where.line).start + one.where.column - 1
        place = text.find(one.text, start, start + len(one.text) + 1)  # a quote may come first
        if place < 0 or one.written is None:
            return None
        text = text[:place] + one.written + text[place + len(one.text) :]
    return source._replace(data=text.encode("utf-8", "surrogateescape"))
