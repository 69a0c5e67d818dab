"""`flint check --watch`: checks, waits until a file is saved, and checks again.

Each check is a separate process, so that nothing is cached. The system watches folders; named files and flint's
configuration are polled, because an editor may replace them with new files.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

from flink_flint.linter.commands.errors import PrintMessage, run_guarded
from flink_flint.linter.config.flint_config import NAMES
from flink_flint.linter.filesystem.folders import is_walked
from flink_flint.linter.filesystem.repository import folders_up
from flink_flint.linter.formats import is_candidate
from flink_flint.linter.model.safe_text import CLEAR_SCREEN

if TYPE_CHECKING:
    from flink_flint.linter.commands.check_arguments import CheckArguments

RunCheck = Callable[["CheckArguments", PrintMessage], int]

_FORMATS = ("full", "concise")
_QUIET = 100
"""Milliseconds without a further change after which a check starts."""
_LONGEST = 1_000
"""Milliseconds after which a check starts despite further changes."""
_LOOK = 300
"""Milliseconds between polls of named files and flint's configuration."""


def run_watch(arguments: CheckArguments, run_check: RunCheck, print_message: PrintMessage) -> int:
    """Check on every save until interrupted, then return the exit status; raise ValueError for unusable input."""
    paths = list(arguments.paths) or ["."]
    _refuse(arguments, paths)
    stop = Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        stop.set()  # Python drops an exception that is raised while it finalizes an object
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        _watch(arguments, paths, stop, run_check, print_message)
    except KeyboardInterrupt:
        sys.stdout.write("\n" if sys.stdout.isatty() else "")
    finally:
        signal.signal(signal.SIGINT, previous)
    return 0


def _refuse(arguments: CheckArguments, paths: Sequence[str]) -> None:
    """Raise ValueError for options that make no sense with --watch, and for paths that do not exist."""
    used = (
        ("--diff", arguments.diff),
        ("--show-files", arguments.show_files),
        ("--show-flint-config", arguments.show_flint_config),
        ("--write-baseline", arguments.write_baseline),
        ("--prune-baseline", arguments.prune_baseline),
    )
    for option, is_used in used:
        if is_used:
            raise ValueError(f"--watch cannot be used with {option}")
    if arguments.output_file:
        raise ValueError("--watch cannot be used with --output-file: it shows the report")
    for name in arguments.output_format:
        if name not in _FORMATS:
            raise ValueError(f"--watch shows the report as {' or '.join(_FORMATS)}, not as {name}")
    if "-" in paths:
        raise ValueError("--watch watches files; it cannot be used with standard input (-)")
    for path in paths:
        if not os.path.exists(path):
            raise ValueError(f"{path}: no such file or folder")


def _watch(
    arguments: CheckArguments, paths: Sequence[str], stop: Event, run_check: RunCheck, print_message: PrintMessage
) -> None:
    try:
        import watchfiles
    except ModuleNotFoundError:
        raise ValueError("--watch needs the package watchfiles: pip install 'flink-flint[watch]'") from None

    folders = [path for path in paths if os.path.isdir(path)]
    files = [path for path in paths if not os.path.isdir(path)]
    # Without folders, watch the parents of the named files, not recursively.
    watched = folders or sorted({os.path.dirname(path) or "." for path in files})
    changes = watchfiles.watch(
        *watched,
        watch_filter=lambda _, path: any(_is_read(path, folder) for folder in folders),
        recursive=bool(folders),
        debounce=_LONGEST,
        step=_QUIET,
        stop_event=stop,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
    )
    # The first, empty round comes once the watch is set up, so that nothing saved during the first check is missed.
    looked_at = _looked_at(paths, files)
    next(changes, None)
    _check(arguments, run_check, print_message)
    for changed in changes:
        now = _looked_at(paths, files)
        if changed or now != looked_at:
            looked_at = now
            _check(arguments, run_check, print_message)


def _is_read(path: str, folder: str) -> bool:
    """Return whether a check of a folder may read a file, or find files in what was added or removed."""
    name = os.path.basename(path)
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    # For a whole folder added or removed, the system reports no files.
    is_folder = os.path.isdir(path) if os.path.lexists(path) else "." not in name
    folders = relative.split(os.sep)[: None if is_folder else -1]
    if relative.startswith("..") or not all(map(is_walked, folders)):
        return False
    return is_folder or is_candidate(name) or name in (*NAMES, ".gitignore")


def _looked_at(paths: Sequence[str], files: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return modification times and sizes of the named files and flint's configuration that exist."""
    found = {}
    flint_config = [place for path in paths for place in _flint_config_of(path)]
    for path in (*files, *flint_config):
        try:
            status = os.stat(path)
        except OSError:
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _flint_config_of(path: str) -> Iterator[str]:
    """Yield possible flint configuration files for a path: in its folder and its parents, up to the repository root."""
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    for one in folders_up(folder):
        yield from (os.path.join(one, name) for name in NAMES)


def _check(arguments: CheckArguments, run_check: RunCheck, print_message: PrintMessage) -> None:
    """Run one check in a separate process."""
    from multiprocessing import get_context

    # The next check, triggered by the fixed files, would clear the list of fixes.
    if sys.stdout.isatty() and not arguments.fix:
        sys.stdout.write(CLEAR_SCREEN)
    sys.stdout.write(f"[{time.strftime('%H:%M:%S')}] checking {', '.join(arguments.paths or ['.'])}\n\n")
    sys.stdout.flush()
    process = get_context("spawn").Process(target=_check_once, args=(arguments, run_check, print_message))
    process.start()
    try:
        process.join()
    except KeyboardInterrupt:
        process.terminate()
        process.join()
        raise
    sys.stdout.write("\nWaiting for a file to be saved; Ctrl-C ends.\n")
    sys.stdout.flush()


def _check_once(arguments: CheckArguments, run_check: RunCheck, print_message: PrintMessage) -> None:
    # The waiting parent process ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not arguments.output_format:
        os.environ.pop("GITHUB_ACTIONS", None)  # its format is not for people
    run_guarded(lambda: run_check(arguments, print_message))
