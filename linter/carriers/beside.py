"""Files that a file names: read only where they lie beside it.

What is checked may be a stranger's. A path of theirs could name what lies elsewhere on the machine that checks it, such
as ``/proc/self/environ``, and messages show values.
"""

from __future__ import annotations

import os

from linter.repository import repository_of


def beside(folder: str, path: str) -> str | None:
    """A path that a file in `folder` names, if it stays in the repository, or in the folder where there is none."""
    try:
        here = os.path.realpath(folder or ".")
        top = repository_of(here) or here
        named = os.path.join(folder, path)
        return named if os.path.commonpath([os.path.realpath(named), top]) == top else None
    except (OSError, ValueError):  # a NUL, another drive
        return None
