"""What template tags leave of a configuration: which settings are certain, which are unknown, what else may come.

Helm charts, Ansible, Puppet and Chef ship configuration as templates. Of such a file only that is told which holds
however it is rendered: a key made by a tag is no setting, a key that stands in several branches has a value nobody
knows, and where a tag puts in whole lines, nothing can be said to be missing.
"""

from __future__ import annotations

from bisect import bisect_left

from flink_flint.linter.flink.entries import ConfigurationFile, Entry
from flink_flint.linter.flink.recovery import alone_on_lines, template_tags
from flink_flint.linter.formats.recognition import is_template
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_GO_CONTROL = regex(
    r"\{\{-?\s*(?:/\*|\$[\w.]*\s*(?:,\s*\$\w+\s*)?:?=|(?:if|else|end|range|with|define|block|break|continue|fail)\b)"
)
_INCLUDE = regex(r"\{%[-+]?\s*include\b")
_INDENT = regex(r"\bn?indent[( ]+(\d+)")


def is_control(tag: str) -> bool:
    """Whether a tag only steers (a branch, a loop, a comment, a variable) and puts no text in."""
    if tag.startswith("{{"):
        return _GO_CONTROL.match(tag) is not None
    return not tag.startswith("<%=") and _INCLUDE.match(tag) is None


def insertions(text: str, *, is_rendered: bool = True) -> list[tuple[Span, int]]:
    """The tags that put in whole lines, alone on their own: each with the column of the lines where it says so."""
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
    """Take out of a content what its tags leave uncertain; whether rendering may bring more settings.

    Entries whose keys tags make go; of a key that stands in several branches one entry stays, whose value is
    unknown (its text holds all branches, tags and all) unless they agree.
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
    """Whether a tag stands in a span, or a span in a tag."""
    place = bisect_left(tags, span.start, key=lambda tag: tag.end - 1)
    return place < len(tags) and tags[place].start < span.end
