"""The lines of FLINK_PROPERTIES, for rules on how the image processes them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, is_templated
from flink_flint.linter.model.rule import Fix
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.spans import Edit, Span

WHEN = ["element:property-line"]

COMPOSE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    environment:
      - |
        FLINK_PROPERTIES=
        rest.port: 8081
        {}
"""
"""A Compose file for test cases, with placeholders for the image's version and a line."""


def settings_of(config: View) -> Iterator[ElementView]:
    """Yield the lines that are settings with known values."""
    for line in config.elements("property-line"):
        value = line.text("value")
        if line.text("kind") == "setting" and value and not is_templated(value):
            yield line


def are_nested(config: View) -> bool:
    """Return whether an image from 1.19 on writes the lines to a config.yaml.

    Where its configuration directory has a flink-conf.yaml, that of 1.19 and 1.20 writes them to it: the file is flat,
    and its reader drops comments.
    """
    if config.since("2.0"):
        return True
    names = {posixpath.basename(name) for mount in config.relation.mounts for name in (mount.path, mount.source)}
    if FLINK_CONF in names:
        return False
    has_folder = any(
        mount.is_folder and posixpath.basename(mount.path) == CONFIG_YAML for mount in config.relation.mounts
    )
    return has_folder or not any(line.has("flat-file") for line in config.elements("property-line"))


def without(config: View, line: ElementView, span: Span, title: str) -> Fix | None:
    """Return a fix that removes a part of a line, or the whole line if nothing else is in it."""
    text, lines = config.document.text, config.document.lines
    number = lines.position(span.start).line
    whole, full = lines.span(number), lines.full_span(number)
    if lines.position(max(span.end - 1, span.start)).line != number:
        return None
    before, behind = text[whole.start : span.start], text[span.end : whole.end]
    if behind.strip():
        return None
    if before.strip():
        return Fix(title, [Edit(Span(whole.start + len(before.rstrip()), span.end), "")], True)
    return Fix(title, [Edit(full, "")], True)
