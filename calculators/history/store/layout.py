"""The layout of a store: its files, the manifest that names the current files, and the write lock.

New files are written next to the existing ones; a manifest, written last, names the files that count. Readers use the
newest complete manifest, so that a killed import leaves the last good state. See docs/history.md for the layout.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from pyarrow import fs

from flink_flint.calculators.history.file_access import ABOUT_STORE as _ABOUT
from flink_flint.calculators.history.file_access import absolute, join, place_of, read_bytes, reason_of
from flink_flint.linter import __version__
from flink_flint.linter.text.named_tuple import NamedTuple

FORMAT = 1
"""The version of the store's layout, increased whenever older versions of flint can no longer read new stores."""
SLICES = 16
"""The number of slices that jobs are distributed over, so that executors can process a day in parallel."""

_MANIFESTS = "manifests"
_LOCK = "lock"
_ASIDE = ".tmp"
_KEPT = 3
"""Number of manifests to keep, as a reader may still use the one before the newest."""
_TABLES = ("days", "records", "quarantine", "staging", _MANIFESTS)
_DAY = 86_400


class File(NamedTuple):
    """The path, row count and size of a file in a store."""

    path: str
    """The path relative to the store."""
    rows: int
    bytes: int


@dataclass
class Day:
    """The files of a day (UTC) by table, and the number, digest and state of the samples they were computed from."""

    samples: list[File] = field(default_factory=list)
    """The files with the day's cleaned samples; empty once `compact` has deleted them."""
    series: list[File] = field(default_factory=list)
    histograms: list[File] = field(default_factory=list)
    rollups: list[File] = field(default_factory=list)
    """The files with the day's rollups, per five minutes or, once they have been condensed, per hour."""
    count: int = 0
    """The number of samples that the day's tables were computed from."""
    digest: str = ""
    """A digest of the day's samples, independent of their order."""
    sealed: bool = False
    """Whether the day's samples were deleted, so that late samples can no longer be added."""

    @property
    def files(self) -> list[File]:
        """All files of the day."""
        return [*self.samples, *self.series, *self.histograms, *self.rollups]

    @property
    def aged(self) -> bool:
        """Whether the day's tables were joined into the files of its month, ``days/2026-11/…``."""
        return any(len(file.path.split("/")[1]) == len("2026-11") for file in self.files)


@dataclass
class Manifest:
    """The current files of a store, its past imports, and the signatures of imported files."""

    number: int = 0
    days: dict[str, Day] = field(default_factory=dict)
    """The days that have data, by date such as ``2026-11-20``."""
    records: list[File] = field(default_factory=list)
    """The files with reported facts that are not samples, such as settings and topologies."""
    quarantine: list[File] = field(default_factory=list)
    imports: list[dict[str, Any]] = field(default_factory=list)
    """The imports, oldest first, each with ``source``, ``path``, ``time``, ``samples``, ``bad`` and ``days``."""
    seen: dict[str, list[Any]] = field(default_factory=dict)
    """The signature of each imported file, by path: its source, size, modification time, and cluster."""

    @property
    def files(self) -> Iterator[File]:
        """All files that the manifest names."""
        for day in self.days.values():
            yield from day.files
        yield from self.records
        yield from self.quarantine


class Store:
    """A history store at a path; constructing the object neither reads nor creates anything."""

    def __init__(self, path: str) -> None:
        if "?" in path and "://" in path:
            raise ValueError(f"{path}: a store's address accepts no parameters; set them in the environment")
        self.name = path
        """The path as it was given, for messages."""
        self.path = absolute(path.rstrip("/") or path)

    def at(self, *names: str) -> str:
        """Return the store's path joined with `names`."""
        return join(self.path, *names)

    def exists(self) -> bool:
        """Return whether the store exists."""
        system, within = place_of(self.at(_ABOUT))
        with self._readable():
            return bool(system.get_file_info(within).type == fs.FileType.File)

    def create(self) -> None:
        """Create the store if it does not exist; raise ValueError if the folder contains something else."""
        if self.exists():
            self.check()
            return
        system, within = place_of(self.path)
        info = system.get_file_info(within)
        if info.type == fs.FileType.File:
            raise ValueError(f"{self.path}: is a file; --into requires the folder of a store")
        if info.type == fs.FileType.Directory:
            held = [
                one.base_name
                for one in system.get_file_info(fs.FileSelector(within))
                if not one.base_name.startswith((_LOCK, _MANIFESTS, _ABOUT))
            ]
            if held:
                raise ValueError(
                    f"{self.path}: is not a flint store and not empty ({sorted(held)[0]}); name an empty or new folder"
                )
        about = {"format": FORMAT, "flint": __version__, "slices": SLICES}
        self.write(_ABOUT, json.dumps(about).encode())

    def check(self) -> None:
        """Raise ValueError if the path is not a store that this version of flint can read."""
        if (content := self._read(_ABOUT)) is None:
            raise ValueError(
                f"{self.path}: is not a flint store; create one with `flint history import SOURCE --into {self.path}`"
            )
        try:
            about = json.loads(content)
            found = about["format"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{self.at(_ABOUT)}: is damaged; restore it or import again into a new folder") from None
        if found != FORMAT:
            raise ValueError(
                f"{self.path}: is a store of format {found} (created by flint {about.get('flint', '?')}); flint "
                f"{__version__} reads format {FORMAT}"
            )

    def manifest(self) -> Manifest:
        """Return the newest complete manifest, or an empty one before the first import.

        Raises ValueError if the store cannot be read, or not by this version of flint.
        """
        self.check()
        for number, name in reversed(self._manifests()):
            if (content := self._read(join(_MANIFESTS, name))) is None:
                continue  # just replaced
            try:
                return _manifest(number, json.loads(content))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # half-written where a file system cannot rename
        return Manifest()

    def _read(self, name: str) -> bytes | None:
        """Return the content of a file; None if it does not exist. Raises ValueError if it cannot be read."""
        with self._readable(), suppress(FileNotFoundError, NotADirectoryError):
            return read_bytes(self.at(name))
        return None

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ValueError(f"{self.path}: cannot be read: {reason_of(error)}") from None

    def _manifests(self) -> list[tuple[int, str]]:
        """Return the number and file name of all manifests, oldest first."""
        system, within = place_of(self.at(_MANIFESTS))
        with self._readable():
            found = system.get_file_info(fs.FileSelector(within, allow_not_found=True))
        names = [one.base_name for one in found if one.base_name.endswith(".json")]
        return sorted((int(name.partition("-")[0]), name) for name in names if name.partition("-")[0].isdigit())

    def commit(self, manifest: Manifest) -> Manifest:
        """Commit a manifest and return it; raise ValueError if another run has committed one in the meantime."""
        result = ValueError(
            f"{self.path}: another run changed the store in the meantime; nothing from this run was saved, run it again"
        )
        # Damaged manifests do not count, but their numbers are taken.
        number = max((taken for taken, _ in self._manifests()), default=0) + 1
        if self.manifest().number != manifest.number:
            raise result
        name = f"{number:08d}-{uuid4().hex[:8]}.json"
        self.write(join(_MANIFESTS, name), json.dumps(_plain(manifest)).encode())
        # A run that finds another manifest with its number withdraws: at most one of two succeeds, and none silently.
        if [one for one in self._manifests() if one[0] >= number] != [(number, name)]:
            self._delete(join(_MANIFESTS, name))
            raise result
        manifest.number = number
        return manifest

    def is_current(self, name: str) -> bool:
        """Return whether a file is newer than the newest manifest; true if there is no manifest."""
        if not (manifests := self._manifests()):
            return True
        files = [place_of(self.at(one)) for one in (join(_MANIFESTS, manifests[-1][1]), name)]
        manifest, file = (system.get_file_info(within).mtime_ns or 0 for system, within in files)
        return file > manifest

    def write(self, name: str, content: bytes) -> File:
        """Write a file atomically, by renaming; raise ValueError if it cannot be written."""
        system, within = place_of(self.at(name))
        aside = f"{within}.{uuid4().hex[:8]}{_ASIDE}"
        try:
            system.create_dir(within.rpartition("/")[0], recursive=True)
            with system.open_output_stream(aside) as stream:
                stream.write(content)
            system.move(aside, within)
        except OSError as error:
            with suppress(OSError):
                system.delete_file(aside)
            raise self._unwritten(name, error) from None
        return File(name, 0, len(content))

    def _unwritten(self, name: str, error: OSError) -> ValueError:
        return ValueError(
            f"{self.at(name)}: cannot be written: {reason_of(error)}; the previous data is unchanged, run it "
            "again once that is fixed"
        )

    def sweep(self, manifest: Manifest) -> int:
        """Delete the files that `manifest` does not name, such as those of interrupted runs, and return their number.

        If the store cannot be locked, another run may be active: files younger than a day are then kept.
        """
        kept = {file.path for file in manifest.files}
        kept |= {join(_MANIFESTS, name) for _, name in self._manifests()[-_KEPT:]}
        system, within = place_of(self.path)
        locked = isinstance(system, fs.LocalFileSystem)
        start = len(within.rstrip("/")) + 1
        swept = 0
        folders = []
        for info in system.get_file_info(fs.FileSelector(within, allow_not_found=True, recursive=True)):
            name = info.path[start:]
            table, below, _ = name.partition("/")
            ours = table in _TABLES if below else name.endswith(_ASIDE) or name.startswith(f"{_LOCK}.")
            if not ours or name in kept:
                continue
            if info.type == fs.FileType.Directory:
                folders.append(info.path)
                continue
            # These are written before the lock is held.
            shared = not locked or name.startswith((_LOCK, _ABOUT))
            if not shared or (info.mtime_ns or 0) < (time.time() - _DAY) * 1e9:
                system.delete_file(info.path)
                swept += 1
        if locked:
            for folder in sorted(folders, reverse=True):
                with suppress(OSError):  # not empty
                    os.rmdir(folder)
        return swept

    def _delete(self, name: str) -> None:
        system, within = place_of(self.at(name))
        system.delete_file(within)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's write lock during a ``with`` block; on file systems that are not local, do nothing.

        Other file systems cannot create files exclusively; there `commit` detects conflicts. Raises ValueError while
        another run holds the lock; the lock of a process of this machine that no longer exists is taken over.
        """
        system, within = place_of(self.at(_LOCK))
        if not isinstance(system, fs.LocalFileSystem):
            yield
            return
        mine = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time(), "run": uuid4().hex}
        while not self._created(within, json.dumps(mine)):
            holder = _holder(within)
            if holder is None:
                continue  # released between the two checks
            if holder.get("host") == socket.gethostname() and not _alive(int(holder.get("pid", 0))):
                _break(within, holder)
                continue
            raise ValueError(
                f"{self.path}: process {holder.get('pid')} on {holder.get('host')} is writing to it; wait for it, or "
                f"delete {within} if that process no longer exists"
            )
        try:
            yield
        finally:
            if _holder(within) == mine:
                os.unlink(within)

    def _created(self, path: str, content: str) -> bool:
        """Return whether the lock was acquired; it is linked into place, so that no process reads half of it."""
        aside = f"{path}.{uuid4().hex[:8]}"
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(aside, "x", encoding="utf-8") as stream:
                stream.write(content)
            _link(aside, path)
        except FileExistsError:
            return False
        except OSError as error:
            raise self._unwritten(_LOCK, error) from None
        finally:
            with suppress(OSError):
                os.unlink(aside)
        return True


def _link(aside: str, path: str) -> None:
    try:
        os.link(aside, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links, such as exFAT
        with open(path, "x", encoding="utf-8") as stream, open(aside, encoding="utf-8") as content:
            stream.write(content.read())


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
    """Remove a dead process's lock, unless another process just did: renaming succeeds for only one of them."""
    aside = f"{path}.{uuid4().hex[:8]}"
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if _holder(aside) != holder and not os.path.exists(path):
        os.rename(aside, path)  # the lock of a live process, created between the two checks
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
