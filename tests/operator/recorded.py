"""The recorded answers of all releases to a sample of questions: the port is compared without the real part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from flink_flint.linter.filesystem.writing import write_whole
from tests.operator.agreement import Agreement, Answer, text_of

SAMPLE = 300
"""The questions of each release whose answers are recorded: the first ones."""
SEED = 1
_FILE = Path(__file__).with_name("answers.json")
_TABLE = Path(__file__).with_name("agreement.json")


def recorded() -> Mapping[str, Sequence[str | None]]:
    """Return the recorded answers by release: the message of a refusal, or None."""
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    messages = [None, *content["messages"]]
    return {release: [messages[number] for number in numbers] for release, numbers in content["releases"].items()}


def record(answers: Mapping[str, Sequence[Answer]]) -> None:
    """Record answers beside those of other releases."""
    found = {**recorded(), **{release: [text_of(one) for one in given] for release, given in answers.items()}}
    messages = sorted({message for given in found.values() for message in given if message is not None})
    numbers: dict[str | None, int] = {None: 0}
    numbers |= {message: number for number, message in enumerate(messages, 1)}
    lines = [
        f"{json.dumps(release)}:{json.dumps([numbers[message] for message in found[release]], separators=(',', ':'))}"
        for release in sorted(found, key=lambda release: [int(part) for part in release.split(".")])
    ]
    texts = ",\n".join(map(json.dumps, messages))
    joined = ",\n".join(lines)
    write_whole(str(_FILE), f'{{"releases":{{\n{joined}\n}},\n"messages":[\n{texts}\n]}}\n'.encode())


def record_agreement(found: Mapping[str, Agreement]) -> None:
    """Record how often the port agreed with releases, beside other releases."""
    rows = json.loads(_TABLE.read_text(encoding="utf-8"))
    for release, one in found.items():
        rows[release] = {
            "resources": one.questions,
            "refused": one.refused,
            "same verdict": one.verdicts,
            "same message": one.messages,
            "kinds": dict(sorted(one.kinds.items())),
        }
    ordered = sorted(rows, key=lambda release: [int(part) for part in release.split(".")])
    lines = ",\n".join(f"{json.dumps(release)}: {json.dumps(rows[release])}" for release in ordered)
    write_whole(str(_TABLE), f"{{\n{lines}\n}}\n".encode())
