"""What a rule found: where, how bad, how sure, and how to mend it."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from math import isfinite
from typing import Protocol

from flink_flint.linter.model.encoding import (
    Text,
    Typing,
    by_look,
    encoded_values,
    key_without_secrets,
    neutral_line,
    typed_values,
)
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Position, Span


class Severity(IntEnum):
    """How bad it is. Ordered: a higher one is worse."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """The name as people and the JSON contract write it."""
        return self.name.lower()


class Confidence(IntEnum):
    """How sure flint is that the finding applies to this very configuration."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def word(self) -> str:
        """The name as people and the JSON contract write it."""
        return self.name.lower()


def selects(selector: str, *, code: str, rule: str, family: str) -> bool:
    """Whether a selector names a rule: ALL, its code or a prefix of FLK's, its name or its family, in any case."""
    upper, lower = selector.upper(), selector.lower()
    by_code = upper in ("ALL", code) or (upper.startswith("FLK") and code.startswith(upper))
    return by_code or lower == rule or lower.replace("-", "_") == family


class Place(NamedTuple):
    """A span of a file, with what is to be said about it."""

    path: str
    span: Span
    message: str = ""


class Placed(Protocol):
    """What knows its place, such as a setting: the view tells where it is set."""

    def place(self, message: str = "") -> Place | None:
        """Return where it is set; None where nothing sets it."""
        ...


class Excerpt(NamedTuple):
    """The lines of a file around a finding, secrets masked, and what of the first line to underline."""

    line: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    start: int
    """The first underlined column of the first line, from 0."""
    end: int
    """One past the last underlined column of the last line."""


class Located(NamedTuple):
    """A span as lines and columns, with its excerpt."""

    path: str
    start: Position
    end: Position
    message: str
    excerpt: Excerpt


class LocatedEdit(NamedTuple):
    """An edit as lines and columns."""

    path: str
    start: Position
    end: Position
    text: str


class Intent(NamedTuple):
    """What a fix is to leave in a document of its file, by its number there."""

    document: int
    settings: Mapping[str, str | None]
    """The keys it changes -> the values they come to have; None: none."""


class Operation(NamedTuple):
    """One change of the settings of a document, which its format has yet to put into edits."""

    how: str
    """What is done to the key: "add", "replace", "rename" or "remove"."""
    document: int
    """The number of the document in its file."""
    key: str
    new: str = ""
    """The value it gets, or the key it is renamed to."""
    at: Span | None = None
    """Where the entry's key stands; None of one that is added."""


class Fix(NamedTuple):
    """What removes the cause, in one file; `safe` fixes keep what Flink does today."""

    title: str
    operations: Sequence[Operation | Edit]
    """Changes of settings, and edits of texts that are no settings."""
    safe: bool = True
    path: str = ""
    """The file they are for; empty: the finding's."""
    intent: Intent | None = None
    """What the settings are to be; None: what the edits make of those they touch."""
    doubt: str = ""
    """Why it is not safe, though its rule holds it to be: a clause that follows "it"."""
    edits: Sequence[Edit] = ()
    """What the operations come to in the text; empty until `linter.fix.resolve` has worked that out."""

    @property
    def described(self) -> str:
        """The title, and what there is to know before it is made."""
        if self.safe:
            return self.title
        return f"{self.title} ({f'it {self.doubt}' if self.doubt else 'changes what Flink does'})"


def joined(title: str, fixes: Sequence[Fix | None], *, safe: bool) -> Fix | None:
    """One fix that does what several of one file do; None where one of them cannot be made."""
    made = [fix for fix in fixes if fix is not None]
    if len(made) < len(fixes):
        return None
    return Fix(title, [one for fix in made for one in fix.operations], safe, made[0].path)


class Finding:
    """One finding of one rule at one place.

    Its texts are kept in typed parts (`linter.model.encoding.Text`), and what is read of them (`message`, `help`,
    `evidence`) is encoded, so that no output shows a secret. Until `take_types` only what is a secret by its own look
    is known to be one. `fix` alone holds texts as they are: it is there to be applied.

    `ordinal` tells findings of one rule on the same key apart; with rule, path, document and key it
    makes the fingerprint, which therefore survives reordering, reformatting and edits of values. `where` and
    `located` (the related places) are filled in by the engine for the reports.
    A rule only proposes a fix (`proposed`); `linter.fix.resolve` turns it into the `fix` and its `edits` for those who
    show or apply fixes.
    `measure` says in a number how bad it is, the greater the worse: a baseline lets it stand until it grows.
    `rated` is the severity that the rule gives it; `severity` is what flint's settings make of that.
    """

    __slots__ = (
        "_evidence", "_help", "_message", "beside", "code", "confidence", "document", "edits", "family",
        "flink_version", "key", "located", "measure", "note", "ordinal", "path", "proposed", "rated", "related", "rule",
        "severity", "span", "url", "where",
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
        """The other files whose values may stand in its texts."""
        self.note: str | None = None
        self.url: str | None = None
        self.path = ""
        self.span = span
        self.document: str | None = None
        self.key = None if key is None else key_without_secrets(key)
        self.flink_version: str | None = None
        self.related = tuple(related)
        self.measure = measure
        self.proposed = fix
        self.ordinal = 0
        self.where: Located
        self.located: tuple[Located, ...] = ()
        self.edits: tuple[LocatedEdit, ...] = ()
        """The edits of the fix as lines and columns; none where they would show a secret."""

    @property
    def fix(self) -> Fix | None:
        """What was proposed, with its edits; None where nothing was, or nothing has worked out the edits."""
        return self.proposed if self.proposed is not None and self.proposed.edits else None

    def doubt_fix(self, reason: str) -> None:
        """Make its fix an unsafe one, for a `reason` that follows "it"."""
        if self.proposed is not None:
            self.proposed = self.proposed._replace(safe=False, doubt=neutral_line(reason))

    def take_types(self, typing: Typing) -> None:
        """Tell the secrets of its texts from now on as `typing` does."""
        self._message = typing(self._message.with_secrets)
        if self._help is not None:
            self._help = typing(self._help.with_secrets)
        if self.key is not None:
            self.key = typing(self.key).redacted
        self._evidence = {name: typed_values(value, typing) for name, value in self._evidence.items()}
        if self.proposed is not None:
            self.proposed = self.proposed._replace(title=str(typing(self.proposed.title)))

    @property
    def message(self) -> str:
        """What is wrong."""
        return str(self._message)

    @message.setter
    def message(self, text: str) -> None:
        self._message = by_look(text)

    @property
    def help(self) -> str | None:
        """What to do."""
        return None if self._help is None else str(self._help)

    @help.setter  # noqa: A003 - the contract's name
    def help(self, text: str | None) -> None:
        self._help = None if text is None else by_look(text)

    @property
    def evidence(self) -> Mapping[str, object]:
        """The figures and names it rests on."""
        return {name: encoded_values(value) for name, value in self._evidence.items()}

    @property
    def fingerprint(self) -> str:
        """The identity across runs: 32 hexadecimal digits."""
        import hashlib  # loads OpenSSL, which most runs do not need

        parts = (self.code, self.path, self.document or "", self.key or "", str(self.ordinal))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def order(self) -> tuple[object, ...]:
        """Sorting: by file, worst first, then by place."""
        return (self.path, -self.severity, self.span, self.code, self.message)

    def __repr__(self) -> str:
        return f"<{self.code} {self.path}:{self.span} {self.message!r}>"


def fix_command(*, safe: bool) -> str:
    """The command that makes a fix."""
    return "flint check --fix" if safe else "flint check --fix --unsafe-fixes"


def has_grown(now: float | None, there: float | None) -> bool:
    """Whether a measure is beyond what it was `there`, or no number; where either is unknown, nobody can say so."""
    return now is not None and there is not None and not now <= there


def worse_note(note: str | None, where: str, now: float | None, there: float | None) -> str:
    """The note of a finding whose measure has grown beyond what it was `there`, behind what it said already."""
    if now is not None and there is not None and now <= 0 and there <= 0:
        # Of what is the worse the smaller it is, a rule measures the negative; people know the number itself.
        now, there = -now, -there
    return noted(note, f"worse than {where}: {_plain(now)} now, {_plain(there)} there")


def raised_note(note: str | None, where: str, now: Severity, there: Severity) -> str:
    """The note of a finding whose severity is higher than it was `there`, behind what it said already."""
    return noted(note, f"worse than {where}: {now.word} now, {there.word} there")


def noted(note: str | None, said: str) -> str:
    """A note with something more."""
    return f"{note}; {said}" if note else said


def _plain(measure: float | None) -> str:
    if measure is None:
        return "unknown"
    return str(int(measure)) if isfinite(measure) and measure == int(measure) else f"{measure:.6g}"
