"""Which rules selectors choose, and what is said of a selector that chooses none."""

from __future__ import annotations

import pytest

from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.selection import called_by_a_history, codes_of, select_codes


def selected(*selectors: str) -> frozenset[str]:
    return select_codes(selectors, (), (), frozenset())


@pytest.mark.parametrize("selector", ["ALL", "all", "pedantic", "Pedantic"])
def test_all_and_pedantic_choose_pedantic_rules(selector: str) -> None:
    pedantic = {one.identity for one in registry().declarations if one.pedantic}
    assert pedantic
    assert pedantic <= selected(selector)


def test_a_pedantic_rule_is_chosen_by_its_name_but_not_by_its_family() -> None:
    rule = next(one for one in registry().declarations if one.pedantic)
    assert selected(rule.name) == selected(rule.code) == {rule.code}
    assert rule.code not in selected(rule.family)
    assert rule.code not in selected()


@pytest.mark.parametrize(
    ("selector", "hint"),
    [("kafak", "did you mean 'kafka'?"), ("FLK9999999", "did you mean 'FLK"), ("%%", "`flint rules` lists them")],
)
def test_a_selector_without_rules_is_refused_with_the_nearest_one(selector: str, hint: str) -> None:
    with pytest.raises(ValueError, match="no rule has the code") as refused:
        codes_of(selector)
    assert hint in str(refused.value)


def test_a_history_calls_the_rules_that_nothing_in_a_file_triggers() -> None:
    by_name = registry().by_name
    called = called_by_a_history()
    assert by_name["async-operator-full"].code in called
    assert by_name["unknown-key"].when
    assert by_name["unknown-key"].code not in called
