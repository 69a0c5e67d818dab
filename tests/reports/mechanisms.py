"""The mechanisms of the mined reports, by frequency and damage, and the rules that report them."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.reports.outcomes import MINED

_TABLE = Path(__file__).with_name("mechanisms.toml")
_GRAVE = 4
"""The damage from which a single report that files show is enough."""


class Mechanism(NamedTuple):
    """What several reports have in common."""

    name: str
    area: str
    reports: int
    damage: int
    is_grave: bool
    """Whether a report of great damage shows in files."""

    @property
    def weight(self) -> int:
        return self.reports * self.damage

    @property
    def needs_entry(self) -> bool:
        """Whether the table must say which rules report it."""
        return self.reports > 1 or self.is_grave


def table() -> Mapping[str, Mapping[str, str | Sequence[str]]]:
    """Return the tables of mechanisms.toml: `same`, `rules` and `none`."""
    with open(_TABLE, "rb") as stream:
        return tomllib.load(stream)


def mechanisms() -> list[Mechanism]:
    """Return the mechanisms of all mined reports, the heaviest first."""
    same = table()["same"]
    reports = defaultdict(list)
    for line in MINED.read_text("utf-8").splitlines():
        one = json.loads(line)
        reports[same.get(one["mechanism"], one["mechanism"])].append(one)
    found = [
        Mechanism(
            str(name),
            some[0]["area"],
            len(some),
            max(one["damage"] for one in some),
            any(one["damage"] >= _GRAVE and one["catchable"] == "static" for one in some),
        )
        for name, some in reports.items()
    ]
    return sorted(found, key=lambda one: (-one.weight, one.name))


def ranking() -> str:
    """Return the mechanisms that need an entry as a table, with their rules or the reason why there is none."""
    tables = table()
    lines = ["| mechanism | area | reports | damage | rules, or why none |", "|---|---|---|---|---|"]
    for one in mechanisms():
        if one.needs_entry:
            rules = tables["rules"].get(one.name)
            said = " ".join(rules) if rules else tables["none"].get(one.name, "?")
            lines.append(f"| {one.name} | {one.area} | {one.reports} | {one.damage} | {said} |")
    return "\n".join(lines)
