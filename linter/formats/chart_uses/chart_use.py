"""A release of a chart of the repository: the chart, and the values that it is installed with."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.formats.helm.parameters import Parameter, parameters_text
from flink_flint.linter.formats.helm.rendering.filled_in_values import FilledInText
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin
from flink_flint.linter.text.spans import Span

Read = Callable[[str], "bytes | None"]
"""A function from a path in the repository (with ``/``) to the contents of the file; None if there is no file."""

_TAGS = ("{{", "<%")


class UnknownValues(Exception):  # noqa: N818 - it says what is unknown
    """Raised if some values of a chart's release are unknown, because the deployed objects are then unknown too."""


class Values(NamedTuple):
    """One source of values for a chart: a file, or a text inside a file."""

    path: str
    text: FilledInText | None
    """The text inside the file at `path` that contains the values; None if the whole file does."""


class ChartUse(NamedTuple):
    """A release of a chart that a file of the repository describes."""

    chart: str
    """The path of the chart's folder in the repository."""
    values: tuple[Values, ...]
    """The values passed to the chart in addition to its own, in order; later ones override earlier ones."""
    source: str
    """The path of the file that describes the release of the chart."""
    name: str
    """The name of the chart's release; empty if it is unknown."""
    namespace: str


def inside(folder: str, path: str) -> str | None:
    """Convert a path relative to `folder` to one in the repository; return None if it is outside or unknown."""
    if not path or any(tag in path for tag in _TAGS) or "$" in path or "://" in path:
        return None
    normal = posixpath.normpath(path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path))
    if normal == ".":
        return ""
    return None if normal == ".." or normal.startswith("../") else normal


def local_chart(folder: str, path: str, read: Read) -> str | None:
    """Return the folder of a local chart, given its path relative to `folder`; None if there is no chart there."""
    chart = inside(folder, path)
    return None if chart is None or read(posixpath.join(chart, CHART)) is None else chart


def file_values(folder: str, path: str | None, read: Read) -> Values:
    """Return a values file, given its path relative to `folder`; raise `UnknownValues` if it cannot be read."""
    place = inside(folder, path) if path is not None else None
    data = read(place) if place else None
    if place is None or data is None or (place.endswith(".gotmpl") and b"{{" in data):
        raise UnknownValues
    return Values(place, None)


def text_values(path: str, extract: Extract) -> Values:
    """Return the values in a text inside a file; raise `UnknownValues` if the text has template tags."""
    if any(tag in extract.text for tag in _TAGS):
        raise UnknownValues
    return Values(path, FilledInText(Fragment(piece.text, Origin(path, piece.span)) for piece in extract.pieces))


def mapping_values(path: str, text: str, value: Value) -> Values:
    """Return the values in a mapping of a YAML file; raise `UnknownValues` if the mapping has template tags."""
    start, end = value.span
    if any(tag in text[start:end] for tag in _TAGS):
        raise UnknownValues
    column = start - (text.rfind("\n", 0, start) + 1)
    indent = " " * column if value.style != "flow" else ""
    written = Fragment(text[start:end], Origin(path, Span(start, end)))
    return Values(path, FilledInText((Fragment(indent, None), written)))


def single_values(path: str, text: str, parameters: Iterable[Parameter]) -> Iterator[Values]:
    """Yield the values that ``--set`` parameters define, if any; raise `UnknownValues` for parameters of lists."""
    parameters = list(parameters)
    if any("[" in one.name or one.value.startswith("{") for one in parameters):
        raise UnknownValues  # members of lists
    if parameters:
        yield text_values(path, parameters_text(text, parameters))


def yaml_parameters(listed: Value | None) -> Iterator[Parameter]:
    """Yield the parameters in a list of mappings with `name` and `value`; raise `UnknownValues` for other members."""
    for item in listed.items() if listed is not None else ():
        name, value = item.get("name"), item.get("value")
        if name is None or name.text is None or value is None or value.text is None:
            raise UnknownValues
        yield Parameter(name.text, name.span, value.text, value.span, is_text=item.string("forceString") == "true")
