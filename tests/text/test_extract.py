"""Extracted texts, and the mapping back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.text.extract import Extract, Piece
from flink_flint.linter.text.spans import Edit, Span, apply_edits

BLOCK = "k: |\n    a: 1\n    b: 2\n"


def block() -> Extract:
    return Extract.of(BLOCK, [Span(9, 14), Span(18, 23)])


def test_inner_offsets_map_to_outer_offsets() -> None:
    extract = block()
    assert extract.text == "a: 1\nb: 2\n"
    assert BLOCK[slice(*extract.span(Span(5, 6)))] == "b"
    assert BLOCK[slice(*extract.span(Span(3, 9)))] == "1\n    b: 2"


def test_a_place_that_ends_where_a_piece_ends_does_not_reach_into_the_next() -> None:
    assert BLOCK[slice(*block().span(Span(0, 5)))] == "a: 1\n"


def test_an_empty_place_is_empty_outside() -> None:
    extract = block()
    assert extract.span(Span(5, 5)) == (18, 18)
    assert extract.span(Span(10, 10)) == (23, 23)


def test_a_piece_with_another_spelling_maps_as_a_whole() -> None:
    outer = r'"a\u00e9b"'
    extract = Extract(outer, [Piece("a", Span(1, 2)), Piece("é", Span(2, 8)), Piece("b", Span(8, 9))])
    assert [outer[slice(*extract.span(Span(n, n + 1)))] for n in range(3)] == ["a", r"\u00e9", "b"]


def test_an_empty_extract() -> None:
    extract = Extract("", [])
    assert (extract.text, extract.span(Span(0, 0)), extract.start(5), extract.end(5)) == ("", (0, 0), 0, 0)


def test_lines_are_inserted_and_deleted_with_their_indentation() -> None:
    extract = block()
    removal = extract.edits([Edit(Span(0, 5), "")], indent="    ")
    assert apply_edits(BLOCK, removal) == "k: |\n    b: 2\n"
    insertion = extract.edits([Edit(Span(5, 5), "c: 3\nd: 4\n")], indent="    ")
    assert apply_edits(BLOCK, insertion) == "k: |\n    a: 1\n    c: 3\n    d: 4\n    b: 2\n"
    at_the_end = extract.edits([Edit(Span(10, 10), "c: 3\n")], indent="    ")
    assert apply_edits(BLOCK, at_the_end) == "k: |\n    a: 1\n    b: 2\n    c: 3\n"


def test_an_empty_line_that_is_inserted_gets_no_blanks() -> None:
    edits = block().edits([Edit(Span(5, 5), "\nc: 3\n")], indent="    ")
    assert apply_edits(BLOCK, edits) == "k: |\n    a: 1\n\n    c: 3\n    b: 2\n"


def test_inserted_lines_continue_with_the_indentation() -> None:
    edits = block().edits([Edit(Span(9, 9), "\nc: 3")], indent="    ")
    assert apply_edits(BLOCK, edits) == "k: |\n    a: 1\n    b: 2\n    c: 3\n"


def test_a_change_within_a_line_leaves_the_rest_of_it() -> None:
    edits = block().edits([Edit(Span(3, 4), "one"), Edit(Span(5, 6), "bee")], indent="    ")
    assert apply_edits(BLOCK, edits) == "k: |\n    a: one\n    bee: 2\n"


@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=8), st.integers(0, 40), st.integers(0, 40))
def test_verbatim_pieces_give_places_that_cut_the_same_characters(
    outer: str, bounds: list[int], one: int, other: int
) -> None:
    ends = sorted(min(bound, len(outer)) for bound in bounds)
    extract = Extract.of(outer, [Span(a, b) for a, b in zip(ends[::2], ends[1::2], strict=False)])
    for place, char in enumerate(extract.text):
        assert outer[slice(*extract.span(Span(place, place + 1)))] == char
    start, end = sorted((min(one, len(extract.text)), min(other, len(extract.text))))
    span = extract.span(Span(start, end))
    assert 0 <= span.start <= span.end <= len(outer)
    inside = extract.text[start:end]
    assert [char for char in outer[slice(*span)] if char in inside] or not inside
    assert not inside or (outer[span.start], outer[span.end - 1]) == (inside[0], inside[-1])
