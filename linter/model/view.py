"""What a rule sees: the effective configuration of one document as one release reads it.

`View` answers typed questions by option (named by its newest primary key) and gives `Setting`s, on
which findings are raised; what else the document declares comes as `ElementView`s. A rule never parses text, spells
an old key or touches a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.files import is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST, Release, parse_release
from flink_flint.linter.flink.values import Duration, MemorySize, parse_memory
from flink_flint.linter.model.document import merge_layers
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Intent, Place, Placed, Severity
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.flink.files import Entry, Refusal, Skipped
    from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
    from flink_flint.linter.flink.memory.options_reader import MemoryRefused
    from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
    from flink_flint.linter.flink.options import Acceptance, Catalogue, Option
    from flink_flint.linter.model.document import Document
    from flink_flint.linter.model.observations import Job, Observations, Observed
    from flink_flint.linter.model.rule import Rule
    from flink_flint.linter.model.sibling_files import SiblingFiles
    from flink_flint.linter.model.target import Target

__all__ = ["ElementView", "Setting", "View"]


class Setting:
    """One option in one view: what sets it, its value, and the way to raise a finding on it."""

    __slots__ = ("_view", "_wins", "entry", "key", "option", "written")

    def __init__(self, view: View, key: str, option: Option | None, entry: Entry | None, *, wins: bool = True) -> None:
        self._view = view
        self._wins = wins
        self.key = key
        """The option's newest primary key (the key as written where no release knows it)."""
        self.option = option
        """The option as this release defines it; None where it has none."""
        self.entry = entry
        """The entry behind it; None when nothing sets the option."""
        self.written = entry.key if entry is not None else key
        """The key as the user wrote it."""

    @property
    def document(self) -> Document:
        """The document that sets it: the view's own, or one beneath it."""
        return self._view.document if self.entry is None else self._view.owner(self.entry.key)

    @property
    def is_set(self) -> bool:
        """Whether the document sets the option."""
        return self.entry is not None

    @property
    def is_known(self) -> bool:
        """False when nothing can be said of the value: a template fills it in, or the YAML has none (null)."""
        return self.entry is None or not (self.entry.value is None or is_templated(self.entry.text))

    @property
    def is_read(self) -> bool:
        """Whether the release reads this very entry: it knows the key, and no other spelling wins over it."""
        if self.option is None or self.entry is None:
            return False
        return self._view.configuration.outdone_by(self.written) is None

    @property
    def text(self) -> str:
        """The value as Flink's map holds it; the empty string when not set."""
        return self.entry.text if self.entry is not None else ""

    @property
    def value(self) -> Any:
        """The typed value, or the default; None where unset without default, unknown or refused."""
        try:
            return self._parse()
        except BadValue:
            return None

    @property
    def error(self) -> str | None:
        """Why Flink refuses the value; None when it takes it or a template hides it."""
        try:
            self._parse()
        except BadValue as refused:
            return str(refused)
        return None

    def _parse(self) -> object:
        if self._wins or self.entry is None:
            return self._view.configuration.value(self.key)
        if self.option is None or not self.is_known:
            return None
        return self._view.configuration.parse(self.option, self.entry.value)

    @property
    def default(self) -> Any:
        """The typed default in this release, or None."""
        return None if self.option is None else self._view.configuration.default(self.option)

    def finding(
        self,
        message: str,
        *,
        help: str | None = None,  # noqa: A002 - the contract's name
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        fix: Fix | None = None,
        related: Sequence[Placed | Place] = (),
        evidence: Mapping[str, object] | None = None,
        measure: float | None = None,
        at: str = "value",
    ) -> Finding:
        """A finding on this setting: at its "value", its "key" or both ("entry").

        On an option nothing sets, the finding is on the document's first key.
        """
        document = self.document
        if self.entry is None:
            span = self._view.document.head
        elif at == "key":
            span = self.entry.key_span
        elif at == "entry":
            span = Span(self.entry.key_span.start, self.entry.value_span.end)
        else:
            span = self.entry.value_span
        return self._view.finding(
            message, span=span, key=self.key, help=help, severity=severity, confidence=confidence, fix=fix,
            related=related, evidence=evidence, measure=measure, document=document,
        )  # fmt: skip

    def place(self, message: str = "") -> Place | None:
        """Where it is set, as a related location of another setting's finding."""
        if self.entry is None:
            return None
        return Place(self.document.path, Span(self.entry.key_span.start, self.entry.value_span.end), message)

    def replace(self, value: str, *, safe: bool = False, title: str | None = None) -> Fix | None:
        """A fix that writes another value; None where the file cannot hold it or nothing sets the option."""
        return self._fix("replace", title or f"set {self.written} to {value}", safe, value)

    def rename(self, key: str, *, safe: bool = True, title: str | None = None) -> Fix | None:
        """A fix that writes the key differently; None where that cannot be done safely."""
        return self._fix("rename", title or f"write {key}", safe, key)

    def remove(self, *, safe: bool = False, title: str | None = None) -> Fix | None:
        """A fix that deletes the entry; None where that cannot be done safely."""
        return self._fix("remove", title or f"delete {self.written}", safe)

    def _fix(self, how: str, title: str, safe: bool, *arguments: str) -> Fix | None:
        if self.entry is None:
            return None
        document = self.document
        fix = document.fix(title, how, self.entry.key, *arguments, at=self.entry.key_span, safe=safe)
        return fix and fix._replace(intent=_intent(document, self.entry, how, *arguments))

    def __repr__(self) -> str:
        return f"<Setting {self.key}={self.text!r}>"


def _intent(document: Document, entry: Entry, how: str, new: str = "") -> Intent:
    """How a document's settings are to change."""
    becomes = {"rename": (new, entry.text), "replace": (entry.key, new)}.get(how)
    return Intent(document.number, document.changes(entry, becomes))


class View:
    """The effective configuration of one document in one release."""

    def __init__(
        self,
        document: Document,
        target: Target,
        index: int,
        sibling_files: SiblingFiles | None = None,
        observations: Observations | None = None,
        relation: Relation = ALONE,
        thresholds: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
    ) -> None:
        self.document = document
        self.target = target
        self._thresholds = thresholds
        self.sibling_files = sibling_files
        self.observations = observations
        """What a history says of this very cluster and its jobs; None without one."""
        self.rule: Rule
        self.effective: Mapping[str, Entry] = document.effective
        """Key -> the entry that wins, of the document or of what lies beneath it."""
        self._owners: Mapping[str, Document] = {}
        self.relation = relation
        """What other documents of the run say of this one."""
        if relation.below:
            self._merge_layers(relation.below)
        self.configuration = Configuration(
            {key: entry.value for key, entry in self.effective.items()} if relation.below else document.values(),
            target.release_at(index),
            yaml=document.yaml_in(index),
            sole=len(target.indices) == 1,
        )
        self._settings: dict[str, Setting] = {}
        self._derived: dict[str, tuple[TaskManagerMemory | JobManagerMemory | MemoryRefused | None, int, int]] = {}
        self._written: dict[str, Setting] = {}
        self._elements: dict[tuple[str, ...], Sequence[ElementView]] = {}
        self._named: dict[str, Mapping[str, ElementView]] = {}

    def forget(self) -> None:
        """Let go of what was answered, which refers back to the view: what nobody holds is then freed at once."""
        for answered in (self._settings, self._written, self._elements, self._named):
            answered.clear()

    def _merge_layers(self, below: Sequence[Document]) -> None:
        """Lay the document upon others, the lowest first: of each written key the uppermost entry counts."""
        held = merge_layers((*below, self.document))
        self.effective = {key: one.entry for key, one in held.items()}
        self._owners = {key: one.document for key, one in held.items()}

    @property
    def below(self) -> Sequence[Document]:
        """The documents it lies upon, the lowest first."""
        return self.relation.below

    @property
    def is_mounted(self) -> bool:
        """Whether containers of the run mount it, so that their views know where its paths are."""
        return self.relation.is_mounted

    def owner(self, written: str) -> Document:
        """The document that a written key's entry stands in."""
        return self._owners.get(written, self.document)

    # -- the release and the surroundings

    @property
    def release(self) -> Release:
        """The release this view is of. To branch on it, ask `since`."""
        return self.configuration.release

    @property
    def index(self) -> int:
        """The release's minor as an index into `releases.MINORS`. To branch on it, ask `since`."""
        return self.configuration.index

    @property
    def catalogue(self) -> Catalogue:
        """The options of all releases."""
        return self.configuration.catalogue

    @property
    def platform(self) -> str | None:
        """Where it runs: local, standalone, compose, kubernetes, operator, yarn, emr, msf; None when unknown."""
        return self.target.platform

    @property
    def release_span(self) -> Span | None:
        """Where the document itself names the release it is judged for; None where something else decided."""
        named = self.document.release
        return self.document.release_span if named is not None and named[1] == self.target.evidence else None

    def since(self, version: str) -> bool:
        """Whether the release is this one or newer (``"1.17"``, ``"1.20.4"``; unknown patch = the latest)."""
        wanted, release = parse_release(version), self.configuration.release
        index = wanted.place
        if index is None or release.place is None:
            # No stretch to narrow: a release outside the catalogue is the only candidate of its document.
            patch = 1_000 if release.patch is None else release.patch
            return (release.major, release.minor, patch) >= (wanted.major, wanted.minor, wanted.patch or 0)
        if self.index != index or wanted.patch is None:
            answer = self.index >= index
            if answer:
                self.configuration.restrict(index + (wanted.patch is not None), NEWEST)
            else:
                self.configuration.restrict(0, index - 1)
            return answer
        self.configuration.restrict(index, index)
        return release.patch is None or release.patch >= wanted.patch

    # -- questions by option

    def get(self, key: str) -> Setting:
        """The setting of an option (newest primary key, or an instance of a templated key)."""
        resolution = self.configuration.resolve(key)
        setting = self._settings.get(key)
        if setting is None:
            written = resolution.written
            entry = None if written is None else self.effective[written]
            setting = self._settings[key] = Setting(self, key, resolution.option, entry)
        return setting

    def is_set(self, key: str) -> bool:
        """Whether the document sets the option, under any spelling the release accepts."""
        return self.configuration.is_set(key)

    def is_set_above(self, key: str) -> bool:
        """Whether a document that lies upon this one sets the option, under any spelling."""
        names = {key, *self.catalogue.current_names(key)}
        return any(
            not names.isdisjoint((written, *self.catalogue.current_names(written)))
            for document in self.relation.above
            for written in document.effective
        )

    def is_known(self, key: str) -> bool:
        """False when nothing can be said of the option's value: see `Setting.is_known`."""
        return self.configuration.is_known(key)

    def value(self, key: str) -> Any:
        """The typed value or the default; None where unset without default, unknown or refused."""
        try:
            return self.configuration.value(key)
        except BadValue:
            return None

    def duration(self, key: str) -> Duration | None:
        """A duration (nanoseconds), also of options that are plain milliseconds in older releases."""
        value = self.value(key)
        if isinstance(value, int) and not isinstance(value, (Duration, bool)):
            return Duration(value * 1_000_000)
        return value if isinstance(value, Duration) else None

    def memory(self, key: str) -> MemorySize | None:
        """A memory size (bytes), also of options that are plain strings in 1.9."""
        value = self.value(key)
        if isinstance(value, str):
            try:
                return parse_memory(value)
            except BadValue:
                return None
        return value if isinstance(value, MemorySize) else None

    def integer(self, key: str) -> int | None:
        """An integer."""
        value = self.value(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, key: str) -> float | None:
        """A float or an integer, as a float."""
        value = self.value(key)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def boolean(self, key: str) -> bool | None:
        """True or false."""
        value = self.value(key)
        return value if isinstance(value, bool) else None

    def string(self, key: str) -> str | None:
        """A string or the name of an enum's constant."""
        value = self.value(key)
        return value if isinstance(value, str) else None

    # -- questions about what is written

    def entries(self) -> Iterator[Setting]:
        """A setting for each entry that wins, by the newest name of the option it was written for."""
        for key in self.effective:
            yield self.written(key)

    def written(self, key: str) -> Setting:
        """The setting of one entry by the key as written, whether or not it wins over other spellings."""
        self.configuration.restrict_to(key)
        setting = self._written.get(key)
        if setting is None:
            accepted = self.catalogue.accept(key, self.index)
            names = self.catalogue.current_names(key)
            option, entry = accepted.option if accepted else None, self.effective[key]
            setting = self._written[key] = Setting(self, names[0] if names else key, option, entry, wins=False)
        return setting

    def accept(self, key: str) -> Acceptance | None:
        """How the release reads a written key; None when it does not know it."""
        self.configuration.restrict_to(key)
        return self.catalogue.accept(key, self.index)

    def under(self, prefix: str) -> Iterator[Setting]:
        """A setting for each entry whose written key starts with `prefix`."""
        for key in self.effective:
            if key.startswith(prefix):
                yield self.written(key)

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The lines Flink drops with a warning (flink-conf.yaml)."""
        return self.document.skipped

    @property
    def refusals(self) -> Sequence[Refusal]:
        """Why Flink refuses the whole file, the first reason first."""
        return self.document.refusals

    # -- questions about what is declared besides

    def elements(self, *kinds: str) -> Sequence[ElementView]:
        """What the document declares of these kinds (`linter.model.elements.KINDS`), in file order."""
        found = self._elements.get(kinds)
        if found is None:
            found = [ElementView(self.finding, element, self.document) for element in self.document.elements_of(kinds)]
            self._elements[kinds] = found
        return found

    def named(self, kind: str) -> Mapping[str, ElementView]:
        """The elements of a kind by the last part of their names; of several of a name the last."""
        found = self._named.get(kind)
        if found is None:
            found = self._named[kind] = {part.name.rpartition(".")[2]: part for part in self.elements(kind)}
        return found

    def elements_beside(self, *kinds: str) -> list[ElementView]:
        """The same of the documents with classes it uses."""
        return [
            ElementView(self.finding, one, other)
            for other in self.relation.beside
            for one in other.elements
            if one.kind in kinds
        ]

    # -- questions about what was observed

    def observed(self, metric: str, p: float | None = None, *, statistic: str = "max") -> Observed | None:
        """A statistic (``p=0.99``, or by name) of a metric in Flink's own unit.

        The metric is ``scope/name``, or its name alone where one scope has it. The largest of all jobs or operators
        the document is for. None without a history, and for what is not in it or was seen too little.
        """
        return None if self.observations is None else self.observations.observed(metric, p, statistic=statistic)

    def observed_where(
        self,
        metric: str,
        p: float | None = None,
        *,
        statistic: str = "max",
        above: float | None = None,
        below: float | None = None,
    ) -> list[Observed]:
        """The same of every job or operator where it is above or below a bound, the farthest from it first."""
        if self.observations is None:
            return []
        return self.observations.where(metric, p, statistic=statistic, above=above, below=below)

    def jobs(self) -> list[Job]:
        """The jobs that were observed, of those the document is for."""
        return [] if self.observations is None else self.observations.jobs()

    # -- derived

    def taskmanager_memory(self) -> TaskManagerMemory | None:
        """The memory of a TaskManager; None when Flink refuses it or a template hides an input."""
        return self._memory("taskmanager")  # type: ignore[return-value]

    def jobmanager_memory(self) -> JobManagerMemory | None:
        """The memory of the JobManager; None when Flink refuses it or a template hides an input."""
        return self._memory("jobmanager")  # type: ignore[return-value]

    def memory_refusal(self, process: str) -> MemoryRefused | None:
        """Why Flink would not start the "taskmanager" or "jobmanager" with its memory.

        None when it would, or when nothing can be said (a template, a release with another memory model).
        """
        from flink_flint.linter.flink.memory.options_reader import MemoryRefused

        derived = self._derive(process)
        return derived if isinstance(derived, MemoryRefused) else None

    def _memory(self, process: str) -> TaskManagerMemory | JobManagerMemory | None:
        derived = self._derive(process)
        return None if isinstance(derived, ValueError) else derived

    def _derive(self, process: str) -> TaskManagerMemory | JobManagerMemory | MemoryRefused | None:
        """The memory of a process, derived once; it holds for a stretch of releases as any answer does."""
        configuration = self.configuration
        known = self._derived.get(process)
        if known is None:
            first, last = configuration.first, configuration.last
            configuration.ask_again()
            derived = self._derive_again(process)
            known = self._derived[process] = (derived, configuration.first, configuration.last)
            configuration.ask_again()
            configuration.restrict(first, last)
        configuration.restrict(known[1], known[2])
        return known[0]

    def _derive_again(self, process: str) -> TaskManagerMemory | JobManagerMemory | MemoryRefused | None:
        from flink_flint.linter.flink.memory.jobmanager import jobmanager
        from flink_flint.linter.flink.memory.options_reader import MemoryRefused, MemoryUnknown
        from flink_flint.linter.flink.memory.taskmanager import taskmanager

        if self.hides(process):
            return None
        derive = taskmanager if process == "taskmanager" else jobmanager
        try:
            return derive(self.configuration, containers=self.is_in_containers)
        except MemoryRefused as refused:
            return refused
        except MemoryUnknown:
            return None

    @property
    def is_in_containers(self) -> bool:
        """Whether Flink itself asks a cluster manager for its containers."""
        return self.target.is_in_containers

    def hides(self, process: str) -> bool:
        """Whether nothing can be said of the memory of "taskmanager" or "jobmanager".

        So where a template hides an input of it, and where the document is of a container that runs the other one.
        """
        roles = {element.value("role") for element in self.document.elements if element.kind == "container"}
        if roles and process not in roles and roles <= {"jobmanager", "taskmanager"}:
            return True
        effective, inputs = self.effective, (f"{process}.memory.", f"{process}.heap", f"{process}.n")
        return any(
            effective[key].value is None or is_templated(effective[key].text)
            for key in effective
            if key.startswith(inputs)
        )

    # -- findings

    def _beside(self) -> tuple[str, ...]:
        """The files of the documents whose values it sees besides its own."""
        relation = self.relation
        if relation is ALONE:
            return ()
        return tuple({other.path: None for other in (*relation.below, *relation.beside, *relation.above)})

    def threshold(self, name: str) -> float:
        """A threshold of the rule that is being asked: its default, or what the preferences set.

        In the measure of its default: a plain number, bytes (`MemorySize`), or nanoseconds (`Duration`).
        """
        rule, chosen = self.rule, self._thresholds
        declared = rule.thresholds[name]
        for word in (rule.name, rule.code) if chosen else ():
            if name in chosen.get(word, ()):
                return declared.read(chosen[word][name])
        return declared.value

    def finding(
        self,
        message: str,
        *,
        span: Span | None = None,
        key: str | None = None,
        help: str | None = None,  # noqa: A002 - the contract's name
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        fix: Fix | None = None,
        related: Sequence[Placed | Place] = (),
        evidence: Mapping[str, object] | None = None,
        measure: float | None = None,
        document: Document | None = None,
    ) -> Finding:
        """A finding of the rule that is being asked, at `span` or where the document begins.

        Its severity and confidence are the rule's unless given; its `measure` is a number that is the greater the
        worse it is. The `document` is the view's unless one beneath it is meant.
        """
        rule = self.rule
        document = document or self.document
        places = [place for r in related if (place := r if isinstance(r, Place) else r.place()) is not None]
        found = Finding(
            message, span or document.head, severity=severity or rule.severity,
            confidence=confidence or rule.confidence,
            help=help, key=key, fix=fix, related=places, evidence=evidence, measure=measure,
        )  # fmt: skip
        found.code, found.rule, found.family, found.url = rule.code, rule.name, rule.family, rule.url
        if fix is not None and fix.path not in ("", document.path):
            found.proposed = None
        found.document = document.name
        found.path = document.path
        found.beside = self._beside()
        found.flink_version = self.configuration.release.name
        return found
