"""``python -m flink_flint.linter.flink.generate``: rebuild the option catalogue from the package index.

Requires pip, a JDK of version 17 or later, and about 300 MB and 15 seconds per release.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from flink_flint.linter.flink.generate import option_constants as constants
from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.generate.merge import Definition, definitions, dumped, merged
from flink_flint.linter.flink.generate.reflection import Record, records

CATALOGUE = Path(__file__).parents[1] / "options.json"
CONSTANTS = CATALOGUE.with_name("option_constants.json")


def default_cache() -> Path:
    """Return the folder in which the options of releases are kept once they have been read."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flint" / "flink"


def main(arguments: list[str] | None = None) -> None:
    """Read the releases and write the catalogue; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m flink_flint.linter.flink.generate", description=__doc__)
    parser.add_argument("--minors", help="the minor releases to read, such as 1.13,1.20 (default: all)")
    parser.add_argument("--latest", action="store_true", help="only the last patch of each, without earlier changes")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="the folder for results (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the downloaded archives in the cache too")
    parser.add_argument("--output", type=Path, default=CATALOGUE, help="the file to write (%(default)s)")
    options = parser.parse_args(arguments)

    minors = options.minors.split(",") if options.minors else list(PATCHES)
    if unknown := sorted(set(minors) - set(PATCHES)):
        parser.error(f"unknown minor releases: {', '.join(unknown)}; known are {', '.join(PATCHES)}")
    releases: dict[str, dict[int, dict[str, Definition]]] = {}
    latest: list[list[Record]] = []
    for minor in minors:
        patches = PATCHES[minor][-1:] if options.latest else PATCHES[minor]
        for patch in patches:
            every = records(f"{minor}.{patch}", options.cache, options.keep)
            found = definitions(every, minor)
            releases.setdefault(minor, {})[patch] = found
            print(f"{minor}.{patch}: {len(found)} options")
        latest.append(every)
    lines = merged(releases)
    options.output.write_text(dumped(lines), encoding="utf-8")
    table = constants.constants(latest, constants.readers(lines))
    options.output.with_name("option_constants.json").write_text(constants.dumped(table), encoding="utf-8")


if __name__ == "__main__":
    main()
