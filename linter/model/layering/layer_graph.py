"""The layers directly below each document of a run, and the releases that documents have from those that read them."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.filesystem.folders import absolute_path, remembered
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.target import SEVERAL_IMAGES
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_OBJECT = regex(r"([A-Za-z]+) ([^/ ]+)/([^ ]+)")
_MAX_NAMESAKES = 10
"""The maximum number of objects with the same name in a folder; with more, references to the name are not resolved."""


class ObjectName(NamedTuple):
    """The kind, namespace and name of a Kubernetes object, or of one of another platform."""

    kind: str
    namespace: str
    name: str


def object_name(document: Document) -> ObjectName | None:
    """Return the name of the object that a document is of; None if it is of none."""
    match = _OBJECT.match(document.name or "")
    return None if match is None else ObjectName(match[1], match[2], match[3])


class Step(NamedTuple):
    """A document and the reason why another one overrides it directly."""

    lower: Document
    why: str


class LayerGraph:
    """The documents of a run, with the layers directly below each; filled by the other modules of this package."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._steps: dict[int, list[Step]] = defaultdict(list)
        self._releases: dict[int, tuple[tuple[str, str], str | None]] = {}
        self._naming: dict[int, list[Document]] = defaultdict(list)
        self._objects: dict[ObjectName, list[Document]] = defaultdict(list)
        self._namesakes: dict[ObjectName, _Namesakes] = {}
        self._files: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            self._files[absolute_path(document.path)].append(document)
            if (name := object_name(document)) is not None:
                self._objects[name].append(document)

    # -- layers

    def merge_layers(self, upper: Document, lower: Document, why: str) -> None:
        """Layer a document over another one, unless they are the same."""
        if upper is not lower:
            self._steps[id(upper)].append(Step(lower, why))

    def steps_below(self, document: Document) -> Sequence[Step]:
        """Return the layers directly below a document."""
        return self._steps.get(id(document), ())

    # -- releases

    def pass_release(self, lower: Document, upper: Document) -> None:
        """Give a document the release of the one that reads it; two different releases make a range."""
        release = self.release_of(upper)
        if release is None:
            return
        self._naming[id(lower)] += self._naming.get(id(upper), [upper])
        known = self._releases.get(id(lower))
        if known is None or known[0][0] == release[0]:
            self._releases[id(lower)] = (release, upper.platform)
        else:
            self._releases[id(lower)] = ((_range(known[0][0], release[0]), SEVERAL_IMAGES), upper.platform)

    def build_release(self, document: Document, dockerfile: Document) -> None:
        """Give a document the release of the Dockerfile that builds its image, unless it names one itself."""
        if document.release is None and dockerfile.release is not None:
            self._releases.setdefault(id(document), (dockerfile.release, None))
            self._naming[id(document)].append(dockerfile)

    def documents_that_name_release(self, document: Document) -> Sequence[Document]:
        """Return the documents that name the release that a document has from others, each once."""
        return list({id(one): one for one in self._naming.get(id(document), ())}.values())

    def has_passed_release(self, document: Document) -> bool:
        """Return whether another document has given a document its release."""
        return id(document) in self._releases

    def release_of(self, document: Document) -> tuple[str, str] | None:
        """Return the release that a document names or has from another one, with the evidence; None if unknown."""
        return document.release or self.passed_release(document)[0]

    def passed_release(self, document: Document) -> tuple[tuple[str, str] | None, str | None]:
        """Return the release, with the evidence, and the platform that a document has from others, if any."""
        return self._releases.get(id(document), (None, None))

    # -- documents by name and path

    def files_at(self, path: str) -> Sequence[Document]:
        """Return the documents of the file at an absolute path."""
        return self._files.get(path, ())

    def nearest(self, document: Document, name: ObjectName) -> list[Document]:
        """Return the documents of an object that are nearest to a document that refers to it."""
        namesakes = self._namesakes.get(name)
        if namesakes is None:
            namesakes = self._namesakes[name] = _Namesakes(self._objects.get(name, ()))
        return namesakes.nearest(document)

    def objects(self) -> Mapping[ObjectName, Sequence[Document]]:
        """Return the documents of each object of the run."""
        return self._objects


class _Namesakes:
    """Objects of the same kind, namespace and name, by file and by each folder that contains the file."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._in_file: dict[str, list[Document]] = defaultdict(list)
        self._within: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            self._in_file[document.path].append(document)
            if document.is_variant:
                continue
            for folder in upwards(absolute_path(document.directory)):
                self._within[folder].append(document)

    def nearest(self, document: Document) -> list[Document]:
        """Return the objects whose files are nearest to a document's file.

        Objects farther away are assumed to belong to another project. Return none if several folders are equally near
        or there are too many objects, because the reference is then ambiguous.
        """
        found = self._in_file.get(document.path)
        if found is None:
            folders = upwards(absolute_path(document.directory))
            found = next((self._within[folder] for folder in folders if folder in self._within), [])
        if len(found) > _MAX_NAMESAKES or len({other.directory for other in found}) > 1:
            return []
        return found


def repository_of_document(document: Document) -> str | None:
    """Return the root of the repository that contains a document; None if there is none."""
    return _repository_of_folder(document.directory)


@remembered
def _repository_of_folder(folder: str) -> str | None:
    return repository_of(absolute_path(folder))


def by_repository(documents: Iterable[Document]) -> Mapping[str | None, list[Document]]:
    """Return documents by the root of their repository; no repository is a key of its own."""
    found: dict[str | None, list[Document]] = defaultdict(list)
    for document in documents:
        found[repository_of_document(document)].append(document)
    return found


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and its parents, the innermost first."""
    yield folder
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


def _range(one: str, other: str) -> str:
    """Return the range that two releases or ranges span, or the first of them if neither names a minor release."""
    minors = re.findall(r"(?<!\d)\d++\.\d+", f"{one} {other}")
    minors.sort(key=lambda text: [int(part) for part in text.split(".")])
    if not minors:
        return one
    return minors[0] if minors[0] == minors[-1] else f">={minors[0]},<={minors[-1]}"
