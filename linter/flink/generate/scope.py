"""The scope of options: which ones belong in a cluster or job configuration, and under which full keys.

The classes of a distribution also declare the options of a table's WITH clause, of catalogs and of formats, which
belong in DDL, and keys that Flink writes for itself. Neither belongs in the catalogue.
"""

from __future__ import annotations

from flink_flint.linter.flink.generate.reflection import Record
from flink_flint.linter.text.lazy_regex import regex

_DDL_HOLDER = regex(r"org\.apache\.flink\.(formats|connector\.\w+\.table|table)\.")
# The same classes declare some options of the session, in namespaces that no table option has.
_SESSION_KEY = regex(r"(table|sql-client|sql-gateway|materialized-table|workflow-scheduler)\.")

# Keys that Flink marks as internal by a segment. "Internal" TLS (between the processes of a cluster)
# and the port of the internal metric query service are settings like any other.
_INTERNAL_KEY = regex(r"(?!security\.ssl\.|metrics\.)(.*\.)?\$?internal\.|__")
# The serialized form of an operator: a Configuration object, but never a configuration file.
_INTERNAL_HOLDERS = ("org.apache.flink.streaming.api.graph.StreamConfig",)

_METRICS, _TRACES, _EVENTS = (f"{kind}.reporter.<name>" for kind in ("metrics", "traces", "events"))
_PREFIXES = {
    "InfluxdbReporterOptions": (_METRICS,),
    "PrometheusPushGatewayReporterOptions": (_METRICS,),
    "OpenTelemetryReporterOptions": (_METRICS, _TRACES, _EVENTS),
    "GPUDriver": ("external-resource.<resource_name>.param",),
    "GPUDriverOptions": ("external-resource.<resource_name>.param",),
}
"""Classes whose keys are relative although no annotation says so."""


def scope(record: Record) -> str:
    """Return the scope of an option: ``conf`` (cluster and job configuration), ``ddl`` or ``internal``."""
    key, holder = record["key"], record["class"]
    if holder in _INTERNAL_HOLDERS or _INTERNAL_KEY.match(key):
        return "internal"
    if _DDL_HOLDER.match(holder) and not _SESSION_KEY.match(key):
        return "ddl"
    return "conf"


def prefixes(record: Record, reporters: set[str]) -> tuple[str, ...]:
    """Return the prefixes that complete the key of an option (only ``""`` if the key is already complete).

    `reporters` are the kinds of reporters that the release has: ``metrics``, ``traces`` and ``events``.
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
