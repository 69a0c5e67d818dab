"""A process that has imported flint once and forks for each command: a run without the start of an interpreter.

A command has arguments, folder, environment, pipes, exit status and end of a process of its own, as `python -m
flink_flint` has. What an interpreter reads when it starts (`PYTHON…`, locale) cannot be changed for a command: `run`
starts a new process then.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parent.parent

_PACKAGES = ("rules/*", "linter/config", "linter/engine", "linter/fix", "linter/formats/**", "linter/output")
_PACKAGES += ("calculators", "calculators/answer_parts", "calculators/command_line", "calculators/formulas")
_COMMANDS = ("check", "check_arguments", "errors", "explain", "main", "migrate", "rule_cases", "show", "upgrade")
_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "LD_")
"""Prefixes of environment variables that are read only when a process starts."""
_MAX_MESSAGE = 100_000


class ForkedFlint:
    """Runs `flint` with arguments; `close` ends the process that forks."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._socket = ours
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forked_flint", str(theirs.fileno())],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[theirs.fileno()],
                cwd=ROOT, env=self._environment,
            )  # fmt: skip

    def close(self) -> None:
        self._socket.close()
        self._process.communicate()

    def run(
        self, arguments: Sequence[str], data: bytes, folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in a folder, with an environment and with bytes on its standard input."""
        command = [sys.executable, "-m", "flink_flint", *arguments]
        message = json.dumps([arguments, str(folder), dict(environment)]).encode()
        if len(message) > _MAX_MESSAGE or _at_start(environment) != _at_start(self._environment):
            return subprocess.run(
                command, input=data, capture_output=True, cwd=folder, env=dict(environment), check=False
            )
        (stdin, write), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
        socket.send_fds(self._socket, [message], [stdin, stdout, stderr])
        for one in (stdin, stdout, stderr):
            os.close(one)
        output, errors = bytearray(), bytearray()
        threads = [
            Thread(target=_write, args=(write, data)),
            Thread(target=_read, args=(out, output)),
            Thread(target=_read, args=(err, errors)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        status = int(self._socket.recv(100))
        return subprocess.CompletedProcess(command, status, bytes(output), bytes(errors))


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_AT_START)}


def _write(pipe: int, data: bytes) -> None:
    try:
        with open(pipe, "wb") as stream:
            stream.write(data)
    except BrokenPipeError:
        pass


def _read(pipe: int, into: bytearray) -> None:
    with open(pipe, "rb") as stream:
        into.extend(stream.read())


def _import_all() -> None:
    """Import what most commands need, so that forked processes do not have to."""
    from flink_flint.linter.formats import file_formats

    for command in _COMMANDS:
        import_module(f"flink_flint.linter.commands.{command}")
    for path in sorted(path for package in _PACKAGES for path in ROOT.glob(f"{package}/[a-z]*.py")):
        import_module(".".join(("flink_flint", *path.relative_to(ROOT).with_suffix("").parts)))
    file_formats()
    gc.collect()
    gc.freeze()


def _serve(requests: socket.socket) -> bool:
    """Fork for each request; return True in a forked process that must run a command, False after the last request."""
    while True:
        message, pipes, _, _ = socket.recv_fds(requests, 2 * _MAX_MESSAGE, 3)
        if not message:
            return False
        process = os.fork()
        if process == 0:
            requests.close()
            for number, pipe in enumerate(pipes):
                os.dup2(pipe, number)
                os.close(pipe)
            arguments, folder, environment = json.loads(message)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[0] = folder
            sys.argv[1:] = arguments
            return True
        for pipe in pipes:
            os.close(pipe)
        _, status = os.waitpid(process, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    from flink_flint.linter.__main__ import main

    _import_all()
    if _serve(socket.socket(fileno=int(sys.argv[1]))):
        sys.argv[0] = str(ROOT / "flink_flint" / "__main__.py")
        main()
