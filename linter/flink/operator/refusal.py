"""A refusal of the operator, and how its validator comes to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flink_flint.linter.text.named_tuple import NamedTuple

NULL = "NullPointerException"
"""The message of an exception where the operator does not expect an absent field; Java's own differs by its release."""


class Unknown(Exception):  # noqa: N818 - it says what flint knows
    """Raised where a check depends on a value that only a template or another file has."""


class Thrown(Exception):  # noqa: N818 - it says what the operator does
    """Raised where the validator ends with an exception instead of an answer; `message` is that of the exception."""

    def __init__(self, message: str, *, path: str = "", key: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.key = key


class Refusal(NamedTuple):
    """One reason for which the operator refuses a resource."""

    kind: str
    """The check that fails, one of `KINDS`."""
    message: str
    """What the operator says."""
    path: str = ""
    """The field that is to blame (`job.upgradeMode`, below the spec of the cluster or job); empty for the resource."""
    key: str = ""
    """The key in the configuration that is to blame."""
    is_thrown: bool = False
    """Whether the validator ends with an exception, which takes precedence over all other refusals."""
    absent: bool = False
    """Whether a setting that is absent is to blame: the operator's default configuration may have it."""


Check = Callable[[], "Iterator[Refusal]"]
"""A check of the validator, which ends with its first refusal; further ones are what it would refuse next."""


def refusals_of(checks: Iterable[Check], forget: Callable[[], None], absences: Callable[[], bool]) -> list[Refusal]:
    """Return what a list of checks refuses, in the order in which the operator evaluates them.

    The operator evaluates all checks before it reports the first refusal, so that an exception in a later one takes
    precedence. A check that depends on an unknown value passes. `forget` and `absences` reset and return whether the
    check has met settings that are absent.
    """
    found: list[Refusal] = []
    for check in checks:
        forget()
        refused = False
        try:
            for refusal in check():
                found.append(refusal._replace(absent=absences()))
                refused = True
        except Unknown:
            continue
        except Thrown as thrown:
            if not refused:  # a check ends with its first refusal
                found.append(Refusal("exception", thrown.message, thrown.path, thrown.key, is_thrown=True))
    return found


def answer_of(refusals: Iterable[Refusal]) -> Refusal | None:
    """Return the refusal that the operator reports; None if it takes the resource."""
    found = list(refusals)
    return next((one for one in found if one.is_thrown), found[0] if found else None)
