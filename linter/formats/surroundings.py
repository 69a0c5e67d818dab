"""Evidence from the surroundings of a file: its path, the files next to it, and the files that mount or copy it.

Only folders inside the repository are looked at, each once; what is beside a file decides nothing alone.
"""

from __future__ import annotations

import os
import re

from flink_flint.linter.filesystem.folders import names_in, remembered
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.filesystem.repository import folders_near, repository_of
from flink_flint.linter.model.evidence import NOTHING, Evidence
from flink_flint.linter.text.lazy_regex import regex

_DISTRIBUTION = frozenset((
    "flink-conf.yaml", "log4j-cli.properties", "log4j-console.properties", "log4j-session.properties",
    "log4j-yarn-session.properties", "logback-console.xml", "logback-session.xml", "sql-client-defaults.yaml",
))  # fmt: skip
"""The files that Flink's distribution has in its folder of configuration."""
_FLINKS = ("config.", "flink-conf")
"""How the names of Flink's own files begin, which are not those of another product."""
_HOSTS = frozenset(("masters", "workers", "slaves"))
_MOUNTS = regex(
    r"(?i)(?:dockerfile|containerfile)(?:[._-].*)?|(?:docker-)?compose[\w.-]*\.ya?ml|.*[._-]dockerfile"
    r"|kustomization\.ya?ml"
)
_MOUNTING = ("docker", "compose", "container", "kustomization")
_FLINK = regex(r"(?i)(?:^|[^a-z])flink")
_FOLDERS_ABOVE = 2
"""How many folders above a file's own may hold what mounts it."""
_MAX_FILES = 20
"""The maximum number of files in a folder that are searched for mounts."""
_LARGEST = 64 * 1024


def evidence_around(path: str) -> Evidence:
    """Return the evidence from the path of a file and the files near it; a bare name has no surroundings."""
    name = os.path.basename(path)
    found = NOTHING
    if not name.startswith(_FLINKS):
        from flink_flint.linter.formats.other_products import product_of_name

        product = product_of_name(name)
        if product is not None:
            found = found.plus(-3, f"named as a file of {product}")
    folder = os.path.dirname(path)
    if not folder and not os.path.exists(path):
        return found
    folders = _below_root(path).replace("\\", "/").split("/")[-5:]
    words = [word for word in folders if "flink" in word.lower() and _FLINK.search(word)]
    if words:
        found = found.plus(1, f"{words[-1]} in its path")
    beside = _beside(os.path.abspath(folder))
    siblings = sorted(beside - {name})
    if siblings:
        found = found.plus(3, f"beside {', '.join(siblings[:3])}")
    place = _mounted_by(os.path.abspath(folder), name)
    return found if place is None else found.plus(4, f"mounted or copied for Flink by {place}")


@remembered
def around_folder(folder: str) -> str:
    """Return a fingerprint of a folder's surroundings, which changes if the evidence from them may change."""
    return "|".join([*sorted(_beside(folder)), *map(_mounting_marks, folders_near(folder, _FOLDERS_ABOVE))])


def mounting_files(folder: str) -> list[str]:
    """Return the paths of the files near a folder (an absolute path) that are evidence for the folder's files."""
    return [os.path.join(near, name) for near in folders_near(folder, _FOLDERS_ABOVE) for name in _mounting_names(near)]


def _mounting_names(folder: str) -> list[str]:
    """Return the names of the files of a folder that may mount or copy others, as many as are searched."""
    return sorted(filter(_mounts, names_in(folder)))[:_MAX_FILES]


def _mounts(name: str) -> bool:
    """Return whether a file of this name may mount or copy others; most names are decided without the expression."""
    lower = name.lower()
    return any(word in lower for word in _MOUNTING) and _MOUNTS.fullmatch(name) is not None


@remembered
def _mounting_marks(folder: str) -> str:
    """Return the names, sizes and times of the files that `_mounting` reads."""
    marks = []
    try:
        for name in _mounting_names(folder):
            found = os.stat(os.path.join(folder, name))
            marks.append(f"{name}:{found.st_size}:{found.st_mtime_ns}")
    except OSError:
        marks.append("?")
    return ",".join(marks)


def _below_root(path: str) -> str:
    """Return a path as it is below the root of its repository, however it was named; outside of one as it was named."""
    absolute = os.path.abspath(path)
    root = repository_of(os.path.dirname(absolute))
    return os.path.normpath(path) if root is None else os.path.relpath(absolute, root)


@remembered
def _beside(folder: str) -> frozenset[str]:
    """Return the files of a folder that Flink's distribution has in its folder of configuration."""
    names = names_in(folder)
    hosts = names & _HOSTS if len(names & _HOSTS) > 1 else frozenset()
    return (names & _DISTRIBUTION) | hosts


def _mounted_by(folder: str, name: str) -> str | None:
    """Return the file, in the folder or above it, that brings a file of this name to Flink's configuration folder."""
    for near in folders_near(folder, _FOLDERS_ABOVE):
        for mounting, text in _mounting(near):
            if re.search(rf"(?m)^[^#\n]*[/\s\"'=:-]{re.escape(name)}\b", text):
                return mounting
    return None


@remembered
def _mounting(folder: str) -> tuple[tuple[str, str], ...]:
    """Return the files of a folder that mount or copy files into Flink's folders, with those lines of them."""
    found = []
    for name in _mounting_names(folder):
        text = found_text(os.path.join(folder, name))
        if text is not None and "flink" in text.lower():
            lines = [line for line in text[:_LARGEST].splitlines() if "flink" in line.lower()]
            if lines:
                found.append((name, "\n".join(lines)))
    return tuple(found)
