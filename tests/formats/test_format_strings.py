"""String literals with expressions in them: f-strings of Python, interpolated strings of Scala and Kotlin."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats.source.format_strings import FormatPart, f_string_parts, interpolated_parts


def shown(parts: list[FormatPart] | None) -> str | None:
    """Return the text of the parts, with expressions in angle brackets."""
    return None if parts is None else "".join(f"<{p.text}>" if p.is_expression else p.text for p in parts)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("f'a {x} b'", "a <x> b"),
        ('F"{ x }{y!r:>10}"', "<x><y!r:>10>"),
        ('f"""a\n{x}\n"""', "a\n<x>\n"),
        ("f'{{a}} {x}'", "{a} <x>"),
        ("f'{d[{1}]} {e}'", "<d[{1}]> <e>"),
        (r"f'a\n\'{x}'", "a\n'<x>"),
        (r"rf'a\n{x}'", r"a\n<x>"),
        ("f'a {x}' ' {y}'", "a <x> {y}"),
        ("'a {x}' # ' f\n  f' {y}'", "a {x} <y>"),
        ("f''", ""),
        (r"f'\x41{x}'", None),
        ("f'a {x", None),
        ("f'a {x'", None),
        ("f'a", None),
        ("x", None),
    ],
)
def test_f_strings_are_texts_and_expressions(raw: str, expected: str | None) -> None:
    assert shown(f_string_parts(raw, 0)) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('s"a $x b"', "a <x> b"),
        ('s"${a.b} $$ ${c}"', "<a.b> $ <c>"),
        ('s"""a\n  |$x\\n"""', "a\n  |<x>\\n"),
        ('"a $x ${ y }"', "a <x> <y>"),
        (r'"a \$x $1"', "a $x $1"),
        (r'raw"a\n$x"', r"a\n<x>"),
        (r'raw"C:\$x"', "C:\\<x>"),
        ('s"a ${x"', None),
    ],
)
def test_interpolated_strings_are_texts_and_expressions(raw: str, expected: str | None) -> None:
    assert shown(interpolated_parts(raw, 0)) == expected


def test_parts_know_their_places() -> None:
    text = "sql = f'a {{ {topic} é'"
    parts = f_string_parts(text[6:], 6)
    assert parts is not None
    assert [(text[slice(*part.span)], part.text) for part in parts] == [
        ("a ", "a "), ("{{", "{"), (" ", " "), ("{topic}", "topic"), (" é", " é"),
    ]  # fmt: skip


def test_a_string_of_very_many_parts_is_not_read() -> None:
    assert f_string_parts("f'" + "{x}" * 5_000 + "'", 0) is None
