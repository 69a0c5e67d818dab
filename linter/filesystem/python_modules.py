"""The Python modules beside a program, and whether something installs them for the workers too."""

from __future__ import annotations

import os

from flink_flint.linter.filesystem.folders import DOCKERFILES, remembered
from flink_flint.linter.filesystem.reading import found_text

_PACKAGES = ("setup.py", "setup.cfg", "pyproject.toml")
_BASES = 3
_SHIPS = ("PYTHONPATH", "site-packages", "python.files")
_OWN_PACKAGE = frozenset(("-e", "--editable", ".", "./", "..", "../"))


def local_module(directory: str, module: str) -> str | None:
    """Return the file of a module beside a program, in its folder or above it; None if nothing shows one.

    None, too, for a module that a package or a Dockerfile may install where the workers find it.
    """
    base = os.path.abspath(directory)
    path = os.path.join(*module.split("."))
    for _ in range(_BASES):
        if _is_installed(base):
            return None
        for name in (f"{path}.py", os.path.join(path, "__init__.py")):
            if found_text(os.path.join(base, name)) is not None:
                return None if _is_installed(os.path.dirname(base)) else name
        base = os.path.dirname(base)
    return None


@remembered
def _is_installed(folder: str) -> bool:
    """Return whether what is in a folder may install its modules."""
    if any(found_text(os.path.join(folder, name)) is not None for name in _PACKAGES):
        return True
    return any(_installs(found_text(os.path.join(folder, name)) or "") for name in DOCKERFILES)


def _installs(dockerfile: str) -> bool:
    """Return whether a Dockerfile puts modules where each Python finds them."""
    if any(word in dockerfile for word in _SHIPS):
        return True
    return any("pip" in line and not _OWN_PACKAGE.isdisjoint(line.split()) for line in dockerfile.splitlines())
