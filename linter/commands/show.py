"""`flint show`: prints the processes of deployments, their effective settings and memory, or compares two paths."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flink_flint.calculators.command_line.open_configuration import source_at
from flink_flint.linter.commands.errors import PrintMessage
from flink_flint.linter.config.flint_config import read_flint_config
from flink_flint.linter.engine.check_run import relations_of
from flink_flint.linter.engine.deployments import (
    Deployments,
    Place,
    configurations_of,
    deployments_of,
    place_of,
    read_project,
    sources_around,
)
from flink_flint.linter.engine.discovery import Problem, Source, find
from flink_flint.linter.engine.judging import target_for
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.secret_places import name_without_secrets
from flink_flint.linter.model.document import Document, LayeredEntry
from flink_flint.linter.model.layers import ALONE, Relation
from flink_flint.linter.model.processes.difference import differences
from flink_flint.linter.model.processes.process import Origin
from flink_flint.linter.model.safe_text import neutral, neutral_line
from flink_flint.linter.model.target import Target
from flink_flint.linter.output.deployments.printed_differences import Differences, Side
from flink_flint.linter.output.deployments.process_json import process_objects
from flink_flint.linter.output.deployments.process_text import (
    Page,
    Row,
    deployment_lines,
    head_lines,
    memory_lines,
    refused_lines,
    table_lines,
    warning_lines,
)
from flink_flint.linter.output.deployments.safe_values import SafeValues
from flink_flint.linter.output.memory.derived_memory import Process, derive, memory_object
from flink_flint.linter.output.terminal_style import BOLD, Style, count, terminal_width, uses_color
from flink_flint.linter.text.named_tuple import NamedTuple


class Shown(NamedTuple):
    """A document with its effective configuration and the memory that Flink derives for each process."""

    document: Document
    settings: Mapping[str, LayeredEntry]
    """The effective settings of the document and its base layers, by key."""
    why: Mapping[int, str]
    """The reason why each base layer applies to the document, by the `id()` of the layer's document."""
    target: Target
    configuration: Configuration
    error: str | None
    processes: Mapping[str, Process]


class ShowArguments(NamedTuple):
    """The arguments of `flint show`."""

    paths: tuple[str, ...]
    diff: bool
    show_secrets: bool
    output_format: str
    flink_version: str | None
    platform: str | None
    profile: str | None
    flint_config_file: str | None


class _Named(NamedTuple):
    """The files at a path that the user named, and the project around them."""

    sources: Sequence[Source]
    around: Sequence[Source]
    place: Place


def run_show(arguments: ShowArguments, print_message: PrintMessage) -> int:
    """Show the deployments at a path, or compare two paths, and return the exit status.

    Raises ValueError for unusable input.
    """
    if arguments.diff:
        return _run_diff(arguments, print_message)
    if len(arguments.paths) > 1:
        raise ValueError(f"flint show takes one path, not {len(arguments.paths)}; to compare two, use --diff")
    path = arguments.paths[0] if arguments.paths else "."
    options = _options(arguments)
    named = _named(path, arguments, options, print_message)
    if named is None:
        return 2
    project = read_project([*named.sources, *named.around], options)
    deployments = deployments_of(project, named.place, options)
    shown = _documents(named, project.read, options)
    if not shown and not deployments.found:
        print_message(f"{path}: contains no Flink configuration")
        return 2
    values = SafeValues(deployments, show_secrets=arguments.show_secrets)
    if arguments.output_format == "json":
        print(json.dumps(_object(shown, deployments, values), indent=1, ensure_ascii=False))
    else:
        for line in _text(shown, deployments, values, _page()):
            print(line)
    return 0


def _run_diff(arguments: ShowArguments, print_message: PrintMessage) -> int:
    """Print what differs between the processes of two paths; the exit status is 0 whether or not anything does."""
    if len(arguments.paths) != 2:
        raise ValueError(f"--diff compares two paths, not {len(arguments.paths)}: flint show --diff A B")
    options = _options(arguments)
    sides: list[Side] = []
    for path in arguments.paths:
        named = _named(path, arguments, options, print_message)
        if named is None:
            return 2
        project = read_project([*named.sources, *named.around], options)
        deployments = deployments_of(project, named.place, options)
        if not deployments.found:
            deployments = configurations_of(project, named.place, options)
        if not deployments.found:
            print_message(f"{path}: contains no Flink configuration")
            return 2
        sides.append(Side(path, deployments, SafeValues(deployments, show_secrets=arguments.show_secrets)))
    before, after = sides
    found = differences(before.deployments.compared, after.deployments.compared)
    printed = Differences(before, after, found)
    if arguments.output_format == "json":
        print(json.dumps(printed.object(), indent=1, ensure_ascii=False))
    else:
        for line in printed.lines(_page()):
            print(line)
    return 0


def _options(arguments: ShowArguments) -> Options:
    named = arguments.flint_config_file
    return Options(
        flink_version=arguments.flink_version,
        platform=arguments.platform,
        profile=arguments.profile,
        flint_config=read_flint_config(named) if named is not None else None,
        include_tests=True,
        rules=False,
    )


def _page() -> Page:
    cuts = sys.stdout.isatty() or "COLUMNS" in os.environ  # piped output is not shortened
    return Page(Style(uses_color()), terminal_width(), cuts)


def _named(path: str, arguments: ShowArguments, options: Options, print_message: PrintMessage) -> _Named | None:
    """Return the files at a path with the project around them; None, after a message, if none can be read."""
    found, is_folder = _sources(path, arguments.flink_version)
    for problem in found:
        if isinstance(problem, Problem):
            print_message(f"{neutral_line(problem.path)}: {problem.message}")
    sources = sorted((source for source in found if isinstance(source, Source)), key=lambda source: source.path)
    if sources or is_folder:
        around = sources_around([path], sources, options)
        if sources or around:
            return _Named(sources, around, place_of([path] if is_folder else [], sources))
    if not found:
        print_message(f"{path}: not a supported file")
    return None


def _sources(path: str, flink_version: str | None) -> tuple[list[Source | Problem], bool]:
    """Return the files at a path, and whether all files of a folder are meant.

    Of a configuration directory it is the file that Flink loads.
    """
    if os.path.isdir(path) and not {FLINK_CONF, CONFIG_YAML} & set(os.listdir(path)):
        if found := list(find([path])):
            return found, True
        if any(name.startswith("kustomization.") for name in os.listdir(path)):
            return [], True
    source = source_at(path, flink_version)
    return ([] if source is None else [source]), False


def _documents(named: _Named, read: Sequence[tuple[Document, Any]], options: Options) -> list[Shown]:
    """Return the documents of the named files, with their layers from the project."""
    paths = {source.path for source in named.sources}
    documents = [document for document, _ in read]
    relations = relations_of(documents, options)
    count_of_named = sum(document.path in paths for document in documents)
    shown = []
    for number, (document, flint_config) in enumerate(read):
        relation = relations.get(number, ALONE)
        if document.path not in paths:
            continue
        if count_of_named > 1 and not (document.whole or relation.below) and not document.entries:
            continue
        shown.append(_show(document, target_for(document, flint_config, options, relation), relation))
    return shown


def _show(document: Document, target: Target, relation: Relation) -> Shown:
    derived = derive(document, target, relation)
    why = {id(lower): relation.why.get(number, "") for number, lower in enumerate(relation.below)}
    return Shown(document, derived.settings, why, target, derived.configuration, derived.error, derived.processes)


# -- documents


def _settings(shown: Shown, values: SafeValues) -> dict[str, str]:
    if shown.error is not None:
        return {}
    return {values.key(key, one.document): values.entry(key, one) for key, one in sorted(shown.settings.items())}


def _layer(shown: Shown, key: str, values: SafeValues) -> str:
    """Return the source of a setting that the document does not set directly: a typed field, another document."""
    entry, document = shown.settings[key]
    if document is shown.document:
        return entry.layer
    place = values.place(Origin(document, entry.value_span, "", "", key, entry.key_span))
    parts = (shown.why.get(id(document), ""), entry.layer, neutral_line(place))
    return ", ".join(part for part in parts if part)


def _object(shown: Sequence[Shown], deployments: Deployments, values: SafeValues) -> dict[str, Any]:
    documents = [
        {
            "path": one.document.path,
            "document": one.document.name and neutral(name_without_secrets(one.document.name)),
            "evidence": one.target.evidence,
            "settings": _settings(one, values),
            "layers": {
                values.key(key, one.settings[key].document): layer
                for key in sorted(one.settings)
                if (layer := _layer(one, key, values))
            },
            "warnings": [neutral(values.text(warning, one.document)) for warning in one.document.warnings],
            "error": one.error,
            "memory": memory_object(one.processes),
        }
        for one in shown
    ]
    if shown:
        release = shown[0].configuration.release
    else:
        release = deployments.found[0].processes[0].configuration.release
    return {
        "version": 1,
        "flink_version": str(release),
        "documents": documents,
        "processes": process_objects(deployments, values),
    }


def _text(shown: Sequence[Shown], deployments: Deployments, values: SafeValues, page: Page) -> Iterator[str]:
    """Yield the deployments, and then the documents that are no part of them, such as jobs."""
    covered = {id(one) for deployment in deployments for one in deployments.documents_of(deployment)}
    sections = [deployment_lines(deployments, deployment, values, page) for deployment in deployments]
    sections += [
        _document_lines(one, values, page)
        for one in shown
        if id(one.document) not in covered and not deployments.replaces(one.document)
    ]
    for number, lines in enumerate(sections):
        if number:
            yield ""
        yield from lines


def _document_lines(shown: Shown, values: SafeValues, page: Page) -> Iterator[str]:
    document, target = shown.document, shown.target
    name = values.name(document) if document.name else None
    evidence = f"release from {target.evidence}" if target.certain else f"release {target.evidence}"
    yield from head_lines(document.path, name, shown.configuration.release, evidence, page)
    if shown.error is not None:
        yield from refused_lines(document, shown.error, page)
        return
    yield ""
    if not shown.settings:
        yield "  (no settings: every option has its default)"
    else:
        yield page.style.paint(BOLD, count(len(shown.settings), "setting"))
        yield from table_lines(list(_rows(shown, values)), page)
    yield from warning_lines(document, values, page)
    for role, title in (("taskmanager", "TaskManager memory"), ("jobmanager", "JobManager memory")):
        if shown.processes[role] != (None, None):
            yield from memory_lines(shown.processes[role], title, page)


def _rows(shown: Shown, values: SafeValues) -> Iterator[Row]:
    for key, one in sorted(shown.settings.items()):
        is_own = one.document is shown.document
        line = str(one.document.lines.position(one.entry.key_span.start).line) if is_own else ""
        notes = (_remark(shown.configuration, key), _layer(shown, key, values))
        remark = "; ".join(part for part in notes if part)
        value = neutral_line(" ".join(values.entry(key, one).split()))
        yield Row(line, neutral_line(values.key(key, one.document)), value, remark)


def _remark(configuration: Configuration, key: str) -> str:
    """Return a note on a written key: which option reads it, or why none does."""
    options = configuration.catalogue
    accepted = options.accept(key, configuration.index)
    if accepted is None:
        return "" if options.passes_through(key) else "not read by this release"
    if accepted.how in ("template", "map"):
        return ""
    if winner := configuration.overridden_by(key):
        return f"{winner} wins"
    return "" if accepted.how == "primary" else f"read as {accepted.option.key}"
