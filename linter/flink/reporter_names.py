"""What Flink's reporters make of names."""

from __future__ import annotations

from flink_flint.linter.text.lazy_regex import regex

_FOREIGN = regex(r"[^a-zA-Z0-9:_]")


def sanitised(name: str) -> str:
    """A name as the Prometheus and InfluxDB reporters spell it: an underscore for every odd character."""
    return _FOREIGN.sub("_", name)
