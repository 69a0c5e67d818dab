"""Starts programs that must not see or reach anything: without the user's environment, and for a limited time."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path


def program_folders() -> list[str]:
    """Return the absolute folders of PATH: never the current folder, which may be somebody else's."""
    return [folder for folder in os.get_exec_path() if os.path.isabs(folder)]


def run_isolated(
    command: Sequence[str],
    folder: str | Path,
    environment: Mapping[str, str],
    seconds: float,
    *,
    output: Path | None = None,
    errors: Path | None = None,
) -> int | None:
    """Run a program in a folder and return its exit status; None if it took longer than `seconds` and was ended.

    It has no input and only the variables of `environment`. What it prints goes to the files, or nowhere. The processes
    that it has started end with it. Raises OSError if it cannot be started.
    """
    made = dict(environment)
    if "SYSTEMROOT" in os.environ:
        made["SYSTEMROOT"] = os.environ["SYSTEMROOT"]  # without it, no program starts on Windows
    with ExitStack() as files:
        out, err = (
            subprocess.DEVNULL if one is None else files.enter_context(one.open("wb")) for one in (output, errors)
        )
        process = subprocess.Popen(
            command, cwd=folder, env=made, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
