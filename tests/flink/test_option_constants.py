"""The names Java programs have for options, merged from all releases."""

from __future__ import annotations

import json
from pathlib import Path

from flink_flint.linter.flink.generate.option_constants import constants, dumped, readers
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import MINORS

TABLE = json.loads((Path(__file__).parents[2] / "linter/flink/option_constants.json").read_text(encoding="utf-8"))


def record(owner: str, field: str, key: str) -> dict[str, str]:
    return {"class": f"org.apache.flink.{owner}", "field": field, "key": key}


def test_every_key_of_the_table_is_read_by_some_release() -> None:
    options = catalogue()
    for owner, names in TABLE.items():
        for name, key in names.items():
            assert any(options.accept(key, index) for index in range(len(MINORS))), f"{owner}.{name}"


def test_constants_have_the_key_that_most_releases_read() -> None:
    assert TABLE["CheckpointingOptions"]["CHECKPOINTS_DIRECTORY"] == "state.checkpoints.dir"
    assert TABLE["TaskManagerOptions"]["MANAGED_MEMORY_SIZE"] == "taskmanager.memory.managed.size"
    assert TABLE["RestOptions"]["PORT"] == "rest.port"
    old, new = [record("a.Options", "DIR", "old.dir")], [record("b.Options", "DIR", "new.dir")]
    moved = [record("a.Options", "DIR", "new.dir")]
    assert constants([old, moved], {"old.dir": 9, "new.dir": 2}) == {"Options": {"DIR": "old.dir"}}
    assert constants([old, moved], {"old.dir": 9, "new.dir": 9}) == {"Options": {"DIR": "new.dir"}}
    assert constants([[*old, *new]], {"old.dir": 9, "new.dir": 2}) == {}, "two classes of one name"
    assert constants([old], {}) == {}, "a key of no configuration"


def test_readers_count_releases_under_any_name() -> None:
    lines = {
        "new.dir": {"definitions": [{"first": 11, "last": 15}]},
        "old.dir": {"definitions": [{"first": 0, "last": 10}], "alias_of": [{"first": 11, "last": 15}]},
    }
    assert readers(lines) == {"new.dir": 5, "old.dir": 15}


def test_the_file_has_a_class_on_each_line() -> None:
    text = dumped(TABLE)
    assert json.loads(text) == TABLE
    assert len(text.splitlines()) == len(TABLE) + 2
