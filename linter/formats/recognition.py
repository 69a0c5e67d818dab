"""Cheap tests of whether the beginning of a file looks like Flink configuration."""

from __future__ import annotations

import re

from flink_flint.linter.text.lazy_regex import regex

SEGMENTS = frozenset((
    "akka", "blob", "classloader", "cluster", "containerized", "env", "execution", "external-resource", "fs",
    "heartbeat", "high-availability", "historyserver", "io", "job-result-store", "jobmanager", "jobstore",
    "kubernetes", "metrics", "parallelism", "pekko", "pipeline", "process", "python", "queryable-state", "query",
    "resourcemanager", "rest", "restart-strategy", "s3", "s3a", "security", "slot", "slotmanager", "sql-client",
    "sql-gateway", "state", "table", "task", "taskmanager", "traces", "web", "yarn", "zookeeper",
))  # fmt: skip
"""The first segments of Flink's keys."""

_COMMON = {
    "cluster", "env", "fs", "io", "kubernetes", "metrics", "pipeline", "process", "python", "query", "rest", "s3",
    "security", "slot", "table", "task", "web", "yarn",
}  # fmt: skip
"""Keys that are also common in other programs' files: one child key is not enough to recognize Flink."""
_FLINK_ONLY = {"akka", "high-availability", "jobmanager", "pekko", "restart-strategy", "taskmanager"}
_OTHERS = {"apiVersion", "kind", "services", "version", "openapi", "swagger", "AWSTemplateFormatVersion"}
"""Top-level keys of other kinds of files, which are not Flink configuration whatever else they contain."""
TEMPLATE_ENDINGS = (".j2", ".tpl", ".erb", ".tmpl", ".gotmpl", ".template")
_MAPPING = regex(r"^([\w-]+):[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[\w.-]+[ \t]*:", re.MULTILINE)
_KEY = regex(r"^([ \t]*)([\w-]+)((?:\.[\w.<>-]+)?)[ \t]*:", re.MULTILINE)


_HEAD = 64 * 1024


def whole_parts(head: str, end: str = "\n") -> bytes:
    """Return the beginning of a file up to the last part that is complete in it; `end` is what ends a part.

    A file that is not longer than what is read to recognize it is returned as a whole.
    """
    data = head.encode("utf-8", "surrogateescape")
    cut = data.rfind(end.encode()) + len(end) if len(data) >= _HEAD - 8 else 0
    return data[:cut] if cut >= len(end) and cut else data


def heads_mappings(head: str) -> bool:
    """Return whether a text has an unindented YAML key, above indented ones, that is a first segment of Flink keys."""
    return any(match[1] in SEGMENTS for match in _MAPPING.finditer(head))


def looks_like_flink(head: str, *, nested: bool) -> bool:
    """Return whether a text has unindented Flink keys, either flat or (with `nested`) as mappings."""
    parent = ""
    pairs: set[tuple[str, str]] = set()
    for match in _KEY.finditer(head):
        margin, segment, rest = match.groups()
        if not margin:
            if not rest and segment in _OTHERS:
                return False
            if nested and segment in _FLINK_ONLY:
                return True
            parent = segment + rest
        if rest and segment in SEGMENTS and (not margin or not nested):
            return True
        if margin and parent in SEGMENTS:
            pairs.add((parent, segment))
    return nested and _are_flinks(pairs)


def _are_flinks(pairs: set[tuple[str, str]]) -> bool:
    """Return whether (parent, child) pairs are the beginnings of known Flink keys.

    One pair is enough if only Flink uses the parent key.
    """
    if not pairs:
        return False
    from flink_flint.linter.flink.options import catalogue

    known = [parent for parent, child in pairs if catalogue().has_prefix(f"{parent}.{child}")]
    return len(known) >= 2 or any(parent not in _COMMON for parent in known)


def is_rendered(path: str) -> bool:
    """Return whether a template engine renders the file, judging by its ending or a folder named ``templates``."""
    return path.endswith(TEMPLATE_ENDINGS) or "templates" in path.replace("\\", "/").split("/")[:-1]


def is_template(text: str) -> bool:
    """Return whether `text` may contain template tags (Go, Jinja, ERB)."""
    return "{{" in text or "{%" in text or "<%" in text
