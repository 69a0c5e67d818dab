"""The values of a Terraform module, collected from all its files: variables, locals, and variable files.

Terraform uses the defaults of variables, then ``terraform.tfvars``, ``terraform.tfvars.json``, and ``*.auto.tfvars``
(also in JSON) by name; a file that is given with ``-var-file`` overrides all of them. Of several such files, one for
each environment, that of production counts; without one, only what all of them agree on is known.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache

from flink_flint.linter.filesystem.folders import is_recording, looked_at
from flink_flint.linter.filesystem.reading import found_text
from flink_flint.linter.formats.syntax.hcl_tree import read_values
from flink_flint.linter.formats.syntax.json_tree import read_json
from flink_flint.linter.formats.syntax.value_tree import UNKNOWN, Node
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_FOLDERS = ("env", "envs", "environments", "tfvars", "vars", "config", "configs")
"""Folders of a module in which files for ``-var-file`` are usually kept."""
_PRODUCTION = regex(r"(?i)(?<![a-z])(?:prod|production|prd|live)(?![a-z])")
_MAX_FILES = 100
_MAX_ENVIRONMENTS = 20
_MAX_NAMES = 2_000


class ModuleValues:
    """The values in the files of a module's folder: those that the module declares, and those in variable files."""

    def __init__(self, folder: str) -> None:
        names = _names(folder)
        self._texts = [os.path.join(folder, name) for name in names if name.endswith((".tf", ".tf.json"))]
        self._declared: dict[str, Node] | None = None
        self.given: dict[str, Node] = {}
        """The values that are always given."""
        always = [one for one in ("terraform.tfvars", "terraform.tfvars.json") if one in names]
        for name in [*always, *(one for one in names if one.endswith((".auto.tfvars", ".auto.tfvars.json")))]:
            self.given |= _assigned(os.path.join(folder, name))
        chosen = [_assigned(path) for path in self._of_environments(folder, names)[:_MAX_ENVIRONMENTS]]
        for name in {name for values in chosen for name in values}:
            found = [values.get(name) for values in chosen]
            first = found[0]
            if first is not None and all(one is not None and _plain(one) == _plain(first) for one in found):
                self.given[name] = first
            else:
                self.given[name] = Node(UNKNOWN, Span(0, 0), "", is_open=True)

    @staticmethod
    def _of_environments(folder: str, names: Sequence[str]) -> list[str]:
        """Return the files of variables one of which is given: that of production if one is named so, or all."""
        places = [(folder, names), *((os.path.join(folder, one), None) for one in _FOLDERS if one in names)]
        found = [
            os.path.join(place, name)
            for place, listed in places
            for name in (_names(place) if listed is None else listed)
            if name.endswith((".tfvars", ".tfvars.json"))
            and ".auto." not in name
            and not name.startswith("terraform.tfvars")
        ]
        production = [path for path in found if _PRODUCTION.search(os.path.basename(path))]
        return production if len(production) == 1 else found

    def find(self, name: str) -> Node | None:
        """Return the value that the module's files declare for ``var.name`` or ``local.name``; None if unknown."""
        if self._declared is None:
            self._declared = {}
            for path in self._texts:
                text = found_text(path)
                if text is not None and ("variable" in text or "locals" in text):
                    # A value that depends on a third file is unknown.
                    self._declared |= _declared(path, text)
        return self._declared.get(name)


def module_values(path: str) -> ModuleValues:
    """Return the values of the Terraform module that a file belongs to."""
    folder = os.path.dirname(path)
    return ModuleValues(folder) if is_recording() else _module(folder, _state(folder))


@lru_cache(maxsize=8)
def _module(folder: str, state: object) -> ModuleValues:
    return ModuleValues(folder)


def _state(folder: str) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a file of a module does: names, times and sizes."""
    found = []
    for name in _names(folder):
        if name.endswith((".tf", ".tf.json", ".tfvars", ".tfvars.json")):
            try:
                status = os.stat(os.path.join(folder, name))
            except OSError:
                continue
            found.append((name, status.st_mtime_ns, status.st_size))
    return tuple(found)


def _names(folder: str) -> list[str]:
    looked_at(folder or os.curdir)
    try:
        found = sorted(os.listdir(folder or os.curdir)[:_MAX_NAMES])
    except OSError:
        return []
    kept = [name for name in found if name.endswith((".tf", ".tf.json", ".tfvars", ".tfvars.json"))]
    return [*kept[:_MAX_FILES], *(name for name in found if name in _FOLDERS)]


def _assigned(path: str) -> dict[str, Node]:
    text = found_text(path)
    if text is None:
        return {}
    if path.endswith(".json"):
        root = read_json(text)
        return {} if root is None else {f"var.{key}": node for key, _, node in root.pairs}
    return read_values(text)


def _declared(path: str, text: str) -> dict[str, Node]:
    if not path.endswith(".json"):
        return read_values(text)
    root = read_json(text)
    found: dict[str, Node] = {}
    for name, _, body in _members(root, "variable"):
        default = body.get("default")
        if default is not None:
            found[f"var.{name}"] = default
    for name, _, value in _members(root, "locals"):
        found[f"local.{name}"] = value
    return found


def _plain(node: Node) -> object:
    return (
        node.kind, node.value if node.kind != UNKNOWN else id(node),
        [(key, _plain(child)) for key, _, child in node.pairs], [_plain(item) for item in node.items],
    )  # fmt: skip


def _members(root: Node | None, name: str) -> Sequence[tuple[str, object, Node]]:
    node = None if root is None else root.get(name)
    return () if node is None else node.pairs
