"""What rules about checkpoints say of Flink, on real releases: one JVM each."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.live.distribution import flink_home

OLD, NEW = "1.20.5", "2.3.0"

pytestmark = pytest.mark.flink

IN_BOTH = {
    "unaligned": "true",
    "unaligned at least once": "false",
    "storage of the JobManager": str(5 * 1024 * 1024),
    "storage under hashmap": "FileSystemCheckpointStorage",
    "storage under rocksdb": "FileSystemCheckpointStorage",
    "from-local alone": "true true",
    "local-backup alone": "true false",
    "LEGACY": "LEGACY",
    "changelog without base path": "!IllegalArgumentException Can not create a Path from a null string",
    "changelog": "FsStateChangelogStorage",
    "managed": "SLOT_SHARED_MANAGED",
    "fixed-per-tm": "SLOT_SHARED_MANAGED",
    "fixed-per-slot and managed": "SLOT_SHARED_UNMANAGED",
    "fixed-per-slot and per-tm": "SLOT_SHARED_UNMANAGED",
    "predefined FLASH_SSD_OPTIMIZED": "FLASH_SSD_OPTIMIZED",
    "block cache": "heeded",
    "block cache of bounded memory": "not heeded",
}
REFUSED = ("predefined flash_ssd_optimized", "predefined FLASH_SSD")


def answers(version: str) -> dict[str, str]:
    """What a release makes of each hazardous setting."""
    home = flink_home(version)
    program = Path(__file__).with_name("CheckpointHazards.java")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{home}/lib/*", str(program)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def test_hazards_of_checkpoints() -> None:
    old, new = answers(OLD), answers(NEW)
    for name, expected in IN_BOTH.items():
        assert (old[name], new[name]) == (expected, expected), name
    for name in REFUSED:
        assert old[name].startswith("!IllegalArgumentException No enum constant"), name
        assert new[name].startswith("!IllegalArgumentException No enum constant"), name
    # The backend `filesystem` is `hashmap` under another name; `jobmanager` is storage as well, and wins.
    assert old["storage under filesystem"] == "FileSystemCheckpointStorage"
    assert old["storage under jobmanager"] == "MemoryStateBackend"
    assert new["storage under jobmanager"].startswith("!DynamicCodeLoadingException")
