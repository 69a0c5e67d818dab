"""What becomes of mutants of a toy rule."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.linter.model.rule import Rule
from tests.mutation.modules import Cases, cases_of, imported
from tests.mutation.mutants import mutants
from tests.mutation.trial import Outcome, outcomes, passes

RULE = """
from flink_flint.linter.model.rule import Severity, bad, good, rule
from toys.settings._ports import is_low

@rule(code="FLK998", severity=Severity.INFO, reads=["rest.port"], since="0.1")
def toy_rule(config):
    port = config.integer("rest.port")
    tries = 0
    while tries < 3:
        tries += 1
    if port is None:
        return
    if is_low(port):
        yield config.get("rest.port").finding("low", help="1")

def cases():
    return [
        bad("rest.port: 80\\n", at="rest.port", flink="1.18"),
        MORE
    ]
"""
SHARED = "def is_low(port):\n    return port < 1024\n"
UNKNOWN = "    if port is None:"


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of rules with one rule, and one module that it shares."""
    folder = tmp_path / "toys" / "settings"
    folder.mkdir(parents=True)
    (folder / "_ports.py").write_text(SHARED)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "toys"]:
        del sys.modules[name]


def rule_with(folder: Path, *cases: str) -> tuple[str, Cases]:
    text = RULE.replace("MORE", ", ".join(cases))
    (folder / "toy_rule.py").write_text(text)
    module = importlib.import_module("toys.settings.toy_rule")
    rule = module.toy_rule
    assert isinstance(rule, Rule)
    return text, cases_of("toys.settings.toy_rule", rule)


def survivors(folder: Path, *cases: str) -> set[tuple[str, str]]:
    text, judge = rule_with(folder, *cases)
    made = mutants(judge.module, text)
    became = outcomes(made, [judge], (), seconds=1)
    assert len(became) == len(made)
    return {(one.before.strip(), one.after.strip()) for one, what in zip(made, became, strict=True)
            if what is Outcome.SURVIVED}  # fmt: skip


@pytest.mark.slow
def test_a_guard_that_no_case_covers_survives(toys: Path) -> None:
    assert (UNKNOWN.strip(), "if False:") in survivors(toys)


@pytest.mark.slow
def test_a_guard_that_a_case_covers_is_killed(toys: Path) -> None:
    left = survivors(
        toys, 'good("rest.port: \'{{ port }}\'\\n", flink="1.18")', 'good("rest.port: 8081\\n", flink="1.18")'
    )
    assert {before for before, _ in left}.isdisjoint(("if port is None:", "if is_low(port):"))


@pytest.mark.slow
def test_a_hang_is_killed_and_the_next_mutants_are_tried(toys: Path) -> None:
    text, judge = rule_with(toys, 'good("rest.port: \'{{ port }}\'\\n", flink="1.18")')
    made = mutants(judge.module, text)
    became = dict(zip(((one.before.strip(), one.after.strip()) for one in made),
                      outcomes(made, [judge], (), seconds=0.5), strict=True))  # fmt: skip
    assert became["tries += 1", "tries -= 1"] is Outcome.KILLED
    assert became["while tries < 3:", "while tries <= 3:"] is Outcome.SURVIVED
    assert became["if port is None:", "if False:"] is Outcome.KILLED


def test_a_shared_module_is_judged_by_the_rules_made_of_it(toys: Path) -> None:
    _, judge = rule_with(toys)
    made = mutants("toys.settings._ports", SHARED, {"is_low"})
    became = dict(zip((one.after.strip() for one in made), outcomes(made, [judge], {judge.module}), strict=True))
    assert became == {"return port <= 1024": Outcome.SURVIVED, "return port < 2048": Outcome.SURVIVED}
    rule_with(toys)
    sys.modules.pop(judge.module)
    _, judge = rule_with(toys, 'good("rest.port: 1024\\n", flink="1.18")')
    assert outcomes(made, [judge], {judge.module}) == [Outcome.KILLED, Outcome.KILLED]


@pytest.mark.slow
def test_this_process_is_as_it_was(toys: Path) -> None:
    _, judge = rule_with(toys)
    before = sys.modules[judge.module]
    survivors(toys)
    assert sys.modules[judge.module] is before


def test_what_is_no_program_is_no_mutant(toys: Path) -> None:
    _, judge = rule_with(toys)
    (one, *_) = mutants("toys.settings._ports", SHARED, {"is_low"})
    assert outcomes([one._replace(source="def (")], [judge], ()) == [Outcome.NO_PROGRAM]


def test_imports_are_those_of_names() -> None:
    assert imported("import re\nfrom flink_flint.rules.kafka._clients import api\n") == {
        "flink_flint.rules.kafka._clients"
    }


def test_cases_that_fail_already_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from flink_flint.linter.engine.registry import registry, rule_of

    module = registry().by_code["FLK303"].module
    rule = rule_of(module)
    assert rule is not None
    good = cases_of(module, rule)
    assert passes([good]) == []
    assert passes([good._replace(cases=(good.cases[0]._replace(bad=False),))]) == ["FLK303"]
