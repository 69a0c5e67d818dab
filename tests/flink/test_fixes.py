"""Files that fixes changed, loaded by real releases of Flink."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF
from flink_flint.linter.flink.releases import MINORS
from tests.flink.loading import SETTINGS, Given, Load, is_there, load
from tests.proof_of_fixes import effect_of, of_cases
from tests.rules.cases import all_cases

RELEASES = [MINORS.index(minor) for minor in ("1.20", "2.3")]
"""The last release that reads flink-conf.yaml, and the newest; `make fixes` has all."""


@pytest.mark.flink
@pytest.mark.skipif(not is_there(), reason="needs a JDK")
def test_real_releases_load_what_fixes_leave(tmp_path: Path) -> None:
    folders = of_cases(tmp_path, random.Random(7).sample(all_cases(), 1200))
    loads = [
        one._replace(before=tuple(each for each in one.before if each.index in RELEASES))
        for _, sources, options in folders
        for one in effect_of(sources, options, unsafe=True).loads
        if one.after.index in RELEASES
    ]
    assert {one.after.file for one in loads} == {FLINK_CONF, CONFIG_YAML, SETTINGS}
    loaded = load(given for one in loads for given in (*one.before, one.after))
    assert [(one.where, problem) for one in loads if (problem := one.problem(loaded))] == []


def test_what_flink_refuses_or_reads_otherwise_is_a_problem_that_fixes_brought() -> None:
    before = Given(11, FLINK_CONF, b"a: 1", {"a": "1"})
    after = Given(11, FLINK_CONF, b"a: 2", {"a": "2"})
    one = Load("flink-conf.yaml", (before,), after)
    sound = {before.key: {"a": "1"}, after.key: {"a": "2"}}
    assert one.problem(sound) is None
    assert one.problem({**sound, after.key: "! error"}) == "refused (! error)"
    assert "otherwise" in str(one.problem({**sound, after.key: {"a": "2", "b": "1"}}))
    refused = one._replace(after=after._replace(read=None))
    assert one.problem({before.key: "! error", after.key: "! error"}) is not None
    assert refused.problem({before.key: "! error", after.key: "! error"}) is None
    assert refused.problem({**sound, after.key: "! error"}) is not None
    assert "loaded" in str(refused.problem(sound))


def test_settings_misread_before_the_fix_are_distinguished() -> None:
    before = Given(11, FLINK_CONF, b"a: 1\nb: ", {"a": "1", "b": ""})
    after = Given(11, FLINK_CONF, b"a: 2\nb: ", {"a": "2", "b": ""})
    one = Load("job.yaml", (before,), after)
    loaded = {before.key: {"a": "1"}, after.key: {"a": "2"}}
    assert one.problem(loaded) is None
    assert one.misread(loaded) == [("b", "")]
