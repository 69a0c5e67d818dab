"""Patterns of ignore files: as git matches them, and in time linear in pattern and path."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flink_flint.linter.engine.discovery import find
from flink_flint.linter.filesystem import gitignore
from flink_flint.linter.filesystem.gitignore import (
    LONGEST_PATTERN,
    MAX_COMPILED,
    MAX_PATTERNS,
    Expressions,
    _parse,
    _translate,
    patterns_of,
    read_patterns,
)

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

_PIECE = st.sampled_from(
    ["a", "b", "c", "ab", "/", "/", "*", "*", "**", "**/", "/**", "/**/", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]",
     "[[:alpha:]]", "[[:x:]]", "[a", "[]", "]", "[\\]]", "[a-]", "[--c]", "[[:", "\\", "\\*", "\\a", "\\/", " ", "\\ ",
     "!", "#", ".", "é", "-", "^", "\t"]
)  # fmt: skip
_PATTERN = st.lists(_PIECE, min_size=1, max_size=7).map("".join)
_NAME = st.text("abc", min_size=1, max_size=3) | st.sampled_from(
    ["é", "a b", "a ", "*", "[", "]", "-", "\\", "!a", "#a", ".a", "aé", "^", "a\tb", "\\a"]
)
_PATH = st.lists(_NAME, min_size=1, max_size=4).map("/".join)


@cache
def repository() -> Path:
    folder = Path(mkdtemp(prefix="flint-test-"))
    subprocess.run(["git", "init", "-q"], cwd=folder, env=ENVIRONMENT, check=True)
    return folder


def ignored_by_git(content: bytes, paths: Iterable[str]) -> set[str]:
    """Return the paths (of files that do not exist) that git ignores."""
    folder = repository()
    (folder / ".gitignore").write_bytes(content)
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin", "--no-index"], cwd=folder, env=ENVIRONMENT,
        input=b"".join(os.fsencode(path) + b"\0" for path in paths), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return {os.fsdecode(path) for path in done.stdout.split(b"\0")[:-1]}


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "", "!"]), _PATTERN, st.sampled_from(["", "", "/", " ", "\r"])), max_size=5
    ),
    st.lists(_PATH, min_size=1, max_size=25),
)
@example([("", "foo**/bar", "")], ["fooX/Y/bar", "foobar", "foo/bar", "foo/x/y/bar", "xfoo/bar"])
@example([("", "a/**/b/**/*c*d", "")], ["a/b/cd", "a/x/b/y/z/ccdd", "a/b/b/xcxd", "a/b/c/d"])
@example([("", "*a*b*a", ""), ("!", "a/", "")], ["abba", "aba/x", "xaxbxa", "ab", "a/ab"])
@pytest.mark.slow
def test_it_ignores_what_git_ignores(lines: list[tuple[str, str, str]], paths: list[str]) -> None:
    content = "\n".join("".join(line) for line in lines).encode()
    ours = read_patterns(content, Expressions())
    assert {path for path in paths if ours.match(path)} == ignored_by_git(content, paths)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (b"\xef\xbb\xbfa\n", "a"), (b"a\r\n", "a"), (b"a\0b\n", "a"), (b"a   ", "a"), (b"a\\ ", "a "), (b"a\\  ", "a "),
        (b"\\#a", "#a"), (b"\\!a", "!a"), (b"#a", "#a"), (b"/a", "a"), (b"/a", "b/a"), (b"//a", "a"),
        (b"/", "a"), (b"!", "a"), (b"??", "\u00e9"), (b"?", "\u00e9"), (b"[a-", "a"), (b"a\\\\ ", "a\\"),
        (b"[a-z", "b"), (b"a\\", "a\\"),
        (b"**", "a/b"), (b"/**", "a"), (b"a/**", "a/b"), (b"a/**", "a"), (b"**\\/a", "a"), (b"**\\/a", "b/a"),
        (b"a/", "a"), (b"a/", "a/b"), (b"/a/*\n!/a/b/", "a/b/c"), (b"/a/**\n!/a/b/", "a/b/c"),
        (b"a*b/**", "axb/c"), (b"a*b/**", "axb"), (b"foo**/bar", "foobar"), (b"?a**/b", "xab"), (b"?a**/b", "xay/b"),
        (b"**/a", "a"), (b"x[a-c]", "xb"), (b"[a-\\c]", "b"), (b"[a-\\c]", "\\"), (b"[a-\\", "a"),
        (b"x[[:]", "x["), (b"x[[:]", "x:"), (b"x[[:]", "xa"), (b"x[[::]]", "x:"),
        (b"[[:space:]]", "\x0b"), (b"[[:punct:]]", "~"), (b"[[:upper:]-z]", "-"), (b"[z-a]", "b"), (b"[a/]b", "a/b"),
    ],
)  # fmt: skip
def test_corners_are_as_git_has_them(content: bytes, path: str) -> None:
    assert read_patterns(content, Expressions()).match(path) == (ignored_by_git(content, [path]) == {path})


def free_repeats(expression: bytes) -> Iterator[str]:
    """Return the repetitions that can backtrack: neither possessive nor within an atomic group."""
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser

    def look(parsed: Iterable[tuple[object, object]]) -> Iterator[str]:
        for operator, argument in parsed:
            if operator in (sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT):
                continue
            if operator in (sre.MAX_REPEAT, sre.MIN_REPEAT):
                yield str(argument)
            elif operator is sre.SUBPATTERN:
                yield from look(argument[-1])  # type: ignore[index]

    yield from look(parser.parse(expression, re.DOTALL))


@settings(max_examples=500, deadline=None)
@given(_PATTERN | st.lists(_PIECE, min_size=20, max_size=60).map("".join))
@pytest.mark.slow
def test_at_most_one_repetition_of_an_expression_can_be_tried_again(pattern: str) -> None:
    """With one alone, the work is at most the length of the path times what is in the atomic groups, each once."""
    parsed = _parse(pattern.replace("\n", "").encode())
    if parsed is not None and parsed.wild:
        assert (
            len(list(free_repeats(_translate(parsed.wild)))) <= 2
        )  # the folders of a last `**/`, and the rest after `/**`


@pytest.mark.parametrize("piece", ["*a", "**/a", "*a/", "[ab]*", "?*", "**/*a", "**/**/", "*\\a", "*[!b]"])
def test_a_pattern_of_many_stars_ends(piece: str) -> None:
    """With backtracking, these would take exponential time."""
    pattern = (piece * 400)[:1200]
    path = "/".join(["a" * 200] * 20)
    for one in (pattern, f"{pattern}x", f"/{pattern}x", f"{pattern}/x"):
        patterns_of((one,)).match(f"{path}b")


@pytest.mark.parametrize("piece", ["[^a]", "[!-~]", "[[:graph:]]", "[^[:alpha:]]"])
def test_the_expression_of_a_pattern_grows_with_the_pattern_alone(piece: str) -> None:
    """Spelled byte by byte, the sets of one ignore file take minutes to compile."""
    assert len(_translate((piece * 100).encode())) < 50 * len(piece * 100)


def test_what_is_past_the_limits_matches_nothing() -> None:
    assert not patterns_of(("a" * (LONGEST_PATTERN + 1),)).match("a" * (LONGEST_PATTERN + 1))
    many = patterns_of(tuple(f"a{number}" for number in range(MAX_PATTERNS + 1)))
    assert many.match(f"a{MAX_PATTERNS - 1}")
    assert not many.match(f"a{MAX_PATTERNS}")


def test_the_patterns_of_a_run_are_compiled_up_to_a_number_of_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    translated: list[bytes] = []

    def counted(pattern: bytes) -> bytes:
        translated.append(pattern)
        return _translate(pattern)

    monkeypatch.setattr(gitignore, "_translate", counted)
    (tmp_path / ".git").mkdir()
    for number in range(4):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / ".gitignore").write_text(
            "".join(f"build{one}/*.o\n*{'?' * 4_000}{number}{one}\n*{number}*.yaml\n" for one in range(20))
        )
        (folder / "flink-conf.yaml").write_text("parallelism.default: 2\n")
    assert len(list(find([str(tmp_path)]))) == 4
    assert MAX_COMPILED - 5_000 < sum(map(len, translated)) <= MAX_COMPILED
    assert len(translated) == len(set(translated))
    assert not any(pattern.startswith(b"build") for pattern in translated), "no path begins so"


FILES = [f"{folder}{name}.yaml" for folder in ("", "a/", "a/b/", "a/c/", "b/", "b/a/") for name in ("a", "b", "ab")]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["", "a/", "a/b/", "b/"]), st.lists(_PATTERN, max_size=4), max_size=3))
@example({"": ["*.yaml"], "a/": ["!b.yaml"]})
@example({"": ["a/"], "a/": ["!*"]})
@example({"": ["/a/*", "!/a/b/"], "a/b/": ["a.yaml"]})
@pytest.mark.slow
def test_a_walk_finds_what_git_does_not_ignore(ignores: dict[str, list[str]]) -> None:
    with TemporaryDirectory() as place:
        folder = Path(os.path.realpath(place))
        subprocess.run(["git", "init", "-q"], cwd=folder, env=ENVIRONMENT, check=True)
        for name in FILES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("jobmanager.rpc.address: a\ntaskmanager.numberOfTaskSlots: 2\n")
        for where, lines in ignores.items():
            (folder / where / ".gitignore").write_text("\n".join(lines))
        command = ["git", "ls-files", "-z", "--others", "--exclude-standard", "--", "*.yaml"]
        listed = subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True).stdout
        for top in ("", "a", "a/b"):
            left = {name for name in os.fsdecode(listed).split("\0") if name.startswith(f"{top}/" if top else "")}
            found = {os.path.relpath(one.path, folder) for one in find([str(folder / top)])}
            assert found == left - {""}, top
