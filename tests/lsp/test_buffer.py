"""Offsets and positions of a text being edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.lsp.text_buffer import UTF_8, UTF_16, UTF_32, Buffer, Replaced
from flink_flint.linter.text.spans import Span

TEXTS = st.text(alphabet="a\r\n\u2028é😀\x0b", max_size=12)


@given(text=TEXTS, edits=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), TEXTS), max_size=6))
def test_edits_replace_characters_and_move_those_behind(text: str, edits: list[tuple[int, int, str]]) -> None:
    buffer = Buffer(text)
    for start, length, new in edits:
        first = min(start, len(buffer.text))
        last = min(first + length, len(buffer.text))
        wanted = buffer.text[:first] + new + buffer.text[last:]
        following = buffer.text[last:]
        span = Span(last, len(buffer.text))
        buffer, replaced = buffer.replace(first, last, new)
        assert buffer.text == wanted
        if (after := replaced.moved(Span(span.start + 1, span.end))) is not None:
            assert buffer.text[after.start : after.end] == following[1:]


@given(text=TEXTS, encoding=st.sampled_from((UTF_8, UTF_16, UTF_32)))
def test_positions_lead_back(text: str, encoding: str) -> None:
    buffer = Buffer(text, encoding)
    for offset in range(len(text) + 1):
        line, character = buffer.position(offset)
        if text[offset - 1 : offset + 1] != "\r\n" and text[offset : offset + 1] != "\n":
            assert buffer.offset(line, character) == offset


@pytest.mark.parametrize(("encoding", "character"), [(UTF_8, 6), (UTF_16, 3), (UTF_32, 2)])
def test_what_is_counted(encoding: str, character: int) -> None:
    buffer = Buffer("x\n😀éz", encoding)
    assert buffer.position(4) == (1, character)
    assert buffer.offset(1, character) == 4
    assert buffer.offset(1, 99) == 5
    assert buffer.offset(99, 0) == 5


def test_a_position_inside_a_character_is_before_it() -> None:
    assert Buffer("😀").offset(0, 1) == 0


def test_what_an_edit_moves() -> None:
    replaced = Replaced(Span(5, 8), 1)
    assert replaced.moved(Span(0, 4)) == Span(0, 4)
    assert replaced.moved(Span(9, 12)) == Span(7, 10)
    assert [replaced.moved(span) for span in (Span(0, 5), Span(6, 7), Span(8, 9))] == [None] * 3
