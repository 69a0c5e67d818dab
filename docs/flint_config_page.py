"""The reference of flint.toml, docs/flint-config.md, generated from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.markdown import fenced, prose, table
from flink_flint.linter.config.flint_config import NAMES, schema

PAGE = "flint-config.md"

_EXAMPLES = {
    "flink-version": '"1.20"',
    "operator-version": '"1.10"',
    "platform": '"operator"',
    "profile": '"production"',
    "select": '["ALL"]',
    "extend-select": '["FLK318"]',
    "ignore": '["deprecated-key"]',
    "severity": '{ storage = "error", FLK408 = "info" }',
    "thresholds": '{ checkpoint-interval-too-small = { least = "5 s" } }',
    "min-confidence": '"medium"',
    "fail-level": '"error"',
    "exclude": '["attic/", "*.generated.yaml"]',
    "force-exclude": "true",
    "files": '{ "deploy/settings.yaml" = "config.yaml", "search/*.yml" = "none" }',
    "include-tests": "true",
    "output-format": '"concise"',
    "baseline": '"flint-baseline.json"',
    "diff": '{ new-suppressions = "fail", no-longer-read = "fail", unreadable = "fail" }',
    "history": '"metrics/store"',
    "plugins": '["acme"]',
}
"""An example value of each key, except arrays of tables."""

_TABLES = {
    "link": 'paths = ["sql/"]\nto = "FlinkDeployment streaming/analytics"',
    "overrides": 'paths = ["dev/**"]\nprofile = "development"\nignore = ["network"]',
    "rule": (
        'code = "ACME001"\nseverity = "error"\noption = "execution.checkpointing.dir"\nmatches-not = "^s3://acme-"\n'
        'message = "checkpoints go to {value}, not into our bucket"'
    ),
}

_WITHIN_RULES = {"Conditions of a rule: also, unless": "condition", "Fix of a rule": "fix", "[[rule.case]]": "case"}


def example() -> str:
    """Return a flint.toml with every key."""
    known = schema()["properties"]
    lines = [f"{name} = {text}" for name, text in _EXAMPLES.items() if name in known]
    for name, text in _TABLES.items():
        lines += ["", f"[[{name}]]", text]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the reference: where the configuration is, an example with all keys, and the meaning of each."""
    rule = schema()
    files = ", ".join(f"`{name}`" for name in NAMES[:-1])
    lines = [
        "# flint.toml",
        "",
        (
            f"flint's own configuration is in {files} or, as `[tool.flint]`, in `{NAMES[-1]}`. The one nearest to a "
            "checked file applies, in its directory or above, up to the root of its repository; `--flint-config FILE` "
            "names one for all files. The command line takes precedence. `flint check --show-flint-config` prints the "
            "result."
        ),
        "",
        (
            "Unknown keys and values are refused with exit status 2. "
            "[The JSON Schema](../linter/config/flint_config.schema.json) helps editors."
        ),
        "",
        "## Example",
        "",
        "This example has every key:",
        "",
        *fenced(example(), "toml"),
        "",
        "## All keys",
        "",
        *_table(rule["properties"]),
    ]
    for name in _TABLES:
        items = _resolved(rule["properties"][name]["items"])
        required = ", ".join(f"`{one}`" for one in items["required"])
        lines += [
            "",
            f"## [[{name}]]",
            "",
            f"{prose(rule['properties'][name]['description'])} Required: {required}.",
            "",
            *_table({key: _whole(key, one, rule["properties"]) for key, one in items["properties"].items()}),
        ]
    for title, name in _WITHIN_RULES.items():
        lines += ["", f"### {title}", "", *_table(rule["$defs"][name]["properties"])]
    lines += ["", *_user_section()]
    return "\n".join(lines) + "\n"


def _user_section() -> list[str]:
    """Return the section about the user's own configuration."""
    return [
        "## Your own configuration",
        "",
        (
            "What starts programs on the contents of a repository is not the repository's to decide. It is in "
            "`flint/flint.toml` in `$XDG_CONFIG_HOME` or `~/.config` (also on macOS), or in `%APPDATA%` on Windows:"
        ),
        "",
        *_table(schema()["$defs"]["user"]["properties"]),
        "",
        (
            "Everything else belongs in the repository, so that all who check it see the same; other keys are refused "
            "there, as these are in a repository. The file is read when there are charts, kustomizations or SQL "
            "scripts. It does not count if it is in a repository that is checked, wherever `HOME` and "
            "`XDG_CONFIG_HOME` point."
        ),
    ]


def _resolved(one: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = schema()["$defs"][one["$ref"].rpartition("/")[2]] if "$ref" in one else one
    return found


def _whole(name: str, one: Mapping[str, Any], above: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a key in a table, with the description of the same top-level key if it has none."""
    return {"description": above[name]["description"] if name in above else "", **one}


def _table(flint_config: Mapping[str, Any]) -> list[str]:
    return table(("key", "type", "default", "meaning"), _rows(flint_config))


def _rows(flint_config: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    for name, one in flint_config.items():
        if "properties" in one:  # a table with fixed keys has a row for each of them
            yield from _rows({f"{name}.{inner}": two for inner, two in one["properties"].items()})
            continue
        default = f"`{json.dumps(one['default'])}`" if "default" in one else ""
        spelled = f"[`[[{name}]]`](#{name})" if name in _TABLES else f"`{name}`"
        yield spelled, _type(one), default, prose(one.get("description", ""))


def _type(one: Mapping[str, Any]) -> str:
    """Describe the type of a value in TOML's terms."""
    if "$ref" in one:
        return _type(_resolved(one))
    if "enum" in one:
        return ", ".join(f"`{json.dumps(value)}`" for value in one["enum"])
    if "type" not in one:
        return "any value"
    if one["type"] == "array":
        return (
            "tables"
            if _resolved(one["items"]).get("type") == "object"
            else "list of " + (_type(one["items"]) if "enum" in one["items"] else f"{_type(one['items'])}s")
        )
    if one["type"] == "object":
        others = one["additionalProperties"]
        return f"table of {_type(others)}" if others else "table"
    return {"string": "text", "boolean": "`true`, `false`"}.get(one["type"], str(one["type"]))
