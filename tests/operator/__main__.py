"""Compares the port of the validator with releases of the operator: `python -m tests.operator [--libraries FOLDER]`.

Prints one row a release: the resources, those that it refuses, and how often the port gives the same verdict and the
same message; then what disagrees, and the refusals by kind. Exits with 1 if a verdict disagrees.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from tests.operator.agreement import Agreement, compared
from tests.operator.generated import questions
from tests.operator.libraries import RELEASES, can_be_had, class_path
from tests.operator.real_validator import answers
from tests.operator.recorded import SAMPLE, SEED, record, record_agreement

_SHOWN = 5
"""The disagreements that are shown of a release."""


def main() -> int:
    """Ask, compare and record; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.operator")
    parser.add_argument("--libraries", type=Path, metavar="FOLDER", help="has a folder of jars for each release")
    parser.add_argument("--releases", nargs="*", default=[], metavar="RELEASE")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--record", action="store_true", help="record the table, and the answers to the sample")
    arguments = parser.parse_args()
    kinds: Counter[str] = Counter()
    disagree = 0
    for release in RELEASES:
        if arguments.releases and not release.startswith(tuple(arguments.releases)):
            continue
        if not can_be_had(release, arguments.libraries):
            print(f"{release:8} not published: give a folder with its jars by --libraries")
            continue
        major, minor, _ = map(int, release.split("."))
        asked = list(questions((major, minor), arguments.count, arguments.seed))
        given = answers(class_path(release, arguments.libraries), asked)
        found = compared((major, minor), asked, given)
        kinds.update(found.kinds)
        disagree += found.questions - found.verdicts
        _show(release, found)
        if arguments.record and arguments.seed == SEED and arguments.count >= SAMPLE:
            record({release: given[:SAMPLE]})
            record_agreement({release: found})
    for kind, count in sorted(kinds.items(), key=lambda one: -one[1]):
        print(f"{count:7} {kind}")
    return 1 if disagree else 0


def _show(release: str, found: Agreement) -> None:
    print(
        f"{release:8} {found.questions} resources, {found.refused} refused: {found.verdicts} same verdict,"
        f" {found.messages} same message",
        flush=True,
    )
    for question, real, own in found.differences[:_SHOWN]:
        print(f"  {json.dumps(question)}\n    operator: {real}\n    flint:    {own}")


if __name__ == "__main__":
    sys.exit(main())
