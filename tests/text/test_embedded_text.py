"""Extracted texts, and the mapping back."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.spans import Edit, Span, apply_edits

BLOCK = "k: |\n    a: 1\n    b: 2\n"
INDENT = "    "
lines = st.lists(st.text("ab:#", max_size=4), min_size=1, max_size=5)


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


def indented(inner: str) -> tuple[str, Extract]:
    """Return a block scalar of an inner text, and its extract."""
    outer, spans = "k: |\n", []
    for line in inner.splitlines(keepends=True):
        outer += INDENT if line.strip("\n") else ""
        spans.append(Span(len(outer), len(outer) + len(line)))
        outer += line
    return outer, Extract.of(outer, spans)


def edited(inner: str, edit: Edit) -> str:
    outer, extract = indented(inner)
    assert extract.text == inner
    return apply_edits(outer, extract.edits([edit], indent=INDENT))


@given(lines, st.booleans(), st.integers(0, 5), st.integers(0, 5), st.lists(st.text("cd:#", min_size=1), max_size=3))
def test_lines_that_are_replaced_inserted_or_deleted_are_as_if_written_there(
    old: list[str], ends: bool, one: int, other: int, new: list[str]
) -> None:
    old[0] = old[0] or "a"
    old[-1] = old[-1] or "a"
    inner = "\n".join(old) + ("\n" if ends else "")
    whole = inner.splitlines(keepends=True)
    first, last = sorted((min(one, len(whole)), min(other, len(whole))))
    # Without an end, more text continues the last line, and nothing in place of it is an empty line.
    assume(ends or (first < len(whole) and (last < len(whole) or new)))
    before, after = "".join(whole[:first]), "".join(whole[last:])
    edit = Edit(Span(len(before), len(inner) - len(after)), "".join(f"{line}\n" for line in new))
    assert edited(inner, edit) == indented(before + edit.text + after)[0]


@given(lines, st.integers(0, 30), st.integers(0, 30), st.text("cd:#", max_size=3))
def test_a_change_within_one_line_is_as_if_written_there(old: list[str], one: int, other: int, text: str) -> None:
    inner = "".join(f"a{line}\n" for line in old)
    start, end = sorted((min(one, len(inner)), min(other, len(inner))))
    after = inner[:start] + text + inner[end:]
    assume("\n" not in inner[start:end] and start < len(inner) and all(after.split("\n")[:-1]))
    assert edited(inner, Edit(Span(start, end), text)) == indented(after)[0]


def test_a_line_that_begins_within_a_line_is_indented() -> None:
    assert edited("a: 1\nb: 2\n", Edit(Span(4, 4), "\nc: 3")) == "k: |\n    a: 1\n    c: 3\n    b: 2\n"
    assert edited("a: 1\nb: 2\n", Edit(Span(3, 9), "7")) == "k: |\n    a: 7\n"
    assert edited("a: 1\nb: 2\n", Edit(Span(0, 3), "c: 3\n")) == "k: |\n    c: 3\n    1\n    b: 2\n"
    assert edited("a: 1\nb: 2\n", Edit(Span(0, 6), "c")) == "k: |\n    c: 2\n"
    assert edited("a: 1\nb: 2\n", Edit(Span(0, 6), "")) == "k: |\n    : 2\n"


def test_before_the_first_line_of_a_text_without_an_end() -> None:
    assert edited("a: 1", Edit(Span(0, 0), "c: 3\n")) == "k: |\n    c: 3\n    a: 1"


MIXED = r'"ab\u00e9cd\n"'
"""A JSON string; the escapes are one character each."""


def mixed() -> Extract:
    places = ["ab", r"\u00e9", "cd", r"\n"]
    pieces, at = [], 1
    for place, text in zip(places, ["ab", "é", "cd", "\n"], strict=True):
        pieces.append(Piece(text, Span(at, at + len(place))))
        at += len(place)
    return Extract(MIXED, [*pieces[:2], Piece("", Span(9, 9)), *pieces[2:]])


def test_a_part_maps_as_the_whole_does() -> None:
    whole = mixed()
    for start in range(len(whole.text) + 1):
        for end in range(start, len(whole.text) + 1):
            part = whole.part(Span(start, end))
            assert part.text == whole.text[start:end]
            for place in range(len(part.text)):
                assert part.span(Span(place, place + 1)) == whole.span(Span(start + place, start + place + 1))
            if part.text:
                assert part.span(Span(0, len(part.text))) == whole.span(Span(start, end))


def test_a_replaced_part_maps_as_a_whole_and_the_others_as_before() -> None:
    replaced = mixed().replaced([(Span(1, 3), "XYZ"), (Span(4, 6), "")])
    assert replaced.text == "aXYZc"
    assert [MIXED[slice(*replaced.span(Span(n, n + 1)))] for n in range(5)] == ["a", *[r"b\u00e9"] * 3, "c"]
    assert replaced.span(Span(2, 2)) == (2, 2)


def test_an_empty_piece_at_the_end_is_no_place() -> None:
    assert Extract(MIXED, [Piece("ab", Span(1, 3)), Piece("", Span(9, 9))]).start(2) == 3


def test_offsets_beyond_the_ends() -> None:
    extract = mixed()
    assert (extract.start(99), extract.end(-1), extract.end(0), extract.end(99)) == (13, 1, 1, 13)
    assert extract.start(len(extract.text)) == 13
    assert extract.part(Span(3, 99)).text == "cd\n"
    assert extract.span(Span(3, 3)) == (9, 9)
