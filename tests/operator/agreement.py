"""Compares the port of the validator with what a release of the operator answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from flink_flint.linter.flink.operator.refusal import NULL, Refusal, answer_of
from flink_flint.linter.flink.operator.releases import OperatorRelease
from flink_flint.linter.flink.operator.resource import Fields, flattened
from flink_flint.linter.flink.operator.validator import Resource, refusals
from tests.operator.generated import Question

Answer = str | Sequence[str] | None
"""What the validator says: nothing, a refusal, or the class and message of an exception."""

_ANY_ORDER = re.compile(r"(?<=Allowed keys are )\[.*\]$|(?<=allowlist )\[[^]]*\]")
"""Matches sets in messages, whose order differs from one JVM to the next."""


class Agreement(NamedTuple):
    """How often the port says the same as a release."""

    questions: int
    verdicts: int
    """The questions with the same verdict."""
    messages: int
    """The questions with the same verdict and message."""
    refused: int
    kinds: Mapping[str, int]
    """The refusals by the kind that the port names."""
    differences: Sequence[tuple[Question, Answer, Answer]]
    """The question, the answer of the release, and that of the port."""


def compared(operator: OperatorRelease, asked: Iterable[Question], answers: Iterable[Answer]) -> Agreement:
    """Return how the port agrees with the answers of a release."""
    verdicts = messages = refused = count = 0
    kinds: Counter[str] = Counter()
    differences = []
    for question, answer in zip(asked, answers, strict=True):
        count += 1
        own = answer_of(ported(question, operator))
        said = None if own is None else own.message
        refused += answer is not None
        if own is not None:
            kinds[own.kind] += 1
        if (answer is None) is (own is None):
            verdicts += 1
        real = text_of(answer)
        if real == (None if said is None else text_of(said)):
            messages += 1
        else:
            differences.append((question, answer, said))
    return Agreement(count, verdicts, messages, refused, kinds, differences)


def text_of(answer: Answer) -> str | None:
    """Return the message of an answer; what differs from one JVM to the next is made equal."""
    if answer is None:
        return None
    if not isinstance(answer, str) and answer[0] == "java.lang.NullPointerException":
        return NULL  # with a message in newer releases of Java
    text = answer if isinstance(answer, str) else answer[1]
    return _ANY_ORDER.sub(lambda found: ",".join(sorted(found[0][1:-1].split(", "))), text)


def ported(question: Question, operator: OperatorRelease) -> list[Refusal]:
    """Return what the port refuses of a question."""
    resource = question["resource"]
    last = None if not question.get("last") else {**resource, "spec": question["last"]}
    other = question.get("other")
    # The operator looks for the job of a snapshot only while the snapshot is to be taken.
    state = resource.get("status", {}).get("state", "TRIGGER_PENDING")
    if resource["kind"] == "FlinkStateSnapshot" and state != "TRIGGER_PENDING":
        other = resource
    return refusals(
        resource["kind"],
        _resource(resource),
        operator,
        defaults=question.get("defaults"),
        last=None if last is None else _resource(last),
        other=None if other is None else _resource(other),
    )


def _resource(resource: Mapping[str, Any]) -> Resource:
    spec = {name: value for name, value in resource["spec"].items() if name != "flinkConfiguration"}
    return Resource(
        Fields(flattened({**resource, "spec": spec})),
        dict(_settings("", resource["spec"].get("flinkConfiguration", {}))),
    )


def _settings(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the settings in `flinkConfiguration`, as the operator flattens it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _settings(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        if value:
            yield path, ";".join(map(_text, value))
    else:
        yield path, _text(value)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
