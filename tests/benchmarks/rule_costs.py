"""What each rule costs in a run over many real files: the share of the time that flint spends in it.

Run as `python -m tests.benchmarks.rule_costs FOLDER` it prints the slowest and the total as JSON; the benchmark does so
in a process of its own, since the rules that are loaded and what they remember belong to it.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from flink_flint.linter.engine import check_run as engine
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.registry import registry
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.model.finding import Finding
from flink_flint.linter.model.view import View

EXEMPT = "FLK001"
"""It looks at each key of each file, in every release."""
LARGEST_SHARE = 0.02
"""What any other rule may take of a run."""


SHARED = "memory"
"""Deriving the memory of the processes: done once for all rules, so that it is not to be charged to the first."""


def spent(folder: str) -> tuple[dict[str, float], float]:
    """Seconds of processor time by rule (and `SHARED`), and of the whole run.

    Everything is loaded and warm before it is measured.
    """
    engine.check(find([folder]), Options())
    seconds: dict[str, float] = defaultdict(float)
    derive = View._derive_again

    def shared(view: View, process: str) -> Any:
        begin = time.thread_time()
        derived = derive(view, process)
        took = time.thread_time() - begin
        seconds[SHARED] += took
        seconds[view.rule.code] -= took
        return derived

    View._derive_again = shared  # type: ignore[method-assign, assignment]
    for declaration in registry().declarations:
        rule = declaration.load()
        rule.check = _timed(rule.check, declaration.code, seconds)
    begin = time.thread_time()
    engine.check(find([folder]), Options())
    return dict(seconds), time.thread_time() - begin


def _timed(check: Any, code: str, seconds: dict[str, float]) -> Any:
    def timed(*arguments: Any) -> Iterator[Finding]:
        begin = time.thread_time()
        found: Iterable[Finding] | None = check(*arguments)
        findings = list(found or ())
        seconds[code] += time.thread_time() - begin
        return iter(findings)

    return timed


def is_exempt(code: str) -> bool:
    """Whether a rule may take more: it looks at everything, or compares all documents."""
    return code in (EXEMPT, SHARED) or registry().by_code[code].scope == "project"


if __name__ == "__main__":
    by_rule, whole = spent(sys.argv[1])
    json.dump({"by_rule": by_rule, "whole": whole}, sys.stdout)
