"""Extracts every ConfigOption of a release as a record, with a Java program that loads the release's classes."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from flink_flint.linter.flink.generate.archives import download, unpack

Record = dict[str, Any]
"""The properties of one ConfigOption field, as read by reflection.

Keys: key, class, field, group, generic, type, list, enum, has_default, default, aliases (pairs of key and whether it is
a deprecated one, in the order Flink tries them), deprecated (the Java field) and prefix (of
@Documentation.SuffixOption).
"""

_PROGRAM = Path(__file__).with_name("Reflect.java")

# The JVM gets an unusual processor count and a placeholder as its temporary directory, so that defaults that depend
# on the machine can be recognized.
_TMPDIR = "${java.io.tmpdir}"
_CORES = 61


def records(version: str, cache: Path, keep_archive: bool = False) -> list[Record]:
    """Return the option records of a release (``1.20.5``), from the cache or by download and reflection (10-30 s).

    Raises `subprocess.CalledProcessError` if pip or java fails, `ValueError` if an archive contains no jars.
    """
    program = hashlib.sha256(_PROGRAM.read_bytes()).hexdigest()[:12]
    kept = cache / f"options-{version}-{program}.jsonl"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        archive = download(version, cache)
        text = _reflect(version, archive)
        kept.write_text(text, encoding="utf-8")
        if not keep_archive:
            shutil.rmtree(archive.parent)
    return [_neutral(json.loads(line), version) for line in kept.read_text(encoding="utf-8").splitlines()]


def _reflect(version: str, archive: Path) -> str:
    """Return the output of Reflect.java for the jars of an archive, which are unpacked temporarily."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        jars = unpack(archive, version, folder)
        cluster = [jar for jar in jars if jar.parent.name == "lib"]
        if not cluster:
            raise ValueError(f"no jars of Flink in {archive.name}")
        groups = [f"cluster={','.join(map(str, cluster))}"]
        groups += [f"{jar.stem}={jar}" for jar in jars if jar.parent.name != "lib"]
        machine = (f"-Djava.io.tmpdir={_TMPDIR}", f"-XX:ActiveProcessorCount={_CORES}")
        command = ["java", *machine, "-XX:TieredStopAtLevel=1", str(_PROGRAM), scratch, *groups]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def _neutral(record: Record, version: str) -> Record:
    """Return the record with machine- and release-dependent parts of its default replaced by tokens."""
    default = record["default"]
    if default == _CORES and isinstance(default, int):
        record["default"] = "${cores}"
    elif isinstance(default, str) and version in default:
        record["default"] = default.replace(version, "${flink.version}")
    return record
