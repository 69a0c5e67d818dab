"""Every ConfigOption of one release, as records read in a JVM from the release's own classes."""

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
"""One field of type ConfigOption: key, class, field, group, generic, type, list, enum, has_default,
default, aliases (pairs of key and whether it is a deprecated one, in the order Flink tries them),
deprecated (the Java field) and prefix (of @Documentation.SuffixOption)."""

_PROGRAM = Path(__file__).with_name("Reflect.java")

# The JVM is told a processor count no machine has and a temporary directory that is its own name, so that
# a default taken from the machine shows itself.
_TMPDIR = "${java.io.tmpdir}"
_CORES = 61


def records(version: str, cache: Path, keep_archive: bool = False) -> list[Record]:
    """The records of a release (``1.20.5``), from the cache or by download and reflection (10-30 s).

    Raises `subprocess.CalledProcessError` if pip or java fail, `ValueError` if an archive holds no jars.
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
    """What Reflect.java prints of the jars of an archive, which are unpacked only for the while."""
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
    """The record with what its default took from the machine or the release number made a token."""
    default = record["default"]
    if default == _CORES and isinstance(default, int):
        record["default"] = "${cores}"
    elif isinstance(default, str) and version in default:
        record["default"] = default.replace(version, "${flink.version}")
    return record
