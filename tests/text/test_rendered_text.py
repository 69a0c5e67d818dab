"""Rendered text knows which places decide it, and of which place it is a copy."""

from __future__ import annotations

from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Span

COPIED = Fragment("memory", Origin("base.yaml", Span(10, 16)))
MADE = Fragment("8192m", Origin("values.yaml", Span(40, 62)))
TEXT = RenderedText([COPIED, Fragment(": ", None), MADE])


def test_a_copied_part_has_the_place_of_its_characters() -> None:
    assert TEXT.copied_from(Span(1, 4)) == Origin("base.yaml", Span(11, 14))


def test_what_an_expression_makes_is_no_copy() -> None:
    assert TEXT.copied_from(Span(8, 13)) is None
    assert TEXT.origin(Span(8, 13)) == MADE.origin


def test_text_of_several_parts_is_no_copy() -> None:
    assert TEXT.copied_from(Span(4, 9)) is None
    assert TEXT.copied_from(Span(6, 7)) is None
    assert TEXT.copied_from(Span(3, 3)) is None


def test_each_part_of_a_span_has_its_place() -> None:
    assert list(TEXT.origins(Span(4, 9))) == [Origin("base.yaml", Span(14, 16)), MADE.origin]
    assert list(TEXT.origins(Span(6, 8))) == []


def test_quotes_around_a_value_do_not_decide_it() -> None:
    quote = Fragment('"', Origin("template.yaml", Span(7, 8)))
    assert RenderedText([quote, MADE, quote]).origin(Span(0, 7)) == MADE.origin
    assert RenderedText([quote, Fragment("8", None)]).origin(Span(0, 2)) == quote.origin
