"""What the planners of some releases make of the scripts beside this module, kept in `plans.json`.

`python -m tests.engine.planning.golden` (`make plans`) plans them all, writes the file and prints what changed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flink_flint.linter.engine.planning.flink_libraries import Libraries
from flink_flint.linter.engine.planning.isolated_planner import Java, find_java
from flink_flint.linter.engine.planning.planned_documents import Planning, ToPlan
from flink_flint.linter.formats.sql.sql_script import FILE_FORMAT
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.elements import Element
from flink_flint.linter.model.target import target_of
from tests.live.distribution import flink_libraries

RELEASES = {"1.13": "1.13.6", "1.17": "1.17.2", "1.20": "1.20.5", "2.1": "2.1.3", "2.3": "2.3.0"}
_FOLDER = Path(__file__).with_name("scripts")
_PLANS = Path(__file__).with_name("plans.json")
TABLES = "tables"

Plan = list[Any]
"""What a planner says of the statements of a script, after those that all scripts begin with."""


def script_names() -> list[str]:
    """Return the names of the scripts."""
    return sorted(path.stem for path in _FOLDER.glob("*.sql") if path.stem != TABLES)


def script(name: str) -> str:
    """Return a script with the tables that all use."""
    return "".join((_FOLDER / f"{one}.sql").read_text("utf-8") for one in (TABLES, name))


def documents(texts: Mapping[str, str]) -> dict[str, Document]:
    """Return the documents of scripts, by name."""
    return {name: FILE_FORMAT.read(f"{name}.sql", text.encode())[0] for name, text in texts.items()}


def add_plans(found: Mapping[str, Document], release: str, java: Java | None = None) -> Planning:
    """Let the planner of a minor release plan scripts."""
    patch = RELEASES[release]
    libraries = Libraries(str(flink_libraries(patch)), patch)
    planning = Planning([libraries], java or find_java(()))
    planning.add_plans([ToPlan(one, target_of(one, flink_version=release), {}) for one in found.values()])
    return planning


def planned(names: Iterable[str], release: str) -> dict[str, Plan]:
    """Return what the planner of a minor release makes of scripts."""
    found = documents({name: script(name) for name in names})
    planning = add_plans(found, release)
    assert not planning.notes, planning.notes
    return {name: [_shown(one) for one in document.elements_of(("plan",))] for name, document in found.items()}


def kept() -> dict[str, dict[str, Plan]]:
    """Return the plans that are kept, by script and minor release."""
    read = json.loads(_PLANS.read_text("utf-8"))
    return {
        name: {release: one["plan"] for one in plans for release in one["releases"]} for name, plans in read.items()
    }


def _shown(element: Element) -> Any:
    if element.name != "planned":
        text = element.value("message") if element.name == "refused" else element.value("reason")
        return f"{element.name}: {text}"
    return {
        "state": [one.value for one in element.listed("state")],
        "operators": [_operator(one) for one in reversed(element.items("operators"))],
    }


def _operator(operator: Element) -> str:
    changes, keys = operator.value("changes"), operator.value("keys")
    return f"{operator.value('type')}" + (f" {changes}" if changes else "") + (f" by {keys}" if keys else "")


def _write(found: Mapping[str, Mapping[str, Plan]]) -> None:
    content = {}
    for name, plans in found.items():
        groups: list[dict[str, Any]] = []
        for release, plan in plans.items():
            same = next((one for one in groups if one["plan"] == plan), None)
            if same is None:
                groups.append({"releases": [release], "plan": plan})
            else:
                same["releases"].append(release)
        content[name] = groups
    _PLANS.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def main(releases: Sequence[str]) -> None:
    """Plan all scripts with the planners of releases, keep the plans, and print which of them changed."""
    before = kept() if _PLANS.is_file() else {}
    found = {name: dict(before.get(name, {})) for name in script_names()}
    for release in releases:
        for name, plan in planned(script_names(), release).items():
            if plan != found[name].get(release):
                print(f"{name} {release}")
            found[name][release] = plan
    _write({name: {one: plans[one] for one in RELEASES if one in plans} for name, plans in found.items()})


if __name__ == "__main__":
    main(sys.argv[1:] or list(RELEASES))
