"""Loads a chart from its folder: metadata, values, templates, other files, and the charts it depends on."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.formats.helm.rendering.chart_archives import unpacked
from flink_flint.linter.formats.helm.rendering.functions.version_functions import is_in_range
from flink_flint.linter.formats.helm.rendering.go_globs import glob_matches
from flink_flint.linter.formats.helm.rendering.go_printing import float_text
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, is_bool, origin_of, with_origin
from flink_flint.linter.formats.helm.rendering.limits import Budget, LimitExceeded, NotRendered
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
from flink_flint.linter.formats.helm.rendering.yaml_reading import read_yaml
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin
from flink_flint.linter.text.spans import Span

_MAX_SUBCHARTS = 8
"""Maximum nesting of charts in charts."""
_MAX_FILES = 5_000
"""Maximum number of files of one chart."""

Read = Callable[[str], "bytes | None"]
"""A function that returns the contents of the file at a path; None if the file is missing or must not be read."""


class ChartTree(NamedTuple):
    """The files of a repository or archive in which charts are found."""

    names: Sequence[str]
    """The paths of all files in the repository or archive, sorted, with ``/`` as the separator."""
    read: Read

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths in a folder, relative to the folder; an empty `folder` is the root."""
        prefix = folder + "/" if folder else ""
        start = bisect_left(self.names, prefix)
        for name in takewhile(lambda name: name.startswith(prefix), self.names[start : start + _MAX_FILES]):
            yield name[len(prefix) :]

    def has(self, path: str) -> bool:
        """Return whether a file exists at a path."""
        at = bisect_left(self.names, path)
        return at < len(self.names) and self.names[at] == path

    def text(self, path: str) -> MarkedText | None:
        """Return the text of a file, marked with the file as its origin; None if the file cannot be read."""
        data = self.read(path)
        return None if data is None else file_text(path, data)


def file_text(path: str, data: bytes) -> MarkedText:
    """Decode the bytes of a file to text that is marked with the file as its origin."""
    text = data.decode("utf-8", "surrogateescape")
    start = 1 if text.startswith("\ufeff") else 0
    return MarkedText((Fragment(text[start:], Origin(path, Span(start, len(text)))),))


class Chart:
    """A Helm chart, with the charts that it depends on."""

    def __init__(self, tree: ChartTree, folder: str, metadata: Map) -> None:
        self.folder, self.metadata, self.tree = folder, metadata, tree
        self.name = text_of(metadata.get("name"))
        self.values = Map()
        self.templates: list[tuple[str, str]] = []
        """Names (in the chart) and paths of the files in `templates`."""
        self.files: list[tuple[str, str]] = []
        """Names and paths of the other files, which `.Files` offers."""
        self.dependencies: list[Chart] = []
        self.requirements: list[Requirement] = []
        self.absent: dict[str, str] = {}
        """The charts it depends on that could not be loaded, each with the reason."""
        self.is_root = False

    @property
    def is_library(self) -> bool:
        """Whether the chart is a library, which only provides templates to other charts."""
        return text_of(self.metadata.get("type")).lower() == "library"

    @property
    def version(self) -> str:
        """The version of the chart as Chart.yaml declares it."""
        return text_of(self.metadata.get("version"))

    def renamed(self, name: str) -> Chart:
        """Return a copy of the chart with another name (an alias)."""
        made = Chart(self.tree, self.folder, self.metadata)
        made.__dict__.update(self.__dict__)
        made.name, made.dependencies = name, list(self.dependencies)
        made.requirements = [requirement.copied() for requirement in self.requirements]
        return made


class Requirement:
    """An entry of `dependencies` in Chart.yaml."""

    def __init__(self, entry: Map) -> None:
        self.entry = entry
        self.name, self.version = text_of(entry.get("name")), text_of(entry.get("version"))
        self.repository, self.alias = text_of(entry.get("repository")), text_of(entry.get("alias"))
        self.conditions = [part for part in text_of(entry.get("condition")).strip().split(",") if part]
        tags = entry.get("tags")
        self.tags = [text_of(one) for one in tags] if isinstance(tags, list) else []
        imported = entry.get("import-values")
        self.imported: list[object] = list(imported) if isinstance(imported, list) else []
        self.enabled = True

    def copied(self) -> Requirement:
        """Return a copy of the requirement, since processing a requirement modifies it."""
        return Requirement(self.entry)

    def accepts(self, chart: Chart) -> bool:
        """Return whether a chart has the required name and a version in the required range."""
        if chart.name != self.name:
            return False
        try:
            return not self.version or is_in_range(self.version, chart.version)
        except NotRendered:
            return False


def text_of(value: object) -> str:
    """Return a field that Helm declares as a string, converted as Helm does; nil becomes an empty string."""
    if isinstance(value, str):
        return value
    if is_bool(value):
        return "true" if value else "false"
    if isinstance(value, float):
        converted = with_origin(float_text(value, largest_exponent=21), origin_of(value))
        assert isinstance(converted, str)
        return converted
    return ""


def load_chart(tree: ChartTree, folder: str, budget: Budget) -> Chart:
    """Return the chart in a folder; raise `NotRendered` if its metadata or values cannot be read."""
    return _load(tree, folder, budget, ())


def _load(tree: ChartTree, folder: str, budget: Budget, above: tuple[str, ...]) -> Chart:
    if len(above) > _MAX_SUBCHARTS or folder in above:
        raise NotRendered("charts are nested too deeply")
    chart = Chart(tree, folder, _mapping(tree, posixpath.join(folder, CHART), budget))
    values_path = posixpath.join(folder, "values.yaml")
    if tree.has(values_path):
        chart.values = _mapping(tree, values_path, budget)
    ignored = _ignore_rules(tree, folder)
    subcharts: dict[str, None] = {}
    archives: list[str] = []
    for name in tree.below(folder):
        budget.spend(1)
        if _is_ignored(name, ignored, budget):
            continue
        if name.startswith("templates/"):
            chart.templates.append((name, posixpath.join(folder, name)))
        elif name.startswith("charts/"):
            below = name.split("/")
            if len(below) > 2 and below[1][0] not in "_.":
                subcharts[below[1]] = None
            elif name.endswith(".tgz"):
                archives.append(posixpath.join(folder, name))
        elif name not in (CHART, "values.yaml", "Chart.lock", "values.schema.json", ".helmignore"):
            chart.files.append((name, posixpath.join(folder, name)))
    chart.requirements = _requirements(tree, chart, budget)
    for subchart in subcharts:
        place = posixpath.join(folder, "charts", subchart)
        if tree.has(posixpath.join(place, CHART)):
            chart.dependencies.append(_load(tree, place, budget, (*above, folder)))
    for archive in archives:
        _load_archive(tree, chart, archive, budget, above)
    _load_neighbors(tree, chart, budget, above)
    for requirement in chart.requirements:
        if not any(requirement.accepts(one) for one in chart.dependencies):
            chart.absent[requirement.name] = f"the chart {requirement.name} is not in the repository"
    return chart


def _load_archive(tree: ChartTree, chart: Chart, path: str, budget: Budget, above: tuple[str, ...]) -> None:
    """Add the chart in an archive to the dependencies; an archive that cannot be read is as if it were absent."""
    data = tree.read(path)
    files = unpacked(path, data) if data is not None else {}
    budget.spend(sum(map(len, files.values())) // 64)
    inner = ChartTree(sorted(files), files.get)
    roots = {name[len(path) + 1 :].partition("/")[0] for name in inner.names}
    for root in sorted(roots):
        place = posixpath.join(path, root)
        if inner.has(posixpath.join(place, CHART)):
            chart.dependencies.append(_load(inner, place, budget, (*above, chart.folder)))


def _load_neighbors(tree: ChartTree, chart: Chart, budget: Budget, above: tuple[str, ...]) -> None:
    """Load charts that `helm dependency build` copies from another folder of the repository (``file://``)."""
    for requirement in chart.requirements:
        if not requirement.repository.startswith("file://"):
            continue
        if any(requirement.accepts(one) for one in chart.dependencies):
            continue
        place = posixpath.normpath(posixpath.join(chart.folder, requirement.repository.removeprefix("file://")))
        place = "" if place == "." else place
        if not place.startswith(("..", "/")) and tree.has(posixpath.join(place, CHART)):
            chart.dependencies.append(_load(tree, place, budget, (*above, chart.folder)))


def _requirements(tree: ChartTree, chart: Chart, budget: Budget) -> list[Requirement]:
    declared = chart.metadata.get("dependencies")
    path = posixpath.join(chart.folder, "requirements.yaml")
    if declared is None and tree.has(path):
        declared = _mapping(tree, path, budget).get("dependencies")
    if not isinstance(declared, List):
        return []
    return [Requirement(entry) for entry in declared if isinstance(entry, Map)]


def _mapping(tree: ChartTree, path: str, budget: Budget) -> Map:
    text = tree.text(path)
    if text is None:
        raise NotRendered(f"{path} cannot be read")
    return read_mapping(text, budget, path)


def read_mapping(text: str, budget: Budget, path: str) -> Map:
    """Parse YAML text that must contain a mapping; raise `NotRendered` if it does not."""
    try:
        value = read_yaml(text, budget)
    except LimitExceeded:
        raise
    except NotRendered as failure:
        raise NotRendered(f"{path} is {failure.reason}", Origin(path, Span(0, 1))) from None
    if value is None:
        return Map()
    if not isinstance(value, Map):
        raise NotRendered(f"{path} is not a mapping", Origin(path, Span(0, 1)))
    return value


def _ignore_rules(tree: ChartTree, folder: str) -> list[str]:
    path = posixpath.join(folder, ".helmignore")
    text = tree.text(path) if tree.has(path) else None
    lines = [line.strip() for line in (text or "").splitlines()[:1000]]
    return ["templates/.?*", *(line for line in lines if line and not line.startswith("#") and "**" not in line)]


def _is_ignored(name: str, rules: Sequence[str], budget: Budget) -> bool:
    """Return whether `.helmignore` leaves a file out, by its own name or that of a folder above it."""
    parts = name.split("/")
    for end in range(1, len(parts) + 1):
        is_folder = end < len(parts)
        if any(_rule_matches(rule, "/".join(parts[:end]), is_folder, budget) for rule in rules):
            return True
    return False


def _rule_matches(rule: str, path: str, is_folder: bool, budget: Budget) -> bool:
    if rule.startswith("!"):
        return False
    if rule.endswith("/"):
        if not is_folder:
            return False
        rule = rule.rstrip("/")
    if "/" not in rule:
        path = path.rpartition("/")[2]
    return glob_matches(rule.removeprefix("/"), path, budget)
