"""Saved responses of Flink's REST interface: JSON files, folders of JSON files, and tar archives of such folders.

A response rarely names its subject. Its path does if it follows that of the interface (``jobs/<id>/checkpoints.json``,
as the HistoryServer unpacks them); otherwise the names of the files next to it do: ``a_checkpoints.json`` is about the
job whose details are in ``a.json``, and in a folder with a single job, all responses are about that job.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pyarrow import fs

from flink_flint.calculators.history.file_access import head_of, open_bytes, place_of
from flink_flint.calculators.history.samples import Batch, Gathering
from flink_flint.calculators.history.sources.flink_rest.responses import About, Responses
from flink_flint.calculators.history.sources.recognition import Options, Source
from flink_flint.calculators.history.sources.rejection_reasons import BREAKS_OFF, EARLIEST
from flink_flint.linter.text.named_tuple import NamedTuple

NO_JSON = "response is not JSON"
TOO_LARGE = "response is too large to be one of Flink's"

_KEY = re.compile(rb'"([A-Za-z][\w-]*)"\s*:')
_DISTINCTIVE = (
    {b"jid", b"start-time"}, {b"jid", b"execution-config"}, {b"jid", b"plan"},
    {b"exceptionHistory"}, {b"root-exception"}, {b"slots-total"}, {b"memoryConfiguration"},
    {b"flink-version"}, {b"backpressure-level"}, {b"backpressureLevel"}, {b"min_pause", b"max_concurrent"},
    {b"trigger_timestamp", b"end_to_end_duration"}, {b"latest_ack_timestamp", b"num_acknowledged_subtasks"},
    {b"maxParallelism", b"subtasks"}, {b"counts", b"restored", b"in_progress"}, {b"jvm", b"classpath"},
    {b"job-accumulators"}, {b"user-accumulators"}, {b"taskmanager-id"}, {b"status-counts"}, {b"status-duration"},
)  # fmt: skip
"""Sets of fields that occur together only in responses of Flink."""
_LIST = re.compile(
    rb'\s*\[\s*(?:\{\s*"(?:key"\s*:\s*"[\w.:-]+"\s*,\s*"value"|id"\s*:\s*"[^"]+"\s*(?:\}|,\s*"(?:value|min|max|avg|sum)"))|\]\s*$)'
)
_JOBS = re.compile(rb'\s*\{\s*"jobs"\s*:\s*\[\s*(?:\]|\{\s*"id")')
_TAR = slice(257, 262)
_ID = r"[0-9a-f]{32}"
_PATH = re.compile(
    rf"(?:^|/)(?:jobs/(?P<job>{_ID})(?:/.*?vertices/(?P<vertex>{_ID})|/checkpoints/details/\d+/subtasks/(?P<part>{_ID}))?"
    r"|taskmanagers/(?P<tm>[^/]+?)(?=/|\.json$)|(?P<jobmanager>jobmanager)/(?:config|metrics)\.json)"
)
_LARGEST = 256 << 20
"""Maximum size of a response in bytes; the largest, of jobs with thousands of subtasks, have some ten million."""
_MAX_SIBLINGS = 5_000
"""Maximum number of files of a folder that are read to find the subject of a response."""


class Siblings(NamedTuple):
    """Facts from the other files in a response's folder that help to identify its subject."""

    jobs: dict[str, str]
    """The names of the folder's jobs, by job ID."""
    stems: dict[str, About]
    """The subject of each response in the folder, by file name without ``.json``."""
    time: int
    """The latest time in the folder's responses, in milliseconds since the epoch; 0 if they contain none."""
    detailed: frozenset[str]
    """The IDs of the jobs whose details are in the folder."""


def recognizes(path: str, head: bytes) -> bool:
    """Return whether a file looks like one response, or like a tar archive of responses."""
    if head[_TAR] == b"ustar":
        return _is_tar_of_responses(head)
    start = head.lstrip()[:1]
    if start == b"[":
        return _LIST.match(head) is not None
    if start != b"{":
        return False
    keys = set(_KEY.findall(head))
    return _JOBS.match(head) is not None or any(distinctive <= keys for distinctive in _DISTINCTIVE)


def _is_tar_of_responses(head: bytes) -> bool:
    """Return whether the first file of a tar archive is JSON; folders before it have no content."""
    for start in range(0, len(head) - 511, 512):
        name = head[start : start + 100].rstrip(b"\0")
        if head[start + 257 : start + 262] != b"ustar" or not name:
            return False
        if head[start + 156 : start + 157] != b"5":
            return name.endswith(b".json")
    return True


def read(path: str, options: Options) -> Iterator[Batch]:
    """Yield the samples and records of a file; raise ValueError if it contains no JSON document."""
    if head_of(path)[_TAR] == b"ustar":
        yield from _read_tar(path, options)
        return
    gathering = Gathering()
    content = _bytes(path)
    try:
        response = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{path}: not a response of Flink's REST interface: not a complete JSON document") from None
    folder = path.rpartition("/")[0]
    siblings = _siblings_in(folder or ".", _listing(folder or "."))
    responses = Responses(gathering, options)
    responses.detailed |= siblings.detailed - {_job_of(response)}
    time = options.time or siblings.time or _changed(path)
    responses.add(response, _about(path, _named_above(path, siblings), time), path)
    yield gathering.take()


def _bytes(path: str) -> bytes:
    with open_bytes(path) as stream:
        try:
            content = stream.read(_LARGEST + 1)
        except Exception as error:  # also of zlib, which is not an OSError
            raise ValueError(f"{path}: cannot be decompressed: {error}") from None
    if len(content) > _LARGEST:
        raise ValueError(f"{path}: {TOO_LARGE}")
    return content


def _changed(path: str) -> int:
    """Return when a file was last changed, in milliseconds since the epoch: about when its response was saved."""
    system, within = place_of(path)
    return int((system.get_file_info(within).mtime_ns or 0) // 1_000_000)


def _listing(folder: str) -> tuple[tuple[str, int, int], ...]:
    """Return the JSON files of a folder with their sizes and times of change."""
    system, within = place_of(folder)
    found = system.get_file_info(fs.FileSelector(within))
    names = sorted(
        (info.base_name, int(info.size or 0), int(info.mtime_ns or 0))
        for info in found
        if info.type == fs.FileType.File and ".json" in info.base_name
    )
    return tuple(names[:_MAX_SIBLINGS])


@lru_cache(maxsize=8)
def _siblings_in(folder: str, listing: tuple[tuple[str, int, int], ...]) -> Siblings:
    """Return what a folder's responses reveal about each other; cached, because each of its files needs it."""
    responses: dict[str, Any] = {}
    for name, size, _ in listing:
        path = f"{folder}/{name}"
        try:
            if size <= _LARGEST and _names_someone(head_of(path)):
                responses[name] = json.loads(_bytes(path))
        except (ValueError, RecursionError):
            continue
    return siblings_of(responses)


def _names_someone(head: bytes) -> bool:
    keys = set(_KEY.findall(head))
    return b"jid" in keys or b"now" in keys or b"memoryConfiguration" in keys or b"end-timestamp" in keys


def siblings_of(responses: Mapping[str, Any]) -> Siblings:
    """Return the facts that a folder's responses, keyed by file name, contain about each other's subjects."""
    jobs: dict[str, str] = {}
    stems: dict[str, About] = {}
    times = [0]
    detailed: set[str] = set()
    for name, response in responses.items():
        if not isinstance(response, dict):
            continue
        times += (time for key in ("now", "end-timestamp") if isinstance(time := response.get(key), int))
        given = response.get("name")
        if isinstance(response.get("jobs"), list):
            found = [job for job in response["jobs"] if isinstance(job, dict)]
            jobs |= {job["jid"]: job["name"] for job in found if _texts(job, "jid", "name")}
        elif _texts(response, "jid", "name"):
            jobs[response["jid"]] = response["name"]
            if "vertices" in response:
                detailed.add(response["jid"])
                stems[_stem(name)] = About(job=response["name"], job_id=response["jid"])
        elif _texts(response, "id", "name") and "maxParallelism" in response:
            stems[_stem(name)] = About(task=str(given), task_id=response["id"])
        elif _texts(response, "id") and "memoryConfiguration" in response:
            stems[_stem(name)] = About(tm=response["id"])
    return Siblings(jobs, stems, max(times), frozenset(detailed))


def _texts(response: Mapping[str, Any], *keys: str) -> bool:
    return all(isinstance(response.get(key), str) for key in keys)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".gz").removesuffix(".json")


def _job_of(response: object) -> str:
    """Return the id of the job that a response details; empty if there is none."""
    details = isinstance(response, dict) and "vertices" in response and isinstance(response.get("jid"), str)
    return str(response["jid"]) if details and isinstance(response, dict) else ""


def _named_above(path: str, siblings: Siblings) -> Siblings:
    """Return `siblings` with the job name from a response's path, which the HistoryServer keeps some folders up."""
    found = _PATH.search(path)
    if not found or not found["job"] or found["job"] in siblings.jobs:
        return siblings
    root = path[: found.start("job")].rstrip("/")
    for candidate in (f"{root}/{found['job']}.json", f"{root}/overview.json"):
        try:
            response = json.loads(_bytes(candidate))
        except (ValueError, RecursionError):
            continue
        above = siblings_of({candidate: response})
        if found["job"] in above.jobs:
            return siblings._replace(
                jobs={**siblings.jobs, found["job"]: above.jobs[found["job"]]}, time=siblings.time or above.time
            )
    return siblings


def _about(path: str, siblings: Siblings, time: int) -> About:
    """Return the subject of a file's response: from its path, from files whose name it continues, or the only job."""
    about = About(time=time)
    found = _PATH.search(path)
    if found:
        vertex = found["vertex"] or found["part"] or ""
        about = About(
            job=siblings.jobs.get(found["job"] or "", ""),
            job_id=found["job"] or "",
            task=next((one.task for one in siblings.stems.values() if vertex and one.task_id == vertex), ""),
            task_id=vertex,
            tm=(found["tm"] or "").replace("%3A", ":"),
            jobmanager=bool(found["jobmanager"]),
            time=time,
        )
        return about
    stem = _stem(path)
    for longer in _starts(stem):
        given = siblings.stems.get(longer)
        if given is None:
            continue
        about = about._replace(
            **{name: value for name, value in given._asdict().items() if value and not getattr(about, name)}
        )
    about = about._replace(jobmanager="jobmanager" in stem)
    if not (about.job_id or about.tm or about.jobmanager) and len(siblings.jobs) == 1:
        job_id, job = next(iter(siblings.jobs.items()))
        about = about._replace(job=job, job_id=job_id)
    return about


def _starts(stem: str) -> Iterator[str]:
    """Yield a file's name and its beginnings, longest first: ``a_b_c``, ``a_b``, ``a``."""
    yield stem
    for place in range(len(stem) - 1, 0, -1):
        if stem[place] in "_-.":
            yield stem[:place]


def _read_tar(path: str, options: Options) -> Iterator[Batch]:
    gathering = Gathering()
    folders: dict[str, dict[str, tuple[bytes, int]]] = {}
    for name, content, changed in _members(path, gathering):
        folder, _, file = name.rpartition("/")
        folders.setdefault(folder, {})[file] = (content, changed)
    if not folders:
        raise ValueError(f"{path}: the archive contains no responses of Flink's REST interface")
    responses = Responses(gathering, options)
    parsed = [
        (folder, dict(_parsed(files, f"{path}#{folder}", gathering)), max(changed for _, changed in files.values()))
        for folder, files in folders.items()
    ]
    all_siblings = [siblings_of(found) for _, found, _ in parsed]
    # Snapshots in the order in which they were taken, so that a record shows since when it applies.
    order = sorted(range(len(parsed)), key=lambda place: all_siblings[place].time or parsed[place][2])
    names = {job_id: job for siblings in all_siblings for job_id, job in siblings.jobs.items()}
    for place in order:
        folder, found, changed = parsed[place]
        siblings = all_siblings[place]._replace(jobs=all_siblings[place].jobs or names)
        responses.detailed = set(siblings.detailed)
        for file, response in sorted(found.items()):
            inside = f"{folder}/{file}"
            responses.add(
                response, _about(inside, siblings, options.time or siblings.time or changed), f"{path}#{inside}"
            )
        if gathering.full:
            yield gathering.take()
    yield gathering.take()


def _members(path: str, gathering: Gathering) -> Iterator[tuple[str, bytes, int]]:
    """Yield the JSON files of a tar archive with their times of change (milliseconds since the epoch)."""
    with open_bytes(path) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    if not member.isfile() or not member.name.endswith(".json"):
                        continue
                    if member.size > _LARGEST:
                        gathering.reject(f"{path}#{member.name}", TOO_LARGE, "")
                        continue
                    content = archive.extractfile(member)
                    if content is not None:
                        yield member.name, content.read(), max(int(member.mtime * 1000), EARLIEST)
        except Exception as error:  # of tarfile, zlib and the file system
            gathering.reject(path, BREAKS_OFF, str(error))


def _parsed(files: Mapping[str, tuple[bytes, int]], where: str, gathering: Gathering) -> Iterable[tuple[str, Any]]:
    for file, (content, _) in files.items():
        try:
            yield file, json.loads(content)
        except (ValueError, RecursionError):
            gathering.reject(f"{where}/{file}", NO_JSON, content[:200].decode("utf-8", "replace"))


# A few snapshots must not replace the whole day that a reporter recorded.
SOURCE = Source("flink-rest", "saved responses of Flink's REST interface", 25, recognizes, read)
