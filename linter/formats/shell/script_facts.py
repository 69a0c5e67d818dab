"""What a shell script as a whole does that matters to its Flink commands, as attributes of these."""

from __future__ import annotations

import re
from functools import lru_cache

from flink_flint.linter.model.elements import Attribute
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.spans import Span

_LISTS_JOBS = regex(
    r"\bflink\b\"?(?:[ \t]|\\\r?\n)+(?:list|cancel|stop|savepoint)\b"
    r"|(?:curl|wget|http|requests\.)[^\r\n]{0,300}/jobs\b|/jobs/(?:overview|\$)"
    r"|(?i:\bshow[ \t]+jobs\b|\bstop[ \t]+job\b)"
)
_HADOOP = regex(r"(?<![\w$])(HADOOP_CONF_DIR|YARN_CONF_DIR)=([^\s;&|]{1,300})")
_HADOOP_CLASSES = regex(r"HADOOP_CLASSPATH|\bhadoop[ \t]+classpath\b|flink-shaded-hadoop|hadoop-(?:client|common)")
_READS_OTHERS = regex(r"(?m)(?:^|[;&|])[ \t]*(?:\.|source)[ \t]+[^\s;&|]")


@lru_cache(maxsize=2)
def _searched(text: str) -> tuple[re.Match[str] | None, re.Match[str] | None, re.Match[str] | None, bool]:
    """Return what a script does, for its commands, which ask one after the other."""
    reads = _READS_OTHERS.search(text) is not None
    return _LISTS_JOBS.search(text), _HADOOP.search(text), _HADOOP_CLASSES.search(text), reads


def facts_of(text: str, span: Span, *, on_yarn: bool) -> dict[str, Attribute]:
    """Return attributes of a command at a span in a script.

    ``lists-jobs``: the script looks at the jobs that run, or stops them. On YARN also ``environment.HADOOP_CONF_DIR``
    as the script sets it, and ``environment.HADOOP_CLASSPATH`` if it mentions the classes of Hadoop; ``environment``
    alone, unknown, if it reads other scripts, which may set more.
    """
    found: dict[str, Attribute] = {}
    listing, given, classes, reads_others = _searched(text)
    if listing is not None:
        found["lists-jobs"] = Attribute(True, Span(*listing.span()))
    if not on_yarn:
        return found
    if given is not None:
        value = None if "$" in given[2] else given[2].strip("\"'")
        found[f"environment.{given[1]}"] = Attribute(value, Span(*given.span()), Span(*given.span(1)), given[2])
    if classes is not None:
        found["environment.HADOOP_CLASSPATH"] = Attribute(None, Span(*classes.span()))
    if reads_others:
        found["environment"] = Attribute(None, span)
    return found
