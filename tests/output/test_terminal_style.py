"""Texts on a terminal: widths, paragraphs, counts."""

from __future__ import annotations

import io

import pytest

from flink_flint.linter.output.terminal_style import count, listed, terminal_width, wrap


@pytest.mark.parametrize(
    ("text", "width", "wrapped"),
    [
        ("", 5, ""),
        ("aa bb", 5, "aa bb"),
        ("aa bbb", 5, "aa\n  bbb"),
        # Later lines are shorter by the indent.
        ("aa bbb cc", 5, "aa\n  bbb\n  cc"),
        ("aaa b c", 5, "aaa b\n  c"),
        ("a b c d e f", 7, "a b c d\n  e f"),
        # Nothing breaks a word, and no empty line comes before one that is too long.
        ("aaaaaaaa b", 5, "aaaaaaaa\n  b"),
        ("- aaaaaaaa b", 5, "- aaaaaaaa\n  b"),
    ],
)
def test_paragraphs_are_wrapped_to_the_width(text: str, width: int, wrapped: str) -> None:
    assert wrap(text, width, "  ") == wrapped


def test_the_first_line_may_begin_behind_other_text() -> None:
    assert wrap("aa bb", 8, "  ", used=3) == "aa bb"
    assert wrap("aa bb", 8, "  ", used=4) == "aa\n  bb"


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("1", 1), ("0", None), ("", None), ("wide", None)])
def test_the_environment_gives_the_width(monkeypatch: pytest.MonkeyPatch, columns: str, width: int | None) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("os.get_terminal_size", lambda _: (_ for _ in ()).throw(OSError))
    assert terminal_width(io.StringIO()) == (width or 100)


def test_counts_and_lists_in_words() -> None:
    assert [count(number, "file") for number in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
