"""Texts in typed parts, and the JSON values that have them."""

from __future__ import annotations

import pytest

from flink_flint.linter.flink.secrets import HIDDEN
from flink_flint.linter.model.safe_text import (
    Text,
    encoded_values,
    names_without_secrets,
    typed_by_appearance,
    typed_values,
)

ADDRESS = "jdbc://flink:hunter22@db"
HIDING = f"jdbc://flink:{HIDDEN}@db"


@pytest.mark.parametrize("value", [ADDRESS, typed_by_appearance(ADDRESS), Text([])])
def test_the_texts_in_a_value_are_typed_anew(value: str | Text) -> None:
    typed = typed_values({"a": [value, 1, None]}, typed_by_appearance)
    text = value if isinstance(value, str) else value.with_secrets
    assert typed == {"a": [typed_by_appearance(text), 1, None]}


def test_the_texts_in_a_value_are_encoded() -> None:
    found = {"a": (typed_by_appearance(ADDRESS), "red\x1b[31m", 1.5), "b": "plain"}
    assert encoded_values(found) == {"a": [HIDING, "red\\u001b[31m", 1.5], "b": "plain"}


def test_names_of_values_and_values_are_shown_without_secrets() -> None:
    assert names_without_secrets({ADDRESS: [ADDRESS, 2], "job": (ADDRESS, None)}) == {
        HIDING: [HIDING, 2],
        "job": (HIDING, None),
    }
