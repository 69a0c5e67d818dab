"""A document: one Flink configuration found in a file, with the position of every entry.

A file may contain several documents (a manifest of many objects), and a document may declare more than settings (its
elements). Everything after the file formats works on documents and does not depend on the kind of file.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.flink.parsed_file import CONFIG_YAML, FLINK_CONF, entries_under
from flink_flint.linter.model import limits
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.evidence import NOTHING, Evidence, certain
from flink_flint.linter.model.finding import Fix, Operation
from flink_flint.linter.model.limits import CHARACTERS, Budget, collecting, cut
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Edit, Lines, Span

if TYPE_CHECKING:
    from collections import Counter

    from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry, Refusal, Skipped
    from flink_flint.linter.model.masking import Mask

OperatorRelease = tuple[int, int]
"""A minor release of the Flink Kubernetes Operator."""

_PYTHON = regex(r"(?i)python|pyflink|\.py\b")
_SETS = "sets."
"""The start of the names of attributes for options that a program computes."""


class FileFormat(ABC):
    """A kind of file that contains Flink configuration; each module of `linter.formats` defines one."""

    kind: str
    """The name of this format in the JSON output; documents that have kinds of their own show those instead."""
    comments: tuple[str, ...] = ("#",)
    """The markers that begin a comment that runs to the end of the line, such as ``#``."""
    reads_utf16: bool = False
    """Whether the format decodes UTF-16 and UTF-32 the way Flink does."""
    largest: int = CHARACTERS
    """The maximum number of bytes to read from a file; checking this many takes a few seconds and 200 MB of memory."""

    def named(self, name: str) -> bool:
        """Return whether a file with this name is of this kind, regardless of its content."""
        return False

    @abstractmethod
    def recognize(self, name: str, head: str) -> bool:
        """Return whether a file with this name that starts with `head` is of this kind."""

    def weigh(self, path: str, head: str) -> Evidence:
        """Return the evidence, from a file's path (or only name) and start, that it is a Flink file of this kind."""
        name = os.path.basename(path)
        return certain(f"the content of a file of Flink's ({self.kind})") if self.recognize(name, head) else NOTHING

    @abstractmethod
    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return the documents of a file; record invalid content in their `refusals` instead of raising an error."""

    def with_refusals(self, path: str, data: bytes, documents: list[Document]) -> list[Document]:
        """Return `documents` with refusals added for the parts of the file that `parse` left out."""
        return documents

    def read(self, path: str, data: bytes) -> list[Document]:
        """Return the documents of a file, as many as the limits allow, with numbers and unique names."""
        with collecting() as reasons:
            documents = _within_limits(self.parse(path, cut(data, self.largest)))
            if not reasons:
                documents = self.with_refusals(path, data, documents)
        if reasons:
            documents = documents or [empty_document(path, self)]
            # What looks broken at the cut may be complete in the file.
            documents[-1].refusals = ()
        budget = Budget(reasons)
        names: dict[str | None, int] = {}
        for number, document in enumerate(documents):
            document.number, document.budget = number, budget
            if reasons:
                document.is_in_part, document.whole = True, False
            names[document.name] = count = names.get(document.name, 0) + 1
            if count > 1:
                document.name = f"{document.name or document.kind} #{count}"
        return documents

    @abstractmethod
    def write(self, text: str, like: bytes) -> bytes:
        """Encode an edited `text` in the encoding of the file, whose current bytes are `like`."""

    # These return alternative edits for a change, the best first, none of them verified (see `linter.fix.make_edits`).

    @abstractmethod
    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return alternative edits that change the key of an entry."""

    @abstractmethod
    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return alternative edits that change the value of an entry, quoted as the format requires."""

    @abstractmethod
    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return alternative edits that set a key that is not set yet, next to related keys."""

    @abstractmethod
    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return alternative edits that delete an entry."""


class Ignored(NamedTuple):
    """A Kubernetes annotation that suppresses findings in the whole document of its object."""

    selectors: tuple[str, ...]
    reason: str
    span: Span


class Document:
    """One Flink configuration: its entries with their positions, and what Flink reports when it loads them.

    `syntax` is how Flink reads it: ``flink-conf`` and ``config-yaml`` are the files, ``map`` is any other source of
    keys and values (a custom resource, ``-D``, SQL's SET, a program).
    """

    def __init__(
        self,
        path: str,
        text: str,
        file_format: FileFormat,
        content: ConfigurationFile,
        *,
        syntax: str,
        kind: str | None = None,
        name: str | None = None,
        elements: Sequence[Element] = (),
        span: Span | None = None,
        whole: bool = True,
        release: tuple[str, str] | None = None,
        release_span: Span | None = None,
        platform: str | None = None,
        profile: str | None = None,
        ignored: Sequence[Ignored] = (),
    ) -> None:
        self.path = path
        self.directory = os.path.dirname(path)
        """The folder the file is in."""
        self.text = text
        self.file_format = file_format
        self.syntax = syntax
        self.kind = kind or file_format.kind
        """The name of its kind in the JSON output: ``flink-conf``, ``flinkdeployment``, ..."""
        self.name = name
        self.overrides: Document | None = None
        """The document of the same file whose settings it overrides, such as earlier values for the same chart."""
        self.is_variant = False
        """Whether the run already has another rendering of the same object, with other values or of another overlay.

        The two are for different environments, so that no rule compares them, and only the first is related to others.
        """
        self.may_be_overridden = False
        """Whether something outside of the repository may replace its settings, so that no finding there is certain."""
        self.prevails = False
        """Whether its settings win over those of the documents that it is a layer of."""
        self.includes = 0
        """The number of statements in its file that include settings from files that flint does not read."""
        self.number = 0
        """Its index among the documents of its file."""
        self.elements = elements
        self.span = span
        """Where it begins in its file, for findings on the whole document; None: at its first key."""
        self.whole = whole
        """Whether it is a complete configuration; in a partial one nothing can be reported as missing."""
        self.release = release
        """The release it names, as a version or range, with the evidence (``("1.17", "spec.flinkVersion")``)."""
        self.release_span = release_span
        """Where it names the release, if that is a value in its text."""
        self.platform = platform
        """The platform that its kind or content implies; None if it implies none."""
        self.profile = profile
        """``development`` or ``production`` if its kind or content implies one."""
        self.purpose = "production"
        """What its file is for: ``production``, ``test`` or ``example``; the engine sets it."""
        self.purpose_is_set = False
        self.purpose_evidence = ""
        """What shows that the file is for tests or an example."""
        self.is_left_out = False
        """Whether the document is listed but not checked, because its file is for tests; the engine sets it."""
        self.evidence: Evidence = NOTHING
        """The evidence that its file is Flink's; the engine sets it."""
        self.project_triggers: Sequence[str] | None = None
        """What triggers rules of scope "project" on it; the engine determines it when it is first needed."""
        self.ignored = ignored
        self.all_entries: Sequence[Entry] = content.entries
        """The entries under all releases of the operator."""
        self._entries: Sequence[Entry] | None = None
        self._operator: Callable[[], OperatorRelease | None] | None = None
        self.skipped: Sequence[Skipped] = content.skipped
        self.refusals: Sequence[Refusal] = content.refusals
        self.warnings: Sequence[str] = content.warnings
        self._lines: Lines | None = None
        self._effective: dict[str, Entry] | None = None
        self._by_key: dict[str, list[Entry]] | None = None
        self._mentioned: dict[str, bool] = {}
        self.mask: Mask | None = None
        """Hides its secrets; created when something is printed."""
        self.is_in_part = False
        """Whether limits left out a part of its file; its text may then be cut short, so it is not edited."""
        self.budget = Budget({})
        """What remains of the limits of its file; shared by the documents of a file."""
        self._near: dict[str, list[str]] = {}
        self._slips: dict[str, int] | None = None
        self._options_set: frozenset[str] | None = None
        self._uses: Counter[Span] | None = None

    def with_content(self, text: str, content: ConfigurationFile) -> Document:
        """Return a copy of this document with `text` and `content` instead of its own."""
        from copy import copy

        document = copy(self)
        document.text = text
        document.entries, document.skipped = content.entries, content.skipped
        document.refusals, document.warnings = content.refusals, content.warnings
        document._lines = document.mask = None
        document._mentioned, document._near = {}, {}
        return document

    def with_entries(self, entries: Sequence[Entry]) -> Document:
        """Return a copy of this document that has only the given entries, to serve as a layer of another document."""
        from copy import copy

        document = copy(self)
        document.entries = list(entries)
        return document

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries in file order; of a custom resource, those under the release of the operator that reads it."""
        if self._entries is None:
            entries = self.all_entries
            if self.platform == "operator":
                entries = entries_under(None if self._operator is None else self._operator(), entries)
            self._entries = entries
        return self._entries

    @entries.setter
    def entries(self, entries: Sequence[Entry]) -> None:
        self.all_entries = entries
        self._forget_entries()

    def set_operator(self, operator: Callable[[], OperatorRelease | None]) -> None:
        """Let the document have the settings under the release of the operator that `operator` finds; None: the newest.

        It is called when the entries are first needed, since it may read other files. What was set first counts.
        """
        if self.platform == "operator" and self._operator is None:
            self._operator = operator
            self._forget_entries()

    def set_operator_of(self, other: Document) -> None:
        """Let the document have the settings under the release of the operator of another document."""
        if other._operator is not None:
            self.set_operator(other._operator)

    def leave_out(self, keys: Collection[str]) -> None:
        """Remove the entries of the given keys, which have no effect because another document overrides them."""
        self.entries = [entry for entry in self.all_entries if entry.key not in keys]

    def _forget_entries(self) -> None:
        """Clear the caches of what is derived from the entries."""
        self._entries = self._effective = self._by_key = self._uses = self._slips = self._options_set = None

    @property
    def is_flink_conf(self) -> bool:
        """Whether Flink reads the document as the line-based flink-conf.yaml."""
        return self.syntax == "flink-conf"

    @property
    def is_config_yaml(self) -> bool:
        """Whether Flink reads the document as config.yaml."""
        return self.syntax == "config-yaml"

    @property
    def is_jobs_own(self) -> bool:
        """Whether it has settings of a job's own configuration, which Flink gets only if the job hands them over."""
        is_read_by_flink = self.file_name in (FLINK_CONF, CONFIG_YAML)
        return self.kind == "properties" and not is_read_by_flink and bool(self.entries) and not self.elements

    @property
    def is_configuration_file(self) -> bool:
        """Whether the document is a configuration file of Flink by itself, not a part of another file."""
        return self.kind in ("flink-conf", "config.yaml")

    @property
    def has_another_name(self) -> bool:
        """Whether the document is a configuration file of Flink with a name that Flink does not read."""
        return self.is_configuration_file and self.file_name not in (FLINK_CONF, CONFIG_YAML)

    @property
    def is_operator_defaults(self) -> bool:
        """Whether the document has the defaults of an operator, which apply to the resources of others."""
        return (self.name or "").startswith(OPERATOR_DEFAULTS)

    @property
    def replaces_shipped_file(self) -> bool:
        """Whether the document replaces the configuration file that Flink ships, instead of overriding parts of it."""
        return self.whole and self.syntax != "map"

    def source_of(self, entry: Entry) -> str:
        """Return the field, variable or argument that sets an entry; empty for an entry in the document's own text."""
        return entry.layer

    def yaml_in(self, index: int) -> bool:
        """Return whether the minor release `index` reads the document's lists and maps as YAML (standard YAML mode)."""
        from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML

        return self.syntax == "config-yaml" or (self.syntax == "map" and index >= FIRST_CONFIG_YAML)

    @property
    def lines(self) -> Lines:
        """The lines of the document's file."""
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines

    @property
    def effective(self) -> Mapping[str, Entry]:
        """The effective entry of each key, in file order."""
        if self._effective is None:
            self._effective = {entry.key: entry for entry in self.entries}
            if self.platform == "operator":
                self._effective = {key: one for key, one in self._effective.items() if not one.removes}
        return self._effective

    @property
    def file_name(self) -> str:
        """The name of the document's file without its folder."""
        return os.path.basename(self.path)

    def absolute(self, path: str) -> str:
        """Return the absolute path of a file or folder that the document names, relative to its own folder."""
        return os.path.normpath(os.path.join(os.path.abspath(self.directory), path))

    @property
    def head(self) -> Span:
        """The span for findings on the whole document: its start or its first key."""
        if self.span is not None:
            return self.span
        return self.entries[0].key_span if self.entries else Span(0, 0)

    @property
    def head_text(self) -> str:
        """What is written at its head."""
        return self.text[slice(*self.head)]

    @property
    def mentions_python(self) -> bool:
        """Whether it has values of a chart that may run programs in Python, whatever the chart calls them."""
        return self.kind == "helm" and _PYTHON.search(self.text) is not None

    def fix(
        self, title: str, how: str, key: str, new: str = "", *, at: Span | None = None, safe: bool = False
    ) -> Fix | None:
        """Return a fix with one `Operation`; None if that operation is certainly impossible."""
        if self.is_in_part or (how == "rename" and new in self.effective):
            return None
        return Fix(title, [Operation(how, self.number, key, new, at)], safe, self.path)

    def add(self, key: str, value: str, title: str, *, safe: bool = False) -> Fix | None:
        """Return a fix that sets a key that is not set yet; None if that is certainly impossible."""
        return self.fix(title, "add", key, value, safe=safe)

    def remove(self, entry: Entry, title: str, *, safe: bool = False) -> Fix | None:
        """Return a fix that deletes an entry; None if that is certainly impossible."""
        return self.fix(title, "remove", entry.key, at=entry.key_span, safe=safe)

    def entries_of(self, key: str) -> Sequence[Entry]:
        """Return the entries of a key in file order; the last one is effective."""
        counts = self.effective.get(key)
        if counts is None:
            return ()
        if len(self.effective) == len(self.entries):
            return (counts,)
        if self._by_key is None:
            self._by_key = {}
            for entry in self.entries:
                self._by_key.setdefault(entry.key, []).append(entry)
        return self._by_key[key]

    def nearest_keys(self, key: str) -> Sequence[str]:
        """Return the option keys that a misspelled `key` may stand for, most likely first.

        Empty once the file's budget of comparisons is used up.
        """
        found = self._near.get(key)
        if found is None:
            from flink_flint.linter.flink.nearest import candidates, compare
            from flink_flint.linter.flink.options import catalogue

            likely = candidates(catalogue(), key)
            found = compare(catalogue(), key, likely, None) if self.budget.take_comparisons(len(likely)) else []
            self._near[key] = found
        return found

    def misspellings_of(self, option: str) -> int:
        """Return the number of unknown keys in the document that may be misspellings of an option."""
        if self._slips is None:
            from flink_flint.linter.flink.nearest import alike
            from flink_flint.linter.flink.options import catalogue

            options = catalogue()
            unknown = [key for key in self.effective if not options.releases(key) and not options.passes_through(key)]
            self._slips = {}
            for key in unknown:
                for near in self.nearest_keys(key):
                    if alike(key, near):
                        self._slips[near] = self._slips.get(near, 0) + 1
        return self._slips.get(option, 0)

    @property
    def options_set(self) -> frozenset[str]:
        """The newest keys of the options that the document sets under any of their names."""
        if self._options_set is None:
            from flink_flint.linter.flink.options import catalogue

            names = map(catalogue().current_names, self.effective)
            self._options_set = frozenset(name for some in names for name in some)
        return self._options_set

    @property
    def options_computed(self) -> frozenset[str]:
        """The options, by their newest keys, that the program sets to values the source does not show."""
        if self.kind != "source":
            return frozenset()
        jobs = self.elements_of(("job",))
        return frozenset(name.removeprefix(_SETS) for job in jobs for name in job.attributes if name.startswith(_SETS))

    @property
    def options_decided(self) -> frozenset[str]:
        """The options, by their newest keys, that the document sets, or that the program computes."""
        return self.options_set | self.options_computed

    def changes(self, entry: Entry, becomes: tuple[str, str] | None) -> Changes:
        """Return the settings that change if an entry gets a new key or value, or is deleted if `becomes` is None.

        An entry that it had overridden becomes effective. The new key is the entry's own or one that is not set yet.
        """
        after: dict[str, str | None] = {}
        if entry is self.effective.get(entry.key):
            others = self.entries_of(entry.key)[:-1]
            after[entry.key] = others[-1].text if others else None
        if becomes is not None and (becomes[0] != entry.key or after):
            after[becomes[0]] = becomes[1]
        return after

    def is_shared(self, span: Span) -> bool:
        """Return whether the key segment at `span`, such as the key of a mapping, belongs to more than one entry."""
        if self._uses is None:
            from collections import Counter

            self._uses = Counter(span for entry in self.entries for span in entry.path_spans)
        return self._uses[span] > 1

    def mentions(self, text: str) -> bool:
        """Return whether the document's file contains a string anywhere."""
        found = self._mentioned.get(text)
        if found is None:
            found = self._mentioned[text] = text in self.text
        return found

    def elements_of(self, kinds: Collection[str]) -> Sequence[Element]:
        """Return the elements of the given `kinds`, in file order."""
        return [element for element in self.elements if element.kind in kinds]

    def values(self) -> Mapping[str, object]:
        """Return the effective values by key, with the types that the file's parser gives them."""
        return {key: entry.value for key, entry in self.effective.items()}

    def settings(self) -> dict[str, str]:
        """Return the effective values by key as strings, like Flink's ``Configuration.toMap()``."""
        return {entry.key: entry.text for entry in self.entries}


def _within_limits(documents: list[Document]) -> list[Document]:
    """Return the documents of a file, with their settings and elements, up to the limits."""
    settings, elements = limits.SETTINGS, limits.ELEMENTS
    if (
        len(documents) <= limits.DOCUMENTS
        and sum(len(one.entries) for one in documents) <= settings
        and sum(len(one.elements) for one in documents) <= elements
    ):
        return documents
    judged: list[Document] = []
    for document in documents:
        if len(judged) == limits.DOCUMENTS or not (settings and elements):
            break
        document.entries, document.elements = document.entries[:settings], document.elements[:elements]
        settings -= len(document.entries)
        elements -= len(document.elements)
        judged.append(document)
    limits.leave_out(
        f"only its first {limits.DOCUMENTS:,} documents, {limits.SETTINGS:,} settings and"
        f" {limits.ELEMENTS:,} elements are checked"
    )
    return judged


def empty_document(path: str, file_format: FileFormat) -> Document:
    """Return an empty document for a file of which nothing is checked."""
    from flink_flint.linter.flink.parsed_file import ConfigurationFile

    return Document(path, "", file_format, ConfigurationFile(), syntax="map", whole=False)


Changes = Mapping[str, "str | None"]
"""The changes to a document's settings: the new value by key, or None for a key to remove."""


class Promise(NamedTuple):
    """Unverified edits, with the changes that they should make to the settings of a document (given by its number)."""

    document: int
    edits: Sequence[Edit]
    changes: Changes


Ways = Iterable[Promise]
"""Alternative edits that make the same change to a document, the best first."""


OPERATOR_DEFAULTS = "operator defaults"
"""The name, or the prefix of the name, of documents that contain the default settings of a Kubernetes operator."""
OPERATOR_VALUES = "operator chart"
"""The name of documents that contain the values of the operator's chart, without settings."""
OPERATOR_DEFAULT = "the operator's default"
"""The prefix of the layer name of settings that the Kubernetes operator itself sets unless the user sets them."""


class LayeredEntry(NamedTuple):
    """An effective entry and the document that contains it."""

    entry: Entry
    document: Document


def merge_layers(documents: Sequence[Document]) -> dict[str, LayeredEntry]:
    """Return the effective entries of layered documents (the lowest first) by key; the highest layer wins.

    An option that a program sets by constant or setter overrides all spellings of the option in lower layers, because
    the release the program is compiled with determines the key, and Flink reads that key first. So does a layer that
    prevails, whatever is above it.
    """
    merged: dict[str, LayeredEntry] = {}
    for document in documents:
        for key, entry in document.effective.items():
            if merged and entry.layer.startswith(OPERATOR_DEFAULT) and key in merged:
                continue  # the operator sets it only if nothing else does
            if merged and entry.layer and document.kind == "source":
                for other in _others_of_the_option(key, merged):
                    if merged[other].document is not document:
                        del merged[other]
            merged[key] = LayeredEntry(entry, document)
    for document in documents:
        if document.prevails:
            _put_on_top(document, merged)
    return merged


def _put_on_top(document: Document, merged: dict[str, LayeredEntry]) -> None:
    """Let the entries of a document replace all spellings of their options in the merged ones."""
    from flink_flint.linter.flink.options import catalogue

    spelled: dict[str, list[str]] = {}
    for key in merged:
        for name in catalogue().current_names(key):
            spelled.setdefault(name, []).append(key)
    for key in document.effective:
        for name in catalogue().current_names(key):
            for other in spelled.pop(name, ()):
                merged.pop(other, None)
    for key, entry in document.effective.items():
        merged[key] = LayeredEntry(entry, document)


def _others_of_the_option(key: str, keys: Iterable[str]) -> list[str]:
    """Return which of `keys` are other spellings of the option of `key`."""
    from flink_flint.linter.flink.options import catalogue

    names = set(catalogue().current_names(key))
    return [other for other in keys if other != key and not names.isdisjoint(catalogue().current_names(other))]


def passed_over(document: Document) -> list[str]:
    """Return a short message, without secrets, for each statement of an SQL script that flint does not understand."""
    return [*document.warnings] if document.kind == "sql" else []
