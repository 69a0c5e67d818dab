"""The upgrade report: for each document, breaking changes, renames, changed precedence, and changed defaults."""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.engine.discovery import Problem
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output.memory.derived_memory import Process
from flink_flint.linter.text.named_tuple import NamedTuple


class Where(NamedTuple):
    """A location in a file, with the text of its line."""

    path: str
    line: int
    column: int
    text: str
    """The text of the line, with secrets masked."""


class Broken(NamedTuple):
    """A line or file that the newer release no longer accepts, or interprets differently."""

    kind: str
    """The kind of incompatible change, such as ``lost`` or ``refused``.

    ``lost``: the key is not read any more; ``refused``: the value is rejected; ``meaning``: the value is read
    differently; ``file``: the file is not read; ``memory``: the sizes are inconsistent; ``awakened``: a line without
    effect gets one.
    """
    severity: Severity
    where: Where
    key: str | None
    message: str
    help: str | None
    successor: str | None = None
    """The option's newest key if `--fix` may write it in place of `key`; otherwise None."""


class Rename(NamedTuple):
    """A key that the newer release still reads, but only as a deprecated or fallback key."""

    where: Where
    key: str
    names: tuple[str, ...]
    """The keys that the newer release uses for the options that the renamed key sets."""
    by_hand: str | None
    """The reason why `--fix` does not rename the key; None if it does."""


class Written(NamedTuple):
    """A key of an option as written in a file, with its location, and its value with secrets masked."""

    where: Where
    key: str
    value: str


class Winner(NamedTuple):
    """An option that is set under two keys, of which each release prefers a different one."""

    option: str
    before: Written
    after: Written


class Default(NamedTuple):
    """An option that is not set and whose default differs in the newer release."""

    key: str
    former: str
    """The primary key of the option in the older release."""
    before: str | None
    after: str | None
    weight: int
    """The rank of the changed default, most important first: 0 memory, 1 known effect, 2 read by a rule, 3 others."""
    effect: str | None
    same: bool
    """Whether the behavior is unchanged: the default is only written differently, or unset had the same effect."""
    applies: bool
    """Whether the document uses the feature that the option configures, so that the option has an effect."""

    @property
    def matters(self) -> bool:
        """Whether the report lists the changed default even without `--all-defaults`."""
        return self.applies and not self.same and self.weight < OTHER


MEMORY, EFFECT, READ, OTHER = range(4)
"""The values of `Default.weight`, most important first: affects memory, known effect, read by a rule, others."""


class Named(NamedTuple):
    """A line that names the old release, with the text to write instead."""

    where: Where
    text: str
    """The part of the line that names the old release."""
    replacement: str
    """The replacement for `text` to show to users, which may contain a remark."""
    written: str | None = None
    """The replacement for `text` that `--fix` writes; None if flint is not certain of it."""


class Crossing(NamedTuple):
    """The effects of the upgrade on one document."""

    document: Document
    before: Release
    evidence: str
    """The evidence for the document's current Flink release."""
    broken: tuple[Broken, ...]
    renamed: tuple[Rename, ...]
    winners: tuple[Winner, ...]
    defaults: tuple[Default, ...]
    """The changed defaults of options that the document does not set, most important first."""
    memory: Mapping[str, tuple[Process, Process]]
    """The processes before and after the upgrade, by name; their memory is None if the configuration is partial."""
    new: tuple[Finding, ...]
    """The findings that rules report only for the newer release."""
    gone: tuple[Finding, ...]
    named: tuple[Named, ...]

    @property
    def worst(self) -> Severity | None:
        """The highest severity of the effects on the document; None if none of them needs attention."""
        levels = [one.severity for one in self.broken] + [finding.severity for finding in self.new]
        if self.winners:
            levels.append(Severity.WARNING)
        if self.renamed or self.named or any(default.matters for default in self.defaults):
            levels.append(Severity.INFO)
        return max(levels, default=None)

    @property
    def is_unchanged(self) -> bool:
        """Whether the upgrade changes nothing in the document except defaults of little effect."""
        has_moved = any(before.derived != after.derived for before, after in self.memory.values())
        return self.worst is None and not self.gone and not has_moved


class Note(NamedTuple):
    """A note on a requirement of an upgrade beyond configuration files, with its source."""

    title: str
    text: str
    source: str

    @property
    def is_link(self) -> bool:
        """Whether the note consists only of a link to its source."""
        return not self.text


class Level(NamedTuple):
    """A document whose release is already the target minor release or a later one."""

    document: Document
    release: Release
    evidence: str


class Upgrade(NamedTuple):
    """The report on the upgrade of all documents in a run."""

    to: Release
    crossings: tuple[Crossing, ...]
    level: tuple[Level, ...]
    unseen: tuple[Note, ...]
    problems: tuple[Problem, ...]
    files: int
    crashed: bool

    @property
    def worst(self) -> Severity | None:
        """The highest severity of all documents; None if nothing needs attention."""
        return max((level for one in self.crossings if (level := one.worst) is not None), default=None)

    @property
    def starts(self) -> tuple[Release, ...]:
        """The releases that the documents are upgraded from, oldest first."""
        starts = {one.before for one in self.crossings}
        return tuple(sorted(starts, key=lambda one: (one.major, one.minor, one.patch is None, one.patch or 0)))


def name_of(document: Document) -> str:
    """Return the name under which reports show a document: its file's path, and its own name if it has one."""
    return f"{document.path} ({document.name})" if document.name else document.path
