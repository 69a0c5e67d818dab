"""What of a declaration is broken and what is left alone."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.linter.engine.declarative_rules import read_declared
from flink_flint.linter.engine.registry import PACKAGE
from tests.mutation.declarations import declared_mutants
from tests.mutation.modules import Cases, Modules, cases_of, path_of
from tests.mutation.trial import Outcome, outcomes

HEAD = """code = "FLK998"
severity = "warning"
summary = "a toy of 2 lines"
since = "0.1"
option = "rest.port"
"""
REST = '''
message = "{value} is below 1024"
help = "at-most = 3"
at = "entry"
fix = { set = "8081", safe = true, title = "2 ports" }
page = """
A page.
is = [1]
"""

[[case]]
bad = "rest.port: 80"
flink = "1.18"
platform = "yarn"
severity = "info"
'''
BELOW = 'flink = ">=1.14"\nbelow = 1024\n'


def broken(text: str, head: str = HEAD) -> set[tuple[str, str]]:
    made = declared_mutants("flink_flint.rules.settings.toy", head + text + REST)
    for one in made:
        tomllib.loads(one.source)
    return {(one.before.strip(), one.after.strip()) for one in made}


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("set = true", {"set = false"}),
        ("below = 3", {"set = true", "above = 3", "at-most = 3", "below = 6"}),
        ("above = 0", {"set = true", "below = 0", "at-least = 0", "above = 1"}),
        ('above = "0 ms"', {"set = true", 'below = "0 ms"', 'at-least = "0 ms"'}),
        ('at-least = "1.5 g"', {"set = true", 'at-most = "1.5 g"', 'above = "1.5 g"', 'at-least = "3 g"'}),
        ("at-most = 1", {"set = true", "at-least = 1", "below = 1", "at-most = 2"}),
        ("is = [true]", {"set = true", "is = []"}),
        ('is = ["a", "b"]', {"set = true", "is = []", 'is = ["a"]', 'is = ["b"]'}),
        ('is-not = ["a", "b"]', {"is-not = []", 'is-not = ["a"]', 'is-not = ["b"]'}),
        (r"matches = '\bheap$'", {"set = true", r'matches-not = "\\bheap$"'}),
        ('matches-not = "heap"', {"set = true", 'matches = "heap"'}),
    ],
)
def test_each_test_is_left_out_turned_round_or_of_another_value(text: str, becomes: set[str]) -> None:
    assert broken(text + "\n") == {(text, after) for after in becomes}


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("flink = '>=1.10'", {""}),
        ('flink = ">=1.17,<2"', {"", 'flink = ">=1.17"', 'flink = "<2"'}),
        ('flink = ">=1.9"', set()),
        ('platform = ["yarn"]', {""}),
        ('platform = ["yarn", "emr"]', {"", 'platform = ["yarn"]', 'platform = ["emr"]'}),
        ("or-default = true", {"or-default = false"}),
        ("every-release = true", {"every-release = false"}),
        ("of-scale = true", {"of-scale = false"}),
        ("pedantic = true", set()),
    ],
)
def test_each_bound_is_left_out_or_negated(text: str, becomes: set[str]) -> None:
    assert {pair for pair in broken(f"set = true\n{text}\n") if pair[0] == text} == {(text, after) for after in becomes}


def test_the_scale_of_mere_advice_changes_nothing() -> None:
    assert broken("of-scale = true\nset = true\n", HEAD.replace("warning", "info")) == {("set = true", "set = false")}


def test_each_other_option_is_left_out_or_broken_in_its_place() -> None:
    rate = '{ option = "a.rate", set = true, above = 2 }'
    team = '{ option = "acme.team", is = ["x"] }'
    nobody = '{ option = "acme.team", is = [] }'
    line = f"also = [{rate}, {team}]"
    assert broken(f"set = true\n{line}\n") - {("set = true", "set = false")} == {
        (line, f"also = [{after}]")
        for after in (
            rate,
            team,
            f"{rate}, {nobody}",
            *(
                f'{{ option = "a.rate", {tests} }}, {team}'
                for tests in (
                    "above = 2",
                    "set = false, above = 2",
                    "set = true",
                    "set = true, below = 2",
                    "set = true, at-least = 2",
                    "set = true, above = 4",
                )
            ),
        )
    }


def test_an_exception_that_never_holds_is_one_left_out() -> None:
    line = 'unless = [{ option = "acme.team", is = ["x", "y"] }]'
    assert {after for before, after in broken(f"set = true\n{line}\n") if before == line} == {
        "",
        'unless = [{ option = "acme.team", is = ["x"] }]',
        'unless = [{ option = "acme.team", is = ["y"] }]',
    }


def test_lists_in_several_lines_differ_in_one() -> None:
    items = ('    { option = "a.b", set = true },', '    { option = "c.d", set = true },')
    found = broken("set = true\n" + "\n".join(("also = [", *items, "]")) + "\n")
    assert {pair for pair in found if pair[0] != "set = true"} == {
        (item.strip(), after) for item in items for after in ("", item.strip().replace("true", "false"))
    }


def test_a_mutant_tells_its_place_and_keeps_all_else() -> None:
    (one,) = declared_mutants("flink_flint.rules.settings.toy", f"{HEAD}set = true\n{REST}")
    assert str(one) == "  rules/settings/toy.toml:6\n    - set = true\n    + set = false\n"
    assert one.source == f"{HEAD}set = false\n{REST}"


@pytest.mark.parametrize("path", sorted(Path(PACKAGE).glob("*/*.toml")), ids=lambda path: path.stem)
def test_mutants_of_flints_own_declarations_are_small(path: Path) -> None:
    made = declared_mutants(f"flink_flint.rules.{path.parent.name}.{path.stem}", path.read_text(encoding="utf-8"))
    assert made
    for one in made:
        assert max(len(one.before.splitlines()), len(one.after.splitlines())) <= 3, str(one)
        assert tomllib.loads(one.source)["case"]


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "settings"
    folder.mkdir()
    yield folder / "toy_port.toml"
    sys.modules.pop("toys.settings.toy_port", None)


def survivors(path: Path, text: str) -> set[tuple[str, str]]:
    path.write_text(text)
    module = "toys.settings.toy_port"
    judge: Cases = cases_of(module, read_declared(str(path), module))
    made = declared_mutants(module, text)
    became = outcomes(made, [judge], (), seconds=5)
    assert Outcome.NO_PROGRAM not in became
    return {(one.before.strip(), one.after.strip()) for one, what in zip(made, became, strict=True)
            if what is Outcome.SURVIVED}  # fmt: skip


BAD = '\n[[case]]\nbad = "rest.port: 80\\n"\nflink = "1.18"\n'
GOOD = '\n[[case]]\ngood = "rest.port: 8081\\n"\nflink = "1.18"\n'


def test_cases_judge_the_declaration_they_stand_in(toy: Path) -> None:
    text = f'{HEAD}{BELOW}message = "low"\n{BAD}{GOOD}'
    assert survivors(toy, text) == {
        ('flink = ">=1.14"', ""),
        ("below = 1024", "at-most = 1024"),
        ("below = 1024", "below = 2048"),
    }
    at_the_bound = '\n[[case]]\ngood = "rest.port: 1024\\n"\nflink = "1.18"\n'
    before = '\n[[case]]\ngood = "rest.port: 80\\n"\nflink = "1.13"\n'
    assert survivors(toy, text + at_the_bound + before) == set()


def test_what_declares_nothing_is_no_mutant(toy: Path) -> None:
    text = f'{HEAD}set = true\nmessage = "set"\n{BAD}'
    toy.write_text(text)
    judge = cases_of("toys.settings.toy_port", read_declared(str(toy), "toys.settings.toy_port"))
    made = declared_mutants("toys.settings.toy_port", text)
    assert [one.after for one in made] == ["set = false\n"]
    assert outcomes(made, [judge], ()) == [Outcome.NO_PROGRAM]


@pytest.mark.slow
def test_declarations_are_among_the_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "flink_flint.rules.storage.job_archives_accumulate"
    monkeypatch.setattr("flink_flint.linter.engine.registry.modules", lambda: [name])
    modules = Modules()
    assert path_of(name).suffix == ".toml"
    assert [judge.code for judge in modules.judges(name)] == ["FLK117"]
    assert 'flink = ">=1.12"\n' in {one.before for one in modules.mutants(name)}
