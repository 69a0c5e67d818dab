"""A real Prometheus (the Debian package) that scrapes a cluster, on loopback."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.live.cluster import LOOPBACK, free_ports

_START_SECONDS = 60
_STOP_SECONDS = 15

_CONFIGURATION = """\
global:
  scrape_interval: {every}s
  scrape_timeout: {every}s
scrape_configs:
  - job_name: flink
    static_configs:
      - targets: {targets}
"""


def prometheus_program() -> str:
    """Where it is installed; AssertionError where it is not, for without it the tests would show nothing."""
    found = shutil.which("prometheus")
    assert found, "prometheus is missing: make tools"
    return found


@contextlib.contextmanager
def start_prometheus(folder: Path, ports: Sequence[int], every: int) -> Iterator[str]:
    """The address of a server that asks ports of this machine every so many seconds, ended in any case."""
    program = prometheus_program()
    (port,) = free_ports(1)
    address = f"http://{LOOPBACK}:{port}"
    targets = json.dumps([f"{LOOPBACK}:{scraped}" for scraped in ports])
    configuration = folder / "prometheus.yml"
    configuration.write_text(_CONFIGURATION.format(every=every, targets=targets), "utf-8")
    command = [
        program,
        f"--config.file={configuration}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={LOOPBACK}:{port}",
    ]
    log = folder / "prometheus.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        _wait(process, f"{address}/-/ready", log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder / "data", ignore_errors=True)


def scraped(port: int) -> bytes:
    """What a port of this machine shows a Prometheus now."""
    return _read(f"http://{LOOPBACK}:{port}/metrics")


def _read(url: str) -> bytes:
    # A proxy of the environment is not asked for a port of our own.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        content: bytes = answer.read()
    return content


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"prometheus has ended:\n{log.read_text('utf-8', 'replace')[-4000:]}"
        with contextlib.suppress(OSError):
            _read(url)
            return
        time.sleep(0.1)
    raise AssertionError(f"prometheus is not ready within {_START_SECONDS} s; its log is {log}")
