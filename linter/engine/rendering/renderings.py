"""Renders the charts and kustomizations around the files of a run, one stream of manifests per deployment.

A chart is rendered with its own values, and once more with each values file that is used with it. Of kustomizations,
those are built that no other one contains.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from flink_flint.linter.engine.discovery import AnySource
from flink_flint.linter.engine.rendering.rendering_inputs import ProjectFiles
from flink_flint.linter.filesystem.folders import CHART, TEMPLATES, VALUES
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, RenderedText
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.engine.rendering.isolated_programs import Programs
    from flink_flint.linter.formats.chart_uses.chart_use import ChartUse, Values
    from flink_flint.linter.formats.gitops.deployed_builds import DeployedBuild
    from flink_flint.linter.formats.helm.rendering.chart_rendering import Rendering
    from flink_flint.linter.formats.kustomize.build import Build, BuiltObject
    from flink_flint.linter.formats.kustomize.helm_charts import ChartCall, RenderedChart
    from flink_flint.linter.formats.syntax.yaml_tree import Tree

_LOCAL_CHART = regex(r"file://([^\s\"'#]+)")
_VALUES = regex(r"[^/]*values[^/]*\.ya?ml")
_KIND = regex(r"(?m)^kind:[ \t]*+[\"']?(\w++)")
CHART_FAILED = "chart without the values it needs"
"""The reason reported for a chart that cannot be rendered because values are missing."""

CHART_BROKEN = "chart with a broken template"
"""The reason reported for a chart that cannot be rendered because of one of its templates."""

TEMPLATE_UNREADABLE = "chart template that Helm cannot read"
"""The reason reported for a template that breaks off the rendering of its chart."""

NO_YAML = "chart template that renders to no YAML"
"""The reason reported for a template whose output is not YAML with any of the chart's values."""

UNDEFINED = "templates and values without Chart.yaml"
"""The reason reported for a folder that has the parts of a chart but does not define one."""

BUILD_FAILED = "kustomization that is not known as a whole"
"""The reason reported for a kustomization that cannot be built completely."""

NO_HELM = "helm is not in PATH: flint itself rendered the chart"
NO_KUSTOMIZE = "kustomize is not in PATH: flint itself built the kustomization"
"""The note that kustomize was requested but is not in PATH, so that flint itself built the kustomization."""

_SEPARATOR = Fragment("\n---\n", None)
_MAX_CHARTS = 200
_MAX_USES = 50
_MAX_BUILDS = 200


class Rendered(NamedTuple):
    """The rendered manifests of one deployment: of a chart with one list of values files, or of a kustomization."""

    path: str
    """The path under which findings in the rendered manifests are reported; no file exists there."""
    label: str
    """The values file or overlay folder that distinguishes this rendering from others of the same objects."""
    text: RenderedText
    inputs: frozenset[str]
    """The paths of the source files; documents in them are checked as rendered, not as written."""
    values: frozenset[str]
    """The paths of the values files used; they are checked as rendered if the rendering contains Flink objects."""
    holders: frozenset[str]
    """The paths of files that embed chart values; settings there are not checked again if all of them are rendered."""
    templates: str
    """The text of the chart's templates that may refer to values; empty for a kustomization."""
    plain_names: Mapping[str, str]
    """The rendered names that end in a content hash, mapped to the names without the hash."""
    trees: Sequence[Tree]
    """The rendered manifests, parsed as YAML."""
    is_variant: bool
    """Whether the chart has an earlier rendering with other values; each rendering is a separate environment."""
    is_certain: bool = True
    """Whether nothing outside of the repository may set other values of the chart."""
    is_built: bool = False
    """Whether a kustomization was built, rather than a chart rendered."""


class NotRendered(NamedTuple):
    """A chart or kustomization that cannot be rendered completely, with the reason."""

    path: str
    reason: str
    values: frozenset[str] = frozenset()
    """The paths of the values files of a chart of which all templates are known."""
    templates: str = ""
    """The text of the chart's templates."""


class Renderings(NamedTuple):
    """The successful and failed renderings of a run, and the repository's files."""

    rendered: Sequence[Rendered]
    failed: Sequence[NotRendered]
    files: ProjectFiles
    notes: Sequence[NotRendered]
    """Notes that a requested program is missing, so that flint itself rendered the charts or kustomizations."""
    unseen: frozenset[str] = frozenset()
    """The paths of values files that something uses of which not everything is known, together with other values."""


class Memory(NamedTuple):
    """What remembers the renderings of an earlier run."""

    recall: Callable[[ProjectFiles], Renderings | None]
    """Returns the renderings of a repository; None if they are not known, or something has changed."""
    remember: Callable[[Renderings], None]
    """Remembers renderings."""


def renderings_of(
    sources: Sequence[AnySource],
    *,
    by_programs: bool | None = False,
    unsaved: Mapping[str, bytes] = MappingProxyType({}),
    without_deployments: Mapping[str, Set[str]] = MappingProxyType({}),
    memory: Memory | None = None,
) -> Renderings | None:
    """Render the charts and kustomizations around files; return None if there are none.

    `by_programs` says whether Helm and kustomize render them, if they can; None leaves it to the user's configuration.
    `unsaved` replaces other files of the disk, by their absolute paths; files `without_deployments` are not searched
    for what deploys charts and kustomizations. What flint itself renders is taken from a `memory` and goes to it; all
    sources must then be as they are on the disk. Raises `FlintConfigError` if the user's configuration is invalid.
    """
    sources = [source for source in sources if not source.path.startswith(("<", "-"))]
    if not sources:
        return None
    try:
        files = ProjectFiles(sources, unsaved, without_deployments)
    except ValueError:  # on several drives
        return None
    programs = _programs() if by_programs or (by_programs is None and _user_renders(files)) else None
    if programs is not None or unsaved:
        memory = None
    found = memory.recall(files) if memory is not None else None
    if found is None:
        found = _render_all(files, programs)
        if memory is not None:
            memory.remember(found)
    return found if found.rendered or found.failed else None


def _render_all(files: ProjectFiles, programs: Programs | None) -> Renderings:
    """Render the charts and kustomizations around the files of a run."""
    rendered: list[Rendered] = []
    failed: list[NotRendered] = []
    notes: list[NotRendered] = []
    builds: list[Rendered] = []
    failed_builds: list[NotRendered] = []
    built, in_builds = _build_all(files, builds, failed_builds, programs)
    charts = _charts(files)[:_MAX_CHARTS]
    uses, unseen = _uses(files, charts) if charts else ({}, frozenset[str]())
    for chart in charts:
        _Chart(files, chart, rendered, failed, programs).render(uses.get(chart, ()), in_builds.get(chart))
    failed += _undefined(files, charts)
    rendered += builds
    failed += failed_builds
    if charts and programs is not None and programs.helm is None:
        notes.append(NotRendered(files.shown(posixpath.join(charts[0], CHART)), NO_HELM))
    if built and programs is not None and not programs.kustomize:
        notes.append(NotRendered(files.shown(built[0]), NO_KUSTOMIZE))
    return Renderings(rendered, failed, files, notes, unseen)


def _user_renders(files: ProjectFiles) -> bool:
    """Return whether the user's own configuration, which must not be in the tree, requests real programs."""
    from flink_flint.linter.config.user_config import user_config

    return user_config(files.trees).render


def _programs() -> Programs:
    from flink_flint.linter.engine.rendering.isolated_programs import find_programs

    return find_programs()


# -- charts


def _charts(files: ProjectFiles) -> list[str]:
    """Return the folders of charts around the files, without those inside of another one."""
    found = files.above((CHART,))
    return [folder for folder in found if not any(_is_subchart(folder, other) for other in found)]


def _uses(files: ProjectFiles, charts: Sequence[str]) -> tuple[dict[str, list[ChartUse]], frozenset[str]]:
    """Return how charts of the repository are used, by their folders, and the values files of uses that are unknown."""
    from flink_flint.linter.formats.chart_uses.finding_uses import find_uses

    found: dict[str, list[ChartUse]] = {}
    all_uses = find_uses(files.deploying, files.read, files.everything, charts, files.manifests)
    for use in all_uses.uses:
        found.setdefault(use.chart, []).append(use)
    return found, frozenset(map(files.shown, all_uses.unseen))


def _distinct(uses: Sequence[ChartUse]) -> list[ChartUse]:
    """Return the uses with different values; who else uses the same values deploys the same settings."""
    found = {
        (bool(use.unknown), *((one.path, str(one.text or "")) for one in use.values)): use for use in reversed(uses)
    }
    return list(found.values())[::-1]


def _undefined(files: ProjectFiles, charts: Sequence[str]) -> Iterator[NotRendered]:
    """Yield the folders with the values and templates of a chart that have no Chart.yaml, and are in no chart."""
    for folder in files.above((VALUES,)):
        is_in_chart = folder in charts or any(_is_subchart(folder, chart) for chart in charts)
        if not is_in_chart and files.below(posixpath.join(folder, TEMPLATES), 1):
            chart = _Chart(files, folder, [], [], None)
            path = files.shown(posixpath.join(folder, VALUES))
            yield NotRendered(path, UNDEFINED, chart.values_in(folder), chart.templates)


def _is_subchart(folder: str, other: str) -> bool:
    return folder.startswith(f"{other}/charts/" if other else "charts/")


def _subchart_of(folder: str, chart: str) -> str | None:
    """Return the folder of the chart directly inside `chart` that contains a folder; None if it is in none."""
    start = f"{chart}/charts/" if chart else "charts/"
    return start + folder[len(start) :].partition("/")[0] if folder.startswith(start) else None


def _names_of(files: ProjectFiles, folder: str) -> list[str]:
    """Return the paths of the files of a chart, and of local charts that it depends on."""
    names = files.below(folder)
    text = (files.read(posixpath.join(folder, CHART)) or b"").decode("utf-8", "replace")
    for other in _LOCAL_CHART.findall(text)[:20]:
        place = posixpath.normpath(posixpath.join(folder, other))
        if not place.startswith(("..", "/")) and place != ".":
            names += files.below(place)
    return sorted(set(names))


def _joined(parts: Sequence[tuple[str, Sequence[Fragment]]]) -> tuple[RenderedText, Sequence[Tree]]:
    """Return rendered templates as one text, and what it is as YAML."""
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    fragments = [fragment for _, own in parts if not _defines(own) for fragment in (*own, _SEPARATOR)]
    text = RenderedText(fragments)
    return text, read_trees(text.text) if fragments else []


class _Chart:
    """One chart, which is rendered for each list of values files."""

    def __init__(
        self,
        files: ProjectFiles,
        folder: str,
        rendered: list[Rendered],
        failed: list[NotRendered],
        programs: Programs | None,
    ) -> None:
        self.files, self.folder, self.rendered, self.failed, self.programs = files, folder, rendered, failed, programs
        self.names = _names_of(files, folder)
        self.broken: dict[str, NotRendered] = {}
        """The templates that are at fault if the chart cannot be rendered, by path."""

    def render(self, uses: Sequence[ChartUse], is_in_build: bool | None) -> None:
        """Render the chart as it is used, and with its other values files; one that none suits is a failure.

        `is_in_build` says whether the build of a kustomization contains it, with values from there; None if no
        kustomization names it.
        """
        from flink_flint.linter.formats.chart_uses.chart_use import Values
        from flink_flint.linter.formats.helm.rendering.values_files import values_files_of

        used = frozenset(values.path for use in uses for values in use.values if values.text is None)
        made = [one for use in _distinct(uses)[:_MAX_USES] if (one := self._used(use))]
        for paths in values_files_of(self.folder, self.names):
            # Those that something uses are rendered as they are used; its own alone only if nothing is known.
            if (not paths and (made or is_in_build is not None)) or not used.isdisjoint(paths):
                continue
            values = tuple(Values(path, None) for path in paths)
            if (one := self._rendered(values, self._label(values), None)) is not None:
                made.append(one)
        taken: set[str] = set()
        for number, one in enumerate(made):
            path = one.path if one.path not in taken else f"{one.path} {number + 1}"
            taken.add(one.path)
            self.rendered.append(one._replace(is_variant=number > 0, path=path))
        if not made and not is_in_build:
            self.failed += self._failures()

    def _failures(self) -> Iterator[NotRendered]:
        """Yield the failure of the chart, and of the charts in it, with their values unless other charts take these."""
        path = posixpath.join(self.folder, CHART)
        yield from self.broken.values()
        failure = NotRendered(self.files.shown(path), CHART_BROKEN if self.broken else CHART_FAILED)
        folders = {posixpath.dirname(name) for name in self.names}
        inner = sorted({folder for name in folders if (folder := _subchart_of(name, self.folder)) is not None})
        has_others = bool(inner) or b"dependencies:" in (self.files.read(path) or b"")
        yield failure if has_others else failure._replace(values=self.values_in(self.folder), templates=self.templates)
        for folder in inner:
            if not any(_is_subchart(name, folder) for name in folders):
                templates = self.templates + self._template_texts(folder)
                yield failure._replace(values=self.values_in(folder), templates=templates)

    def values_in(self, folder: str) -> frozenset[str]:
        """Return the paths of the values files in a folder."""
        start = len(folder) + 1 if folder else 0
        inside = (name for name in self.names if name.startswith(f"{folder}/" if folder else ""))
        return frozenset(self.files.shown(name) for name in inside if _VALUES.fullmatch(name, start))

    def _used(self, use: ChartUse) -> Rendered | None:
        label = self._label(use.values)
        if use.label:
            label = use.label
        elif not use.values or any(values.text is not None for values in use.values):
            label = use.name or posixpath.basename(use.source)
        return self._rendered(use.values, label, use)

    def _label(self, values: Sequence[Values]) -> str:
        return ", ".join(posixpath.relpath(one.path, self.folder or ".") for one in values) or VALUES

    def _rendered(self, values: Sequence[Values], label: str, use: ChartUse | None) -> Rendered | None:
        """Return the manifests for some values; None if the chart needs other values than these.

        A chart that fails in one template gets its values from elsewhere, so that the others are not what is deployed.
        """
        from flink_flint.linter.formats.helm.rendering.chart_files import file_text
        from flink_flint.linter.formats.helm.rendering.chart_rendering import render_chart

        texts = [
            file_text(one.path, self.files.read(one.path) or b"") if one.text is None else one.text for one in values
        ]
        name = (use.name if use is not None else "") or "release-name"
        namespace = use.namespace if use is not None else "default"
        chart = list(
            render_chart(
                self.folder, texts, self.names, self.files.read, release_name=name, namespace=namespace,
                unknown_values=use.unknown if use is not None else "",
            )
        )  # fmt: skip
        parts = self._by_helm(chart, texts, name, namespace) if use is None or not use.unknown else None
        if parts is None and any(one.text is None and one.name for one in chart):
            self._note(chart)
            return None
        # Without a whole chart, one that it depends on is missing, or all of it fails.
        is_whole = parts is not None or all(one.text is not None for one in chart)
        if parts is None:
            parts = [(one.path, one.text.fragments) for one in chart if one.text is not None and one.text.text.strip()]
        is_certain = use is None or not use.unknown
        text, trees = _joined(parts)
        if not is_certain and any(tree.error is not None for tree in trees):
            parts = [one for one in parts if not any(tree.error is not None for tree in _joined([one])[1])]
            text, trees = _joined(parts)  # without what an unknown value may have broken
        templates = {path for path, _ in parts}
        if not trees or any(tree.error is not None for tree in trees):
            self._note_no_yaml(parts)
            return None
        paths = [posixpath.join(self.folder, VALUES), *(one.path for one in values if one.text is None)]
        used = frozenset(self.files.shown(path) for path in paths) if is_whole else frozenset[str]()
        inputs = frozenset(map(self.files.shown, templates))
        sources = frozenset(self.files.shown(one.path) for one in values if one.text is not None)
        path = os.path.join(self.files.shown(posixpath.join(self.folder, TEMPLATES)), f"({label})")
        return Rendered(
            path, label, text, inputs, used, sources, self.templates, {}, trees, is_variant=False,
            is_certain=is_certain,
        )  # fmt: skip

    def _note(self, chart: Iterable[Rendering]) -> None:
        """Remember the templates that break off the rendering whatever the values are."""
        for one in chart:
            if one.problem is not None and one.problem.is_syntax:
                self.broken[one.path] = NotRendered(self.files.shown(one.path), TEMPLATE_UNREADABLE)

    def _note_no_yaml(self, parts: Iterable[tuple[str, Sequence[Fragment]]]) -> None:
        """Remember the first template whose output is not YAML."""
        for path, fragments in parts:
            if any(tree.error is not None for tree in _joined([(path, fragments)])[1]):
                self.broken.setdefault(path, NotRendered(self.files.shown(path), NO_YAML))
                return

    def _by_helm(
        self, chart: Sequence[Rendering], values: Sequence[str], name: str, namespace: str
    ) -> list[tuple[str, Sequence[Fragment]]] | None:
        """Return what the real Helm renders, by template; None if it is not to be used, or fails."""
        if self.programs is None:
            return None
        from flink_flint.linter.engine.rendering.real_helm import marked, template

        output = template(
            self.programs, self.folder, self.names, values, self.files.read, release_name=name, namespace=namespace
        )
        if output is None:
            return None
        own = {one.name: one.text for one in chart if one.text is not None}
        paths = {one.name: one.path for one in chart if one.name}
        return list(marked(output, own, paths, lambda path: (self.files.read(path) or b"").decode("utf-8", "replace")))

    @cached_property
    def templates(self) -> str:
        """The texts of all the chart's own templates."""
        return self._template_texts(self.folder)

    def _template_texts(self, folder: str) -> str:
        inside = posixpath.join(folder, f"{TEMPLATES}/")
        texts = (self.files.read(name) or b"" for name in self.names if name.startswith(inside))
        return b"\n".join(texts).decode("utf-8", "replace")


def _defines(fragments: Sequence[Fragment]) -> bool:
    """Return whether manifests only define kinds of resources, of which the operator's alone have a megabyte."""
    kinds = _KIND.findall("".join(fragment.text for fragment in fragments))
    return bool(kinds) and all(kind == "CustomResourceDefinition" for kind in kinds)


# -- kustomizations


def _build_all(
    files: ProjectFiles, rendered: list[Rendered], failed: list[NotRendered], programs: Programs | None
) -> tuple[list[str], dict[str, bool]]:
    """Build the kustomizations that are deployed; return their paths, and which of the charts they name they render."""
    paths = files.kustomizations()
    if not paths:
        return [], {}
    from flink_flint.linter.formats.kustomize.overlays import overlays, reached

    folders = {posixpath.dirname(path): path for path in paths}
    deployed = _deployed(files, folders)
    leaves = [
        folder for folder in sorted({*overlays(paths, files.read), *deployed})
        if _concerns(reached(folder, files.read), files)
    ]  # fmt: skip
    charts: dict[str, bool] = {}
    for folder in leaves[:_MAX_BUILDS]:
        as_it_is: Build | None = None
        for one in deployed.get(folder, [None])[:_MAX_USES]:
            if one is not None and (one.changes is not None or not one.is_known):
                made = _changed(files, folder, one)
            else:
                made = as_it_is = as_it_is or _built(files, folders[folder], programs)
            for chart in made.charts:
                charts[chart] = charts.get(chart, False) or posixpath.join(chart, CHART) in made.chart_files
            _add_build(files, made, folders[folder], one, rendered, failed)
    return [folders[folder] for folder in leaves], charts


def _deployed(files: ProjectFiles, folders: Mapping[str, str]) -> dict[str, list[DeployedBuild | None]]:
    """Return how Flux and Argo CD deploy kustomizations, by the folders of these.

    Those that Argo CD builds as they are, like everything else, are left out.
    """
    if not files.deploying:
        return {}
    from flink_flint.linter.formats.gitops.argo_builds import argo_builds
    from flink_flint.linter.formats.gitops.flux_builds import flux_builds

    by_argo = [one for one in argo_builds(files.deploying, files.read, files.everything) if one.folder in folders]
    changed = {one.folder for one in by_argo if one.changes is not None or not one.is_known}
    deployed: dict[str, list[DeployedBuild | None]] = {}
    for one in (
        *flux_builds(files.deploying, files.read, files.manifests),
        *(one for one in by_argo if one.folder in changed),
    ):
        if one.folder in folders:
            deployed.setdefault(one.folder, []).append(one)
    return deployed


def _built(files: ProjectFiles, path: str, programs: Programs | None) -> Build:
    """Return what a kustomization is built to, by the real kustomize if it is to be used and does not fail."""
    from flink_flint.linter.formats.kustomize.build import build

    own = build(posixpath.dirname(path), files.read, render_chart=_render_chart(files))
    if programs is None:
        return own
    from flink_flint.linter.engine.rendering.real_kustomize import build as build_really

    return build_really(programs, path, own, files.read) or own


def _changed(files: ProjectFiles, folder: str, deployed: DeployedBuild) -> Build:
    """Return what a kustomization is built to with the changes of Argo CD or Flux."""
    from flink_flint.linter.formats.gitops.deployed_builds import edited
    from flink_flint.linter.formats.kustomize.build import build

    changes = deployed.changes
    edit = None if changes is None else partial(edited, changes=changes)
    made = build(folder, files.read, edit=edit, render_chart=_render_chart(files))
    return made if deployed.is_known else made._replace(objects=())


def _render_chart(files: ProjectFiles) -> Callable[[ChartCall], RenderedChart | None]:
    """Return a function that renders the charts of kustomizations."""

    def render(call: ChartCall) -> RenderedChart | None:
        from flink_flint.linter.formats.helm.rendering.chart_files import file_text
        from flink_flint.linter.formats.helm.rendering.chart_rendering import render_chart
        from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
        from flink_flint.linter.formats.kustomize.helm_charts import RenderedChart

        if call.folder.startswith(("..", "/")) or files.read(posixpath.join(call.folder, CHART)) is None:
            return None
        values = [
            file_text(one, files.read(one) or b"") if isinstance(one, str) else MarkedText(one.fragments)
            for one in call.values
        ]
        found = list(
            render_chart(
                call.folder, values, _names_of(files, call.folder), files.read, release_name=call.release_name,
                namespace=call.namespace,
            )
        )  # fmt: skip
        own = (posixpath.join(call.folder, name) for name in (CHART, VALUES))
        named = (one for one in call.values if isinstance(one, str))
        paths = dict.fromkeys((*own, *(one.path for one in found), *named))
        return RenderedChart([one.text if not one.unknown else None for one in found], list(paths))

    return render


def _concerns(reached: Iterable[str], files: ProjectFiles) -> bool:
    """Return whether files of the run are in one of the folders, or one of the files, that a kustomization reaches."""
    return any(
        not place or folder == place or folder.startswith(f"{place}/") or posixpath.dirname(place) == folder
        for place in reached
        for folder in files.folders
    )


def _files_of_known(objects: Iterable[BuiltObject]) -> set[str]:
    """Return the files of the objects that are known, without those of objects that are not."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for one in objects:
        paths = (fragment.origin.path for fragment in one.text.fragments if fragment.origin is not None)
        found[not one.problems].update(paths)
    return found[True] - found[False]


def _add_build(
    files: ProjectFiles,
    made: Build,
    path: str,
    deployed: DeployedBuild | None,
    rendered: list[Rendered],
    failed: list[NotRendered],
) -> None:
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    shown = files.shown(path)
    is_changed = deployed is not None and (deployed.changes is not None or not deployed.is_known)
    is_whole = made.is_whole and (deployed is None or deployed.is_known)
    if not is_whole:
        failed.append(NotRendered(shown, BUILD_FAILED))
    fragments: list[Fragment] = []
    for one in made.objects:
        if not one.problems:
            fragments += (*one.text.fragments, _SEPARATOR)
    # What is deployed with changes is never judged as it is written.
    used = {*(made.files if is_whole or is_changed else _files_of_known(made.objects)), *made.chart_files}
    if not fragments and not is_changed and not made.chart_files:
        return
    label = posixpath.basename(posixpath.dirname(path)) or "."
    inputs, values = frozenset(map(files.shown, used)), frozenset(map(files.shown, made.chart_files))
    names = {one.name: one.plain_name for one in made.objects if one.name != one.plain_name}
    text = RenderedText(fragments)
    if deployed is not None and deployed.variables is not None:
        from flink_flint.linter.formats.gitops.flux_builds import filled_in

        text_of = cache(lambda path: (files.read(path) or b"").decode("utf-8-sig", "surrogateescape"))
        text = filled_in(text, deployed, lambda origin: _is_quoted(text_of(origin.path), origin.span))
    if deployed is not None and (is_changed or deployed.variables is not None):
        label = deployed.name or label
    place = os.path.join(os.path.dirname(shown), f"({label})")
    trees = read_trees(text.text, is_rendered=False) if fragments else []
    if any(tree.error is not None for tree in trees):
        failed.append(NotRendered(shown, BUILD_FAILED))
        return
    rendered.append(
        Rendered(place, label, text, inputs, values, frozenset(), "", names, trees, is_variant=False, is_built=True)
    )


def _is_quoted(text: str, scalar: Span) -> bool:
    """Return whether a scalar of a file is in quotes."""
    return text[max(scalar.start - 1, 0) : scalar.start] in ('"', "'")
