"""The texts in the spans of keys and values, for every file format, in forms that are easy to get wrong.

The cases (`tests.formats.golden`) contain the expected results: every marked pair must be the spans of a setting, or
of an attribute of an element, and every setting in the file must be marked.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from flink_flint.linter.formats import file_formats
from flink_flint.linter.text.spans import Span
from tests.formats.golden import (
    build_files,
    configuration_files,
    key_value_files,
    logging_files,
    programs,
    scripts,
    settings_in_yaml,
)
from tests.formats.golden.marks import Forms, unmarked
from tests.formats.reading import file_format, read

GOLDEN: dict[str, tuple[str, Forms]] = {
    **settings_in_yaml.GOLDEN,
    **configuration_files.GOLDEN,
    **scripts.GOLDEN,
    **programs.GOLDEN,
    **key_value_files.GOLDEN,
    **logging_files.GOLDEN,
    **build_files.GOLDEN,
}
CASES = [
    pytest.param(file, marked, id=f"{kind}: {name}")
    for kind, (file, forms) in GOLDEN.items()
    for name, marked in forms.items()
]


@pytest.mark.parametrize(("file", "marked"), CASES)
def test_places_cut_exactly_the_key_and_the_value(file: str, marked: str) -> None:
    text, expected = unmarked(marked)
    documents = read(file, text)
    settings = {(entry.key_span, entry.value_span): entry for document in documents for entry in document.entries}
    attributes = {
        (attribute.key_span, attribute.span)
        for document in documents
        for element in document.elements
        for attribute in element.attributes.values()
        if attribute.key_span is not None
    }

    def cut(pairs: Iterable[tuple[Span, Span]]) -> list[tuple[int, str, str]]:
        return sorted((key.start, text[slice(*key)], text[slice(*value)]) for key, value in pairs)

    assert cut(expected - settings.keys() - attributes) == [], cut(settings)
    written = {pair for pair, entry in settings.items() if entry.style != "implied"}
    assert cut(written - expected) == []


def test_every_format_has_ten_cases() -> None:
    counted: dict[type, int] = {}
    for file, forms in GOLDEN.values():
        for marked in forms.values():
            kind = type(file_format(file, unmarked(marked)[0]))
            counted[kind] = counted.get(kind, 0) + 1
    assert {type(one) for one in file_formats() if counted.get(type(one), 0) < 10} == set()
