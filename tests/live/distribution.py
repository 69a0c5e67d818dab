"""A complete Flink from the package index, kept in a cache folder, and the test jobs compiled against it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from flink_flint.linter.flink.generate import archives
from flink_flint.linter.flink.generate.distributions import artifact

VERSION = "1.20.5"
VERSION_2 = "2.1.1"
"""Of the next major release."""

_JOBS = Path(__file__).with_name("jobs")

# The wheel is the same on every platform as far as scripts and configuration go, so that any one will do: pip
# would otherwise look for one of the Python that runs the tests.
_ANY_WHEEL = ("--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311")
_ANY_PLATFORM = ("--platform", "manylinux2014_x86_64")


def flink_home(version: str = VERSION) -> Path:
    """The FLINK_HOME of a release, downloaded (240 to 330 MB) unless the cache has it.

    The cache is the folder FLINT_FLINK_CACHE, or flint/ in the user's cache folder. Raises
    `subprocess.CalledProcessError` if pip fails.
    """
    cache = cache_folder()
    home = cache / f"flink-{version}"
    if not home.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            partial = Path(scratch, "home")
            libraries = artifact(version)
            _unpack_jars(_download(libraries.requirement, libraries.options, Path(scratch)), partial)
            wheel = _download(f"apache-flink=={version}", (*_ANY_WHEEL, *_ANY_PLATFORM), Path(scratch))
            _unpack_scripts(wheel, partial)
            try:
                partial.rename(home)
            except OSError:
                if not home.is_dir():  # no other run was faster
                    raise
    return home


def flink_libraries(version: str) -> Path:
    """The lib/ of a release of the catalogue, downloaded unless the cache has it: enough to load a configuration.

    The cache is that of `flink_home`, which is used where it is. Raises `subprocess.CalledProcessError` if pip fails.
    """
    home = cache_folder() / f"flink-{version}" / "lib"
    return home if home.is_dir() else archives.libraries(version, cache_folder())


def connectors_cache() -> Path:
    """The folder that keeps the jars of connectors."""
    return cache_folder() / "connectors"


def cache_folder() -> Path:
    """Return the folder that keeps what was downloaded."""
    base = os.environ.get("FLINT_FLINK_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flint"


def _download(requirement: str, options: tuple[str, ...], folder: Path) -> Path:
    destination = folder / requirement
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
    subprocess.run([*command, "--dest", str(destination), requirement], check=True)
    return next(destination.iterdir())


def _unpack_jars(sdist: Path, home: Path) -> None:
    """lib/ and plugins/ of the libraries, and the jar of the start scripts."""
    with tarfile.open(sdist) as archive:
        for member in archive:
            inner = PurePosixPath(member.name).parts[2:]  # below apache_flink_libraries-<version>/deps
            if inner[:1] in [("bin",), ("lib",), ("plugins",)] and (source := archive.extractfile(member)):
                target = home.joinpath(*inner)
                target.parent.mkdir(parents=True, exist_ok=True)
                with source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)


def _unpack_scripts(wheel: Path, home: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            if len(parts) == 3 and parts[:2] in [("pyflink", "bin"), ("pyflink", "conf")]:
                target = home.joinpath(*parts[1:])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
                target.chmod(0o755 if parts[1] == "bin" else 0o644)


def compile_jobs(home: Path, folder: Path) -> Path:
    """A jar of the test jobs, made in `folder`. Raises `subprocess.CalledProcessError` if javac fails."""
    classes = folder / "classes"
    libraries = os.pathsep.join(map(str, (home / "lib").glob("flink-dist-*.jar")))
    sources = sorted(map(str, _JOBS.glob("*.java")))
    command = ["javac", "-nowarn", "-cp", libraries, "-d", str(classes), *sources]
    subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    jar = folder / "jobs.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return jar
