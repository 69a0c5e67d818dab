"""Finds the Helm commands in scripts, Makefiles, and CI steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_flint.linter.formats.shell.command_words import ScriptWord, read_words
from flink_flint.linter.text.lazy_regex import regex

_COMMAND = regex(r"(?<![\w./-])helm(?=[ \t])")
_MAX_COMMANDS = 200


def helm_commands(text: str) -> Iterator[list[ScriptWord]]:
    """Yield, for each Helm command in a text, the words that follow ``helm``."""
    end = number = 0
    for found in _COMMAND.finditer(text):
        if found.start() < end:
            continue
        number += 1
        if number > _MAX_COMMANDS:
            return
        words, end = read_words(text, found.end())
        yield words


def words_after(verbs: Sequence[str], words: list[ScriptWord]) -> list[ScriptWord] | None:
    """Return the words after the first word that is in `verbs`; None if there is no such word."""
    verb = next((place for place, word in enumerate(words) if word.text in verbs), None)
    return None if verb is None else words[verb + 1 :]
