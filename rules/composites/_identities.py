"""Names by which other systems (Kafka, MySQL, a file system) identify a job, and the jobs that use each name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from flink_flint.linter.flink.uris import locate
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.view import ElementView, Setting, View
from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.rules.composites._places import name_of
from flink_flint.rules.high_availability._mode import KUBERNETES, mode
from flink_flint.rules.kafka._clients import (
    api,
    brokers,
    exactly_once,
    group_attribute,
    guarantee_attribute,
    is_upsert,
    more_calls,
    prefix_attribute,
    starting_offsets,
    topics,
)
from flink_flint.rules.sql._queries import queries, tables, target

STORAGE = "high-availability.storageDir"
SUBFOLDERS = "execution.checkpointing.create-subdir"
CHECKPOINTS = "execution.checkpointing.dir"
_DEFAULT_PREFIX = "kafka-sink"
_LOOPBACK = ("localhost", "127.0.0.1", "0.0.0.0", "[::1]", "host.docker.internal")
_KEEP_NOTHING = ("print", "blackhole")
_IDS = r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?"


class Claim(NamedTuple):
    """A job, and the setting or element from which it gets a name."""

    config: View
    holder: Setting | ElementView
    of: str | None = None
    """The attribute of the element that sets the name; None if a setting does."""
    word: str = ""
    """Further information on the name for a message, such as a namespace or table name."""

    @property
    def job(self) -> str:
        """The name of the job in messages."""
        own = [part.name for part in self.config.elements("job")]
        return own[0] if own else name_of(self.config)

    def place(self, message: str) -> Place | None:
        """Return the place in a file that gives the job its name, as a related location with a message."""
        return (
            self.holder.place(self.of, message) if isinstance(self.holder, ElementView) else self.holder.place(message)
        )


def are_two_jobs(one: View, other: View) -> bool:
    """Return whether two views are of different jobs that may run at the same time."""
    return one.document is not other.document and "development" not in (one.target.profile, other.target.profile)


def pairs(claims: Iterable[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Yield each claim whose name another job has claimed before, together with the first such claim."""
    known: list[Claim] = []
    for claim in claims:
        first = next((one for one in known if are_two_jobs(one.config, claim.config)), None)
        if first is not None:
            yield first, claim
        known.append(claim)


def are_versions(one: View, other: View) -> bool:
    """Return whether two jobs write the same, as versions of one job do, which follow each other."""
    written = _written(one)
    return bool(written) and written == _written(other)


def _written(config: View) -> frozenset[str]:
    """The Kafka topics and the tables that a job writes; what is only printed or thrown away is not kept by anyone."""
    found = {topic for writer in config.elements("kafka-sink") for topic in topics(writer)}
    for query in queries(config):
        sink = target(config, query)
        if sink is not None and sink.connector not in _KEEP_NOTHING:
            found.add(sink.name)
    return frozenset(found)


# -- the folder of high availability


def ha_folders(project: Project) -> dict[tuple[str, str], list[Claim]]:
    """Return the Kubernetes deployments with high availability, by storage directory and cluster name."""
    named: dict[str, list[tuple[View, str]]] = defaultdict(list)
    for config in project.views:
        for part in config.elements("kubernetes-object"):
            name, namespace = part.text("metadata.name"), part.text("metadata.namespace")
            if part.name == "FlinkDeployment" and name and namespace and config.document.whole:
                named[name].append((config, namespace))
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for name, deployments in named.items():
        if len({namespace for _, namespace in deployments}) < 2:
            continue
        for config, namespace in deployments:
            storage = config.get(STORAGE)
            if storage.is_known and mode(config) == KUBERNETES and not locate(storage.text).is_local:
                found[storage.text.strip().rstrip("/"), name].append(Claim(config, storage, word=namespace))
    return found


def in_other_namespaces(claims: Iterable[Claim]) -> list[Claim]:
    """Return the first claim of each namespace."""
    return list({claim.word: claim for claim in reversed(list(claims))}.values())[::-1]


# -- Kafka


def transaction_prefixes(project: Project) -> dict[tuple[str, frozenset[str]], list[Claim]]:
    """Return the claims on transactional id prefixes of exactly-once sinks, by prefix and brokers."""
    found: dict[tuple[str, frozenset[str]], list[Claim]] = defaultdict(list)
    for config in project.views:
        for writer in exactly_once(config):
            servers, name = _remote(brokers(writer)), prefix_attribute(writer)
            prefix, of = writer.text(name or ""), name
            if name is None and api(writer) == "KafkaSink" and not more_calls(writer) and not config.since("2.0"):
                prefix, of = _DEFAULT_PREFIX, guarantee_attribute(writer)
            if prefix and servers:
                found[prefix, servers].append(Claim(config, writer, of, "" if name else "the default"))
    return found


def consumer_groups(project: Project) -> dict[tuple[str, str, frozenset[str]], list[Claim]]:
    """Return the claims on consumer groups that read a topic and commit offsets, by group, topic and brokers.

    Of each reader `Claim.word` is where it starts without state.
    """
    found: dict[tuple[str, str, frozenset[str]], list[Claim]] = defaultdict(list)
    for config in project.views:
        for reader in config.elements("kafka-source"):
            name, servers = group_attribute(reader), _remote(brokers(reader))
            group = None if name is None else reader.text(name)
            start = starting_offsets(reader)
            if group and servers and start is not None and not is_upsert(reader):
                for topic in topics(reader):
                    found[group, topic, servers].append(Claim(config, reader, name, start))
    return found


def _remote(servers: frozenset[str]) -> frozenset[str]:
    """Brokers; none where one of them is the machine's own, which is another one on each machine."""
    hosts = [re.sub(r"^\w+://", "", server).rpartition(":")[0] or server for server in servers]
    return frozenset() if any(host in _LOOPBACK for host in hosts) else servers


def is_one_place(servers: frozenset[str]) -> bool:
    """Return whether server names mean the same everywhere; a name without a domain is valid in one network only."""
    return all("." in server for server in servers)


# -- MySQL


class Ids(NamedTuple):
    """A range of MySQL server IDs that the readers of a table use."""

    first: int
    last: int
    claim: Claim

    def meet(self, other: Ids) -> bool:
        """Return whether two ranges have an ID in common."""
        return self.first <= other.last and other.first <= self.last


def server_ids(project: Project) -> dict[str, list[Ids]]:
    """Return the ranges of server IDs by MySQL server."""
    found: dict[str, list[Ids]] = defaultdict(list)
    for config in project.views:
        for table in tables(config, "mysql-cdc"):
            host, match = table.text("with.hostname"), re.fullmatch(_IDS, table.text("with.server-id") or "")
            if match is not None and host and host not in _LOOPBACK:
                server = f"{host}:{table.text('with.port') or 3306}"
                claim = Claim(config, table, "with.server-id", table.name)
                found[server].append(Ids(int(match[1]), int(match[2] or match[1]), claim))
    return found


# -- checkpoints without a folder for each job


def bare_checkpoints(project: Project) -> dict[str, list[Claim]]:
    """Return the checkpoint directories without a subfolder per job, each with the jobs that use it."""
    found: dict[str, list[Claim]] = defaultdict(list)
    for config in project.triggered_by(SUBFOLDERS):
        directory = config.get(CHECKPOINTS)
        if config.boolean(SUBFOLDERS) is False and directory.is_set and directory.is_known and _is_job(config):
            found[directory.text.strip().rstrip("/")].append(Claim(config, config.get(SUBFOLDERS)))
    return found


def _is_job(config: View) -> bool:
    """Whether the document is of one job, and not of a program or script that a deployment of the run has for one."""
    if config.document.kind in ("source", "sql"):
        return not any(lower.kind == "flinkdeployment" for lower in config.below)
    return any(
        part.has("spec.job.jarURI")
        if part.name == "FlinkSessionJob"
        else config.document.whole and part.has("spec.job")
        for part in config.elements("kubernetes-object")
    )
