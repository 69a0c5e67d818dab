"""Offsets, lines and edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.text.spans import Edit, Lines, Span, apply_edits

TEXTS = st.text(alphabet="ab:# \t\r\né😀", max_size=60)


@given(TEXTS)
def test_lines_cover_the_text_in_order(text: str) -> None:
    lines = Lines(text)
    assert "".join(text[slice(*lines.full_span(n))] for n in range(1, len(lines.starts) + 1)) == text
    assert all("\n" not in text[slice(*lines.span(n))] for n in range(1, len(lines.starts) + 1))


@given(TEXTS, st.integers(0, 60))
def test_a_position_leads_back_to_its_offset(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    lines = Lines(text)
    line, column = lines.position(offset)
    assert lines.starts[line - 1] + column - 1 == offset


def test_columns_count_characters_and_every_line_end_counts() -> None:
    lines = Lines("a\r\n😀b\rc\n")
    assert lines.position(4) == (2, 2)
    assert lines.position(6) == (3, 1)
    assert lines.span(2) == Span(3, 5)
    assert lines.full_span(2) == Span(3, 6)


def test_edits_are_made_in_order_of_place() -> None:
    edits = [Edit(Span(4, 5), "E"), Edit(Span(0, 1), "A"), Edit(Span(2, 2), "+")]
    assert apply_edits("abcde", edits) == "Ab+cdE"


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abc", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])
