"""The documents of a run, for the rules that compare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flink_flint.linter.model.view import View


class Project:
    """All documents of a run, each as a view of the newest release it is judged for.

    Rules of scope "project" compare them. `directories` groups them by folder: the files of one folder
    are one configuration directory, of which Flink reads one.
    """

    def __init__(self, views: Sequence[View]) -> None:
        self.views = views
        self.directories: dict[str, list[View]] = defaultdict(list)
        for view in views:
            self.directories[view.document.directory].append(view)

    def upon(self, view: View) -> list[View]:
        """The views whose documents lie upon this one's (the jobs of a session cluster, the patches of a base)."""
        return self._upon.get(id(view.document), [])

    def beneath(self, view: View) -> View | None:
        """The view of the document directly beneath another: of a script the cluster that runs it. None without one."""
        return self._views.get(id(view.below[-1])) if view.below else None

    @cached_property
    def _views(self) -> dict[int, View]:
        """The views by the identities of their documents."""
        return {id(view.document): view for view in self.views}

    @cached_property
    def _upon(self) -> dict[int, list[View]]:
        """The views by the identities of the documents they lie upon."""
        upon: dict[int, list[View]] = defaultdict(list)
        for view in self.views:
            for lower in {id(document) for document in view.below}:
                upon[lower].append(view)
        return upon
