"""Finds the values files that a chart may be rendered with."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from flink_flint.linter.text.lazy_regex import regex

_NAMED = regex(r"(?:values[-_.].+|.+[-_.]values|values)\.ya?ml", re.IGNORECASE)
_FOLDERS = regex(r"(?:values|env|envs|environments?|config|configs|overlays|stages)(?:/[^/]+)?|[^/]+", re.IGNORECASE)
_NOT_ENVIRONMENTS = ("templates", "charts", "crds", "ci", "tests", "test", "files", "docs", ".git", ".github")
"""Folders of a chart with other files; `ci` has the values of a chart's own tests."""
_MAX_COMBINATIONS = 50


def values_files_of(folder: str, names: Iterable[str], named: Iterable[Sequence[str]] = ()) -> list[tuple[str, ...]]:
    """Return the combinations of values files to render a chart with, in addition to its own `values.yaml`.

    `names` are the paths of all files, `named` the lists that something in the repository (a release of Argo CD, Flux,
    helmfile or Terraform) names for this chart. The first list is empty: the chart with its own values. Then follow
    those that are named, and, one each, files beside `values.yaml` that are named like values
    (`values-prod.yaml`, `values.dev.yaml`, `prod-values.yaml`) or are in a folder of an environment
    (`prod/values.yaml`, `environments/prod/values.yaml`, `values/prod.yaml`). At most 50.
    """
    found: dict[tuple[str, ...], None] = {(): None}
    for combination in named:
        found.setdefault(tuple(combination))
    prefix = folder + "/" if folder else ""
    combined = {path for combination in found for path in combination}
    for name in sorted(names):
        if name.startswith(prefix) and name not in combined and _is_values_file(name[len(prefix) :]):
            found.setdefault((name,))
    return list(found)[:_MAX_COMBINATIONS]


def _is_values_file(name: str) -> bool:
    place, _, base = name.rpartition("/")
    if not place:
        return _NAMED.fullmatch(base) is not None and posixpath.splitext(base)[0] != "values"
    first = place.partition("/")[0]
    if first in _NOT_ENVIRONMENTS or not _FOLDERS.fullmatch(place):
        return False
    if first == "values":
        return base.endswith((".yaml", ".yml"))
    return _NAMED.fullmatch(base) is not None
