"""Runs Helm and kustomize in isolation, on copies of the files that they need.

A chart or kustomization is a program of its author's, so it gets nothing: a copy of its own files in an empty folder,
no environment (no kubeconfig, plugins, repositories, registries or proxies), no other programs, no cluster, thirty
seconds (and five minutes for all of a run), and 8 MiB of output. Links that lead out of the repository are not copied.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.filesystem.isolated_process import program_folders, run_isolated

_SECONDS = 30
_SECONDS_FOR_ALL = 300
_MAX_OUTPUT = 8 << 20
_MAX_INPUT = 64 << 20
_CLOSED = "http://127.0.0.1:9"
"""The address of the discard service, where nothing listens: connections fail at once."""


class Programs:
    """The commands of Helm and kustomize, and the time that a run has left for them."""

    def __init__(self, helm: str | None, kustomize: Sequence[str]) -> None:
        self.helm = helm
        """The path of Helm; None if there is none."""
        self.kustomize = tuple(kustomize)
        """The command that builds a folder; empty if there is none."""
        self._left = float(_SECONDS_FOR_ALL)

    def output_of(self, command: Sequence[str], top: Path) -> str | None:
        """Run a command and return its output; return None if it fails, takes too long or prints too much."""
        began = time.monotonic()
        try:
            return _output_of(command, top, min(_SECONDS, self._left)) if self._left > 0 else None
        finally:
            self._left -= time.monotonic() - began


def find_programs() -> Programs:
    """Find Helm and kustomize in PATH; if kustomize is missing, use `kubectl kustomize`."""
    helm, kustomize, kubectl = (_found(name) for name in ("helm", "kustomize", "kubectl"))
    command = (kustomize, "build") if kustomize is not None else (kubectl, "kustomize") if kubectl is not None else ()
    return Programs(helm, command)


def _found(name: str) -> str | None:
    folders = program_folders()
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def copy_files(files: Iterable[tuple[str, str]], read: Callable[[str], bytes | None], target: Path) -> bool:
    """Copy files given as pairs of target and source path; return False if there are none or they are too large."""
    left = _MAX_INPUT
    for relative, name in files:
        data = read(name)
        if data is None:
            continue
        left -= len(data)
        if left < 0:
            return False
        place = target.joinpath(*relative.split("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return left < _MAX_INPUT


def _output_of(command: Sequence[str], top: Path, seconds: float) -> str | None:
    output = top / "output"
    status = run_isolated(command, top, _environment(top), seconds, output=output)
    if status != 0 or output.stat().st_size > _MAX_OUTPUT:
        return None
    return output.read_text(encoding="utf-8", errors="replace")


def _environment(top: Path) -> Mapping[str, str]:
    """Return an environment in which a program finds no configuration of the user's, and no way to a network."""
    empty = str(top / "home")
    folders = (
        "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME",
        "HELM_DATA_HOME", "HELM_PLUGINS", "HELM_REPOSITORY_CACHE", "KUSTOMIZE_PLUGIN_HOME", "PATH",
    )  # fmt: skip
    made = dict.fromkeys(folders, empty)
    files = ("HELM_REPOSITORY_CONFIG", "HELM_REGISTRY_CONFIG", "KUBECONFIG", "DOCKER_CONFIG")
    made |= dict.fromkeys(files, str(top / "home" / "none"))
    made |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "HELM_KUBEAPISERVER"), _CLOSED)
    made["TMPDIR"] = str(top)  # without it, kustomize uses /tmp for what it clones
    return made
