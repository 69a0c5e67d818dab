"""Two jobs have one name for a system outside of Flink, and each takes away what is the other's.

## What it does
Compares, over all files of the run and with the layers each lies upon, the names under which jobs are known to others:

- the folder of high availability: two FlinkDeployments of one name, in two namespaces, with one
  `high-availability.storageDir`;
- the prefix of the transactional ids of exactly-once Kafka sinks, for each set of brokers; the default prefix of
  `KafkaSink` before 2.0, `kafka-sink`, counts as one;
- the consumer group, where two jobs read one topic and one of them starts from the offsets of the group;
- the server ids of readers of one MySQL server;
- the directory of checkpoints, where `execution.checkpointing.create-subdir` is false;
- the port of the Prometheus reporter, where containers of one Compose file share the network of their host.

## Why it matters
Each job alone is right, and is right in its own tests. The names meet in a place that no file of Flink shows:

    orders    namespace shop-eu    s3://flink/ha + /orders
    orders    namespace shop-us    s3://flink/ha + /orders    one folder for both

Kubernetes keeps the two apart by their namespaces, the object store does not: Flink puts the files of a cluster into
`<storageDir>/<name>`. Whoever deletes one of the deployments lets it delete the blobs in that folder, and the other
finds its pointers, but not the files, at its next failover.

With one transactional id the second producer fences the first off (`ProducerFencedException`), and aborts what it had
not committed. Flink assigns partitions itself, so that one group does not share records out among two jobs; both
commit the offsets of the topic, though, and whichever starts without state goes on from where the other one was: what
lies between is lost, or read twice. MySQL throws off the elder of two replicas with one id. Without folders of their
own two jobs both write `chk-1`, `chk-2`, ..., and each overwrites and deletes the checkpoints of the other. And of
several processes with one port the first gets it; the others run without metrics.

## What to do
Make the name of what is unique: of the namespace and the deployment's name. The finding stands at the later of the two
places; the earlier one is named with it.

## Not when
- The brokers, the server or the storage are not known to be the same, or are on `localhost`. A host without a domain
  (`kafka:9092`) may be another one in another network: then confidence is low.
- One of the two is for development.
- Two consumers of one group read different topics, or none starts from committed offsets: their offsets do not meet.
- Two consumers of one group also write the same: they are versions of one job.
- A namespace is not written in the resource (`namespace:` of a kustomization, `helm -n`): nobody can tell two
  environments from two copies.

Each rule on one of these systems judges one file: `kafka-transactional-prefix` two sinks of one program,
`mysql-server-ids` the tables of one script, `prometheus-port` YARN. Names that other rules compare over all files are
not told here again: ZooKeeper's (`zk-cluster-id-collision`) and consumers of enhanced fan-out (`kinesis-fan-out`).

## Sources
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/#high-availability-storagedir>
- <https://github.com/apache/flink/blob/release-1.20/flink-runtime/src/main/java/org/apache/flink/runtime/blob/FileSystemBlobStore.java>:
  `closeAndCleanupAllData` deletes the folder of blobs below the cluster's
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#fault-tolerance>:
  prefixes are unique among the applications on one Kafka cluster
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/connectors/datastream/kafka/#consumer-offset-committing>:
  offsets are committed when a checkpoint is complete; they are used for a start from the group's offsets alone
- <https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/connectors/flink-sources/mysql-cdc/#set-a-different-server-id-for-each-reader>
- <https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/deployment/config/#execution-checkpointing-create-subdir>:
  without folders no two jobs may run with one directory
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.rules.composites._identities import (
    CHECKPOINTS,
    STORAGE,
    SUBFOLDERS,
    Claim,
    are_two_jobs,
    are_versions,
    bare_checkpoints,
    consumer_groups,
    ha_folders,
    in_other_namespaces,
    is_one_place,
    pairs,
    server_ids,
    transaction_prefixes,
)
from flink_flint.rules.composites._places import links
from flink_flint.rules.observability._reporters import READS as REPORTERS
from flink_flint.rules.observability._reporters import reporters

_MAX_NAMED = 5
_DEFAULT_PORT = "9249"
_PORT = regex(r"[1-9]\d{0,4}")


@rule(
    code="FLK056",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[STORAGE, SUBFOLDERS, *REPORTERS],
    when=["element:kafka-sink", "element:kafka-source", "element:table"],
    scope="project",
    compares=[
        (one, one)
        for one in ([STORAGE], [SUBFOLDERS], ["element:kafka-sink"], ["element:kafka-source"], ["element:table"])
    ],
    several=True,
    since="0.1",
)
def two_jobs_one_identity(project: Project) -> Iterator[Finding]:
    """two jobs have one name for Kafka, MySQL, a file system or Prometheus"""
    yield from _high_availability(project)
    yield from _transactions(project)
    yield from _groups(project)
    yield from _server_ids(project)
    yield from _checkpoints(project)
    yield from _ports(project)


def _high_availability(project: Project) -> Iterator[Finding]:
    for (folder, name), claims in ha_folders(project).items():
        for first, second in pairs(in_other_namespaces(claims)):
            storage, resource = second.config.get(STORAGE), second.config.elements("kubernetes-object")[0]
            # Where both have it from one layer beneath, the remedy is a line of the deployment's own.
            own = storage.document is second.config.document
            raised = storage.finding if own else partial(resource.finding, of="metadata.name", key=STORAGE)
            yield raised(
                f"{name} of namespace {first.word} and {name} of namespace {second.word} keep what they recover from in"
                f" one folder, {folder}/{name}: whoever deletes the one deletes the blobs of the other",
                help=f"set {STORAGE}: {folder}/{second.word}",
                related=[
                    *links((first.config.get(STORAGE), "below which both have the folder of their name")),
                    first.config.elements("kubernetes-object")[0].place("metadata.name", f"{name} of {first.word}"),
                ],
                evidence={"folder": f"{folder}/{name}", "namespaces": [first.word, second.word]},
            )


def _transactions(project: Project) -> Iterator[Finding]:
    for (prefix, servers), claims in transaction_prefixes(project).items():
        for first, second in pairs(claims):
            if second.job == first.job and second.config.below == first.config.below:
                continue  # one job, written down twice
            what = f"the prefix {prefix}" + (", the default," if "" not in (first.word, second.word) else "")
            yield _part(second).finding(
                f"{first.job} and {second.job} both write to {_hosts(servers)} exactly once under {what} of"
                " transactional ids: whoever starts later fences the other off and aborts its open transactions",
                of=second.of,
                help="give each sink a prefix of its own, such as <job>-<sink>",
                severity=None if is_one_place(servers) else Severity.WARNING,
                confidence=None if is_one_place(servers) else Confidence.LOW,
                related=[*_where(first, f"{first.job} uses {first.word or 'it'} too"), *_deployments(first, second)],
                evidence={"prefix": prefix},
            )


def _groups(project: Project) -> Iterator[Finding]:
    told: set[tuple[int, int]] = set()
    for (group, topic, servers), claims in consumer_groups(project).items():
        for first, second in pairs(claims):
            starting = next((one for one in (second, first) if one.word.startswith("committed")), None)
            pair = id(_part(first).element), id(_part(second).element)
            if starting is None or pair in told or first.job == second.job:
                continue
            if are_versions(first.config, second.config):
                continue  # the later one goes on where the other one was, as it should
            told.add(pair)
            other = first if starting is second else second
            yield _part(second).finding(
                f"{first.job} and {second.job} both commit the offsets of topic {topic} for group {group}:"
                f" {starting.job}, which starts from them, goes on from where {other.job} was, and skips records or"
                " reads them twice",
                of=second.of,
                help="give each job a group of its own",
                severity=Severity.WARNING,
                confidence=Confidence.MEDIUM if is_one_place(servers) else Confidence.LOW,
                related=[*_where(first, f"{first.job} reads under the same group"), *_deployments(first, second)],
                evidence={"group": group, "topic": topic},
            )


def _server_ids(project: Project) -> Iterator[Finding]:
    for server, ranges in server_ids(project).items():
        for place, ids in enumerate(ranges):
            for other in ranges[:place]:
                if not ids.meet(other) or not are_two_jobs(ids.claim.config, other.claim.config):
                    continue
                shared = min(ids.last, other.last) - max(ids.first, other.first) + 1
                yield _part(ids.claim).finding(
                    f"{ids.claim.word} of {ids.claim.job} and {other.claim.word} of {other.claim.job} read {server}"
                    f" with {shared} server id{'s' if shared > 1 else ''} in common, from"
                    f" {max(ids.first, other.first)} on: each throws the other off",
                    of=ids.claim.of,
                    help=f"give this table a range of its own, such as {other.last + 1}-"
                    f"{other.last + 1 + ids.last - ids.first}, if no other reader has those",
                    severity=None if is_one_place(frozenset([server])) else Severity.WARNING,
                    confidence=None if is_one_place(frozenset([server])) else Confidence.MEDIUM,
                    related=_where(other.claim, f"{other.first} to {other.last}"),
                    evidence={"server": server, "shared": shared},
                    measure=shared,
                )
                break


def _checkpoints(project: Project) -> Iterator[Finding]:
    for directory, claims in bare_checkpoints(project).items():
        jobs = [claim for claim in claims if claim.config.target.profile != "development"]
        if len(jobs) < 2:
            continue
        subfolders = jobs[0].config.get(SUBFOLDERS)
        named = " and ".join(claim.job for claim in jobs[:2]) + (f" and {len(jobs) - 2} more" if jobs[2:] else "")
        yield subfolders.finding(
            f"{len(jobs)} jobs, {named}, write their checkpoints straight into {directory}: each has a chk-1 there, and"
            " overwrites and deletes the other's",
            help=f"take {subfolders.written} out, so that each job has a folder of its own, or give each a directory",
            fix=subfolders.remove(),
            related=[
                *links((jobs[0].config.get(CHECKPOINTS), "the directory")),
                *(_job_place(claim) for claim in jobs[:_MAX_NAMED]),
            ],
            evidence={"directory": directory, "jobs": len(jobs)},
            measure=len(jobs),
        )


def _job_place(claim: Claim) -> Place:
    document = claim.config.document
    return Place(document.path, document.head, f"{claim.job} writes there")


def _ports(project: Project) -> Iterator[Finding]:
    """Containers of one Compose file on the network of their host, with one port for their reporters."""
    taken: dict[tuple[str, str], list[tuple[View, ElementView]]] = defaultdict(list)
    for config in project.views:
        if config.platform != "compose":
            continue
        for container in config.elements("container"):
            port = _prometheus_port(config) if container.text("network") == "host" else None
            if port is not None:
                taken[config.document.path, port].append((config, container))
    for (_, port), found in taken.items():
        if len(found) < 2:
            continue
        config = found[0][0]
        reporter = next(one for one in reporters(config) if one.is_a("PrometheusReporter"))
        setting = config.get(f"metrics.reporter.{reporter.name}.port")
        last = int(port) + len(found) - 1
        yield (setting if setting.is_set else reporter.setting).finding(
            f"{len(found)} containers share the network of their host, and each wants port {port} for its metrics: the"
            " first gets it, the others run without a reporter",
            help=f"set metrics.reporter.{reporter.name}.port: {port}-{last}, and let Prometheus look at all of it",
            severity=Severity.WARNING,
            fix=setting.replace(f"{port}-{last}"),
            related=[part.place("network", f"{part.name} is on the host's network") for _, part in found[:_MAX_NAMED]],
            evidence={"port": port, "containers": len(found)},
            measure=len(found),
        )


def _prometheus_port(config: View) -> str | None:
    """The only port of its Prometheus reporter; None without one, or where the reporter may choose."""
    for reporter in reporters(config):
        if reporter.is_a("PrometheusReporter"):
            port = config.get(f"metrics.reporter.{reporter.name}.port")
            text = port.text.strip() if port.is_set else _DEFAULT_PORT
            return text if _PORT.fullmatch(text) else None
    return None


def _part(claim: Claim) -> ElementView:
    assert isinstance(claim.holder, ElementView)
    return claim.holder


def _where(claim: Claim, message: str) -> list[Place]:
    place = claim.place(message)
    return [place] if place is not None else []


def _deployments(*claims: Claim) -> list[Place]:
    """The deployments that run the jobs, where they are known."""
    return [Place(lower.path, lower.head, f"runs {claim.job}") for claim in claims for lower in claim.config.below[-1:]]


def _hosts(servers: frozenset[str]) -> str:
    return ", ".join(sorted(servers))


_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: %s
  namespace: %s
spec:
  image: flink:1.20.4
  flinkVersion: v1_20
  flinkConfiguration:
    %s
  job:
    jarURI: local:///opt/flink/usrlib/job.jar
    entryClass: shop.%s
    parallelism: 2
"""
_HA = "high-availability.type: kubernetes\n    high-availability.storageDir: %s"
_EU = _DEPLOYMENT % ("orders", "shop-eu", _HA % "s3://flink/ha", "Orders")
_US = _DEPLOYMENT % ("orders", "shop-us", _HA % "s3://flink/ha/", "Orders")
_DEFAULTS = """defaultConfiguration:
  create: true
  append: true
  flink-conf.yaml: |+
    high-availability.type: kubernetes
    high-availability.storageDir: s3://flink/ha
"""
_SLOTS = 'taskmanager.numberOfTaskSlots: "2"'
_POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: %s
spec:
  template:
    spec:
      hostNetwork: true
      containers:
        - name: %s
          image: flink:1.18.1
          env:
            - name: FLINK_PROPERTIES
              value: |
                %s"""


_COMPOSE = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    network_mode: %s
    volumes: ["./conf:/opt/flink/conf"]
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    network_mode: host
    volumes: ["./conf:/opt/flink/conf"]
"""
_REPORTER = "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory\n"


def cases() -> list[Case]:
    return [
        bad(_US, file="us.yaml", beside={"eu.yaml": _EU}, at="s3://flink/ha/", says="s3://flink/ha/orders"),
        bad(
            _DEPLOYMENT % ("orders", "shop-us", _SLOTS, "Orders"),
            file="us.yaml",
            at="orders",
            beside={
                "eu.yaml": _DEPLOYMENT % ("orders", "shop-eu", _SLOTS, "Orders"),
                "operator/values.yaml": _DEFAULTS,
            },
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: bills\n"
            "  namespace: shop-us\n"
            "spec:\n"
            "  image: flink:1.20.4\n"
            "  flinkVersion: v1_20\n"
            "  flinkConfiguration:\n"
            "    high-availability.type: kubernetes\n"
            "    high-availability.storageDir: s3://flink/ha/\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/job.jar\n"
            "    entryClass: shop.Orders\n"
            "    parallelism: 2\n",
            file="us.yaml",
            beside={"eu.yaml": _EU},
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\n"
            "kind: FlinkDeployment\n"
            "metadata:\n"
            "  name: orders\n"
            "  namespace: shop-eu\n"
            "spec:\n"
            "  image: flink:1.20.4\n"
            "  flinkVersion: v1_20\n"
            "  flinkConfiguration:\n"
            "    high-availability.type: kubernetes\n"
            "    high-availability.storageDir: s3://flink/ha/\n"
            "  job:\n"
            "    jarURI: local:///opt/flink/usrlib/job.jar\n"
            "    entryClass: shop.Orders\n"
            "    parallelism: 2\n",
            file="us.yaml",
            beside={"eu.yaml": _EU},
        ),
        # Two tables of one script are FLK862's.
        good(
            "CREATE TABLE orders (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc',\n"
            "  'hostname' = 'db.example.com', 'server-id' = '5400');\n"
            "CREATE TABLE printed (id INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM orders;\n"
            "CREATE TABLE bills (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'mysql-cdc',\n"
            "  'hostname' = 'db.example.com', 'server-id' = '5400');\n"
            "CREATE TABLE printed (id INT) WITH ('connector' = 'print');\n"
            "INSERT INTO printed SELECT * FROM bills;\n",
            file="orders.sql",
        ),
        bad(
            _REPORTER + "metrics.reporter.prom.port: 9250\n",
            file="conf/flink-conf.yaml",
            severity=Severity.WARNING,
            beside={"docker-compose.yml": _COMPOSE % "host"},
            at="9250",
            says="2 containers share the network",
            fixed=_REPORTER + "metrics.reporter.prom.port: 9250-9251\n",
        ),
        good("---\n".join(_POD % (name, name, _REPORTER) for name in ("jobmanager", "taskmanager")), file="flink.yaml"),
        *cases_in_folders(__file__),
    ]
