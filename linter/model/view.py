"""The view of a document that rules get: its effective configuration in one release.

`View` provides options (named by their newest primary key) as typed values and as `Setting`s, on which findings are
reported, and the other things a document declares as `ElementView`s. A rule never parses text, spells an old key
or touches a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import has_placeholder, is_templated
from flink_flint.linter.flink.java_text import BadValue
from flink_flint.linter.flink.releases import NEWEST, Release, parse_release
from flink_flint.linter.flink.values import Duration, MemorySize, parse_memory
from flink_flint.linter.model.document import LayeredEntry, merge_layers
from flink_flint.linter.model.element_view import ElementView
from flink_flint.linter.model.elements import ONLY_WRITTEN
from flink_flint.linter.model.finding import RELEASES, Confidence, Finding, Fix, Intent, Place, Placed, Severity
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.flink.file_loading import Entry, Refusal, Skipped
    from flink_flint.linter.flink.memory.jobmanager import JobManagerMemory
    from flink_flint.linter.flink.memory.options_reader import MemoryRefused
    from flink_flint.linter.flink.memory.taskmanager import TaskManagerMemory
    from flink_flint.linter.flink.options import Acceptance, Catalogue, Option
    from flink_flint.linter.model.document import Document
    from flink_flint.linter.model.observations import Job, Observations, Observed
    from flink_flint.linter.model.processes.process_view import ProcessView
    from flink_flint.linter.model.rule import Rule
    from flink_flint.linter.model.sibling_files import SiblingFiles
    from flink_flint.linter.model.target import Target

__all__ = ["ElementView", "Setting", "View"]


class Setting:
    """One option in one view: the entry that sets it, its value, and methods to report findings on it."""

    __slots__ = ("_view", "_wins", "entry", "key", "option", "written")

    def __init__(self, view: View, key: str, option: Option | None, entry: Entry | None, *, wins: bool = True) -> None:
        self._view = view
        self._wins = wins
        self.key = key
        """The option's newest primary key, or the key as written if no release knows it."""
        self.option = option
        """The option as this release defines it; None if this release does not have it."""
        self.entry = entry
        """The entry that sets the option; None if nothing does."""
        self.written = entry.key if entry is not None else key
        """The key as the user wrote it."""

    @property
    def document(self) -> Document:
        """The document that sets the option: the view's own document or a lower layer."""
        return self._view.document if self.entry is None else self._view.owner(self.entry.key)

    @property
    def is_set(self) -> bool:
        """Whether the document or a lower layer sets the option."""
        return self.entry is not None

    @property
    def is_known(self) -> bool:
        """Whether the value is known; False if it is a template, null in YAML, or computed by a program."""
        if self.key in self._view.computed:
            return False
        return self.entry is None or not (self.entry.value is None or is_templated(self.entry.text))

    @property
    def is_typed(self) -> bool:
        """Whether a program sets the option by its constant to a non-string value, whose type the compiler checks."""
        entry = self.entry
        if entry is None or not entry.layer or self.document.kind != "source":
            return False
        return not any(quote in entry.raw for quote in "\"'")

    @property
    def is_read(self) -> bool:
        """Whether a process reads this entry: the release knows the key, and no other of the option takes precedence.

        An option of the SQL gateway or the history server is not read in containers that run neither.
        """
        if self.option is None or self.entry is None or self._view.is_read_by_none(self.key):
            return False
        return self._view.configuration.overridden_by(self.written) is None

    @property
    def text(self) -> str:
        """The value as a string, as in Flink's `Configuration`; empty if the option is not set."""
        return self.entry.text if self.entry is not None else ""

    @property
    def value(self) -> Any:
        """The typed value, or the option's default; None if there is neither, or if the value is unknown or invalid."""
        try:
            return self._parse()
        except BadValue:
            return None

    @property
    def error(self) -> str | None:
        """The reason why Flink rejects the value; None if the value is accepted or unknown."""
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
        """The typed default of the option in this release; None if there is none."""
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
        """Return a finding on this setting; `at` selects its location: "value", "key" or both ("entry").

        If nothing sets the option, the finding is on the document's first key.
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
            message, span=span, key=self.key, help=help and self._by_field(help), severity=severity,
            confidence=confidence, fix=fix, related=related, evidence=evidence, measure=measure, document=document,
        )  # fmt: skip

    def _by_field(self, advice: str) -> str:
        """Return advice on this option with the typed field of a custom resource that sets it in place of the key.

        The field overrides the key in `flinkConfiguration`, so advice to set the key there would do nothing.
        """
        entry = self.entry
        if entry is None or entry.style != "implied" or not entry.layer.startswith("spec."):
            return advice
        return re.sub(rf"(?<![\w.-]){re.escape(entry.key)}(?![\w-]|\.\w)", lambda _: entry.layer, advice)

    def place(self, message: str = "") -> Place | None:
        """Return the entry's location, for a finding on another setting to refer to; None if there is no entry."""
        if self.entry is None:
            return None
        return Place(self.document.path, Span(self.entry.key_span.start, self.entry.value_span.end), message)

    def replace(self, value: str, *, safe: bool = False, title: str | None = None) -> Fix | None:
        """Return a fix that sets `value`; None if there is no entry to change or the file cannot express the value."""
        name = (self.entry.field if self.entry is not None else "") or self.written
        return self._fix("replace", title or f"set {name} to {value}", safe, value)

    def rename(self, key: str, *, safe: bool = True, title: str | None = None) -> Fix | None:
        """Return a fix that renames the key; None if that cannot be done safely."""
        return self._fix("rename", title or f"write {key}", safe, key)

    def remove(self, *, safe: bool = False, title: str | None = None) -> Fix | None:
        """Return a fix that deletes the entry; None if that cannot be done safely."""
        return self._fix("remove", title or f"delete {self.written}", safe)

    def _fix(self, how: str, title: str, safe: bool, *arguments: str) -> Fix | None:
        if self.entry is None or self.entry.key in self._view.relation.passed:
            return None
        document = self.document
        fix = document.fix(self._by_field(title), how, self.entry.key, *arguments, at=self.entry.key_span, safe=safe)
        return fix and fix._replace(intent=_intent(document, self.entry, how, *arguments))

    def __repr__(self) -> str:
        return f"<Setting {self.key}={self.text!r}>"


def _intent(document: Document, entry: Entry, how: str, new: str = "") -> Intent:
    """Return how a fix of one entry is to change a document's settings."""
    becomes = {"rename": (new, entry.text), "replace": (entry.key, new)}.get(how)
    return Intent(document.number, document.changes(entry, becomes))


_MAX_RELEASE_PLACES = 3
"""The maximum number of places shown that name the release of a file."""
_OF_OTHER_PROCESSES = ("sql-gateway.", "historyserver.")
"""The starts of keys that neither JobManagers nor TaskManagers read."""
_READ_BY_SCRIPTS = ("flink-conf.yaml", "config.yaml")
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".erb", ".tpl", ".tmpl", ".template", ".mustache", ".ctmpl", ".gotmpl")
"""The endings of templates that become the file."""


def _passed(entry: Entry, values: Mapping[str, str | None]) -> Entry:
    """Return an entry of a program with the value that its deployment passes, which is not the default."""
    if entry.key not in values:
        return entry
    from copy import copy

    changed = copy(entry)
    value = values[entry.key]
    changed.text = changed.value = f"${{{entry.key}}}" if value is None else value
    return changed


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
        """The observed metrics of this cluster and its jobs; None without a history store."""
        self._rule: Rule
        self._index = index
        self.relation = relation
        """The documents of the run that this one is related to."""
        self._read: set[str] | None = set() if relation.below else None
        self._read_files: set[str] = set()
        if relation.passed:
            self.document = document.with_entries([_passed(one, relation.passed) for one in document.entries])
        self._settings: dict[str, Setting] = {}
        self._derived: dict[str, tuple[TaskManagerMemory | JobManagerMemory | MemoryRefused | None, int, int]] = {}
        self._derived_from: dict[str, frozenset[str]] = {}
        self._written: dict[str, Setting] = {}
        self._elements: dict[tuple[str, ...], Sequence[ElementView]] = {}
        self._named: dict[str, Mapping[str, ElementView]] = {}
        self._processes: Sequence[ProcessView] | None = None

    @cached_property
    def effective(self) -> Mapping[str, Entry]:
        """The effective entry of each key, from the document or from a lower layer."""
        return {key: one.entry for key, one in self._merged.items()} if self._merged else self.document.effective

    @cached_property
    def _merged(self) -> Mapping[str, LayeredEntry]:
        """The effective entries with the documents that have them, if the document has lower layers."""
        return merge_layers((*self.below, self.document)) if self.below else {}

    @cached_property
    def computed(self) -> frozenset[str]:
        """The options, by their newest keys, that the program sets to values the source does not show."""
        return self.document.options_computed

    @cached_property
    def configuration(self) -> Configuration:
        """The settings as Flink's processes read them, in the release of the view."""
        target, index = self.target, self._index
        release, yaml, sole = target.release_at(index), self.document.yaml_in(index), len(target.indices) == 1
        if self._read is None:
            return Configuration(self.document.values(), release, yaml=yaml, sole=sole)
        from flink_flint.linter.model.recording_configuration import RecordingConfiguration

        values = {key: entry.value for key, entry in self.effective.items()}
        return RecordingConfiguration(values, release, self._read, yaml=yaml, sole=sole)

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last minor release for which all answers since `reset_bounds` are the same."""
        configuration = self.__dict__.get("configuration")  # not built if nothing has been asked
        return (0, NEWEST) if configuration is None else (configuration.first, configuration.last)

    def reset_bounds(self) -> None:
        """Forget which releases the answers so far are the same for."""
        if "configuration" in self.__dict__:
            self.configuration.reset_bounds()

    @property
    def rule(self) -> Rule:
        """The rule that is running; assigning it starts a new record of the layers that the rule reads."""
        return self._rule

    @rule.setter
    def rule(self, rule: Rule) -> None:
        self._rule = rule
        if self._read:
            self._read.clear()
        if self._read_files:
            self._read_files.clear()

    def _deciding_files(self, severity: Severity) -> frozenset[str]:
        """Return the other files with values that the running rule has read.

        For an error, an option that no layer sets counts as read from all of them: one of them may have lost it.
        """
        if not self._read and not self._read_files:
            return frozenset()
        from flink_flint.linter.model.recording_configuration import UNSET

        own = self.document.path
        files = {self._merged[key].document.path for key in self._read or () if key in self._merged}
        if severity == Severity.ERROR and self._read and UNSET in self._read:
            files.update(lower.path for lower in self.below)
        return frozenset((files | self._read_files) - {own})

    def forget(self) -> None:
        """Clear the caches, whose values refer back to the view, so that unused views are freed immediately."""
        for cached in (self._settings, self._written, self._elements, self._named):
            cached.clear()
        self._processes = None

    @property
    def below(self) -> Sequence[Document]:
        """The documents whose settings this view's document overrides, the lowest layer first."""
        return self.relation.below

    @property
    def is_deployment_known(self) -> bool:
        """Whether the deployment of a program or script is known, with all that it sets.

        A configuration file that nothing mounts and that merely lies in the module of the program is no evidence. What
        a class without a job of its own runs with, the class that uses it sets as well.
        """
        if not self.below or (self.document.kind == "source" and not self.elements("job")):
            return False
        from flink_flint.linter.model.layering.program_layers import LIES_IN_MODULE, MAY_RUN_IT, RUNS_IT

        reasons = [(self.relation.why.get(number), lower) for number, lower in enumerate(self.below)]
        return any(
            why == RUNS_IT or (lower.whole and why not in (LIES_IN_MODULE, MAY_RUN_IT)) for why, lower in reasons
        )

    def may_be_set_by_cluster(self, key: str) -> bool:
        """Return whether a deployment of the repository, which may be that of the program or script, sets an option."""
        return self._is_decided_by(self.relation.clusters, key)

    def may_be_set_by_program(self, key: str) -> bool:
        """Return whether a program that may run this script, or use this class, sets an option to any value."""
        return self._is_decided_by(self.relation.programs, key)

    def _is_decided_by(self, documents: Iterable[Document], key: str) -> bool:
        names = {key, *self.catalogue.current_names(key)}
        return any(not names.isdisjoint(document.options_decided) for document in documents)

    @property
    def is_mounted(self) -> bool:
        """Whether containers in this run have the document, whose volumes then show which paths exist.

        They mount it, or run the image that it builds.
        """
        is_image = bool(self.relation.above) and bool(self.document.elements_of(("image",)))
        return self.relation.is_mounted or is_image

    @property
    def is_merged_over_another(self) -> bool:
        """Whether the document is in a Compose file that Docker merges over the one beside it (`X.override.yml`)."""
        stem, override, ending = self.document.file_name.rpartition(".override.")
        if not override:
            return False
        from flink_flint.linter.filesystem.folders import names_in

        beside = names_in(os.path.abspath(self.document.directory))
        return any(f"{stem}.{other}" in beside for other in (ending, "yml", "yaml"))

    def owner(self, written: str) -> Document:
        """Return the document that contains the effective entry with the key `written`."""
        return self._merged[written].document if written in self._merged else self.document

    # -- the release and the environment

    @property
    def release(self) -> Release:
        """The Flink release of this view. To branch on it, use `since`."""
        return self.configuration.release

    @property
    def index(self) -> int:
        """The index in `releases.MINORS` of the view's minor release. To branch on it, use `since`."""
        return self.configuration.index

    @property
    def catalogue(self) -> Catalogue:
        """The options of all releases."""
        return self.configuration.catalogue

    @property
    def platform(self) -> str | None:
        """The platform: local, standalone, compose, kubernetes, operator, yarn, emr, msf; None if unknown."""
        return self.target.platform

    def hosts(self, name: str) -> list[str]:
        """Return the hosts in `masters`, `workers` or `slaves`; empty if Flink's scripts do not read the document.

        A variant such as `flink-conf.yaml.mesos` is not what they read.
        """
        document = self.document
        if self.sibling_files is None:
            return []
        if document.is_configuration_file:
            base = document.path.replace("\\", "/").rpartition("/")[2]
            if base.startswith(_READ_BY_SCRIPTS) and not base.endswith(_READ_BY_SCRIPTS + _TEMPLATES):
                return []
        return self.sibling_files.hosts(name) or []

    @property
    def releases_text(self) -> str:
        """The releases that findings of the running rule apply to, as text: ``Flink 1.18.1``, ``Flink 1.10 to 1.17``.

        If there are several, the engine fills in those for which the rule reports the same, once it knows them.
        """
        return RELEASES if len(self.target.indices) > 1 else f"Flink {self.configuration.release}"

    @property
    def release_span(self) -> Span | None:
        """The span where the document names its Flink release; None if another source determines the release."""
        return self.document.release_span if self.target.is_shown_by(self.document.release) else None

    @property
    def release_places(self) -> list[Place]:
        """The places in other documents that name the document's release; none if it names the release itself.

        There are none, either, if the user, a build file or a file in a folder above determines the release.
        """
        if self.release_span is not None or not self.target.is_shown_by(self.document.release or self.relation.release):
            return []
        return [
            Place(one.path, one.release_span or one.head, f"Flink {one.release[0]}")
            for one in self.relation.named_in[:_MAX_RELEASE_PLACES]
            if one.release is not None
        ]

    @property
    def is_vendors_build(self) -> bool:
        """Whether a vendor builds this Flink itself (Amazon, Confluent, Ververica) and may have patched it.

        The release number then only says which of Flink's releases the build derives from.
        """
        if self.platform in ("emr", "msf") or self.target.evidence == "spec.emrReleaseLabel":
            return True
        from flink_flint.linter.model.release_evidence.vendors_build import is_of_confluent, names_vendors_image

        return is_of_confluent(self.document) or (
            self.target.is_shown_by(self.document.release or self.relation.release)
            and names_vendors_image((self.document, *self.relation.named_in))
        )

    def since(self, version: str) -> bool:
        """Return whether the release is `version` (``"1.17"`` or ``"1.20.4"``) or newer.

        A release whose patch is unknown counts as the latest patch.
        """
        since, release = parse_release(version), self.configuration.release
        index = since.place
        if index is None or release.place is None:
            # There is no range to restrict: a release outside the catalogue is the only candidate of its document.
            patch = 1_000 if release.patch is None else release.patch
            return (release.major, release.minor, patch) >= (since.major, since.minor, since.patch or 0)
        if self.index != index or since.patch is None:
            is_newer = self.index >= index
            if is_newer:
                self.configuration.restrict(index + (since.patch is not None), NEWEST)
            else:
                self.configuration.restrict(0, index - 1)
            return is_newer
        self.configuration.restrict(index, index)
        return release.patch is None or release.patch >= since.patch

    # -- questions by option

    def get(self, key: str) -> Setting:
        """Return the setting of an option, given its newest primary key or an instance of a templated key."""
        resolution = self.configuration.resolve(key)
        setting = self._settings.get(key)
        if setting is None:
            written = resolution.written
            entry = None if written is None else self.effective[written]
            setting = self._settings[key] = Setting(self, key, resolution.option, entry)
        return setting

    def is_set(self, key: str) -> bool:
        """Return whether the document or a lower layer sets the option, under any of its keys and to any value."""
        return self.configuration.is_set(key) or key in self.computed

    def is_read_by_none(self, key: str) -> bool:
        """Return whether the document starts processes, none of which reads an option of other ones."""
        if not key.startswith(_OF_OTHER_PROCESSES):
            return False
        from flink_flint.linter.model.processes.cluster_processes import starts_only_a_cluster

        if self.relation.dockerfile is not None:
            self._read_files.add(self.relation.dockerfile.path)
        return starts_only_a_cluster(self.document, self.relation)

    def is_set_above(self, key: str) -> bool:
        """Return whether a document that overrides this view's document sets the option, under any of its keys.

        A program may compute the value.
        """
        names = {key, *self.catalogue.current_names(key)}
        above = [
            document.path
            for document in self.relation.above
            if not names.isdisjoint((*document.effective, *document.options_decided))
        ]
        self._read_files.update(above)
        return bool(above)

    def is_known(self, key: str) -> bool:
        """Return whether the option's value is known; see `Setting.is_known`."""
        return self.configuration.is_known(key) and key not in self.computed

    def value(self, key: str) -> Any:
        """Return an option's typed value or its default; None if unset without a default, unknown or invalid."""
        try:
            value = self.configuration.value(key)
        except BadValue:
            return None
        return None if key in self.computed else value

    def duration(self, key: str) -> Duration | None:
        """Return an option's value as a `Duration`, converted if it is in milliseconds; None if it is not one."""
        value = self.value(key)
        if isinstance(value, int) and not isinstance(value, (Duration, bool)):
            return Duration(value * 1_000_000)
        return value if isinstance(value, Duration) else None

    def memory(self, key: str) -> MemorySize | None:
        """Return an option's value as a `MemorySize`, parsed if it is text (Flink 1.9); None if it is not a size."""
        value = self.value(key)
        if isinstance(value, str):
            try:
                return parse_memory(value)
            except BadValue:
                return None
        return value if isinstance(value, MemorySize) else None

    def integer(self, key: str) -> int | None:
        """Return the value of an option as an integer; None if it is not an integer."""
        value = self.value(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, key: str) -> float | None:
        """Return the numeric value of an option as a float; None if it is not a number."""
        value = self.value(key)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def boolean(self, key: str) -> bool | None:
        """Return the value of an option as a boolean; None if it is not a boolean."""
        value = self.value(key)
        return value if isinstance(value, bool) else None

    def string(self, key: str) -> str | None:
        """Return the value of an option if it is a string or the name of an enum constant; None otherwise."""
        value = self.value(key)
        return value if isinstance(value, str) else None

    # -- questions about the entries

    def entries(self) -> Iterator[Setting]:
        """Yield a setting for each effective entry, under the newest key of its option."""
        for key in self.effective:
            yield self._written_as(key)

    def written(self, key: str) -> Setting:
        """Return the setting of the entry written with `key`, even if another spelling takes precedence."""
        if self._read is not None:
            self._read.add(key)
        return self._written_as(key)

    def _written_as(self, key: str) -> Setting:
        self.configuration.restrict_to(key)
        setting = self._written.get(key)
        if setting is None:
            accepted = self.catalogue.accept(key, self.index)
            names = self.catalogue.current_names(key)
            option, entry = accepted.option if accepted else None, self.effective[key]
            setting = self._written[key] = Setting(self, names[0] if names else key, option, entry, wins=False)
        return setting

    def accept(self, key: str) -> Acceptance | None:
        """Return how the release reads a written key; None if it does not know the key."""
        self.configuration.restrict_to(key)
        return self.catalogue.accept(key, self.index)

    def is_declared(self, key: str) -> bool:
        """Return whether sources of the document's repository declare an option with the key, as Flink does."""
        from flink_flint.linter.filesystem.declared_options import is_option_declared

        return is_option_declared(key, self.document.directory)

    @property
    def installed_operator(self) -> tuple[int, int] | None:
        """The minor release of the operator: of flint's configuration, or what all files of the repository install."""
        if self.target.operator is not None:
            return self.target.operator
        from flink_flint.linter.model.release_evidence.only_operator import only_operator_of

        return only_operator_of(self.document.directory)

    @property
    def defined_operators(self) -> frozenset[tuple[int, int]]:
        """The minor releases of the operator that the custom resource definitions of the repository are from."""
        from flink_flint.linter.model.release_evidence.only_operator import operators_by_definition

        return operators_by_definition(self.document.directory)

    def java_of_jar(self, source: str, *, is_of_stage: bool) -> tuple[int, str] | None:
        """Return the Java release for which the build of a JAR compiles, and its file (see `java_of_build`)."""
        from flink_flint.linter.model.release_evidence.java_of_build import java_of_jar

        return java_of_jar(self.document.directory, source, is_of_stage=is_of_stage)

    def under(self, prefix: str) -> Iterator[Setting]:
        """Yield a setting for each entry whose written key starts with `prefix`."""
        for key in self.effective:
            if key.startswith(prefix):
                yield self.written(key)

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The lines of flink-conf.yaml that Flink drops with a warning."""
        return self.document.skipped

    @property
    def refusals(self) -> Sequence[Refusal]:
        """The reasons why Flink rejects the whole file; the first is the one that Flink would report.

        Without those on lines with a placeholder: nobody knows what is on the line when Flink reads it.
        """
        document = self.document
        if not document.refusals:
            return ()
        lines, text = document.lines, document.text
        spans = [lines.span(lines.position(refusal.span.start).line) for refusal in document.refusals]
        placed = zip(document.refusals, spans, strict=True)
        return [refusal for refusal, span in placed if not has_placeholder(text[span.start : span.end])]

    # -- questions about elements

    def elements(self, *kinds: str) -> Sequence[ElementView]:
        """Return the elements of these kinds (`linter.model.elements.KINDS`) in the document, in file order."""
        found = self._elements.get(kinds)
        if found is None:
            found = [ElementView(self.finding, element, self.document) for element in self.document.elements_of(kinds)]
            self._elements[kinds] = found
        return found

    def named(self, kind: str) -> Mapping[str, ElementView]:
        """Return the elements of a kind by the last part of their dotted names; later elements replace earlier ones.

        Those of the documents that this view's document uses count as well, its own first.
        """
        found = self._named.get(kind)
        if found is None:
            parts = (*(self.elements_beside(kind) if self.relation.beside else ()), *self.elements(kind))
            found = self._named[kind] = {part.name.rpartition(".")[2]: part for part in parts}
        return found

    @property
    def is_bounded(self) -> bool:
        """Whether the job certainly ends by itself: it runs in batch mode, or a program reads only what has an end."""
        mode = self.effective.get("execution.runtime-mode")
        if mode is not None and mode.text.upper() == "BATCH":
            return True
        return any(job.has("bounded") for job in self.elements("job"))

    def is_only_written(self, table: ElementView) -> bool:
        """Return whether a table is written by its script or program, and nothing in the repository reads it."""
        name = table.text(ONLY_WRITTEN)
        return name is not None and name not in self.relation.used_elsewhere

    def elements_beside(self, *kinds: str) -> list[ElementView]:
        """Return the elements of these kinds in the other documents whose classes this view's document uses."""
        found = [(one, other) for other in self.relation.beside for one in other.elements if one.kind in kinds]
        self._read_files.update(other.path for _, other in found)
        return [ElementView(self.finding, one, other) for one, other in found]

    @property
    def workloads(self) -> list[ElementView] | None:
        """The containers that are rendered from a chart, for its values that no rendering contains; None for others."""
        documents = self.relation.workloads
        if documents is None:
            return None
        found = [(one, other) for other in documents for one in other.elements_of(("container",))]
        self._read_files.update(other.path for _, other in found)
        return [ElementView(self.finding, one, other) for one, other in found]

    # -- questions about processes

    @property
    def processes(self) -> Sequence[ProcessView]:
        """The processes that the document starts, including what other documents add to them.

        Empty for jobs, for files that containers mount, and for partial documents.
        """
        if self._processes is None:
            from flink_flint.linter.model.processes.deployed_processes import processes_of
            from flink_flint.linter.model.processes.process_view import ProcessView

            found = processes_of(self.document, self.relation, self.target)
            self._processes = [ProcessView(self.finding, process) for process in found]
        self._read_files.update(path for one in self._processes for path in one.files_of_facts)
        return self._processes

    # -- questions about observed metrics

    def observed(self, metric: str, p: float | None = None, *, statistic: str = "max") -> Observed | None:
        """Return percentile `p`, or else `statistic`, of a metric, the largest over jobs or operators; None if missing.

        The metric is ``scope/name``, or its name alone if only one scope has it. The result is the largest value of all
        jobs or operators that the document configures; None without a history, and for metrics that are missing or have
        too few samples.
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
        """Return a metric's statistic for each cluster, job or operator where it is above `above` and below `below`.

        With a bound, the largest values come first, without bounds the smallest.
        """
        if self.observations is None:
            return []
        return self.observations.where(metric, p, statistic=statistic, above=above, below=below)

    def jobs(self) -> list[Job]:
        """Return the observed jobs that the document configures."""
        return [] if self.observations is None else self.observations.jobs()

    # -- derived

    def taskmanager_memory(self) -> TaskManagerMemory | None:
        """Return the memory of a TaskManager; None if Flink rejects it or an input is unknown."""
        return self._memory("taskmanager")  # type: ignore[return-value]

    def jobmanager_memory(self) -> JobManagerMemory | None:
        """Return the memory of the JobManager; None if Flink rejects it or an input is unknown."""
        return self._memory("jobmanager")  # type: ignore[return-value]

    def memory_refusal(self, process: str) -> MemoryRefused | None:
        """Return the error with which Flink rejects the memory of a process; None if Flink accepts it or it is unknown.

        `process` is "taskmanager" or "jobmanager". The result is unknown for a template or a release with another
        memory model.
        """
        from flink_flint.linter.flink.memory.options_reader import MemoryRefused

        derived = self._derive(process)
        return derived if isinstance(derived, MemoryRefused) else None

    def _memory(self, process: str) -> TaskManagerMemory | JobManagerMemory | None:
        derived = self._derive(process)
        return None if isinstance(derived, ValueError) else derived

    def _derive(self, process: str) -> TaskManagerMemory | JobManagerMemory | MemoryRefused | None:
        """Return the memory of a process, derived once; like every result it is valid for a range of releases."""
        configuration = self.configuration
        known = self._derived.get(process)
        if known is None:
            first, last = configuration.first, configuration.last
            configuration.reset_bounds()
            derived = self._derive_recorded(process)
            known = self._derived[process] = (derived, configuration.first, configuration.last)
            configuration.reset_bounds()
            configuration.restrict(first, last)
        configuration.restrict(known[1], known[2])
        if self._read is not None:
            self._read |= self._derived_from[process]
        return known[0]

    def _derive_recorded(self, process: str) -> TaskManagerMemory | JobManagerMemory | MemoryRefused | None:
        if self._read is None:
            return self._derive_again(process)
        before = frozenset(self._read)
        self._read.clear()
        derived = self._derive_again(process)
        self._derived_from[process] = frozenset(self._read)
        self._read |= before
        return derived

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
        """Whether Flink itself requests containers from a cluster manager (YARN, native Kubernetes)."""
        return self.target.is_in_containers

    def hides(self, process: str) -> bool:
        """Return whether the memory of `process` ("taskmanager" or "jobmanager") cannot be known.

        That is so if an input is a template expression, or if the document's containers run only the other process.
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

    def _related_files(self) -> tuple[str, ...]:
        """Return the paths of the other documents whose values the view contains."""
        relation = self.relation
        if relation is ALONE:
            return ()
        return tuple({other.path: None for other in (*relation.below, *relation.beside, *relation.above)})

    def threshold(self, name: str) -> float:
        """Return a threshold of the running rule: the one set in flint.toml, or its default.

        It has the unit of the default: a plain number, bytes (`MemorySize`) or nanoseconds (`Duration`).
        """
        rule, configured = self.rule, self._thresholds
        declared = rule.thresholds[name]
        for word in (rule.name, rule.code):
            if name in configured.get(word, ()):
                return declared.read(configured[word][name])
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
        unused: str | None = None,
        only_declared: str | None = None,
    ) -> Finding:
        """Return a finding of the running rule, at `span` or at the start of the document.

        Severity and confidence are the rule's unless given. On an element that nothing in the repository uses, it is
        advice if it is `unused` in its file, and no error if it is `only_declared` there. `measure` is a number that
        grows as the problem gets worse.
        The `document` is the view's own unless the finding is on a lower layer.
        """
        rule = self.rule
        document = document or self.document
        places = [place for r in related if (place := r if isinstance(r, Place) else r.place()) is not None]
        found = Finding(
            message, span or document.head, severity=severity or rule.severity,
            confidence=confidence or rule.confidence,
            help=help, key=key, fix=fix, related=places, evidence=evidence, measure=measure,
        )  # fmt: skip
        if unused is not None and unused not in self.relation.used_elsewhere:
            found.severity = Severity.INFO
        if only_declared is not None and only_declared not in self.relation.used_elsewhere:
            found.severity = min(found.severity, Severity.WARNING)
        found.code, found.rule, found.family, found.url = rule.code, rule.name, rule.family, rule.url
        if fix is not None and fix.path not in ("", document.path):
            found.proposed = None
        found.document = document.name
        found.path = document.path
        found.beside = self._related_files()
        found.layers = self._deciding_files(found.severity)
        found.flink_version = self.configuration.release.name
        return found
