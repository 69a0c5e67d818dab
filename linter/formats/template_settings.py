"""Settings of template files: which are certain, which are unknown, and whether more may be inserted.

Helm charts, Ansible, Puppet, and Chef ship configuration as templates. Only what holds for every rendering of such a
file is reported: a key that a tag produces is not a setting, a key in several branches has an unknown value, and
where a tag inserts whole lines, no setting can be considered missing.
"""

from __future__ import annotations

from bisect import bisect_left

from flink_flint.linter.flink.invalid_config_yaml import alone_on_lines, template_tags
from flink_flint.linter.flink.parsed_file import ConfigurationFile, Entry
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_GO_CONTROL = regex(
    r"\{\{-?\s*(?:/\*|\$[\w.]*\s*(?:,\s*\$\w+\s*)?:?=|(?:if|else|end|range|with|define|block|break|continue|fail)\b)"
)
_INCLUDE = regex(r"\{%[-+]?\s*include\b")
_INDENT = regex(r"\bn?indent[( ]+(\d+)")


def is_control(tag: str) -> bool:
    """Return whether a tag only controls rendering (branch, loop, comment, variable) and inserts no text."""
    if tag.startswith("{{"):
        return _GO_CONTROL.match(tag) is not None
    return not tag.startswith("<%=") and _INCLUDE.match(tag) is None


def insertions(text: str, *, is_rendered: bool = True) -> list[tuple[Span, int]]:
    """Return the tags that insert whole lines, each with the column of the inserted lines.

    These tags stand on lines of their own.
    """
    tags = template_tags(text, is_rendered=is_rendered)
    found: list[tuple[Span, int]] = []
    place = 0
    for start, end in alone_on_lines(text, tags):
        while place < len(tags) and tags[place].start < end:
            tag = tags[place]
            place += 1
            shown = text[tag.start : tag.end]
            if tag.start >= start and not is_control(shown):
                indent = _INDENT.search(shown)
                column = tag.start - (max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1)
                found.append((tag, int(indent[1]) if indent else column))
    return found


def resolve(content: ConfigurationFile, text: str, *, is_rendered: bool = True) -> bool:
    """Remove what template tags make uncertain; return whether rendering may add more settings.

    Entries whose keys are produced by tags are removed. Of a key in several branches, one entry remains; its value is
    unknown (its text covers all branches, including tags) unless the branches agree.
    """
    if not is_template(text):
        return False
    tags = template_tags(text, is_rendered=is_rendered)
    entries = [
        entry
        for entry in content.entries
        if not (is_template(entry.key) or any(_meets(tags, span) for span in entry.path_spans))
    ]
    is_open = len(entries) < len(content.entries) or bool(insertions(text, is_rendered=is_rendered))
    steers = [tag for tag in tags if is_control(text[tag.start : tag.end])]
    last: dict[str, Entry] = {}
    merged: set[Entry] = set()
    for entry in entries:
        before = last.get(entry.key)
        if before is not None and _meets(steers, Span(before.value_span.end, entry.key_span.start)):
            merged.add(before)
            if before.text != entry.text:
                entry.value = entry.text = text[before.value_span.start : entry.value_span.end]
        last[entry.key] = entry
    content.entries = [entry for entry in entries if entry not in merged]
    for entry in content.entries:
        entry.overridden = False
    content.mark_overridden()
    long = [tag for tag in tags if "\n" in text[tag.start : tag.end]]
    content.skipped = [skipped for skipped in content.skipped if not _meets(long, skipped.span)]
    return is_open


def _meets(tags: list[Span], span: Span) -> bool:
    """Return whether a tag overlaps a span."""
    place = bisect_left(tags, span.start, key=lambda tag: tag.end - 1)
    return place < len(tags) and tags[place].start < span.end
