"""Scores, and the list of mutants that are excused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.__main__ import Score, excuse, percent
from tests.mutation.excuses import read_excuses, unused
from tests.mutation.modules import path_of
from tests.mutation.mutants import Mutant, mutants

ENTRY = """
[[equivalent]]
module = "flink_flint.rules.settings.toy"
line = "return not a"
becomes = "return a"
reason = "both are the same"
"""


def one() -> Mutant:
    (mutant,) = mutants("flink_flint.rules.settings.toy", "def check(a):\n    return not a\n", ("check",))
    return mutant


def listed(folder: Path, text: str) -> Path:
    path = folder / "equivalent.toml"
    path.write_text(text)
    return path


def test_an_excused_mutant_does_not_count(tmp_path: Path) -> None:
    excuses = read_excuses(listed(tmp_path, ENTRY))
    score = Score("flink_flint.rules.settings.toy", 3, (one(),))
    assert (score.family, score.tried, percent([score])) == ("settings", 4, 75.0)
    after = excuse(score, excuses)
    assert (after.tried, percent([after]), after.excused) == (3, 100.0, (one(),))
    assert unused(excuses, after.excused, ["flink_flint.rules.settings.toy"]) == []


def test_an_excuse_that_no_survivor_needs_is_told(tmp_path: Path) -> None:
    excuses = read_excuses(listed(tmp_path, ENTRY))
    assert unused(excuses, [], ["flink_flint.rules.settings.toy"]) == excuses
    assert unused(excuses, [], ["flink_flint.rules.settings.other"]) == []


@pytest.mark.parametrize("change", [("reason =", "why ="), ("both are the same", " "), ("becomes =", "after =")])
def test_an_entry_says_everything(change: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"equivalent\.toml: an entry"):
        read_excuses(listed(tmp_path, ENTRY.replace(*change)))


def test_the_list_speaks_of_lines_that_stand() -> None:
    for entry in read_excuses():
        assert entry.line in " ".join(path_of(entry.module).read_text(encoding="utf-8").split())


def test_no_mutants_at_all_are_no_failure() -> None:
    assert percent([]) == 100.0
