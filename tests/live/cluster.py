"""A standalone session cluster of the shipped start scripts, on loopback, and its REST interface."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from flink_flint.linter.flink.configuration import Configuration
from flink_flint.linter.flink.file_loading import read_config_yaml
from flink_flint.linter.flink.releases import parse_release
from tests.live.distribution import VERSION

LOOPBACK = "127.0.0.1"
ENDED = ("FINISHED", "FAILED", "CANCELED")

_START_SECONDS = 120
_STOP_SECONDS = 15
_SCRIPTS = {"jobmanager": "jobmanager.sh", "taskmanager": "taskmanager.sh"}

# Small processes, and a REST interface that tells news at once.
_SETTINGS = {
    "jobmanager.memory.process.size": "832m",
    "jobmanager.memory.jvm-metaspace.size": "192m",
    "taskmanager.memory.process.size": "1216m",
    "taskmanager.memory.jvm-metaspace.size": "192m",
    "taskmanager.memory.managed.size": "32m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.numberOfTaskSlots": "4",
    "restart-strategy.type": "none",
    "web.refresh-interval": "200",
}


class Cluster:
    """A running cluster; `start_cluster` makes one. Raises AssertionError where a wait takes too long."""

    def __init__(self, home: Path, folder: Path, settings: Mapping[str, str], version: str = VERSION) -> None:
        self.folder = folder
        self.logs = folder / "log"
        self.checkpoints = folder / "checkpoints"
        self.settings = self._settings(home, settings)
        self._home = home
        self._version = version
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._jars: dict[Path, str] = {}

    def _settings(self, home: Path, settings: Mapping[str, str]) -> dict[str, str]:
        """The shipped configuration (it opens the JDK's modules to Flink), ours, then the caller's."""
        shipped = read_config_yaml((home / "conf" / "config.yaml").read_text("utf-8")).settings()
        rpc, rest = free_ports(2)
        hosts = ("jobmanager.rpc.address", "jobmanager.bind-host", "taskmanager.host", "taskmanager.bind-host")
        return {
            **shipped,
            **dict.fromkeys((*hosts, "rest.address", "rest.bind-address"), LOOPBACK),
            "jobmanager.rpc.port": str(rpc),
            "rest.port": str(rest),
            "io.tmp.dirs": str(self.folder / "tmp"),
            "execution.checkpointing.storage": "filesystem",
            "execution.checkpointing.dir": self.checkpoints.as_uri(),
            **_SETTINGS,
            **settings,
        }

    @property
    def configuration(self) -> Configuration:
        """The settings as flint reads them."""
        return Configuration(self.settings, parse_release(self._version), yaml=True)

    # Processes

    @property
    def processes(self) -> tuple[str, ...]:
        """Those that have been started: "jobmanager" and "taskmanager"."""
        return tuple(self._processes)

    def start(self) -> None:
        """Start both processes and wait until the slots are there."""
        conf = self.folder / "conf"
        shutil.copytree(self._home / "conf", conf)
        (self.folder / "tmp").mkdir()
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in self.settings.items())
        (conf / "config.yaml").write_text(text, "utf-8")
        self.logs.mkdir()
        for process, script in _SCRIPTS.items():
            with (self.logs / f"{process}.out").open("wb") as output:
                self._processes[process] = subprocess.Popen(
                    [str(self._home / "bin" / script), "start-foreground"],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self._environment(conf),
                    start_new_session=True,
                )
        slots = int(self.settings["taskmanager.numberOfTaskSlots"])
        self.wait(lambda: self.rest("/overview")["slots-total"] >= slots, _START_SECONDS, "no slots")

    def _environment(self, conf: Path) -> dict[str, str]:
        """Nothing that the start scripts would heed of the environment the tests run in."""
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "JAVA_HOME", "LANG")}
        return {
            **kept,
            "USER": "flint",
            "FLINK_CONF_DIR": str(conf),
            "FLINK_LOG_DIR": str(self.logs),
            "FLINK_PID_DIR": str(self.logs),
        }

    def stop(self) -> None:
        """End the processes of this cluster, whatever they do, and drop everything but the logs."""
        for ending in (signal.SIGTERM, signal.SIGKILL):
            for process in self._processes.values():
                if process.poll() is None:
                    os.killpg(process.pid, ending)  # the leader of its own group: start_new_session
            deadline = time.monotonic() + _STOP_SECONDS
            for process in self._processes.values():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(deadline - time.monotonic(), 0))
        for folder in (self.checkpoints, self.folder / "tmp"):
            shutil.rmtree(folder, ignore_errors=True)

    def log(self, process: str) -> str:
        """The log of "jobmanager" or "taskmanager" (standard output, which the scripts copy it to)."""
        return (self.logs / f"{process}.out").read_text("utf-8", "replace")

    def jvm_options(self, process: str) -> list[str]:
        """What the JVM was started with, as Flink tells it in its log."""
        options = self.log(process).partition(" JVM Options:\n")[2].partition("Program Arguments:")[0]
        return re.findall(r"-  +(-\S.*)", options)

    def wait(self, condition: Callable[[], Any], seconds: float, otherwise: str) -> Any:
        """The first true answer of a condition, asked again and again; it may fail while things start."""
        deadline = time.monotonic() + seconds
        problem: Exception | None = None
        while time.monotonic() < deadline:
            for name, process in self._processes.items():
                assert process.poll() is None, f"the {name} has ended:\n{self.log(name)[-4000:]}"
            try:
                if answer := condition():
                    return answer
                problem = None
            except OSError as error:  # urllib's errors are
                problem = error
            time.sleep(0.1)
        raise AssertionError(f"{otherwise} within {seconds} s; the logs are in {self.logs}") from problem

    # REST

    def rest(self, path: str, body: object = None, method: str | None = None) -> Any:
        """The answer of the REST interface; a body makes it a POST."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        return self._ask(path, data, headers, method)

    def _ask(self, path: str, data: bytes | None, headers: dict[str, str], method: str | None = None) -> Any:
        url = f"http://{LOOPBACK}:{self.settings['rest.port']}{path}"
        # A proxy of the environment is not asked for a port of our own.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(url, data, headers, method=method)
        with opener.open(request, timeout=60) as response:
            return json.loads(response.read() or b"null")

    def _upload(self, jar: Path) -> str:
        boundary = uuid.uuid4().hex
        disposition = f'form-data; name="jarfile"; filename="{jar.name}"'
        head = f"--{boundary}\r\nContent-Disposition: {disposition}\r\nContent-Type: application/x-java-archive\r\n\r\n"
        data = head.encode() + jar.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        answer = self._ask("/jars/upload", data, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
        return str(answer["filename"]).rpartition("/")[2]

    def submit(self, jar: Path, main_class: str, **arguments: object) -> str:
        """Run a job (`call_ms=40` becomes ``--call-ms 40``); its id."""
        if jar not in self._jars:
            self._jars[jar] = self._upload(jar)
        words = [word for name, value in arguments.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        request = {"entryClass": main_class, "programArgsList": words}
        return str(self.rest(f"/jars/{self._jars[jar]}/run", request)["jobid"])

    def state(self, job: str) -> str:
        """The state of a job, such as RUNNING."""
        return str(self.rest(f"/jobs/{job}")["state"])

    def ended(self, job: str, seconds: float = 120) -> str:
        """The state a job ends in."""

        def end() -> str | None:
            state = self.state(job)
            return state if state in ENDED else None

        return str(self.wait(end, seconds, f"the job did not end: {job}"))

    def cancel(self, job: str) -> None:
        """Cancel a job and wait until its slots are free."""
        self.rest(f"/jobs/{job}", method="PATCH")
        self.ended(job)

    def failure(self, job: str) -> str:
        """The stack trace of what a job failed of."""
        return str(self.rest(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"][0]["stacktrace"])

    def accumulator(self, job: str, name: str) -> int:
        """A counter of a job that has finished."""
        found = self.rest(f"/jobs/{job}/accumulators")["user-task-accumulators"]
        return next(int(counter["value"]) for counter in found if counter["name"] == name)

    def _completed(self, job: str, count: int) -> dict[str, Any]:
        """The latest checkpoint once `count` of them are complete; fails if the job ends first."""

        def latest() -> dict[str, Any] | None:
            if (state := self.state(job)) in ENDED:
                raise AssertionError(f"the job has {state}: {self.failure(job)}")
            statistics = self.rest(f"/jobs/{job}/checkpoints")
            enough = statistics["counts"]["completed"] >= count
            return statistics["latest"]["completed"] if enough else None

        return dict(self.wait(latest, 120, f"not {count} checkpoints"))

    def checkpoint(self, job: str) -> dict[str, Any]:
        """The checkpoint that is taken now, once it is complete."""
        self.wait(lambda: self._is_running(job), 120, "the job's tasks do not run")
        before = self.rest(f"/jobs/{job}/checkpoints")["counts"]["completed"]
        self.rest(f"/jobs/{job}/checkpoints", {})
        return self._completed(job, before + 1)

    def _is_running(self, job: str) -> bool:
        """Whether all tasks run: before, a checkpoint is refused."""
        return all(vertex["status"] == "RUNNING" for vertex in self.rest(f"/jobs/{job}")["vertices"])


Launch = Callable[[Mapping[str, str]], contextlib.AbstractContextManager[Cluster]]
"""What starts a cluster with settings beside those that all have."""


@contextlib.contextmanager
def start_cluster(home: Path, folder: Path, settings: Mapping[str, str], version: str = VERSION) -> Iterator[Cluster]:
    """A cluster in an empty folder, ended in any case."""
    cluster = Cluster(home, folder, settings, version)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens on now, all of them different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((LOOPBACK, 0))) for _ in range(count)]
        return [int(listener.getsockname()[1]) for listener in sockets]
