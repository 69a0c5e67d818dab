"""The Flink release of a Dockerfile, from its base image (with default values of build arguments) or FLINK_VERSION."""

from __future__ import annotations

import re
from itertools import islice

from flink_flint.linter.flink.deployment.image_names import is_floating, release_of_image
from flink_flint.linter.text.lazy_regex import regex

_INSTRUCTION = regex(r"(?im)^[ \t]*(ARG|ENV|FROM)[ \t]+((?:\\\r?\n|[^\r\n])*)")
_ASSIGNMENT = regex(r"(?<!\w)([A-Za-z_]\w*+)=(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']*)")
_OLD_ENV = regex(r"([A-Za-z_]\w*)[ \t]+(\S+)\s*")
_VARIABLE = regex(r"\$(?:(\w+)|\{(\w+)(?::-([^{}$]*))?\})")
_VERSION = regex(r"v?(\d+\.\d+(?:\.\d+)?)")
_MAX_INSTRUCTIONS = 500
_MAX_LENGTH = 256
"""Maximum length of a variable's value; values would otherwise grow exponentially by references to each other."""


def release_of_dockerfile(text: str) -> str | None:
    """Return the Flink version that a Dockerfile names (``1.18.1``, ``1.18``); None if it names none.

    That is the release of the last stage that is based on an image of Flink, otherwise the value of ``FLINK_VERSION``.
    An ARG has its default value, since that is what a plain ``docker build`` uses.
    """
    known: dict[str, str] = {}
    found: str | None = None
    for number, match in enumerate(_INSTRUCTION.finditer(text)):
        if number == _MAX_INSTRUCTIONS:
            break
        keyword, rest = match[1].upper(), match[2]
        if keyword == "FROM":
            words = [word for word in rest.split() if not word.startswith("--")]
            image = _filled(words[0], known) if words else None
            found = (release_of_image(image) if image else None) or found
        else:
            _declare(keyword, rest, known)
    if found is None and (version := known.get("FLINK_VERSION")) and (named := _VERSION.fullmatch(version)):
        return release_of_image(f"flink:{named[1]}")
    return found


def is_newest(text: str) -> bool:
    """Return whether a Dockerfile extends Flink's own image under a name without a release (``flink:java17``)."""
    if release_of_dockerfile(text) is not None:
        return False
    found = islice(_INSTRUCTION.finditer(text), _MAX_INSTRUCTIONS)
    froms = [match[2].split() for match in found if match[1].upper() == "FROM"]
    return bool(froms) and any(is_floating(word) for word in froms[-1] if not word.startswith("--"))


def _declare(keyword: str, rest: str, known: dict[str, str]) -> None:
    assignments = [(match[1], match[2].strip("\"'")) for match in _ASSIGNMENT.finditer(rest)]
    if not assignments and keyword == "ENV" and (old := _OLD_ENV.fullmatch(rest)):
        assignments = [(old[1], old[2])]
    for name, value in assignments:
        filled = _filled(value, known)
        if filled is not None and len(filled) <= _MAX_LENGTH:
            known[name] = filled
        else:
            known.pop(name, None)


def _filled(text: str, known: dict[str, str]) -> str | None:
    """Return a text with its variables replaced by their values; None if one is unknown."""
    is_known = True

    def value(match: re.Match[str]) -> str:
        nonlocal is_known
        found = known.get(match[1] or match[2], match[3])
        is_known = is_known and found is not None
        return found or ""

    filled = _VARIABLE.sub(value, text)
    return filled if is_known and "$" not in filled else None
