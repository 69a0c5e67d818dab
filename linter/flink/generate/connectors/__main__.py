"""``python -m flink_flint.linter.flink.generate.connectors``: rebuild the catalogue of table connectors.

Requires pip, Maven and a JDK of version 17 or later; downloads some gigabytes where nothing is cached.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from flink_flint.linter.flink.generate.archives import libraries
from flink_flint.linter.flink.generate.connectors.factories import records
from flink_flint.linter.flink.generate.connectors.lines import FLINK, LINES
from flink_flint.linter.flink.generate.connectors.merge import dumped, merged

_CATALOGUE = Path(__file__).parents[2] / "tables" / "connectors.json"


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("FLINT_FLINK_CACHE") or Path(base) / "flint")


def main(arguments: list[str] | None = None) -> None:
    """Ask the releases of the connectors and write the catalogue; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m flink_flint.linter.flink.generate.connectors", description=__doc__)
    parser.add_argument("--connectors", help="the connectors to ask, such as kafka,jdbc (default: all)")
    parser.add_argument("--cache", type=Path, default=_cache(), help="the folder for jars and results (%(default)s)")
    parser.add_argument("--output", type=Path, default=_CATALOGUE, help="the file to write (%(default)s)")
    options = parser.parse_args(arguments)

    known = (FLINK, *LINES)
    names = options.connectors.split(",") if options.connectors else [line.name for line in known]
    if unknown := sorted(set(names) - {line.name for line in known}):
        parser.error(f"unknown: {', '.join(unknown)}; known are {', '.join(line.name for line in known)}")
    lines = [line for line in known if line.name in names]
    asked = records(lines, options.cache / "connectors", lambda version: libraries(version, options.cache))
    content = merged(lines, asked)
    options.output.write_text(dumped(content), encoding="utf-8")
    for section, entries in content.items():
        print(f"{len(entries)} {section}")


if __name__ == "__main__":
    main()
