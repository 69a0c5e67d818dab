"""`flint show` prints for a resource what the operator makes of it."""

from __future__ import annotations

import pytest

from tests.operator.libraries import PUBLISHED, RELEASES
from tests.operator_configuration.agreement import COUNT, recorded
from tests.operator_configuration.comparison import compare
from tests.operator_configuration.generated_resources import questions

SAMPLE = 60


def test_all_releases_have_been_compared() -> None:
    table = recorded()
    assert set(table) == set(RELEASES), "run `make operator-configuration LIBRARIES=FOLDER`"
    for release, row in table.items():
        assert row["accepted"] > 0.9 * COUNT, release
        assert row["agree"] + sum(row["differences"].values()) >= row["accepted"], release


KNOWN = {
    "1.4.0": 1,  # merges by place, whatever the option says that 1.5 brought
    "1.5.0": 1,  # adds a second main container for the ephemeral storage where a sidecar comes first
    "1.11.0": 2,  # loses one of two keys of which one begins with the other, by a hash; later ones refuse them
}
"""How many resources each release makes something else of, which is not worth following."""


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_agrees(release: str) -> None:
    row = recorded()[release]
    assert row["agree"] >= row["accepted"] - KNOWN.get(release, 0), row["differences"]


@pytest.mark.tools
@pytest.mark.parametrize("release", PUBLISHED)
def test_a_sample_agrees_with_the_real_operator(release: str) -> None:
    found = compare(release, SAMPLE, seed=2)
    known = recorded()[release]["differences"]
    assert [str(one) for one in found.differences if one.key not in known] == []
    assert found.asked - found.refused > 0.9 * SAMPLE


def test_a_difference_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.operator_configuration import comparison

    (asked,) = questions("1.15", 1, 1)
    real = comparison.Answer({"a": "1", "b": "2 gb", "c": "x", "$internal.d": "y"}, "", {})
    shown = {"a": "2", "b": "2048m", "e": "z"}
    found = comparison._differences(asked, {asked.name: real}, {asked.name: shown})
    assert [(one.key, one.real, one.shown) for one in found] == [("a", "1", "2"), ("c", "x", None), ("e", None, "z")]
