"""The port of the validator says what the releases of the operator said."""

from __future__ import annotations

from collections import Counter

import pytest

from flink_flint.linter.flink.operator.refusal import answer_of
from tests.operator.agreement import ported, text_of
from tests.operator.generated import questions
from tests.operator.libraries import RELEASES
from tests.operator.recorded import SAMPLE, SEED, recorded


@pytest.mark.parametrize("release", RELEASES)
def test_the_port_gives_the_recorded_answers(release: str) -> None:
    major, minor, _ = map(int, release.split("."))
    different = []
    for question, answer in zip(questions((major, minor), SAMPLE, SEED), recorded()[release], strict=True):
        refusal = answer_of(ported(question, (major, minor)))
        own = None if refusal is None else text_of(refusal.message)
        if own != answer:
            different.append((question, answer, own))
    assert not different


def test_the_sample_has_refusals_of_most_kinds() -> None:
    kinds: Counter[str] = Counter()
    for release in RELEASES:
        major, minor, _ = map(int, release.split("."))
        for question in questions((major, minor), SAMPLE, SEED):
            kinds.update(refusal.kind for refusal in ported(question, (major, minor)))
    assert len(kinds) > 30, kinds
    assert min(kinds.values()) >= 2, kinds
