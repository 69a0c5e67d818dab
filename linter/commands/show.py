"""`flint show`: prints the effective configuration in a file or directory, and the memory Flink derives from it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flink_flint.calculators.command_line.open_configuration import source_at
from flink_flint.linter.config.flint_config import flint_config_for, read_flint_config
from flink_flint.linter.engine.discovery import Problem, Source, find
from flink_flint.linter.engine.locations import mask_of
from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.secret_places import is_class_name, name_without_secrets
from flink_flint.linter.flink.secrets import HIDDEN, may_be_secret
from flink_flint.linter.model.document import Document, LayeredEntry
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.layers import ALONE, Relation, relate
from flink_flint.linter.model.safe_text import key_without_secrets, neutral, neutral_line
from flink_flint.linter.model.target import Target, target_of
from flink_flint.linter.output.memory.derived_memory import Process, derive, memory_object
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style, count, terminal_width, uses_color, wrap
from flink_flint.linter.text.named_tuple import NamedTuple

PrintMessage = Callable[..., None]


class Shown(NamedTuple):
    """A document with its effective configuration and the memory that Flink derives for each process."""

    document: Document
    settings: Mapping[str, LayeredEntry]
    """The settings of the document and of its base layers."""
    why: Mapping[int, str]
    """Why a document is a base layer, by its `id`."""
    target: Target
    configuration: Configuration
    error: str | None
    processes: Mapping[str, Process]


class ShowArguments(NamedTuple):
    """The arguments of `flint show`."""

    path: str
    show_secrets: bool
    output_format: str
    flink_version: str | None
    platform: str | None
    profile: str | None
    flint_config_file: str | None


def run_show(arguments: ShowArguments, print_message: PrintMessage) -> int:
    """Show the configuration at a path and return the exit status; raise ValueError for unusable input."""
    path = arguments.path
    sources = _sources(path, arguments.flink_version)
    for problem in sources:
        if isinstance(problem, Problem):
            print_message(f"{neutral_line(problem.path)}: {problem.message}")
    readable = sorted((source for source in sources if isinstance(source, Source)), key=lambda source: source.path)
    if not readable:
        if not sources:
            print_message(f"{path}: not a supported file")
        return 2
    named = arguments.flint_config_file
    flint_config = (read_flint_config(named) if named is not None else None) or flint_config_for(readable[0].path)
    documents = [document for source in readable for document in source.file_format.read(source.path, source.data)]
    relations = relate(documents, flint_config.links) if len(documents) > 1 else {}
    shown = []
    for place, document in enumerate(documents):
        relation = relations.get(place, ALONE)
        if len(documents) > 1 and not (document.whole or relation.below) and not document.entries:
            continue
        chosen = flint_config.for_path(document.path)
        target = target_of(
            document,
            flink_version=arguments.flink_version,
            preferred_version=chosen.flink_version,
            platform=arguments.platform or chosen.platform,
            profile=arguments.profile or chosen.profile,
            linked=relation.release,
            linked_platform=relation.platform,
        )
        shown.append(_show(document, target, relation))
    if not shown:
        print_message(f"{path}: contains no Flink configuration")
        return 2
    if arguments.output_format == "json":
        print(json.dumps(_object(shown, arguments.show_secrets), indent=1, ensure_ascii=False))
    else:
        style, width = Style(uses_color()), terminal_width()
        cut = sys.stdout.isatty() or "COLUMNS" in os.environ  # piped output is not shortened
        for place, one in enumerate(shown):
            if place:
                print()
            for line in _text(one, arguments.show_secrets, style, width, cut=cut):
                print(line)
    return 0


def _sources(path: str, flink_version: str | None) -> list[Source | Problem]:
    """Return the file at a path; for a directory the file Flink loads, otherwise everything deployments consist of."""
    if os.path.isdir(path) and not {FLINK_CONF, CONFIG_YAML} & set(os.listdir(path)) and (found := list(find([path]))):
        return found
    source = source_at(path, flink_version)
    return [] if source is None else [source]


def _show(document: Document, target: Target, relation: Relation) -> Shown:
    derived = derive(document, target, relation)
    why = {id(lower): relation.why.get(number, "") for number, lower in enumerate(relation.below)}
    return Shown(document, derived.settings, why, target, derived.configuration, derived.error, derived.processes)


def _settings(shown: Shown, show_secrets: bool) -> dict[str, str]:
    if shown.error is not None:
        return {}
    return {
        key if show_secrets else _name(key, one): one.entry.text if show_secrets else _value(key, one)
        for key, one in sorted(shown.settings.items())
    }


def _name(key: str, settings: LayeredEntry) -> str:
    """Return a key with secrets masked."""
    return mask_of(settings.document)(key_without_secrets(key))


def _value(key: str, settings: LayeredEntry) -> str:
    """Return a value with secrets masked."""
    text = settings.entry.text
    return HIDDEN if may_be_secret(key) and not is_class_name(text) else mask_of(settings.document)(text)


def _layer(shown: Shown, key: str) -> str:
    """Return the source of a setting that the document does not set directly: a typed field, another document."""
    entry, document = shown.settings[key]
    if document is shown.document:
        return entry.layer
    line = document.lines.position(entry.key_span.start).line
    parts = (shown.why.get(id(document), ""), entry.layer, f"{neutral_line(document.path)}:{line}")
    return ", ".join(part for part in parts if part)


def _warnings(shown: Shown) -> list[str]:
    return [neutral(mask_of(shown.document)(warning)) for warning in shown.document.warnings]


def _object(shown: list[Shown], show_secrets: bool) -> dict[str, Any]:
    documents = [
        {
            "path": one.document.path,
            "document": one.document.name and neutral(name_without_secrets(one.document.name)),
            "evidence": one.target.evidence,
            "settings": _settings(one, show_secrets),
            "layers": {
                _name(key, one.settings[key]): layer for key in sorted(one.settings) if (layer := _layer(one, key))
            },
            "warnings": _warnings(one),
            "error": one.error,
            "memory": memory_object(one.processes),
        }
        for one in shown
    ]
    release = shown[0].configuration.release
    return {"version": 1, "flink_version": str(release), "documents": documents}


def _text(shown: Shown, show_secrets: bool, style: Style, width: int, *, cut: bool) -> Iterator[str]:
    document, target = shown.document, shown.target
    name = f" ({neutral_line(name_without_secrets(document.name))})" if document.name else ""
    yield style.paint(BOLD, f"{neutral_line(document.path)}{name} as Flink {shown.configuration.release} reads it")
    source = f"release from {target.evidence}" if target.certain else f"release {target.evidence}"
    yield style.paint(DIM, wrap(source, width, "  "))
    if shown.error is not None:
        line = document.lines.position(document.refusals[0].span.start).line
        yield ""
        refused = style.severity(Severity.ERROR, "Flink refuses the file")
        yield wrap(f"{refused}, line {line}: {shown.error}", width, "  ")
        return
    yield ""
    yield from _table(shown, show_secrets, style, width, cut=cut)
    if warnings := _warnings(shown):
        yield ""
        yield style.paint(BOLD, "Flink would warn")
        for warning in warnings:
            yield "  " + wrap(warning, width - 2, "    ")
    for name, title in (("taskmanager", "TaskManager memory"), ("jobmanager", "JobManager memory")):
        if shown.processes[name] == (None, None):
            continue
        yield ""
        yield from _memory_text(shown.processes[name], title, style, width)


def _table(shown: Shown, show_secrets: bool, style: Style, width: int, *, cut: bool) -> Iterator[str]:
    settings = shown.settings if shown.error is None else {}
    if not settings:
        yield "  (no settings: every option has its default)"
        return
    yield style.paint(BOLD, count(len(settings), "setting"))
    names = {key: neutral_line(key if show_secrets else _name(key, one)) for key, one in sorted(settings.items())}
    longest = min(max(map(len, names.values())), max(24, width * 3 // 5))
    for key, name in names.items():
        entry, document = layered = settings[key]
        value = entry.text if show_secrets else _value(key, layered)
        line = str(document.lines.position(entry.key_span.start).line) if document is shown.document else ""
        remark = "; ".join(part for part in (_remark(shown.configuration, key), _layer(shown, key)) if part)
        shown_value = neutral_line(" ".join(value.split()))
        room = max(12, width - longest - 12 - (len(remark) + 2 if remark else 0))
        if cut and len(shown_value) > room:
            shown_value = shown_value[: room - 1] + "…"
        place = style.paint(DIM, f"{line:>5}")
        tail = f"  {style.paint(DIM, remark)}" if remark else ""
        # A key too long for its column has the line to itself, so that the values stay aligned.
        gap = f"\n{' ' * (longest + 7)}" if len(name) > longest else ""
        yield f"{place}  {style.paint(FRAME, f'{name:<{longest}}')}{gap}  {shown_value}{tail}".rstrip()


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


def _memory_text(process: Process, title: str, style: Style, width: int) -> Iterator[str]:
    yield style.paint(BOLD, title)
    if process.derived is None:
        yield "  " + wrap(process.error or "", width - 2, "  ")
        return
    from flink_flint.linter.output.memory.memory_bars import bars

    for line in bars(process.derived, width - 2, style.color):
        yield f"  {line}"
    yield style.paint(DIM, "  " + wrap(process.derived.jvm_args, width - 2, "  "))
