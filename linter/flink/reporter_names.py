"""The spelling of names in Flink's metric reporters."""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

_FOREIGN = regex(r"[^a-zA-Z0-9:_]")


def sanitized(name: str) -> str:
    """Return a name as the Prometheus and InfluxDB reporters spell it: unsupported characters become underscores."""
    return _FOREIGN.sub("_", name)
