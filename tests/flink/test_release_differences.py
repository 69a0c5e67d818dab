"""Differences between releases: every adjacent pair against an independent list, and longer steps."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from flink_flint.linter.flink.options import Catalogue, catalogue
from flink_flint.linter.flink.release_differences import (
    Changed,
    Differences,
    differences,
    former,
    lost_key,
    means_the_same,
    renamed_key,
    successors,
)
from flink_flint.linter.flink.releases import MINORS, NEWEST

PAIRS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "differences.json").read_text(encoding="utf-8")
)

READ_BY_NAME = {
    # Flink reads these by their names, without a ConfigOption, so that the list, which was reflected, has them not.
    *("compiler.merge-iteration-aux", "fs.hdfs.hadoopconf", "fs.hdfs.hdfsdefault", "fs.hdfs.hdfssite"),
    *("local.number-taskmanager", "taskmanager.runtime.fs_timeout"),
    *("metrics.reporter.<name>.scope.delimiter", "metrics.reporter.<name>.scope.variables.excludes"),
    *("restart-strategy.failure-rate.delay", "restart-strategy.failure-rate.failure-rate-interval"),
    *("yarn.application-master.env.<VAR>", "yarn.taskmanager.env.<VAR>"),
}
NAMES_ITS_RELEASE = {"kubernetes.container.image"}
"""Options whose default is the release itself, which the catalogue writes as a token."""


def between(older: str, newer: str) -> Differences:
    options = catalogue()
    return differences(options, MINORS.index(older), options, MINORS.index(newer))


def test_every_pair_of_adjacent_releases_is_in_the_list() -> None:
    assert [(pair["older"], pair["newer"]) for pair in PAIRS] == list(pairwise(MINORS))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['older']}-{pair['newer']}")
def test_adjacent_releases_differ_as_listed(pair: dict[str, Any]) -> None:
    found = between(pair["older"], pair["newer"])
    lost = {one.key: one.option for one in found.lost}
    assert {key: lost[key] for key in lost.keys() - READ_BY_NAME} == pair["lost"]
    renamed = {one.key: list(one.names) for one in found.renamed}
    assert {key: renamed[key] for key in renamed.keys() - READ_BY_NAME} == pair["renamed"]
    assert _under_one_key(found.defaults) == pair["defaults"].keys() - NAMES_ITS_RELEASE
    types = {key: _types(pair["types"][key]) for key in pair["types"]}
    ours = {
        one.key: _spelled(one)
        for one in found.types
        if one.key == one.before.key and one.key not in READ_BY_NAME
    }  # fmt: skip
    assert ours.keys() == types.keys()
    for key, (old, new) in types.items():
        assert [old or ours[key][0], new or ours[key][1]] == ours[key], key


def _under_one_key(changes: tuple[Changed, ...]) -> set[str]:
    return {one.key for one in changes if one.key == one.before.key} - READ_BY_NAME - NAMES_ITS_RELEASE


def _types(pair: list[str]) -> list[str]:
    """Both sides; empty where the list only says that it is some enum."""
    return ["" if name == "Enum" else name for name in pair]


def _spelled(change: Changed) -> list[str]:
    return [
        f"enum {','.join(option.enum)}" if option.type == "Enum" else option.type
        for option in (change.before, change.after)
    ]


@pytest.mark.parametrize(
    ("key", "older", "newer", "names"),
    [
        ("akka.framesize", "1.13", "2.1", ("pekko.framesize",)),
        ("state.backend.fs.memory-threshold", "1.10", "1.20", ("execution.checkpointing.data-inline-threshold",)),
        ("state.backend.fs.memory-threshold", "1.10", "1.14", ("state.storage.fs.memory-threshold",)),
        ("taskmanager.network.memory.max", "1.9", "2.3", ("taskmanager.memory.network.max",)),
        ("web.port", "1.13", "2.1", ("rest.bind-port", "rest.port")),
    ],
)
def test_a_key_renamed_more_than_once_has_its_last_names(
    key: str, older: str, newer: str, names: tuple[str, ...]
) -> None:
    before, after = MINORS.index(older), MINORS.index(newer)
    known = renamed_key(key, catalogue(), before, catalogue(), after)
    assert known is not None
    assert known.names == names


def test_a_key_removed_on_the_way_is_lost_with_its_last_release() -> None:
    options = catalogue()
    gone = lost_key("mesos.master", options, MINORS.index("1.9"), options, NEWEST)
    assert gone is not None
    assert (gone.how, MINORS[gone.last]) == ("primary", "1.13")
    assert gone.successors == ()
    gone = lost_key("state.backend.rocksdb.checkpointdir", options, MINORS.index("1.13"), options, MINORS.index("2.1"))
    assert gone is not None
    assert (gone.how, gone.option, MINORS[gone.last]) == ("deprecated", "state.backend.rocksdb.localdir", "1.20")
    assert gone.successors == ("state.backend.rocksdb.localdir",)


def test_a_key_of_both_releases_is_not_lost() -> None:
    options = catalogue()
    for key in ("rest.port", "akka.framesize", "metrics.reporter.prom.factory.class", "s3.access-key"):
        assert lost_key(key, options, MINORS.index("1.18"), options, NEWEST) is None
    assert lost_key("no.such.key", options, 0, options, NEWEST) is None


COME_AND_GONE = """\
{
"back.again":{"definitions":[{"first":0,"last":3,"type":"String"},{"first":6,"last":15,"type":"String"}]},
"one":{"definitions":[{"first":0,"last":3,"type":"Integer","default":5}],"alias_of":[{"first":4,"last":7,"key":"two","how":"deprecated"}]},
"three":{"definitions":[{"first":8,"last":15,"type":"Long","default":5,"deprecated_keys":["two"]}]},
"two":{"definitions":[{"first":4,"last":7,"type":"Integer","default":5,"deprecated_keys":["one"]}],"alias_of":[{"first":8,"last":15,"key":"three","how":"deprecated"}]}
}
"""


def test_a_key_that_came_back_is_not_lost_and_a_dropped_old_name_has_its_successor() -> None:
    options = Catalogue(COME_AND_GONE)
    assert lost_key("back.again", options, 0, options, 10) is None
    gone = lost_key("back.again", options, 0, options, 5)
    assert gone is not None
    assert gone.last == 3
    gone = lost_key("one", options, 0, options, 10)
    assert gone is not None
    assert (gone.last, gone.successors) == (7, ("three",))
    assert successors("one", 0, options, 5) == ("two",)
    found = differences(options, 0, options, 10)
    assert [one.key for one in found.lost] == ["one"]
    assert [(one.before.key, one.key) for one in found.types] == [("one", "three")]
    assert found.added == ()
    assert former("three", options, 0) is options.option("one", 0)


def test_defaults_in_another_spelling_mean_the_same() -> None:
    same = {one.key: means_the_same(one.before, one.after) for one in between("1.19", "1.20").defaults}
    assert same == {
        "kubernetes.transactional-operation.max-retries": False,
        "resourcemanager.job.timeout": True,
        "resourcemanager.standalone.start-up-time": False,
        "security.ssl.algorithms": False,
    }


def test_a_release_differs_from_itself_in_nothing() -> None:
    for index in range(len(MINORS)):
        assert differences(catalogue(), index, catalogue(), index) == ((), (), (), (), ())


@pytest.mark.parametrize("older", ["1.9", "1.13", "1.18"])
def test_a_long_step_loses_what_its_parts_lose_and_no_more(older: str) -> None:
    lost = {one.key for one in between(older, "2.3").lost}
    first = MINORS.index(older)
    parts: set[str] = set()
    for index in range(first, NEWEST):
        parts |= {one.key for one in between(MINORS[index], MINORS[index + 1]).lost}
    assert lost <= parts
    known = {key for key, _ in catalogue().spellings() if "<" not in key and catalogue().accept(key, first)}
    assert {key for key in parts & known if not catalogue().accept(key, NEWEST)} == {
        key for key in lost if "<" not in key
    }
