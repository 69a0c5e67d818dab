"""Puts the claims of rules to real Flink: `python -m tests.oracle [--rules CODE ...] [--releases RELEASE ...]`.

Prints where a rule disagrees with Flink, and exits 1 if one does. With all rules and releases, it records the answers
in `rules/verdicts.json`; otherwise it records those of the rules and releases that were asked, beside the others.
"""

from __future__ import annotations

import argparse
import sys
import time

from flink_flint.linter.engine.verdicts import VERDICTS, Verdict, recorded, spelled
from flink_flint.linter.filesystem.writing import write_whole
from flink_flint.linter.model.claim import PROBES
from tests.oracle.agreement import disagreements
from tests.oracle.asking import all_claims, answers, newest_patches


def main() -> int:
    """Ask, record and compare; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle")
    parser.add_argument("--rules", nargs="*", default=[], metavar="CODE")
    parser.add_argument("--releases", nargs="*", default=[], metavar="RELEASE")
    parser.add_argument("--parts", nargs="*", default=[], metavar="PROBE", help="ask only these parts of Flink")
    arguments = parser.parse_args()
    start = time.monotonic()
    known = all_claims()
    chosen = {code: claims for code, claims in known.items() if not arguments.rules or code in arguments.rules}
    asked = [one for one in newest_patches() if not arguments.releases or one.startswith(tuple(arguments.releases))]
    parts = arguments.parts or PROBES
    given = answers((claim for claims in chosen.values() for claim in claims if claim.probe in parts), asked)
    earlier = {(code, claim): verdicts for code, found in recorded().items() for claim, verdicts in found}
    found = {
        code: [
            (claim, _merged(earlier.get((code, claim), ()), given.get(claim, ()) if code in chosen else ()))
            for claim in claims
        ]
        for code, claims in known.items()
    }
    write_whole(VERDICTS, spelled(found).encode())
    problems = [
        problem
        for code in chosen
        for claim, verdicts in found[code]
        for problem in disagreements(code, claim, [one for one in verdicts if one.release in asked])
    ]
    problems += [
        f"{code} is true of no release: {'; '.join(claim.bad.splitlines())}"
        for code in chosen
        for claim, verdicts in found[code]
        if not any(one.confirms(claim) for one in verdicts)
    ]
    for problem in problems:
        print(problem)
    print(
        f"{sum(map(len, chosen.values()))} claims of {len(chosen)} rules put to {len(asked)} releases in"
        f" {time.monotonic() - start:.0f} s: {len(problems)} disagreements"
    )
    return 1 if problems else 0


def _merged(earlier: object, given: object) -> list[Verdict]:
    """Return verdicts by release, the given ones instead of earlier ones, the oldest release first."""
    by_release = {one.release: one for one in (*earlier, *given)}  # type: ignore[misc]
    return [by_release[release] for release in newest_patches() if release in by_release]


if __name__ == "__main__":
    sys.exit(main())
