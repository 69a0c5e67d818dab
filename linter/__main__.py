"""The entry point: answers `--version` without importing anything, else hands over to the command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of `flint`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from linter import __version__

        sys.stdout.write(f"flint {__version__}\n")
        return
    import gc

    gc.set_threshold(100_000, 50, 50)
    from linter.cli import run

    run()


if __name__ == "__main__":
    main()
