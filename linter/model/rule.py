"""Rules, the cases that demonstrate them, and the decorator that declares them.

A rule is a function of one `View` (the effective configuration of one document in one release) that yields findings. It
is declared with `@rule` in a module with the name of the rule; the docstring of the module is its page; `cases` in the
same module are its tests and its examples.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST, ReleaseRange
from flink_flint.linter.flink.values import Duration, MemorySize, parse_duration, parse_memory
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Severity
from flink_flint.linter.text.digits import is_finite
from flink_flint.linter.text.named_tuple import NamedTuple

__all__ = [
    "CATALOGUED", "FAMILIES", "Case", "Confidence", "Finding", "Fix", "Rule", "Severity", "Threshold", "bad", "good",
    "rule",
]  # fmt: skip

FAMILIES = (
    ("settings", 0, 50), ("composites", 51, 60), ("storage", 101, 119), ("memory", 201, 226), ("checkpoints", 301, 349),
    ("inlining", 380, 392), ("high_availability", 401, 425), ("network", 501, 519),
    ("scheduling", 601, 640), ("observed", 650, 689), ("kubernetes", 701, 739), ("yarn", 750, 759), ("aws", 760, 779),
    ("kafka", 801, 824), ("kinesis", 830, 845), ("connectors", 850, 872), ("async_io", 880, 890),
    ("sql", 901, 919), ("observability", 920, 938), ("security", 940, 953), ("runtime", 960, 999),
)  # fmt: skip
"""The families of rules: folder under `rules/`, first and last number of its range of codes."""

CATALOGUED = ">=1.9"
"""The releases in the option catalogue: those a rule applies to unless it declares others."""

DOCS = "https://github.com/flink-flint/flint/blob/main/docs/rules"

CheckFunction = Callable[..., Iterable[Finding] | None]


class Case(NamedTuple):
    """One example of a rule: a file, and the expected result."""

    text: str
    bad: bool
    at: str | None = None
    """The key that the finding must be on (the finding's `key`), or the underlined text."""
    file: str = ""
    """The name of the file; by default flink-conf.yaml for `flink` below 1.19, else config.yaml."""
    flink: str | None = None
    fixed: str | None = None
    """The file after the rule's fixes."""
    severity: Severity | None = None
    says: str | None = None
    """A part of the message."""
    profile: str = "production"
    platform: str | None = None
    beside: Mapping[str, str] = {}
    """Other files of the same directory: name -> text."""
    times: int = 1
    """The number of findings."""
    before: str | None = None
    """The file in the older revision, for a rule that compares two revisions."""
    observed: Mapping[str, Any] = {}
    """The metrics of a history store: ``"job/lastCheckpointDuration": {"p50": 40_000, "p99": 58_000}``.

    A plain number stands for all statistics; ``samples``, ``minutes`` and ``days`` are those of 14 full days unless
    given. The metrics are of the job `orders` and its operator `enrich`, whose ``"parallelism"`` is 4 unless given.
    ``"task/busySkew @ Source: in"`` is of another operator, ``"job/numRestarts @ payments"`` of another job.
    """

    @property
    def name(self) -> str:
        """The name of the case's file."""
        if self.file:
            return self.file
        legacy = self.flink is not None and re.match(r"1\.(\d|1[0-8])(\D|$)", self.flink)
        return "flink-conf.yaml" if legacy else "config.yaml"


def bad(text: str, **what: Any) -> Case:
    """Return a case in which the rule must fire; see `Case` for the keywords."""
    return Case(text, True, **what)


def good(text: str, **what: Any) -> Case:
    """Return a case in which the rule must stay silent; see `Case` for the keywords."""
    return Case(text, False, **what)


class Threshold:
    """A number that is advice of flint and not a fact about Flink, so users may set another one.

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
    """One rule: its declaration and its check."""

    __slots__ = (
        "always", "check", "code", "confidence", "every_release", "family", "flink", "identity", "module", "name",
        "of_scale", "only", "own", "pedantic", "reads", "scope", "several", "severity", "since", "summary",
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
        self.summary = summary
        self.module = module
        self.own = own
        """Whether a user declares it."""
        self.identity = identity or code
        """Its code; for a user's rule with a hash, because folders may declare different rules of one code."""
        self.url = url if own else f"{DOCS}/{name}.md"
        """The address of its page; None for a user's rule without one."""

    @property
    def page(self) -> str:
        """The text of its page: the docstring of its module."""
        return (sys.modules[self.module].__doc__ or "").strip()

    @property
    def releases(self) -> ReleaseRange:
        """The releases that the rule applies to."""
        return ReleaseRange(self.flink)

    def __repr__(self) -> str:
        return f"<{self.code} {self.name}>"


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
    thresholds: Mapping[str, Threshold] = MappingProxyType({}),
) -> Callable[[CheckFunction], Rule]:
    """Declare the rule of a module.

    `reads` are the options (newest primary keys; templated and map options by their template or prefix) that trigger
    the rule: it runs on a document that sets one of them. With `always`, or without any trigger, it runs on every
    document that is a complete configuration.

    `when` lists further triggers:

    - keys of options of a type (``type:Duration``, in any release)
    - keys that some release does not read as plain options (``irregular-key``)
    - a property of the document (``flink-conf``, ``config-yaml``, ``map``, ``skipped-line``, ``refusal``,
      ``overridden-entry``, ``platform:standalone``)
    - an element of a kind or an object (``element:async-call``, ``element:kubernetes-object/FlinkSessionJob``)
    - a metric in the history store (``observed:job/lastCheckpointDuration``), also above or below a bound for any job
      or operator (``observed:task/busySkew p50 > 2``)

    A rule whose triggers are absent costs nothing. With `only` the document must also have one of these properties,
    whatever triggers the rule (an element, a syntax, ``platform:yarn``).

    `flink` restricts the releases the rule applies to. `scope` is "document" (one `View`), "key" (called for each entry
    with the view and its `Setting`), "project" (all documents of the run) or "change" (two views of a document: at the
    revision a check compares with, and now).

    If the release is unknown, a rule runs for every candidate; with `every_release` a finding is reported only if it
    holds in all of them. A rule of scope "project" that compares `several` documents does not run for a single
    document. A hazard `of_scale` (harmless on one developer's machine) is at most info under the profile "development".
    A `pedantic` rule, correct but often irrelevant, runs only if it is selected by its code or name, as ``pedantic``,
    or with ``ALL``. `thresholds` are what flint.toml may set for it, by name (`View.threshold` returns the effective
    one).
    """

    def declare(check: CheckFunction) -> Rule:
        package, _, module = check.__module__.rpartition(".")
        if not (code.startswith("FLK") and len(code) == 6 and code[3:].isdecimal()):
            raise ValueError(f"{check.__module__}: {code!r} is not a rule code (FLK and three digits)")
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
            thresholds=thresholds,
            summary=" ".join((check.__doc__ or "").split()),
            module=check.__module__,
        )

    return declare
