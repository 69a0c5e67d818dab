"""Reads what real releases of Flink answered to the claims of rules, as recorded in `rules/verdicts.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache

from flink_flint.linter.engine.registry import PACKAGE
from flink_flint.linter.flink.releases import parse_release
from flink_flint.linter.model.claim import IGNORES, USES, Claim
from flink_flint.linter.text.named_tuple import NamedTuple

VERDICTS = os.path.join(PACKAGE, "verdicts.json")
"""The path of the recorded verdicts, which `make oracle` writes."""

_REFUSED, _NOT_THERE = "!", "-"


class Verdict(NamedTuple):
    """What one release of Flink makes of the bad and of the good settings of a claim.

    An answer begins with ``!`` if Flink refuses the settings, with the exception; with ``+`` if it builds something of
    them; with ``~`` if it waits for another system; and with ``-`` if the release has no such code.
    """

    release: str
    bad: str
    good: str

    @property
    def is_asked(self) -> bool:
        """Whether the release has the code in question, and takes the good settings."""
        return not self.bad.startswith(_NOT_THERE) and not self.good.startswith((_NOT_THERE, _REFUSED))

    def confirms(self, claim: Claim) -> bool:
        """Return whether the release does what the claim says."""
        if not self.is_asked:
            return False
        if claim.kind == USES:
            return claim.shows in self.bad and claim.shows not in self.good
        return self.bad == self.good if claim.kind == IGNORES else self.bad.startswith(_REFUSED)


Recorded = Mapping[str, Sequence[tuple[Claim, Sequence[Verdict]]]]
"""The claims of each rule by its code, with the answers to each, those of the oldest release first."""


@cache
def recorded() -> Recorded:
    """Return all recorded verdicts; empty if there are none."""
    try:
        with open(VERDICTS, encoding="utf-8") as stream:
            rules = json.load(stream)
    except FileNotFoundError:
        return {}
    return {code: [(Claim(*fields), _verdicts(rows)) for *fields, rows in claims] for code, claims in rules.items()}


def _verdicts(rows: Sequence[tuple[Sequence[str], str, str]]) -> list[Verdict]:
    found = [Verdict(release, bad, good) for releases, bad, good in rows for release in releases]
    return sorted(found, key=lambda one: parse_release(one.release))


def spelled(found: Recorded) -> str:
    """Return verdicts as the content of the file, in which equal answers of releases take one line."""
    rules: list[str] = []
    for code, claims in sorted(found.items()):
        shown: list[str] = []
        for claim, verdicts in claims:
            rows: dict[tuple[str, str], list[str]] = {}
            for one in verdicts:
                rows.setdefault((one.bad, one.good), []).append(one.release)
            lines = ",\n   ".join(_json([releases, *answers]) for answers, releases in rows.items())
            shown.append(f"{_json(list(claim))[:-1]}, [\n   {lines}]]")
        rules.append(f"{_json(code)}: [\n  " + ",\n  ".join(shown) + "]")
    return "{\n" + ",\n".join(rules) + "\n}\n"


def verified_on(code: str) -> str:
    """Return the releases on which a claim of a rule was found true, in words; empty if there is none."""
    claims = recorded().get(code, ())
    found = {one.release for claim, verdicts in claims for one in verdicts if one.confirms(claim)}
    known = sorted({one.release for _, verdicts in claims for one in verdicts}, key=parse_release)
    true = [release for release in known if release in found]
    if len(true) < 3:
        return " and ".join(true)
    first, last = known.index(true[0]), known.index(true[-1])
    is_whole = true == known[first : last + 1]
    return f"{true[0]} … {true[-1]}" if is_whole else ", ".join(true)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
