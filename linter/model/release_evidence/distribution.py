"""Determines the release of an unpacked distribution of Flink from the JAR in its `lib` folder."""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.text.lazy_regex import regex

_JAR = regex(r"flink-dist(?:_\d{1,3}\.\d{1,3})?-(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)(?:-[\w-]*)?\.jar")


@remembered
def release_of_distribution(directory: str) -> tuple[str, str] | None:
    """Return the version of the `flink-dist` JAR beside a folder `conf`, with its name; None without exactly one."""
    folder = os.path.abspath(directory)
    if os.path.basename(folder) != "conf" or ".git" in names_in(folder):
        return None
    lib = os.path.join(os.path.dirname(folder), "lib")
    found = [match for name in sorted(names_in(lib)) if (match := _JAR.fullmatch(name)) is not None]
    return (found[0][1], f"lib/{found[0][0]}") if len(found) == 1 else None
