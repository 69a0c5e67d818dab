"""The documents of a run, for rules that compare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flink_flint.linter.model.view import View


class Project:
    """All documents of a run, each as a view in the newest release it is checked for.

    Rules of scope "project" compare them. `directories` groups them by folder: the files of a folder form one
    configuration directory, of which Flink reads one file.
    """

    def __init__(self, views: Sequence[View]) -> None:
        self.views = views
        self.directories: dict[str, list[View]] = defaultdict(list)
        for view in views:
            self.directories[view.document.directory].append(view)

    def triggered_by(self, trigger: str) -> Iterator[View]:
        """Yield the views whose document, or a layer below it, has a trigger of rules of scope "project".

        Documents whose triggers nobody has asked for are among them.
        """
        for view in self.views:
            for document in (view.document, *view.below):
                if document.project_triggers is None or trigger in document.project_triggers:
                    yield view
                    break

    def overriding(self, view: View) -> list[View]:
        """Return the views whose documents override that of `view`, such as jobs of a session cluster."""
        return self._views_above.get(id(view.document), [])

    def base_of(self, view: View) -> View | None:
        """Return the view of the layer directly below `view`, such as the cluster of a script; None if missing."""
        return self._views.get(id(view.below[-1])) if view.below else None

    @cached_property
    def _views(self) -> dict[int, View]:
        """The views by the `id` of their documents."""
        return {id(view.document): view for view in self.views}

    @cached_property
    def _views_above(self) -> dict[int, list[View]]:
        """The views by the `id` of each document they override."""
        found: dict[int, list[View]] = defaultdict(list)
        for view in self.views:
            for lower in {id(document) for document in view.below}:
                found[lower].append(view)
        return found
