"""Renders charts with the real `helm template`, only if the user requests it; no file in a repository can enable it."""

from __future__ import annotations

import posixpath
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.engine.rendering.isolated_programs import Programs, copy_files
from flink_flint.linter.engine.rendering.origins_of_lines import OwnLines, lines_of_keys, origins_of_lines
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, RenderedText
from flink_flint.linter.text.spans import Span

_SOURCE = regex(r"^---\n# Source: ([^\n]+)\n", re.MULTILINE)
_NAME = regex(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
"""Names of releases and namespaces; other texts could be options."""


def template(
    programs: Programs,
    folder: str,
    names: Iterable[str],
    values: Sequence[str],
    read: Callable[[str], bytes | None],
    *,
    release_name: str,
    namespace: str,
) -> str | None:
    """Return the output of `helm template` for a chart with the given values files; None if Helm fails or is missing.

    `names` are the paths of the chart's files; charts that are not in its folder become its subcharts.
    """
    if programs.helm is None:
        return None
    with tempfile.TemporaryDirectory(prefix="flint-") as temporary:
        top = Path(temporary)
        if not copy_files(((_inside(folder, name), name) for name in names), read, top / "chart"):
            return None
        names_given = [text if _NAME.fullmatch(text) else "release-name" for text in (release_name, namespace)]
        command = [programs.helm, "template", names_given[0], "chart", f"--namespace={names_given[1]}"]
        for number, text in enumerate(values):
            name = f"values-{number}.yaml"
            (top / name).write_text(str(text), encoding="utf-8", errors="surrogateescape", newline="")
            command += ["--values", name]
        return programs.output_of(command, top)


def _inside(folder: str, name: str) -> str:
    relative = posixpath.relpath(name, folder or ".")
    return f"charts/{relative.replace('../', '')}" if relative.startswith("../") else relative


def marked(
    output: str, own: Mapping[str, RenderedText], paths: Mapping[str, str], text_of: Callable[[str], str]
) -> Iterator[tuple[str, list[Fragment]]]:
    """Yield, for each object that Helm prints, the path of its template and its text as fragments with their origins.

    Lines that flint's `own` rendering of the template does not have are at the line of the template with the same key.
    Both mappings are by Helm's names of templates.
    """
    parts = _SOURCE.split(output)
    known = {name: OwnLines(text) for name, text in own.items()}
    keys: dict[str, dict[str, Span]] = {}
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        path = paths.get(name)
        if path is None:
            continue
        if path not in keys:
            keys[path] = lines_of_keys(text_of(path))
        lines = known.get(name) or OwnLines(RenderedText(()))
        yield path, origins_of_lines(content.rstrip("\n"), lines, path, keys[path])
