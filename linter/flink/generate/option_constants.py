"""The Java constants that name options, with the key of each, in one table for all releases.

A constant keeps its name while its key changes (``CheckpointingOptions.CHECKPOINTS_DIRECTORY`` was
``state.checkpoints.dir`` until 1.19). The table has the key that the largest number of releases read, as a primary key
or as an old name of it, because a program rarely states its release.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from flink_flint.linter.flink.generate.reflection import Record
from flink_flint.linter.flink.releases import MINORS

Table = dict[str, dict[str, str]]
"""The option keys of ConfigOption constants: simple class name -> constant name -> key."""

_FIRST = MINORS.index("1.10")
"""The first release to count: the keys of the memory model of 1.9 later became old names of other options."""


def readers(lines: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of releases that read each key of the catalogue, as a primary key or as an alias."""
    found: dict[str, int] = {}
    for key, line in lines.items():
        read: set[int] = set()
        for release_range in (*line.get("definitions", ()), *line.get("alias_of", ())):
            read.update(range(max(release_range["first"], _FIRST), release_range["last"] + 1))
        found[key] = len(read)
    return found


def constants(releases: Iterable[Iterable[Record]], read_by: Mapping[str, int]) -> Table:
    """Return a table of the keys of option constants in `releases` (oldest first); `read_by` is from `readers`.

    Constants whose key is not in the catalogue (of formats and catalogs) are left out, and so are those that two
    classes with the same name declare differently.
    """
    keys: dict[tuple[str, str], dict[str, set[str]]] = {}
    for records in releases:
        for record in records:
            found = keys.setdefault((owner_of(record), str(record["field"])), {})
            # Keys of later releases come last.
            found[record["key"]] = found.pop(record["key"], set()) | {str(record["class"])}
    table: Table = {}
    for (owner, field), found in sorted(keys.items()):
        places = {key: place for place, key in enumerate(found)}
        key = max(found, key=lambda one: (read_by.get(one, 0), places[one]))
        if read_by.get(key) and (len(found) == 1 or _is_one_class(found)):
            table.setdefault(owner, {})[field] = key
    return table


def owner_of(record: Record) -> str:
    """Return the simple name of the class that declares an option; that of an object of Scala without the dollar."""
    return str(record["class"]).rpartition(".")[2].rstrip("$").rpartition("$")[2]


def _is_one_class(found: Mapping[str, set[str]]) -> bool:
    """Return whether a single class declares a constant with different keys in different releases."""
    return len(set().union(*found.values())) == 1


def extended(table: Table, records: Iterable[Record], read_by: Mapping[str, int]) -> Table:
    """Return the table with the constants of a newer release: each has the key that more releases read.

    A constant that the releases before did not agree about, so that it was left out, is left out again only if this
    release does not agree either; a table made from all releases has the last word.
    """
    found = {owner: dict(names) for owner, names in table.items()}
    newer = constants([records], read_by)
    for owner, names in newer.items():
        for field, key in names.items():
            known = found.setdefault(owner, {}).get(field)
            if known is None or read_by[key] >= read_by.get(known, 0):
                found[owner][field] = key
    return {owner: dict(sorted(names.items())) for owner, names in sorted(found.items())}


def dumped(table: Table) -> str:
    """Return the text of option_constants.json: valid JSON with one class per line."""
    rows = [f"{json.dumps(owner)}:{json.dumps(names, separators=(',', ':'))}" for owner, names in table.items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"
