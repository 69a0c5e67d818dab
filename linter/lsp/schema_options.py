"""Schemas of the options: the values of each key, and the information that an editor shows for the key.

Descriptions are composed of the catalogue's facts: type, default, first release, other names.
"""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterator

from flink_flint.linter import flink
from flink_flint.linter.flink.key_segments import OWN
from flink_flint.linter.flink.options import FIRST_PREFIX_MAP, PASS_THROUGH, Catalogue, Option
from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.lsp.schema_values import Schema, schema_of

_REST = "<rest>"
"""The placeholder for an arbitrary rest of a key."""
_OF_THE_MACHINE = "$"
"""The mark of a default such as ``${java.io.tmpdir}`` that depends on the machine and cannot be written down."""

_WORDS = {
    "Boolean": "true or false", "Double": "number", "Duration": "duration", "Enum": "text", "Float": "number",
    "Integer": "whole number", "List<Enum>": "list", "List<Map>": "list of maps", "List<String>": "list",
    "Long": "whole number", "Map": "map", "MemorySize": "memory size", "String": "text",
}  # fmt: skip
"""The names of option types in an editor."""


def leaves(options: Catalogue, index: int, *, nested: bool) -> Iterator[tuple[str, Schema]]:
    """Yield every key and key template (with ``<``) that a release knows, with the schema of its values."""
    for key, _ in options.spellings():
        if "<" in key:
            option, how = options.option(key, index), "primary"
        else:
            accepted = options.accept(key, index)
            option, how = (accepted.option, accepted.how) if accepted else (None, "")
        if option is None or how in ("template", "map"):
            continue
        successors = sorted(options.readers(key, index)) if how == "deprecated" else []
        yield key, _leaf(key, option, how, successors, nested=nested)
        if option.type == "Map" and index >= FIRST_PREFIX_MAP:
            yield f"{key}.{_REST}", {}
    for prefix in PASS_THROUGH:
        if prefix.partition(".")[0] in OWN:
            yield f"{prefix}{_REST}", {}


def _leaf(key: str, option: Option, how: str, successors: list[str], *, nested: bool) -> Schema:
    """Return the schema of one key, with its documentation for editors."""
    taken = schema_of(option.type, option.enum, collections=nested)
    found: Schema = {}
    kind = _WORDS[option.type]
    if option.enum:
        kind = f"{'one' if option.type == 'Enum' else 'list'} of {', '.join(option.enum)}"
    words = [f"{_sentence(kind)}; {_default(option)}."]
    if option.since > 0:
        words.append(f"Since Flink {MINORS[option.since]}.")
    if how == "primary" and option.deprecated_keys:
        words.append(f"Formerly {', '.join(option.deprecated_keys)}.")
    if how == "fallback":
        found["doNotSuggest"] = True
        words.append(f"Read if {option.key} is not set.")
    if how == "deprecated":
        note = f"an old name: write {' or '.join(successors or [option.key])}"
    elif option.deprecated:
        note = "deprecated: a later Flink may not have it"
    else:
        note = ""
    if note:
        found |= {"deprecated": True, "deprecationMessage": f"{key} is {note}"}
        words.insert(0, f"{_sentence(note)}.")
    if "<" not in key:
        words.append(f"More: `flint explain {key}`.")
    found["description"] = " ".join(words)
    if option.has_default and _is_writable(option.default, nested=nested):
        found["default"] = option.default
    # Editors look for these properties next to the reference, and only find them in a branch of its own.
    return {**found, **({"allOf": [taken]} if is_old(found) else taken)}


def operators(*, nested: bool) -> Iterator[tuple[str, Schema]]:
    """Yield the keys that the newest Kubernetes operator reads from a job's configuration, each with its schema.

    The data file comes from the tables in the documentation of the operator's releases 1.0 to 1.15, which do not list
    constants.
    """
    path = os.path.join(os.path.dirname(flink.__file__), "operator_options.json")
    with open(path, encoding="utf-8") as file:
        options: dict[str, dict[str, str]] = json.load(file)
    for key, option in options.items():
        default = f"default {option['default']}" if "default" in option else "no default"
        description = (
            f"{_sentence(_WORDS[option['type']])}; {default}. Kubernetes operator option since {option['since']}."
        )
        found: Schema = {"description": description, **schema_of(option["type"], (), collections=nested)}
        if "default" in option:
            found["default"] = option["default"]
        yield key, found


def is_old(leaf: Schema) -> bool:
    """Return whether the key with the schema `leaf` is read only for compatibility and should not be suggested."""
    return "deprecationMessage" in leaf or "doNotSuggest" in leaf


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def _default(option: Option) -> str:
    if not option.has_default:
        return "no default"
    if option.default in ("", [], {}):
        return "empty by default"
    return f"default {option.default if isinstance(option.default, str) else json.dumps(option.default)}"


def _is_writable(default: object, *, nested: bool) -> bool:
    """Return whether a default can be written in a file."""
    return _OF_THE_MACHINE not in str(default) and (nested or not isinstance(default, (list, dict)))
