"""Adding a minor release changes what it names, and nothing else."""

from __future__ import annotations

import json

from flink_flint.linter.flink.generate.__main__ import CATALOGUE
from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.generate.merge import dumped, merged, without_newest
from flink_flint.linter.flink.generate.minor import with_minor, with_patch
from flink_flint.linter.flink.generate.option_constants import extended, owner_of
from flink_flint.linter.flink.releases import MINORS, parse_release

_GENERATE = CATALOGUE.parent / "generate"
_RELEASES = (CATALOGUE.parent / "releases.py").read_text("utf-8")
_DISTRIBUTIONS = (_GENERATE / "distributions.py").read_text("utf-8")


def test_the_patches_are_those_of_the_minor_releases() -> None:
    assert tuple(PATCHES) == MINORS


def test_a_minor_release_is_named_once() -> None:
    changed = with_minor(_RELEASES, "9.9")
    assert changed != _RELEASES
    assert f'"{MINORS[-1]}", "9.9"),\n)' in changed
    assert with_minor(changed, "9.9") == changed
    assert with_minor(_RELEASES, MINORS[-1]) == _RELEASES


def test_patches_are_listed_in_order() -> None:
    changed = with_patch(_DISTRIBUTIONS, parse_release("9.9.0"))
    assert changed.replace('    "9.9": (0,),\n', "") == _DISTRIBUTIONS
    assert '    "9.9": (0, 2),\n' in with_patch(changed, parse_release("9.9.2"))
    assert with_patch(_DISTRIBUTIONS, parse_release(f"{MINORS[-1]}.0")) == _DISTRIBUTIONS


def test_the_newest_release_out_and_in_again_leaves_the_catalogue_as_it_was() -> None:
    text = CATALOGUE.read_text("utf-8")
    lines = json.loads(text)
    newest = len(MINORS) - 1
    older = without_newest(lines)
    assert all(row["last"] < newest for line in older.values() for row in line.get("definitions", ()))
    found = {
        key: {name: value for name, value in row.items() if name not in ("first", "last")}
        for key, line in lines.items()
        for row in line.get("definitions", ())
        if row["last"] == newest
    }
    assert len(found) > 1_000
    read = {PATCHES[MINORS[-1]][-1]: found}
    assert dumped(merged({MINORS[-1]: read}, older)) == text


def test_a_constant_has_the_key_that_more_releases_read() -> None:
    def record(owner: str, field: str, key: str) -> dict[str, object]:
        return {"class": owner, "field": field, "key": key}

    table = {"A": {"X": "x.old", "Y": "y"}}
    records = [record("org.A", "X", "x.new"), record("org.B$C$", "Z", "z"), record("org.A", "W", "unknown")]
    assert extended(table, records, {"x.old": 12, "x.new": 3, "y": 1, "z": 1}) == {
        "A": {"X": "x.old", "Y": "y"}, "C": {"Z": "z"},
    }  # fmt: skip
    assert extended(table, records, {"x.old": 5, "x.new": 5})["A"]["X"] == "x.new"
    assert owner_of({"class": "org.apache.WindowEmitStrategy$"}) == "WindowEmitStrategy"
