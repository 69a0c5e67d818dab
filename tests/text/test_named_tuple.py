"""`NamedTuple` behaves as `typing.NamedTuple` does."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from flink_flint.linter.text.named_tuple import NamedTuple


class Ours(NamedTuple):
    """A place."""

    line: int
    column: int = 1

    @property
    def both(self) -> tuple[int, int]:
        return self.line, self.column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Theirs(typing.NamedTuple):
    """A place."""

    line: int
    column: int = 1

    @property
    def both(self) -> tuple[int, int]:
        return self.line, self.column

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


class Empty(NamedTuple):
    pass


class Below(Ours):
    pass


@pytest.mark.parametrize(
    "use",
    [
        lambda kind: kind(1),
        lambda kind: kind(column=2, line=3),
        lambda kind: kind(1)._replace(column=5),
        lambda kind: kind._make([1, 2]),
        lambda kind: kind(1)._asdict(),
        lambda kind: kind(1).both,
        lambda kind: str(kind(1)),
        lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__doc__, kind.__bases__),
        lambda kind: kind.line.__doc__,
        lambda kind: (hash(kind(1)), kind(1) < (2,), kind(1) == (1, 1)),
        lambda kind: kind(1).__getnewargs__(),
        lambda kind: repr(kind(1)).removeprefix(kind.__name__),
        lambda kind: copy.deepcopy(kind(1)),
        lambda kind: pickle.loads(pickle.dumps(kind(1))),
    ],
)
def test_it_answers_as_that_of_typing_does(use: Callable[[Any], object]) -> None:
    assert use(Ours) == use(Theirs)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda kind: kind(),
        lambda kind: kind(1, 2, 3),
        lambda kind: kind(lines=1),
        lambda kind: kind._make([1]),
        lambda kind: kind(1)._replace(lines=2),
        lambda kind: setattr(kind(1), "line", 2),
        lambda kind: setattr(kind(1), "other", 2),
    ],
)
def test_it_refuses_what_that_of_typing_does(misuse: Callable[[Any], object]) -> None:
    messages = []
    for kind in (Ours, Theirs):
        with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
            misuse(kind)
        messages.append((caught.type, str(caught.value).replace(kind.__name__, "")))
    assert messages[0] == messages[1]


def test_a_class_may_have_no_fields_or_a_subclass() -> None:
    assert Empty() == ()
    assert repr(Below(1)) == "Below(line=1, column=1)"
    assert type(Below(1)._replace(line=2)) is Below
