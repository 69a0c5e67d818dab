"""A copy of flint with more rules than it has, to see what the number of rules costs."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from linter.flink.options import catalogue
from linter.flink.releases import NEWEST
from linter.registry import registry
from tests.benchmarks.inputs import SEED

ROOT = Path(__file__).resolve().parents[2]

RULE = '''"""A rule made for a benchmark; it asks what rules ask and finds nothing.

{page}
"""

from collections.abc import Iterator

from linter.rule import Confidence, Finding, Severity, rule
from linter.view import View

HELP = "nothing to do"


@rule(
    code="{code}",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    reads={reads!r},
    always={always},
    since="0.1",
)
def {name}(config: View) -> Iterator[Finding]:
    """a rule made for a benchmark"""
    for key in {reads!r}:
        setting = config.get(key)
        if setting.is_set and setting.is_known and config.since("1.9") and setting.text == "never written":
            yield setting.finding("found", help=HELP)
'''

PAGE = "\n".join(
    "A line of the page, of which a rule has some thirty, with reasons and with numbers." for _ in range(30)
)


def copy_with_rules(folder: Path, number: int) -> Path:
    """Copy the packages and add rules until there are `number`; what to run, with python, to be that flint.

    As large a share of them as of the real rules is asked whatever the keys.
    """
    for package in ("linter", "rules", "calculators"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "generate"))
    chance = random.Random(SEED)
    keys = sorted(option.key for option in catalogue().keys(NEWEST) if not option.templated)
    family = folder / "rules" / "made"
    family.mkdir()
    (family / "__init__.py").touch()
    taken = registry().by_code
    share_always = sum(declaration.always for declaration in registry().declarations) / len(taken)
    free = (code for code in (f"FLK{place:03}" for place in range(1000)) if code not in taken)
    for place in range(number - len(taken)):
        name = f"made_rule_{place}"
        reads = chance.sample(keys, chance.randint(1, 4))
        always = chance.random() < share_always
        text = RULE.format(page=PAGE, code=next(free), reads=reads, name=name, always=always)
        (family / f"{name}.py").write_text(text, encoding="utf-8")
    command = folder / "flint.py"
    command.write_text("from linter.__main__ import main\n\nmain()\n", encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", "from linter.registry import write_index; write_index()"],
        cwd=folder, check=True, env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    return command
