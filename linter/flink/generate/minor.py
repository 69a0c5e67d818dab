"""``python -m flink_flint.linter.flink.generate.minor 2.4.0``: add a minor release, or a patch of the newest one.

Names the release where the minor releases and their patches are listed, reads its options (one download), and adds them
to the catalogue as a rebuild from all releases would. docs/new-minor.md says what else there is to do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from flink_flint.linter.flink.generate.distributions import PATCHES
from flink_flint.linter.flink.releases import MINORS, Release, parse_release

_HERE = Path(__file__).parent
_RELEASES = _HERE.parent / "releases.py"
_DISTRIBUTIONS = _HERE / "distributions.py"


def with_minor(text: str, minor: str) -> str:
    """Return the text of releases.py with a minor release at the end of `MINORS`; unchanged if it is there."""
    minors = text.partition("MINORS = (")[2].partition('"""')[0]
    if f'"{minor}"' in minors:
        return text
    end = '"),\n)'
    return text.replace(minors, minors.replace(end, f'", "{minor}"),\n)'), 1)


def with_patch(text: str, release: Release) -> str:
    """Return the text of distributions.py with a patch among `PATCHES`, in the order of their numbers."""
    rows = text.partition("PATCHES: dict[str, tuple[int, ...]] = {\n")[2].partition("}\n")[0]
    row = next((line for line in rows.splitlines() if line.startswith(f'    "{release.name}":')), None)
    known = [] if row is None else [int(number) for number in re.findall(r"\d+", row.partition(":")[2])]
    patches = sorted({*known, release.patch or 0})
    spelled = f'    "{release.name}": ({", ".join(map(str, patches))}{"," if len(patches) == 1 else ""}),'
    changed = rows.replace(row, spelled) if row is not None else f"{rows}{spelled}\n"
    return text.replace(rows, changed, 1)


def main(arguments: list[str] | None = None) -> None:
    """Add the release that is named; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m flink_flint.linter.flink.generate.minor", description=__doc__)
    parser.add_argument("release", help="with its patch: 2.4.0")
    parser.add_argument("--cache", type=Path, help="the folder for results")
    options = parser.parse_args(arguments)
    release = parse_release(options.release)
    if release.patch is None:
        parser.error("name the patch too, such as 2.4.0")
    if release.name not in MINORS or release.patch not in PATCHES.get(release.name, ()):
        _RELEASES.write_text(with_minor(_RELEASES.read_text("utf-8"), release.name), encoding="utf-8")
        _DISTRIBUTIONS.write_text(with_patch(_DISTRIBUTIONS.read_text("utf-8"), release), encoding="utf-8")
        # The lists were read before they were changed.
        os.execv(sys.executable, [sys.executable, "-m", __spec__.name, *(arguments or sys.argv[1:])])
    if release.name != MINORS[-1]:
        parser.error(f"{release.name} is not the newest minor release: rebuild the catalogue from all")
    _extend(release.name, options.cache)


def _extend(minor: str, cache: Path | None) -> None:
    from flink_flint.linter.flink.generate import option_constants as constants
    from flink_flint.linter.flink.generate.__main__ import CATALOGUE, CONSTANTS, default_cache
    from flink_flint.linter.flink.generate.merge import definitions, dumped, merged, without_newest
    from flink_flint.linter.flink.generate.reflection import records

    read = {patch: records(f"{minor}.{patch}", cache or default_cache(), False) for patch in PATCHES[minor]}
    found = {patch: definitions(every, minor) for patch, every in read.items()}
    older = without_newest(json.loads(CATALOGUE.read_text("utf-8")))
    lines = merged({minor: found}, older)
    CATALOGUE.write_text(dumped(lines), encoding="utf-8")
    known, newest = json.loads(CONSTANTS.read_text("utf-8")), read[PATCHES[minor][-1]]
    table = constants.extended(known, newest, constants.readers(lines))
    CONSTANTS.write_text(constants.dumped(table), encoding="utf-8")
    print(f"{minor}: {len(found[PATCHES[minor][-1]])} options")
    _print_differences(MINORS[-2], minor)


def _print_differences(before: str, after: str) -> None:
    """Print what a person has to look at: options that are new, gone, or have another default."""
    from flink_flint.linter.flink.options import catalogue
    from flink_flint.linter.flink.release_differences import differences

    found = differences(catalogue(), MINORS.index(before), catalogue(), MINORS.index(after))
    for what, keys in (
        ("new", [option.key for option in found.added]),
        ("no longer read", [one.key for one in found.lost]),
        ("renamed", [one.key for one in found.renamed]),
        ("with another default", [one.key for one in found.defaults]),
        ("with another type", [one.key for one in found.types]),
    ):
        print(f"{len(keys)} {what} since {before}{':' if keys else ''} {', '.join(keys)}".rstrip())


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"{' '.join(map(str, failed.cmd[:4]))} …: status {failed.returncode}")
