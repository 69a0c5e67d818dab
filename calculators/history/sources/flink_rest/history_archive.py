"""Archives of the HistoryServer: one file per finished job, with the last responses of its REST interface.

The form is ``{"archive": [{"path": "/jobs/…", "json": "…"}, …]}``, with each response as a text (Flink's
``FsJsonArchivist``). Archives contain no time series: values per checkpoint become samples, and counters become one
sample at their end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from flink_flint.calculators.history.file_access import open_bytes
from flink_flint.calculators.history.samples import Batch, Gathering
from flink_flint.calculators.history.sources.flink_rest.responses import NO_SHAPE, About, Responses
from flink_flint.calculators.history.sources.flink_rest.settings import settings_of_cluster, settings_of_job
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF

_OPENING = re.compile(r'\s*\{\s*"archive"\s*:\s*\[')
_PATH = re.compile(r"/jobs/(?P<job>[0-9a-f]{32})(?P<rest>(?:/.*)?)$")
_SUBTASKS = re.compile(r"/checkpoints/details/\d+/subtasks/(?P<vertex>[0-9a-f]{32})$")
_VERTEX = re.compile(r"/vertices/[0-9a-f]{32}$")
_OF_JOB = ("", "/checkpoints", "/checkpoints/config", "/exceptions")
NO_JSON = "archived response is not JSON"
NO_ENTRY = "archive entry has no path and json"


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file starts like an archive of the HistoryServer."""
    return _OPENING.match(head.decode("utf-8", "replace").removeprefix("\ufeff")) is not None


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the checkpoint statistics, counters, configuration, topology, run and exceptions of archived jobs.

    Raises ValueError if the file is not an archive.
    """
    gathering = Gathering()
    text, broken = _text(path)
    if not _OPENING.match(text):
        raise ValueError(f'{path}: not an archive of the HistoryServer, which starts with {{"archive": [')
    found: dict[str, Any] = {}
    broken = _entries(text, path, found, gathering) or broken
    if broken:
        gathering.reject(path, BREAKS_OFF, text[-200:])
    _add_all(found, path, Responses(gathering, options), gathering)
    yield gathering.take()


def _text(path: str) -> tuple[str, bool]:
    """Return a file's text as far as it is readable, and whether it is truncated."""
    parts: list[bytes] = []
    with open_bytes(path) as stream:
        try:
            while part := stream.read1(1 << 20):  # type: ignore[attr-defined]
                parts.append(part)
        except Exception:  # also of zlib, which is not an OSError
            return b"".join(parts).decode("utf-8", "replace"), True
    return b"".join(parts).decode("utf-8", "replace").removeprefix("\ufeff"), False


def _entries(text: str, path: str, found: dict[str, Any], gathering: Gathering) -> bool:
    """Add the responses to `found` by path; return whether the archive is truncated."""
    opening = _OPENING.match(text)
    assert opening is not None
    position = opening.end()
    decoder = json.JSONDecoder()
    number = 0
    while True:
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1
        if text.startswith("]", position):
            return False
        try:
            entry, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return True
        number += 1
        try:
            where, response = str(entry["path"]), str(entry["json"])
        except (KeyError, TypeError, IndexError):
            gathering.reject(f"{path}#{number}", NO_ENTRY, str(entry)[:200])
            continue
        try:
            found[where] = json.loads(response)
        except (ValueError, RecursionError):
            gathering.reject(f"{path}#{where}", NO_JSON, response)


def _add_all(found: dict[str, Any], path: str, responses: Responses, gathering: Gathering) -> None:
    jobs = _jobs(found)
    for job_id, about in jobs.items():
        for rest in _OF_JOB:
            where = f"/jobs/{job_id}{rest}"
            if where in found:
                responses.add(found[where], about, f"{path}#{where}")
        settings = _settings(found, job_id, path, gathering)
        if settings:
            responses.configuration(settings, about, f"{path}#/jobs/{job_id}/config")
    for where, response in found.items():
        parts = _PATH.match(where)
        if parts is None:
            continue
        about = jobs[parts["job"]]
        subtasks = _SUBTASKS.match(parts["rest"])
        if subtasks:
            vertex = subtasks["vertex"]
            responses.add(
                response, about._replace(task_id=vertex, task=_vertex(found, parts["job"], vertex)), f"{path}#{where}"
            )
        elif _VERTEX.match(parts["rest"]):
            responses.add(response, about, f"{path}#{where}")


def _jobs(found: dict[str, Any]) -> dict[str, About]:
    """Return the jobs of an archive with their names and start times."""
    jobs = {parts["job"]: About(job_id=parts["job"]) for parts in map(_PATH.match, found) if parts}
    for job_id, about in jobs.items():
        for text in (found.get(f"/jobs/{job_id}"), *_overview(found, job_id), found.get(f"/jobs/{job_id}/config")):
            if isinstance(text, dict):
                start = text.get("start-time")
                about = about._replace(
                    job=about.job or str(text.get("name") or ""),
                    time=about.time or (start if isinstance(start, int) else 0),
                )
        jobs[job_id] = about
    return jobs


def _overview(found: dict[str, Any], job_id: str) -> list[Any]:
    overview = found.get("/jobs/overview")
    jobs = overview.get("jobs") if isinstance(overview, dict) else None
    return [job for job in jobs if isinstance(job, dict) and job.get("jid") == job_id] if isinstance(jobs, list) else []


def _vertex(found: dict[str, Any], job_id: str, vertex: str) -> str:
    """Return the name of a vertex; empty if it is unknown."""
    result = found.get(f"/jobs/{job_id}/vertices/{vertex}")
    return str(result.get("name") or "") if isinstance(result, dict) else ""


def _settings(found: dict[str, Any], job_id: str, path: str, gathering: Gathering) -> dict[str, Any]:
    """Return the settings of a job: its own, overriding those of its cluster."""
    settings: dict[str, Any] = {}
    for rest, settings_of in (("jobmanager/config", settings_of_cluster), ("config", settings_of_job)):
        where = f"/jobs/{job_id}/{rest}"
        if where not in found:
            continue
        try:
            settings |= settings_of(found[where])
        except (KeyError, TypeError, ValueError, AttributeError):
            gathering.reject(f"{path}#{where}", NO_SHAPE, "")
    return settings


# Ten checkpoints must not replace the whole day that a reporter recorded.
SOURCE = Source("history-archive", "archives of the HistoryServer", 20, recognizes, read)
