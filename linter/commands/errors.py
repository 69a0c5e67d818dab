"""Error messages on standard error, and the handling of errors that end a command."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.output import ISSUES

if TYPE_CHECKING:
    from flink_flint.linter.engine.discovery import Skipped

EXIT_ERROR = 2
"""The exit status for wrong usage, an invalid flint configuration, unreadable input and internal errors."""

INTERRUPTED = 130
"""The exit status after Ctrl-C: 130, as in shells."""

PrintMessage = Callable[..., None]
"""A function that prints a message for the user, given the message and its kind: error, warning or info."""


def print_message(message: str, kind: str = "error") -> None:
    """Print a message to standard error, prefixed with its kind ("error", "warning" or "info")."""
    from flink_flint.linter.model.finding import Severity
    from flink_flint.linter.output.terminal_style import Style, uses_color

    sys.stderr.write(f"{Style(uses_color(sys.stderr)).severity(Severity[kind.upper()], kind)}: {message}\n")
    sys.stderr.flush()


def print_unread(skipped: Sequence[Skipped], print_message: PrintMessage) -> None:
    """Report the Flink files that were not read, with one message per reason."""
    reasons: dict[str, list[str]] = {}
    for one in skipped:
        if one.is_unread:
            reasons.setdefault(one.reason, []).append(one.path)
    for reason, paths in reasons.items():
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        print_message(f"not read: {paths[0]}{more}: {reason}", kind="info")


def run_guarded(command: Callable[[], object]) -> None:
    """Run a command; a ValueError becomes an error message and exit status 2."""
    from flink_flint.linter.model.safe_text import NeutralStream
    from flink_flint.linter.output.terminal_style import uses_color

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process: discard the output, keep the status
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - stays open until the end
        stream = getattr(sys, name)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        setattr(sys, name, NeutralStream(stream, color=uses_color(stream)))
    try:
        try:
            command()
        finally:
            sys.stdout.flush()  # a failure at exit could not be reported any more
    except ValueError as error:
        print_message(str(error))
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        print_message("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; without this, Python reports it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            print_message(f"{error.filename or 'standard output'}: cannot write: {os.strerror(error.errno).lower()}")
            # Writing the buffered rest would fail at exit again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(EXIT_ERROR)
        import traceback

        traceback.print_exc()
        print_message("internal error; please report it with the output above: " + ISSUES)
        sys.exit(EXIT_ERROR)
