"""Judging a long document again after an edit: only the rules whose answer can have changed are asked.

Each rule (of scope "key": each rule and key) is asked through a `TracedDocument`. What it looked at decides whether
what it said still holds when some keys have changed; its findings then only move with the text. So the result is that
of `engine.judge_document`, whatever the edits were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from flink_flint.linter.engine.judged import Judged
from flink_flint.linter.engine.running import Options, Views, ask, ask_each, crash, selection
from flink_flint.linter.engine.selection import called_by, called_for
from flink_flint.linter.lsp.deferred import Current, put_off
from flink_flint.linter.lsp.findings import moved
from flink_flint.linter.lsp.traced import Trace, TracedDocument, same_for_all_texts
from flink_flint.linter.model.finding import Finding, Severity
from flink_flint.linter.model.target import target_of
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Preferences
    from flink_flint.linter.engine.registry import Declaration
    from flink_flint.linter.lsp.rereading import Reread
    from flink_flint.linter.lsp.text_buffer import Replaced
    from flink_flint.linter.model.document import Document
    from flink_flint.linter.model.layers import Relation
    from flink_flint.linter.model.target import Target


_FAILURE = "internal-error"


class _Judgement(NamedTuple):
    findings: list[Finding]
    trace: Trace


class _Place(NamedTuple):
    """What is judged: a rule, and the key it is asked about where it is of scope "key"."""

    code: str
    key: str | None


def can_rejudge(options: Options, relation: Relation) -> bool:
    """Whether the rules can be asked through documents that take down what they look at."""
    return options.history is None and not relation.below


class Rejudging:
    """What the rules said of a document, kept up to date, where `can_rejudge`."""

    def __init__(self, options: Options, preferences: Preferences, relation: Relation) -> None:
        self._options = options
        self._preferences = preferences
        self._relation = relation
        self._codes = selection(options, preferences)
        self._forget()

    def _forget(self) -> None:
        self._target: Target | None = None
        self._due: dict[str, None] = {}
        """Keys of which it is to be found out which rules they call for."""
        self._current: Current | None = None
        self._callers: dict[str, dict[str, None]] = {}
        """Code -> the keys that call for its rule, in no particular order."""
        self._called: dict[str, tuple[str, ...]] = {}
        """Key -> the codes that it calls for."""
        self._said: defaultdict[str, dict[str | None, _Judgement]] = defaultdict(dict)
        """Code -> key, or None where the whole document was judged -> what was said."""
        self._with_findings: set[_Place] = set()
        self._lookers: defaultdict[str, set[_Place]] = defaultdict(set)
        """Key -> what looked at it; what has been judged anew since may have no eye for it any more."""
        self._part_lookers: defaultdict[tuple[str, str], set[_Place]] = defaultdict(set)
        """The same of what there is to elements."""
        self._at_mentions: defaultdict[tuple[str, bool], set[_Place]] = defaultdict(set)
        """Characters, and whether the file had them anywhere -> what looked for them."""
        self._at_head: set[_Place] = set()
        self._at_names: set[_Place] = set()
        self._at_everything: set[_Place] = set()

    def begin(self, document: Document) -> None:
        """Take up a document; nothing is known of it yet."""
        self._forget()
        self._current = put_off(document)
        self._due = dict.fromkeys(document.effective)

    def change(self, reread: Reread, replaced: Replaced) -> None:
        """Take note of an edit, of which `reread` says what it changed."""
        assert self._current is not None
        document = self._current.document = reread.document
        document.later = self._current.later
        stale = set(self._at_everything)
        if reread.is_head_new:
            stale |= self._at_head
        if reread.are_names_new:
            stale |= self._at_names
        for key in reread.changed:
            stale |= self._lookers.pop(key, set())
        for part in reread.parts:
            stale |= self._part_lookers.pop(part, set())
        for words, were_there in list(self._at_mentions):
            if document.mentions(words) != were_there:
                stale |= self._at_mentions.pop((words, were_there))
        for place in self._with_findings - stale:
            if not all(moved(finding, replaced) for finding in self._said[place.code][place.key].findings):
                stale.add(place)
        self._drop(stale)
        self._due.update(dict.fromkeys(reread.changed))

    def _drop(self, places: Iterable[_Place]) -> None:
        for place in places:
            self._said[place.code].pop(place.key, None)
            for kind in (self._with_findings, self._at_head, self._at_names, self._at_everything):
                kind.discard(place)

    def _call(self, document: Document, time: _Time) -> bool:
        """Find out which rules the keys call for that are due; whether there was time for all of them."""
        effective, due = document.effective, self._due
        while due:
            if time.is_over():
                return False
            key, _ = due.popitem()
            for code in self._called.pop(key, ()):
                self._drop((_Place(code, key),))
                del self._callers[code][key]
                if not self._callers[code]:
                    del self._callers[code]
            if (entry := effective.get(key)) is not None:
                codes = self._called[key] = called_by(key, self._codes, implied=bool(entry.layer))
                for code in codes:
                    self._callers.setdefault(code, {})[key] = None
        return True

    def judge(self, seconds: float = inf) -> Judged | None:
        """What the rules say of the document as it is now; None where asking them takes longer than so many seconds.

        What was asked until then need not be asked again.
        """
        assert self._current is not None
        document = self._current.document
        target = self._target_of(document)
        if self._target is None or _told(self._target) != _told(target):
            self._target = target
            self._drop([_Place(code, key) for code, said in self._said.items() for key in said])
        time = _Time(seconds)
        if not self._call(document, time):
            return None
        asking = _Asking(document, target, self._relation, self._preferences)
        project_codes = set()
        wanted: set[str] = set()
        for declaration, keys in called_for(document, self._codes, None, target.platform, callers=self._callers):
            if declaration.scope == "project":
                project_codes.add(declaration.code)
            elif candidates := target.inside(declaration.flink):
                wanted.add(declaration.identity)
                said = self._said[declaration.identity]
                about: Collection[str | None] = keys if declaration.scope == "key" else (None,)
                for key in about if len(said) < len(about) else ():
                    if key not in said:
                        if time.is_over():
                            return None
                        self._take(_Place(declaration.identity, key), asking.ask(declaration, candidates, key))
        self._drop([_Place(code, key) for code in self._said if code not in wanted for key in self._said[code]])
        found = [finding for code, key in self._with_findings for finding in self._said[code][key].findings]
        crashed = any(finding.rule == _FAILURE for finding in found)
        return Judged(
            document, target, self._preferences, found, frozenset(project_codes), crashed, False, self._relation
        )

    def _take(self, place: _Place, judgement: _Judgement) -> None:
        """Keep what was said, by what it depends on."""
        self._said[place.code][place.key] = judgement
        trace = judgement.trace
        if judgement.findings:
            self._with_findings.add(place)
        if trace.everything:
            self._at_everything.add(place)
            return
        if trace.head:
            self._at_head.add(place)
        if trace.names:
            self._at_names.add(place)
        for key in trace.keys:
            self._lookers[key].add(place)
        for mention in trace.mentions.items():
            self._at_mentions[mention].add(place)
        for part in trace.parts:
            self._part_lookers[part].add(place)

    def _target_of(self, document: Document) -> Target:
        return target_of(
            document,
            flink_version=self._options.flink_version,
            preferred_version=self._preferences.flink_version,
            platform=self._options.platform or self._preferences.platform,
            profile=self._options.profile or self._preferences.profile,
            linked=self._relation.release,
            linked_platform=self._relation.platform,
            linked_profile=self._relation.profile,
        )


class _Time:
    """Some seconds from when they are first asked about, so that there is always time for one thing."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def is_over(self) -> bool:
        """Whether so much time has passed."""
        if self._end is None:
            self._end = monotonic() + self._seconds
            return False
        return monotonic() > self._end


def _told(target: Target) -> tuple[object, ...]:
    """What rules may learn of a target."""
    return (target.indices, target.release, target.certain, target.evidence, target.platform, target.profile)


class _Asking:
    """Asking rules about one text of a document, so that it is known what each looked at."""

    def __init__(self, document: Document, target: Target, relation: Relation, preferences: Preferences) -> None:
        self._document = document
        self._same = same_for_all_texts(document)
        self._values = document.values()
        self._target = target
        self._relation = relation
        self._thresholds = preferences.thresholds

    def ask(self, declaration: Declaration, candidates: tuple[int, ...], key: str | None) -> _Judgement:
        """What a rule says, as the engine has it."""
        trace, target, rule = Trace(), self._target, declaration.load()
        # Views share what they once found out, which then nobody would see them look at: each rule has its own.
        document = TracedDocument(self._document, self._same, self._values, trace)
        views = Views(document, target, None, self._relation, self._thresholds)
        try:
            if len(target.indices) == 1:
                found = ask(rule, views[target.indices[0]], key)
            else:
                found = ask_each(rule, views, candidates, target, key)
        except Exception as error:
            found = [crash(declaration, views[candidates[-1]], error)]
            trace.everything = True
        else:
            if declaration.of_scale and target.profile == "development":
                for finding in found:
                    finding.severity = Severity.INFO
        return _Judgement(found, trace)
