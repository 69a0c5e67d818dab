"""Formats deployments as text for `flint show`: facts about each process, its settings, and its memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from flink_flint.linter.engine.deployments import Deployment, Deployments
from flink_flint.linter.flink.memory.size_arithmetic import readable
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.finding import Severity
from flink_flint.linter.model.processes.process import (
    JOBMANAGER,
    TASKMANAGER,
    UNKNOWN_ROLE,
    Fact,
    Origin,
    Process,
    Value,
)
from flink_flint.linter.model.processes.reaching_services import as_text
from flink_flint.linter.model.safe_text import neutral, neutral_line
from flink_flint.linter.output.deployments.process_memory import memory_of
from flink_flint.linter.output.deployments.safe_values import SafeValues
from flink_flint.linter.output.memory.derived_memory import Process as Memory
from flink_flint.linter.output.terminal_style import BOLD, DIM, FRAME, Style, count, wrap
from flink_flint.linter.text.named_tuple import NamedTuple

_TITLES = {TASKMANAGER: "TaskManager memory", JOBMANAGER: "JobManager memory"}


class Page(NamedTuple):
    """The display options for text: style, width, and whether long values are cut."""

    style: Style
    width: int
    cuts: bool
    """Whether values that are too long for a line are truncated; False for piped output."""


class Row(NamedTuple):
    """A row of the settings table: an effective setting, or an overridden value of one."""

    line: str
    """The line number of the value in the table's file; empty if the value is from another file."""
    key: str
    value: str
    remark: str


def deployment_lines(deployments: Deployments, deployment: Deployment, values: SafeValues, page: Page) -> Iterator[str]:
    """Yield the lines that show one deployment."""
    printer = _Printer(deployments, deployment, values, page)
    yield from printer.head()
    if (error := deployment.processes[0].error) is not None:
        yield from refused_lines(deployment.document, values.text(error, deployment.document), page)
        return
    if parts := list(printer.parts()):
        yield ""
        yield from parts
    yield from printer.settings()
    yield from warning_lines(deployment.document, values, page)
    yield from printer.memory()


def head_lines(path: str, name: str | None, release: object, evidence: str, page: Page) -> Iterator[str]:
    """Yield the heading: the path and name, the release, and the evidence for the release."""
    named = f" ({neutral_line(name)})" if name else ""
    yield page.style.paint(BOLD, f"{neutral_line(path)}{named} as Flink {release} reads it")
    yield page.style.paint(DIM, wrap(neutral(evidence), page.width, "  "))


def refused_lines(document: Document, error: str, page: Page) -> Iterator[str]:
    """Yield the lines that say why Flink refuses the whole file."""
    line = document.lines.position(document.refusals[0].span.start).line
    yield ""
    refused = page.style.severity(Severity.ERROR, "Flink refuses the file")
    yield wrap(f"{refused}, line {line}: {error}", page.width, "  ")


def warning_lines(document: Document, values: SafeValues, page: Page) -> Iterator[str]:
    """Yield the warnings that Flink would log."""
    if document.warnings:
        yield ""
        yield page.style.paint(BOLD, "Flink would warn")
        for warning in document.warnings:
            yield "  " + wrap(neutral(values.text(warning, document)), page.width - 2, "    ")


def memory_lines(memory: Memory, title: str, page: Page) -> Iterator[str]:
    """Yield the lines with the memory of a process, or with the reason why it has none."""
    yield ""
    yield page.style.paint(BOLD, title)
    if memory.derived is None:
        yield "  " + wrap(memory.error or "", page.width - 2, "  ")
        return
    from flink_flint.linter.output.memory.memory_bars import bars

    for line in bars(memory.derived, page.width - 2, page.style.color):
        yield f"  {line}"
    yield page.style.paint(DIM, "  " + wrap(memory.derived.jvm_args, page.width - 2, "  "))


def table_lines(rows: Sequence[Row], page: Page) -> Iterator[str]:
    """Yield rows with aligned keys and values."""
    longest = min(max((len(row.key) for row in rows), default=0), max(24, page.width * 3 // 5))
    for row in rows:
        start = longest + 9
        is_below = page.cuts and start + len(row.value) + 2 + len(row.remark) > page.width
        room = max(12, page.width - start - (0 if is_below or not row.remark else len(row.remark) + 2))
        value = row.value if len(row.value) <= room or not page.cuts else f"{row.value[: room - 1]}…"
        # A key too long for its column has the line to itself, so that the values stay aligned.
        gap = f"\n{' ' * (longest + 7)}" if len(row.key) > longest else ""
        shown = page.style.paint(DIM, value) if not row.key else value
        key = page.style.paint(FRAME, f"{row.key:<{longest}}")
        tail = f"  {page.style.paint(DIM, row.remark)}" if row.remark and not is_below else ""
        yield f"{page.style.paint(DIM, f'{row.line:>5}')}  {key}{gap}  {shown}{tail}".rstrip()
        if row.remark and is_below:
            yield f"         {page.style.paint(DIM, wrap(row.remark, page.width, ' ' * 9, used=9))}"


class _Printer:
    def __init__(self, deployments: Deployments, deployment: Deployment, values: SafeValues, page: Page) -> None:
        self._deployments, self._deployment, self._values, self._page = deployments, deployment, values, page
        self._document = deployment.document
        self._path = deployments.head(deployment.document)[0]

    def head(self) -> Iterator[str]:
        target = self._deployment.target
        name = self._values.name(self._document) if self._document.name else None
        evidence = f"release from {target.evidence}" if target.certain else f"release {target.evidence}"
        release = self._deployment.processes[0].configuration.release
        yield from head_lines(self._path, name, release, evidence, self._page)

    # -- processes

    def parts(self) -> Iterator[str]:
        """Yield the processes and what belongs to them; nothing if only their settings are known."""
        rows = [(_label(one), ", ".join(self._described(one))) for one in self._deployment.processes]
        rows += [("file", text) for text in dict.fromkeys(self._files())]
        rows += [("service", text) for text in dict.fromkeys(self._services())]
        rows += [("job", text) for text in dict.fromkeys(self._jobs())]
        rows += [("unknown", neutral_line(text)) for text in self._unknown()]
        if all(not text for _, text in rows):
            return
        longest = max(len(name) for name, _ in rows)
        shown = ""
        for name, text in rows:
            label = f"{name if name != shown else '':<{longest}}"
            shown = name
            lines = wrap(text, self._page.width, " " * (longest + 4), used=longest + 4)
            yield f"  {self._page.style.paint(FRAME, label)}  {lines}".rstrip()

    def _described(self, process: Process) -> Iterator[str]:
        if process.name not in (process.role, "") and len(self._deployment.processes) > 1:
            yield neutral_line(process.name)
        if process.image is not None:
            image = self._text(process.image)
            yield f"image {image}" if process.dockerfile is None else f"image {image} built by {process.dockerfile}"
        elif process.dockerfile is not None:
            yield f"image built by {process.dockerfile}"
        yield from self._sizes(process)
        if process.ports:
            yield f"{'port' if len(process.ports) == 1 else 'ports'} {' '.join(process.ports)}"
        if process.service_account is not None:
            yield f"service account {self._text(process.service_account)}"

    def _sizes(self, process: Process) -> Iterator[str]:
        replicas, slots = process.replicas, process.slots
        is_stated = process.image is not None or (replicas is not None and replicas.origin is not None)
        number = replicas.value if replicas is not None and is_stated else None
        if isinstance(number, int):
            yield count(number, "replica")
        if slots is not None and isinstance(slots.value, int) and is_stated:
            yield f"{count(slots.value, 'slot')} each" if number != 1 else count(slots.value, "slot")
        if process.memory is not None and isinstance(process.memory.value, int):
            yield f"memory {readable(process.memory.value)}"
        if process.cpu is not None:
            yield f"CPU {self._text(process.cpu)}"

    def _text(self, fact: Fact) -> str:
        text = str(fact.value) if fact.value is not None else fact.origin.text if fact.origin is not None else "?"
        return neutral_line(self._values.text(text, self._document))

    def _files(self) -> Iterator[str]:
        for process in self._deployment.processes:
            release = process.configuration.release
            for file in process.files:
                if file.document is not None:
                    source = file.document.path
                    own = self._deployments.head(file.document)[0]
                    source = f"{own} ({file.source})" if file.source.startswith("ConfigMap") else own
                    unread = f", which Flink {release} does not read" if file.is_read is False else ""
                    yield neutral_line(f"{file.path} from {source}{unread}")

    def _services(self) -> Iterator[str]:
        for process in self._deployment.processes:
            for text in as_text(process.services):
                yield neutral_line(self._values.text(text, self._document))

    def _jobs(self) -> Iterator[str]:
        for job in self._deployment.processes[0].jobs:
            name = f" ({self._values.name(job)})" if job.name else ""
            yield neutral_line(f"{self._deployments.head(job)[0]}{name}")

    def _unknown(self) -> list[str]:
        found = (part.what for process in self._deployment.processes for part in process.unknown)
        return [self._values.text(part, self._document) for part in dict.fromkeys(found)]

    # -- settings

    def settings(self) -> Iterator[str]:
        """Yield the settings of all processes, and then those of each that others do not have."""
        processes = self._deployment.processes
        common = _common(processes)
        if not any(one.settings for one in processes):
            yield ""
            yield "  (no settings: every option has its default)"
            return
        groups = [("", common)]
        for process in processes:
            own = {key: value for key, value in process.settings.items() if key not in common}
            name = process.role if process.name in (process.role, "") else process.name
            groups.append((f" of {neutral_line(name)}", own))
        for title, settings in groups:
            if settings:
                yield ""
                is_all = len(processes) > 1 and not title and len(common) < len(processes[0].settings)
                where = " of all processes" if is_all else title
                yield self._page.style.paint(BOLD, f"{count(len(settings), 'setting')}{where}")
                yield from table_lines(list(self._rows(settings)), self._page)

    def _rows(self, settings: Mapping[str, Value]) -> Iterator[Row]:
        for key, value in settings.items():
            origin = value.origin
            line, place = self._placed(origin)
            read_as = f"read as {key}" if origin.key != key else ""
            remark = ", ".join(filter(None, (value.note, read_as, origin.layer, place)))
            name = neutral_line(self._values.key(origin.key, origin.document))
            yield Row(line, name, self._shown(origin), neutral_line(remark))
            for other in value.chain[1:]:
                if other.text != value.text:
                    line, place = self._placed(other)
                    as_key = self._values.key(other.key, other.document) if other.key != origin.key else ""
                    remark = ", ".join(filter(None, ("overridden", as_key, other.layer, place)))
                    yield Row(line, "", self._shown(other), neutral_line(remark))

    def _placed(self, origin: Origin) -> tuple[str, str]:
        """Return the line of a place in the file of the deployment, or its path and line in another one."""
        path, line = self._deployments.place(origin)
        return (str(line), "") if path == self._path else ("", f"{path}:{line}")

    def _shown(self, origin: Origin) -> str:
        return neutral_line(" ".join(self._values.setting(origin).split())) or "(unknown)"

    def memory(self) -> Iterator[str]:
        """Yield the memory of each process that has a memory model."""
        shown: set[object] = set()
        for process in sorted(self._deployment.processes, key=lambda one: one.role, reverse=True):
            memory = memory_of(self._deployment, process)
            known = (process.role, memory)
            if memory == (None, None) or known in shown:
                continue
            shown.add(known)
            others = [one for one in self._deployment.processes if one.role == process.role]
            name = f" of {neutral_line(process.name)}" if len(others) > 1 else ""
            yield from memory_lines(memory, f"{_TITLES[process.role]}{name}", self._page)


def _label(process: Process) -> str:
    """Return the role of a process, or "process" if nothing shows it."""
    return "process" if process.role == UNKNOWN_ROLE else process.role


def _common(processes: Iterable[Process]) -> dict[str, Value]:
    """Return the settings that all processes have with the same value from the same place."""
    first, *others = processes
    return {
        key: value
        for key, value in first.settings.items()
        if all(key in one.settings and one.settings[key].text == value.text for one in others)
    }
