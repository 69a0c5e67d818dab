"""Patterns of file names as Helm's `.Files.Glob` and `.helmignore` use them."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.limits import Budget

_MAX_BRACES = 64


def glob_matches(pattern: str, path: str, budget: Budget) -> bool:
    """Return whether a pattern such as ``conf/{a,b}*.[xy]`` matches a path; only ``**`` also matches ``/``."""
    return any(_matches(one, path, budget) for one in _alternatives(pattern))


def _alternatives(pattern: str) -> list[str]:
    """Return the patterns without braces that one with braces stands for."""
    found: list[str] = []
    stack = [pattern]
    while stack and len(found) + len(stack) <= _MAX_BRACES:
        one = stack.pop()
        close = one.find("}")
        opened = one.rfind("{", 0, close) if close >= 0 else -1
        if opened < 0:
            found.append(one)
        else:
            stack += [one[:opened] + choice + one[close + 1 :] for choice in one[opened + 1 : close].split(",")]
    return found


def _matches(pattern: str, path: str, budget: Budget) -> bool:
    """Return whether a pattern matches, in time proportional to the product of the lengths."""
    states = {0}
    budget.spend(1 + len(pattern) * len(path) // 16)
    for character in path:
        states = _closed(pattern, states)
        following: set[int] = set()
        for at in states:
            if at >= len(pattern):
                continue
            if pattern.startswith("**", at):
                following.add(at)
            elif pattern[at] == "*":
                if character != "/":
                    following.add(at)
            elif pattern[at] == "?":
                if character != "/":
                    following.add(at + 1)
            elif pattern[at] == "[" and "]" in pattern[at + 2 :]:
                end = pattern.index("]", at + 2)
                if _in_class(pattern[at + 1 : end], character):
                    following.add(end + 1)
            elif pattern[at] == "\\" and at + 1 < len(pattern):
                if pattern[at + 1] == character:
                    following.add(at + 2)
            elif pattern[at] == character:
                following.add(at + 1)
        states = following
    return len(pattern) in _closed(pattern, states)


def _closed(pattern: str, states: set[int]) -> set[int]:
    """Return the states with those that follow asterisks, which may match nothing."""
    found = set(states)
    stack = list(states)
    while stack:
        at = stack.pop()
        if at < len(pattern) and pattern[at] == "*":
            after = at + 2 if pattern.startswith("**", at) else at + 1
            if after not in found:
                found.add(after)
                stack.append(after)
    return found


def _in_class(content: str, character: str) -> bool:
    is_negated = content[:1] in ("!", "^")
    members = content[1:] if is_negated else content
    found = False
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            found = found or members[at] <= character <= members[at + 2]
            at += 3
        else:
            found = found or members[at] == character
            at += 1
    return found != is_negated
