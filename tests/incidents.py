"""Real incidents, each with its configuration at the time: does flint report the diagnosed cause?

`make incidents FACTS=DIRECTORY` reads ``corpus/incidents.jsonl`` below the directory: one JSON object a line with
`id`, `flink_version`, `file_format`, `file`, `fragment` (what is known of the configuration), `root_cause` and
`static_catch`. The fragments are torn out of their files, or tell in words what was set; `incidents.toml` beside this
module says for each what the whole file was like, which rules name its cause, and why where none can.
"""

from __future__ import annotations

import json
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from flink_flint.linter.engine.check_run import check
from flink_flint.linter.engine.discovery import find
from flink_flint.linter.engine.run_options import Options

TABLE = Path(__file__).with_name("incidents.toml")


class Outcome(NamedTuple):
    """The result of one incident."""

    identity: str
    catchable: str
    caught: tuple[str, ...]
    """The expected rules that fired."""
    expected: tuple[str, ...]
    others: tuple[str, ...]
    """Other errors and warnings that were found."""
    cause: str
    why_not: str


def main(arguments: list[str]) -> int:
    """Print the table and the rate; return 1 if a detectable incident is missed without a reason."""
    folder = Path(arguments[0])
    with open(TABLE, "rb") as stream:
        expectations: Mapping[str, Any] = tomllib.load(stream)
    lines = (folder / "corpus" / "incidents.jsonl").read_text(encoding="utf-8").splitlines()
    outcomes = [outcome(incident, expectations.get(incident["id"], {})) for incident in map(json.loads, lines)]
    for one in outcomes:
        mark = "caught" if one.caught else "missed" if one.catchable == "yes" else "-"
        print(f"{one.identity}  {one.catchable:<18} {mark:<7} {' '.join(one.caught) or '-':<16} {one.cause}")
        if not one.caught and one.catchable == "yes":
            print(f"        found instead: {' '.join(one.others) or 'nothing'}")
        if not one.caught and one.why_not:
            print(textwrap.indent(textwrap.fill(one.why_not, 100), " " * 8))
    catchable = [one for one in outcomes if one.catchable == "yes"]
    caught = [one for one in catchable if one.caught]
    beyond = [one for one in outcomes if one.catchable != "yes" and one.caught]
    print(f"{len(caught)} of {len(catchable)} catchable incidents caught ({len(caught) / len(catchable):.0%}), "
          f"{len(beyond)} of the {len(outcomes) - len(catchable)} others")  # fmt: skip
    return 0 if all(one.caught or one.why_not for one in catchable) else 1


def outcome(incident: Mapping[str, Any], expected: Mapping[str, Any]) -> Outcome:
    """Write the incident's files, check them, and see which of the expected rules fire."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files_of(incident, expected).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        report = check(
            find([folder]), Options(select=("ALL",), flink_version=expected.get("flink"), profile="production")
        )
    found = {finding.code for finding in report.findings}
    wanted = tuple(expected.get("rules", ()))
    return Outcome(
        incident["id"], incident["static_catch"], tuple(code for code in wanted if code in found), wanted,
        tuple(sorted(found - set(wanted))), incident["root_cause"][:80], expected.get("why-not", ""),
    )  # fmt: skip


def files_of(incident: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of an incident by name.

    `file` contains the fragment between `before` and `after`; `text` replaces the fragment if that only describes the
    settings in words; `beside` are other files.
    """
    name = expected.get("file") or Path(incident["file"]).name or "flink-conf.yaml"
    body = expected["text"] if "text" in expected else expected.get("before", "") + incident["fragment"]
    return {name: body.rstrip("\n") + "\n" + expected.get("after", ""), **expected.get("beside", {})}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
