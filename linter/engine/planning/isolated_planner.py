"""Runs the program that plans, cut off from everything: it gets the statements, and Flink's own libraries.

It has no environment, no network where the system can do without root (and resolves no names), no folder of the tree,
a limit of memory and of time. It only plans: nothing is submitted, and the tables of connectors are stubs.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from flink_flint.linter.engine.planning.flink_libraries import Libraries, is_inside
from flink_flint.linter.filesystem.isolated_process import program_folders, run_isolated
from flink_flint.linter.filesystem.user_cache import cache_folder
from flink_flint.linter.flink.tables.connector_changes import CONNECTORS
from flink_flint.linter.text.named_tuple import NamedTuple

_SECONDS = 300
_SECONDS_TO_TRY = 10
_MAX_OUTPUT = 64 << 20
_SOURCES = ("Planner.java", "StubTables.java")
_SERVICES = "META-INF/services/org.apache.flink.table.factories.Factory"
_OPENED = ("java.lang", "java.util", "java.util.concurrent", "java.net", "java.time", "java.io")

Script = tuple[str, Sequence[Mapping[str, Any]]]
"""The name of a script, and what the program is asked to do with its statements."""


class PlanningError(Exception):
    """Raised if nothing can be planned; the message says why."""


class Java(NamedTuple):
    """The programs of a JDK, and the command that cuts programs off from networks (empty if there is none)."""

    java: str
    javac: str
    isolation: Sequence[str] = ()


def find_java(trees: Sequence[str]) -> Java:
    """Find a JDK in JAVA_HOME or PATH, not inside the trees that are checked; raise `PlanningError` without one."""
    home = os.environ.get("JAVA_HOME", "")
    folders = [os.path.join(home, "bin")] if os.path.isabs(home) else []
    folders = [one for one in (*folders, *program_folders()) if not is_inside(one, trees)]
    path = os.pathsep.join(folders)
    java, javac = shutil.which("java", path=path), shutil.which("javac", path=path)
    if not folders or java is None or javac is None:
        raise PlanningError("--plan needs a JDK: java and javac in JAVA_HOME or PATH")
    return Java(java, javac, _isolation(shutil.which("unshare", path=path)))


def _isolation(unshare: str | None) -> Sequence[str]:
    """Return the command that starts a program without networks; empty where the system does not allow it."""
    if unshare is None:
        return ()
    command = (
        (unshare, "--net") if hasattr(os, "geteuid") and os.geteuid() == 0 else (unshare, "--map-root-user", "--net")
    )
    try:
        status = run_isolated([*command, "--", unshare, "--version"], tempfile.gettempdir(), {}, _SECONDS_TO_TRY)
    except OSError:
        return ()
    return (*command, "--") if status == 0 else ()


def plan(scripts: Iterable[Script], libraries: Libraries, java: Java) -> dict[str, dict[int, dict[str, Any]]]:
    """Return the answers to the steps of scripts, by the names of the scripts and the numbers of the steps.

    What the time does not suffice for has no answer. Raises `PlanningError` if the program does not start.
    """
    classes = _compiled(libraries, java)
    asked = {
        "connectors": CONNECTORS,
        "scripts": [{"name": name, "statements": list(statements)} for name, statements in scripts],
    }
    with tempfile.TemporaryDirectory(prefix="flint-") as temporary:
        top = Path(temporary)
        (top / "questions").write_text(json.dumps(asked), encoding="utf-8")
        (top / "hosts").write_text("127.0.0.1 localhost\n", encoding="utf-8")
        errors = _run([*java.isolation, java.java, *_options(top, classes, libraries), "questions", "answers"], top)
        answers: dict[str, dict[int, dict[str, Any]]] = {}
        for answer in _lines(top / "answers"):
            answers.setdefault(answer.pop("script"), {})[answer.pop("statement")] = answer
    if not answers and asked["scripts"]:
        raise PlanningError(f"the planner of Flink {libraries.release} does not start{errors}")
    return answers


def _options(top: Path, classes: Path, libraries: Libraries) -> Sequence[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    return (
        "-Xmx768m", "-XX:MaxMetaspaceSize=512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8",
        f"-Djava.io.tmpdir={top}", f"-Duser.home={top}", f"-Djdk.net.hosts.file={top / 'hosts'}",
        "-Dlog4j2.level=OFF", "-Dlog4j.rootLogger=OFF", *opened,
        "-cp", os.pathsep.join((str(classes), os.path.join(libraries.folder, "*"))), "Planner",
    )  # fmt: skip


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    if not path.is_file() or path.stat().st_size > _MAX_OUTPUT:
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # the program was ended while it wrote
            return


def _run(command: Sequence[str], top: Path) -> str:
    """Run a command in a folder and return its errors as the end of a sentence; end it when the time is over."""
    errors = top / "errors"
    environment = {"HOME": str(top), "TMPDIR": str(top), "PATH": str(top / "none")}
    run_isolated(command, top, environment, _SECONDS, errors=errors)
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""


def _compiled(libraries: Libraries, java: Java) -> Path:
    """Return the folder with the program, compiled against a release; it is kept in the user's cache."""
    sources = [Path(__file__).with_name(name) for name in _SOURCES]
    digest = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    cache = cache_folder()
    if cache is None:
        raise PlanningError("there is no cache folder: set FLINT_CACHE_DIR")
    target = Path(cache, f"planner-{libraries.release}-{digest}")
    if target.is_dir():
        return target
    os.makedirs(cache, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        classes = Path(scratch, "classes")
        services = classes / _SERVICES
        services.parent.mkdir(parents=True)
        services.write_text("StubTables\n", encoding="utf-8")
        command = [
            java.javac, "-nowarn", "-Xlint:none", "-proc:none", "-encoding", "UTF-8", "-cp",
            os.path.join(libraries.folder, "*"), "-d", str(classes), *map(str, sources),
        ]  # fmt: skip
        errors = _run(command, Path(scratch))
        if not (classes / "Planner.class").is_file():
            raise PlanningError(f"the program that plans cannot be compiled against Flink {libraries.release}{errors}")
        try:
            os.rename(classes, target)
        except OSError:
            if not target.is_dir():  # no other run was faster
                raise
    return target
