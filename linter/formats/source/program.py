"""Base class of the formats for source code, which read each job as a document and edit only literals."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator

from flink_flint.linter.flink.file_loading import decode, encode
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.editing.insertion import promises
from flink_flint.linter.formats.source.async_operators import async_elements, function_elements
from flink_flint.linter.formats.source.clients.cdc_clients import cdc_elements
from flink_flint.linter.formats.source.clients.kafka_clients import kafka_elements
from flink_flint.linter.formats.source.clients.kinesis_clients import kinesis_elements
from flink_flint.linter.formats.source.clients.pulsar_clients import pulsar_elements
from flink_flint.linter.formats.source.clients.rabbitmq_clients import rabbitmq_elements
from flink_flint.linter.formats.source.conditions import ALWAYS, FLAG, LOCAL, OFF, Conditions
from flink_flint.linter.formats.source.dataflow.append_streams import append_elements
from flink_flint.linter.formats.source.dataflow.beam_pipelines import beam_elements
from flink_flint.linter.formats.source.dataflow.captured_objects import captured_elements
from flink_flint.linter.formats.source.dataflow.changelog_streams import changelog_elements
from flink_flint.linter.formats.source.dataflow.executions import execution_elements
from flink_flint.linter.formats.source.dataflow.function_faults import fault_elements
from flink_flint.linter.formats.source.dataflow.guarded_settings import guarded_elements
from flink_flint.linter.formats.source.dataflow.keyed_state import state_elements
from flink_flint.linter.formats.source.dataflow.keys import key_elements
from flink_flint.linter.formats.source.dataflow.kryo_values import kryo_elements
from flink_flint.linter.formats.source.dataflow.record_functions import record_elements
from flink_flint.linter.formats.source.dataflow.record_types import type_elements
from flink_flint.linter.formats.source.dataflow.repeated_ids import repeated_elements
from flink_flint.linter.formats.source.dataflow.stated_memory import memory_elements
from flink_flint.linter.formats.source.dataflow.unfinished_futures import future_elements
from flink_flint.linter.formats.source.dataflow.update_streams import update_elements
from flink_flint.linter.formats.source.dataflow.windows import dataflow_elements
from flink_flint.linter.formats.source.dataflow.worker_modules import module_elements
from flink_flint.linter.formats.source.embedded_sql import sql_elements
from flink_flint.linter.formats.source.jobs import Job, jobs_of, names_of
from flink_flint.linter.formats.source.list_state import list_state_elements
from flink_flint.linter.formats.source.local_runs import LocalRuns
from flink_flint.linter.formats.source.other_sinks import job_element, reads_bounded, sink_elements
from flink_flint.linter.formats.source.parameters import parameter_elements
from flink_flint.linter.formats.source.program_objects import Objects
from flink_flint.linter.formats.source.program_settings import Made, is_switch, made_settings, settings
from flink_flint.linter.formats.source.program_tree import Node, Program
from flink_flint.linter.formats.source.stateful_operators import operator_elements
from flink_flint.linter.formats.source.uncalled_functions import UncalledFunctions
from flink_flint.linter.formats.source.unexecuted_streams import executes_tables_alone
from flink_flint.linter.formats.syntax.tree_sitter_tree import ParseLimitError
from flink_flint.linter.model.document import Document, FileFormat, Ways
from flink_flint.linter.model.elements import SINKS, UNUSED, Attribute, Element
from flink_flint.linter.model.limits import leave_out
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Edit, Span

MAX_CHARACTERS = 400_000
"""The maximum number of characters in a source file; longer files are assumed to be generated and are not read."""

MAX_LINE_LENGTH = 4_000
"""The maximum number of characters in a line; a file with a longer line is assumed to be generated and not read."""

_BRACKET_SEQUENCE = regex(r"[\[({<\-!~](?:[ \t\r\n]*+[\[({<\-!~]){399}")
"""Matches sequences of brackets and signs that occur only in generated code and are slow to parse."""


class ProgramFormat(FileFormat):
    """Base class of the formats for programming languages, which read each job in a source file as a document."""

    kind = "source"

    @abstractmethod
    def program(self, path: str, text: str) -> Program:
        """Parse a source file as a program."""

    def parse(self, path: str, data: bytes) -> list[Document]:
        """Return a document for each job of a program; the main function's job is named after the main class."""
        text = decode(data, kind="config.yaml")[0]
        unread = [Document(path, text, self, ConfigurationFile(), syntax="map", whole=False)]
        if not _is_hand_written(text):
            return unread
        try:
            program = self.program(path, text)
        except ParseLimitError:
            leave_out("programs with broken syntax that the parser cannot recover from are not read")
            return unread
        documents = list(_documents(self, path, Objects(program)))
        program.forget()
        return documents

    def write(self, text: str, like: bytes) -> bytes:
        """Encode an edited `text` in the encoding of the original file, whose bytes are `like`."""
        return encode(text, like)

    def rename(self, document: Document, entry: Entry, key: str) -> Ways:
        """Return edits that change a key that is written as a string literal."""
        written = document.text[entry.key_span.start : entry.key_span.end]
        quoted = _quoted(key, written)
        if entry.layer or quoted is None:
            return ()
        edits = [Edit(entry.key_span, quoted)]
        return promises(document, edits, document.changes(entry, (key, entry.text)))

    def replace(self, document: Document, entry: Entry, value: str) -> Ways:
        """Return edits that replace a value that is written as a literal; a number of milliseconds stays a number."""
        new = _literal(value, entry.raw)
        if new is None or entry.overridden:
            return ()
        edits = [Edit(entry.value_span, new)]
        return promises(document, edits, {entry.key: value})

    def add(self, document: Document, key: str, value: str) -> Ways:
        """Return no edits, since only the program's author knows where to add a setting."""
        return ()

    def remove(self, document: Document, entry: Entry) -> Ways:
        """Return no edits, since only the program's author knows which settings the program needs."""
        return ()


_OF_MANAGED_SERVICE = ("KinesisAnalyticsRuntime", "application_properties.json")


def _documents(file_format: FileFormat, path: str, objects: Objects) -> Iterator[Document]:
    """Yield a document for each job of a program that declares something, and at least one."""
    program = objects.program
    conditions = Conditions(objects)
    made = [_by_default(one, conditions) for one in made_settings(objects)]
    made = [one for one in made if conditions.of(one.key_node) != LOCAL]
    declared = [*_elements(objects), *guarded_elements(objects, made)]
    elements = [one for one in (_conditional(one, conditions) for one in declared) if one is not None]
    main = next(iter(program.functions.get("main", ())), None)
    top = main.scope.enclosing("class") if main is not None else None
    first = next((node for node in program.nodes if node.kind == "class" and node.name), None)
    name = top.name if top is not None else first.name if first is not None and main is None else None
    jobs = jobs_of(objects, [one.key_node for one in made])
    uncalled, local_runs = UncalledFunctions(objects), LocalRuns(objects)
    yielded = False
    for job, title in zip(jobs, names_of(jobs, main, name or None), strict=True):

        def counts(node: Node, job: Job = job) -> bool:
            return job.contains(node) and conditions.of(node) != LOCAL

        found = settings(objects, (one for one in made if job.contains(one.key_node)))
        own_main = main if main is not None and job.contains(main) else None
        in_job = [one for one in elements if job.contains(program.node_at(one.span.start))]
        if own_main is not None and any(one.kind in SINKS for one in in_job) and executes_tables_alone(objects, counts):
            in_job = [one for one in in_job if one.kind not in SINKS]
        own = [
            *_of_job(objects, counts, in_job),
            *sql_elements(objects, counts),
            *parameter_elements(objects, (one for one in made if job.contains(one.key_node))),
            *job_element(objects, own_main, found.unknown, counts),
        ]
        if not own and not found.content.entries and (yielded or job is not jobs[-1]):
            continue
        yielded = True
        own = [_marked(one, objects, uncalled) for one in own]
        own.sort(key=lambda element: element.span)
        is_local = any(element.has("local-environment") for element in own)
        in_process = is_local or any(element.has("mini-cluster") for element in own)
        is_whole = len(jobs) == 1 or job.root.kind != "function"
        head = Span(0, 0) if first is None else first.name_span
        yield Document(
            path, program.text, file_format, found.content, syntax="map", name=title, elements=own, whole=False,
            span=head if is_whole else job.root.name_span,
            platform="local" if in_process else _platform_of(program.text),
            profile="development" if is_local or local_runs.has(counts) else None,
        )  # fmt: skip


def _platform_of(text: str) -> str | None:
    """Return the platform that a program gets its parameters from: Managed Service for Apache Flink alone has these."""
    return "msf" if any(name in text for name in _OF_MANAGED_SERVICE) else None


def _of_job(objects: Objects, counts: Callable[[Node], bool], elements: list[Element]) -> list[Element]:
    """Return the elements of a job, whose sinks say whether all that they get is bounded."""
    if not any(element.kind == "sink" for element in elements) or not reads_bounded(objects, counts):
        return elements
    return [
        Element(one.kind, one.name, one.span, {**one.attributes, "bounded": Attribute(True, one.span)})
        if one.kind == "sink"
        else one
        for one in elements
    ]


def _elements(objects: Objects) -> list[Element]:
    return [
        *async_elements(objects),
        *function_elements(objects),
        *kafka_elements(objects),
        *kinesis_elements(objects),
        *rabbitmq_elements(objects),
        *pulsar_elements(objects),
        *cdc_elements(objects),
        *dataflow_elements(objects),
        *record_elements(objects),
        *future_elements(objects),
        *fault_elements(objects),
        *state_elements(objects),
        *key_elements(objects),
        *beam_elements(objects),
        *type_elements(objects),
        *execution_elements(objects),
        *append_elements(objects),
        *update_elements(objects),
        *memory_elements(objects),
        *sink_elements(objects),
        *operator_elements(objects),
        *list_state_elements(objects),
        *module_elements(objects),
        *captured_elements(objects),
        *kryo_elements(objects),
        *repeated_elements(objects),
        *changelog_elements(objects),
    ]


def _by_default(made: Made, conditions: Conditions) -> Made:
    """Return a setting without its value if it is only made where somebody asks for it.

    A switch that a flag turns on is as unknown as the flag; of any other setting, the value is what is worth a check.
    """
    way = conditions.of(made.key_node)
    return made._replace(value=None) if way == OFF or (way == FLAG and is_switch(made)) else made


def _conditional(element: Element, conditions: Conditions) -> Element | None:
    """Return an element with its condition, if it has one; None if it does not exist in production."""
    way = conditions.at(element.span.start)
    if way == LOCAL:
        return None
    if way != ALWAYS and element.kind == "sink":
        attributes = {**element.attributes, "condition": Attribute(way, element.span)}
        return Element(element.kind, element.name, element.span, attributes)
    return element


def _marked(element: Element, objects: Objects, uncalled: UncalledFunctions) -> Element:
    """Return an element with the mark that nothing uses it, if it is in a function that nothing calls."""
    if element.kind in ("job", "parameter") or UNUSED in element.attributes:
        return element
    name = uncalled.name_at(objects.program.node_at(element.span.start))
    if name is None:
        return element
    return Element(
        element.kind, element.name, element.span, {**element.attributes, UNUSED: Attribute(name, element.span)}
    )


def _is_hand_written(text: str) -> bool:
    """Return whether source code may be handwritten; generated code takes too long to parse."""
    if len(text) > MAX_CHARACTERS or _BRACKET_SEQUENCE.search(text):
        leave_out(f"programs of more than {MAX_CHARACTERS:,} characters, or with very many brackets, are not read")
        return False
    if len(text) <= MAX_LINE_LENGTH or max(map(len, text.split("\n"))) <= MAX_LINE_LENGTH:
        return True
    leave_out(f"programs with lines of more than {MAX_LINE_LENGTH:,} characters are not read")
    return False


def _quoted(value: str, like: str) -> str | None:
    """Return a text as a string literal, quoted like another one, or None if that is not possible."""
    quote = like[:1]
    if quote not in ('"', "'") or like[:3] == quote * 3 or like[-1:] != quote or len(like) < 2 or "\n" in value:
        return None
    return quote + value.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote


def _literal(value: str, like: str) -> str | None:
    """Return a value as a literal of the same type as another one (string, number, or boolean), or None."""
    quoted = _quoted(value, like)
    if quoted is not None:
        return quoted
    if like in ("true", "false", "True", "False"):
        if value not in ("true", "false"):
            return None
        return value.capitalize() if like[0].isupper() else value
    number = re.fullmatch(r"-?[0-9][0-9_]*([lL]?)", like)
    new_number = re.fullmatch(r"(-?[0-9]+)(?: ?ms)?", value)
    if number is None or new_number is None:
        return None
    digits = new_number.group(1)
    suffix = number.group(1)
    if "_" in like and len(digits) > 4:
        digits = f"{int(digits):_}"
    return digits + suffix
