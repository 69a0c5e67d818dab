"""Thresholds that users set: advice and fixes of a rule satisfy them, whatever they are."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from flink_flint.linter.commands.rule_cases import place
from flink_flint.linter.config.flint_config import FlintConfigFile
from flink_flint.linter.engine.check_run import check, unjudged
from flink_flint.linter.engine.discovery import Source, find
from flink_flint.linter.engine.judging import Earlier
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.flink.values import Duration, MemorySize
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.rule import Case, Rule, Threshold
from tests.fix_edits import checked
from tests.rules.cases import options_of

RULES = [rule for one in registry().declarations if (rule := one.load()).thresholds]
FACTORS = (0.37, 3, 17)
"""What defaults are multiplied by."""


def changed(threshold: Threshold, factor: float) -> int | float | str:
    """Another value of a threshold, as somebody writes it into flint.toml."""
    value = threshold.value * factor
    if isinstance(threshold.value, Duration):
        return f"{int(value) // 1_000_000} ms"
    if isinstance(threshold.value, MemorySize):
        return f"{int(value) >> 10} kb"
    if isinstance(threshold.default, int):
        return max(1, int(value))
    # Shares stay shares: a part of something that is more than all of it could not be kept by anything.
    return round(min(value, 0.97) if 0 < threshold.value < 1 else value, 3)


BOUNDS = {"FLK108": ("least", "most"), "FLK502": ("shortest", "longest"), "FLK933": ("fewest", "most")}
"""The lower and the upper threshold of rules that have both."""


def is_possible(rule: Rule, name: str, value: object) -> bool:
    """Whether anything can satisfy a threshold beside the rule's others."""
    if (rule.code, name) == ("FLK659", "far"):
        return isinstance(value, float) and value > 1  # times the best there is
    lower, upper = BOUNDS.get(rule.code, (None, None))
    if lower is None or upper is None:
        return True
    values = {one: threshold.value for one, threshold in rule.thresholds.items()}
    values[name] = rule.thresholds[name].read(value)
    return values[lower] <= values[upper]


ALSO_A_FACT = {
    ("FLK022", "least-odd"): "the text of the case in seconds",
    ("FLK022", "least-ttl"): "the text of the case in seconds",
    ("FLK679", "subtasks"): "how many subtasks would do",
    ("FLK686", "days"): "how many TaskManagers are idle",
    ("FLK752", "many"): "attempts within an interval, of which more do no harm",
}
"""Thresholds whose default is also a number of another origin that help states."""


PARAMETERS = [
    pytest.param(
        rule,
        name,
        changed(threshold, factor),
        id=f"{rule.code}-{name}-{changed(threshold, factor)}",
        marks=[pytest.mark.slow] if factor == FACTORS[-1] or number % 3 else [],
    )
    for number, rule in enumerate(RULES)
    for name, threshold in rule.thresholds.items()
    for factor in FACTORS
    if is_possible(rule, name, changed(threshold, factor))
]


def judged(rule: Rule, case: Case, folder: Path, flint_config: FlintConfigFile) -> tuple[list[Finding], Options]:
    """The findings of a case under some configuration of flint, with the edits of their fixes."""
    options = options_of(rule, case, folder)._replace(flint_config=flint_config)
    earlier: Earlier | None = None
    if case.before is not None:
        place(case, case.before, str(folder))
        earlier = unjudged(find(paths_of(case, folder)), options)
    place(case, case.text, str(folder))
    if earlier is not None:
        return check(find(paths_of(case, folder)), options, earlier=earlier).findings, options
    return checked(find(paths_of(case, folder)), options).findings, options


def paths_of(case: Case, folder: Path) -> list[str]:
    return [str(folder)] if case.beside else [str(folder / case.name)]


_ADVICE = re.compile(
    r"\bset (?P<key>it|[a-z][\w.-]*[.-][\w.-]+?)(?: to|:) (?P<value>\d[\d.]*(?: ?(?:ms|s|min|h|d|m|mb|gb|g|k|kb))?)\b"
)


def advised(finding: Finding, text: str) -> str | None:
    """A text with what the help of a finding says to set; None where it cannot simply be written."""
    match = _ADVICE.search(finding.help or "")
    if match is None or finding.key is None:
        return None
    key = finding.key if match["key"] == "it" else match["key"]
    line = re.compile(rf"^(\s*{re.escape(key)}: *).*$", re.MULTILINE)
    return line.sub(lambda found: found[1] + match["value"], text) if line.search(text) else None


def remaining(rule: Rule, case: Case, finding: Finding, text: str, folder: Path, options: Options) -> list[str]:
    """The messages of the rule about the same key, where a case has another text."""
    place(case, text, str(folder))
    report = check(find(paths_of(case, folder)), options)
    return [one.message for one in report.findings if (one.path, one.key) == (finding.path, finding.key)]


def cases_of(rule: Rule) -> list[Case]:
    cases: list[Case] = importlib.import_module(rule.module).cases()
    return cases


def states_default(threshold: Threshold, case: Case, finding: Finding) -> str | None:
    """The default of a threshold as the help of a finding states it; None where it does not, or a file has it."""
    if isinstance(threshold.value, (Duration, MemorySize)):
        spelled = {str(threshold.value), str(threshold.default)}
    else:
        spelled = {f"{threshold.value:g}", f"{threshold.value:,}"}
    files = "\n".join((case.text, *case.beside.values(), repr(case.observed)))
    for number in spelled:
        word = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w.,])")
        if word.search(finding.help or "") and not word.search(files):
            return number
    return None


@pytest.mark.parametrize(("rule", "name", "value"), PARAMETERS)
def test_fixes_and_advice_satisfy_another_threshold(rule: Rule, name: str, value: object, tmp_path: Path) -> None:
    flint_config = FlintConfigFile(None, {"thresholds": {rule.name: {name: value}}})
    for number, case in enumerate(cases_of(rule)):
        folder = tmp_path / str(number)
        folder.mkdir()
        findings, options = judged(rule, case, folder, flint_config)
        assert {finding.code for finding in findings} <= {rule.code}, findings  # it did not crash
        if any(finding.fix is not None for finding in findings):
            sources = [one for one in find(paths_of(case, folder)) if isinstance(one, Source)]
            after = [one.after for one in fix(sources, options, unsafe=True)]
            left = [one for one in checked(after, options).findings if one.fix is not None]
            assert left == [], [(one.message, one.fix) for one in left]
        for finding in findings:
            if (rule.code, name) not in ALSO_A_FACT:
                assert states_default(rule.thresholds[name], case, finding) is None, finding.help
            text = advised(finding, case.text)
            if text is not None:
                assert remaining(rule, case, finding, text, folder, options) == [], (finding.help, text)


@pytest.mark.parametrize(
    ("rule", "thresholds", "text", "says", "advises", "fixed"),
    [
        ("log-backups", {"fewest": 20}, "env.log.max: 15\n", "fewer than 20: the log of a failure is gone after 16 r",
         "set env.log.max: 20", "env.log.max: 20\n"),
        ("log-backups", {"fewest": 200}, "env.log.max: 150\n", "fewer than 200: the log of a failure is gone after 151",
         "set env.log.max: 200", "env.log.max: 200\n"),
        ("log-backups", {"most": 5}, "env.log.max: 8\n", "8 old log files", "set env.log.max: 5", "env.log.max: 5\n"),
        ("heartbeat-timeout-too-short", {"intervals": 10}, "heartbeat.interval: 5 s\nheartbeat.timeout: 40 s\n",
         "after 8 late heartbeats", "set heartbeat.timeout to 50000 (50 s)", None),
        ("zk-session-timeout", {"shortest": "90 s"},
         ("high-availability.type: zookeeper\nhigh-availability.zookeeper.quorum: zk:2181\n"
         "high-availability.zookeeper.client.session-timeout: 70 s\n"),
         "a ZooKeeper session of 70 s", "90 s at least", None),
        ("blob-settings-unusual", {"least": 7200}, "blob.service.cleanup.interval: 3600\n", "forgotten 3600 s after",
         "set it to 7200", "blob.service.cleanup.interval: 7200\n"),
    ],
)  # fmt: skip
def test_message_help_and_fix_are_those_of_the_users_threshold(
    rule: str, thresholds: dict[str, object], text: str, says: str, advises: str, fixed: str | None, tmp_path: Path
) -> None:
    flint_config = FlintConfigFile(None, {"thresholds": {rule: thresholds}})
    declared = registry().by_name[rule].load()
    case = Case(text, True, file="config.yaml", fixed=fixed)
    (finding,), options = judged(declared, case, tmp_path, flint_config)
    assert says in finding.message
    assert advises in (finding.help or "")
    if fixed is not None:
        sources = [one for one in find(paths_of(case, tmp_path)) if isinstance(one, Source)]
        (done,) = fix(sources, options, unsafe=True)
        assert done.after.data.decode() == fixed
