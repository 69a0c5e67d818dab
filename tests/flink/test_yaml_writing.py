"""The YAML that Flink makes of a list, character by character."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.yaml.yaml_constructor import load
from flink_flint.linter.flink.yaml.yaml_writing import flow_text


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("~/a", "[~/a]"),
        ("\U00010000", "[\U00010000]"),
        ("\U0010ffff", "[\U0010ffff]"),
        ("a\n~", '["a\\n~"]'),
        ("a\n \x7f", '["a\\n \\x7f"]'),
        ("a\n\x01", '["a\\n\\x01"]'),
        ("a\n\xe9\U00010000", '["a\\n\xe9\U00010000"]'),
        ("a\n\xa0\u2028", '["a\\n\\_\\L"]'),
        ("a\n\ufeff", '["a\\n\\ufeff"]'),
        ("a\n\uffff", '["a\\n\\uffff"]'),
    ],
)
def test_only_characters_that_yaml_does_not_print_are_escaped(item: str, text: str) -> None:
    assert flow_text([item]) == text
    assert load(text) == [item]
