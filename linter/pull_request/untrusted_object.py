"""Reads the members of JSON objects from untrusted sources, with limits on their size and their location in errors."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Any, TypeVar

LARGEST_REPORT = 32 * 1024**2
"""The maximum total size, in bytes, of one revision's reports; enough for about 20,000 findings."""
LONGEST_TEXT = 2_000
"""The maximum length of a message, help, note or title in characters; longer ones are cut with an ellipsis."""
LONGEST_BESIDE = 300
"""The maximum length, in characters, of short texts such as keys, document names and suppression reasons."""
LONGEST_PATH = 4_096
"""The maximum length of a path in characters, as on Linux."""
LARGEST_NUMBER = 2**63 - 1
"""The largest accepted line number, column or byte count: the largest Java long."""

T = TypeVar("T")


class UntrustedObject:
    """The members of a JSON object, each validated on access; raises ValueError with the location."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{place} is not an object")
        self._members = value
        self.place = place

    def fault(self, name: str, expected: str) -> ValueError:
        """Return the error for a member that is not as expected, with its location."""
        return ValueError(f"{self._at(name)} is not {expected}")

    def _at(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """Return a text; one that is too long is cut with an ellipsis."""
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a text")
        return value if len(value) <= longest else value[: longest - 1] + "…"

    def optional(self, name: str, longest: int = LONGEST_TEXT) -> str | None:
        """Return a text, as `text` does; None if the member is missing or null."""
        return None if self._members.get(name) is None else self.text(name, longest)

    def word(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        """Return a text that a pattern matches as a whole."""
        value = self._members.get(name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.fault(name, expected)
        return value

    def path(self, name: str) -> str:
        """Return the normalized path of a file below the repository root."""
        value = self._members.get(name)
        if not isinstance(value, str):
            raise self.fault(name, "a path")
        try:
            return checked_path(value)
        except ValueError as error:
            raise ValueError(f"{self._at(name)}: {error}") from None

    def flag(self, name: str) -> bool:
        """Return a truth value; False if the member is missing."""
        value = self._members.get(name, False)
        if not isinstance(value, bool):
            raise self.fault(name, "true or false")
        return value

    def whole(self, name: str, minimum: int, missing: int | None = None) -> int:
        """Return a whole number of at least `minimum`; `missing` if the member is missing and this is not None."""
        value = self._members.get(name, missing)
        if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= LARGEST_NUMBER:
            raise self.fault(name, f"a whole number from {minimum}")
        return value

    def number(self, name: str) -> float | None:
        """Return a number, limited to `LARGEST_NUMBER`; None if the member is missing or null."""
        value = self._members.get(name)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self.fault(name, "a number")
        # Infinite measures have no useful difference.
        return max(-LARGEST_NUMBER, min(LARGEST_NUMBER, value))

    def inner(self, name: str) -> UntrustedObject:
        """Return an object."""
        return UntrustedObject(self._members.get(name), self._at(name))

    def maybe(self, name: str) -> UntrustedObject | None:
        """Return an object; None if the member is missing or null."""
        return None if self._members.get(name) is None else self.inner(name)

    def items(self, name: str) -> list[Any]:
        """Return a list of anything; empty if the member is missing or null."""
        value = self._members.get(name)
        return [] if value is None else listed(value, self._at(name))

    def each(self, name: str, read: Callable[[UntrustedObject], T], most: int | None = None) -> tuple[T, ...]:
        """Read each object in a list, but not more than `most`."""
        place = self._at(name)
        return tuple(
            read(UntrustedObject(one, f"{place}[{number}]")) for number, one in enumerate(self.items(name)[:most])
        )

    def members(self, name: str) -> dict[str, Any]:
        """Return the members of an object as they are; empty if the object is missing or null."""
        value = self._members.get(name)
        if not isinstance(value, dict):
            if value is None:
                return {}
            raise self.fault(name, "an object")
        return value


def listed(value: object, place: str) -> list[Any]:
    """Return a value that must be a list; raise ValueError with its location for any other."""
    if not isinstance(value, list):
        raise ValueError(f"{place} is not a list")
    return value


def checked_path(path: str) -> str:
    """Normalize a path; raise ValueError if it is not below the repository root.

    Any characters are allowed: a pull request can add a file of any name, and must not suppress its findings that way.
    Whoever shows a path escapes it (`escaped_markdown.code`).
    """
    if not path or len(path) > LONGEST_PATH:
        raise ValueError(f"{brief(path)!r} is not the path of a file in the repository")
    normal = posixpath.normpath(path)
    if normal.startswith(("/", "../")) or normal in (".", ".."):
        raise ValueError(
            f"{brief(path)!r} is not a path below the repository's root: run `flint check` there, on relative paths"
        )
    return normal


def is_addressable(path: str) -> bool:
    """Return whether a forge can address a file, in a link to its lines or a comment on them.

    Some servers and browsers interpret backslashes, drive letters and invisible characters differently.
    """
    return path.isprintable() and "\\" not in path and not re.match(r"[A-Za-z]:", path)


def brief(text: str) -> str:
    """Return an excerpt of an untrusted text, short enough for a message."""
    return text if len(text) <= 80 else text[:79] + "…"
