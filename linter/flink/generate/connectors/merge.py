"""Merges what the factories of all releases said into one file of facts.

The file is one JSON object:

``definitions``
    the different definitions of options (type, default, enum, aliases, exact), to which the rest refers by index;
``lines``
    the connectors as they are released: artifacts, and the releases (version, minor release of Flink, and whether the
    release is for several minors), the oldest first; ``more`` if there are later ones that were not asked;
``connectors``, ``formats``, ``catalogs``, ``modules``, ``pipelines``
    by identifier the line, the ranges of its releases (both ends included) by kind, the ranges that take any key or
    whose answer is not known (``open``), the ranges by prefix below which any key is taken, and by key the ranges with
    the index of the definition and 1 if the factory requires it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flink_flint.linter.flink.generate.connectors.factories import Record
from flink_flint.linter.flink.generate.connectors.lines import FLINK, Line, Release

Definition = dict[str, Any]
_UNKNOWN = "zz-flint"
_SECTIONS = {
    "source": "connectors",
    "sink": "connectors",
    "decoding": "formats",
    "encoding": "formats",
    "bulk": "formats",
    "catalog": "catalogs",
    "module": "modules",
    "pipeline source": "pipelines",
    "pipeline sink": "pipelines",
}


def merged(lines: Sequence[Line], asked: Mapping[Release, list[Record]]) -> dict[str, Any]:
    """Return the content of the file from the records of all releases of some lines."""
    definitions: dict[str, int] = {}
    found: dict[str, Any] = {section: {} for section in dict.fromkeys(_SECTIONS.values())}
    common = {
        release.flink: {record["key"]: _definition(record, set()) for record in asked[release] if _is_common(record)}
        for release in FLINK.releases
        if release in asked
    }
    described = {}
    for line in lines:
        releases = [one for one in line.releases if one in asked]
        described[line.name] = _line(line, releases)
        for index, release in enumerate(releases):
            for (section, name), records in _by_identifier(asked[release]).items():
                entry = found[section].setdefault(name, {"line": line.name})
                if entry["line"] == line.name:  # a jar may contain another connector
                    _add(entry, index, records, common.get(release.flink, {}), definitions)
    for section in found.values():
        for entry in section.values():
            _compress(entry)
    texts = sorted(definitions, key=definitions.__getitem__)
    return {"definitions": [json.loads(text) for text in texts], "lines": described, **found}


def _line(line: Line, releases: list[Release]) -> dict[str, Any]:
    found: dict[str, Any] = {"artifacts": list(dict.fromkeys(one.artifact for one in releases if one.artifact))}
    found["releases"] = [[one.version, one.flink, *([1] if one.any_flink else [])] for one in releases]
    if line.more:
        found["more"] = True
    return found


def _is_common(record: Record) -> bool:
    return "common" in record["kinds"]


def _by_identifier(records: Iterable[Record]) -> dict[tuple[str, str], list[Record]]:
    """Return the factories of a release by section and identifier: a source and a sink may have one each."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if not _is_common(record):
            for section in dict.fromkeys(_SECTIONS[kind] for kind in record["kinds"]):
                found.setdefault((section, record["identifier"]), []).append(record)
    return found


def _add(
    entry: dict[str, Any],
    index: int,
    records: list[Record],
    common: Mapping[str, Definition],
    definitions: dict[str, int],
) -> None:
    """Add the factories of one identifier in one release to its entry."""
    answers = {kind: answer for record in records for kind, answer in record["answers"].items()}
    for kind in dict.fromkeys(kind for record in records for kind in record["kinds"]):
        entry.setdefault("kinds", {}).setdefault(kind, []).append(index)
    if not _is_closed(answers.values()):
        entry.setdefault("open", []).append(index)
    taken = {key for answer in answers.values() for key in answer.get("taken") or ()}
    # A value that is refused of a sink alone may be that of a table which is only read.
    given = [one.get("choices") or {} for one in answers.values()]
    choices = {key: values for one in given for key, values in one.items() if all(key in other for other in given)}
    for prefix in _prefixes(taken):
        entry.setdefault("prefixes", {}).setdefault(prefix, []).append(index)
    # The options of a format for files are not checked: the connector takes any below the format's name.
    judged = [record for record in records if record["kinds"] != ["bulk"]] or records
    required = [{option["key"] for option in record["required"]} for record in judged]
    own: dict[str, Definition] = {}
    for record in records:
        for option in (*record["optional"], *record["required"]):
            own[option["key"]] = _definition(option, taken)
    for key in sorted(taken & common.keys() - own.keys()):
        own[key] = common[key]
    for key, definition in own.items():
        if key in choices and definition["type"] == "String":
            definition = {**definition, "type": "Enum", "enum": choices[key]["values"], "exact": choices[key]["exact"]}
            definition = {name: value for name, value in definition.items() if value is not False}
        number = definitions.setdefault(json.dumps(definition, sort_keys=True), len(definitions))
        is_required = all(key in keys for keys in required)
        entry.setdefault("options", {}).setdefault(key, []).append((index, number, is_required))


def _is_closed(answers: Iterable[dict[str, Any]]) -> bool:
    """Return whether each kind that has answered refuses unknown keys, and at least one has."""
    given = [answer["open"] for answer in answers if answer["open"] is not None]
    return bool(given) and not any(given)


def _prefixes(taken: Iterable[str]) -> list[str]:
    """Return the shortest prefixes below which unknown keys are taken; one of a format is that of any format."""
    found: list[str] = []
    for prefix in sorted(key.removesuffix(_UNKNOWN) for key in taken if key.endswith(f".{_UNKNOWN}")):
        if not prefix.startswith(tuple(found)):
            found.append(prefix)
    return ["{format}." if prefix == "json." else prefix for prefix in found]


def _definition(option: Mapping[str, Any], taken: set[str]) -> Definition:
    name = str(option["type"] or "java.lang.String").rpartition(".")[2].rpartition("$")[2]
    kind = "Enum" if "enum" in option else name
    definition: Definition = {"type": f"List<{kind}>" if option["list"] else kind}
    if option["has_default"]:
        definition["default"] = option["default"]
    if "enum" in option:
        definition["enum"] = option["enum"]
    aliases = [key for key, _ in option["aliases"] if key in taken]
    if aliases:
        definition["aliases"] = aliases
    return definition


def _compress(entry: dict[str, Any]) -> None:
    """Replace the indices of releases in an entry by ranges."""
    for name in ("kinds", "prefixes"):
        entry[name] = {key: _ranges(indices) for key, indices in sorted(entry.get(name, {}).items())}
    entry["open"] = _ranges(entry.get("open", []))
    options = {}
    for key, found in sorted(entry.get("options", {}).items()):
        ranges: list[list[int]] = []
        for index, number, is_required in found:
            rest = [number, *([1] if is_required else [])]
            if ranges and ranges[-1][1] == index - 1 and ranges[-1][2:] == rest:
                ranges[-1][1] = index
            else:
                ranges.append([index, index, *rest])
        options[key] = ranges
    entry["options"] = options


def _ranges(indices: Iterable[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for index in sorted(set(indices)):
        if found and found[-1][1] == index - 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    return found


def dumped(content: Mapping[str, Any]) -> str:
    """Return the text of the file: valid JSON, a line for each definition, line of releases and identifier."""
    rows = []
    for name, section in content.items():
        if isinstance(section, list):
            inner = ",\n".join(_text(one) for one in section)
            rows.append(f"{_text(name)}:[\n{inner}\n]")
        else:
            inner = ",\n".join(f"{_text(key)}:{_text(one)}" for key, one in sorted(section.items()))
            rows.append(f"{_text(name)}:{{\n{inner}\n}}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
