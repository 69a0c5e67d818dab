"""What is broken and what is left alone."""

from __future__ import annotations

from collections.abc import Collection

from tests.mutation.mutants import mutants

HEAD = '''"""A page with numbers, 1 or 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flink_flint.linter.model.rule import bad, rule

if TYPE_CHECKING:
    from flink_flint.linter.model.view import View

'''


def broken(text: str, wanted: Collection[str] = ("check",)) -> set[tuple[str, str]]:
    return {
        (one.before.strip(), one.after.strip())
        for one in mutants("flink_flint.rules.settings.toy", HEAD + text, wanted)
    }


def test_a_guard_is_taken_away_and_turned_round() -> None:
    found = broken("def check(a, b):\n    if a and b:\n        return\n    yield a\n")
    assert found == {("if a and b:", after) for after in ("if a:", "if b:", "if True:", "if False:")}


def test_parentheses_stay_as_they_are() -> None:
    found = broken("def check(a, b, c):\n    return (a or (b and c)) and (\n        a\n        < b\n    )\n")
    assert ("return (a or (b and c)) and (", "return (a or (b)) and (") in found
    assert ("return (a or (b and c)) and (", "return ((b and c)) and (") in found
    assert ("< b", "<= b") in found


def test_conditions_of_all_kinds() -> None:
    assert broken("def check(a):\n    return a < 3\n") == {
        ("return a < 3", "return a <= 3"),
        ("return a < 3", "return a < 4"),
    }
    assert ("return [x for x in a if x]", "return [x for x in a if True]") in broken(
        "def check(a):\n    return [x for x in a if x]\n"
    )
    assert ("return 1 if a else 2", "return 1 if (a) and False else 2") in broken(
        "def check(a):\n    return 1 if a else 2\n"
    )
    assert broken("def check(a):\n    for x in a:\n        continue\n") == {("continue", "break")}
    assert broken("def check(a):\n    return a in b\n") == {("return a in b", "return a not in b")}


def test_a_large_number_is_doubled() -> None:
    assert broken("MOST = 65_536\ndef check(a):\n    return MOST\n") == {("MOST = 65_536", "MOST = 131072")}


def test_keys_count_and_sentences_do_not() -> None:
    text = 'def check(a):\n    """A page, 1."""\n    b = a.get("rest.port")\n    return a.tell(b, "it is a port", "")\n'
    assert broken(text) == {('b = a.get("rest.port")', 'b = a.get("XXrest.portXX")')}


def test_what_is_told_is_left_alone() -> None:
    text = (
        "def check(a):\n"
        "    share = a.size / 1024\n"
        '    unit = "MiB" if share > 1 else "KiB"\n'
        "    if a.small:\n"
        '        unit = "B"\n'
        '    return a.finding(f"{share + 1} {unit}", help=spell(a, 2), evidence={"share": share}, measure=3.0)\n'
        "def spell(a, n):\n"
        '    return "less" if n > 3 else "more"\n'
    )
    assert broken(text) == set()


def test_what_is_told_and_decides_counts() -> None:
    text = 'def check(a):\n    n = a * 2\n    if n:\n        yield a.finding(f"{n}")\n'
    assert ("n = a * 2", "n = a / 2") in broken(text)


def test_what_only_cases_use_is_left_alone() -> None:
    text = (
        'SHORT = "rest.port"\ndef check(a):\n    return a\ndef cases():\n    return [bad(f"{SHORT}: 1\\n", times=2)]\n'
    )
    assert broken(text) == set()


def test_what_others_do_not_use_of_a_shared_module_is_left_alone() -> None:
    text = "def one(a):\n    return a + 1\ndef other(a):\n    return a * 3\n"
    assert {before for before, _ in broken(text, {"one"})} == {"return a + 1"}


def test_annotations_and_casts_are_left_alone() -> None:
    assert broken('def check(a: "View") -> "int":\n    b: "str" = cast("str", a)\n    return b\n') == set()


def test_a_long_list_of_names_is_one_condition() -> None:
    text = 'NAMES = ("a", "b", "c", "d", "e")\ndef check(a):\n    return a.named(NAMES)\n'
    assert broken(text) == {('NAMES = ("a", "b", "c", "d", "e")', "NAMES = (())")}


def test_bounds_and_occasions_of_a_declaration() -> None:
    text = (
        '@rule(code="FLK999", severity=1, reads=["a.b", "c.d"], flink=">=1.15", of_scale=True, since="0.1")\n'
        "def toy(a):\n    return a\n"
    )
    declaration = text.splitlines()[0]
    assert broken(text) == {
        (declaration, declaration.replace(part, ""))
        for part in ('flink=">=1.15", ', "of_scale=True, ", '"a.b", ', '"c.d"')
    }
    unbounded = text.replace(">=1.15", ">=1.9").replace(", of_scale=True", "").replace(', "c.d"', "")
    assert broken(unbounded) == set()


def test_the_scale_of_mere_advice_changes_nothing() -> None:
    text = '@rule(code="FLK999", severity=Severity.{}, of_scale=True, since="0.1")\ndef toy(a):\n    return a\n'
    assert broken(text.format("INFO")) == set()
    assert len(broken(text.format("WARNING"))) == 1


def test_a_mutant_tells_its_place() -> None:
    (one,) = mutants("flink_flint.rules.settings.toy", "def check(a):\n    # why\n    return not a\n", ("check",))
    assert str(one) == "  rules/settings/toy.py:3\n    -     return not a\n    +     return a\n"
