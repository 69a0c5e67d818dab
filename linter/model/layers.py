"""Relations between the documents of a run: which one overrides another, and which one names the release of another.

- A session job overrides its session cluster, a deployment the operator's defaults or those of its platform. The
  environment of a Confluent application takes precedence over the application.
- A workload or a Compose service overrides the configuration files and ConfigMaps it mounts, and its image determines
  their release. The image of a Dockerfile does so for the files that are copied into it.
- A Kustomize patch overrides its base, the Helm values of an environment those of the chart.
- A program or script overrides the deployment that a ``[[link]]`` in flint.toml names, or that runs its class, or the
  only one of its module.

All of this follows from names and paths alone, whatever the order of the files.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS, names_in, remembered
from flink_flint.linter.filesystem.reading import found_text, path_in_repository
from flink_flint.linter.filesystem.repository import repository_of
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Link
    from flink_flint.linter.model.containers.mounts import Copy, Mount

_OBJECT = regex(r"([A-Za-z]+) ([^/ ]+)/([^ ]+)")
_FILES = (FLINK_CONF, CONFIG_YAML)
_PROPERTIES = "FLINK_PROPERTIES"
_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "pyproject.toml", "setup.py")
_PROGRAMS = ("source", "sql")
_CLUSTERS = ("flink-conf", "config.yaml", "flinkdeployment", "bluegreen", "configmap", "compose", "emr", "msf")


class Relation(NamedTuple):
    """The documents related to a document (lower and upper layers, used classes), and facts derived from them."""

    below: tuple[Document, ...] = ()
    """The documents whose settings this document overrides, the lowest layer first."""
    release: tuple[str, str] | None = None
    """The Flink release that a related document names, with the evidence; None if no related document names one."""
    platform: str | None = None
    why: Mapping[int, str] = {}
    """The reason why each document in `below` is a lower layer, by the document's index in `below`."""
    beside: tuple[Document, ...] = ()
    """Other documents of the same module that contain classes this document uses."""
    profile: str | None = None
    """The profile of the containers that mount the document; None unless all of them have the same profile."""
    is_mounted: bool = False
    """Whether containers in this run mount the document; the volumes of such containers decide which paths exist."""
    above: tuple[Document, ...] = ()
    """The documents that override settings of this document."""
    mounts: tuple[Mount, ...] = ()
    """The configuration files that the document's containers mount, or that are copied into their images."""
    dockerfile: Document | None = None
    """The Dockerfile that builds the image of the document's containers; None if unknown or if several may build it."""
    arguments: tuple[Document, ...] = ()
    """The documents with arguments of single services, which override settings shared by several services."""
    services: tuple[Document, ...] = ()
    """The Services that select the document's pods, and the Ingresses and routes that lead to them."""
    programs: tuple[Document, ...] = ()
    """All documents of programs, for a program with settings that declares no job; they may use its class."""


SEVERAL_IMAGES = "the images that read it"
"""The evidence shown for the release range of a file that images of several releases read."""


MAX_NAMESAKES = 10
"""The maximum number of objects with the same name in a folder; with more, references to the name are not resolved."""

ALONE = Relation()
"""The relation of a document that is not related to any other."""


_RESOURCES = "/src/main/resources/"


def is_resource(document: Document) -> bool:
    """Return whether a document is a configuration file among the resources of a JAR."""
    if document.kind not in ("flink-conf", "config.yaml"):
        return False
    return _RESOURCES in os.path.abspath(document.path).replace(os.sep, "/")


class _Step(NamedTuple):
    """A document and the reason why another one overrides it directly."""

    lower: Document
    why: str


def relate(documents: Sequence[Document], links: Sequence[Link] = ()) -> dict[int, Relation]:
    """Return each document's `Relation` by its index in `documents`; unrelated documents are left out."""
    ordered = sorted(documents, key=lambda document: (document.path, document.number))
    graph = _Graph(ordered, links)
    places = {id(document): place for place, document in enumerate(documents)}
    found: dict[int, Relation] = {}
    related = {id(document): graph.relation(document) for document in ordered}
    above: dict[int, list[Document]] = defaultdict(list)
    for document in ordered:
        for lower in related[id(document)].below:
            above[id(graph.whole_of(lower))].append(document)
    for document in ordered:
        relation = related[id(document)]._replace(above=tuple(above[id(document)]))
        if relation != ALONE:
            found[places[id(document)]] = relation
    return found


class _Graph:
    """The layers directly below each document, found once and then followed per document."""

    def __init__(self, documents: Sequence[Document], links: Sequence[Link]) -> None:
        self._documents = documents
        self._links = links
        self._steps: dict[int, list[_Step]] = defaultdict(list)
        self._releases: dict[int, tuple[tuple[str, str], str | None]] = {}
        self._mounted: dict[int, str | None] = {}
        self._mounts_of: dict[int, list[Mount]] = defaultdict(list)
        self._objects: dict[tuple[str, str, str], list[Document]] = defaultdict(list)
        self._namesakes: dict[tuple[str, str, str], _Namesakes] = {}
        self._files: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            self._files[os.path.abspath(document.path)].append(document)
            if match := _OBJECT.match(document.name or ""):
                self._objects[match[1], match[2], match[3]].append(document)
        self._built: dict[int, Document] = {}
        self._copies_of_images: dict[int, list[Copy]] = {}
        self._wholes: dict[int, tuple[Document, Document]] = {}
        stages = (
            self._images, self._defaults, self._overlays, self._values, self._session_jobs, self._platforms,
            self._mounts, self._copies,
        )  # fmt: skip
        for find in stages:
            find()
        self._running: dict[str, list[Document]] = defaultdict(list)
        self._of_module: dict[str, list[Document]] = defaultdict(list)
        self._beside: dict[int, list[Document]] = defaultdict(list)
        self._programs()
        self._classes()
        self._services = self._reaching_services()
        self._sources = tuple(document for document in documents if document.kind == "source")

    def whole_of(self, layer: Document) -> Document:
        """Return the document of the run of which a layer is a part; mostly the layer itself."""
        return self._wholes[id(layer)][1] if id(layer) in self._wholes else layer

    def relation(self, document: Document) -> Relation:
        """Return the relation of a document to all others."""
        below: list[Document] = []
        why: dict[int, str] = {}
        self._gather(document, below, why, {id(document)})
        release, platform = self._releases.get(id(document), (None, None))
        for lower in reversed(below):
            if release is None and document.release is None:
                release = lower.release or self._releases.get(id(lower), (None, None))[0]
            platform = platform or lower.platform
        beside = tuple(self._beside[id(document)])
        profile, mounted = self._mounted.get(id(document)), id(document) in self._mounted
        mounts = tuple(self._mounts_of[id(document)]) if id(document) in self._mounts_of else ()
        arguments = self._arguments_of(document)
        return Relation(
            tuple(below), release, platform, why, beside, profile, mounted, mounts=mounts, arguments=arguments,
            dockerfile=self._built.get(id(document)), services=tuple(self._services.get(id(document), ())),
            programs=self._sources if _declares_no_job(document) else (),
        )  # fmt: skip

    def _arguments_of(self, document: Document) -> tuple[Document, ...]:
        """Return the documents of the arguments of single services among those that share a document."""
        if document.kind != "compose" or not (document.name or "").startswith("services "):
            return ()
        names = {f"service {element.name}" for element in document.elements if element.kind == "container"}
        beside = self._files[os.path.abspath(document.path)]
        return tuple(other for other in beside if other is not document and other.name in names)

    def _gather(self, document: Document, lower_layers: list[Document], why: dict[int, str], seen: set[int]) -> None:
        for step in self._steps[id(document)]:
            if id(step.lower) not in seen:
                seen.add(id(step.lower))
                self._gather(step.lower, lower_layers, why, seen)
                why[len(lower_layers)] = step.why
                lower_layers.append(step.lower)

    def _merge_layers(self, upper: Document, lower: Document, why: str) -> None:
        if upper is not lower:
            self._steps[id(upper)].append(_Step(lower, why))

    def _pass_release(self, lower: Document, upper: Document) -> None:
        """Give a document the release of the one that reads it; two different releases make a range."""
        release = upper.release or self._releases.get(id(upper), (None, None))[0]
        if release is None:
            return
        known = self._releases.get(id(lower))
        if known is None or known[0][0] == release[0]:
            self._releases[id(lower)] = (release, upper.platform)
        else:
            self._releases[id(lower)] = ((_range(known[0][0], release[0]), SEVERAL_IMAGES), upper.platform)

    # -- Kubernetes

    def _images(self) -> None:
        """Find the Dockerfiles that build the images of workloads, and give the workloads their release."""
        if not any(element.kind == "image" for document in self._documents for element in document.elements):
            return
        from flink_flint.linter.model.release_evidence.built_images import BuiltImages

        built = BuiltImages(self._documents)
        for document in self._documents:
            if (dockerfile := built.dockerfile_of(document)) is not None:
                self._built[id(document)] = dockerfile
                if document.release is None and dockerfile.release is not None:
                    self._releases.setdefault(id(document), (dockerfile.release, None))

    def _reaching_services(self) -> Mapping[int, list[Document]]:
        """Return the Services that reach the pods of documents, by the id of the document."""
        names = ("Service", "Ingress", "Route", "HTTPRoute", "IngressRoute")
        if not any(
            one.kind == "kubernetes-object" and one.name in names for d in self._documents for one in d.elements
        ):
            return {}
        from flink_flint.linter.model.containers.pod_services import services_by_document

        return services_by_document(self._documents)

    def _defaults(self) -> None:
        """Layer deployments over the nearest defaults of an operator; over none if several are equally near."""
        within: dict[str, list[Document]] = defaultdict(list)
        for lower in self._documents:
            if (lower.name or "").startswith("operator defaults"):
                for folder in _upwards(os.path.abspath(lower.directory)):
                    within[folder].append(lower)
        for document in self._documents if within else ():
            if document.kind in ("flinkdeployment", "bluegreen") and document.whole:
                folders = _upwards(os.path.abspath(document.directory))
                defaults = next((within[folder] for folder in folders if folder in within), [])
                if len({lower.path for lower in defaults}) == 1:
                    for lower in defaults:
                        self._merge_layers(document, lower, "default of the operator")

    def _overlays(self) -> None:
        """Layer each patch over the only object of its kind and name, preferably one that its kustomization reaches."""
        for (kind, _, name), members in self._by_kind_and_name().items():
            bases = [document for document in members if document.whole]
            files: dict[str, list[Document]] = defaultdict(list)
            for base in bases:
                files[os.path.abspath(base.path)].append(base)
            for patch in members:
                if patch.whole or kind == "ConfigMap" or name == "?":
                    continue
                base_stages = _base_stages(os.path.dirname(os.path.abspath(patch.path)))
                reached = [base for path in base_stages if path in files for base in files[path]] or bases
                if len(reached) == 1:
                    self._merge_layers(patch, reached[0], "base")

    def _by_kind_and_name(self) -> dict[tuple[str, str, str], list[Document]]:
        groups: dict[tuple[str, str, str], list[Document]] = defaultdict(list)
        for (kind, _, name), members in self._objects.items():
            groups[kind, "", name] += members
        return groups

    def _values(self) -> None:
        """Layer the Helm values of an environment over those of the chart, and later values over earlier ones."""
        for document in self._documents:
            name = document.file_name
            if document.overrides is not None:
                for lower in self._files[os.path.abspath(document.path)]:
                    if lower.number == document.overrides.number:
                        self._merge_layers(document, lower, "earlier values")
            if document.kind != "helm" or not re.match(r"values[-._].+\.ya?ml", name):
                continue
            ending = name[name.rindex(".") :]
            for lower in self._files.get(os.path.abspath(os.path.join(document.directory, f"values{ending}")), ()):
                if lower.name == document.name:
                    self._merge_layers(document, lower, "values of the chart")

    def _nearest(self, document: Document, key: tuple[str, str, str]) -> list[Document]:
        namesakes = self._namesakes.get(key)
        if namesakes is None:
            namesakes = self._namesakes[key] = _Namesakes(self._objects.get(key, ()))
        return namesakes.nearest(document)

    def _session_jobs(self) -> None:
        """Layer each session job over its session cluster."""
        for document in self._documents:
            for element in document.elements:
                if element.kind != "kubernetes-object" or element.name != "FlinkSessionJob":
                    continue
                cluster = element.value("spec.deploymentName")
                match = _OBJECT.match(document.name or "")
                if match is None or not isinstance(cluster, str):
                    continue
                for lower in self._nearest(document, ("FlinkDeployment", match[2], cluster)):
                    self._merge_layers(document, lower, "session cluster")
                    self._pass_release(document, lower)

    def _platforms(self) -> None:
        """Layer the resources of other platforms over their defaults and environments."""
        if any(document.kind in ("other-cr", "ververica") for document in self._documents):
            from flink_flint.linter.model.platform_layers import platform_layers

            for layer in platform_layers(self._documents, self._nearest):
                self._merge_layers(layer.upper, layer.lower, layer.why)
                if layer.names_release:
                    self._pass_release(layer.upper, layer.lower)

    def _mounts(self) -> None:
        """Layer workloads and services over their images and the configuration they mount, which gets their release."""
        for document in self._documents:
            placed: set[int] = set()
            for element in document.elements:
                if element.kind == "container":
                    self._mount_files(document, element, placed)
                    for copy in element.items("copies"):
                        self._may_copy(document, copy.value("context"))
            objects = [one for one in document.elements if one.kind == "kubernetes-object" and one.name != "ConfigMap"]
            for element in objects:
                for name in _config_maps(element):
                    self._mount_config_map(document, name, placed)
            properties = [name for element in objects for name in _properties_sources(element)]
            if id(document) in self._built:
                self._layer_image(document, self._built[id(document)], properties)
            for name in properties:
                self._read_properties(document, name)

    def _mount_files(self, document: Document, container: Element, placed: set[int]) -> None:
        """Layer a workload or service over the configuration files in one of its containers; add them to `placed`."""
        dockerfile = self._built.get(id(document))
        if dockerfile is None and not (container.has("copies") or container.has("volumes")):
            return
        from flink_flint.linter.model.containers.mounts import Container, copies_of, mounts_of

        copies = list(copies_of(document, container))
        if dockerfile is not None:
            from flink_flint.linter.model.containers.built_image import image_of, reads_variables, with_variables

            if not copies and reads_variables(document):
                copies = self._copies_of(dockerfile)
            container = with_variables(container, image_of(dockerfile))
        release = document.release or self._releases.get(id(document), (None, None))[0]
        for mount, why in mounts_of(Container(document, container, copies, release), self._files_at, self._config_map):
            self._mounts_of[id(document)].append(mount)
            if mount.document is not None:
                placed.add(id(mount.document))
                if mount.is_read is not False:
                    self._merge_layers(document, mount.document, why)
                self._use(document, mount.document)

    def _copies_of(self, dockerfile: Document) -> list[Copy]:
        """Return what a Dockerfile copies."""
        found = self._copies_of_images.get(id(dockerfile))
        if found is None:
            from flink_flint.linter.model.containers.built_image import copies_of_image

            found = self._copies_of_images[id(dockerfile)] = copies_of_image(dockerfile, self._files_at)
        return found

    def _layer_image(self, document: Document, dockerfile: Document, properties: Sequence[str]) -> None:
        """Layer a workload or service over the settings that its image brings."""
        from flink_flint.linter.model.containers.built_image import settings_of_image

        given = [_PROPERTIES] if any(self._has_properties(document, name) for name in properties) else []
        for part in settings_of_image(document, dockerfile, given):
            if part is not dockerfile:
                self._wholes[id(part)] = part, dockerfile
            self._merge_layers(document, part, f"image built by {dockerfile.file_name}")

    def _has_properties(self, document: Document, name: str) -> bool:
        """Return whether FLINK_PROPERTIES are in a ConfigMap."""
        return any(_is_properties(lower) for lower in self._config_map(document, name))

    def _files_at(self, path: str) -> Sequence[Document]:
        return self._files.get(path, ())

    def _config_map(self, document: Document, name: str) -> Sequence[Document]:
        """Return the documents of the ConfigMap that a document means by a name."""
        match = _OBJECT.match(document.name or "")
        return self._nearest(document, ("ConfigMap", match[2], name)) if match is not None else ()

    def _may_copy(self, document: Document, context: object) -> None:
        """Mark the configuration in the context of a build whose Dockerfile is unknown as used by its containers.

        The containers then show where its paths are; which of its settings count is unknown.
        """
        if not isinstance(context, str):
            return
        base = os.path.normpath(os.path.join(os.path.abspath(document.directory), context))
        for name in _FILES:
            for folder in (base, os.path.join(base, "conf")):
                for lower in self._files.get(os.path.join(folder, name), ()):
                    self._use(document, lower)

    def _use(self, document: Document, lower: Document) -> None:
        self._pass_release(lower, document)
        profile = self._mounted.get(id(lower), document.profile)
        self._mounted[id(lower)] = profile if profile == document.profile else None

    def _mount_config_map(self, document: Document, name: str, placed: Collection[int]) -> None:
        """Layer a workload over a ConfigMap that it mounts anywhere else: something may copy it from there."""
        for lower in self._config_map(document, name):
            if lower.whole and id(lower) not in placed:
                self._merge_layers(document, lower, f"ConfigMap {name}")
            self._pass_release(lower, document)

    def _read_properties(self, document: Document, name: str) -> None:
        """Layer a workload over the FLINK_PROPERTIES of a ConfigMap that its environment comes from."""
        containers = [element for element in document.elements if element.kind == "container"]
        is_read = any(not container.has("reads-no-variables") for container in containers)
        for lower in self._config_map(document, name) if is_read or not containers else ():
            if _is_properties(lower):
                self._merge_layers(document, lower, f"{_PROPERTIES} of ConfigMap {name}")
                self._pass_release(lower, document)

    def _copies(self) -> None:
        """Give the files that a Dockerfile copies into an image the release of the image."""
        for document in self._documents:
            for element in document.elements:
                if element.kind != "image" or document.release is None:
                    continue
                for copy in element.items("copies"):
                    source, target = copy.value("source"), copy.value("target")
                    if isinstance(source, str) and isinstance(target, str) and "conf" in target:
                        path = os.path.normpath(os.path.join(os.path.abspath(document.directory), source))
                        for name in ("", *_FILES):
                            for lower in self._files.get(os.path.join(path, name) if name else path, ()):
                                self._pass_release(lower, document)

    # -- programs

    def _programs(self) -> None:
        """Layer programs and scripts over the deployment that runs them."""
        clusters = [
            document
            for document in self._documents
            if document.kind in _CLUSTERS and document.whole and document.profile != "development"
            and not document.is_variant and not self._is_in_jar(document)
        ]  # fmt: skip
        programs = [document for document in self._documents if document.kind in _PROGRAMS]
        if programs:
            for cluster in clusters:
                for name in _entry_classes(cluster):
                    self._running[name].append(cluster)
                if (module := module_of(os.path.abspath(cluster.directory))) is not None:
                    self._of_module[module].append(cluster)
        for document in programs:
            linked = self._linked(document, clusters)
            if linked is not None:
                self._merge_layers(document, *linked)

    def _is_in_jar(self, document: Document) -> bool:
        """Return whether the build packs a configuration file into a JAR, where Flink does not look for it.

        No container or image has it.
        """
        is_used = id(document) in self._mounted or id(document) in self._releases
        return not is_used and is_resource(document)

    def _classes(self) -> None:
        """Relate each program to the file of its module that declares the function of one of its asynchronous calls."""
        functions: dict[str, list[Document]] = defaultdict(list)
        for document in self._documents:
            for element in document.elements:
                if element.kind == "async-function":
                    functions[element.name].append(document)
        if not functions:
            return
        for document in self._documents:
            called = {e.value("function") for e in document.elements if e.kind == "async-call"}
            own = {e.name for e in document.elements if e.kind == "async-function"}
            module = module_of(os.path.abspath(document.directory)) if called - own else None
            for name in sorted(name for name in called - own if isinstance(name, str)):
                found = [d for d in functions[name] if module_of(os.path.abspath(d.directory)) == module]
                if len(found) == 1 and found[0] not in self._beside[id(document)]:
                    self._beside[id(document)].append(found[0])

    def _linked(self, document: Document, clusters: Sequence[Document]) -> tuple[Document, str] | None:
        for link in self._links:
            if _matches(link.paths, link.folder, document.path):
                named = [
                    cluster
                    for cluster in clusters
                    if link.to == cluster.name or _matches((link.to,), link.folder, cluster.path)
                ]
                return (named[0], "linked in flint.toml") if named else None
        classes = {element.name for element in document.elements if element.kind == "job"}
        running = [cluster for name in sorted(classes) for cluster in self._running[name]]
        if len(running) == 1:
            return running[0], "runs its class"
        module = module_of(os.path.abspath(document.directory))
        if module is None:
            return None
        deployments = self._of_module[module]
        return (deployments[0], "the only deployment of its module") if len(deployments) == 1 else None


def _declares_no_job(document: Document) -> bool:
    """Return whether a program has settings, but no job that they are surely for."""
    return (
        document.kind == "source"
        and bool(document.entries)
        and not any(element.kind == "job" for element in document.elements)
    )


class _Namesakes:
    """Objects of the same kind, namespace and name, by file and by each folder that contains the file."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._in_file: dict[str, list[Document]] = defaultdict(list)
        self._within: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            self._in_file[document.path].append(document)
            if document.is_variant:
                continue
            for folder in _upwards(os.path.abspath(document.directory)):
                self._within[folder].append(document)

    def nearest(self, document: Document) -> list[Document]:
        """Return the objects whose files are nearest to a document's file.

        Objects farther away are assumed to belong to another project. Return none if several folders are equally near
        or there are too many objects, because the reference is then ambiguous.
        """
        found = self._in_file.get(document.path)
        if found is None:
            folders = _upwards(os.path.abspath(document.directory))
            found = next((self._within[folder] for folder in folders if folder in self._within), [])
        if len(found) > MAX_NAMESAKES or len({other.directory for other in found}) > 1:
            return []
        return found


def _is_properties(document: Document) -> bool:
    """Return whether a document of a ConfigMap is its key FLINK_PROPERTIES."""
    return document.text[slice(*document.head)].strip("\"'") == _PROPERTIES


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and its parents, the innermost first."""
    yield folder
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


def _properties_sources(element: Element) -> Iterator[str]:
    """Yield the names of the ConfigMaps from which an object's containers have FLINK_PROPERTIES."""
    for name, attribute in element.attributes.items():
        if not isinstance(attribute.value, str):
            continue
        if name.endswith(".configMapRef.name"):
            yield attribute.value
        elif name.endswith(".valueFrom.configMapKeyRef.name"):
            variable = name.removesuffix(".valueFrom.configMapKeyRef.name")
            if element.value(f"{variable}.name") == _PROPERTIES:
                yield attribute.value


def _config_maps(element: Element) -> Iterator[str]:
    """Yield the names of the ConfigMaps that an object's pods mount."""
    for name, attribute in element.attributes.items():
        if name.endswith(".configMap.name") and isinstance(attribute.value, str):
            yield attribute.value


def _entry_classes(document: Document) -> Iterator[str]:
    for element in document.elements:
        if element.kind == "kubernetes-object":
            entry = element.value("spec.job.entryClass")
            if isinstance(entry, str):
                yield entry.rpartition(".")[2]


def _range(one: str, other: str) -> str:
    """Return the range that two releases or ranges span, or the first of them if neither names a minor release."""
    minors = re.findall(r"(?<!\d)\d++\.\d+", f"{one} {other}")
    minors.sort(key=lambda text: [int(part) for part in text.split(".")])
    if not minors:
        return one
    return minors[0] if minors[0] == minors[-1] else f">={minors[0]},<={minors[-1]}"


def _matches(patterns: Sequence[str], folder: str, path: str) -> bool:
    from flink_flint.linter.filesystem.gitignore import is_among

    return is_among(patterns, path, folder)


@remembered
def module_of(folder: str) -> str | None:
    """Return the nearest folder with a build file, `folder` or one above it; None if the repository has none."""
    while (names := names_in(folder)).isdisjoint(_BUILD_FILES):
        parent = os.path.dirname(folder)
        if ".git" in names or parent == folder:
            return None
        folder = parent
    return folder


@remembered
def _base_stages(folder: str) -> Collection[str]:
    """Return the folders and files that a kustomization names, directly and through other kustomizations."""
    named: dict[str, None] = {}
    seen: set[str] = set()
    stack = [folder]
    while stack:
        folder = stack.pop()
        if folder in seen or len(seen) > 100:
            continue
        seen.add(folder)
        for resource in _resources(folder):
            if repository_of(folder) is not None and path_in_repository(folder, resource) is None:
                continue  # a file of the repository must not make flint read files outside of it
            path = os.path.normpath(os.path.join(folder, resource))
            named[path] = None
            if os.path.isdir(path):
                stack.append(path)
    return named


@remembered
def _resources(folder: str) -> list[str]:
    """Return the resources, bases and components that the kustomization of a folder lists."""
    for name in KUSTOMIZATIONS:
        if (text := found_text(os.path.join(folder, name))) is None:
            continue
        blocks = re.findall(
            r"^(?:resources|bases|components):[ \t]*\r?\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\r?\n?)*)", text, re.M
        )
        return [
            item.strip().strip("\"'")
            for block in blocks
            for item in re.findall(r"^[ \t]*-[ \t]*([^#\r\n]+)", block, re.M)
        ]
    return []
