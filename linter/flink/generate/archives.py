"""Downloads the archive with the jars of a Flink release from the package index, and unpacks the jars."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from flink_flint.linter.flink.generate.distributions import artifact

FOLDERS = ("lib", "opt", "plugins")
"""The folders of a Flink release archive that contain JARs."""


def download(version: str, cache: Path) -> Path:
    """Download the archive with the jars of a release (``1.20.5``) to its own folder in the cache; return its path.

    Raises `subprocess.CalledProcessError` if pip fails.
    """
    folder = cache / f"archive-{version}"
    if not folder.is_dir():
        source, partial = artifact(version), cache / f"partial-{version}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *source.options]
        subprocess.run([*command, "--dest", str(partial), source.requirement], check=True)
        partial.rename(folder)
    return next(folder.iterdir())


def unpack(archive: Path, version: str, folder: Path, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    """Unpack the jars in `folders` of an archive to `folder`, keeping relative paths; return their sorted paths."""
    jars = artifact(version).jars
    found = []

    def target(name: str) -> Path | None:
        path = PurePosixPath(name)
        if path.suffix != ".jar" or jars not in path.parts or ".." in path.parts:
            return None
        inner = path.parts[path.parts.index(jars) + 1 :]
        if inner[0] not in folders:
            return None
        place = folder.joinpath(*inner)
        place.parent.mkdir(parents=True, exist_ok=True)
        found.append(place)
        return place

    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if place := target(name):
                    with wheel.open(name) as source, place.open("wb") as sink:
                        shutil.copyfileobj(source, sink)
    else:
        with tarfile.open(archive) as sdist:
            for member in sdist:
                source_file = sdist.extractfile(member)
                if source_file and (place := target(member.name)):
                    with place.open("wb") as sink:
                        shutil.copyfileobj(source_file, sink)
    return sorted(found)


def libraries(version: str, cache: Path) -> Path:
    """Return the lib/ of a release, downloaded to the cache folder unless it is there.

    Raises `subprocess.CalledProcessError` if pip fails.
    """
    found = cache / f"libraries-{version}"
    if not found.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            unpack(download(version, Path(scratch)), version, Path(scratch), ("lib",))
            try:
                Path(scratch, "lib").rename(found)
            except OSError:
                if not found.is_dir():  # no other run was faster
                    raise
    return found
