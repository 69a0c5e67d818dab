"""The JVM options that Flink's start scripts pass to each process.

A process gets `env.java.default-opts.all`, `env.java.opts.all`, then the two for this process only, in this order and
after the options that Flink derives (``-Xmx``, ``-Xms``, ``-XX:MaxDirectMemorySize``, ``-XX:MaxMetaspaceSize``). If
options contradict each other, the last one applies.
"""

from __future__ import annotations

from functools import lru_cache

from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

PROCESSES = ("jobmanager", "taskmanager")

_OPTION = regex(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")


class JvmOption(NamedTuple):
    """A JVM option, and its start and end in the value that contains it."""

    text: str
    start: int
    end: int

    @property
    def flag(self) -> str:
        """The name of a ``-XX`` flag, without its sign and value; the option itself otherwise."""
        return self.text[4:].lstrip("+-").partition("=")[0] if self.text.startswith("-XX:") else self.text

    @property
    def is_enabled(self) -> bool:
        """Whether the option enables a boolean ``-XX`` flag."""
        return self.text.startswith("-XX:+")


def keys_for(process: str) -> tuple[str, ...]:
    """Return the keys that set JVM options of a process ("jobmanager" or "taskmanager"), in command-line order."""
    return (
        "env.java.default-opts.all",
        "env.java.opts.all",
        f"env.java.default-opts.{process}",
        f"env.java.opts.{process}",
    )


@lru_cache(maxsize=64)  # half a dozen rules read the same values, for each range of releases
def split_options(text: str) -> tuple[JvmOption, ...]:
    """Return the options in a value, without quotes around the whole value, as the start scripts read them."""
    start, end = 0, len(text)
    while end - start > 1 and text[start] == text[end - 1] and text[start] in "\"'":
        start, end = start + 1, end - 1
    return tuple(JvmOption(match.group(), *match.span()) for match in _OPTION.finditer(text, start, end))


def without(text: str, options: list[JvmOption]) -> str:
    """Return `text` without some of its options, which must be given in the order in which they appear."""
    for option in reversed(options):
        before, after = text[: option.start], text[option.end :].lstrip()
        text = (before if after.strip("\"'") else before.rstrip()) + after
    return text
