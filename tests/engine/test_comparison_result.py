"""Matching renamed files by their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.engine import comparison_result as comparison
from flink_flint.linter.engine.comparison_result import Identity, renamed_files

PATHS = st.sampled_from([f"{folder}/{name}" for folder in "abcd" for name in ("x.yaml", "y.yaml")])
FILES = st.dictionaries(
    PATHS, st.dictionaries(st.sampled_from("pqr"), st.integers(1, 3), min_size=1, max_size=3), max_size=6
)


def _files(said: Mapping[str, Mapping[str, int]]) -> dict[str, Counter[Identity]]:
    return {path: Counter({(code, "", ""): number for code, number in found.items()}) for path, found in said.items()}


@pytest.mark.slow
@given(FILES, FILES)
def test_no_two_files_have_more_in_common_than_what_they_are_paired_with(
    old: Mapping[str, Mapping[str, int]], new: Mapping[str, Mapping[str, int]]
) -> None:
    gone, come = _files(old), _files(new)
    renamed = renamed_files(gone, come)
    assert len(set(renamed.values())) == len(renamed)

    def common(one: str | None, other: str | None) -> int:
        return 0 if one is None or other is None else (gone[one] & come[other]).total()

    before = {there: here for here, there in renamed.items()}
    assert all(common(*pair) for pair in renamed.items())
    for one in gone:
        for other in come:
            assert common(one, other) <= max(common(one, renamed.get(one)), common(before.get(other), other))


def test_of_equal_findings_the_name_decides_and_then_the_order() -> None:
    gone = _files({"a/x.yaml": {"p": 1}, "a/y.yaml": {"p": 1}, "a/z.yaml": {"p": 1}})
    come = _files({"b/1.yaml": {"p": 1}, "b/2.yaml": {"p": 1}, "b/y.yaml": {"p": 1}})
    assert renamed_files(gone, come) == {"a/x.yaml": "b/1.yaml", "a/y.yaml": "b/y.yaml", "a/z.yaml": "b/2.yaml"}


def test_files_without_findings_are_paired_with_none() -> None:
    assert renamed_files({"a": Counter()}, {"b": Counter()}) == {}


class Counted(str):
    """A code that counts how often it is looked up."""

    __slots__ = ()
    lookups = 0

    def __hash__(self) -> int:
        Counted.lookups += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


def test_files_are_not_held_against_each_other_one_by_one() -> None:
    common = Counted("FLK101")

    def files(folder: str, own: bool) -> dict[str, Counter[Identity]]:
        return {
            f"{folder}/{number}.yaml": Counter(
                {(common, "", ""): 1} | ({(Counted(f"{folder}{number}"), "", ""): 1} if own else {})
            )
            for number in range(700)
        }

    for own, paired in ((False, 700), (True, 0)):
        gone, come = files("a", own), files("b", own)
        Counted.lookups = 0
        assert len(renamed_files(gone, come)) == paired
        assert Counted.lookups < 20 * len(gone), "each with each would be 700 for each file"


@pytest.mark.slow
def test_what_many_files_have_connects_them_as_far_as_the_bound_goes() -> None:
    few = _files({f"a/{number}": {"p": 1, f"{number}": 1, "mine": 1} for number in range(300)})
    come = _files({f"b/{number}": {"p": 1, f"{number}": 1, "yours": 1} for number in range(300)})
    assert few.keys() == renamed_files(few, come).keys()
    assert all(old[1:] == new[1:] for old, new in renamed_files(few, come).items())
    many = {f"{path}-{number}": found for path, found in few.items() for number in range(3)}
    assert len(many) * len(come) > comparison.MAX_SHARED
    assert all(old[1:].startswith(new[1:] + "-") for old, new in renamed_files(many, come).items())
