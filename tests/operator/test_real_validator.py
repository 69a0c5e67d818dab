"""The port of the validator agrees with the release of the operator that is published as a whole."""

from __future__ import annotations

import pytest

from tests.operator.agreement import compared
from tests.operator.generated import questions
from tests.operator.libraries import PUBLISHED, class_path
from tests.operator.real_validator import answers

pytestmark = pytest.mark.flink

_COUNT = 1500


@pytest.mark.parametrize("release", PUBLISHED)
def test_the_port_agrees_with_the_release(release: str) -> None:
    major, minor, _ = map(int, release.split("."))
    asked = list(questions((major, minor), _COUNT, seed=2))
    found = compared((major, minor), asked, answers(class_path(release), asked))
    assert found.verdicts == found.questions, found.differences[:3]
    assert found.questions - found.messages <= _COUNT // 1000, found.differences[:3]
