"""Finds the files to check: those named as arguments, standard input, and those of the surrounding projects."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.config.flint_config import FlintConfigFile, ReadFile, flint_config_for
from flink_flint.linter.engine.check_run import may_decide
from flink_flint.linter.engine.discovery import HEAD, LARGEST_FILE, AnySource, Problem, Skipped, Source, find, source_of
from flink_flint.linter.filesystem import user_cache
from flink_flint.linter.flink.file_loading import encoding_of
from flink_flint.linter.output import WITH_EDITS

if TYPE_CHECKING:
    from flink_flint.linter.commands.check_arguments import CheckArguments
    from flink_flint.linter.commands.errors import PrintMessage
    from flink_flint.linter.engine.project_files import Around
    from flink_flint.linter.revisions.base_revision import Gather
    from flink_flint.linter.revisions.finding_filters import Change


def gathering(arguments: CheckArguments) -> Gather:
    """Return a function that finds the files to check in other paths, with the arguments of this run."""

    def gather(
        paths: Sequence[str], named: FlintConfigFile | None, root: str | None, read: ReadFile | None
    ) -> Iterator[Source | Problem]:
        return sources_of(paths, arguments, named or flint_config_for(paths[0], read), None, root, read)

    return gather


def sources_of(
    paths: Sequence[str],
    arguments: CheckArguments,
    flint_config: FlintConfigFile,
    skip: Callable[[Skipped], object] | None,
    root: str | None = None,
    read: ReadFile | None = None,
    tracked: Collection[str] = (),
    unsaved: dict[str, bytes] | None = None,
) -> Iterator[Source | Problem]:
    """Yield the files to check in `paths`, without those that the configuration or the arguments exclude.

    Without a configuration file, patterns are relative to `root`, by default the current folder. `read` reads the
    ignore files, by default from the disk. They do not hide files that are `tracked`. Standard input that is not
    Flink's by itself, but has the name of a file that a chart may be made of, is added to `unsaved`.
    """
    exclude = (*flint_config.exclude, *arguments.exclude)
    force = arguments.force_exclude or flint_config.force_exclude
    if "-" in paths:
        found = _stdin(arguments.stdin_filename, flint_config, passes_on=arguments.fix, unsaved=unsaved)
        if found is not None:
            yield found
    named = [path for path in paths if path != "-"]
    for path in named:
        if not os.path.lexists(path):
            yield Problem(path, "no such file or folder")
    existing = [path for path in named if os.path.lexists(path)]
    folder = root if root is not None and flint_config.path is None else flint_config.folder
    yield from find(
        existing,
        exclude=exclude,
        force_exclude=force,
        root=folder,
        skip=skip,
        read_ignores=read,
        tracked=tracked,
        kind_of=flint_config.kind_of if flint_config.values.get("files") else None,
    )


def named_places(sources: Sequence[Source | Problem], paths: Sequence[str], unsaved: Collection[str]) -> frozenset[str]:
    """Return the absolute paths of the checked files and folders; those of folders end in a separator.

    Empty if none of them is Flink's, or may decide what a chart or kustomization renders to.
    """
    places = {os.path.abspath(source.path) for source in sources}
    deciding = {os.path.abspath(path) for path in paths if os.path.isfile(path) and may_decide(path)}
    if not (deciding or unsaved or any(isinstance(source, Source) for source in sources)):
        return frozenset()
    folders = {os.path.join(os.path.abspath(path), "") for path in paths if path != "-" and os.path.isdir(path)}
    return frozenset({*places, *deciding, *unsaved, *folders})


def around_files(
    places: Collection[str],
    paths: Sequence[str],
    arguments: CheckArguments,
    named: FlintConfigFile | None,
    outputs: Sequence[tuple[str, str | None]],
    print_message: PrintMessage,
) -> Around:
    """Return the other files of the projects that contain the checked files; report projects that are too large.

    `named` is the configuration given by `--flint-config`, which applies to all projects.
    """
    from flink_flint.linter.engine.project_files import files_around

    if arguments.no_cache:
        user_cache.turn_off()
    edits = arguments.fix or arguments.diff or any(name in WITH_EDITS for name, _ in outputs)
    found = files_around(
        places,
        (_place_of_stdin(arguments) if path == "-" else path for path in paths),
        flint_config=named,
        exclude=arguments.exclude,
        uses_cache=not arguments.no_cache,
        documents=not edits,  # fixes are proved by reading all files again
    )
    for root in found.too_large:
        _say_too_large(root, print_message)
    return found


def _say_too_large(root: str, print_message: PrintMessage) -> None:
    print_message(f"{root}: too large a project to read around what is checked", kind="info")


def around_change(
    places: frozenset[str],
    paths: Sequence[str],
    arguments: CheckArguments,
    named: FlintConfigFile | None,
    change: Change,
    print_message: PrintMessage,
) -> Sequence[AnySource]:
    """Return the other files of the project around the checked ones, found with the base revision's configuration."""
    if not places:
        return []
    around = others_around(paths, arguments, named, places, change.settings, change.changes.tracked)
    if around is None:
        _say_too_large(change.changes.top, print_message)
    return around or []


def others_around(
    paths: Sequence[str],
    arguments: CheckArguments,
    named: FlintConfigFile | None,
    known: Collection[str],
    read: ReadFile | None,
    tracked: Collection[str],
) -> list[AnySource] | None:
    """Return the files of the projects around `paths`, except `known` ones; None if there are too many to read."""
    from flink_flint.linter.engine.project_files import others, roots_around

    found = (
        source
        for root in roots_around(paths)
        for source in sources_of([root], arguments, named or flint_config_for(root, read), None, None, read, tracked)
    )
    return others(found, known)


def _place_of_stdin(arguments: CheckArguments) -> str:
    """Return a path in the folder that standard input counts as part of."""
    return arguments.stdin_filename or os.path.join(os.curdir, "-")


def _stdin(
    name: str | None, flint_config: FlintConfigFile, *, passes_on: bool, unsaved: dict[str, bytes] | None
) -> Source | Problem | None:
    """Return what is read from standard input, recognized by its content and, if it has one, its name.

    What is not Flink's is written to standard output as it is with `passes_on`, as by any filter.
    """
    from flink_flint.linter.formats import is_candidate

    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if name is None:
        from flink_flint.linter.formats.standard_input import recognize_text

        text = data[:HEAD].decode(encoding_of(data), "replace").removeprefix("\ufeff")
        found = recognize_text(text)
        source = source_of(found.name, data, recognized=found.recognized) if found is not None else None
    else:
        kind = flint_config.kind_of(name)
        is_input = unsaved is not None and may_decide(name)
        if kind is None and not is_candidate(os.path.basename(name)) and not is_input:
            return Problem(name, "not a supported file; name it with --stdin-filename, as config.yaml")
        source = source_of(name, data, kind=kind)
        if source is None and is_input and unsaved is not None:
            unsaved[os.path.abspath(name)] = data
    if source is None and passes_on:
        sys.stdout.buffer.write(data)
    return source
