"""Checks the documents rendered from charts and kustomizations, and maps their findings back to the source files.

They are judged like a manifest. Afterwards each finding moves from the rendered text to the line of the values file,
template, base or patch that it comes from; each such file then has a document with the findings there. What several
renderings report at one place is reported once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import accumulate

from flink_flint.linter.config.flint_config import FlintConfig
from flink_flint.linter.engine.discovery import AnySource, Skipped
from flink_flint.linter.engine.document_findings import Judged
from flink_flint.linter.engine.locations import mask_of, typing_of
from flink_flint.linter.engine.rendering.fixes_at_origin import SourceDocuments
from flink_flint.linter.engine.rendering.renderings import UNDEFINED, NotRendered, Rendered, Renderings
from flink_flint.linter.flink.file_loading import decode
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.kubernetes.manifests import FILE_FORMAT as MANIFESTS
from flink_flint.linter.formats.kubernetes.manifests import ParsedManifests
from flink_flint.linter.model.containers.mounts import key_of
from flink_flint.linter.model.document import OPERATOR_DEFAULTS, OPERATOR_VALUES, Document, FileFormat
from flink_flint.linter.model.elements import Attribute, Element
from flink_flint.linter.model.finding import Finding, Fix, Place
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Origin, RenderedText
from flink_flint.linter.text.spans import Lines, Span

_NOWHERE = Span(0, 0)
_VALUES = "helm"
_OBJECTS = ("flinkdeployment", "configmap")
"""The kinds of files with objects, and of kustomizations that make or patch some."""

_DEPLOYS = regex(
    r"(?m)^[ \t-]*+(?:kind:[ \t]*+Flink[A-Z]|(?:flink-conf|config)\.ya?ml[\"']?:|name:[ \t]*+FLINK_PROPERTIES"
    r"|mountPath:.{0,99}\bflink/conf\b)"
)
"""Matches what a template has that deploys Flink."""

_QUOTES = ('"', "'")
_BETWEEN = regex(r"[\s:,\"'\\|>+\-\[\]{}]*")
"""What may stand between the parts of a value that one place decides: indentation, punctuation of YAML."""

ConfigOf = Callable[[str], FlintConfig]
"""A function that returns the flint configuration that applies to the file at a path."""
TargetFor = Callable[[Document, FlintConfig], Target]
"""A function that returns the target of a document without related documents, given its flint configuration."""


class RenderedDocuments:
    """The rendered documents of a run, and the source documents that they replace."""

    def __init__(self, found: Renderings) -> None:
        self._files = found.files
        self._streams: dict[str, Rendered] = {}
        self._texts: dict[str, str | None] = {}
        self._lines: dict[str, Lines] = {}
        self._inside: dict[str, str] = {}
        self._used: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        """For a rendering and a file: where the used parts of the file start, and the furthest end up to each."""
        self._members: dict[str, list[Document]] = {}
        self.failed = list(dict.fromkeys(Skipped(one.path, one.reason) for one in (*found.failed, *found.notes)))
        """The charts and kustomizations that could not be rendered as a whole."""
        self._failed = [one for one in found.failed if one.values]
        self._unseen = found.unseen
        self.documents: list[Document] = []
        failed = {one.path for one in found.failed}
        self._inputs: set[str] = set()
        self._values: set[str] = set()
        self._holders: set[str] = set()
        starts: set[Origin] = set()
        self._sources = SourceDocuments(())
        for one in found.rendered:
            data = one.text.text.encode("utf-8", "surrogateescape")
            documents = ParsedManifests(one.text.text, one.trees).read(one.path, data)
            self._inputs |= one.inputs - failed
            if documents:
                self._values |= one.values
                self._holders |= one.holders
                self._streams[one.path] = one
            origins = [one.text.origin(document.head) for document in documents]
            is_again = any(origin is not None and origin in starts for origin in origins)
            starts.update(origin for origin in origins if origin is not None)
            for document in documents:
                document.name = f"{_plain(document.name or document.kind, one.plain_names)} ({one.label})"
                document.is_variant = one.is_variant or is_again
                if not one.is_certain:
                    document.whole, document.may_be_overridden = False, True
                self._members.setdefault(one.path, []).append(document)
            self.documents += documents
        self._concerned = self._inputs.union(self._values, *(one.values for one in self._failed))
        """The files of which documents may not be checked by themselves."""

    @property
    def paths(self) -> frozenset[str]:
        """The placeholder paths of the rendered documents, used until their findings are moved to source files."""
        return frozenset(self._streams)

    @property
    def originals(self) -> Mapping[str, Sequence[Document]]:
        """The source documents that renderings replace at least partly, by file path; fixes change these documents."""
        return self._sources.by_path

    def kept(self, documents: Sequence[Document]) -> list[bool]:
        """Return, for each document, whether it is checked itself because no rendering replaces it."""
        for document in documents:
            if document.path in self._unseen and document.file_format.kind == _VALUES:
                document.whole, document.may_be_overridden = False, True
        are_kept = [not self.replaces(document) for document in documents]
        replaced = {one.path for one, is_kept in zip(documents, are_kept, strict=True) if not is_kept}
        self._sources = SourceDocuments(one for one in documents if one.path in replaced)
        return are_kept

    def replaces(self, document: Document) -> bool:
        """Return whether a document of a file is not checked by itself, as a rendered document replaces it.

        Of a chart that cannot be rendered, settings are checked that a template takes as a whole; where it takes single
        values, their keys are names of the chart.
        """
        if document.path not in self._concerned or document.name in (OPERATOR_DEFAULTS, OPERATOR_VALUES):
            return False
        if document.file_format.kind == _VALUES:
            if document.path in self._values:
                return not self._is_optional(document)
            failed = [one for one in self._failed if document.path in one.values]
            return bool(failed) and not any(_may_be_taken_whole(document, one) for one in failed)
        return document.path in self._inputs and (document.file_format.kind in _OBJECTS or self._is_contained(document))

    def workloads_of(self, document: Document) -> tuple[Document, ...] | None:
        """Return what is rendered from a chart, for values that its templates use but no rendering contains.

        Return None for any other document.
        """
        if document.path not in self._values or document.file_format.kind != _VALUES or self.replaces(document):
            return None
        if document.name in (OPERATOR_DEFAULTS, OPERATOR_VALUES):
            return None
        streams = [one.path for one in self._streams.values() if document.path in one.values]
        return tuple(self._members[streams[0]]) if streams else ()

    def _is_contained(self, document: Document) -> bool:
        """Return whether the settings of a document are all rendered, as those of a file that a ConfigMap has."""
        spans = [entry.value_span for entry in document.entries if not entry.layer]
        streams = [one for one in self._streams.values() if document.path in one.inputs | one.holders]
        return bool(spans) and any(
            all(self._is_used(stream, document.path, [span]) for span in spans) for stream in streams
        )

    def _is_optional(self, document: Document) -> bool:
        """Return whether templates refer to the values of a document, but none of the renderings contains them.

        Templates that pick single values of a map do not take its keys.
        """
        streams = [one for one in self._streams.values() if document.path in one.values]
        spans = [entry.value_span for entry in document.entries]
        if any(self._is_used(stream, document.path, spans) for stream in streams):
            return False
        if all(self._is_overridden(stream, document) for stream in streams):
            return False
        if any(not entry.layer for entry in document.entries):
            return any(_is_taken_whole(document, stream.templates) for stream in streams)
        key = re.escape(key_of(document))
        return any(re.search(rf"[.\"'`]{key}\b", stream.templates) is not None for stream in streams)

    def _is_overridden(self, stream: Rendered, document: Document) -> bool:
        """Return whether other values files than that of a document decide all its settings in a rendering."""
        settings = {entry.key: entry for one in self._members.get(stream.path, ()) for entry in one.entries}
        for entry in document.entries:
            rendered = settings.get(entry.key)
            origin = self._origin(stream.text, rendered.value_span) if rendered is not None else None
            if origin is None or self._files.shown(origin.path) not in (stream.values | stream.holders) - {
                document.path
            }:
                return False
        return True

    def _is_used(self, stream: Rendered, path: str, spans: Sequence[Span]) -> bool:
        """Return whether rendered text comes from any of the spans of a file."""
        used = self._used.get((stream.path, path))
        if used is None:
            origins = (one.origin for one in stream.text.fragments if one.origin is not None)
            places = sorted(one.span for one in origins if self._files.shown(one.path) == path)
            used = [place.start for place in places], list(accumulate((place.end for place in places), max))
            self._used[stream.path, path] = used
        starts, ends = used
        return any((at := bisect_left(starts, span.end)) > 0 and ends[at - 1] > span.start for span in spans)

    def files_of(self, document: Document) -> frozenset[str]:
        """Return the paths of the source files of a rendered document."""
        stream = self._streams[document.path]
        return stream.inputs | stream.values

    def place(self, document: Document, span: Span) -> tuple[str, int]:
        """Return the source path and line that determine a span of a rendered document."""
        path, place = self._place(document.path, span)
        lines = document.lines if path == document.path else self._lines_of(path)
        return path, lines.position(place.start).line

    def _lines_of(self, path: str) -> Lines:
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = Lines(self._text(path))
        return lines

    def shown_path(self, document: Document) -> str:
        """Return the path of the source file in which a rendered document starts; that file's configuration applies."""
        origin = self._origin(self._streams[document.path].text, document.head)
        return document.path if origin is None else self._files.shown(origin.path)

    def moved(
        self, judged: Sequence[Judged], config_of: ConfigOf, target_for: TargetFor, sources: Iterable[AnySource]
    ) -> list[Judged]:
        """Return the documents of a run, with the findings of rendered documents moved to their source files."""
        kept = [one for one in judged if one.document.path not in self._streams]
        seen: dict[tuple[object, ...], Finding] = {}
        for one in kept:
            for finding in one.findings:
                self._move(finding)
                seen.setdefault((finding.code, finding.path, finding.span), finding)
        rendered = [one for one in judged if one.document.path in self._streams]
        _keep_once(rendered)
        for one in rendered:
            self._hide_secrets(one)
        made: list[Judged] = []
        for one in rendered:
            made += self._moved(one, seen, config_of)
        described = {one.document.path for one in (*kept, *made)}
        for path in self._paths_without(described, kept, made) if rendered else ():
            made.append(self._left(path, self._empty(path), rendered, config_of, target_for))
        left = (self._inputs | self._values) - {one.document.path for one in (*kept, *made)} if made else set[str]()
        for source in sources:
            if source.path in left and (source.path in self._sources.by_path or self._owner(source.path, rendered)):
                document = self._empty(source.path, source.file_format)
                made.append(self._left(source.path, document, rendered, config_of, target_for))
        return [*kept, *made]

    def _left(
        self, path: str, document: Document, rendered: Sequence[Judged], config_of: ConfigOf, target_for: TargetFor
    ) -> Judged:
        """Return an empty document of a file without findings, for what is rendered from it if anything is."""
        owner = self._owner(path, rendered)
        made = self._at(owner or rendered[0], path, document, [], config_of)
        return made if owner is not None else made.with_target(target_for(document, made.flint_config))

    def _owner(self, path: str, rendered: Sequence[Judged]) -> Judged | None:
        """Return the first rendered document that a file is an input of; None if nothing is rendered from it."""
        return next((one for one in rendered if path in self.files_of(one.document)), None)

    def _moved(self, one: Judged, seen: dict[tuple[object, ...], Finding], config_of: ConfigOf) -> Iterator[Judged]:
        """Yield a document for each file that has findings, or values, of a rendered document."""
        home = self.shown_path(one.document)
        by_path: dict[str, list[Finding]] = {home: []}
        for finding in one.findings:
            self._move(finding)
            place = (finding.code, finding.path, finding.span)
            known = seen.setdefault(place, finding)
            if known is finding:
                by_path.setdefault(finding.path, []).append(finding)
            else:
                known.severity = max(known.severity, finding.severity)
        paths = dict.fromkeys((*by_path, *self._paths_of(one.document)))
        for path in paths:
            document = self._document_at(one.document, path, is_home=path == home)
            yield self._at(one, path, document, by_path.get(path, []), config_of)

    def _at(self, one: Judged, path: str, document: Document, findings: list[Finding], config_of: ConfigOf) -> Judged:
        return one.moved(document, findings, config_of(path))

    def _paths_of(self, document: Document) -> Iterator[str]:
        """Yield the files that decide values of a rendered document."""
        text = self._streams[document.path].text
        for entry in document.entries:
            origin = self._origin(text, entry.value_span)
            if origin is not None:
                yield self._files.shown(origin.path)

    def _paths_without(self, described: set[str], kept: Iterable[Judged], made: Iterable[Judged]) -> list[str]:
        """Return the files that findings refer to, but that have no document."""
        paths = (
            path
            for one in (*kept, *made)
            for finding in one.findings
            for path in (finding.path, *(place.path for place in finding.related))
        )
        return [path for path in dict.fromkeys(paths) if path not in described]

    # -- documents of files

    def _document_at(self, document: Document, path: str, *, is_home: bool) -> Document:
        """Return a rendered document as far as it comes from one file; that of its home has all its settings."""
        move = self._mover(document, path)
        made = copy(self._empty(path))
        made.name, made.kind, made.syntax = document.name, document.kind, document.syntax
        made.platform, made.profile, made.release = document.platform, document.profile, document.release
        made.purpose, made.purpose_evidence = document.purpose, document.purpose_evidence
        made.is_left_out, made.budget = document.is_left_out, document.budget
        made.evidence = next((one.evidence for one in self._sources.by_path.get(path, ())), document.evidence)
        made.whole, made.is_variant = document.whole and is_home, document.is_variant
        made.may_be_overridden = document.may_be_overridden
        made.span = move(document.head) or _NOWHERE
        entries = [_moved_entry(entry, move) for entry in document.entries]
        made.entries = [entry for entry in entries if is_home or entry.value_span != _NOWHERE]
        made.elements = [_moved_element(element, move) for element in document.elements]
        made.ignored = [one._replace(span=move(one.span) or _NOWHERE) for one in document.ignored]
        return made

    def _empty(self, path: str, file_format: FileFormat | None = None) -> Document:
        """Return a document of a file without settings."""
        text = self._text(path)
        return Document(path, text, file_format or MANIFESTS, ConfigurationFile(), syntax="map", whole=False)

    def _text(self, path: str) -> str:
        text = self._texts.get(path)
        if text is None:
            data = self._files.read(self._inside.get(path, path)) or b""
            text = self._texts[path] = decode(data, kind="config.yaml")[0]
        return text

    def _mover(self, document: Document, path: str) -> Callable[[Span], Span | None]:
        text = self._streams[document.path].text

        def move(span: Span) -> Span | None:
            origin = self._origin(text, span)
            return origin.span if origin is not None and self._files.shown(origin.path) == path else None

        return move

    # -- places

    def _origin(self, text: RenderedText, span: Span) -> Origin | None:
        """Return the place that decides a span of rendered text, or the nearest one before it."""
        origin = text.origin(span) or text.origin(Span(span.start, len(text.text))) or text.origin(Span(0, span.end))
        if origin is not None:
            self._inside[self._files.shown(origin.path)] = origin.path
        return origin

    def _move(self, finding: Finding) -> None:
        """Move a finding in rendered text, and its fix if possible, to its origin."""
        stream = self._streams.get(finding.path)
        if stream is not None:
            path, finding.span = self._place(finding.path, finding.span)
            finding.proposed, finding.path = self._moved_fix(finding, stream, path), path
        self._move_places(finding)

    def _moved_fix(self, finding: Finding, stream: Rendered, path: str) -> Fix | None:
        """Return the fix of a finding in rendered text as one of the file to which the finding moves."""
        if finding.proposed is None:
            return None

        def decided(span: Span) -> tuple[str, Span] | None:
            return self._place(stream.path, span)

        def copied(span: Span) -> tuple[str, Span] | None:
            origin = stream.text.copied_from(span)
            return None if origin is None else (self._files.shown(origin.path), origin.span)

        return self._sources.moved(finding.proposed, self._members[stream.path], path, decided, copied)

    def _move_places(self, finding: Finding) -> None:
        """Move the places in rendered text that a finding refers to."""
        finding.related = tuple(Place(*self._place(one.path, one.span), one.message) for one in finding.related)
        finding.beside = tuple(path for path in finding.beside if path not in self._streams)

    def _place(self, path: str, span: Span) -> tuple[str, Span]:
        stream = self._streams.get(path)
        if stream is None:
            return path, span
        origin = self._origin(stream.text, span)
        return (
            (path, span) if origin is None else (self._files.shown(origin.path), self._whole(stream.text, span, origin))
        )

    def _whole(self, text: RenderedText, span: Span, first: Origin) -> Span:
        """Return the place of all text at a span if one place decides it, else that of the first part."""
        whole = first.span
        source = self._text(self._files.shown(first.path))
        for origin in text.origins(span):
            if origin.path != first.path or origin.span.start < whole.start:
                return first.span
            if origin.span.end <= whole.end:
                continue
            if not _BETWEEN.fullmatch(source, min(whole.end, origin.span.start), origin.span.start):
                return first.span
            whole = Span(whole.start, origin.span.end)
        return _with_quotes(source, whole, text.text, span)

    def _hide_secrets(self, one: Judged) -> None:
        """Hide the secrets of the rendered text in the texts of findings, which move to files that need not have them.

        Those of other renderings, of which values may be quoted, are hidden as well.
        """
        for finding in one.findings:
            paths = dict.fromkeys((one.document.path, finding.path, *(place.path for place in finding.related)))
            masks = [mask_of(*self._members[path]) for path in (*paths, *finding.beside) if path in self._members]
            finding.hide_secrets(typing_of(finding, masks))


def _plain(name: str, plain_names: Mapping[str, str]) -> str:
    """Return the name of a document without the hash that changes with each value."""
    start, slash, last = name.rpartition("/")
    return f"{start}{slash}{plain_names.get(last, last)}"


def _with_quotes(source: str, place: Span, text: str, span: Span) -> Span:
    """Return a place with the quotes around it, if the rendered span has quotes or begins or ends a scalar there."""
    start, end = place
    begins = text[span.start : span.start + 1] in _QUOTES or text[max(span.start - 1, 0) : span.start] in (
        "",
        " ",
        "\n",
    )
    ends = text[max(span.end - 1, 0) : span.end] in _QUOTES or text[span.end : span.end + 1] in ("", ":", "\n")
    if begins and source[max(start - 1, 0) : start] in _QUOTES:
        start -= 1
    if ends and source[end : end + 1] in _QUOTES:
        end += 1
    return Span(start, end)


def _keep_once(rendered: Sequence[Judged]) -> None:
    """Keep one of the findings on whole documents of a deployment that say the same, first where a release is named."""
    kept: dict[tuple[str, str, str], Finding] = {}
    members = sorted(rendered, key=lambda one: one.document.release_span is None)
    for one in members:
        for finding in one.findings:
            if finding.key is None:
                kept.setdefault((one.document.path, finding.code, finding.claim), finding)
    for one in rendered:
        one.findings[:] = [
            finding
            for finding in one.findings
            if finding.key is not None or kept[one.document.path, finding.code, finding.claim] is finding
        ]


def _moved_entry(entry: Entry, move: Callable[[Span], Span | None]) -> Entry:
    made = copy(entry)
    key, value = move(entry.key_span) or _NOWHERE, move(entry.value_span) or _NOWHERE
    made._key_start, made._key_end = key
    made._value_start, made._value_end = value
    made._parents = ()
    return made


def _moved_element(element: Element, move: Callable[[Span], Span | None]) -> Element:
    attributes: Mapping[str, Attribute] = {
        name: attribute._replace(span=move(attribute.span) or _NOWHERE, key_span=None)
        for name, attribute in element.attributes.items()
    }
    return Element(element.kind, element.name, move(element.span) or _NOWHERE, attributes)


def _may_be_taken_whole(document: Document, chart: NotRendered) -> bool:
    """Return whether templates of a chart, including those that are not here, may take the values of a document whole.

    Templates without a Chart.yaml are part of a chart. If none of them deploys Flink, another one takes the map that
    has the name of the operator's field, whatever single values these take from it (ports of a network policy).
    """
    if _is_taken_whole(document, chart.templates):
        return True
    is_part = chart.reason == UNDEFINED and _DEPLOYS.search(chart.templates) is None
    return is_part and key_of(document) == "flinkConfiguration"


def _is_taken_whole(document: Document, templates: str) -> bool:
    """Return whether templates may take the values of a document as a whole, or those around them."""
    from flink_flint.linter.formats.helm.taken_values import are_taken_whole

    # "values global #2" is the second document of the values at "global".
    kind, _, place = re.sub(r" #\d+$", "", document.name or "").partition(" ")
    return are_taken_whole(templates, place if kind == "values" else "", key_of(document))
