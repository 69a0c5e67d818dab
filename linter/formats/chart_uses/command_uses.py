"""Charts of the repository that `helm install`, `upgrade` and `template` render in scripts, Makefiles and CI steps."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from flink_flint.linter.formats.chart_uses.chart_use import (
    ChartUse,
    Read,
    UnknownValues,
    Values,
    file_values,
    local_chart,
    single_values,
)
from flink_flint.linter.formats.helm.parameters import Parameter
from flink_flint.linter.formats.shell.command_words import ScriptWord
from flink_flint.linter.formats.shell.helm_commands import helm_commands, words_after
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_VERBS = ("install", "upgrade", "template")
_WITH_VALUE = frozenset(
    (
        "-n", "--namespace", "--version", "--timeout", "--repo", "--post-renderer", "--post-renderer-args",
        "--kube-context", "--kubeconfig", "--description", "-o", "--output", "--history-max", "--username",
        "--password", "--ca-file", "--cert-file", "--key-file", "--keyring", "--kube-version", "-a", "--api-versions",
        "--output-dir", "-s", "--show-only", "--name-template", "-l", "--labels", "--kube-token", "--kube-apiserver",
        "--registry-config", "--repository-cache", "--repository-config", "--burst-limit", "--qps",
    )
)  # fmt: skip
_UNKNOWN = ("--set-file", "--set-json", "--set-literal")
_PAIR = regex(r"((?:[^=,\\]|\\.)++)=((?:[^,\\]|\\.)*+)(?:,|\Z)")


class _Arguments:
    """The arguments of one command, as Helm reads them."""

    def __init__(self, words: list[ScriptWord]) -> None:
        self.places: list[ScriptWord] = []
        self.files: list[str] = []
        self.parameters: list[Parameter] = []
        self.namespace = "default"
        self._read(words)

    def _read(self, words: list[ScriptWord]) -> None:
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            name, equals, value = word.text.partition("=")
            if not name.startswith("-"):
                self.places.append(word)
                continue
            if name not in _WITH_VALUE and name not in (*_UNKNOWN, "-f", "--values", "--set", "--set-string"):
                continue
            is_known, span = word.is_known, word.span
            if not equals:
                if at == len(words):
                    raise UnknownValues
                value, is_known, span = words[at].text, words[at].is_known, words[at].span
                at += 1
            self._take(name, value, span, is_known=is_known)

    def _take(self, name: str, value: str, span: Span, *, is_known: bool) -> None:
        if name in ("-n", "--namespace"):
            self.namespace = value if is_known else self.namespace
        elif name in _WITH_VALUE:
            return
        elif name in _UNKNOWN or (not is_known and "$" not in value):
            raise UnknownValues
        elif name in ("-f", "--values"):
            self.files += value.split(",")
        else:
            is_text = name == "--set-string"
            for pair in _pairs(value):
                self.parameters.append(Parameter(pair[1], span, pair[2].replace("\\,", ","), span, is_text))


def _pairs(text: str) -> Iterator[re.Match[str]]:
    """Yield the settings of `--set a=1,b.c=2`; raise `UnknownValues` where the text is not one."""
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            raise UnknownValues
        yield pair
        at = pair.end()


def command_uses(path: str, text: str, read: Read) -> Iterator[ChartUse]:
    """Yield the chart releases that the commands in `text` install from the repository.

    Paths are relative to the repository, or else to the folder of the file or one above it.
    """
    for words in helm_commands(text):
        arguments = words_after(_VERBS, words)
        if arguments is None:
            continue
        try:
            found = _resolved(path, text, _Arguments(arguments), read)
        except UnknownValues:
            continue
        if found is not None:
            yield found


def _resolved(path: str, text: str, given: _Arguments, read: Read) -> ChartUse | None:
    if not given.places or not given.places[-1].is_known:
        return None
    name = given.places[0].text if len(given.places) > 1 and given.places[0].is_known else ""
    for folder in _folders(path):
        chart = local_chart(folder, given.places[-1].text, read)
        if chart is not None:
            values: list[Values] = [file_values(folder, one, read) for one in given.files]
            values += single_values(path, text, given.parameters)
            return ChartUse(chart, tuple(values), path, name, given.namespace)
    return None


def _folders(path: str) -> Iterator[str]:
    yield ""
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
