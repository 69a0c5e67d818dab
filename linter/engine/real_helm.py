"""Renders charts with the real `helm template`, if `--render` asks for it.

A chart is a program of its author's, so it gets nothing: a copy of its own files in an empty folder, no environment (no
kubeconfig, plugins, repositories, registries or proxies), no cluster, no names looked up, thirty seconds, and 8 MiB of
output. Links that lead out of the repository are not copied. Nothing in a tree can switch this on.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import signal
import subprocess
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.rendered_text import Fragment, Origin, RenderedText
from flink_flint.linter.text.spans import Lines, Span

_SECONDS = 30
_MAX_OUTPUT = 8 << 20
_MAX_INPUT = 64 << 20
_CLOSED = "http://127.0.0.1:9"
"""The address of the discard service, where nothing listens: connections fail at once."""
_SOURCE = regex(r"^---\n# Source: ([^\n]+)\n", re.MULTILINE)
_NAME = regex(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
"""Names of releases and namespaces; other texts could be options."""
_KEY = regex(r"[ \t-]*+(\"?[\w./-]++\"?[ \t]*+:)")


def find_helm() -> str:
    """Return the path of the `helm` program; raise ValueError if it is not in PATH."""
    found = shutil.which("helm")
    if found is None:
        raise ValueError("--render needs helm in PATH")
    return found


def template(
    helm: str,
    folder: str,
    names: Iterable[str],
    values: Sequence[str],
    read: Callable[[str], bytes | None],
    *,
    release_name: str,
    namespace: str,
) -> str | None:
    """Return the output of `helm template` for a chart with the given values texts; None if Helm fails.

    `names` are the paths of the chart's files; charts that are not in its folder become its subcharts.
    """
    with tempfile.TemporaryDirectory(prefix="flint-") as temporary:
        top = Path(temporary)
        if not _copy(folder, names, read, top / "chart"):
            return None
        names_given = [text if _NAME.fullmatch(text) else "release-name" for text in (release_name, namespace)]
        command = [helm, "template", names_given[0], "chart", f"--namespace={names_given[1]}"]
        for number, text in enumerate(values):
            name = f"values-{number}.yaml"
            (top / name).write_text(str(text), encoding="utf-8", errors="surrogateescape", newline="")
            command += ["--values", name]
        return _run(command, top)


def _copy(folder: str, names: Iterable[str], read: Callable[[str], bytes | None], target: Path) -> bool:
    """Copy the files of a chart; return whether it has any and they are not too large."""
    left = _MAX_INPUT
    for name in names:
        relative = posixpath.relpath(name, folder or ".")
        if relative.startswith("../"):
            relative = f"charts/{relative.replace('../', '')}"
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


def _run(command: Sequence[str], top: Path) -> str | None:
    """Return the output of a command that ends well, in time, and is not too long; otherwise None."""
    output = top / "output"
    with output.open("wb") as stream:
        process = subprocess.Popen(
            command, cwd=top, env=_environment(top), stdin=subprocess.DEVNULL, stdout=stream,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            status = process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            return None
    if status or output.stat().st_size > _MAX_OUTPUT:
        return None
    return output.read_text(encoding="utf-8", errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _environment(top: Path) -> Mapping[str, str]:
    """Return an environment in which Helm finds no configuration of the user's, and no way to a network."""
    empty = str(top / "home")
    folders = (
        "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME",
        "HELM_DATA_HOME", "HELM_PLUGINS", "HELM_REPOSITORY_CACHE",
    )  # fmt: skip
    made = dict.fromkeys(folders, empty)
    files = ("HELM_REPOSITORY_CONFIG", "HELM_REGISTRY_CONFIG", "KUBECONFIG", "DOCKER_CONFIG")
    made |= dict.fromkeys(files, str(top / "home" / "none"))
    made |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "HELM_KUBEAPISERVER"), _CLOSED)
    if "SYSTEMROOT" in os.environ:
        made["SYSTEMROOT"] = os.environ["SYSTEMROOT"]  # without it, no program starts on Windows
    return made


# -- the way back


def marked(
    output: str, own: Mapping[str, RenderedText], paths: Mapping[str, str], text_of: Callable[[str], str]
) -> Iterator[tuple[str, list[Fragment]]]:
    """Yield each object that Helm prints, with the path of its template and the source place of each line.

    A line that flint's `own` rendering of the template has too has the places it has there. Any other line is at the
    line of the template with the same key, or else at the template's start. Both mappings are by Helm's names of
    templates.
    """
    parts = _SOURCE.split(output)
    known = {name: _Lines(text) for name, text in own.items()}
    keys: dict[str, dict[str, Span]] = {}
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        path = paths.get(name)
        if path is None:
            continue
        if path not in keys:
            keys[path] = _keys(text_of(path))
        fragments: list[Fragment] = []
        lines = known.get(name) or _Lines(RenderedText(()))
        for line in content.rstrip("\n").splitlines(keepends=True):
            found = lines.take(line)
            if not found:
                key = _KEY.match(line)
                start = Span(0, 1)
                found = [Fragment(line, Origin(path, keys[path].get(key[1], start) if key is not None else start))]
            fragments += found
        yield path, fragments


def _keys(text: str) -> dict[str, Span]:
    """Return the span of the first line with each key."""
    found: dict[str, Span] = {}
    lines = Lines(text)
    for number in range(1, len(lines.starts) + 1):
        span = lines.span(number)
        key = _KEY.match(text, span.start, span.end)
        if key is not None:
            found.setdefault(key[1], Span(key.start(1), span.end))
    return found


class _Lines:
    """The lines of a text, from which equal lines are taken in order."""

    def __init__(self, text: RenderedText) -> None:
        self._text = text
        self._starts: list[int] = []
        self._of: dict[str, list[int]] = {}
        at = 0
        for number, line in enumerate(text.text.splitlines(keepends=True)):
            self._starts.append(at)
            self._of.setdefault(line.rstrip("\n"), []).append(number)
            at += len(line)
        self._starts.append(at)
        self._next = 0

    def take(self, line: str) -> list[Fragment]:
        """Return the fragments of the next equal line; empty if there is none."""
        numbers = self._of.get(line.rstrip("\n"))
        if not numbers:
            return []
        place = bisect_left(numbers, self._next)
        number = numbers[place] if place < len(numbers) else numbers[0]
        self._next = number + 1
        start, end = self._starts[number], self._starts[number + 1]
        fragments = list(self._text.part(start, end))
        return fragments if line.endswith("\n") or not fragments else [
            *fragments[:-1], fragments[-1]._replace(text=fragments[-1].text.rstrip("\n"))
        ]  # fmt: skip
