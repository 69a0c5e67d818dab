"""The branches of a shell script: which lines are never executed in the same run."""

from __future__ import annotations

from collections.abc import Sequence

from flink_flint.linter.text.lazy_regex import regex

_WORD = regex(
    r"(?<![\w$\"'./=-])(?P<open>if|case)(?![\w\"'./=-])|(?<![\w$\"'./=-])(?P<close>fi|esac)(?![\w\"'./=-])"
    r"|(?<![\w$\"'./=-])(?P<next>elif|else)(?![\w\"'./=-])|(?P<end>;;)"
    r"|(?m:^)(?P<function>(?:function[ \t]+[\w-]+|[\w-]+[ \t]*\(\))[ \t]*(?:\(\)[ \t]*)?\r?\n?\{)|(?m:^)(?P<brace>\})"
)
_BEFORE_COMMAND = regex(r"[ \t@-]*|[^#]*(?:[;&|({]|\b(?:then|do|else))[ \t]*")
_LONGEST_LINE = 2_000

Path = tuple[tuple[int, int], ...]
"""The branches around a place, outermost first: where each construct begins, and the number of its branch."""


def branch_paths(text: str, offsets: Sequence[int]) -> list[Path]:
    """Return the branches of if and case statements, and the functions, around each of some ascending offsets."""
    paths: list[Path] = []
    around: list[tuple[int, int]] = []
    words = _WORD.finditer(text)
    word = next(words, None)
    for offset in offsets:
        while word is not None and word.start() < offset:
            kind = word.lastgroup
            if kind in ("function", "brace") or _begins_command(text, word.start(), is_mark=kind == "end"):
                if kind == "function":
                    around = [(word.start(), 0)]
                elif kind == "brace":
                    around = []
                elif kind == "open":
                    around.append((word.start(), 0))
                elif kind == "close":
                    around = around[:-1]
                elif around:
                    around[-1] = (around[-1][0], around[-1][1] + 1)
            word = next(words, None)
        paths.append(tuple(around))
    return paths


def _begins_command(text: str, at: int, *, is_mark: bool) -> bool:
    """Return whether a word is the first of a command, or a mark is not in a comment."""
    start = max(text.rfind("\n", 0, at) + 1, at - _LONGEST_LINE)
    before = text[start:at]
    return not before.lstrip().startswith("#") if is_mark else _BEFORE_COMMAND.fullmatch(before) is not None
