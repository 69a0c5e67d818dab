"""The validators of real releases of the operator: their libraries, and what they answer."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.live.distribution import cache_folder
from tests.operator.agreement import Answer
from tests.operator.generated import Question

PUBLISHED = ("1.7.0",)
"""The releases from 1.4 on that the Maven repository has with all of their modules."""
RELEASES = (
    "1.4.0", "1.5.0", "1.6.1", "1.7.0", "1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.1", "1.13.0", "1.14.0", "1.15.0",
)  # fmt: skip
"""The newest patch of each minor release whose validator is ported."""

_PROGRAM = Path(__file__).with_name("Validator.java")
_MODULES = ("flink-kubernetes-operator", "flink-kubernetes-standalone")


def libraries(release: str, folder: Path | None = None) -> Path | None:
    """Return the folder with the libraries of a release; None if they are not to be had.

    `folder` has one folder of jars for each release, such as those in the operator's image. Without it, the Maven
    client fetches the published releases into the cache. Raises `subprocess.CalledProcessError` if it cannot.
    """
    if folder is not None and (folder / release).is_dir():
        return folder / release
    if release not in PUBLISHED:
        return None
    cached = cache_folder() / f"operator-{release}"
    if not cached.is_dir():
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cached.parent) as scratch:
            _fetch(release, Path(scratch))
            (Path(scratch) / "lib").rename(cached)
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
    subprocess.run(command, cwd=folder, check=True)


def answers(release: str, jars: Path, questions: Iterable[Question]) -> list[Answer]:
    """Return what a release answers to questions, in one JVM; raises AssertionError if it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _run(["javac", "-nowarn", "-cp", f"{jars}/*", "-d", scratch, str(_PROGRAM)])
        asked, answered = folder / "questions", folder / "answers"
        asked.write_text("".join(f"{json.dumps(question)}\n" for question in questions), encoding="utf-8")
        options = ["-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp", f"{scratch}{os.pathsep}{jars}/*"]
        _run(["java", *options, "Validator", str(asked), str(answered)])
        return [json.loads(line) for line in answered.read_text("utf-8").splitlines()]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-2000:]
