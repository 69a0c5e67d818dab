"""The names Java programs have for options: class and constant -> key, of all releases in one table.

A constant keeps its name while its key changes (``CheckpointingOptions.CHECKPOINTS_DIRECTORY`` was
``state.checkpoints.dir`` until 1.19). The table gives the key that most releases read, as a primary key or as an old
name of it, since a program rarely says which release it is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from linter.flink.generate.reflection import Record

Table = dict[str, dict[str, str]]
"""Simple name of the class -> constant -> key."""


def constants(releases: Iterable[tuple[str, Iterable[Record]]], readers: Mapping[str, int]) -> Table:
    """The table of releases, oldest first, each with its records.

    `readers` tells how many releases read a key. A class name that two classes with different constants share gives
    only the constants they agree on.
    """
    keys: dict[tuple[str, str], dict[str, set[str]]] = {}
    for _, records in releases:
        for record in records:
            owner = str(record["class"]).rpartition(".")[2].rpartition("$")[2]
            keys.setdefault((owner, str(record["field"])), {}).setdefault(str(record["key"]), set()).add(
                str(record["class"])
            )
    table: Table = {}
    for (owner, field), found in sorted(keys.items()):
        key = max(found, key=lambda one: (readers.get(one, 0), one))
        classes = set().union(*found.values())
        if len(found) > 1 and any(other not in found[key] for other in classes) and not _moved(found):
            continue
        table.setdefault(owner, {})[field] = key
    return table


def _moved(found: Mapping[str, set[str]]) -> bool:
    """Whether the classes that declare a constant with different keys are one that moved between packages."""
    return len({name.rpartition(".")[2] for classes in found.values() for name in classes}) == 1


def dumped(table: Table) -> str:
    """The text of option_constants.json: valid JSON as a whole, one class a line."""
    rows = [f"{json.dumps(owner)}:{json.dumps(names, separators=(',', ':'))}" for owner, names in table.items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"
