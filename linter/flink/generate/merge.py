"""Merges all releases into one catalogue: definitions of keys by release range, and changes in patch releases.

The file is one JSON object with one Flink key per line, so that a reader can split it into lines and decode only the
keys it needs. A line has, each only if not empty:

``definitions``
    ranges of minor releases (indices into `linter.flink.releases.MINORS`, both ends included) in which the
    option under this primary key stays the same;
``alias_of``
    for which primary keys, and in which minor releases, the key is a fallback or deprecated key;
``drift``
    per minor release, the definition in patches below ``before`` (null: the option did not exist yet).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from flink_flint.linter.flink.generate.reflection import Record
from flink_flint.linter.flink.generate.scope import prefixes, scope
from flink_flint.linter.flink.generate.undeclared_keys import FAMILIES
from flink_flint.linter.flink.releases import MINORS

Definition = dict[str, Any]
"""The definition of an option in one release: the values of the `Option` fields that are set, by field name."""


def definitions(records: Iterable[Record], minor: str) -> dict[str, Definition]:
    """Return the definitions of the options of one release by full key, including families of keys.

    A key that is declared several times (an option that moved to another class leaves a deprecated declaration behind,
    or two reporters have a parameter of the same name) is described by its first declaration that is not deprecated, in
    the order of class names; it is deprecated if every declaration is.
    """
    records = list(records)
    reporters = {r["key"].partition(".")[0] for r in records if r["key"].endswith(".reporters")}
    declared: dict[str, list[Record]] = {}
    for record in records:
        if scope(record) == "conf":
            for prefix in prefixes(record, reporters):
                declared.setdefault(prefix + record["key"], []).append(record)
    found: dict[str, Definition] = {}
    for key, group in declared.items():
        first = min(group, key=lambda r: (r["deprecated"], r["class"], r["field"]))
        prefix = key.removesuffix(first["key"])
        found[key] = _definition(first, prefix)
    index = MINORS.index(minor)
    for family in FAMILIES:
        if MINORS.index(family.since) <= index <= MINORS.index(family.until):
            definition: Definition = {"type": family.type}
            if family.default is not None:
                definition["default"] = family.default
            found[family.template] = definition
    return found


def _definition(record: Record, prefix: str) -> Definition:
    kind = _type(record)
    definition: Definition = {"type": kind}
    if record["has_default"]:
        definition["default"] = record["default"]
    if "enum" in record:
        definition["enum"] = record["enum"]
    # A relative option is read through a configuration that also prefixes its aliases.
    aliases = [(prefix + key, deprecated) for key, deprecated in record["aliases"]]
    fallback = [key for key, deprecated in aliases if not deprecated]
    outdated = [key for key, deprecated in aliases if deprecated]
    order = [key for key, _ in aliases]
    if fallback:
        definition["fallback_keys"] = fallback
    if outdated:
        definition["deprecated_keys"] = outdated
    if order != fallback + outdated:
        definition["lookup_order"] = order
    if record["deprecated"]:
        definition["deprecated"] = True
    if prefix:
        definition["suffix"] = record["key"]
    return definition


def _type(record: Record) -> str:
    """Return ``Duration``, ``Enum``, ``List<String>``, ...; 1.9 has no type other than that of the Java field."""
    name = record["type"] or record["generic"] or "java.lang.String"
    simple = "Enum" if "enum" in record else str(name.partition("<")[0].rpartition(".")[2])
    return f"List<{simple}>" if record["list"] else simple


def merged(
    releases: Mapping[str, Mapping[int, Mapping[str, Definition]]], older: Mapping[str, dict[str, Any]] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the catalogue's line for each key, from the definitions by minor release and patch: ``{"1.20": {0: …}}``.

    The last patch of a minor release defines it; the others only contribute drift. `older` are the lines of all
    releases before the given ones.
    """
    lines: dict[str, dict[str, Any]] = dict(older or {})
    for minor in (m for m in MINORS if m in releases):
        index = MINORS.index(minor)
        latest = releases[minor][max(releases[minor])]
        for key, definition in latest.items():
            _extend(lines.setdefault(key, {}).setdefault("definitions", []), definition, index)
            for how in ("deprecated", "fallback"):
                for alias in definition.get(f"{how}_keys", ()):
                    release_range = {"key": key, "how": how}
                    _extend(lines.setdefault(alias, {}).setdefault("alias_of", []), release_range, index)
        for key, drift in _drift(releases[minor]).items():
            lines.setdefault(key, {}).setdefault("drift", []).extend({"minor": index, **d} for d in drift)
    return dict(sorted(lines.items()))


def without_newest(lines: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the catalogue's lines as they are without the newest minor release."""
    newest = len(MINORS) - 1
    found: dict[str, dict[str, Any]] = {}
    for key, line in lines.items():
        kept: dict[str, Any] = {}
        for name, rows in line.items():
            if name == "drift":
                rows = [row for row in rows if row["minor"] != newest]
            else:
                rows = [{**row, "last": min(row["last"], newest - 1)} for row in rows if row["first"] < newest]
            if rows:
                kept[name] = rows
        if kept:
            found[key] = kept
    return found


def _extend(release_ranges: list[dict[str, Any]], content: dict[str, Any], index: int) -> None:
    """Extend the release range with this content that ends one minor release earlier, or begin a new one."""
    for release_range in release_ranges:
        if release_range == {**content, "first": release_range["first"], "last": index - 1}:
            release_range["last"] = index
            return
    release_ranges.append({"first": index, "last": index, **content})


def _drift(patches: Mapping[int, Mapping[str, Definition]]) -> dict[str, list[dict[str, Any]]]:
    """Return the definition of each key before the patch that changed it, newest change last.

    If patches are missing on the package index, the change is attributed to the next one that exists.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    numbers = sorted(patches)
    for earlier, later in pairwise(numbers):
        for key in sorted({*patches[earlier], *patches[later]}):
            before, after = patches[earlier].get(key), patches[later].get(key)
            if before != after:
                found.setdefault(key, []).append({"before": later, "definition": before})
    return found


def dumped(lines: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of options.json: valid JSON with one key per line."""
    rows = [f"{json.dumps(key)}:{json.dumps(line, separators=(',', ':'))}" for key, line in lines.items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"
