"""Determines which programs of a run are known to run, since not every main class in a repository is deployed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from flink_flint.linter.filesystem.build_modules import main_classes, module_of

if TYPE_CHECKING:
    from flink_flint.linter.model.view import View

_DEPLOYED = ("runs its class", "linked in flint.toml")


def running(views: Sequence[View]) -> list[View]:
    """Return the views whose documents are known to run; a program is left out if it is unknown whether it runs.

    Scripts and settings are deployed where they are written. A program is known to run if a deployment names its
    class, or the build names it as the main class of the JAR. If neither is known of any program of a module, its only
    one is assumed to run; of several, it is unknown which.
    """
    found: list[View] = []
    unknown: dict[str, list[View]] = defaultdict(list)
    decided: set[str] = set()
    for view in views:
        if view.document.kind != "source":
            found.append(view)
            continue
        folder = os.path.abspath(view.document.directory)
        module = module_of(folder)
        if _is_deployed(view) or (module is not None and not main_classes(module).isdisjoint(_classes(view))):
            found.append(view)
            decided.add(module or folder)
        else:
            unknown[module or folder].append(view)
    found += [some[0] for module, some in unknown.items() if module not in decided and len(some) == 1]
    return found


def _is_deployed(view: View) -> bool:
    return any(why in _DEPLOYED for why in view.relation.why.values())


def _classes(view: View) -> Iterable[str]:
    return {job.name for job in view.document.elements_of(("job",))} | {(view.document.name or "").partition(".")[0]}
