"""Template functions that encode and decode YAML, JSON, and base64, and that compute hashes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_values import List, Map, Unknown, text_argument
from flink_flint.linter.formats.helm.rendering.json_texts import read_json, written_json
from flink_flint.linter.formats.helm.rendering.limits import Budget, LimitExceeded, NotRendered
from flink_flint.linter.formats.helm.rendering.yaml_reading import read_yaml
from flink_flint.linter.formats.helm.rendering.yaml_writing import written_yaml


@function("toYaml", passes_unknown=True, least=1, most=1)
def to_yaml(budget: Budget, value: object) -> object:
    """Return a value as YAML."""
    return written_yaml(value, budget)


@function("fromYaml", least=1, most=1)
def from_yaml(budget: Budget, text: object) -> object:
    """Parse YAML text that contains a map; return a map with the key `Error` if that fails."""
    try:
        value = read_yaml(text_argument(text), budget)
    except LimitExceeded:
        raise
    except NotRendered as error:
        return Map({"Error": Unknown(f"fromYaml: {error.reason}", "fromYaml", None)})
    if value is None:
        return Map()
    if not isinstance(value, Map):
        return Map({"Error": "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal"})
    return value


@function("fromYamlArray", least=1, most=1)
def from_yaml_array(budget: Budget, text: object) -> object:
    """Parse YAML text that contains a list; raise `NotRendered` if that fails."""
    value = read_yaml(text_argument(text), budget)
    if value is None:
        return List()
    if not isinstance(value, List):
        raise NotRendered("fromYamlArray of a text that is no list")
    return value


@function("toJson", "mustToJson", passes_unknown=True, least=1, most=1)
def to_json(budget: Budget, value: object) -> object:
    """Return a value as JSON."""
    return written_json(value, budget)


@function("toPrettyJson", "mustToPrettyJson", passes_unknown=True, least=1, most=1)
def to_pretty_json(budget: Budget, value: object) -> object:
    """Return a value as indented JSON."""
    return written_json(value, budget, indent="  ")


@function("toRawJson", "mustToRawJson", passes_unknown=True, least=1, most=1)
def to_raw_json(budget: Budget, value: object) -> object:
    """Return a value as JSON without escaping ``<``, ``>``, and ``&``."""
    return written_json(value, budget, html=False)


@function("fromJson", "mustFromJson", least=1, most=1)
def from_json(budget: Budget, text: object) -> object:
    """Parse JSON text that contains an object; raise `NotRendered` if that fails."""
    value = read_json(text_argument(text), budget)
    if not isinstance(value, Map):
        raise NotRendered("fromJson of a text that is no object")
    return value


@function("fromJsonArray", least=1, most=1)
def from_json_array(budget: Budget, text: object) -> object:
    """Parse JSON text that contains an array; raise `NotRendered` if that fails."""
    value = read_json(text_argument(text), budget)
    if not isinstance(value, List):
        raise NotRendered("fromJsonArray of a text that is no array")
    return value


@function("b64enc", least=1, most=1)
def b64enc(budget: Budget, text: object) -> object:
    """Return `text` encoded as base64."""
    return base64.b64encode(text_argument(text).encode("utf-8", "surrogateescape")).decode()


@function("b64dec", least=1, most=1)
def b64dec(budget: Budget, text: object) -> object:
    """Decode base64 text; raise `NotRendered` if it is invalid."""
    plain = text_argument(text).replace("\n", "").replace("\r", "")
    try:
        return base64.b64decode(plain, validate=True).decode()
    except (binascii.Error, ValueError):
        raise NotRendered("b64dec of a text that is not valid") from None


@function("b32enc", least=1, most=1)
def b32enc(budget: Budget, text: object) -> object:
    """Return `text` encoded as base32."""
    return base64.b32encode(text_argument(text).encode("utf-8", "surrogateescape")).decode()


@function("sha256sum", least=1, most=1)
def sha256sum(budget: Budget, text: object) -> object:
    """Return the SHA-256 hash of `text` in hexadecimal."""
    return hashlib.sha256(text_argument(text).encode("utf-8", "surrogateescape")).hexdigest()


@function("sha1sum", least=1, most=1)
def sha1sum(budget: Budget, text: object) -> object:
    """Return the SHA-1 hash of `text` in hexadecimal."""
    return hashlib.sha1(text_argument(text).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()


@function("sha512sum", least=1, most=1)
def sha512sum(budget: Budget, text: object) -> object:
    """Return the SHA-512 hash of `text` in hexadecimal."""
    return hashlib.sha512(text_argument(text).encode("utf-8", "surrogateescape")).hexdigest()


@function("adler32sum", least=1, most=1)
def adler32sum(budget: Budget, text: object) -> object:
    """Return the Adler-32 checksum of `text` in decimal."""
    return str(zlib.adler32(text_argument(text).encode("utf-8", "surrogateescape")))
