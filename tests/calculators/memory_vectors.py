"""What Flink answered to memory configurations, asked of a calculator: see `tests/fixtures/memory`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flink_flint.calculators.answering.answer import Answer
from flink_flint.calculators.answering.calculator import Way
from flink_flint.calculators.answering.declaration import inputs_of
from flink_flint.calculators.answering.given_inputs import collect
from flink_flint.linter.flink.configuration import BadValue, Configuration
from flink_flint.linter.flink.releases import parse_release

_VECTORS = Path(__file__).parent.parent / "fixtures" / "memory" / "vectors.jsonl"


def answered(way: Way, process: str) -> Iterator[tuple[dict[str, Any], str, Answer]]:
    """Each row of a process ("tm", "jm") that the inputs of `way` can say, its release, and the calculator's answer."""
    by_option = {declared.option: declared for declared in inputs_of(way.inputs) if declared.option}
    for line in _VECTORS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["process"] != process or not row["conf"].keys() <= by_option.keys():
            continue
        for flink in row["flink"]:
            configuration = Configuration(row["conf"], parse_release(flink), yaml=False)
            try:
                given = {by_option[key].name: _plain(configuration.value(key)) for key in row["conf"]}
                inputs = collect(way.inputs, given)
            except (BadValue, ValueError):
                continue  # a value or a range that no calculator takes
            yield row, flink, way.answer(inputs, parse_release(flink))


def _plain(value: object) -> object:
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value
