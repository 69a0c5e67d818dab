"""The releases from which the catalogue is built, and how each of them is packaged.

The package index does not have all patches; this list has those with jars that are not yanked. The catalogue describes
the last patch of a minor release; the earlier ones show what changed within the minor release.
"""

from __future__ import annotations

from flink_flint.linter.text.named_tuple import NamedTuple

PATCHES: dict[str, tuple[int, ...]] = {
    "1.9": (3,),
    "1.10": (3,),
    "1.11": (4,),
    "1.12": (5,),
    "1.13": (6,),
    "1.14": (0, 2, 3, 4, 5, 6),
    "1.15": (0, 1, 2, 3, 4),
    "1.16": (0, 1, 2, 3),
    "1.17": (0, 1, 2),
    "1.18": (0, 1),
    "1.19": (0, 1, 2, 3),
    "1.20": (0, 1, 2, 3, 4, 5),
    "2.0": (0, 1, 2),
    "2.1": (0, 1, 2, 3),
    "2.2": (0, 1),
    "2.3": (0,),
}


class Artifact(NamedTuple):
    """A package to download with pip: its requirement, the options that select a file, and the folder with the jars."""

    requirement: str
    options: tuple[str, ...]
    jars: str


def artifact(version: str) -> Artifact:
    """Return the artifact that contains the jars of a release such as ``1.20.5``.

    Up to 1.10 the source distribution of apache-flink is a complete Flink; in 1.11 and 1.12 the jars are in its binary
    wheels (for Python versions that are no longer supported); from 1.13 on they are a separate package.
    """
    minor = tuple(int(part) for part in version.split(".")[:2])
    if minor <= (1, 10):
        return Artifact(f"apache-flink=={version}", ("--no-binary", ":all:"), "deps")
    if minor <= (1, 12):
        options = ("--only-binary", ":all:", "--python-version", "3.7", "--implementation", "cp")
        return Artifact(
            f"apache-flink=={version}",
            (*options, "--abi", "cp37m", "--platform", "manylinux1_x86_64"),
            "pyflink",
        )
    return Artifact(f"apache-flink-libraries=={version}", ("--no-binary", ":all:"), "deps")
