"""Imports that are killed: a process to be killed, and when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from flink_flint.calculators.history.store.layout import Store

ROOT = Path(__file__).resolve().parents[2]

_DRIVER = """
import sys
from flink_flint.calculators.history.pipeline.importing import import_files
from flink_flint.calculators.history.store.spark_session import session
from flink_flint.calculators.history.sources.recognition import Options
from flink_flint.calculators.history.store.layout import Store

spark = session("local[2,3]", settings=["spark.driver.memory=1g"])
print("ready", flush=True)
sys.stdin.readline()
import_files(lambda: spark, Store(sys.argv[1]), sys.argv[2], Options())
"""


def import_until(store: Path, source: Path, files: int, kill: Callable[[int], None]) -> int:
    """Import in a process of its own; once so many files and folders appeared in the store, `kill` is given its id.

    Returns its exit status, once all that it started is gone.
    """
    driver = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(store), str(source)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True,
    )  # fmt: skip
    assert driver.stdin
    assert driver.stdout
    assert driver.stdout.readline() == b"ready\n"
    seen = set(names(store))
    wanted = len(seen) + files
    driver.stdin.write(b"\n")
    driver.stdin.flush()
    while driver.poll() is None:
        seen.update(names(store))
        if len(seen) >= wanted:
            kill(driver.pid)
            break
        time.sleep(0.0005)
    status = driver.wait()
    driver.stdout.close()
    driver.stdin.close()
    while list(_session(driver.pid)):
        time.sleep(0.05)
    return status


def names(folder: Path) -> Iterator[str]:
    """All that stands below a folder, at a moment."""
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield os.path.join(here, name)


def kill_driver(driver: int) -> None:
    os.kill(driver, signal.SIGKILL)


def kill_workers(driver: int) -> None:
    """Kill the Python processes that work for Spark, but not the one that starts them."""
    found = list(_session(driver))
    daemons = {pid for pid, _, command in found if b"pyspark.daemon" in command}
    for pid, parent, _ in found:
        if parent in daemons:
            os.kill(pid, signal.SIGKILL)


def _session(leader: int) -> Iterator[tuple[int, int, bytes]]:
    """Id, parent and command of the processes of a session."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                yield int(entry.name), int(fields[1]), command


def litter(store: Store) -> set[str]:
    """The files in a store's folder that belong to nothing."""
    counted = {file.path for file in store.manifest().files} | {"flint-history.json", "summary.json"}
    found = {str(path.relative_to(store.path)) for path in Path(store.path).rglob("*") if path.is_file()}
    return {name for name in found - counted if not (name.startswith("manifests/") and name.endswith(".json"))}
