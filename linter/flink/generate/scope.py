"""Which options a cluster or job configuration may hold, and under which full keys.

The classes of a distribution also declare the options of a table's WITH clause, of catalogs and of
formats, which live in DDL, and keys Flink writes for itself. Neither belongs into the catalogue.
"""

from __future__ import annotations

from flink_flint.linter.flink.generate.reflection import Record
from flink_flint.linter.text.lazy_regex import regex

_DDL_HOLDER = regex(r"org\.apache\.flink\.(formats|connector\.\w+\.table|table)\.")
# The same classes declare some options of the session; those go by namespaces that no table option has.
_SESSION_KEY = regex(r"(table|sql-client|sql-gateway|materialized-table|workflow-scheduler)\.")

# What Flink marks as its own by a segment of the key. "Internal" TLS (between the processes of a cluster)
# and the port of the internal metric query service are settings like any other.
_INTERNAL_KEY = regex(r"(?!security\.ssl\.|metrics\.)(.*\.)?\$?internal\.|__")
# The serialised form of an operator: a Configuration object, but never anybody's configuration file.
_INTERNAL_HOLDERS = ("org.apache.flink.streaming.api.graph.StreamConfig",)

_METRICS, _TRACES, _EVENTS = (f"{kind}.reporter.<name>" for kind in ("metrics", "traces", "events"))
_PREFIXES = {
    "InfluxdbReporterOptions": (_METRICS,),
    "PrometheusPushGatewayReporterOptions": (_METRICS,),
    "OpenTelemetryReporterOptions": (_METRICS, _TRACES, _EVENTS),
    "GPUDriver": ("external-resource.<resource_name>.param",),
    "GPUDriverOptions": ("external-resource.<resource_name>.param",),
}
"""Holders whose keys are relative without an annotation that says so."""


def scope(record: Record) -> str:
    """``conf`` (cluster and job configuration), ``ddl`` or ``internal``."""
    key, holder = record["key"], record["class"]
    if holder in _INTERNAL_HOLDERS or _INTERNAL_KEY.match(key):
        return "internal"
    if _DDL_HOLDER.match(holder) and not _SESSION_KEY.match(key):
        return "ddl"
    return "conf"


def prefixes(record: Record, reporters: set[str]) -> tuple[str, ...]:
    """What to put before the key to get full ones (``""`` for an option that is not relative).

    `reporters` are the kinds of reporters the release has: of ``metrics``, ``traces`` and ``events``.
    """
    holder = record["class"].rpartition(".")[2]
    if holder in _PREFIXES:
        return tuple(f"{p}." for p in _PREFIXES[holder] if _kind(p) in (*reporters, "external-resource"))
    if "prefix" in record:
        return (f"{record['prefix']}.",)
    if holder in ("MetricOptions", "ReporterSetup") and not record["key"].startswith("metrics."):
        return (f"{_METRICS}.",)
    return ("",)


def _kind(prefix: str) -> str:
    return prefix.partition(".")[0]
