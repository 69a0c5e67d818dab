"""The deployments of a project that use the named files, with the processes that they start.

The project around the files is read, charts are rendered and kustomizations are built, and every document that starts
processes is a deployment. No rules are evaluated.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from flink_flint.linter.config.flint_config import FlintConfig
from flink_flint.linter.engine.check_run import documents_of, read_rendered, relations_of, rendered_of
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.judging import target_for
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.engine.operator_release import set_installed_operators
from flink_flint.linter.engine.project_files import files_around
from flink_flint.linter.engine.rendering.rendered_documents import RenderedDocuments
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.model.processes.deployed_processes import JOBS, configuration_of, processes_of
from flink_flint.linter.model.processes.process import Origin, Process
from flink_flint.linter.model.target import Target
from flink_flint.linter.text.named_tuple import NamedTuple


class Deployment(NamedTuple):
    """A document that starts Flink processes, together with these processes."""

    document: Document
    relation: Relation
    target: Target
    processes: Sequence[Process]
    is_variant: bool
    """Whether an earlier deployment contains the same objects, rendered with other values."""


class Deployments:
    """The deployments that use the named files; also maps rendered text back to files."""

    def __init__(
        self, found: Sequence[Deployment], rendered: RenderedDocuments | None, documents: Iterable[Document]
    ) -> None:
        self.found = found
        self._rendered = rendered
        self._members: dict[str, list[Document]] = {}
        for document in documents:
            self._members.setdefault(document.path, []).append(document)

    def __iter__(self) -> Iterator[Deployment]:
        return iter(self.found)

    @property
    def compared(self) -> list[Process]:
        """The processes to compare with another path's processes, from only the first rendering of each object."""
        first = {_name(one.document) for one in self.found if not one.is_variant}
        return [
            process
            for one in self.found
            if not (one.is_variant and _name(one.document) in first)
            for process in one.processes
        ]

    def place(self, origin: Origin) -> tuple[str, int]:
        """Return the path and line of an origin; for rendered text, those of the source file that determines it."""
        document = origin.document
        if self._is_rendered(document) and self._rendered is not None:
            return self._rendered.place(document, origin.span)
        span = origin.key_span if origin.key_span is not None and origin.key_span.end else origin.span
        return document.path, document.lines.position(span.start).line

    def head(self, document: Document) -> tuple[str, int]:
        """Return the path and line of the start of a document."""
        return self.place(Origin(document, document.head, "", ""))

    def files_of(self, deployment: Deployment) -> frozenset[str]:
        """Return the paths of the files that a deployment is made of."""
        return frozenset(_files_of(deployment.document, deployment.relation, self._rendered))

    def documents_of(self, deployment: Deployment) -> list[Document]:
        """Return the documents that a deployment consists of, except the jobs that run on it."""
        relation = deployment.relation
        mounted = [mount.document for mount in relation.mounts if mount.document is not None]
        image = [] if relation.dockerfile is None else [relation.dockerfile]
        return [deployment.document, *relation.below, *mounted, *relation.arguments, *relation.services, *image]

    def replaces(self, document: Document) -> bool:
        """Return whether a rendered document replaces this document."""
        return self._rendered is not None and self._rendered.replaces(document)

    def mask(self, document: Document) -> Mask:
        """Return the mask that hides the secrets in a document's file."""
        return mask_of(document, *self._members.get(document.path, ()))

    def _is_rendered(self, document: Document) -> bool:
        return self._rendered is not None and document.path in self._rendered.paths


def _name(document: Document) -> str:
    """Return the name of an object without the label of its rendering."""
    return (document.name or document.file_name).rpartition(" (")[0] or document.file_name


class Place(NamedTuple):
    """The files and folders that the user named, as absolute paths."""

    files: frozenset[str]
    folders: tuple[str, ...]

    def has(self, path: str) -> bool:
        """Return whether a file is named itself or is in a named folder."""
        absolute = os.path.abspath(path)
        return absolute in self.files or any(absolute.startswith(os.path.join(one, "")) for one in self.folders)


def place_of(paths: Iterable[str], sources: Iterable[Source]) -> Place:
    """Return a `Place` of the folders among `paths` and the files of `sources`, which were found in `paths`."""
    folders = tuple(os.path.abspath(path) for path in paths if os.path.isdir(path))
    return Place(frozenset(os.path.abspath(one.path) for one in sources), folders)


def sources_around(paths: Sequence[str], sources: Sequence[Source], options: Options) -> list[Source]:
    """Return the other Flink files of the projects that contain the named paths; skip projects that are too large."""
    named = {os.path.abspath(source.path) for source in sources}
    found = files_around(named, paths, flint_config=options.flint_config, documents=False)
    found.save()
    return [one._replace(path=_shown(one.path)) for one in found.sources if isinstance(one, Source)]


def _shown(path: str) -> str:
    """Return a path as it is seen from the current folder, without detours through folders above it."""
    return path if os.path.isabs(path) else os.path.relpath(path)


class ProjectDocuments(NamedTuple):
    """The documents in the files of a project, and the documents rendered from its charts and kustomizations."""

    read: Sequence[tuple[Document, FlintConfig]]
    rendered: RenderedDocuments | None


def read_project(sources: Sequence[Source], options: Options) -> ProjectDocuments:
    """Read files and render the charts and kustomizations around them."""
    ordered = sorted(sources, key=lambda source: source.path)
    read = [one for source in ordered for one in documents_of(source, options)]
    set_installed_operators(document for document, _ in read)
    return ProjectDocuments(read, rendered_of(ordered))


def deployments_of(project: ProjectDocuments, place: Place, options: Options) -> Deployments:
    """Return the deployments of a project that use the named files, in the order of the files."""
    read, rendered = project
    if rendered is not None:
        built = read_rendered(rendered, options)
        set_installed_operators(document for document, _ in built)
        read = [one for one in read if not rendered.replaces(one[0])] + built
    relations = relations_of([document for document, _ in read], options)
    found = []
    for number, (document, flint_config) in enumerate(read):
        relation = relations.get(number, ALONE)
        if not _may_start(document, relation) or not any(map(place.has, _files_of(document, relation, rendered))):
            continue
        target = target_for(document, flint_config, options, relation)
        if processes := processes_of(document, relation, target):
            found.append(Deployment(document, relation, target, processes, document.is_variant))
    return Deployments(found, rendered, (document for document, _ in read))


def configurations_of(project: ProjectDocuments, place: Place, options: Options) -> Deployments:
    """Return the named documents that have settings, in the form of deployments although they start no process."""
    relations = relations_of([document for document, _ in project.read], options)
    found = []
    for number, (document, flint_config) in enumerate(project.read):
        if document.entries and place.has(document.path):
            relation = relations.get(number, ALONE)
            target = target_for(document, flint_config, options, relation)
            process = configuration_of(document, relation, target)
            found.append(Deployment(document, relation, target, [process], is_variant=False))
    return Deployments(found, None, (document for document, _ in project.read))


def _may_start(document: Document, relation: Relation) -> bool:
    return document.kind not in JOBS and bool(document.entries or document.elements or relation.below)


def _files_of(document: Document, relation: Relation, rendered: RenderedDocuments | None) -> Collection[str]:
    """Return the paths of a document, of its layers, of the files it mounts and of the jobs that run on it."""
    jobs = [upper for upper in relation.above if upper.kind in JOBS]
    mounted = [mount.document for mount in relation.mounts if mount.document is not None]
    paths: dict[str, None] = {}
    image = [] if relation.dockerfile is None else [relation.dockerfile]
    for one in (document, *relation.below, *mounted, *jobs, *relation.arguments, *relation.services, *image):
        if rendered is not None and one.path in rendered.paths:
            paths |= dict.fromkeys(rendered.files_of(one))
        else:
            paths[one.path] = None
    return list(paths)
