"""What rules about memory, storage and the JVM say of Flink, on real releases: one JVM each."""

from __future__ import annotations

import struct
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import pytest

from flink_flint.rules.runtime.removed_classes import REMOVED
from tests.live.distribution import flink_home

OLD, NEW = "1.20.5", "2.3.0"

pytestmark = pytest.mark.flink

IN_BOTH = {
    "state without managed memory": "0",
    "batch with managed memory": "ran",
    "stream without managed memory": "ran",
    "share of Python": "0.3",
    "share of Python without weight": "0.0",
    "share of Python of weight 0": "0.0",
    "patterns replaced": "false",
    "patterns added": "true",
    "jars in plugins": "1",
    "retained jobs -1": "taken",
    "retained jobs 1000": "taken",
    "interval during backlog 0": "never",
    "interval during backlog 2 min": "120000",
    "SET 'a.b' = 'c d'": "SET a.b=c d",
    "SET a.b = c": "SET a.b=c",
    "SET a.b = 'c d'": "SET a.b=c d",
}
REFUSED = {
    "batch without managed memory": "Too little memory provided to sorter",
    "retained jobs 0": "to 0 or less than -1",
    "retained jobs -2": "to 0 or less than -1",
    "interval during backlog 30 s": "must be larger than or equal to that in normal situation",
    "SET a.b = c d": "SQL parse failed",
    "SET 'a.b' = c": "SQL parse failed",
}


@cache
def answers(version: str) -> dict[str, str]:
    """What a release makes of each hazardous setting, and whether it has each class that flint says is gone."""
    home = flink_home(version)
    program = Path(__file__).with_name("MemoryHazards.java")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{home}/lib/*", str(program), *REMOVED]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def test_hazards_of_memory() -> None:
    old, new = answers(OLD), answers(NEW)
    for name, expected in IN_BOTH.items():
        assert (old[name], new[name]) == (expected, expected), name
    for name, why in REFUSED.items():
        assert old[name][0] == new[name][0] == "!", name
        assert why in old[name], name
        assert why in new[name], name


def test_removed_classes() -> None:
    old, new = answers(OLD), answers(NEW)
    for name in REMOVED:
        assert old[name] == name.rpartition(".")[2], name
        assert new[name].startswith("!ClassNotFoundException"), name


def test_java_that_classes_are_compiled_for() -> None:
    """Java 8 reads class files up to 52, Java 11 up to 55."""
    assert (_class_file_version(OLD), _class_file_version(NEW)) == (52, 55)


def _class_file_version(version: str) -> int:
    with zipfile.ZipFile(next((flink_home(version) / "lib").glob("flink-dist*.jar"))) as jar:
        head = jar.read("org/apache/flink/runtime/taskexecutor/TaskManagerRunner.class")[:8]
    return int(struct.unpack(">IHH", head)[2])


def test_heap_dump_does_not_overwrite(tmp_path: Path) -> None:
    """The JVM leaves a file alone that is in its way, and one processor makes it take the serial collector."""
    there = tmp_path / "taskmanager.hprof"
    there.write_text("the first dump")
    hungry = tmp_path / "Hungry.java"
    hungry.write_text(
        "public class Hungry { public static void main(String[] a) { byte[][] b = new byte[64][]; "
        "for (int i = 0; i < 64; i++) b[i] = new byte[16 << 20]; System.out.println(b.length); } }"
    )
    subprocess.run(["javac", "-d", str(tmp_path), str(hungry)], check=True)
    done = subprocess.run(
        ["java", "-Xmx64m", "-XX:ActiveProcessorCount=1", "-XX:+HeapDumpOnOutOfMemoryError",
         f"-XX:HeapDumpPath={there}", "-Xlog:gc*=info:stdout", "-cp", str(tmp_path), "Hungry"],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert "File exists" in done.stdout + done.stderr
    assert there.read_text() == "the first dump"
    assert "Using Serial" in done.stdout
