"""No rule fails, whatever numbers stand in a file or in the thresholds: zero, negative, huge, infinite, none at all.

The files are those of the rules' own cases, so that each rule gets as far as it can.
"""

from __future__ import annotations

import importlib
import os
import re

import pytest

from flink_flint.linter.config.flint_config import FlintConfigFile
from flink_flint.linter.engine.check_run import check, unjudged
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.registry import modules, rule_of
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.flink.values import Duration, MemorySize
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.rule import Case, Rule

RULES = [rule for module in modules() if (rule := rule_of(module)) is not None and rule.scope != "crash"]
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_EXTREMES = ("0", "-1", "1", "9223372036854775807", "1e308", "NaN", "Infinity", "0.0", "", "²", "٣", "9" * 5000)
_MAX_CASES = 4


def _sources(case: Case, text: str) -> list[Source]:
    found = []
    for name, content in ((case.name, text), *case.beside.items()):
        file_format = file_format_of(os.path.basename(name), content)
        if file_format is not None:
            found.append(Source(f"conf/{name}", content.encode("utf-8", "surrogateescape"), file_format))
    return found


def _crashes(rule: Rule, case: Case, text: str, thresholds: dict[str, object]) -> list[str]:
    flint_config = FlintConfigFile(None, {"thresholds": {rule.code: thresholds}})
    options = Options(
        flink_version=case.flink, platform=case.platform, profile=case.profile, select=(rule.code,),
        flint_config=flint_config,
    )  # fmt: skip
    earlier = None if case.before is None else unjudged(_sources(case, case.before), options)
    report = check(_sources(case, text), options, earlier=earlier)
    return [finding.message for finding in report.findings if finding.code == "FLK000"]


def _cases(rule: Rule) -> list[Case]:
    found: list[Case] = importlib.import_module(rule.module).cases()
    return [case for case in found if case.bad][:_MAX_CASES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.slow
def test_extreme_numbers_in_files(rule: Rule) -> None:
    for case in _cases(rule):
        numbers = list(_NUMBER.finditer(case.text))
        for place, extreme in enumerate(_EXTREMES):
            one = numbers[place % len(numbers)].span() if numbers else (0, 0)
            for text in (_NUMBER.sub(extreme, case.text), case.text[: one[0]] + extreme + case.text[one[1] :]):
                assert _crashes(rule, case, text, {}) == [], (extreme[:20], text[:500])


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.thresholds], ids=lambda rule: rule.code)
def test_extreme_thresholds(rule: Rule) -> None:
    for name, threshold in rule.thresholds.items():
        values: tuple[object, ...] = (0, -1, 1, 2**62)
        if isinstance(threshold.value, MemorySize):
            values = ("0 b", "1 b", "9223372036854775807 b")
        elif isinstance(threshold.value, Duration):
            values = ("0 s", "1 ms", "9223372036 s")
        elif isinstance(threshold.default, float):
            values = (0.0, -1.0, 5e-324, 1e308)
        for case in _cases(rule):
            for value in values:
                assert _crashes(rule, case, case.text, {name: value}) == [], (name, value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_threshold_is_finite(value: float) -> None:
    rule = next(rule for rule in RULES if any(isinstance(one.default, float) for one in rule.thresholds.values()))
    threshold = next(one for one in rule.thresholds.values() if isinstance(one.default, float))
    with pytest.raises(ValueError, match="not a finite number"):
        threshold.read(value)
