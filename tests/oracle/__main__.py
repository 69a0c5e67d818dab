"""Puts the claims of rules to real Flink: `python -m tests.oracle [--rules CODE ...] [--releases RELEASE ...]`.

Prints where a rule disagrees with Flink, and exits 1 if one does. With all rules and releases, it records the answers
in `rules/verdicts.json`; otherwise it records those of the rules and releases that were asked, beside the others.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable

from flink_flint.linter.engine.verdicts import VERDICTS, Verdict, recorded, spelled
from flink_flint.linter.filesystem.writing import write_whole
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.claim import PROBES, Claim
from tests.oracle.agreement import disagreements
from tests.oracle.asking import all_claims, answers, is_asked, newest_patches, older_patches


def main() -> int:
    """Ask, record and compare; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle")
    parser.add_argument("--rules", nargs="*", default=[], metavar="CODE")
    parser.add_argument("--releases", nargs="*", default=[], metavar="RELEASE")
    parser.add_argument("--parts", nargs="*", default=[], metavar="PROBE", help="ask only these parts of Flink")
    parser.add_argument("--times", action="store_true", help="print the claims that took longest")
    arguments = parser.parse_args()
    start = time.monotonic()
    known = all_claims()
    chosen = {code: claims for code, claims in known.items() if not arguments.rules or code in arguments.rules}
    patches = sorted(
        [*newest_patches(), *older_patches(one for claims in chosen.values() for one in claims)], key=parse_release
    )
    asked = [one for one in patches if not arguments.releases or one.startswith(tuple(arguments.releases))]
    parts = arguments.parts or PROBES
    times: dict[Claim, int] = {}
    given = answers((claim for claims in chosen.values() for claim in claims if claim.probe in parts), asked, times)
    earlier = {(code, claim): verdicts for code, found in recorded().items() for claim, verdicts in found}
    found = {
        code: [
            (claim, _merged(claim, earlier.get((code, claim), ()), given.get(claim, ()) if code in chosen else ()))
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
    if arguments.times:
        for claim, taken in sorted(times.items(), key=lambda one: -one[1])[:20]:
            print(f"{taken / 1000:6.1f} s  {claim.probe}: {'; '.join(claim.bad.splitlines())[:80]}")
    print(
        f"{sum(map(len, chosen.values()))} claims of {len(chosen)} rules put to {len(asked)} releases in"
        f" {time.monotonic() - start:.0f} s: {len(problems)} disagreements"
    )
    return 1 if problems else 0


def _merged(claim: Claim, earlier: Iterable[Verdict], given: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts of the releases that a claim asks, given ones instead of earlier ones, the oldest first."""
    by_release = {one.release: one for one in (*earlier, *given) if is_asked(claim, one.release)}
    return [by_release[release] for release in sorted(by_release, key=parse_release)]


if __name__ == "__main__":
    sys.exit(main())
