"""JSON Schemas for editors: for `config.yaml`, `spec.flinkConfiguration`, and a whole FlinkDeployment."""

from __future__ import annotations

import json
from typing import Any

from flink_flint.linter import __version__
from flink_flint.linter.filesystem.writing import print_or_save
from flink_flint.linter.flink.deployment.operator import FORBIDDEN, UNSUPPORTED_SINCE, fields
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.releases import (
    FIRST_CONFIG_YAML,
    KNOWN,
    MINORS,
    NEWEST,
    Release,
    parse_release,
    release_at,
)
from flink_flint.linter.lsp.schema_options import leaves, operators
from flink_flint.linter.lsp.schema_tree import refer, tree
from flink_flint.linter.lsp.schema_values import Schema, shared_types

CONFIG_YAML = "config.yaml"
FLINK_CONFIGURATION = "flinkConfiguration"
DEPLOYMENT = "FlinkDeployment"
KINDS = (CONFIG_YAML, FLINK_CONFIGURATION, DEPLOYMENT)
"""The kinds of configuration that a schema can describe."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HOME = "https://github.com/flink-flint/flint/schema"
_DOCUMENTATION = "https://nightlies.apache.org/flink/flink-docs-release-{minor}/docs/deployment/config/"
_FIRST_NESTED = max(MINORS.index(version.removeprefix("v").replace("_", ".")) for version in UNSUPPORTED_SINCE) + 1
"""The first minor release for which the operator accepts nested mappings in `flinkConfiguration`."""


class NoSchema(ValueError):  # noqa: N818 - the name says what does not exist
    """Raised if there is no schema of the requested kind for a release."""


def run_schema(flink_version: str | None, kind: str | None, *, is_open: bool, output_file: str | None) -> None:
    """Print or save a JSON Schema; by default, the one for `config.yaml` in the newest release.

    For a release without a `config.yaml`, the default is `spec.flinkConfiguration`. Raises ValueError if there is no
    such schema, or the file cannot be written.
    """
    release = release_at(NEWEST) if flink_version is None else parse_release(flink_version)
    if kind is None:
        has_file = release.place is None or release.place >= FIRST_CONFIG_YAML
        kind = CONFIG_YAML if has_file else FLINK_CONFIGURATION
    print_or_save(text_of(schema(release, kind, is_open=is_open)), output_file, "the schema")


def schema(release: Release, kind: str, *, is_open: bool = False) -> Schema:
    """Return the schema for one kind of configuration in a release; `is_open` allows unknown keys everywhere.

    Raises NoSchema if flint does not know the release, or the release has no such file.
    """
    index = release.place
    if index is None:
        raise NoSchema(f"flint knows the options of Flink {KNOWN}, but not those of {release}")
    if kind == CONFIG_YAML and index < FIRST_CONFIG_YAML:
        raise NoSchema(
            f"Flink {release} does not read config.yaml (1.19 and later do), and flink-conf.yaml is not YAML, so it "
            "has no schema; --of flinkConfiguration describes the options of a custom resource"
        )
    options = catalogue().as_of(release)
    nested = index >= (FIRST_CONFIG_YAML if kind == CONFIG_YAML else _FIRST_NESTED)
    keys = dict(leaves(options, index, nested=nested))
    if kind != CONFIG_YAML:
        keys = {key: leaf for key, leaf in keys.items() if key not in FORBIDDEN} | dict(operators(nested=nested))
    definitions = {**shared_types(index, collections=nested), **tree(keys, nested=nested, is_open=is_open)}
    root = definitions.pop("")
    head = {
        "$schema": _DIALECT,
        "$id": f"{_HOME}/{release}/{kind}.json",
        "$comment": f"written by flint {__version__}; `flint schema --flink-version {release} --of {kind}`",
        "title": f"{'A' if kind == DEPLOYMENT else 'The'} {kind} of Apache Flink {release}",
        "description": f"The options of Flink {release}: {_DOCUMENTATION.format(minor=release.name)}",
    }
    if kind == DEPLOYMENT:
        definitions[FLINK_CONFIGURATION] = root
        root = _resource(release)
    else:
        root |= root.pop("allOf")[0]
    return {**head, **root, "$defs": dict(sorted(definitions.items()))}


def text_of(found: Schema) -> str:
    """Return a schema as JSON with one definition per line."""
    definitions = ",\n".join(f"  {_json(name)}: {_json(content)}" for name, content in found["$defs"].items())
    rest = ",\n".join(f" {_json(name)}: {_json(content)}" for name, content in found.items() if name != "$defs")
    return f'{{\n{rest},\n "$defs": {{\n{definitions}\n }}\n}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _resource(release: Release) -> Schema:
    """Return the schema of the operator's resource: the Flink parts in detail, anything else unchecked."""
    version = f"v{release.major}_{release.minor}"
    spec: dict[str, Any] = {name: {} for name in fields(DEPLOYMENT)[""]}
    spec["flinkVersion"] = {
        "enum": [version],
        "errorMessage": f"this schema is for Flink {release.name} ({version}); `flint schema` generates others",
    }
    spec[FLINK_CONFIGURATION] = refer(FLINK_CONFIGURATION)
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}
