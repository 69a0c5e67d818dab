"""The values in a document that may be secret, judging by their keys or names."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.flink.parsed_file import Skipped
from flink_flint.linter.flink.secrets import is_secret_field, may_be_secret
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.masking import Value

_NAMELESS = "secret"
"""The name used for a value without a key."""


def values_of(document: Document) -> list[Value]:
    """Return the document's values that may be secret, judging by their keys or names."""
    values = [
        (one.key or _NAMELESS, one.value_span, one.text)
        for one in document.entries
        if not one.key or may_be_secret(one.key)
    ]
    values += dropped_values(document.skipped)
    values += [
        (name, attribute.span, attribute.value)
        for element in document.elements
        for name, attribute in element.attributes.items()
        if isinstance(attribute.value, str) and is_secret_field(name)
    ]
    return values


def dropped_values(skipped: Sequence[Skipped]) -> list[Value]:
    """Return the values that may be secret, judging by their keys, in lines that Flink drops."""
    named = (
        (one.key or (_NAMELESS if one.reason == "empty-key" else ""), one.value_span, one.value) for one in skipped
    )
    return [one for one in named if may_be_secret(one[0])]
