"""The interface of sources, and finding the source that reads a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from flink_flint.calculators.history.file_access import files_inside, head_of
from flink_flint.calculators.history.samples import Batch
from flink_flint.linter.text.named_tuple import NamedTuple


class Options(NamedTuple):
    """Options for sources from the command line; sent to executors unchanged."""

    cluster: str = ""
    """The cluster all samples belong to; else the source's own labels say, else ``default``."""
    cluster_label: str = ""
    """The label that names the cluster, where the reporter's or scraper's labels carry one."""
    time: int = 0
    """Milliseconds since the epoch for samples that carry no time of their own (0: the file's own time)."""


class Source(NamedTuple):
    """A kind of file that contains samples."""

    name: str
    """``prometheus-answers``."""
    title: str
    """What people call it: ``answers of Prometheus' query_range``."""
    priority: int
    """Which source counts where several hold the same series: the higher one."""
    recognizes: Callable[[str, bytes], bool]
    """Whether a file is of this kind, by its path and its first 4096 bytes (unpacked)."""
    read: Callable[[str, Options], Iterator[Batch]]
    """The batches of a file; a file that breaks off yields what came before and a `Bad`. Raises ValueError where
    nothing of it can be used."""


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
"""The modules of sources by their names, in the order of recognition: the most particular first."""


def sources() -> Iterator[Source]:
    """Return all kinds of files that contain samples."""
    for name in _MODULES:
        yield source(name)


def source(name: str) -> Source:
    """Return the source of a name; raises ValueError for an unknown one."""
    module = _MODULES.get(name.replace("_", "-"))
    if module is None:
        raise ValueError(f"no kind of source is called {name!r}; there are {', '.join(sorted(_MODULES))}")
    found = import_module(f"flink_flint.calculators.history.sources.{module}").SOURCE
    assert isinstance(found, Source)
    return found


_ASKED = {"prometheus": 60}
"""Sources that are asked over HTTP rather than read from files, with their priority."""


def priority_of(name: str) -> int:
    """Return the priority of a source by the name under which its samples are stored."""
    return _ASKED[name] if name in _ASKED else source(name).priority


class Found(NamedTuple):
    """The files below a path."""

    files: list[tuple[str, str]]
    """Source name and path."""
    unknown: list[str]
    """What no source recognizes."""


def find(path: str, only: str = "") -> Found:
    """Return the files below a path with their sources; `only` names the source for all. Raises ValueError."""
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
