"""Findings of rules: place, severity, confidence, and fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from math import isfinite
from typing import Protocol

from flink_flint.linter.model.safe_text import (
    Text,
    Typing,
    encoded_values,
    key_without_secrets,
    neutral_line,
    typed_by_appearance,
    typed_values,
)
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Position, Span

RELEASES = "\ufdd0"
"""The placeholder in rule messages for the releases that a finding affects, which are known only after evaluation.

A noncharacter of Unicode, which no text contains.
"""


class Severity(IntEnum):
    """The severity of a finding; a higher value is worse."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The name of the severity as shown to users and in the JSON output."""
        return self.name.lower()


class Confidence(IntEnum):
    """The certainty that a finding applies to the checked configuration; a higher value is more certain."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def word(self) -> str:
        """The name of the confidence as shown to users and in the JSON output."""
        return self.name.lower()


def selects(selector: str, *, code: str, rule: str, family: str) -> bool:
    """Return whether a selector is ALL or a rule's code, an FLK prefix of its code, its name, or its family."""
    upper, lower = selector.upper(), selector.lower()
    by_code = upper in ("ALL", code) or (upper.startswith("FLK") and code.startswith(upper))
    return by_code or lower == rule or lower.replace("-", "_") == family


class Place(NamedTuple):
    """A span of a file, with a message about it."""

    path: str
    span: Span
    message: str = ""


class Placed(Protocol):
    """An object that may have a place in a file, such as a setting."""

    def place(self, message: str = "") -> Place | None:
        """Return the place where this object is set in a file; None if no file sets it."""
        ...


class Excerpt(NamedTuple):
    """The lines of a file around a finding, with secrets masked, and the columns to underline."""

    line: int
    """The line number of the first line of the excerpt, from 1."""
    lines: tuple[str, ...]
    start: int
    """The first underlined column in the first line of the excerpt, from 0."""
    end: int
    """The column after the last underlined column in the last line of the excerpt, from 0."""


class Located(NamedTuple):
    """A place converted to lines and columns, with an excerpt."""

    path: str
    start: Position
    end: Position
    message: str
    excerpt: Excerpt


class LocatedEdit(NamedTuple):
    """An edit whose span is converted to lines and columns."""

    path: str
    start: Position
    end: Position
    text: str


class Intent(NamedTuple):
    """The settings that a fix must produce in a document, which is given by its number in the file."""

    document: int
    settings: Mapping[str, str | None]
    """The new value of each changed key; None means that the key is no longer set."""


class Operation(NamedTuple):
    """One change to the settings of a document, before the file format turns it into edits."""

    how: str
    """The kind of change to a setting: "add", "replace", "rename" or "remove"."""
    document: int
    """The index, within its file, of the document to change, from 0."""
    key: str
    new: str = ""
    """The new value of the setting, or its new key for a rename."""
    at: Span | None = None
    """The span of the key of the entry to change; None if an entry is added."""


class Fix(NamedTuple):
    """A change to one file that removes the cause of a finding; a `safe` fix does not change what Flink does."""

    title: str
    operations: Sequence[Operation | Edit]
    """The changes that the fix makes: operations on settings, and edits to other text."""
    safe: bool = True
    path: str = ""
    """The path of the file that the fix changes; empty for the finding's own file."""
    intent: Intent | None = None
    """The settings that the fix must produce; None if any result of its edits is correct."""
    doubt: str = ""
    """The reason why a fix declared safe is unsafe, as a clause without a subject; empty if there is none."""
    edits: Sequence[Edit] = ()
    """The text edits that carry out `operations`; empty until `linter.fix.make_edits` resolves them."""

    @property
    def described(self) -> str:
        """The title of the fix, with a note if the fix is not safe."""
        if self.safe:
            return self.title
        return f"{self.title} ({f'it {self.doubt}' if self.doubt else 'changes what Flink does'})"


def joined(title: str, fixes: Sequence[Fix | None], *, safe: bool) -> Fix | None:
    """Return one fix that combines several fixes of the same file; None if any of them is None."""
    made = [fix for fix in fixes if fix is not None]
    if len(made) < len(fixes):
        return None
    return Fix(title, [one for fix in made for one in fix.operations], safe, made[0].path)


class Finding:
    """One finding of one rule at one place.

    Its texts consist of typed parts (`linter.model.safe_text.Text`) and are encoded when they are read (`message`,
    `help`, `evidence`), so that no output shows a secret. Until `take_types` is called, secrets are recognized by their
    appearance alone. Only `fix` has raw text, because it must be applied exactly.

    `ordinal` distinguishes findings of one rule on the same key; with rule, path, document and key it makes the
    fingerprint, which therefore survives reordering, reformatting and edits of values. `where` and `located` (the
    related places) are filled in by the engine for the reports. A rule only proposes a fix (`proposed`);
    `linter.fix.make_edits` turns it into the `fix` with its `edits` when fixes are shown or applied. `measure` grows as
    the problem gets worse: a baseline covers a finding until its measure grows. `rated` is the severity given by the
    rule; `severity` is the one after flint.toml.
    """

    __slots__ = (
        "_evidence", "_help", "_message", "_note", "anywhere", "beside", "code", "confidence", "document", "edits",
        "family", "flink_version", "key", "layers", "located", "measure", "ordinal", "path", "proposed", "rated",
        "related", "rule", "severity", "span", "url", "voids", "where",
    )  # fmt: skip

    def __init__(
        self,
        message: str,
        span: Span,
        *,
        severity: Severity = Severity.WARNING,
        confidence: Confidence = Confidence.HIGH,
        help: str | None = None,  # noqa: A002 - the contract's name
        key: str | None = None,
        fix: Fix | None = None,
        related: Sequence[Place] = (),
        evidence: Mapping[str, object] | None = None,
        measure: float | None = None,
    ) -> None:
        self.code = self.rule = self.family = ""
        self.severity = self.rated = severity
        self.confidence = confidence
        self._message: Text
        self._help: Text | None
        self.message = message
        self.help = help
        self._evidence: dict[str, object] = dict(evidence or {})
        self.beside: tuple[str, ...] = ()
        """The other files whose values may appear in its texts."""
        self.layers: frozenset[str] = frozenset()
        """The other files with values that decided; they are not shown."""
        self._note: Text | None = None
        self.url: str | None = None
        self.path = ""
        self.span = span
        self.document: str | None = None
        self.key = None if key is None else key_without_secrets(key)
        self.flink_version: str | None = None
        self.related = tuple(related)
        self.measure = measure
        self.anywhere = False
        """Whether it is no hazard of production, but a wrong result, which is one in an example as well."""
        self.voids = False
        """Whether Flink reads nothing of the document, so that other findings on its settings do not matter."""
        self.proposed = fix
        self.ordinal = 0
        self.where: Located
        self.located: tuple[Located, ...] = ()
        self.edits: tuple[LocatedEdit, ...] = ()
        """The edits of the fix as lines and columns; empty if they would show a secret."""

    @property
    def fix(self) -> Fix | None:
        """The proposed fix with its edits; None if nothing was proposed or the edits are not resolved."""
        return self.proposed if self.proposed is not None and self.proposed.edits else None

    def doubt_fix(self, reason: str) -> None:
        """Mark the proposed fix as unsafe; `reason` is a clause whose subject is the fix."""
        if self.proposed is not None:
            self.proposed = self.proposed._replace(safe=False, doubt=neutral_line(reason))

    @property
    def claim(self) -> str:
        """The unmasked message as the rule wrote it, to compare the messages for different releases; never show it."""
        return self._message.with_secrets

    @property
    def raw_help(self) -> str:
        """The unmasked help as the rule wrote it, for editing; empty if the rule gives none; never show it."""
        return "" if self._help is None else self._help.with_secrets

    def add_to_message(self, text: str) -> None:
        """Append text to the message."""
        self.message = self.claim + text

    def name_releases(self, name: str) -> None:
        """Replace the placeholder `RELEASES` with `name` in all texts of the finding."""
        if RELEASES in self.claim:
            self.message = self.claim.replace(RELEASES, name)
        if self._help is not None and RELEASES in self._help.with_secrets:
            self.help = self._help.with_secrets.replace(RELEASES, name)
        for key, value in self._evidence.items():
            if isinstance(value, str) and RELEASES in value:
                self._evidence[key] = value.replace(RELEASES, name)
        self.related = tuple(
            place._replace(message=place.message.replace(RELEASES, name)) if RELEASES in place.message else place
            for place in self.related
        )
        if self.proposed is not None and RELEASES in self.proposed.title:
            self.proposed = self.proposed._replace(title=self.proposed.title.replace(RELEASES, name))

    def take_types(self, typing: Typing) -> None:
        """Mark the secrets in the finding's texts, using `typing`."""
        self._message = typing(self._message.with_secrets)
        if self._help is not None:
            self._help = typing(self._help.with_secrets)
        if self._note is not None:
            self._note = typing(self._note.with_secrets)
        if self.key is not None:
            self.key = typing(self.key).redacted
        self._evidence = {name: typed_values(value, typing) for name, value in self._evidence.items()}
        if self.proposed is not None:
            self.proposed = self.proposed._replace(title=str(typing(self.proposed.title)))

    def hide_secrets(self, typing: Typing) -> None:
        """Mark the secrets in the texts, using `typing`, and remove them before the finding moves to another file."""
        self.take_types(typing)
        self.message, self.help, self.note = self.message, self.help, self.note
        self._evidence = dict(self.evidence)

    @property
    def message(self) -> str:
        """The message that states the problem, with secrets hidden."""
        return str(self._message)

    @message.setter
    def message(self, text: str) -> None:
        self._message = typed_by_appearance(text)

    @property
    def help(self) -> str | None:
        """The help that says how to solve the problem, with secrets hidden; None if the rule gives none."""
        return None if self._help is None else str(self._help)

    @help.setter  # noqa: A003 - the contract's name
    def help(self, text: str | None) -> None:
        self._help = None if text is None else typed_by_appearance(text)

    @property
    def note(self) -> str | None:
        """The note about other releases or a baseline, with secrets hidden; None if there is none."""
        return None if self._note is None else str(self._note)

    @note.setter
    def note(self, text: str | None) -> None:
        self._note = None if text is None else typed_by_appearance(text)

    @property
    def evidence(self) -> Mapping[str, object]:
        """The figures and names that the finding is based on, with secrets hidden."""
        return {name: encoded_values(value) for name, value in self._evidence.items()}

    @property
    def fingerprint(self) -> str:
        """The identity of the finding across runs: 32 hexadecimal digits."""
        import hashlib  # loads OpenSSL, which most runs do not need

        parts = (self.code, self.path, self.document or "", self.key or "", str(self.ordinal))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def order(self) -> tuple[object, ...]:
        """The sort key of findings: by file, then worst severity first, then by place."""
        return (self.path, -self.severity, self.span, self.code, self.message)

    def __repr__(self) -> str:
        return f"<{self.code} {self.path}:{self.span} {self.message!r}>"


def fix_command(*, safe: bool) -> str:
    """Return the command line that applies safe fixes, or safe and unsafe fixes."""
    return "flint check --fix" if safe else "flint check --fix --unsafe-fixes"


def has_grown(now: float | None, there: float | None) -> bool:
    """Return whether the measure `now` exceeds `there`, or either is NaN; False if either is None."""
    return now is not None and there is not None and not now <= there


def worse_note(note: str | None, where: str, now: float | None, there: float | None) -> str:
    """Return `note` with a clause added: the measure is worse than in `where` (`now` compared with `there`)."""
    if now is not None and there is not None and now <= 0 and there <= 0:
        # For a number that is worse the smaller it is, a rule uses the negative; show the number itself.
        now, there = -now, -there
    return noted(note, f"worse than {where}: {_plain(now)} now, {_plain(there)} there")


def raised_note(note: str | None, where: str, now: Severity, there: Severity) -> str:
    """Return `note` with a clause added: the severity is worse than in `where` (`now` compared with `there`)."""
    return noted(note, f"worse than {where}: {now.word} now, {there.word} there")


def noted(note: str | None, addition: str) -> str:
    """Return `note` followed by `addition`, or only `addition` if there is no note yet."""
    return f"{note}; {addition}" if note else addition


def _plain(measure: float | None) -> str:
    if measure is None:
        return "unknown"
    return str(int(measure)) if isfinite(measure) and measure == int(measure) else f"{measure:.6g}"
