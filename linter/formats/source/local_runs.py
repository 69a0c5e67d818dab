"""Decides whether a program is written for a developer's own machine, by its constant addresses and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flink_flint.linter.formats.source.constant_folding import looked_up
from flink_flint.linter.formats.source.program_objects import Objects, is_in_branch
from flink_flint.linter.formats.source.program_tree import Node
from flink_flint.linter.model.local_addresses import are_local, hosts_in, is_developers_path, is_scratch_path

_FILES = frozenset({
    *("readTextFile", "readFile", "readCsvFile", "forRowFormat", "forBulkFormat", "forRecordStreamFormat", "Path"),
    *("forBulkFileFormat", "forRecordFileFormat", "writeAsText", "writeAsCsv", "writeUsingOutputFormat"),
    *("fromLocalFile", "forPath", "for_record_stream_format", "for_row_format"),
})  # fmt: skip
"""Methods and classes whose text is the path of a source or sink."""
_LOOKUPS = (
    *("getenv", "getRequired", "getProperty", "fromPropertiesFile", "load", "loadConfig", "parse_args", "parseArgs"),
    *("fromSystemProperties", "getApplicationProperties"),
)
_SERVERS = ("setBootstrapServers", "setProperty", "put")
_WITH_DEFAULTS = ("add_argument", "option", "defaultValue", "addOption", "getOrElse", "orElse", "or")
_NAMES = ("environ", "args", "argv")


class LocalRuns:
    """Decides which jobs of a program are for a developer's own machine."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._texts = list(_texts(objects))
        self._lookups = list(_lookups(objects))

    def has(self, counts: Callable[[Node], bool]) -> bool:
        """Return whether a job uses a path of one developer's machine, or has none but local addresses and paths.

        Not if it looks up anything that has no default: what it is given when it is deployed counts. Only what counts
        belongs to the job.
        """
        if any(map(counts, self._lookups)):
            return False
        texts = [node for node in self._texts if counts(node)]
        if any(is_developers_path(node.value) for node in texts):
            return True
        values = [node.value for node in texts]
        if any(map(hosts_in, values)):
            return are_local(values)
        paths = [node.value for node in texts if _is_of_files(node)]
        return bool(paths) and all(map(is_scratch_path, paths))


def _texts(objects: Objects) -> Iterator[Node]:
    """Yield the texts of a program that are used as they are: no templates, and no defaults, such as of a parameter."""
    for node in objects.program.nodes:
        if node.kind != "text" or not isinstance(node.value, str) or "${" in node.value or is_in_branch(node):
            continue
        parent = node.parent
        if parent is None or (looked_up(parent) is None and parent.name not in _WITH_DEFAULTS):
            yield node


def _lookups(objects: Objects) -> Iterator[Node]:
    """Yield where a program gets a parameter, a file or the address of a server from elsewhere."""
    program = objects.program
    for name in _LOOKUPS:
        yield from (call for call in program.calls.get(name, ()) if looked_up(call) is None)
    for call in program.calls.get("get", ()):
        if len(call.args) == 1 and objects.class_of(call.target).endswith("ParameterTool"):
            yield call
    for name in _SERVERS:
        for call in program.calls.get(name, ()):
            key = objects.fold(call.args[0]) if len(call.args) == 2 else "bootstrap.servers"
            if key == "bootstrap.servers" and call.args and not isinstance(objects.fold(call.args[-1]), str):
                yield call
    for node in program.nodes:
        if node.kind == "index" and node.target is not None and node.target.name in _NAMES:
            yield node


def _is_of_files(node: Node) -> bool:
    """Return whether a text is an argument of what reads or writes files."""
    outer = node.parent
    for _ in range(3):
        if outer is None:
            return False
        if outer.kind in ("call", "new"):
            return outer.name in _FILES
        outer = outer.parent
    return False
