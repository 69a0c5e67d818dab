"""The libraries of releases of the Flink Kubernetes Operator: from the Maven repository, or from a folder."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from tests.live.distribution import cache_folder

PUBLISHED = ("1.7.0",)
"""The releases from 1.4 on that the Maven repository has with all of their modules."""
RELEASES = (
    "1.4.0", "1.5.0", "1.6.1", "1.7.0", "1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.1", "1.13.0", "1.14.0", "1.15.0",
)  # fmt: skip
"""The newest patch of each minor release that flint is compared with."""

_MODULES = ("flink-kubernetes-operator", "flink-kubernetes-standalone")


def can_be_had(release: str, folder: Path | None = None) -> bool:
    """Return whether a release is published, or in a folder with a folder of jars for each release."""
    return release in PUBLISHED or (folder is not None and (folder / release).is_dir())


def class_path(release: str, folder: Path | None = None) -> str:
    """Return the class path of a release; the operator's own classes come first, since they replace some of Flink's.

    `flink-kubernetes` comes last: before Flink 1.17 it has classes of the Kubernetes client under their own names,
    which read resources by a Jackson that does not know the annotations of the operator's classes.
    `folder` has a folder of jars for each release, such as those in the operator's image. Without it, the Maven client
    fetches a published release into the cache. Raises `LookupError` for any other release, and
    `subprocess.CalledProcessError` if Maven fails.
    """
    jars = folder / release if folder is not None else None
    if jars is None or not jars.is_dir():
        jars = _published(release)
    found = sorted(jars.glob("*.jar"), key=lambda jar: _place(jar.name))
    return os.pathsep.join(map(str, found))


def _place(jar: str) -> tuple[int, str]:
    """Return the sort key of a jar in a class path."""
    if jar.startswith(_MODULES):
        return 0, jar
    return (2 if jar.startswith("flink-kubernetes-") else 1), jar


def _published(release: str) -> Path:
    if release not in PUBLISHED:
        raise LookupError(f"the Maven repository has no operator {release}: put its jars into a folder")
    cached = cache_folder() / f"operator-{release}"
    if not cached.is_dir():
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cached.parent) as scratch:
            _fetch(release, Path(scratch))
            try:
                Path(scratch, "lib").rename(cached)
            except OSError:
                if not cached.is_dir():  # no other run was faster
                    raise
    return cached


def _fetch(release: str, folder: Path) -> None:
    """Copy a release and all that it depends on to lib/ in a folder."""
    dependencies = "".join(
        f"<dependency><groupId>org.apache.flink</groupId><artifactId>{module}</artifactId><version>{release}</version>"
        "</dependency>"
        for module in _MODULES
    )
    (folder / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>flint</groupId><artifactId>operator</artifactId>"
        f"<version>1</version><dependencies>{dependencies}</dependencies></project>",
        encoding="utf-8",
    )
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
