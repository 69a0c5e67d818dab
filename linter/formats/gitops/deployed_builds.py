"""Folders that Argo CD and Flux build with kustomize, and what they change in the kustomization before they build it.

Both write their changes into the kustomization's file: prefixes and the namespace replace its own, patches and
components follow its own, and an image or a number of replicas replaces that of the same name.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping as Variables

from flink_flint.linter.formats.kustomize.object_tree import Mapping, Scalar, Sequence
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.rendered_text import Fragment

_BY_NAME = ("images", "replicas")


class DeployedBuild(NamedTuple):
    """A folder that Argo CD or Flux builds with kustomize and deploys."""

    folder: str
    source: str
    """The path of the file that contains the Application or Flux Kustomization."""
    name: str
    variables: Variables[str, Fragment] | None = None
    """The values of the variables that Flux substitutes, with their origins; None if Flux does not substitute any."""
    is_open: bool = False
    """Whether further variables come from objects that the repository may not contain."""
    changes: Mapping | None = None
    """The fields with which the kustomization is changed before it is built; None if it is built as it is."""
    is_known: bool = True
    """Whether `changes` are all changes."""


def repository_folder(path: str) -> str | None:
    """Return the folder of a repository at a path as written in a deployment; None if it is outside or not known."""
    if "{{" in path or "$" in path:
        return None
    folder = posixpath.normpath(path.lstrip("/") or ".")
    if folder == ".." or folder.startswith("../"):
        return None
    return "" if folder == "." else folder


def edited(root: Mapping, changes: Mapping) -> Mapping:
    """Return the fields of a kustomization with changes."""
    made = Mapping(root.origin)
    for key, value in root.values.items():
        made.set(key, value, root.keys[key])
    for key, value in changes.values.items():
        own = root.get(key)
        if isinstance(value, Sequence) and isinstance(own, Sequence):
            names = {_name(item) for item in value.items} if key in _BY_NAME else set[str]()
            kept = [item for item in own.items if _name(item) not in names]
            made.set(key, Sequence([*kept, *value.items], value.origin))
        elif isinstance(value, Mapping) and isinstance(own, Mapping):
            made.set(key, edited(own, value))
        else:
            made.set(key, value, changes.keys[key])
    return made


def _name(item: object) -> str:
    name = item.get("name") if isinstance(item, Mapping) else None
    return name.text if isinstance(name, Scalar) else ""
