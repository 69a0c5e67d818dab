"""Troubles: how they are told on standard error, and what becomes of those that end a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

TROUBLE = 2
"""Exit status for wrong usage, preferences, unreadable input and internal errors."""

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

ISSUES = "https://github.com/flink-flint/flint/issues"


def tell(message: str, kind: str = "error") -> None:
    """Tell a trouble ("error", "warning" or "info") on standard error."""
    from linter.finding import Severity
    from linter.reports.style import Style, wants_color

    sys.stderr.write(f"{Style(wants_color(sys.stderr)).severity(Severity[kind.upper()], kind)}: {message}\n")
    sys.stderr.flush()


def run_guarded(command: Callable[[], None]) -> None:
    """Run a command; what nobody can use (ValueError) becomes a message and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        command()
    except ValueError as error:
        tell(str(error))
        sys.exit(TROUBLE)
    except KeyboardInterrupt:
        tell("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has what it wanted; without this, Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception:
        import traceback

        traceback.print_exc()
        tell("flint itself failed; please report it with what stands above: " + ISSUES)
        sys.exit(TROUBLE)
