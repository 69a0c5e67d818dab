"""Which changed defaults matter, and how they are shown."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.changed_defaults import is_same, shown
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.release_differences import differences
from flink_flint.linter.flink.releases import MINORS


@pytest.mark.parametrize(
    ("key", "same"),
    [
        ("state.backend.rocksdb.block.blocksize", True),
        ("state.backend.rocksdb.files.open", True),
        ("state.backend.rocksdb.log.level", False),
        ("state.backend.rocksdb.log.file-num", False),
        ("state.backend.rocksdb.options-factory", False),
    ],
)
def test_defaults_of_rocksdb_itself_that_1_15_names_change_nothing_but_its_log(key: str, same: bool) -> None:
    options = catalogue()
    found = differences(options, MINORS.index("1.14"), options, MINORS.index("1.15")).defaults
    (change,) = (one for one in found if one.key == key)
    assert is_same(change) is same


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("blob.storage.directory", None),
        ("taskmanager.memory.network.max", "no limit"),
        ("taskmanager.numberOfTaskSlots", "1"),
        ("execution.checkpointing.unaligned.enabled", "false"),
        ("rest.port", "8081"),
    ],
)
def test_a_default_is_shown_as_text_and_a_missing_one_not_at_all(key: str, text: str | None) -> None:
    option = catalogue().option(key, MINORS.index("1.20"))
    assert option is not None
    assert shown(option) == text
