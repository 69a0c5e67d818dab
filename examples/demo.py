"""A tour of flint with the examples next to this file: `make demo`.

Prints each command and its output. flint is meant to find problems here, so the tour ends with exit status 0 unless a
command failed (flint's exit status 2). The history and the report stay in a temporary folder.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

EXIT_ERROR = 2
"""flint's exit status for wrong usage, unreadable input and internal errors."""

TOUR = (
    ("A cluster with nothing wrong.", "flint check examples/sound"),
    ("Its effective configuration and the memory of its processes.",
     "flint show examples/sound/conf"),
    ("A session cluster that grew over the years.", "flint check examples/session"),
    ("Half migrated to Flink 2: Flink refuses to start, and flint checks the rest anyway.",
     "flint check examples/migration --output-format concise"),
    ("A project with deployments, overlays, Helm values, Compose, Terraform, SQL and Java: its files and releases.",
     "flint check examples/shop --show-files"),
    ("Its findings.", "flint check examples/shop --output-format concise"),
    ("Some findings involve several files: what a job writes, when checkpoints run, and who reads the results.",
     "flint check examples/shop --select kafka"),
    ("The page of one rule.", "flint explain FLK101"),
    ("What a value should be: the RPC frame for a sequence of two hundred million numbers.",
     "flint size rpc-size --sequence 200M --parallelism 8 --frame 10485760b"),
    ("Half an hour of metrics of a real cluster, saved from its Prometheus: imported once, with Spark.",
     "flint history import examples/history/prometheus --into {folder}/store"),
    ("The contents of the store: half an hour of one day.", "flint history status {folder}/store"),
    ("The configuration compared with the metrics of its jobs: problems that no file shows.",
     "flint check examples/history --history {folder}/store"),
    ("Recommended settings from the metrics, also as an HTML page.",
     "flint recommend --history {folder}/store --config examples/history/conf --report {folder}/report.html"),
)  # fmt: skip


def main() -> int:
    """Run the tour and return the exit status: 1 if one of the commands failed."""
    bold, plain = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    folder = tempfile.mkdtemp(prefix="flint-tour-")
    failed = False
    for remark, command in TOUR:
        said = command.format(folder=shlex.quote(folder))
        print(f"\n# {remark}\n{bold}$ {said}{plain}", flush=True)
        arguments = [sys.executable, "-m", "flink_flint", *shlex.split(said)[1:]]
        failed |= subprocess.run(arguments, cwd=ROOT, check=False).returncode >= EXIT_ERROR
    report = Path(folder, "report.html")
    if report.is_file():
        print(f"\n# Open the page in a browser (all files of the tour are in {folder}):\n{report.as_uri()}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
