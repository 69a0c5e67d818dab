"""Builds the objects of a kustomization that matter to Flink, as `kustomize build` does.

Everything is read through a function that returns the contents of files of one repository. Custom resource definitions
are left out, as their contents say nothing about a deployment and would take most of the time. Remote bases, Helm
charts, plug-ins and vars are not evaluated: they are reported as problems with their place, and what they would add is
missing. The order of evaluation is kustomize's (v5): resources, generators, components, then the transformers in a
fixed order; hashes and references to renamed objects come last.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from flink_flint.linter.filesystem.folders import KUSTOMIZATIONS
from flink_flint.linter.filesystem.reading import read_inside
from flink_flint.linter.formats.kustomize.configurations import merged_configs, with_configuration
from flink_flint.linter.formats.kustomize.field_specs import METADATA_LABELS, TransformerConfig
from flink_flint.linter.formats.kustomize.fields import checked, flag, mappings, string, string_map, strings, submapping
from flink_flint.linter.formats.kustomize.generators import (
    GENERATOR_FIELDS,
    OPTION_FIELDS,
    absorb,
    generated,
    name_hash,
)
from flink_flint.linter.formats.kustomize.helm_charts import NOT_RENDERED, RenderChart, chart_folders, rendered_charts
from flink_flint.linter.formats.kustomize.name_references import update_references
from flink_flint.linter.formats.kustomize.object_tree import (
    Mapping,
    Scalar,
    Source,
    is_empty,
    is_missing,
    joined,
    made_scalar,
    read_documents,
)
from flink_flint.linter.formats.kustomize.object_tree import Sequence as SequenceNode
from flink_flint.linter.formats.kustomize.patches import PATCH_FIELDS, Patch, apply_patch
from flink_flint.linter.formats.kustomize.problems import Budget, BuildError, NotKnown, Problem, Refused
from flink_flint.linter.formats.kustomize.rendered_object import rendered
from flink_flint.linter.formats.kustomize.replacements import REPLACEMENT_FIELDS, replace
from flink_flint.linter.formats.kustomize.resources import ResourceList, read_resources
from flink_flint.linter.formats.kustomize.transformers import (
    add_prefix,
    add_suffix,
    set_images,
    set_namespace,
    set_replicas,
    set_strings,
)
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Origin, RenderedText
from flink_flint.linter.text.spans import Span

Read = Callable[[str], bytes | None]
"""A function that returns the contents of the file at a ``/``-separated path in the repository; None if unreadable."""

Edit = Callable[[Mapping], Mapping]
"""A function that returns the fields of a kustomization with changes."""

FIELDS = (
    "apiVersion", "kind", "metadata", "openapi", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels",
    "commonAnnotations", "patchesStrategicMerge", "patchesJson6902", "patches", "images", "imageTags", "replacements",
    "replicas", "vars", "sortOptions", "resources", "components", "crds", "bases", "configMapGenerator",
    "secretGenerator", "helmGlobals", "helmCharts", "helmChartInflationGenerator", "generatorOptions",
    "configurations", "generators", "transformers", "validators", "buildMetadata",
)  # fmt: skip
_UNKNOWN_ADDITIONS = {
    "helmChartInflationGenerator": NOT_RENDERED,
    "generators": "generator plug-ins are not run",
}
_UNKNOWN_CHANGES = {
    "transformers": "transformer plug-ins are not run",
    "vars": "vars are not filled in",
    "openapi": "another schema is not used for patches",
    "crds": "fields that refer to objects are not read from definitions",
    "buildMetadata": "annotations about the build are not written",
}
_LABEL_FIELDS = ("pairs", "includeSelectors", "includeTemplates", "fields")
_IMAGE_FIELDS = ("name", "newName", "newTag", "digest", "tagSuffix")
_REMOTE = regex(
    r"(?:[a-z][a-z0-9+.-]*::?|[\w.-]+@[\w.-]+[:/])|(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)[/:]",
    re.IGNORECASE,
)
_QUERY = regex(r"\?(?:[^?]*&)?(?:ref|version|timeout|submodules)=|\.git(?:/|$|\?)")
_MAX_WORK = 2_000_000
_MAX_CHARACTERS = 2 << 20
"""Maximum number of characters that are parsed for a build, which takes up to 20 seconds."""
_MAX_KUSTOMIZATIONS = 1_000
_MAX_DEPTH = 50
_MAX_FILE = 4 << 20
_MAX_BYTES = 32 << 20


class BuiltObject(NamedTuple):
    """An object that a build produces: its text, its identity, and its problems."""

    text: RenderedText
    """The built object as YAML, with an origin for each character."""
    kind: str
    namespace: str
    """The namespace that the built object specifies; empty if it specifies none."""
    name: str
    plain_name: str
    """The object's name without the content hash that kustomize appends."""
    problems: tuple[Problem, ...]
    """The reasons why the object may differ from the one that kustomize builds; empty if there are none."""


class Build(NamedTuple):
    """The result of building a kustomization: its objects, problems, and input files."""

    objects: tuple[BuiltObject, ...]
    problems: tuple[Problem, ...]
    """The reasons why parts of the result are unknown, or why kustomize refuses the kustomization."""
    files: tuple[str, ...]
    """The paths of the files that the build read, in order."""
    charts: tuple[str, ...] = ()
    """The folders of the Helm charts that the kustomization names, whether or not they are known."""
    chart_files: tuple[str, ...] = ()
    """The paths of the files of the charts that the build rendered, with the values files for them."""

    @property
    def is_whole(self) -> bool:
        """Whether the objects are exactly those that `kustomize build` produces."""
        return not self.problems and not any(built.problems for built in self.objects)


def reader(top: str) -> Read:
    """Return a function that reads only files of the repository at `top` (an absolute path without symbolic links)."""
    return lambda path: read_inside(top, path, _MAX_FILE + 1)


def build(folder: str, read: Read, *, edit: Edit | None = None, render_chart: RenderChart | None = None) -> Build:
    """Build the kustomization in a folder (a path with ``/``) of a repository, as `kustomize build` does.

    `edit` changes the fields of the kustomization in the folder before it is built. Without `render_chart`, what its
    Helm charts add is not known.
    """
    run = _Run(read, render_chart)
    objects: list[BuiltObject] = []
    try:
        layer = run.kustomization(normal_path(folder) or "", (), None, edit=edit)
        hashes = _finish(run, layer)
        for resource in layer.resources.resources:
            if resource.is_definition:
                continue
            objects.append(
                BuiltObject(
                    rendered(resource.root), resource.kind, resource.namespace, resource.name,
                    resource.name.removesuffix(hashes.get(id(resource), "")), tuple(dict.fromkeys(resource.problems)),
                )
            )  # fmt: skip
    except BuildError as error:
        objects = []
        run.problems.append(error.problem)
    except RecursionError:
        objects = []
        run.problems.append(Problem("the objects are nested too deeply", _start(folder)))
    return Build(
        tuple(objects), tuple(dict.fromkeys(run.problems)), tuple(dict.fromkeys(run.files)),
        tuple(dict.fromkeys(run.charts)), tuple(dict.fromkeys(run.chart_files)),
    )  # fmt: skip


def normal_path(path: str) -> str | None:
    """Return a path in the repository without ``..``; empty for the repository itself, None if it is outside of it."""
    normal = posixpath.normpath(path)
    if normal == ".":
        return ""
    return None if normal == ".." or normal.startswith(("../", "/")) else normal


def _start(path: str) -> Origin:
    return Origin(path, Span(0, 0))


class _Layer:
    """The objects of a kustomization and its bases, and the fields that transformers change in them."""

    def __init__(self) -> None:
        self.resources = ResourceList()
        self.config: TransformerConfig | None = None

    def add_config(self, config: TransformerConfig) -> None:
        self.config = config if self.config is None else merged_configs(self.config, config)


class _Run:
    """One build: what it has read, and what it does not know."""

    def __init__(self, read: Read, render_chart: RenderChart | None) -> None:
        self._read = read
        self.render_chart = render_chart
        self.charts: list[str] = []
        self.chart_files: list[str] = []
        self.problems: list[Problem] = []
        self.files: list[str] = []
        self.budget = Budget(_MAX_WORK, _MAX_CHARACTERS)
        self.is_open = False
        """Whether objects are missing because something is not known."""
        self._bytes = 0
        self._kustomizations = 0

    # -- files

    def contents(self, path: str, origin: Origin) -> bytes | None:
        """Return the contents of a file, None if there is none; raise `NotKnown` if it is too large."""
        data = self._read(path)
        if data is None:
            return None
        self._bytes += len(data)
        if len(data) > _MAX_FILE or self._bytes > _MAX_BYTES:
            raise NotKnown("the files are too large", origin)
        self.files.append(path)
        return data

    def file_of(self, folder: str, named: Scalar) -> tuple[str, bytes]:
        """Return the path and contents of a file that a kustomization names; raise `NotKnown` if it cannot be read."""
        path = normal_path(posixpath.join(folder, named.text)) if not named.text.startswith("/") else None
        if path is None or _is_remote(named.text):
            raise NotKnown(f"{named.text} is not in the repository", named.origin)
        data = self.contents(path, named.origin)
        if data is None:
            raise NotKnown(f"{named.text} does not exist", named.origin)
        self.check_place(path, folder, named)
        return path, data

    def check_place(self, path: str, folder: str, named: Scalar) -> None:
        """Record a problem if a file is outside of the folder of its kustomization."""
        if not _is_below(path, folder):
            reason = f"kustomize reads {named.text} only without restrictions, as it is outside of the kustomization"
            self.problems.append(Problem(reason, named.origin))

    def source(self, folder: str, named: Scalar) -> Source:
        """Return the text of a file that a kustomization names; raise `NotKnown` if it cannot be read."""
        path, data = self.file_of(folder, named)
        return Source(path, _decoded(data, named.origin))

    # -- kustomizations

    def kustomization(
        self,
        folder: str,
        ancestors: tuple[str, ...],
        named: Scalar | None,
        into: _Layer | None = None,
        *,
        edit: Edit | None = None,
    ) -> _Layer:
        """Return the objects of a kustomization; those of a component are changed in place in `into`."""
        origin = named.origin if named is not None else _start(folder)
        self._kustomizations += 1
        if self._kustomizations > _MAX_KUSTOMIZATIONS or len(ancestors) > _MAX_DEPTH:
            raise NotKnown("there are too many kustomizations", origin)
        if any(_is_below(ancestor, folder) for ancestor in ancestors):
            raise Refused("the kustomization contains itself", origin)
        root = self._root(folder, origin)
        if edit is not None:
            root = edit(root)
        is_component = root.text("kind") == "Component"
        if is_component != (into is not None):
            kind = "a component" if is_component else "no component"
            raise Refused(f"the kustomization is {kind}", origin)
        layer = into if into is not None else _Layer()
        _Evaluation(self, folder, (*ancestors, folder), root, layer).evaluate()
        return layer

    def _root(self, folder: str, origin: Origin) -> Mapping:
        found = [
            (path, data) for name in KUSTOMIZATIONS
            if (data := self.contents(path := posixpath.join(folder, name), origin)) is not None
        ]  # fmt: skip
        if not found:
            raise NotKnown(f"there is no kustomization in {folder or 'the repository'}", origin)
        if len(found) > 1:
            raise Refused(f"there are several kustomizations in {folder or 'the repository'}", _start(found[1][0]))
        path, data = found[0]
        documents = read_documents(Source(path, _decoded(data, _start(path))), self.budget, is_yaml_1_1=True)
        if not documents or not isinstance(documents[0], Mapping):
            raise Refused("the kustomization is empty", _start(path))
        root = checked(documents[0], FIELDS)
        kind, version = root.text("kind"), root.text("apiVersion")
        if kind not in ("", "Kustomization", "Component"):
            raise Refused("the file is no kustomization", _start(path))
        expected = "kustomize.config.k8s.io/v1alpha1" if kind == "Component" else "kustomize.config.k8s.io/v1beta1"
        if version not in ("", expected):
            raise Refused(f"apiVersion must be {expected}", root.values["apiVersion"].origin)
        if all(is_empty(root.values[key]) for key in root.values if key not in ("kind", "apiVersion")):
            raise Refused("the kustomization is empty", _start(path))
        return root


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(folder + "/")


def _is_remote(text: str) -> bool:
    return _REMOTE.match(text) is not None or _QUERY.search(text) is not None


def _decoded(data: bytes, origin: Origin) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotKnown("it is not UTF-8", origin) from error


class _Evaluation:
    """The evaluation of one kustomization."""

    def __init__(self, run: _Run, folder: str, folders: tuple[str, ...], root: Mapping, layer: _Layer) -> None:
        self.run, self.folder, self.folders, self.root, self.layer = run, folder, folders, root, layer

    def evaluate(self) -> None:
        """Add the objects of the kustomization to the layer, and transform them."""
        for key, reason in _UNKNOWN_ADDITIONS.items():
            if not is_empty(self.root.get(key)):
                self._note(NotKnown(reason, self.root.keys[key].origin), is_open=True)
        for named in (*strings(self.root, "resources"), *strings(self.root, "bases")):
            self._add(named)
        self._add_charts()
        self.layer.add_config(self._config())
        self._generate()
        for named in strings(self.root, "components"):
            self._component(named)
        self._transform()
        for key, reason in _UNKNOWN_CHANGES.items():
            if not is_empty(self.root.get(key)):
                for resource in self.layer.resources.resources:
                    resource.problems.append(Problem(reason, self.root.keys[key].origin))
                self._note(NotKnown(reason, self.root.keys[key].origin))

    def _note(self, error: BuildError, *, is_open: bool = False) -> None:
        """Record what is not known; raise what kustomize refuses, unless that may be due to something not known."""
        if error.problem.is_refusal and not self.run.is_open:
            raise error
        self.run.problems.append(error.problem._replace(is_refusal=False))
        self.run.is_open = self.run.is_open or is_open

    # -- what there is

    def _add(self, named: Scalar) -> None:
        """Add the objects of a file or of another kustomization."""
        try:
            if _is_remote(named.text):
                raise NotKnown("a remote base is not read", named.origin)
            path = normal_path(posixpath.join(self.folder, named.text)) if not named.text.startswith("/") else None
            if path is None:
                raise NotKnown(f"{named.text} is not in the repository", named.origin)
            data = self.run.contents(path, named.origin)
            if data is not None:
                self.run.check_place(path, self.folder, named)
                source = Source(path, _decoded(data, named.origin))
                self.layer.resources.extend(read_resources(source, self.run.budget))
                return
            base = self.run.kustomization(path, self.folders, named)
            self.layer.resources.extend(base.resources.resources)
            if base.config is not None:
                self.layer.add_config(base.config)
        except NotKnown as error:
            self._note(error, is_open=True)

    def _add_charts(self) -> None:
        """Add the objects of Helm charts."""
        run = self.run
        if is_empty(self.root.get("helmCharts")):
            return
        run.charts += chart_folders(self.folder, self.root)
        try:
            if run.render_chart is None:
                raise NotKnown(NOT_RENDERED, self.root.keys["helmCharts"].origin)
            for chart, sources, unknown in rendered_charts(self.folder, self.root, run.render_chart, self._file):
                run.chart_files += chart.files
                for source in sources:
                    self.layer.resources.extend(read_resources(source, run.budget))
                if unknown is not None:
                    self._note(unknown, is_open=True)
        except NotKnown as error:
            self._note(error, is_open=True)

    def _file(self, named: Scalar) -> str:
        return self.run.file_of(self.folder, named)[0]

    def _component(self, named: Scalar) -> None:
        try:
            path = normal_path(posixpath.join(self.folder, named.text)) if not _is_remote(named.text) else None
            if path is None or named.text.startswith("/"):
                raise NotKnown("a remote component is not read", named.origin)
            self.run.kustomization(path, self.folders, named, self.layer)
        except NotKnown as error:
            for resource in self.layer.resources.resources:
                resource.problems.append(error.problem)
            self._note(error, is_open=True)

    def _config(self) -> TransformerConfig:
        config = TransformerConfig()
        for named in strings(self.root, "configurations"):
            try:
                for document in read_documents(self.run.source(self.folder, named), self.run.budget, is_yaml_1_1=True):
                    if isinstance(document, Mapping):
                        config = with_configuration(config, document)
            except NotKnown as error:
                self._note(error, is_open=True)
        return config

    def _generate(self) -> None:
        options = submapping(self.root, "generatorOptions", OPTION_FIELDS)
        for key, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            for args in mappings(self.root, key, GENERATOR_FIELDS):
                try:
                    made = generated(kind, args, options, lambda named: self.run.file_of(self.folder, named))
                    absorb(self.layer.resources, made)
                except BuildError as error:
                    self._note(error, is_open=True)

    # -- what changes

    def _transform(self) -> None:
        """Apply the transformers, in kustomize's order."""
        resources, budget = self.layer.resources, self.run.budget
        config = self.layer.config or TransformerConfig()
        for patch in self._patches():
            self._apply(patch)
        if namespace := string(self.root, "namespace"):
            set_namespace(resources, namespace, config.namespaces)
        if prefix := string(self.root, "namePrefix"):
            add_prefix(resources, prefix, config.prefixed)
        if suffix := string(self.root, "nameSuffix"):
            add_suffix(resources, suffix, config.suffixed)
        self._set_labels(config)
        set_strings(resources, string_map(self.root, "commonAnnotations"), config.annotations, budget)
        for patch in self._json_patches():
            self._apply(patch)
        for replica in mappings(self.root, "replicas", ("name", "count")):
            try:
                set_replicas(resources, replica, config.replicas)
            except Refused as error:
                self._note(error)
        images = [image for key in ("images", "imageTags") for image in mappings(self.root, key, _IMAGE_FIELDS)]
        if images:
            set_images(resources, images, config.images, budget)
        for replacement in self._replacements():
            try:
                replace(resources, replacement, budget)
            except BuildError as error:
                for resource in resources.resources:
                    resource.problems.append(error.problem)
                self._note(error)

    def _set_labels(self, config: TransformerConfig) -> None:
        for label in mappings(self.root, "labels", _LABEL_FIELDS):
            specs = [*with_configuration(TransformerConfig(labels=()), _renamed(label)).labels, *config.labels]
            if flag(label, "includeSelectors"):
                specs += config.common_labels
            else:
                specs += config.template_labels if flag(label, "includeTemplates") else (METADATA_LABELS,)
            set_strings(self.layer.resources, string_map(label, "pairs"), dict.fromkeys(specs), self.run.budget)
        common = string_map(self.root, "commonLabels")
        set_strings(self.layer.resources, common, config.common_labels, self.run.budget)

    def _replacements(self) -> Iterator[Mapping]:
        for item in mappings(self.root, "replacements", REPLACEMENT_FIELDS):
            path = string(item, "path")
            if path is None:
                yield item
                continue
            try:
                for document in read_documents(self.run.source(self.folder, path), self.run.budget, is_yaml_1_1=True):
                    yield from (
                        mapping for mapping in (document.items if isinstance(document, SequenceNode) else [document])
                        if isinstance(mapping, Mapping)
                    )  # fmt: skip
            except NotKnown as error:
                self._note(error, is_open=True)

    # -- patches

    def _patches(self) -> Iterator[Patch]:
        for named in strings(self.root, "patchesStrategicMerge"):
            is_inline = "\n" in named.text or named.text.lstrip().startswith("{")
            yield Patch(named, None if is_inline else named, named if is_inline else None, None)
        for item in mappings(self.root, "patches", PATCH_FIELDS):
            yield Patch.of(item)

    def _json_patches(self) -> Iterator[Patch]:
        for item in mappings(self.root, "patchesJson6902", PATCH_FIELDS):
            yield Patch.of(item, is_json=True)

    def _apply(self, patch: Patch) -> None:
        resources = self.layer.resources
        try:
            source = patch.source() if patch.path is None else self.run.source(self.folder, patch.path)
            apply_patch(resources, patch, source, self.run.budget)
        except BuildError as error:
            touched = [resource for resource in resources.resources if patch.may_change(resource)]
            for resource in touched:
                resource.problems.append(error.problem)
            self._note(error)
        resources.remove_empty()


def _renamed(label: Mapping) -> Mapping:
    """Return the fields of a label in the form of a configuration."""
    made = Mapping(label.origin)
    fields = label.get("fields")
    if fields is not None and not is_missing(fields):
        made.set("labels", fields)
    return made


def _finish(run: _Run, layer: _Layer) -> dict[int, str]:
    """Append hashes to names, update the references to renamed objects, and drop what is only for kustomize.

    Returns what was appended, by the identity of the object.
    """
    resources = layer.resources.resources
    hashes: dict[int, str] = {}
    for resource in resources:
        if resource.gives_hash:
            name = resource.root.get("metadata", "name")
            assert isinstance(name, Scalar)
            try:
                suffix = name_hash(resource)
            except NotKnown as error:
                resource.problems.append(error.problem)
                continue
            resource.remember()
            hashes[id(resource)] = f"-{suffix}"
            resource.set_metadata("name", joined(name, made_scalar(f"-{suffix}", name.origin)))
    update_references(resources, layer.config.references if layer.config is not None else ())
    kept = [
        resource for resource in resources
        if resource.strings("annotations").get("config.kubernetes.io/local-config", "false") == "false"
    ]  # fmt: skip
    for resource in kept:
        resource.finish()
    layer.resources.resources[:] = kept
    return hashes
