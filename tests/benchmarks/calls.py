"""How many calls a run of `flint check` makes: the same on every machine, however busy it is.

What is quadratic shows at small sizes already. What one call does within C (a regular expression, the copy of a text)
is not counted; that is for time to tell.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measuring import ROOT

_COUNT = """
import cProfile, os, sys
from flink_flint.linter.commands.check_arguments import read_check
sys.stderr = open(os.devnull, "w")
told, sys.stdout = sys.stdout, open(os.devnull, "w")
def run(arguments):
    from flink_flint.linter.commands.check import run_arguments
    run_arguments(arguments, lambda *texts, **kinds: None)
profile = cProfile.Profile()
profile.runcall(run, read_check(sys.argv[1:]))
print(sum(one.callcount for one in profile.getstats()), file=told)
"""


def calls(command: Sequence[str], folder: Path) -> int:
    """The calls of `flint` with the arguments of a command; raises CalledProcessError where it breaks."""
    _, *arguments = command
    ran = subprocess.run(
        [sys.executable, "-c", _COUNT, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "PATH": ""},
        check=True,
        capture_output=True,
        text=True,
    )
    return int(ran.stdout)
