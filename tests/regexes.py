"""Count the steps of a backtracking engine such as Python's, and find texts that make an expression slow.

Time tells that only roughly and on this machine; steps are the same everywhere. The matcher goes through the tree that
`re` itself parses. `growth` tries texts made from the expression: whatever its repeats take, pumped, after what leads
there, before what no match can end with.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from re import _constants as c  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SMALL, LARGE = 40, 80
MAX_STEPS = 20_000
"""The limit of counting: many more than a linear expression takes for a text of `LARGE` repeats."""
LIMIT = 2.8
"""A linear expression takes twice as many steps for twice the text; a quadratic one four times as many."""
_FEW = 1_000
"""The number of steps below which growth does not matter."""
_CANDIDATES = " \t\na0A._-'\"\\/$,:;={}[]()#<>!*@&|%é\r"
_NEVER = ("", "\n\x00")
_MAX_TEXTS = 60
_A_FEW = 8
"""The maximum number of repetitions that are tried for a bounded repeat."""

Continue = Callable[[int], bool]


class TooManyError(Exception):
    """Raised after more than `MAX_STEPS`."""


@lru_cache(maxsize=8)
def _parsed(pattern: str, flags: int) -> tuple[Any, dict[tuple[int, Any, str], bool]]:
    """Return the tree of an expression, and a cache of the characters that its nodes match."""
    return parser.parse(pattern, flags), {}


class Matcher:
    """Counts the steps of one expression on one text."""

    def __init__(self, pattern: str, flags: int, text: str) -> None:
        self.tree, self.taken = _parsed(pattern, flags)
        self.flags = self.tree.state.flags
        self.text, self.steps = text, 0
        self.groups: dict[int, tuple[int, int]] = {}

    def count(self, mode: str) -> int:
        """Return the number of steps to find all matches; `mode` is match, fullmatch or search."""
        try:
            self._all(mode)
        except TooManyError:
            return MAX_STEPS
        return self.steps

    def _all(self, mode: str) -> None:
        end: list[int] = []

        def done(pos: int) -> bool:
            if mode == "fullmatch" and pos != len(self.text):
                return False
            end[:] = [pos]
            return True

        start = 0
        while start <= len(self.text):
            self._step()
            found = self._match(self.tree, 0, start, done)
            if mode != "search":
                return
            start = max(end[0], start + 1) if found else start + 1

    def _step(self, number: int = 1) -> None:
        self.steps += number
        if self.steps > MAX_STEPS:
            raise TooManyError

    def _char(self, op: Any, av: Any, pos: int) -> bool:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManyError
        if pos >= len(self.text):
            return False
        char = self.text[pos]
        taken = self.taken.get((id(av), op, char))
        if taken is None:
            taken = self.taken[id(av), op, char] = takes(op, av, char, self.flags)
        return taken

    def _match(self, seq: Any, index: int, pos: int, done: Continue) -> bool:
        if index == len(seq):
            return done(pos)
        op, av = seq[index]

        def rest(end: int) -> bool:
            return self._match(seq, index + 1, end, done)

        if op in _SINGLE:
            return self._char(op, av, pos) and rest(pos + 1)
        self._step()
        if op is c.AT:
            return self._at(av, pos) and rest(pos)
        if op is c.SUBPATTERN:
            group, _, _, inner = av

            def after(end: int) -> bool:
                old = self.groups.get(group)
                self.groups[group] = (pos, end)
                if rest(end):
                    return True
                if old is None:
                    self.groups.pop(group, None)
                else:
                    self.groups[group] = old
                return False

            return self._match(inner, 0, pos, rest if group is None else after)
        if op is c.BRANCH:
            return any(self._match(one, 0, pos, rest) for one in av[1])
        if op in (c.MAX_REPEAT, c.MIN_REPEAT):
            return self._repeat(av, pos, rest, lazy=op is c.MIN_REPEAT)
        if op is c.POSSESSIVE_REPEAT:
            least, most, inner = av
            if least <= _A_FEW < most < c.MAXREPEAT:
                most = _A_FEW
            number, at = 0, pos
            while number < most:
                ends: list[int] = []
                if not self._match(inner, 0, at, lambda end, ends=ends: ends.append(end) is None) or ends[0] == at:
                    break
                at, number = ends[0], number + 1
            return number >= least and rest(at)
        if op is c.ATOMIC_GROUP:
            found: list[int] = []
            return self._match(av, 0, pos, lambda end: found.append(end) is None) and rest(found[0])
        if op in (c.ASSERT, c.ASSERT_NOT):
            direction, inner = av
            at = pos if direction > 0 else pos - inner.getwidth()[0]
            held = at >= 0 and self._match(inner, 0, at, lambda end: direction > 0 or end == pos)
            return held is (op is c.ASSERT) and rest(pos)
        if op is c.GROUPREF:
            start, end = self.groups.get(av, (0, -1))
            same = end >= start and self.text.startswith(self.text[start:end], pos)
            self._step(max(1, end - start))
            return same and rest(pos + end - start)
        if op is c.GROUPREF_EXISTS:
            group, yes, no = av
            chosen = yes if group in self.groups else no
            return self._match(chosen, 0, pos, rest) if chosen is not None else rest(pos)
        raise NotImplementedError(str(op))

    def _repeat(self, av: Any, pos: int, rest: Continue, *, lazy: bool) -> bool:
        least, most, inner = av
        if least <= _A_FEW < most < c.MAXREPEAT:  # so many at most is no growth, however large the number
            most = _A_FEW
        if len(inner) == 1 and inner[0][0] in _SINGLE:
            op, of = inner[0]
            number = 0
            if lazy:
                while True:
                    if number >= least and rest(pos + number):
                        return True
                    if number >= most or not self._char(op, of, pos + number):
                        return False
                    number += 1
            while number < most and self._char(op, of, pos + number):
                number += 1
            while number >= least:
                if rest(pos + number):
                    return True
                number -= 1
            return False

        def loop(number: int, at: int) -> bool:
            self._step()

            def again() -> bool:
                return number < most and self._match(
                    inner, 0, at, lambda end: (end > at or number < least) and loop(number + 1, end)
                )

            if lazy:
                return (number >= least and rest(at)) or again()
            return again() or (number >= least and rest(at))

        return loop(0, pos)

    def _at(self, where: Any, pos: int) -> bool:
        text = self.text
        multiline = bool(self.flags & re.MULTILINE)
        if where in (c.AT_BEGINNING, c.AT_BEGINNING_STRING):
            return pos == 0 or (where is c.AT_BEGINNING and multiline and text[pos - 1] == "\n")
        if where is c.AT_END_STRING:
            return pos == len(text)
        if where is c.AT_END:
            return pos == len(text) or (text[pos] == "\n" and (multiline or pos == len(text) - 1))
        before = pos > 0 and _is_word(text[pos - 1])
        after = pos < len(text) and _is_word(text[pos])
        return (before != after) is (where is c.AT_BOUNDARY)


_SINGLE = (c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN)


def _is_word(char: str) -> bool:
    return char == "_" or char.isalnum()


def takes(op: Any, av: Any, char: str, flags: int) -> bool:
    """Return whether a part of an expression that matches one character matches this one."""
    forms = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
    if op is c.ANY:
        return char != "\n" or bool(flags & re.DOTALL)
    if op is c.LITERAL:
        return chr(av) in forms
    if op is c.NOT_LITERAL:
        return chr(av) not in forms
    negated = bool(av) and av[0][0] is c.NEGATE
    return any(_in_class(*one, form) for one in av[negated:] for form in forms) is not negated


def _in_class(op: Any, av: Any, char: str) -> bool:
    if op is c.LITERAL:
        return ord(char) == av
    if op is c.RANGE:
        return bool(av[0] <= ord(char) <= av[1])
    kinds = {
        c.CATEGORY_DIGIT: char.isdigit(), c.CATEGORY_NOT_DIGIT: not char.isdigit(),
        c.CATEGORY_SPACE: char.isspace(), c.CATEGORY_NOT_SPACE: not char.isspace(),
        c.CATEGORY_WORD: _is_word(char), c.CATEGORY_NOT_WORD: not _is_word(char),
    }  # fmt: skip
    return kinds[av]


# -- texts


def _samples(seq: Any, flags: int) -> str:
    """Return a text that a part of an expression matches, apart from assertions, which are ignored."""
    made = ""
    for op, av in seq:
        if op in _SINGLE:
            made += next(
                (char for char in "a0 " + _CANDIDATES if takes(op, av, char, flags)),
                chr(av) if op is c.LITERAL else "a",
            )
        elif op is c.SUBPATTERN:
            made += _samples(av[3], flags)
        elif op is c.BRANCH:
            made += _samples(av[1][0], flags)
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            made += _samples(av[2], flags) * min(av[0], 3)
        elif op is c.ATOMIC_GROUP:
            made += _samples(av, flags)
    return made


def _repeats(seq: Any, before: str, flags: int) -> Iterator[tuple[str, Any]]:
    """Yield each unbounded repeat with a text that leads to it."""
    for op, av in seq:
        if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            if av[1] is c.MAXREPEAT:
                yield before, av[2]
            yield from _repeats(av[2], before, flags)
        elif op is c.SUBPATTERN:
            yield from _repeats(av[3], before, flags)
        elif op is c.BRANCH:
            for one in av[1]:
                yield from _repeats(one, before, flags)
        elif op is c.ATOMIC_GROUP:
            yield from _repeats(av, before, flags)
        elif op in (c.ASSERT, c.ASSERT_NOT):
            yield from _repeats(av[1], before, flags)
        before += _samples([(op, av)], flags)


def _bodies(inner: Any, flags: int) -> Iterator[str]:
    if len(inner) == 1 and inner[0][0] in _SINGLE:
        taken = [char for char in _CANDIDATES if takes(*inner[0], char, flags)]
        yield from taken if len(taken) < 12 else taken[::3]
        return
    yield _samples(inner, flags)
    for op, av in inner:
        if op is c.SUBPATTERN:
            yield from _bodies(av[3], flags)
        elif op is c.BRANCH:
            for one in av[1]:
                yield _samples(one, flags)
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT):
            yield from _bodies(av[2], flags)


def texts(pattern: str, flags: int) -> Iterator[tuple[str, str, str]]:
    """Yield texts to pump, as (before, pumped, after)."""
    tree = parser.parse(pattern, flags)
    flags = tree.state.flags
    told: set[tuple[str, str]] = set()
    for before, inner in _repeats(tree, "", flags):
        for body in _bodies(inner, flags):
            for pair in ((before, body), ("", before + body), ("", body)):
                if pair[1] and pair not in told:
                    told.add(pair)
                    for after in _NEVER:
                        yield (*pair, after)


def growth(pattern: str, flags: int, mode: str) -> tuple[float, str] | None:
    """Return the worst growth in steps when the text doubles, with that text; None if it is linear."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        return _growth(pattern, flags, mode)
    finally:
        sys.setrecursionlimit(limit)


def _growth(pattern: str, flags: int, mode: str) -> tuple[float, str] | None:
    worst: tuple[float, str] | None = None
    for before, body, after in islice(texts(pattern, flags), _MAX_TEXTS):
        large = Matcher(pattern, flags, before + body * LARGE + after).count(mode)
        if large < _FEW:
            continue
        small = Matcher(pattern, flags, before + body * SMALL + after).count(mode)
        ratio = float("inf") if small >= MAX_STEPS else large / small
        if ratio > LIMIT and (worst is None or ratio > worst[0]):
            worst = (ratio, f"{before!r} + {body!r} * n + {after!r}")
            if large >= MAX_STEPS:
                break
    return worst


# -- where expressions are

_METHODS = {"match": "match", "fullmatch": "fullmatch", "search": "search", "sub": "search", "subn": "search",
            "split": "search", "findall": "search", "finditer": "search"}  # fmt: skip
Found = tuple[str, str, int, str]
"""The place of an expression, its text, its flags, and how it is used."""


def modes(names: Sequence[str]) -> set[str]:
    """Return the ways of matching for some methods of a pattern."""
    return {_METHODS[name] for name in names if name in _METHODS}


def _scoped(path: Path, name: str) -> str:
    """Return the key of a name: one that begins with an underscore belongs to its module."""
    return f"{path}:{name}" if name.startswith("_") else name


def find_expressions(root: Path, packages: Sequence[str]) -> Iterator[Found]:
    """Return every expression in the modules of some packages, once for each way in which it is used.

    What only a running function knows (an f-string of its arguments) has the source of that argument as its text,
    after ``dynamic:``.
    """
    used: dict[str, set[str]] = {}
    modules: list[tuple[Path, list[ast.Call], dict[int, str]]] = []
    for path in (path for package in packages for path in sorted((root / package).rglob("*.py"))):
        calls: list[ast.Call] = []
        names: dict[int, str] = {}
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                if node.attr in _METHODS and isinstance(node.value, (ast.Name, ast.Attribute)):
                    name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                    used.setdefault(_scoped(path, name), set()).update(modes([node.attr]))
            elif isinstance(node, ast.Call):
                simple = isinstance(node.func, ast.Name) or (
                    isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
                )
                if simple and node.args and path.name != "__main__.py":
                    calls.append(node)
            elif isinstance(node, ast.Assign):
                names.update((id(node.value), one.id) for one in node.targets if isinstance(one, ast.Name))
        modules.append((path, calls, names))
    for path, calls, names in modules:
        for node in calls:
            called = ast.unparse(node.func)
            where = f"{path.relative_to(root)}:{node.lineno}"
            if called in ("regex", "re.compile"):
                ways = used.get(_scoped(path, names.get(id(node), "")), set()) or {"search"}
                arguments = node.args[1:2]
            elif called.startswith("re.") and called[3:] in _METHODS:
                ways, arguments = {_METHODS[called[3:]]}, [key.value for key in node.keywords if key.arg == "flags"]
                plain = {"match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2}.get(called[3:])
                arguments += node.args[plain : plain + 1] if plain else []
            else:
                continue
            parts = path.relative_to(root).with_suffix("").parts
            module = import_module(".".join(("flink_flint", *parts)).removesuffix(".__init__"))
            try:
                pattern = eval(compile(ast.Expression(node.args[0]), where, "eval"), vars(module).copy())
                flags = sum(
                    int(eval(compile(ast.Expression(one), where, "eval"), vars(module).copy())) for one in arguments
                )
            except NameError:
                pattern, flags = f"dynamic: {ast.unparse(node.args[0])}", 0
            if isinstance(pattern, str):
                for way in sorted(ways):
                    yield where, pattern, flags, way
