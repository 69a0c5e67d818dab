"""Checks real reports, prints which causes flint names: `python -m tests.reports FACTS|--mined|--apart [--missed]`.

FACTS/reports/reports.jsonl has the reports. Exits with 1 if fewer than 85 in 100 of those whose files show the
cause are named, not counting the excused ones. `mined.jsonl` has others, read in public trackers; every fifth of
those is kept apart (`--apart`), and no rule is written for it. `--ranking` prints which rules report their mechanisms.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.reports.mechanisms import ranking
from tests.reports.outcomes import KINDS, MINED, NAMED, Judgment, Outcome, judgments, outcome, reports_in

_NEEDED = 0.85


def main() -> int:
    """Check, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reports")
    parser.add_argument("facts", type=Path, nargs="?", help="the folder with reports/reports.jsonl")
    parser.add_argument("--mined", action="store_true", help="the reports of mined.jsonl with files")
    parser.add_argument("--apart", action="store_true", help="every fifth of these, which the others leave out")
    parser.add_argument("--missed", action="store_true", help="list the reports that are not named, with their causes")
    parser.add_argument("--ranking", action="store_true", help="the mechanisms of all mined reports with their rules")
    arguments = parser.parse_args()
    if arguments.ranking:
        print(ranking())
        return 0
    if arguments.mined or arguments.apart:
        mined = [one for one in reports_in(MINED) if one.files]
        reports = [one for place, one in enumerate(mined) if (place % 5 == 4) == arguments.apart]
    elif arguments.facts is None:
        parser.error("name a folder, or --mined or --apart")
    else:
        reports = list(reports_in(arguments.facts / "reports" / "reports.jsonl"))
    judged = judgments()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda one: outcome(one, judged.get(one.identity, Judgment({}, ""))), reports))
    if arguments.missed:
        _print_missed(outcomes)
    print(table(outcomes))
    static = [one for one in outcomes if one.report.catchable == "static"]
    named = sum(one.kind == NAMED for one in static)
    excused = sum(one.excused for one in static)
    print(f"{named} of {len(static)} named ({named / len(static):.0%}), {excused} excused")
    return 0 if named >= _NEEDED * (len(static) - excused) else 1


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the number of reports of each kind, by area and by whether their files show the cause."""
    counts = Counter((one.report.catchable, one.report.area, one.kind) for one in outcomes)
    rows = sorted({key[:2] for key in counts}, key=lambda row: (row[0] != "static", row))
    lines = ["| shown by | area | " + " | ".join(KINDS) + " | all |", "|---|---|" + "---|" * (len(KINDS) + 1)]
    for row in rows:
        cells = [counts[(*row, kind)] for kind in KINDS]
        lines.append(f"| {row[0]} | {row[1]} | " + " | ".join(map(str, cells)) + f" | {sum(cells)} |")
    return "\n".join(lines)


def _print_missed(outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        if one.kind != NAMED and one.report.catchable == "static":
            print(f"{one.report.identity}  {one.kind}{', excused' if one.excused else ''}: {one.report.cause}")
            if one.found or one.others:
                at, elsewhere = (" ".join(codes) or "nothing" for codes in (one.found, one.others))
                print(f"    at the culprit: {at}; elsewhere: {elsewhere}")


if __name__ == "__main__":
    sys.exit(main())
