"""Mutants of packages: which conditions, which tests, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.__main__ import _mark, main
from tests.mutation.mutants import mutants
from tests.mutation.packages import ROOT, folders_of, packages, sampled, trials
from tests.mutation.trial import Outcome

SOURCE = '''\
LIMIT = 3


def first(values: list[int]) -> int | None:
    """Return the first value above the limit."""
    for value in values:
        if value > LIMIT and value != 7:
            return value
    return None
'''


def test_conditions_are_broken_and_nothing_else() -> None:
    found = [mutant.after.strip() for mutant in mutants("flink_flint.linter.a", SOURCE, conditions_only=True)]
    assert found == [
        "if False:",
        "if True:",
        "if value != 7:",
        "if value > LIMIT and value == 7:",
        "if value > LIMIT:",
        "if value >= LIMIT and value != 7:",
    ]


def test_every_package_has_tests() -> None:
    assert {"calculators", "calculators.formulas", "linter.flink", "linter.text"} <= set(packages())
    for package in packages():
        assert all(any((ROOT / folder).glob("test_*.py")) for folder in folders_of(package)), package


def test_a_seed_draws_the_same_sample_again() -> None:
    one, again, other = sampled("linter.text", 5, 1), sampled("linter.text", 5, 1), sampled("linter.text", 5, 2)
    assert one == again != other
    assert len(one) == 5
    assert all(mutant.module.startswith("flink_flint.linter.text.") for mutant in one)


def test_what_tests_noticed_is_not_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "killed"
    file.write_text("".join(f"{_mark(mutant)}\n" for mutant in sampled("linter.text", 3, 1)), encoding="utf-8")
    assert main(["--at-least", "100", "--sample", "3", "--killed", str(file), "linter.text"]) == 0
    assert "3/3      100.0 %" in capsys.readouterr().out


def test_a_mutant_is_known_again_by_its_code_alone() -> None:
    (one, *others), (same, *_) = (
        mutants("flink_flint.linter.a", source, conditions_only=True)
        for source in (SOURCE, SOURCE.replace("Return the", "Search the"))
    )
    assert _mark(one) == _mark(same)
    assert len({_mark(mutant) for mutant in (one, *others)}) == 1 + len(others)


@pytest.mark.slow
def test_the_tests_of_a_package_notice_what_breaks_it() -> None:
    chosen = sampled("linter.text", 2, 1)
    unchanged = chosen[0]._replace(source=(ROOT / chosen[0].path).read_text(encoding="utf-8"))
    broken = chosen[1]._replace(source="raise ImportError\n")
    assert dict(trials("linter.text", [unchanged, broken])) == {
        unchanged: Outcome.SURVIVED, broken: Outcome.KILLED,
    }  # fmt: skip
