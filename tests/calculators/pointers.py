"""Commands that answers name, run as they would be when pasted."""

from __future__ import annotations

import re
import shlex

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import calculator
from flink_flint.calculators.command_line.collect_inputs import ask, read_texts
from flink_flint.linter.flink.releases import parse_release


def answered(sentence: str, flink: str = "1.20") -> Answer:
    """The answer of the command `flint size …` that a sentence holds between backticks."""
    found = re.search(r"`flint size ([^`]*)`", sentence)
    assert found is not None, sentence
    name, *flags = shlex.split(found[1])
    named = calculator(name)
    texts = dict(flag.removeprefix("--").split("=", 1) for flag in flags)
    given = read_texts(named, {flag.replace("-", "_"): text for flag, text in texts.items()})
    return ask(named, given, release=parse_release(flink)).answer
