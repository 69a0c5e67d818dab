"""Compares `flint show` with real releases of the operator: `python -m tests.operator_configuration`.

Prints a table and what differs, and exits 1 if anything does that `agreement.json` does not have. With the jars of all
releases it records the table there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from flink_flint.linter.filesystem.writing import write_whole
from tests.operator.libraries import RELEASES, can_be_had
from tests.operator_configuration.agreement import AGREEMENT, COUNT, recorded
from tests.operator_configuration.comparison import compare


def main() -> int:
    """Compare, print and record; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.operator_configuration")
    parser.add_argument("--libraries", type=Path, metavar="FOLDER", help="has a folder of jars for each release")
    parser.add_argument("--releases", nargs="*", default=[], metavar="RELEASE")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    has = [one for one in RELEASES if can_be_had(one, arguments.libraries)]
    asked = [one for one in has if not arguments.releases or one.startswith(tuple(arguments.releases))]
    known, worse = recorded(), False
    for release in asked:
        found = compare(release, COUNT, arguments.seed, arguments.libraries)
        keys = Counter(one.key for one in found.differences)
        print(f"{release}: {found.agreeing} of {found.asked - found.refused} agree, {found.refused} refused")
        for one in {one.key: one for one in reversed(found.differences)}.values():
            print(f"  {keys[one.key]:3} {one}")
        worse |= not set(keys) <= set(known.get(release, {}).get("differences", ()))
        known[release] = {
            "agree": found.agreeing, "accepted": found.asked - found.refused,
            "differences": dict(sorted(keys.items())),
        }  # fmt: skip
    if arguments.seed == 1:
        table = {release: known[release] for release in RELEASES if release in known}
        write_whole(str(AGREEMENT), (json.dumps(table, indent=1) + "\n").encode())
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
