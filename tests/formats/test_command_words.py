"""Words of commands, as the shell splits them: quotes, escapes, variables, and where a command ends."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_flint.linter.formats.containers import flink_container
from flink_flint.linter.formats.shell.command_line import split_commands, whole_word
from flink_flint.linter.formats.shell.command_words import read_words
from flink_flint.linter.text.embedded_text import Extract, Piece
from flink_flint.linter.text.spans import Span


def words(text: str) -> tuple[list[str], str]:
    """Return the words of the command that a text begins with, and the text behind it."""
    found, end = read_words(text, 0)
    return [word.text for word in found], text[end:]


@pytest.mark.parametrize(
    ("text", "expected", "behind"),
    [
        ("", [], ""), ("a b", ["a", "b"], ""), ("  a\t b  ", ["a", "b"], ""), ("a;b", ["a"], ";b"),
        ("a|b", ["a"], "|b"),
        ("a&&b", ["a"], "&&b"), ("a\nb", ["a"], "\nb"), ("a\rb", ["a"], "\rb"), ("a(b", ["a"], "(b"),
        ("a)", ["a"], ")"),
        ("a # b", ["a"], "# b"), ("a#b", ["a#b"], ""), ("#a", ["#a"], ""), ("a \\\n b", ["a", "b"], ""),
        ("a \\\r\n b", ["a", "b"], ""),
        # quotes
        ("'a b'", ["a b"], ""), ('"a b"', ["a b"], ""), ("a'b'\"c\"d", ["abcd"], ""), ("''", [""], ""),
        ('""', [""], ""),
        ("'a\\'", ["a\\"], ""), ("a 'b", ["a"], "'b"), ('a "b', ["a"], '"b'), ("a 'b\n'", ["a", "b\n"], ""),
        ('a "b\n"', ["a"], '"b\n"'),
        ('"a\\"b"', ['a"b'], ""), ('"a\\\\b\\$c\\`d"', ["a\\b$c`d"], ""), ('"a\\nb"', ["a\\nb"], ""),
        ('"a\\\nb"', ["ab"], ""),
        ('"a\\\r\nb"', ["ab"], ""), ('"a#b;c|d"', ["a#b;c|d"], ""),
        # escapes
        ("a\\ b", ["a b"], ""), ("a\\;b", ["a;b"], ""), ("\\'a", ["'a"], ""), ("a\\", ["a"], "\\"),
        ("a b\\\n", ["a", "b"], ""),
        # variables
        ("$a ${b:-c d} x", ["$a", "${b:-c d}", "x"], ""), ('"$a ${b}"', ["$a ${b}"], ""),
        ("$(c d) x", ["$(c d)", "x"], ""),
        ("a$", ["a$"], ""), ("$ a", ["$", "a"], ""), ("{{ a }} b", ["{{ a }}", "b"], ""),
        ("x{{ a }}y", ["x{{ a }}y"], ""),
        ("a{b {{c", ["a{b", "{{c"], ""), ("-Da=<% b %> c", ["-Da=<% b %>", "c"], ""),
        # redirections
        ("a > b c", ["a", "c"], ""), ("a 2>&1 c", ["a", "c"], ""), ("a >> b", ["a"], ""), ("a < b c", ["a", "c"], ""),
    ],
)  # fmt: skip
def test_words_of_a_command(text: str, expected: list[str], behind: str) -> None:
    assert words(text) == (expected, behind)


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("a", True), ("$a", True), ("${a}", True), ("$1", False), ("$@", False), ("$#", False), ("$(a b)", False),
        ("$(a)", True),
        ("\"`a`\"", False),
        ('"$a"', True), ('"$1"', False), ('"$(a b)"', False), ('"a $1 b"', False), ("'$1'", True), ("'$(a)'", True),
        ('"\\$1"', True),
    ],
)  # fmt: skip
def test_what_a_command_puts_out_is_unknown(text: str, is_known: bool) -> None:
    ((word,), _) = read_words(text, 0)
    assert word.is_known is is_known


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a", ""), ("'a'", "'"), ('"a"', '"'), ("'a'b", ""), ("a'b'", ""), ("'a''b'", ""), ("-D'a=b'", "'"),
        ('-yD"a=b"', '"'),
        ("--D'a'", "'"), ("-D'a'b", ""), ("-Da='b'", ""), ("-X'a'", ""),
    ],
)  # fmt: skip
def test_the_quote_around_a_whole_word(text: str, quote: str) -> None:
    ((word,), _) = read_words(text, 0)
    assert (word.quote, text[slice(*word.span)]) == (quote, text)


def test_places_of_what_is_in_a_word() -> None:
    text = 'run -D\'a.b\'="c\\"d"'
    word = read_words(text, 0)[0][1]
    assert word.text == '-Da.b=c"d'
    assert text[slice(*word.extract.span(Span(2, 5)))] == "a.b"
    assert text[slice(*word.extract.span(Span(6, 9)))] == 'c\\"d'


def test_long_commands_are_cut() -> None:
    assert len(read_words("a " * 3_000, 0)[0]) == 2_000
    assert len(words("x " + "a" * 70_000 + " b")[0]) == 2


@given(st.lists(st.text(st.sampled_from("ab '\"\\$#;|&()<>!*?~="), min_size=1, max_size=6), max_size=5))
def test_what_is_quoted_comes_back(given_words: list[str]) -> None:
    text = shlex.join(["run", *given_words])
    assert words(text) == (["run", *given_words], "")
    assert commands_of(text) == [["run", *given_words]]


def commands_of(text: str) -> list[list[str]]:
    extract = Extract(text, [Piece(text, Span(0, len(text)))])
    return [[word.text for word in command] for command in split_commands(extract)]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("", []), ("a b", [["a", "b"]]), ("a; b && c | d\ne", [["a"], ["b"], ["c"], ["d"], ["e"]]), ("(a)", [["a"]]),
        (";;", []),
        ("a # b; c\nd", [["a"], ["d"]]), ("# a", []), ("a#b", [["a#b"]]), ("a;#b\nc", [["a"], ["c"]]),
        ("'a b' \"c d\"", [["a b", "c d"]]),
        ("a'b", [["ab"]]), ('a"b', [["ab"]]), ("'", [[""]]), ("a\\ b", [["a b"]]), ("a\\\nb c", [["ab", "c"]]),
        ("a \\\r\n b", [["a", "b"]]),
        ("\\\na", [["a"]]), ('"a\\"b\\\\c\\n"', [['a"b\\c\\n']]), ('"a\\\nb"', [["ab"]]), ("'a\\b'", [["a\\b"]]),
        ("a\\", [["a\\"]]),
        ('"a;b" c', [["a;b", "c"]]), ("a''b", [["ab"]]),
    ],
)  # fmt: skip
def test_commands_of_a_script(text: str, commands: list[list[str]]) -> None:
    assert commands_of(text) == commands


def test_an_item_of_a_list_is_a_word() -> None:
    extract = Extract("a 'b", [])
    assert whole_word(extract, Span(0, 4)).extract is extract


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("taskmanager", ["taskmanager"]), ("bash -c taskmanager", ["taskmanager"]),
        ("bash -ec 'sleep 1; taskmanager'", ["taskmanager"]), ("bash -e taskmanager.sh", ["taskmanager.sh"]),
        ("bash --norc taskmanager.sh", ["taskmanager.sh"]),
        ("bash -e /docker-entrypoint.sh taskmanager", ["taskmanager"]), ("bash -c 'echo taskmanager'", []),
    ],
)  # fmt: skip
def test_the_programs_that_shells_run(line: str, programs: list[str]) -> None:
    found = flink_container.commands_of(split_commands(Extract.of(line, [Span(0, len(line))])))
    assert [command.program for command in found] == programs
