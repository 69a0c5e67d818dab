"""Distills the differences between adjacent minor releases, a Markdown list, into the fixture that flint's are compared
with.

Run ``python tests/upgrade/distil.py FILE``. The list was reflected from the released classes without flint: for each
pair of minors a heading ``## 1.9 -> 1.10`` with the parts ``### lost``, ``### renamed``, ``### default changed`` and
``### type or enum values changed``. A value of a type is the name of a Java class; any type that is not simple is an
enum, whose class may be renamed unnoticed.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "differences.json"
_SIMPLE = {
    name: name for name in ("Boolean", "Double", "Duration", "Float", "Integer", "Long", "Map", "MemorySize", "String")
} | {"String[]": "List<String>"}


def distilled(text: str) -> list[dict[str, Any]]:
    """Return the pairs of minor releases, oldest first."""
    pairs = []
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        older, newer = re.match(r"(\S+) -> (\S+)", block).groups()  # type: ignore[union-attr]
        pair: dict[str, Any] = {"older": older, "newer": newer, "lost": {}, "renamed": {}, "defaults": {}, "types": {}}
        for part in re.split(r"^### ", block, flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            for line in re.findall(r"^- (.*)$", body, flags=re.MULTILINE):
                _read(pair, title, line)
        pairs.append(pair)
    return pairs


def _read(pair: dict[str, Any], title: str, line: str) -> None:
    key = re.match(r"`(.+?)`", line)[1]  # type: ignore[index]
    names = re.findall(r"`(.+?)`", line)[1:]
    old, _, new = line.partition(": ")[2].partition(" -> ")
    if title.startswith("lost"):
        pair["lost"][key] = names[0] if names else key
    elif title.startswith("renamed"):
        pair["renamed"][key] = sorted(names)
    elif title.startswith("default"):
        pair["defaults"][key] = [None if value == "none" else json.loads(value) for value in (old, new)]
    elif title.startswith("type") and (types := [_type(old), _type(new)])[0] != types[1]:
        pair["types"][key] = types


def _type(name: str) -> str:
    return name if name.startswith("enum ") else _SIMPLE.get(name, "Enum")


def main() -> None:
    pairs = distilled(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(pair, separators=(",", ":")) for pair in pairs)
    FIXTURE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
