"""A store of histories: where its files are, which of them count, and who may write.

Everything is written beside what is there; a manifest, written last, names the files that count. Readers take the
newest complete manifest, so that a killed import leaves the last good state. See docs/history.md for the layout.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

from pyarrow import fs

from calculators.history.files import join, place_of, read_bytes
from linter import __version__

FORMAT = 1
"""Rises when older readers can no longer use a store."""
SLICES = 16
"""Into how many parts jobs are divided, so that executors can share a day or a year between them."""

_ABOUT = "flint-history.json"
_MANIFESTS = "manifests"
_LOCK = "lock"
_DAY = 86_400


class File(NamedTuple):
    """A file of a store."""

    path: str
    """Below the store."""
    rows: int
    bytes: int


@dataclass
class Day:
    """The files of a day (UTC), by table, and what they hold."""

    samples: list[File] = field(default_factory=list)
    """Cleaned samples; empty once `compact` has let them go."""
    series: list[File] = field(default_factory=list)
    histograms: list[File] = field(default_factory=list)
    rollups: list[File] = field(default_factory=list)
    """Of five minutes, or of hours once the day has aged."""
    count: int = 0
    """How many samples it was made from."""
    digest: str = ""
    """Of the samples it was made from, whatever their order."""
    sealed: bool = False
    """Whether its samples are gone, so that late ones cannot be added."""

    @property
    def files(self) -> list[File]:
        return [*self.samples, *self.series, *self.histograms, *self.rollups]


@dataclass
class Manifest:
    """What counts in a store at a moment."""

    number: int = 0
    days: dict[str, Day] = field(default_factory=dict)
    """By date, ``2026-11-20``."""
    records: list[File] = field(default_factory=list)
    """What sources told besides samples."""
    quarantine: list[File] = field(default_factory=list)
    imports: list[dict[str, Any]] = field(default_factory=list)
    """What was imported, oldest first: ``source``, ``path``, ``time``, ``samples``, ``bad``, ``days``."""
    seen: dict[str, list[Any]] = field(default_factory=dict)
    """Files imported: path to name of the source, size, time of change, and the cluster they were imported for."""

    @property
    def files(self) -> Iterator[File]:
        for day in self.days.values():
            yield from day.files
        yield from self.records
        yield from self.quarantine


class Store:
    """A store at a path; nothing is read or made before a method is called."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/") or path

    def at(self, *names: str) -> str:
        """A path within the store."""
        return join(self.path, *names)

    def exists(self) -> bool:
        system, within = place_of(self.at(_ABOUT))
        return bool(system.get_file_info(within).type == fs.FileType.File)

    def create(self) -> None:
        """Make the store where there is none; raises ValueError where the folder holds something else."""
        if self.exists():
            self.check()
            return
        system, within = place_of(self.path)
        info = system.get_file_info(within)
        if info.type == fs.FileType.File:
            raise ValueError(f"{self.path}: is a file; --into wants the folder of a store")
        if info.type == fs.FileType.Directory:
            held = [
                one.base_name
                for one in system.get_file_info(fs.FileSelector(within))
                if one.base_name not in (_LOCK, _MANIFESTS)
            ]
            if held:
                raise ValueError(
                    f"{self.path}: is no store of flint and not empty ({sorted(held)[0]}); name an empty or new folder"
                )
        system.create_dir(within, recursive=True)
        about = {"format": FORMAT, "flint": __version__, "slices": SLICES}
        self.write(_ABOUT, json.dumps(about).encode())

    def check(self) -> None:
        """Raises ValueError where this is no store, or one this flint cannot read."""
        try:
            about = json.loads(read_bytes(self.at(_ABOUT)))
            found = about["format"]
        except FileNotFoundError:
            raise ValueError(
                f"{self.path}: is no store of flint; `flint history import SOURCE --into {self.path}` makes one"
            ) from None
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{self.at(_ABOUT)}: is damaged; restore it or import anew into a new folder") from None
        if found != FORMAT:
            raise ValueError(
                f"{self.path}: is a store of format {found} (made by flint {about.get('flint', '?')}); this flint "
                f"{__version__} reads format {FORMAT}"
            )

    def manifest(self) -> Manifest:
        """The newest complete manifest; an empty one where nothing was imported. Raises ValueError."""
        self.check()
        for number, name in reversed(self._manifests()):
            try:
                return _manifest(number, json.loads(read_bytes(self.at(_MANIFESTS, name))))
            except (ValueError, KeyError, TypeError, FileNotFoundError):
                continue  # half-written where a file system cannot rename, or just replaced
        return Manifest()

    def _manifests(self) -> list[tuple[int, str]]:
        """Number and file of all manifests, oldest first."""
        system, within = place_of(self.at(_MANIFESTS))
        found = system.get_file_info(fs.FileSelector(within, allow_not_found=True))
        names = [one.base_name for one in found if one.base_name.endswith(".json")]
        return sorted((int(name.partition("-")[0]), name) for name in names if name.partition("-")[0].isdigit())

    def commit(self, manifest: Manifest) -> Manifest:
        """Make a manifest count; raises ValueError where another run has written one meanwhile."""
        number = manifest.number + 1
        told = ValueError(
            f"{self.path}: another run changed the store meanwhile; nothing of this one counts, run it again"
        )
        if (newest := self._manifests()) and newest[-1][0] >= number:
            raise told
        name = f"{number:08d}-{uuid4().hex[:8]}.json"
        self.write(join(_MANIFESTS, name), json.dumps(_plain(manifest)).encode())
        # Whoever sees another of the same number withdraws: of two that meet, at most one stays, and none in silence.
        if [one for one in self._manifests() if one[0] >= number] != [(number, name)]:
            self._delete(join(_MANIFESTS, name))
            raise told
        manifest.number = number
        return manifest

    def write(self, name: str, content: bytes) -> File:
        """Write a file whole: beside its place first, then renamed. Raises ValueError where there is no room."""
        system, within = place_of(self.at(name))
        aside = f"{within}.{uuid4().hex[:8]}.tmp"
        try:
            system.create_dir(within.rpartition("/")[0], recursive=True)
            with system.open_output_stream(aside) as stream:
                stream.write(content)
            system.move(aside, within)
        except OSError as error:
            raise ValueError(f"{self.at(name)}: cannot be written: {_reason(error)}") from None
        return File(name, 0, len(content))

    def sweep(self, manifest: Manifest) -> int:
        """Delete what no manifest names: leftovers of runs that did not end. Returns how many files.

        Where no lock can be held, another run may be at work: what is younger than a day is left there.
        """
        counted = {file.path for file in manifest.files}
        system, within = place_of(self.path)
        locked = isinstance(system, fs.LocalFileSystem)
        start = len(within.rstrip("/")) + 1
        swept = 0
        for table in ("days", "records", "quarantine", "staging"):
            selector = fs.FileSelector(join(within, table), allow_not_found=True, recursive=True)
            for info in system.get_file_info(selector):
                old = locked or (info.mtime_ns or 0) < (time.time() - _DAY) * 1e9
                if info.type == fs.FileType.File and info.path[start:] not in counted and old:
                    system.delete_file(info.path)
                    swept += 1
        if locked and system.get_file_info(join(within, "staging")).type == fs.FileType.Directory:
            system.delete_dir(join(within, "staging"))
        for _, name in self._manifests()[:-3]:
            self._delete(join(_MANIFESTS, name))
        return swept

    def _delete(self, name: str) -> None:
        system, within = place_of(self.at(name))
        system.delete_file(within)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store for writing, where its file system can create a file exclusively (a local one can).

        Elsewhere `commit` finds the lost race. Raises ValueError while another run holds it; the lock of a process
        of this machine that is gone is taken over.
        """
        system, within = place_of(self.at(_LOCK))
        if not isinstance(system, fs.LocalFileSystem):
            yield
            return
        os.makedirs(os.path.dirname(within), exist_ok=True)
        mine = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": int(time.time())})
        while not _created(within, mine):
            holder = _holder(within)
            if holder is None:
                continue  # let go between the two looks
            if holder.get("host") == socket.gethostname() and not _alive(int(holder.get("pid", 0))):
                _break(within, holder)
                continue
            raise ValueError(
                f"{self.path}: process {holder.get('pid')} on {holder.get('host')} writes to it; wait for it, or "
                f"delete {within} if that process is gone"
            )
        try:
            yield
        finally:
            os.unlink(within)


def _created(path: str, content: str) -> bool:
    """Whether the lock is ours now: linked into place whole, so that nobody reads half of it."""
    aside = f"{path}.{os.getpid()}.{uuid4().hex[:8]}"
    with open(aside, "x", encoding="utf-8") as stream:
        stream.write(content)
    try:
        os.link(aside, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(aside)
    return True


def _holder(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as stream:
            held = json.load(stream)
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return held if isinstance(held, dict) else {}


def _break(path: str, holder: dict[str, Any]) -> None:
    """Take a dead process's lock away, unless somebody else just did: renaming succeeds for one of them."""
    aside = f"{path}.{uuid4().hex[:8]}"
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if _holder(aside) != holder and not os.path.exists(path):
        os.rename(aside, path)  # a living one's lock, made between the two looks
        return
    os.unlink(aside)


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _reason(error: OSError) -> str:
    text = error.strerror or str(error)
    if "No space left" in str(error):
        return "no space is left on the device; the store stands as it was, free some and run it again"
    return text


def _plain(manifest: Manifest) -> dict[str, Any]:
    return {"format": FORMAT, "flint": __version__, **asdict(manifest)}


def _manifest(number: int, plain: dict[str, Any]) -> Manifest:
    def files(found: list[Any]) -> list[File]:
        return [File(*one) for one in found]

    days = {
        name: Day(
            samples=files(day["samples"]),
            series=files(day["series"]),
            histograms=files(day["histograms"]),
            rollups=files(day["rollups"]),
            count=day["count"],
            digest=day["digest"],
            sealed=day["sealed"],
        )
        for name, day in plain["days"].items()
    }
    return Manifest(
        number=number,
        days=days,
        records=files(plain["records"]),
        quarantine=files(plain["quarantine"]),
        imports=plain["imports"],
        seen=plain["seen"],
    )
