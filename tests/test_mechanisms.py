"""The table of mechanisms is complete and names rules that exist."""

from __future__ import annotations

from flink_flint.linter.engine.registry import registry
from tests.reports.mechanisms import mechanisms, table


def test_each_mechanism_that_matters_has_an_entry() -> None:
    tables = table()
    entries = [*tables["rules"], *tables["none"]]
    assert sorted(entries) == sorted(one.name for one in mechanisms() if one.needs_entry)


def test_the_rules_exist() -> None:
    codes = set(registry().by_code)
    assert {code for named in table()["rules"].values() for code in named} <= codes
