"""Values that are unknown because a template or variable provides them, and lines that a template inserts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from flink_flint.linter.flink.file_loading import is_templated
from flink_flint.linter.flink.invalid_config_yaml import template_tags
from flink_flint.linter.flink.options import catalogue
from flink_flint.linter.flink.parsed_file import Entry
from flink_flint.linter.formats.recognition import is_rendered, is_template
from flink_flint.linter.formats.template_settings import is_control
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.safe_text import key_without_secrets
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

MAX_NAMED = 3
"""The maximum number of unknown values that one message lists by name."""
_YAML = (".yaml", ".yml", ".tpl")
_SEPARATOR = regex(r"(?m)^---(?=\s|$)")
NO_TEXT = "the file is not text in UTF-8"
MAY_BE_ADDED = "settings may be added that are not in the file"


def value_unknown(*keys: str) -> str:
    """Return the message that the values of `keys` are no longer known; only the first few keys are listed."""
    more = len(keys) - MAX_NAMED
    *some, last = [*keys[:MAX_NAMED], *([f"{more} more"] if more > 0 else [])]
    if not some:
        return f"the value of {last} is no longer known"
    return f"the values of {', '.join(some)} and {last} are no longer known"


def is_no_text(document: Document) -> bool:
    """Return whether a file cannot be read as text since it contains NUL characters, as UTF-16 does."""
    return document.mentions("\0")


def names_of(key: str) -> frozenset[str]:
    """Return the current keys of the options that a key sets, or the key itself if no release knows it."""
    return frozenset(catalogue().current_names(key) or (key,))


def is_known(entry: Entry) -> bool:
    """Return whether the value of an entry is known."""
    return entry.value is not None and not is_templated(entry.text)


def has_known_value(document: Document, key: str) -> bool:
    """Return whether a document contains a known value for an option or attribute."""
    names = names_of(key)
    return any(is_known(entry) and not names.isdisjoint(names_of(entry.key)) for entry in document.entries) or any(
        f"{element.name}.{name}" == key and one.value is not None
        for element in document.elements
        for name, one in element.attributes.items()
    )


def unknown_keys(document: Document) -> list[str]:
    """Return the keys of the settings and attributes with unknown values, as findings spell them."""
    found = {name for entry in document.effective.values() if not is_known(entry) for name in names_of(entry.key)}
    for element in document.elements:
        found |= {f"{element.name}.{name}" for name, one in element.attributes.items() if one.value is None}
    return sorted(map(key_without_secrets, found))


def insertions(documents: Sequence[Document]) -> int:
    """Return the number of template tags and includes that insert keys, lines, or blocks into a file.

    Tags within a single-line value are not counted: they only make that value unknown.
    """
    text, path = documents[0].text, documents[0].path
    includes = documents[0].includes
    if not is_template(text):
        return includes
    values = [entry.value_span for document in documents for entry in document.entries]
    values += [
        one.span for document in documents for element in document.elements for one in element.attributes.values()
    ]
    lines = sorted({span for span in values if "\n" not in text[span.start : span.end]})
    starts = [span.start for span in lines]

    def is_value(tag: Span) -> bool:
        place = bisect_right(starts, tag.start) - 1
        return place >= 0 and tag.start < lines[place].end

    tags = template_tags(text, is_rendered=is_rendered(path))
    return includes + sum(not is_control(text[tag.start : tag.end]) and not is_value(tag) for tag in tags)


def unrecognized_objects(documents: Sequence[Document]) -> int:
    """Return the number of YAML documents in a file that contain template tags but are not in `documents`.

    Each may be rendered as an object of any kind and name.
    """
    text, path = documents[0].text, documents[0].path
    if not path.endswith(_YAML) or not is_template(text):
        return 0
    ends = [match.start() for match in _SEPARATOR.finditer(text)]
    recognized = {bisect_right(ends, document.head.start) for document in documents}
    tags = template_tags(text, is_rendered=is_rendered(path))
    tagged = {bisect_right(ends, tag.start) for tag in tags if not is_control(text[tag.start : tag.end])}
    return len(tagged - recognized)
