"""How Flink's metric reporters spell names."""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

_FOREIGN = regex(r"[^a-zA-Z0-9:_]")


def sanitized(name: str) -> str:
    """Return a name as the Prometheus and InfluxDB reporters spell it, with underscores for other characters."""
    return _FOREIGN.sub("_", name)
