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
"""Keys of mappings in the files of many other programs: a single child key is no evidence."""
_FLINK_ONLY = {"akka", "high-availability", "jobmanager", "pekko", "restart-strategy", "taskmanager"}
_OTHERS = {"apiVersion", "kind", "services", "version", "openapi", "swagger", "AWSTemplateFormatVersion"}
"""Top-level keys that show that a file is of another kind, whatever else it contains."""
TEMPLATE_ENDINGS = (".j2", ".tpl", ".erb", ".tmpl", ".gotmpl", ".template")
_MAPPING = regex(r"^([\w-]+):[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[\w.-]+[ \t]*:", re.MULTILINE)
_KEY = regex(r"^([ \t]*)([\w-]+)((?:\.[\w.<>-]+)?)[ \t]*:", re.MULTILINE)


def heads_mappings(head: str) -> bool:
    """Return whether the first segment of a Flink key stands unindented above indented keys, as in YAML."""
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
    """Return whether parent and child keys start known Flink keys.

    One pair is enough under a parent that only Flink uses.
    """
    if not pairs:
        return False
    from flink_flint.linter.flink.options import catalogue

    known = [parent for parent, child in pairs if catalogue().has_prefix(f"{parent}.{child}")]
    return len(known) >= 2 or any(parent not in _COMMON for parent in known)


def is_rendered(path: str) -> bool:
    """Return whether a template engine renders a file first, by its ending or a parent folder named ``templates``."""
    return path.endswith(TEMPLATE_ENDINGS) or "templates" in path.replace("\\", "/").split("/")[:-1]


def is_template(text: str) -> bool:
    """Return whether a text contains what may be template tags (Go, Jinja, ERB)."""
    return "{{" in text or "{%" in text or "<%" in text
