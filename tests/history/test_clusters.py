"""The same commands on a standalone cluster and over Spark Connect give what they give on one machine.

Master, workers and server are started from the pyspark distribution, on loopback.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from flink_flint.calculators.history.store.layout import Store
from tests.history.stores import content

pytestmark = pytest.mark.tools

ROOT = Path(__file__).resolve().parents[2]
HISTORY = ROOT / "examples" / "history" / "prometheus"
SPARK = Path(pyspark.__file__).parent
ENVIRONMENT = {
    **os.environ,
    "SPARK_HOME": str(SPARK),
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_DRIVER_PYTHON": sys.executable,
    "PYTHONPATH": str(ROOT),
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(log: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=ENVIRONMENT, cwd=log.parent)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def wait_until(log: Path, process: subprocess.Popen[bytes], sign: str) -> None:
    deadline = time.monotonic() + 120
    while sign not in log.read_text(errors="replace"):
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        assert time.monotonic() < deadline, f"no {sign!r} in {log.read_text(errors='replace')[-2000:]}"
        time.sleep(0.2)


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master and two workers of a core each."""
    folder = tmp_path_factory.mktemp("standalone")
    port, spark_class = free_port(), str(SPARK / "bin" / "spark-class")
    address = f"spark://127.0.0.1:{port}"
    master = ("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    worker = ("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g")
    with running(folder / "master.log", spark_class, *master) as process:
        wait_until(folder / "master.log", process, "New state: ALIVE")
        logs = [folder / f"worker-{number}.log" for number in (1, 2)]
        with (
            running(logs[0], spark_class, *worker, "--webui-port", "0", "-d", str(folder / "w1"), address) as first,
            running(logs[1], spark_class, *worker, "--webui-port", "0", "-d", str(folder / "w2"), address) as second,
        ):
            wait_until(logs[0], first, "Successfully registered with master")
            wait_until(logs[1], second, "Successfully registered with master")
            yield address


@pytest.fixture(scope="module")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Spark Connect server."""
    folder = tmp_path_factory.mktemp("connect")
    port = free_port()
    command = (
        str(SPARK / "bin" / "spark-submit"), "--master", "local[2]", "--conf", "spark.ui.enabled=false",
        "--conf", f"spark.connect.grpc.binding.port={port}", "--conf", "spark.connect.grpc.binding.address=127.0.0.1",
        "--conf", "spark.driver.host=127.0.0.1", "--driver-memory", "1g",
        "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal",
    )  # fmt: skip
    with running(folder / "server.log", *command) as process:
        wait_until(folder / "server.log", process, "Spark Connect server started at")
        yield f"sc://127.0.0.1:{port}"


def flint(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "flink_flint", *arguments], capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[str]], object]:
    """What one machine makes of the history, and recommends from it."""
    return imported(tmp_path_factory.mktemp("local"), ())


def imported(folder: Path, where: tuple[str, ...]) -> tuple[dict[str, list[str]], object]:
    store = str(folder / "store")
    flint("history", "import", str(HISTORY), "--into", store, *where)
    told = json.loads(flint("recommend", "--history", store, "--output-format", "json", *where))
    return content(Store(store)), told["recommendations"]


def test_a_standalone_cluster_gives_the_same(
    standalone: str, local: tuple[dict[str, list[str]], object], tmp_path: Path
) -> None:
    found = imported(tmp_path, ("--master", standalone, "--conf", "spark.executor.memory=512m"))
    assert found == local
    assert found[1]


def test_spark_connect_gives_the_same(connect: str, local: tuple[dict[str, list[str]], object], tmp_path: Path) -> None:
    assert imported(tmp_path, ("--remote", connect)) == local
