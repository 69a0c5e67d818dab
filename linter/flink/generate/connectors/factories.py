"""Asks the factories of connectors for their options, with a Java program that loads the jars of a release."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flink_flint.linter.flink.generate.connectors.lines import FLINK, LINES, Line, Release
from flink_flint.linter.flink.generate.connectors.maven import bring
from flink_flint.linter.flink.generate.connectors.samples import SAMPLES

Record = dict[str, Any]
"""A factory in a release of its connector.

Keys: identifier, class, kinds, required and optional (options with key, type, list, enum, has_default, default and
aliases), and answers by kind: ``open`` (whether the factory takes any key; null: it was not to be found out) and
``taken``, the keys that it takes besides. Records of the kind ``common`` are options that Flink may read of any table.
"""

_HERE = Path(__file__).parent
_PROGRAMS = (_HERE.parent / "Reflect.java", _HERE / "Factories.java")
_OPENED = ("java.lang", "java.util", "java.time", "java.net")
_HOST = "kafka"

FlinkJars = Callable[[str], Path]
"""Returns the folder lib/ of a release of Flink (``1.20.5``)."""


def records(lines: Sequence[Line], cache: Path, flink_jars: FlinkJars) -> dict[Release, list[Record]]:
    """Return the factories of the releases of some lines, from the cache or by download and one JVM a minor release.

    Raises `subprocess.CalledProcessError` if a program does not compile or a JVM fails.
    """
    programs = b"".join(program.read_bytes() for program in _PROGRAMS) + json.dumps(SAMPLES).encode()
    version = hashlib.sha256(programs).hexdigest()[:12]
    jars = bring([one for line in lines if line.name != FLINK.name for one in line.releases], cache)
    wanted = [*jars, *(one for line in lines if line.name == FLINK.name for one in line.releases)]
    kept = {one: cache / "options" / f"{one.name}-{version}.jsonl" for one in wanted}
    absent = [one for one in wanted if not kept[one].exists()]
    (cache / "options").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        if absent:
            command = ["javac", "-nowarn", "-d", scratch, *map(str, _PROGRAMS)]
            subprocess.run(command, check=True, capture_output=True)
        for flink in reversed(FLINK.releases):
            asked = [one for one in absent if one.flink == flink.flink]
            if asked:
                texts = _ask(flink, asked, jars, flink_jars(flink.version), cache, Path(scratch))
                for one in asked:
                    kept[one].write_text("".join(texts.get(one.name, [])), encoding="utf-8")
    return {one: [json.loads(line) for line in kept[one].read_text("utf-8").splitlines()] for one in wanted}


def _host(minor: str, cache: Path) -> list[Path]:
    """Return the jars of the Kafka connector whose tables have the formats that are asked."""
    (line,) = (one for one in LINES if one.name == _HOST)
    places = [minor, *(one.flink for one in line.releases)]
    release = next(one for place in (minor, places[-1]) for one in reversed(line.releases) if one.flink == place)
    return bring([release], cache)[release]


def _ask(
    flink: Release, asked: Sequence[Release], jars: Mapping[Release, list[Path]], lib: Path, cache: Path, scratch: Path
) -> dict[str, list[str]]:
    """Return the records of a release of Flink and of connectors that are read with it, as JSON by releases' names."""
    samples = scratch / "samples"
    samples.write_text(
        "".join(f"{name}\t{key}\t{value}\n" for name, given in SAMPLES.items() for key, value in given.items())
    )
    # The first group is loaded by the class loader of Flink, and the host of formats is known before they are asked.
    itself = flink.name if flink in asked else "base"
    groups = {"host": _host(flink.flink, cache), itself: sorted(lib.glob("*.jar"))}
    groups.update({one.name: jars[one] for one in asked if one in jars})
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    command = ["java", "-XX:TieredStopAtLevel=1", *opened, "-cp", str(scratch), "Factories", str(samples)]
    spelled = [f"{name}={','.join(map(str, paths))}" for name, paths in groups.items()]
    done = subprocess.run([*command, *spelled], check=True, capture_output=True, encoding="utf-8", cwd=scratch)
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines(keepends=True):
        found.setdefault(json.loads(line)["group"], []).append(line)
    return found
