"""The benchmarks: `python -m tests.benchmarks [--strict] [--sample N] [--sample-seed SEED] [NAME...]`.

Runs all unless some are named; with `--sample`, N of those that take less than a minute, chosen by the seed.

Prints processor time (user and system, median of several runs), the target beside it, and how often a bare
`python -c pass` and yamllint on the same files would fit into it. With `--strict` a missed target makes
the exit status 1; without, nothing does, since the machine decides as much as the code.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flink_flint.linter.output import FORMATS
from tests.benchmarks import rule_costs
from tests.benchmarks.editor import editor
from tests.benchmarks.growth import sampled
from tests.benchmarks.hook import hook
from tests.benchmarks.inputs import bad_files, many_files, many_keys, mixed_files, stock_folder
from tests.benchmarks.measuring import ROOT, RUNS, cost, flint
from tests.benchmarks.project import named_file
from tests.benchmarks.table import Table

YAMLLINT = (sys.executable, "-m", "yamllint", "-d", "relaxed")

SLOWEST = 12
"""How many rules are printed, the slowest first."""

FEW_RUNS = 3
"""For what takes seconds."""

LOAD_CATALOGUE = """
import time
from flink_flint.linter.flink.options import catalogue
start = time.process_time()
catalogue().accept("taskmanager.memory.process.size", 0)
print((time.process_time() - start) * 1000)
"""


def one_file(table: Table, folder: Path) -> None:
    """Starting up, and one file as a release ships it."""
    stock = folder / "stock"
    table.time("flint --version", flint("--version", folder=stock).milliseconds, 30)
    yamllint = cost((*YAMLLINT, "config.yaml"), stock).milliseconds
    check = flint("check", "config.yaml", folder=stock)
    table.time("flint check, one stock file and flint.toml", check.milliseconds, 80, yamllint=yamllint)
    table.figure("  its memory", check.mebibytes, 60, "MB")
    table.time("flint explain FLK101", flint("explain", "FLK101", folder=stock).milliseconds)
    table.time("flint show, one stock file", flint("show", "config.yaml", folder=stock).milliseconds)
    loads = [
        float(subprocess.run([sys.executable, "-c", LOAD_CATALOGUE], cwd=ROOT, capture_output=True, check=True).stdout)
        for _ in range(RUNS)
    ]
    table.time("loading the option catalogue", statistics.median(loads), 10)


def rules(table: Table, folder: Path) -> None:
    """What each rule takes of a run over many files: of `CORPUS`, a folder, or of files of five kinds."""
    corpus = os.environ.get("CORPUS") or str(mixed_files(folder / "mixed-for-rules", 500))
    command = (sys.executable, "-m", "tests.benchmarks.rule_costs", corpus)
    costs = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    for code, seconds in sorted(costs["by_rule"].items(), key=lambda pair: -pair[1])[:SLOWEST]:
        target = None if rule_costs.is_exempt(code) else rule_costs.LARGEST_SHARE * 100
        table.figure(f"{code} of a run over {os.path.basename(corpus)}", 100 * seconds / costs["whole"], target, "%")


def files(table: Table, folder: Path) -> None:
    """Many small files."""
    times = {}
    for number, runs, target in ((1_000, FEW_RUNS, 1200.0), (10_000, 1, None)):
        tree = many_files(folder / f"files-{number}", number)
        yamllint = cost((*YAMLLINT, "."), tree, runs=1).milliseconds if number == 1_000 else None
        times[number] = flint(
            "check", "-j", "1", "--output-format", "concise", ".", folder=tree, runs=runs
        ).milliseconds
        table.time(f"flint check, {number} files, one process", times[number], target, yamllint=yamllint)
    table.figure("  10 000 files against 1 000", times[10_000] / times[1_000], 11, "x")


def file_formats(table: Table, folder: Path) -> None:
    """One file of each kind, and many of all."""
    tree = mixed_files(folder / "kinds", 5)
    for path, target in (("deployment.yaml", 90), ("*.java", 110), ("job.sql", None), ("docker-compose.yml", None)):
        file = next(tree.rglob(path))
        table.time(f"flint check, one {file.name}", flint("check", str(file), folder=tree).milliseconds, target)
    tree = mixed_files(folder / "mixed", 1_000)
    check = flint("check", "-j", "1", "--output-format", "concise", ".", folder=tree, runs=FEW_RUNS)
    table.time("flint check, 1000 files of five kinds, one process", check.milliseconds, 2_500)


def keys(table: Table, folder: Path) -> None:
    """One file that grows; what a check costs that has next to nothing to do is taken off before comparing."""
    for name in ("flink-conf.yaml", "config.yaml"):
        idle = flint("check", name, folder=many_keys(folder / f"{name}-1", name, 1)).milliseconds
        times = {}
        for number, runs in ((100, RUNS), (1_000, RUNS), (10_000, FEW_RUNS)):
            tree = many_keys(folder / f"{name}-{number}", name, number)
            times[number] = flint("check", "--output-format", "concise", name, folder=tree, runs=runs).milliseconds
            table.time(f"flint check, {number} keys in a {name}", times[number])
        table.figure(
            "  each further key, 10 000 against 1 000", (times[10_000] - idle) / (times[1_000] - idle), 11, "x"
        )


def sizing(table: Table, folder: Path) -> None:
    """One answer of a calculator."""
    question = ("size", "async-io", "--rate", "3000/s", "--latency", "40ms", "--read-timeout", "2s")
    table.time("flint size async-io", flint(*question, folder=folder).milliseconds, 90)
    memory = ("size", "taskmanager-memory", "--live-set", "1.5gb", "--managed", "2gb")
    table.time("flint size taskmanager-memory", flint(*memory, folder=folder).milliseconds, 90)


def reports(table: Table, folder: Path) -> None:
    """A thousand findings in a thousand files, in each format."""
    tree = bad_files(folder / "bad-for-reports", 1_000)

    def in_format(name: str) -> float:
        words = ("check", "-j", "1", "--output-format", name, "--output-file", str(folder / "report"), ".")
        return flint(*words, folder=tree, runs=FEW_RUNS).milliseconds

    concise = in_format("concise")
    table.time("flint check, 1000 findings, concise", concise)
    for name in FORMATS:
        if name != "concise":
            table.figure(f"  {name} against concise", in_format(name) / concise, 2, "x")


def comment(table: Table, folder: Path) -> None:
    """What a pull request with a thousand findings is told; nothing is posted."""
    tree = bad_files(folder / "bad-for-comment", 1_000)
    words = ("check", "--exit-zero", "--output-format", "json", "--output-file")
    flint(*words, "head.json", ".", folder=tree, runs=1)
    flint(*words, "base.json", *(f"team-{team}" for team in range(5)), folder=tree, runs=1)
    dry = ("comment", "--forge", "github", "--dry-run")
    table.time("flint comment, 1000 findings", flint(*dry, "head.json", folder=tree, runs=FEW_RUNS).milliseconds)
    against = flint(*dry, "--base", "base.json", "head.json", folder=tree, runs=FEW_RUNS)
    table.time("flint comment, 1000 findings, half of them new", against.milliseconds)
    table.figure("  its memory", against.mebibytes, None, "MB")


def history(table: Table, folder: Path) -> None:
    """Imports and recommendations; minutes."""
    # Not before: a command's memory is told as no less than what this process has.
    from tests.benchmarks.history import history

    history(table, folder)


BENCHMARKS = {
    one.__name__: one
    for one in (
        one_file,
        sizing,
        rules,
        files,
        named_file,
        file_formats,
        keys,
        reports,
        comment,
        hook,
        editor,
        sampled,
        history,
    )
}

LONG = {"history", "hook", "files", "named_file"}
"""Benchmarks that take more than a minute."""


def main(arguments: Sequence[str]) -> int:
    """Run the benchmarks."""
    options = _options(arguments)
    names = options.names or list(BENCHMARKS)
    if options.sample is not None:
        short = [name for name in names if name not in LONG]
        names = random.Random(options.sample_seed).sample(short, min(options.sample, len(short)))
    table = Table()
    with tempfile.TemporaryDirectory(prefix="flint-bench-") as scratch:
        stock_folder(Path(scratch) / "stock")
        for name in names:
            BENCHMARKS[name](table, Path(scratch))
    return int(table.missed and options.strict)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--strict", action="store_true", help="exit status 1 if a target is missed")
    parser.add_argument("--sample", type=int, metavar="N", help="run N of the short benchmarks")
    parser.add_argument("--sample-seed", type=int, default=1, metavar="SEED", help="another seed chooses others")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no benchmark is named {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
