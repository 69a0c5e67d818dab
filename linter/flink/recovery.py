"""A `config.yaml` that YAML refuses: what can still be made out of it, so that rules can go on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linter.flink.entries import ConfigurationFile, Entry, Refusal
from linter.text import Span

if TYPE_CHECKING:
    from linter.flink.yaml_scanner import YamlError

_TEMPLATE_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<%.*?%>|@[A-Za-z_][\w.\-]*@", re.DOTALL)
_ONLY_TAGS = re.compile(r"[ \t]*(?:(?:\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<%.*?%>)[ \t]*)+", re.DOTALL)
_QUOTING_CONTEXTS = ("while scanning a quoted", "while scanning a double", "while parsing a flow")
_MAX_RETRIES = 8
_MAX_RETRY_LENGTH = 100_000
_LENIENT = re.compile(
    r"""([ \t]*)(?:- +)?(["']?)([A-Za-z_][\w.\-/]*)\2[ \t]*:(?:[ \t]+([^\s#][^\r\n]*?))?[ \t]*(?: \#[^\r\n]*)?$"""
)


def _read_template(text: str, result: ConfigurationFile, name: str) -> bool:
    """If template tags are what breaks the file, keep its entries and say so instead; True then.

    The tags are replaced by words of the same length, lines that hold nothing else by comments.
    """
    if not _TEMPLATE_TAG.search(text):
        return False
    lines = []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if _ONLY_TAGS.fullmatch(bare):
            line = "#" * len(bare) + line[len(bare) :]
        lines.append(line)
    masked = _TEMPLATE_TAG.sub(lambda tag: re.sub(r"[^\r\n]", "x", tag[0]), "".join(lines))
    read = read_config_yaml(masked, name=name)
    for entry in read.entries:
        raw = text[entry.value_span.start : entry.value_span.end]
        if raw != entry.raw:
            entry.raw = entry.text = raw
            entry.value = raw
    tag = _TEMPLATE_TAG.search(text)
    assert tag is not None
    message = "the file is a template: what Flink will read is known only when it is rendered"
    error = result.refusals[0].error
    result.entries = read.entries
    result.refusals = [Refusal("template", message, Span(*tag.span()), error=error)]
    return True


def _recover(text: str, result: ConfigurationFile, error: YamlError) -> None:
    """Blank out the lines that break the grammar, one by one, and read what remains."""
    from linter.flink import yaml_core

    if error.reason in ("encoding", "binary"):
        bad = yaml_core.NON_PRINTABLE.findall(text)
        if len(bad) * 20 > len(text):
            return
        text = yaml_core.NON_PRINTABLE.sub("\ufffd", text)
    masked, broken = text, []
    document = None
    for _ in range(_MAX_RETRIES if len(text) <= _MAX_RETRY_LENGTH else 0):
        if error.reason not in ("encoding", "binary"):
            start, end = _culprit(masked, error)
            if start == end or masked[start] == "#":
                break
            broken.append((start, end))
            masked = masked[:start] + "#" * (end - start) + masked[end:]
        try:
            document = yaml_core.compose(masked)
            break
        except yaml_core.YamlError as following:
            if following.at > error.at and following.reason in ("tab", "reserved-indicator"):
                result.refusals.append(_refusal(text, following))
            error = following
    if document is None:
        result.entries = _salvage(text, None)
        return
    rest = ConfigurationFile()
    duplicates = yaml_core.construct(document)
    _flatten(masked, document, rest)
    result.refusals += [_refusal(text, e) for e in duplicates if e.reason == "duplicate-key"]
    result.entries = rest.entries + _salvage(text, [start for start, _ in broken])
    result.entries.sort(key=lambda entry: entry.key_span)


def _culprit(text: str, error: YamlError) -> tuple[int, int]:
    """The bounds of the line to blame: where a quote or bracket opens rather than where its lack shows."""
    at = error.at
    if (error.context_at is not None and (error.context or "").startswith(_QUOTING_CONTEXTS)) or (error.context == "while scanning a simple key" and error.context_at is not None):
        at = error.context_at
    at = min(at, len(text))
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    while start > 0 and not text[start:end].strip():
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
    return start, end - 1 if text[start:end].endswith("\r") else end


def _salvage(text: str, wanted: list[int] | None) -> list[Entry]:
    """Entries by the look of the lines alone: those that begin at the wanted offsets, or all."""
    entries: list[Entry] = []
    path: list[tuple[int, str, Span]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        match = _LENIENT.match(line.rstrip("\r\n"))
        if not match or line.lstrip(" \t").startswith("#"):
            continue
        indent = len(match[1])
        while path and path[-1][0] >= indent:
            path.pop()
        key_span = Span(start + match.start(3), start + match.end(3))
        if match[4] is None:
            path.append((indent, match[3], key_span))
            continue
        if wanted is not None and start not in wanted:
            continue
        raw = match[4]
        quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "'\""
        value = raw[1:-1] if quoted else raw
        style = {"'": "single", '"': "double"}[raw[0]] if quoted else "plain"
        entries.append(
            Entry(
                ".".join((*(name for _, name, _ in path), match[3])), value, value, key_span,
                Span(start + match.start(4), start + match.end(4)), raw, style,
                path_spans=(*(span for _, _, span in path), key_span), nested=bool(path),
            )
        )  # fmt: skip
    return entries
