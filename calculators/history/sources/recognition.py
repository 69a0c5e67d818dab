"""The interface of sources, and the search for the source that reads a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from flink_flint.calculators.history.file_access import files_inside, head_of
from flink_flint.calculators.history.samples import Batch
from flink_flint.linter.text.named_tuple import NamedTuple


class Options(NamedTuple):
    """Command-line options for sources, sent to executors unchanged."""

    cluster: str = ""
    """The cluster of all samples; empty to use the cluster in the source's labels, or ``default`` without one."""
    cluster_label: str = ""
    """The name of the label that contains the cluster's name, if the source's labels include one."""
    time: int = 0
    """The time, in milliseconds since the epoch, for samples that have none; 0 to use the file's time."""


class Source(NamedTuple):
    """A kind of file that contains samples, with the functions that recognize and read it."""

    name: str
    """The name of the source on the command line and in the store: ``prometheus-answers``."""
    title: str
    """The description of the source for users: ``responses of Prometheus' query_range``."""
    priority: int
    """The rank of the source: if several sources contain the same series, the one with the highest rank is used."""
    recognizes: Callable[[str, bytes], bool]
    """A function that recognizes files of this kind by their path and their first 4096 bytes (decompressed)."""
    read: Callable[[str, Options], Iterator[Batch]]
    """A function that yields the batches of a file, given its path and the options.

    A truncated file yields what came before and a `Bad`. Raises ValueError if nothing of it is usable.
    """


_MODULES = {
    "canonical-parquet": "canonical.parquet_rows",
    "prometheus-answers": "prometheus.saved_responses",
    "victoriametrics-export": "prometheus.victoriametrics_export",
    "cloudwatch": "cloudwatch",
    "history-archive": "flink_rest.history_archive",
    "flink-rest": "flink_rest.saved_responses",
    "canonical-csv": "canonical.csv_rows",
    "canonical-json-lines": "canonical.json_lines_rows",
    "exposition": "exposition",
    "slf4j-log": "slf4j_log",
    "statsd": "statsd",
    "influx": "influx",
}
"""The modules of sources by their names, in the order of recognition: the most specific first."""


def sources() -> Iterator[Source]:
    """Yield the sources of all kinds of files that contain samples."""
    for name in _MODULES:
        yield source(name)


def source(name: str) -> Source:
    """Return the source called `name`; raise ValueError for an unknown name."""
    module = _MODULES.get(name.replace("_", "-"))
    if module is None:
        raise ValueError(f"unknown source {name!r}; valid sources are {', '.join(sorted(_MODULES))}")
    found = import_module(f"flink_flint.calculators.history.sources.{module}").SOURCE
    assert isinstance(found, Source)
    return found


_QUERIED = {"prometheus": 60}
"""Sources that are queried over HTTP rather than read from files, with their priorities."""


def priority_of(name: str) -> int:
    """Return the priority of a source by `name`, the name that is stored with its samples."""
    return _QUERIED[name] if name in _QUERIED else source(name).priority


class Found(NamedTuple):
    """The files at or under a path, divided into recognized and unrecognized ones."""

    files: list[tuple[str, str]]
    """The recognized files: pairs of source name and path."""
    unknown: list[str]
    """The paths of the files that no source recognizes."""


def find(path: str, only: str = "") -> Found:
    """Return the files at or under a path with the sources that read them; `only` names one source for all files.

    Raises ValueError for an unknown source, and if the path is not a file or folder.
    """
    files: list[tuple[str, str]] = []
    unknown: list[str] = []
    if only:
        return Found([(source(only).name, file) for file in files_inside(path)], [])
    known = list(sources())
    for file in files_inside(path):
        head = head_of(file)
        name = next((one.name for one in known if one.recognizes(file, head)), "")
        if name:
            files.append((name, file))
        else:
            unknown.append(file)
    return Found(files, unknown)
