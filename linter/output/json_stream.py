"""Long JSON written incrementally, one list element per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping


def array_parts(items: Iterable[object]) -> Iterator[str]:
    """Yield the parts of a JSON list, one element per line."""
    lead = "[\n"
    for item in items:
        yield lead + _compact(item)
        lead = ",\n"
    yield "[]" if lead == "[\n" else "\n]"


def object_parts(fields: Mapping[str, object], name: str, items: Iterable[object]) -> Iterator[str]:
    """Yield the parts of a JSON object whose last field is a list, with each field and each element on its own line."""
    yield "{\n"
    for field, value in fields.items():
        yield f"{_compact(field)}:{_compact(value)},\n"
    yield f"{_compact(name)}:"
    yield from array_parts(items)
    yield "\n}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
