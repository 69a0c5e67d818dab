"""Splits the output of a template into manifests as Helm does, before it is parsed as YAML."""

from __future__ import annotations

from flink_flint.linter.formats.helm.rendering.marked_text import joined, sliced

_SPACE = " \t\n\v\f\r"


def manifests(text: str) -> str:
    """Return `text` split and rejoined as Helm does: documents stripped, and each ``---`` on its own line.

    Helm divides wherever a line starts with ``---``, whatever follows, which is not always where YAML divides.
    """
    plain = str(text)
    parts: list[str] = []
    start = 0
    while start <= len(plain):
        at = 0 if not start and plain.startswith("---") else plain.find("\n---", start) + 1 or len(plain)
        document = _stripped(text, plain, start, at)
        if document:
            parts += (*(["---\n"] if parts else []), document, "\n")
        if at >= len(plain):
            break
        start = at + 3
    return joined(parts)


def _stripped(text: str, plain: str, start: int, end: int) -> str:
    while start < end and plain[start] in _SPACE:
        start += 1
    while end > start and plain[end - 1] in _SPACE:
        end -= 1
    return sliced(text, start, end)
