"""A Helm release of a chart that is in the repository: the chart and the values passed to it."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Iterator

from flink_flint.linter.filesystem.folders import CHART
from flink_flint.linter.formats.helm.parameters import Parameter, parameters_text
from flink_flint.linter.formats.helm.rendering.filled_in_values import FilledInText
from flink_flint.linter.formats.helm.rendering.marked_text import MarkedText
from flink_flint.linter.formats.syntax.yaml_tree import Value
from flink_flint.linter.text.embedded_text import Extract
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

Read = Callable[[str], "bytes | None"]
"""A function that returns the contents of the file at a ``/``-separated path in the repository; None if missing."""

_TAGS = ("{{", "<%")
SEGMENT = regex(r"(?:[^.\\]|\\.)+")
"""A key in the name of a ``--set`` parameter, in which a backslash is before a dot that separates no keys."""
_MAX_SEGMENTS = 20


class UnknownValues(Exception):  # noqa: N818 - it says what is unknown
    """Raised if some values of a chart release are unknown, since the deployed objects are then unknown too."""


class Values(NamedTuple):
    """One source of values for a chart: a file, or text inside a file."""

    path: str
    text: MarkedText | None
    """The text inside the file that contains the values; None if the values are the whole file."""


class ChartUse(NamedTuple):
    """A chart release that is described by a file of the repository."""

    chart: str
    """The path of the chart's folder in the repository."""
    values: tuple[Values, ...]
    """The values passed to the chart in addition to its default values, in order; later ones override earlier ones."""
    source: str
    """The path of the file that declares the chart's release."""
    name: str
    """The name of the chart's release; empty if it is unknown."""
    namespace: str
    label: str = ""
    """What distinguishes the release from others of the same name, such as its name with that of the environment."""
    unknown: str = ""
    """Why the release may have other values, or another version of the chart, that are not known; empty if it has none.

    What they may set is not certain, so that nothing there is an error.
    """


def inside(folder: str, path: str) -> str | None:
    """Return the repository path for a path relative to `folder`; None if it is unknown or outside the repository."""
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
    """Return the values in text embedded in a file; raise `UnknownValues` if the text has template tags."""
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


def text_of_file(name: str, path: str, read: Read) -> Values:
    """Return the values that ``--set-file`` sets from a file's text; raise `UnknownValues` if `name` indexes a list."""
    try:
        text = (read(path) or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnknownValues from error
    keys = [segment.replace("\\.", ".") for segment in SEGMENT.findall(name)]
    if "[" in name or not keys or len(keys) > _MAX_SEGMENTS:
        raise UnknownValues
    start = Origin(path, Span(0, 0))
    fragments = [Fragment("".join("{" + json.dumps(key) + ": " for key in keys) + '"', start)]
    at = 0
    for line in text.splitlines(keepends=True):
        place = Origin(path, Span(at, at + len(line.rstrip("\r\n"))))
        fragments.append(Fragment(json.dumps(line, ensure_ascii=False)[1:-1], place))
        at += len(line)
    fragments.append(Fragment('"' + "}" * len(keys), start))
    return Values(path, MarkedText(fragments))


def moved_values(values: Values, path: str, made: RenderedText) -> Values:
    """Return values with their positions in the rendered text `made` converted to positions in its source files.

    `path` is the path under which the rendered text was read; positions in other files are kept.
    """
    if values.text is None:
        return values
    return values._replace(text=type(values.text)(made.moved(values.text.fragments, path)))


def single_values(path: str, text: str, parameters: Iterable[Parameter]) -> Iterator[Values]:
    """Yield the values that ``--set`` parameters define, if any; raise `UnknownValues` if one refers to a list."""
    parameters = list(parameters)
    if any("[" in one.name or one.value.startswith("{") for one in parameters):
        raise UnknownValues  # members of lists
    if parameters:
        yield text_values(path, parameters_text(text, parameters))


def yaml_parameters(listed: Value | None) -> Iterator[Parameter]:
    """Yield the parameters in a list of mappings with `name` and `value`; raise `UnknownValues` for other items."""
    for item in listed.items() if listed is not None else ():
        name, value = item.get("name"), item.get("value")
        if name is None or name.text is None or value is None or value.text is None:
            raise UnknownValues
        yield Parameter(name.text, name.span, value.text, value.span, is_text=item.string("forceString") == "true")
