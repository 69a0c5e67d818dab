"""Claims of rules about Flink, each with a configuration that shows it on real releases.

A rule that says what Flink does with a configuration has claims beside its cases: a function `claims` in its module.
`make oracle` puts them to every release of the catalogue and records the answers (`linter.engine.verdicts`).
"""

from __future__ import annotations

from flink_flint.linter.model.rule import CATALOGUED
from flink_flint.linter.text.named_tuple import NamedTuple

PROBES = (
    "options", "taskmanager memory", "jobmanager memory", "restart strategy", "state backend", "RocksDB",
    "high availability", "internal TLS", "REST endpoint", "REST client", "Kerberos", "heartbeats", "network", "slots",
    "failover", "cleanup", "slow tasks", "job", "run", "SQL", "JobManager", "TaskManager", "JobManager process",
    "TaskManager process", "history server", "Kubernetes",
)  # fmt: skip
"""The parts of Flink that can be asked, by the names that the program which asks them has for them.

A job can be built (``job``), or built and run in a cluster of its own (``run``); of a process the parts can be built
(``JobManager``), which takes milliseconds, or it can be started."""
SCRIPTS = "SQL"
"""The planner, which is given a script instead of settings."""


class Claim(NamedTuple):
    """What a part of Flink makes of a configuration, and of the nearest one that is sound."""

    probe: str
    """The part of Flink that is asked, one of `PROBES`."""
    bad: str
    """The settings that the rule reports, as lines of a flink-conf.yaml, or an SQL script."""
    good: str
    """The settings with as little changed as makes the rule silent."""
    ignored: bool = False
    """Whether Flink makes of the bad settings what it makes of the good ones; if not, it refuses the bad ones."""
    releases: str = CATALOGUED
    """The range of the releases that are asked, where this part of others does not show what a process does."""


def flink_refuses(probe: str, bad: str, *, good: str, both: str = "", releases: str = CATALOGUED) -> Claim:
    """Return the claim that Flink refuses settings, but not the ones in `good`; `both` come with either."""
    return _checked(Claim(probe, both + bad, both + good, releases=releases))


def flink_ignores(probe: str, bad: str, *, good: str = "", both: str = "", releases: str = CATALOGUED) -> Claim:
    """Return the claim that Flink does with settings what it does with those in `good`; `both` come with either."""
    return _checked(Claim(probe, both + bad, both + good, ignored=True, releases=releases))


def _checked(claim: Claim) -> Claim:
    if claim.probe not in PROBES:
        raise ValueError(f"{claim.probe!r} is not one of {', '.join(PROBES)}")
    return claim
