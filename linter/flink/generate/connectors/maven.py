"""Brings the jars of connectors with their dependencies from the package index, by Maven."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from flink_flint.linter.flink.generate.connectors.lines import Release

_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
_PROJECT = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>flint</groupId><artifactId>{name}</artifactId>"
    "<version>1</version><packaging>pom</packaging>{content}</project>\n"
)
_DEPENDENCY = (
    "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
    "{exclusions}</dependency>"
)
_COMMON = (
    "<dependency><groupId>org.apache.flink</groupId><artifactId>flink-cdc-common</artifactId>"
    "<version>{version}</version></dependency>"
)
_EVERYTHING = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
_THREADS = "4"


def bring(releases: Iterable[Release], cache: Path) -> dict[Release, list[Path]]:
    """Return the jars of each release, from the cache or by one run of Maven; without those that cannot be had."""
    wanted = list(releases)
    absent = [one for one in wanted if not (cache / one.name).is_dir()]
    if absent:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            _run(absent, Path(scratch))
            for one in absent:
                jars = Path(scratch, one.name, "jars")
                if _has_own(one, jars):
                    jars.rename(cache / one.name)
                else:
                    print(f"{one.artifact}:{one.version} cannot be had")
    return {one: sorted((cache / one.name).glob("*.jar")) for one in wanted if (cache / one.name).is_dir()}


def project(name: str, releases: Iterable[Release]) -> str:
    """Return a project that depends on releases of connectors."""
    needed = "".join(map(_dependency, releases))
    return _PROJECT.format(name=name, content=f"<dependencies>{needed}</dependencies>")


def _dependency(release: Release) -> str:
    group, _, artifact = release.artifact.partition(":")
    found = _DEPENDENCY.format(
        group=group, artifact=artifact, version=release.version, exclusions=_EVERYTHING if release.alone else ""
    )
    return found + _COMMON.format(version=release.version) if "cdc-pipeline" in artifact else found


def _run(releases: list[Release], folder: Path) -> None:
    """Run Maven on a project with a module for each release; one that fails does not stop the others."""
    modules = "".join(f"<module>{one.name}</module>" for one in releases)
    (folder / "pom.xml").write_text(_PROJECT.format(name="all", content=f"<modules>{modules}</modules>"))
    for one in releases:
        (folder / one.name).mkdir()
        (folder / one.name / "pom.xml").write_text(project(one.name, [one]))
    command = ["mvn", "-q", "-B", "-fae", "-T", _THREADS, _PLUGIN]
    options = ["-DincludeScope=runtime", "-DoutputDirectory=jars", "-Dmdep.useBaseVersion=true"]
    subprocess.run([*command, *options], cwd=folder, check=False, capture_output=True)


def _has_own(release: Release, jars: Path) -> bool:
    return jars.is_dir() and any(jars.glob(f"{release.artifact.partition(':')[2]}-{release.version}*.jar"))
