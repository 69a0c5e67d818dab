"""Remembers in the user's cache directory what the charts and kustomizations of a repository render to.

It counts only as long as nothing that it follows from has changed: the files of the run, the names of all files of the
repository, which of them say how something is deployed, and the files that were read for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.linter import __version__
from flink_flint.linter.engine.rendering.renderings import Memory, NotRendered, Rendered, Renderings
from flink_flint.linter.filesystem.file_marks import FOLDER, Mark, is_settled, mark_behind
from flink_flint.linter.filesystem.user_cache import cache_file, read_cache, write_cache
from flink_flint.linter.formats.purpose import READMES
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

if TYPE_CHECKING:
    from flink_flint.linter.engine.rendering.rendering_inputs import ProjectFiles

_LAYOUT = 1
"""Which layout of the content this module reads and writes."""


def recall(files: ProjectFiles) -> Renderings | None:
    """Return what is remembered of the repository, which may be nothing rendered; None if it has changed."""
    kept = cache_file(files.top, _NAME)
    content = None if kept is None else read_cache(kept, _tree(files))
    if content is None:
        return None
    sources, names, deploying, marks, rendered, failed, unseen = content
    if sources != _sources(files) or names != _names(files):
        return None
    if deploying is not None and deploying != files.deploying:
        return None
    if any(_mark(files, path) != mark for path, mark in marks.items()):
        return None
    return Renderings(
        list(map(_decode_rendered, rendered)), list(map(_decode_failed, failed)), files, (), frozenset(unseen)
    )


def remember(found: Renderings) -> None:
    """Write what was rendered, unless more decided on it than can be compared later, or has just been changed."""
    files = found.files
    kept, names = cache_file(files.top, _NAME), _names(files)
    if kept is None or names is None:
        return
    paths = sorted({*files.read_paths, *READMES})
    marks = {path: _mark(files, path) for path in paths}
    if not all(is_settled(mark[1]) for mark in marks.values()):
        return
    deploying = files.__dict__.get("deploying")  # None: nobody has asked for them
    rendered, failed = list(map(_encode_rendered, found.rendered)), list(map(_encode_failed, found.failed))
    content = [_sources(files), names, deploying, marks, rendered, failed, sorted(found.unseen)]
    write_cache(kept, _tree(files), content)


MEMORY = Memory(recall, remember)
"""The memory in the user's cache directory."""

_NAME = f"{__version__}-rendered"


def _tree(files: ProjectFiles) -> str:
    """Return what identifies the content: where the repository is, and where paths are shown from."""
    return f"{files.top} {os.getcwd()} {_LAYOUT}"


def _mark(files: ProjectFiles, path: str) -> Mark:
    """Return the mark of a file; of a folder, of which the names are compared, that it is one."""
    mark = mark_behind(os.path.join(files.top, path))
    return [FOLDER, 0, 0] if mark[0] == FOLDER else mark


def _sources(files: ProjectFiles) -> str:
    """Return the files of the run, as they are shown."""
    return "\n".join(f"{path}\0{shown}" for path, shown in files.shown_sources())


def _names(files: ProjectFiles) -> str | None:
    """Return the names of all files of the repository; None if more than those decide what is rendered."""
    names = files.names()
    return None if names is None else "\n".join(f"{folder}\0{'/'.join(inside)}" for folder, inside in names)


def _encode_rendered(one: Rendered) -> list[Any]:
    paths: dict[str, int] = {}
    texts: list[str] = []
    places: list[int] = []
    for fragment in one.text.fragments:
        texts.append(fragment.text)
        origin = fragment.origin
        if origin is None:
            places += (-1, 0, 0)
        else:
            places += (paths.setdefault(origin.path, len(paths)), *origin.span)
    return [
        one.path, one.label, texts, list(paths), places, *map(sorted, (one.inputs, one.values, one.holders)),
        one.templates, dict(one.plain_names), one.is_variant, one.is_certain, one.is_built,
    ]  # fmt: skip


def _decode_rendered(data: Sequence[Any]) -> Rendered:
    from flink_flint.linter.formats.syntax.yaml_tree import read_trees

    path, label, texts, paths, places, inputs, values, holders, templates, plain_names, *flags = data
    is_variant, is_certain, is_built = flags
    text = RenderedText(_fragments(texts, paths, places))
    trees = read_trees(text.text, is_rendered=not is_built) if texts else []
    return Rendered(
        path, label, text, frozenset(inputs), frozenset(values), frozenset(holders), templates, plain_names, trees,
        is_variant=is_variant, is_certain=is_certain, is_built=is_built,
    )  # fmt: skip


def _fragments(texts: Iterable[str], paths: Sequence[str], places: Sequence[int]) -> Iterable[Fragment]:
    each = iter(places)
    for text, path, start, end in zip(texts, each, each, each, strict=True):
        yield Fragment(text, Origin(paths[path], Span(start, end)) if path >= 0 else None)


def _encode_failed(one: NotRendered) -> list[Any]:
    return [one.path, one.reason, sorted(one.values), one.templates]


def _decode_failed(data: Sequence[Any]) -> NotRendered:
    path, reason, values, templates = data
    return NotRendered(path, reason, frozenset(values), templates)
