"""Rules, the cases that demonstrate them, and the decorator that declares them.

A rule is a function of one `View` (the effective configuration of one document in one release) that yields findings. It
is declared with `@rule` in a module with the name of the rule; the docstring of the module is its page; `cases` in the
same module are its tests and its examples.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST, ReleaseRange
from flink_flint.linter.flink.values import Duration, MemorySize, parse_duration, parse_memory
from flink_flint.linter.model.case_fields import check_fields
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Severity
from flink_flint.linter.text.ascii_numbers import is_finite
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "CATALOGUED", "FAMILIES", "OWN_CODE", "RETIRED", "Case", "Confidence", "Finding", "Fix", "Rule", "Severity",
    "Threshold", "bad", "cases_in_folders", "code_of", "good", "is_code", "rule",
]  # fmt: skip

FAMILIES: Mapping[str, Sequence[range]] = MappingProxyType({
    "settings": [range(0, 51), range(80, 99)],
    "composites": [range(51, 80)],
    "storage": [range(101, 120), range(190, 201)],
    "memory": [range(201, 260)],
    "checkpoints": [range(301, 380)],
    "inlining": [range(380, 401)],
    "high_availability": [range(401, 440)],
    "network": [range(501, 550)],
    "scheduling": [range(601, 641)],
    "observed": [range(650, 701)],
    "kubernetes": [range(701, 750), range(790, 800), range(280, 300)],
    "yarn": [range(750, 760)],
    "aws": [range(760, 780)],
    "kafka": [range(801, 830), range(846, 850), range(120, 140)],
    "kinesis": [range(830, 846), range(780, 790)],
    "connectors": [range(850, 880), range(550, 600)],
    "async_io": [range(880, 900)],
    "sql": [range(901, 920), range(140, 180)],
    "dataflow": [range(440, 500)],
    "observability": [range(920, 939), range(260, 280)],
    "security": [range(940, 960), range(180, 190)],
    "runtime": [range(960, 1000), range(641, 650)],
})  # fmt: skip
"""The code number ranges of each rule family, by its folder under `rules/`; ranges are used in the given order."""

RETIRED: Mapping[str, str] = MappingProxyType({
    "FLK062": "judged-in-part, which is FLK047",
    "FLK304": "no-min-pause, which is in FLK318",
    "FLK316": "savepoint-dir-missing, which is in FLK318",
    "FLK099": "not a rule: used as one in tests",
    "FLK999": "not a rule: used as one in tests",
})  # fmt: skip
"""The rule codes that must not be reused, each with an explanation; old suppressions may contain them."""


def code_of(number: int) -> str:
    """Return the rule code for a number: ``FLK007``."""
    return f"FLK{number:03}"


def is_code(text: str) -> bool:
    """Return whether a text has the form of the codes of flint's own rules: ``FLK`` and three digits."""
    return len(text) == 6 and text.startswith("FLK") and text.isascii() and text[3:].isdecimal()


OWN_CODE = regex(r"(?!FLK)[A-Z][A-Z0-9_-]*[0-9]")
"""A regular expression for the codes of third-party rules, which must not start with ``FLK``."""

CATALOGUED = ">=1.9"
"""The releases that the option catalogue covers; a rule applies to all of them unless it declares a range."""

DOCS = "https://github.com/flink-flint/flint/blob/main/docs/rules"

CheckFunction = Callable[..., Iterable[Finding] | None]


class Case(NamedTuple):
    """A test case and example of a rule: a file and the expected result."""

    text: str
    bad: bool
    at: str | None = None
    """The key of the expected finding, or the text that it underlines; None if not checked."""
    file: str = ""
    """The name of the case's file; defaults to flink-conf.yaml if `flink` is below 1.19, otherwise to config.yaml."""
    flink: str | None = None
    fixed: str | None = None
    """The expected text of the case's file after the rule's fixes; None if not checked."""
    severity: Severity | None = None
    says: str | None = None
    """The text that the finding's message must contain; None if not checked."""
    profile: str = "production"
    platform: str | None = None
    beside: Mapping[str, str] = {}
    """The contents of other files in the directory of the case's file, by name."""
    times: int = 1
    """The expected number of findings; 0 means any number."""
    before: str | None = None
    """The text of the case's file in the older revision, for a rule that compares two revisions."""
    observed: Mapping[str, Any] = {}
    """The metrics in the case's history store: ``{"job/lastCheckpointDuration": {"p50": 40_000, "p99": 58_000}}``.

    A plain number is used for all statistics; ``samples``, ``minutes`` and ``days`` are those of 14 full days unless
    given. The metrics are of the job `orders` and its operator `enrich`, whose ``"parallelism"`` is 4 unless given.
    ``"task/busySkew @ Source: in"`` is of another operator, ``"job/numRestarts @ payments"`` of another job.
    """

    planned: Mapping[int, Mapping[str, Any]] = {}
    """What the planner answers to the statements of a script, by their numbers from 1; others are sound.

    ``{"refused": "Column 'x' not found"}`` or ``{"execution": ["Join"]}``. A test puts the script to the real planner.
    """

    title: str = ""
    """The case's name in reports and test IDs; for a case in a folder of its own, the folder's name."""

    @property
    def name(self) -> str:
        """The name of the case's file."""
        if self.file:
            return self.file
        legacy = self.flink is not None and re.match(r"1\.(\d|1[0-8])(\D|$)", self.flink)
        return "flink-conf.yaml" if legacy else "config.yaml"


def bad(text: str, **what: Any) -> Case:
    """Return a case in which the rule must report a finding; see `Case` for the keywords."""
    return _checked(text, True, what)


def good(text: str, **what: Any) -> Case:
    """Return a case in which the rule must not report a finding; see `Case` for the keywords."""
    return _checked(text, False, what)


def _checked(text: str, is_bad: bool, fields: Mapping[str, Any]) -> Case:
    """Return a case; raise ValueError for fields that it cannot have."""
    check_fields({"text": text, **fields})
    return Case(text, is_bad, **fields)


class CaseError(ValueError):
    """Raised for a folder that is not a valid case; the message begins with the file at fault."""


def cases_in_folders(module: str) -> list[Case]:
    """Return the cases in `<rule>/<case>/` folders next to the module of a rule; `module` is its ``__file__``.

    The folder's name is the case's name and begins with ``bad-`` or ``good-``. It contains the files of the case.
    `case.toml` in it has the fields of `Case` that are not files: `file`, the one under test, is required if there are
    several, the others if they differ from their defaults. A folder `fixed` contains that file after the fixes, a
    folder `before` the file in the older revision. Wheels do not include these folders, so they have no cases. Raises
    ValueError for a folder that is not a case.
    """
    from pathlib import Path

    folders = Path(module).with_suffix("")
    if not folders.is_dir():
        return []
    return [_case_in(folder) for folder in sorted(folders.iterdir()) if folder.is_dir() and folder.name[0] not in "._"]


_OTHER_REVISIONS = ("fixed", "before")
_IN_CASE_TOML = ("file", "at", "flink", "severity", "says", "profile", "platform", "times", "observed")


def _case_in(folder: Path) -> Case:
    kind = folder.name.partition("-")[0]
    if kind not in ("bad", "good"):
        raise CaseError(f"{_shown(folder)}: the name of a case begins with bad- or good-")
    texts = {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    case_toml = f"{_shown(folder)}/case.toml"
    fields = _fields_in(texts.pop("case.toml", ""), case_toml)
    names = [name for name in texts if name.partition("/")[0] not in _OTHER_REVISIONS]
    if not names:
        raise CaseError(f"{_shown(folder)}: the case has no file to test: add one")
    file = fields.setdefault("file", names[0] if len(names) == 1 else "")
    if file not in names:
        raise CaseError(f"{case_toml}: `file` must name the file under test: {', '.join(names)}")
    for revision in _OTHER_REVISIONS:
        fields[revision] = texts.pop(f"{revision}/{file}", None)
    for name in texts:
        if name.partition("/")[0] in _OTHER_REVISIONS:
            raise CaseError(f"{_shown(folder)}/{name}: only the file under test, {file}, may be in that folder")
    if kind == "good" and fields["fixed"] is not None:
        raise CaseError(f"{_shown(folder)}/fixed/{file}: a good case has nothing to fix: remove it")
    text = texts.pop(file)
    return Case(text, kind == "bad", beside=texts, title=folder.name, **fields)


def _fields_in(text: str, path: str) -> dict[str, Any]:
    """Return the fields that a case.toml sets; raise CaseError if it is invalid."""
    import tomllib

    try:
        fields: dict[str, Any] = tomllib.loads(text)
        if unknown := sorted(fields.keys() - _IN_CASE_TOML):
            raise ValueError(f"{unknown[0]} is not one of {', '.join(_IN_CASE_TOML)}")
        if (severity := fields.get("severity")) is not None:
            if severity not in ("error", "warning", "info"):
                raise ValueError(f"severity must be error, warning or info, not {severity!r}")
            fields["severity"] = Severity[severity.upper()]
        check_fields(fields)
    except ValueError as error:
        raise CaseError(f"{path}: {error}") from None
    return fields


def _shown(folder: Path) -> str:
    import os

    return os.path.relpath(folder.resolve())


class Threshold:
    """A limit that flint recommends, not one that Flink sets, so users may change it in flint.toml.

    The type of the default determines what is accepted: an integer, a number, or a memory size or duration as Flink
    spells them (``"512 mb"``, ``"30 s"``).
    """

    __slots__ = ("_parse", "default", "meaning", "value")

    def __init__(self, default: float | str, meaning: str) -> None:
        self.default = default
        self.meaning = meaning
        self._parse = _grammar_of(default)
        self.value: float = self.read(default)
        """The default as rules use it: a plain number, bytes (`MemorySize`) or nanoseconds (`Duration`)."""

    def read(self, raw: object) -> float:
        """Parse a threshold from flint.toml into the unit of the default; raise ValueError if it is invalid."""
        return self._parse(raw)


def _grammar_of(default: float | str) -> Callable[[object], float]:
    if isinstance(default, str):
        try:
            parse_memory(default)
        except BadValue:
            return _duration
        return _memory
    return _whole if isinstance(default, int) else _number


def _memory(raw: object) -> MemorySize:
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is not a memory size such as '512 mb'")
    return parse_memory(raw)


def _duration(raw: object) -> Duration:
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is not a duration such as '30 s'")
    return parse_duration(raw, NEWEST)


def _whole(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise ValueError(f"{raw!r} is not a whole number")
    return raw


def _number(raw: object) -> float:
    if not isinstance(raw, (int, float)) or isinstance(raw, bool):
        raise ValueError(f"{raw!r} is not a number")
    if not is_finite(raw):
        raise ValueError(f"{raw!r} is not a finite number")
    return raw


class Rule:
    """A rule: its metadata and its check function."""

    __slots__ = (
        "always", "check", "code", "compares", "confidence", "every_release", "family", "flink", "identity", "module",
        "name", "of_scale", "only", "own", "pedantic", "reads", "scope", "several", "severity", "since", "summary",
        "thresholds", "url", "when",
    )  # fmt: skip

    def __init__(
        self,
        check: CheckFunction,
        *,
        code: str,
        name: str,
        family: str,
        severity: Severity,
        confidence: Confidence,
        reads: Sequence[str],
        when: Sequence[str],
        flink: str,
        since: str,
        scope: str,
        always: bool,
        every_release: bool,
        of_scale: bool,
        summary: str,
        module: str,
        only: Sequence[str] = (),
        pedantic: bool = False,
        thresholds: Mapping[str, Threshold] = MappingProxyType({}),
        several: bool = False,
        compares: Comparison | None = None,
        own: bool = False,
        identity: str | None = None,
        url: str | None = None,
    ) -> None:
        self.check = check
        self.code = code
        self.name = name
        self.family = family
        self.severity = severity
        self.confidence = confidence
        self.reads = tuple(reads)
        self.when = tuple(when)
        self.only = tuple(only)
        self.flink = flink
        self.since = since
        self.scope = scope
        self.always = always
        self.every_release = every_release
        self.of_scale = of_scale
        self.pedantic = pedantic
        self.thresholds = thresholds
        self.several = several
        self.compares = compares
        self.summary = summary
        self.module = module
        self.own = own
        """Whether it is declared by a user, not by flint."""
        self.identity = identity or code
        """Its code; for a user's rule with a hash, because folders may use one code for different rules."""
        self.url = url if own else f"{DOCS}/{name}.md"
        """The address of its page; None for a user's rule without one."""

    @property
    def page(self) -> str:
        """The text of the rule's page: the docstring of the rule's module."""
        return (sys.modules[self.module].__doc__ or "").strip()

    @property
    def releases(self) -> ReleaseRange:
        """The releases that the rule applies to."""
        return ReleaseRange(self.flink)

    def __repr__(self) -> str:
        return f"<{self.code} {self.name}>"


FOLDER = "folder"
"""The value in `Rule.compares` that means all documents in the same folder."""

Comparison = tuple["str | tuple[tuple[str, ...], tuple[str, ...]]", ...]
"""The documents that a rule compares: those in the same folder (`FOLDER`), or those matching two lists of triggers."""


def _compared(one: str | tuple[Sequence[str], Sequence[str]]) -> str | tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(one, str):
        if one != FOLDER:
            raise ValueError(f"{one!r} is not {FOLDER!r}")
        return one
    return tuple(one[0]), tuple(one[1])


def rule(
    *,
    code: str,
    severity: Severity,
    confidence: Confidence = Confidence.HIGH,
    reads: Sequence[str] = (),
    when: Sequence[str] = (),
    only: Sequence[str] = (),
    flink: str = CATALOGUED,
    since: str,
    scope: str = "document",
    always: bool = False,
    every_release: bool = False,
    of_scale: bool = False,
    pedantic: bool = False,
    several: bool = False,
    compares: Sequence[str | tuple[Sequence[str], Sequence[str]]] | None = None,
    thresholds: Mapping[str, Threshold] = MappingProxyType({}),
    url: str | None = None,
) -> Callable[[CheckFunction], Rule]:
    """Return a decorator that declares a check function as the rule of its module.

    `reads` and `when` are the triggers of the rule; it runs on a document that has one of them. `reads` are options
    that the document sets (newest primary keys; templated and map options by their template or prefix). `when` names
    other triggers: keys of options of a type (``type:Duration``, in any release), keys that some release does not read
    as plain options (``irregular-key``), what a document is or has (``flink-conf``, ``config-yaml``, ``map``,
    ``skipped-line``, ``refusal``, ``overridden-entry``, ``platform:standalone``, an element of a kind or an object:
    ``element:async-call``, ``element:kubernetes-object/FlinkSessionJob``, or ``element:container/files`` that are
    mounted or copied), and metrics in the history store
    (``observed:job/lastCheckpointDuration``), optionally beyond a bound for some job or operator
    (``observed:task/busySkew p50 > 2``); a rule without other triggers costs nothing if the metric is missing.

    A rule that can `always` report findings runs on every complete document, as does a rule without `reads` and
    `when`. With `only`, the document must also have one of the triggers listed there (an element, a syntax,
    ``platform:yarn``), whatever triggers the rule.

    `flink` is the range of releases the rule applies to. `scope` is "document" (one `View`), "key" (called for each
    entry with the view and its `Setting`), "project" (all documents of the run) or "change" (two views of a document:
    as it was in the revision that a check compares with, and as it is). If the release is unknown, a rule runs for
    every candidate release; with `every_release`, a finding is reported only if it is found in all of them. A rule of
    scope "project" that compares `several` documents does not run if there is only one. `compares` says which documents
    it compares, so that a check of one file need not look at all others: nothing for those that are related (layers,
    classes), which always count, "folder" for those of one folder, and pairs of lists of triggers, as in `when` and
    `reads`, for those of which one has a trigger of the first and the other one of the second list. A document has the
    triggers of its own settings and elements; those of its layers count too. By default the rule compares all.

    Findings of a rule `of_scale` (harmless on one developer's machine) are at most info under the profile
    "development". A `pedantic` rule, correct but often irrelevant, runs only if it is selected by its code or name, as
    ``pedantic``, or with ``ALL``. `thresholds` are the numbers that flint.toml may set for the rule, by name
    (`View.threshold` returns the current one). `url` is the address of the page of a rule from another package.
    """

    def declare(check: CheckFunction) -> Rule:
        package, _, module = check.__module__.rpartition(".")
        own = not is_code(code)
        if own and not OWN_CODE.fullmatch(code):
            raise ValueError(
                f"{check.__module__}: {code!r} is not a rule code (FLK and three digits, or such as ACME001)"
            )
        return Rule(
            check,
            code=code,
            name=module.replace("_", "-"),
            family=package.rpartition(".")[2],
            severity=severity,
            confidence=confidence,
            reads=reads,
            when=when,
            only=only,
            flink=flink,
            since=since,
            scope=scope,
            always=always or not (reads or when),
            every_release=every_release,
            of_scale=of_scale,
            pedantic=pedantic,
            several=several,
            compares=None if compares is None else tuple(map(_compared, compares)),
            thresholds=thresholds,
            summary=" ".join((check.__doc__ or "").split()),
            module=check.__module__,
            own=own,
            url=url,
        )

    return declare
