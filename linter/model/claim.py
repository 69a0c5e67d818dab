"""Claims of rules about Flink, each with a configuration that shows it on real releases.

A rule that says what Flink does with a configuration has claims beside its cases: a function `claims` in its module, or
tables ``[[claim]]`` in its TOML. `make oracle` puts them to every release of the catalogue and records the answers
(`linter.engine.verdicts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from flink_flint.linter.model.rule import CATALOGUED
from flink_flint.linter.text.named_tuple import NamedTuple

DOCUMENTS: Mapping[str, str] = MappingProxyType({
    "SQL": "sql/job.sql",
    "SQL plan": "sql/job.sql",
    "SQL job": "sql/job.sql",
    "SQL run": "sql/job.sql",
    "program": "Job.java",
    "flink-conf.yaml": "conf/flink-conf.yaml",
    "config.yaml": "conf/config.yaml",
    "flink command": "run.sh",
    "log4j": "log4j-console.properties",
    "log files": "log4j-console.properties",
})  # fmt: skip
"""The parts of Flink that are given a whole file instead of settings, and a path at which a rule finds such a file."""

PROBES = (
    "options", "taskmanager memory", "jobmanager memory", "restart strategy", "state backend", "RocksDB",
    "high availability", "internal TLS", "REST endpoint", "REST client", "Kerberos", "heartbeats", "network", "slots",
    "failover", "cleanup", "slow tasks", "job", "run", "batch", "checkpoint storage", "reporters", "executor",
    "reporter", "file system", "query", "latency of state", "REST TLS",
    "Python memory", "JobManager", "TaskManager", "JobManager process", "TaskManager process", "history server",
    "Kubernetes", "Kubernetes ports", "Kubernetes JobManager", "Kubernetes client", "exchange", "checkpoints",
    "barriers", "restore", "retained checkpoints", "serializer", "changelog", "managed memory", "state in RocksDB",
    "cache of RocksDB", "write buffers", "local recovery", "slot", "JAR directory", "JAR cache", "upload directory",
    "working directory", "temporary directories", "RPC ports", "bucket", "sizes of memory",
    "Kubernetes leader election", "SQL gateway", "metric scopes", "latency markers", "failure enrichers",
    "failed calls", "failure rate", "logins", "delegation tokens", "parent-first classes", "starts of workers",
    "Kubernetes limits", "parallelism of SQL", *DOCUMENTS,
)  # fmt: skip
"""The parts of Flink that can be asked, by the names that the program which asks them has for them.

A job can be built (``job``), or built and run in a cluster of its own (``run``; ``batch`` is one that sorts); of a
process the parts can be built (``JobManager``), which takes milliseconds, or it can be started. A ``program`` is
compiled with the connectors that it imports, and run; its answer is what it prints in lines that begin with ``shows``.
A script is planned (``SQL``), and answers with its ``SQL plan``, with what the connectors of the ``SQL job`` are set
to, or, after an ``SQL run`` of some seconds, with its rows and the files it wrote below ``file:///output``."""

REFUSES, FAILS, IGNORES, USES = KINDS = "refuses", "fails", "ignores", "uses"


class Claim(NamedTuple):
    """What a part of Flink makes of a configuration, and of the nearest one that is sound."""

    probe: str
    """The part of Flink that is asked, one of `PROBES`."""
    bad: str
    """The settings that the rule reports, as lines of a flink-conf.yaml, or the whole file for one of `DOCUMENTS`."""
    good: str
    """The settings with as little changed as makes the rule silent."""
    kind: str = REFUSES
    """What Flink does with the bad settings, one of `KINDS`: it refuses them, which is an error of the rule; a job
    fails, or something is not built, which may be a warning; it does the same as with the good ones; or its answer has
    the text `shows`, and that to the good ones has not."""
    releases: str = CATALOGUED
    """The range of the releases that are asked, where this part of others does not show what a process does."""
    shows: str = ""
    also: str = ""
    """Older patches to ask too, where a patch changed what the rule speaks about: ``1.16.0 1.17.0``."""


def flink_refuses(probe: str, bad: str, *, good: str, both: str = "", releases: str = CATALOGUED) -> Claim:
    """Return the claim that Flink refuses settings, but not the ones in `good`; `both` come with either."""
    return _checked(Claim(probe, both + bad, both + good, releases=releases))


def flink_fails(probe: str, bad: str, *, good: str, both: str = "", releases: str = CATALOGUED) -> Claim:
    """Return the claim that something fails with settings which a process starts with, whatever the rule calls it."""
    return _checked(Claim(probe, both + bad, both + good, FAILS, releases))


def flink_ignores(
    probe: str, bad: str, *, good: str = "", both: str = "", releases: str = CATALOGUED, also: str = ""
) -> Claim:
    """Return the claim that Flink does with settings what it does with those in `good`; `both` come with either."""
    return _checked(Claim(probe, both + bad, both + good, IGNORES, releases, also=also))


def flink_uses(
    probe: str, bad: str, shows: str, *, good: str, both: str = "", releases: str = CATALOGUED, also: str = ""
) -> Claim:
    """Return the claim that Flink's answer to settings has the text `shows`, and that to those in `good` has not."""
    return _checked(Claim(probe, both + bad, both + good, USES, releases, shows, also))


def declared_claim(table: Mapping[str, Any]) -> Claim:
    """Return the claim of a table ``[[claim]]``, whose ``flink`` is the kind; raise ValueError for an invalid one."""
    fields = dict(table)
    both, kind = fields.pop("both", ""), fields.pop("flink", REFUSES)
    claim = Claim(**{**fields, "bad": both + fields["bad"], "good": both + fields.get("good", ""), "kind": kind})
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not one of {', '.join(KINDS)}")
    return _checked(claim)


def _checked(claim: Claim) -> Claim:
    if claim.probe not in PROBES:
        raise ValueError(f"{claim.probe!r} is not one of {', '.join(PROBES)}")
    return claim
