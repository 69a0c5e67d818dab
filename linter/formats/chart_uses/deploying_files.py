"""Recognizes the files of a repository that may say how its charts and kustomizations are deployed.

These are resources of Argo CD and Flux, helmfiles, Terraform, and scripts and pipelines that call Helm. What they say
is read by others; most files can be passed over, and a cache remembers which.
"""

from __future__ import annotations

import posixpath
import re

from flink_flint.linter.text.lazy_regex import regex

_HELMFILE = regex(r"helmfile.*\.ya?ml(?:\.gotmpl)?", re.IGNORECASE)
_SCRIPT = regex(r"(?:GNU)?[Mm]akefile|[Jj]ustfile|Jenkinsfile.*|.*\.(?:sh|bash|mk|zsh|ya?ml)")
_HELM = regex(rb"\bhelm[ \t][^\n]*\b(?:install|upgrade|template)\b")
_RESOURCES = (b"argoproj.io/", b"fluxcd.io/")
_TERRAFORM = ".tf"


def is_candidate(path: str) -> bool:
    """Return whether a file with this path may say how something is deployed."""
    name = posixpath.basename(path)
    return name.endswith(_TERRAFORM) or _HELMFILE.fullmatch(name) is not None or _SCRIPT.fullmatch(name) is not None


def may_deploy(path: str, data: bytes) -> bool:
    """Return whether a candidate may say how something is deployed, by its path and contents."""
    if is_terraform(path):
        return b"helm_release" in data
    return is_helmfile(path) or any(one in data for one in _RESOURCES) or calls_helm(data)


def is_terraform(path: str) -> bool:
    """Return whether a file is one of Terraform's by its name."""
    return path.endswith(_TERRAFORM)


def is_helmfile(path: str) -> bool:
    """Return whether a file is a helmfile, or a part of one, by its path."""
    *_, folder, name = ("", *path.split("/"))
    return folder == "helmfile.d" or _HELMFILE.fullmatch(name) is not None


def calls_helm(data: bytes) -> bool:
    """Return whether a script or pipeline may call Helm to install a chart or to render it."""
    return b"helm" in data and _HELM.search(data) is not None
