"""The entry point: prints the version for `--version` without further imports, otherwise runs the command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line of `flint`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from flink_flint.linter import __version__

        sys.stdout.write(f"flint {__version__}\n")
        return
    import gc

    gc.set_threshold(1_000_000, 50, 50)
    from flink_flint.linter.commands.errors import run_guarded

    run_guarded(_run)


def _run() -> None:
    if sys.argv[1:2] == ["check"]:
        from flink_flint.linter.commands.check_arguments import read_check

        if (arguments := read_check(sys.argv[2:])) is not None:
            from flink_flint.linter.commands.check import run_arguments
            from flink_flint.linter.commands.errors import print_message

            status = run_arguments(arguments, print_message)
            sys.stdout.flush()
            sys.stderr.flush()
            # All output is written and closed; unloading the modules would take a tenth of the time.
            os._exit(status)
    from flink_flint.linter.commands.main import run

    run()


if __name__ == "__main__":
    main()
