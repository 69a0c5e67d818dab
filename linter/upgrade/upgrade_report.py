"""What is said of a crossing: per document what breaks, what is renamed, which value wins, which defaults change."""

from __future__ import annotations

from collections.abc import Mapping

from flink_flint.linter.engine.discovery import Problem
from flink_flint.linter.flink.releases import Release
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.output.derived_memory import Process
from flink_flint.linter.text.named_tuple import NamedTuple


class Where(NamedTuple):
    """A place as people look it up."""

    path: str
    line: int
    column: int
    text: str
    """The line, secrets masked."""


class Broken(NamedTuple):
    """Something that the newer release takes no more, or takes for something else."""

    kind: str
    """``lost`` (the key is not read), ``refused`` (the value), ``meaning`` (it is read otherwise), ``file`` (it is not
    read), ``memory`` (the sizes no longer add up), ``awakened`` (a line that did nothing counts)."""
    severity: Severity
    where: Where
    key: str | None
    message: str
    help: str | None
    successor: str | None = None
    """The newest name of the very option, where `--fix` may write that."""


class Rename(NamedTuple):
    """A key that the newer release still reads, as an old name."""

    where: Where
    key: str
    names: tuple[str, ...]
    """What the newer release calls what it is read for."""
    by_hand: str | None
    """Why `--fix` leaves it alone; None where it renames it."""


class Written(NamedTuple):
    """A spelling of an option with its value, masked."""

    where: Where
    key: str
    value: str


class Winner(NamedTuple):
    """An option that is written twice, and of which another spelling counts in the newer release."""

    option: str
    before: Written
    after: Written


class Default(NamedTuple):
    """An option nobody sets, of which the newer release has another default."""

    key: str
    former: str
    """What the older release calls it."""
    before: str | None
    after: str | None
    weight: int
    """What it is to a reader: 0 memory, 1 with a known effect, 2 read by a rule, 3 the others."""
    effect: str | None
    same: bool
    """Whether it comes to the same: only the spelling changed, or unset meant that before, too."""
    applies: bool
    """Whether the document uses what the option is about."""

    @property
    def matters(self) -> bool:
        """Whether it is worth a line unasked."""
        return self.applies and not self.same and self.weight < OTHER


MEMORY, EFFECT, READ, OTHER = range(4)
"""The weights of defaults."""


class Named(NamedTuple):
    """A line that names the old release."""

    where: Where
    text: str
    """What names it."""
    wanted: str
    """What to write instead."""


class Crossing(NamedTuple):
    """What the step does to one document."""

    document: Document
    before: Release
    evidence: str
    """What says that this is its release."""
    broken: tuple[Broken, ...]
    renamed: tuple[Rename, ...]
    winners: tuple[Winner, ...]
    defaults: tuple[Default, ...]
    """All that changed and are not set, what weighs most first."""
    memory: Mapping[str, tuple[Process, Process]]
    """The processes before and after; both without memory for a part of a configuration."""
    new: tuple[Finding, ...]
    """What rules find in the newer release alone."""
    gone: tuple[Finding, ...]
    named: tuple[Named, ...]

    @property
    def worst(self) -> Severity | None:
        """How bad it is; None if there is nothing to say."""
        levels = [one.severity for one in self.broken] + [finding.severity for finding in self.new]
        if self.winners:
            levels.append(Severity.WARNING)
        if self.renamed or self.named or any(default.matters for default in self.defaults):
            levels.append(Severity.INFO)
        return max(levels, default=None)


class Note(NamedTuple):
    """What no file shows, with its source."""

    title: str
    text: str
    source: str

    @property
    def is_link(self) -> bool:
        """Whether the source says it all."""
        return not self.text


class Level(NamedTuple):
    """A document that is there already."""

    document: Document
    release: Release
    evidence: str


class Upgrade(NamedTuple):
    """The step, for all documents of a run."""

    to: Release
    crossings: tuple[Crossing, ...]
    level: tuple[Level, ...]
    unseen: tuple[Note, ...]
    problems: tuple[Problem, ...]
    files: int
    crashed: bool

    @property
    def worst(self) -> Severity | None:
        """The worst of all documents; None if there is nothing to say of any."""
        return max((level for one in self.crossings if (level := one.worst) is not None), default=None)

    @property
    def starts(self) -> tuple[Release, ...]:
        """The releases that are left, oldest first."""
        return tuple(
            sorted({one.before for one in self.crossings}, key=lambda one: (one.major, one.minor, one.patch or 0))
        )


def name_of(document: Document) -> str:
    """A document as its reader knows it."""
    return f"{document.path} ({document.name})" if document.name else document.path
