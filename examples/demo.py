"""A tour of flint over what lies beside this file: `make demo`.

Prints each command before what it says. That flint finds something is the point here, so the tour ends
with exit status 0 unless a command could not do its work (flint's exit status 2). The history and the report
are left in a temporary folder, to be looked at.
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
    ("A sound cluster: nothing to say.", "flint check examples/sound"),
    ("What Flink makes of it, down to the memory of its processes.",
     "flint show examples/sound/conf"),
    ("A session cluster that grew over the years.", "flint check examples/session"),
    ("Half moved to Flink 2: Flink refuses to start on it, the rest is judged all the same.",
     "flint check examples/migration --output-format concise"),
    ("A project: deployments, overlays, Helm values, Compose, Terraform, SQL, Java; and what each is judged for.",
     "flint check examples/shop --show-files"),
    ("What is wrong in it.", "flint check examples/shop --output-format concise"),
    ("Some of it shows only where files are read together: what a job writes, when checkpoints come, who reads it.",
     "flint check examples/shop --select kafka"),
    ("What one of the rules is about.", "flint explain FLK101"),
    ("What a value should be: two hundred million numbers of a sequence, and the frame they do not fit.",
     "flint size rpc-size --sequence 200M --parallelism 8 --frame 10485760b"),
    ("Half an hour of a real cluster, as its Prometheus told it: imported once, by Spark.",
     "flint history import examples/history/prometheus --into {folder}/store"),
    ("What is there now: half an hour of one day, which is little.", "flint history status {folder}/store"),
    ("Its configuration beside what its jobs did: what no file tells by itself.",
     "flint check examples/history --history {folder}/store"),
    ("What its settings should be, from what was observed; and the same as a page.",
     "flint recommend --history {folder}/store --config examples/history/conf --report {folder}/report.html"),
)  # fmt: skip


def main() -> int:
    """Run the tour; 1 when one of its commands failed."""
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
        print(f"\n# The page, to be opened in a browser (all of the tour's files are in {folder}):\n{report.as_uri()}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
