"""`flint show`: the effective configuration of a file or directory and its memory, as Flink will see it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from linter.discovery import Problem
from linter.document import Document
from linter.finding import Severity
from linter.flink.configuration import Configuration
from linter.flink.jobmanager_memory import JobManagerMemory, jobmanager
from linter.flink.memory_reader import MemoryRefused, MemoryUnknown
from linter.flink.secrets import HIDDEN, is_secret
from linter.flink.taskmanager_memory import TaskManagerMemory, taskmanager
from linter.locating import mask_of
from linter.preferences import preferences_for, read_preferences
from linter.reports.style import BOLD, DIM, FRAME, Style, count, terminal_width, wants_color, wrap
from linter.sizing.opening import source_at
from linter.target import Target, target_of

Say = Callable[..., None]

_TASKMANAGER_PARTS = (
    "process_size", "flink_size", "framework_heap", "task_heap", "managed", "framework_off_heap", "task_off_heap",
    "network", "metaspace", "overhead", "jvm_args",
)  # fmt: skip
_JOBMANAGER_PARTS = ("process_size", "flink_size", "heap", "off_heap", "metaspace", "overhead", "jvm_args")


class Shown(NamedTuple):
    """A document with what Flink makes of it."""

    document: Document
    target: Target
    configuration: Configuration
    error: str | None
    processes: Mapping[str, _Process]


class _Process(NamedTuple):
    """The memory of one process, or why there is none."""

    derived: TaskManagerMemory | JobManagerMemory | None
    error: str | None


def run_show(path: str, given: Mapping[str, Any], say: Say) -> int:
    """Show a path; the exit status. Raises ValueError for what nobody can use."""
    source = source_at(path, given["flink_version"])
    if source is None:
        say(f"{path}: not a kind of file flint reads")
        return 2
    if isinstance(source, Problem):
        say(f"{source.path}: {source.message}")
        return 2
    named = given["preferences_file"]
    preferences = (read_preferences(named) if named is not None else None) or preferences_for(source.path)
    chosen = preferences.for_path(source.path)
    shown = []
    for document in source.carrier.read(source.path, source.data):
        target = target_of(
            document,
            flink_version=given["flink_version"],
            preferred_version=chosen.flink_version,
            platform=given["platform"] or chosen.platform,
            profile=given["profile"] or chosen.profile,
        )
        shown.append(_show(document, target))
    if given["output_format"] == "json":
        print(json.dumps(_object(shown, given["show_secrets"]), indent=1, ensure_ascii=False))
    else:
        style, width = Style(wants_color()), terminal_width()
        cut = sys.stdout.isatty() or "COLUMNS" in os.environ  # what is piped on is wanted whole
        for one in shown:
            for line in _text(one, given["show_secrets"], style, width, cut=cut):
                print(line)
    return 0


def _show(document: Document, target: Target) -> Shown:
    index = target.indices[-1]
    configuration = Configuration(document.values(), target.release_at(index), yaml=document.yaml_in(index))
    mask = mask_of(document)
    error = mask(document.refusals[0].message) if document.refusals else None
    if error is not None:
        nothing = _Process(None, error)
        return Shown(document, target, configuration, error, {"taskmanager": nothing, "jobmanager": nothing})
    processes = {}
    for name, derive in (("taskmanager", taskmanager), ("jobmanager", jobmanager)):
        try:
            processes[name] = _Process(derive(configuration, containers=target.is_in_containers), None)
        except (MemoryRefused, MemoryUnknown) as refused:
            processes[name] = _Process(None, mask(str(refused)))
    return Shown(document, target, configuration, None, processes)


def _settings(shown: Shown, show_secrets: bool) -> dict[str, str]:
    if shown.error is not None:
        return {}
    settings = sorted(shown.document.settings().items())
    if show_secrets:
        return dict(settings)
    mask = mask_of(shown.document)
    return {key: HIDDEN if is_secret(key) else mask(value) for key, value in settings}


def _warnings(shown: Shown) -> list[str]:
    return [mask_of(shown.document)(warning) for warning in shown.document.warnings]


def _object(shown: list[Shown], show_secrets: bool) -> dict[str, Any]:
    documents = [
        {
            "path": one.document.path,
            "document": one.document.name,
            "evidence": one.target.evidence,
            "settings": _settings(one, show_secrets),
            "warnings": _warnings(one),
            "error": one.error,
            "memory": {
                "taskmanager": _memory_object(one.processes["taskmanager"], _TASKMANAGER_PARTS),
                "jobmanager": _memory_object(one.processes["jobmanager"], _JOBMANAGER_PARTS),
            },
        }
        for one in shown
    ]
    release = shown[0].configuration.release
    return {"version": 1, "flink_version": str(release), "documents": documents}


def _memory_object(process: _Process, parts: tuple[str, ...]) -> dict[str, Any]:
    return {**{part: getattr(process.derived, part, None) for part in parts}, "error": process.error}


def _text(shown: Shown, show_secrets: bool, style: Style, width: int, *, cut: bool) -> Iterator[str]:
    document, target = shown.document, shown.target
    name = f" ({document.name})" if document.name else ""
    yield style.paint(BOLD, f"{document.path}{name} as Flink {shown.configuration.release} reads it")
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
        yield ""
        yield from _memory_text(shown.processes[name], title, style, width)


def _table(shown: Shown, show_secrets: bool, style: Style, width: int, *, cut: bool) -> Iterator[str]:
    settings = _settings(shown, show_secrets)
    if not settings:
        yield "  (no settings: every option has its default)"
        return
    yield style.paint(BOLD, count(len(settings), "setting"))
    longest = min(max(map(len, settings)), max(24, width * 3 // 5))
    document = shown.document
    for key, value in settings.items():
        line = document.lines.position(document.effective[key].key_span.start).line
        remark = _remark(shown.configuration, key)
        shown_value = " ".join(value.split())
        room = max(12, width - longest - 12 - (len(remark) + 2 if remark else 0))
        if cut and len(shown_value) > room:
            shown_value = shown_value[: room - 1] + "…"
        place = style.paint(DIM, f"{line:>5}")
        tail = f"  {style.paint(DIM, remark)}" if remark else ""
        # A key too long for its column has the line to itself, so that the values stay in theirs.
        gap = f"\n{' ' * (longest + 7)}" if len(key) > longest else ""
        yield f"{place}  {style.paint(FRAME, f'{key:<{longest}}')}{gap}  {shown_value}{tail}".rstrip()


def _remark(configuration: Configuration, key: str) -> str:
    """What there is to say of a written key: who reads it, or why nobody does."""
    options = configuration.catalogue
    accepted = options.accept(key, configuration.index)
    if accepted is None:
        return "" if options.passes_through(key) else "not read by this release"
    if accepted.how in ("template", "map"):
        return ""
    if winner := configuration.outdone_by(key):
        return f"{winner} wins"
    return "" if accepted.how == "primary" else f"read as {accepted.option.key}"


def _memory_text(process: _Process, title: str, style: Style, width: int) -> Iterator[str]:
    yield style.paint(BOLD, title)
    if process.derived is None:
        yield "  " + wrap(process.error or "", width - 2, "  ")
        return
    from linter.reports.memory_bars import bars

    for line in bars(process.derived, width - 2, style.color):
        yield f"  {line}"
    yield style.paint(DIM, "  " + wrap(process.derived.jvm_args, width - 2, "  "))
