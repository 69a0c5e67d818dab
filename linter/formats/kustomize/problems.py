"""Reasons why the result of a build is unknown, or why kustomize refuses the kustomization."""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Origin


class Problem(NamedTuple):
    """A reason why the result of a build is unknown, and the position of its cause."""

    reason: str
    """The reason why the result is unknown, as a clause such as "a remote base is not read"."""
    origin: Origin
    is_refusal: bool = False
    """Whether this problem makes `kustomize build` fail."""


class BuildError(Exception):
    """Raised if a part of a kustomization cannot be evaluated; the caller decides what becomes unknown."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


class Refused(BuildError):  # noqa: N818 - it names what happened
    """Raised for input that `kustomize build` refuses."""

    def __init__(self, reason: str, origin: Origin) -> None:
        super().__init__(Problem(reason, origin, is_refusal=True))


class NotKnown(BuildError):  # noqa: N818 - it names what happened
    """Raised for features of kustomize that flint does not implement."""

    def __init__(self, reason: str, origin: Origin) -> None:
        super().__init__(Problem(reason, origin))


class Budget:
    """The remaining work of a build: nodes read, copied or compared, and characters parsed."""

    __slots__ = ("characters", "left")

    def __init__(self, left: int, characters: int) -> None:
        self.left, self.characters = left, characters

    def parse(self, number: int, origin: Origin) -> None:
        """Deduct the characters of a text to parse; raise `NotKnown` if too few are left."""
        self.characters -= number
        if self.characters < 0:
            raise NotKnown("the kustomization is too large", origin)

    def spend(self, number: int, origin: Origin) -> None:
        """Deduct a number of nodes to process; raise `NotKnown` if too few are left."""
        self.left -= number
        if self.left < 0:
            raise NotKnown("the kustomization is too large", origin)
