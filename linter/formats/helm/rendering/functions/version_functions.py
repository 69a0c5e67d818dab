"""Comparison of semantic versions, as the Go library Masterminds/semver does it."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.functions.function_table import function
from flink_flint.linter.formats.helm.rendering.go_values import Map, text_argument
from flink_flint.linter.formats.helm.rendering.limits import Budget, NotRendered
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_VERSION = regex(
    r"[ \t]*v?(\d{1,18})(?:\.(\d{1,18}|[xX*]))?(?:\.(\d{1,18}|[xX*]))?"
    r"(?:-([0-9A-Za-z.\-]+))?(?:\+([0-9A-Za-z.\-]+))?[ \t]*"
)
_ANY = regex(r"[ \t]*+(?:v?[xX*](?:\.[xX*]){0,2}[ \t]*+)?")
_HYPHEN = regex(r"[ \t]*([^ \t]+)[ \t]+-[ \t]+([^ \t]+)[ \t]*")
_OPERATOR = regex(r"[ \t]*(=>|=<|>=|<=|!=|=|>|<|~>|~|\^)?[ \t]*")
_AFTER_OPERATOR = regex(r"([=><!~^])[ \t]+")


class Version(NamedTuple):
    """A semantic version: its numbers, how many of them were given, and its prerelease."""

    numbers: tuple[int, int, int]
    given: int
    prerelease: str


def parsed_version(text: str) -> Version | None:
    """Parse a semantic version; return None if the text is not one."""
    match = _VERSION.fullmatch(text) if len(text) < 256 else None
    if match is None:
        return None
    given = 1
    numbers = [int(match[1]), 0, 0]
    for place in (1, 2):
        part = match[place + 1]
        if part is None or not part.isdigit():
            break
        numbers[place] = int(part)
        given += 1
    return Version((numbers[0], numbers[1], numbers[2]), given, match[4] or "")


def _prerelease_key(text: str) -> tuple[object, ...]:
    if not text:
        return (1,)
    return (0, tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in text.split(".")))


def _key(version: Version) -> tuple[object, ...]:
    return (*version.numbers, _prerelease_key(version.prerelease))


def is_in_range(constraint: str, text: str) -> bool:
    """Return whether a version satisfies a constraint such as ``>=1.2 <2 || ^3``; raise `NotRendered` if invalid."""
    version = parsed_version(text)
    if version is None:
        raise NotRendered(f"not a version: {text}")
    return any(_satisfies_all(group, version) for group in constraint.split("||"))


def _satisfies_all(group: str, version: Version) -> bool:
    hyphen = _HYPHEN.fullmatch(group)
    if hyphen is not None:
        return _satisfies(">=" + hyphen[1], version) and _satisfies("<=" + hyphen[2], version)
    parts = _AFTER_OPERATOR.sub(r"\1", group.replace(",", " ")).split()
    return all(_satisfies(part, version) for part in parts or ["*"])


def _satisfies(constraint: str, version: Version) -> bool:
    match = _OPERATOR.match(constraint)
    assert match is not None
    operator, rest = match[1] or "", constraint[match.end() :]
    if _ANY.fullmatch(rest):
        return not version.prerelease and operator not in ("!=", ">", "<")
    bound = parsed_version(rest)
    if bound is None:
        raise NotRendered(f"not a constraint of versions: {constraint}")
    if version.prerelease and not bound.prerelease:
        return operator == "!=" and _key(version) != _key(bound)
    return _compare(operator, version, bound)


def _compare(operator: str, version: Version, bound: Version) -> bool:
    here, there = _key(version), _key(bound)
    if operator in ("", "=", "!="):
        if bound.given < 3:
            same = version.numbers[: bound.given] == bound.numbers[: bound.given]
        else:
            same = here == there
        return same != (operator == "!=")
    if operator == ">":
        if bound.given < 3:
            return version.numbers[: bound.given] > bound.numbers[: bound.given]
        return here > there
    if operator == "<":
        return here < there
    if operator in (">=", "=>"):
        return here >= there
    if operator in ("<=", "=<"):
        if bound.given < 3:
            return version.numbers[: bound.given] <= bound.numbers[: bound.given]
        return here <= there
    if here < there:
        return False
    if operator in ("~", "~>"):
        return version.numbers[: min(bound.given, 2)] == bound.numbers[: min(bound.given, 2)]
    if version.numbers[0] != bound.numbers[0]:
        return False
    if bound.numbers[0] > 0 or bound.given == 1:
        return True
    if bound.numbers[1] > 0 or bound.given == 2:
        return version.numbers[1] == bound.numbers[1]
    return version.numbers == bound.numbers


@function("semverCompare", least=2, most=2)
def semver_compare(budget: Budget, constraint: object, version: object) -> object:
    """Return whether `version` satisfies `constraint`, such as ``>=1.2 <2``."""
    return is_in_range(str(text_argument(constraint)), str(text_argument(version)))


@function("semver", least=1, most=1)
def semver(budget: Budget, text: object) -> object:
    """Parse a semantic version; return a map of its parts."""
    version = parsed_version(str(text_argument(text)))
    if version is None:
        raise NotRendered(f"not a version: {text}")
    names = ("Major", "Minor", "Patch")
    return Map([*zip(names, version.numbers, strict=True), ("Prerelease", version.prerelease)])
