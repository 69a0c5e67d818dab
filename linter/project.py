"""The documents of a run and how they belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from linter.document import Document
    from linter.view import View


class Relation(NamedTuple):
    """What other documents of the run say of one."""

    below: tuple[Document, ...] = ()
    """The documents whose settings it lies upon, the lowest first."""
    release: tuple[str, str] | None = None
    """The release a document it belongs to names, with the evidence."""
    platform: str | None = None


def relate(documents: Sequence[Document]) -> dict[int, Relation]:
    """By place in `documents`, what others of the run say of a document; only where they say anything."""
    return {}


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
