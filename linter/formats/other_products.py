"""Recognition of the files of other products, by file names and keys that only these products use.

A key of the table is a key or, with a dot at its end, a prefix. It is enough that one occurs, because Flink has none of
them.
"""

from __future__ import annotations

from collections.abc import Iterable

from flink_flint.linter.text.lazy_regex import regex

_KEYS = {
    "Elasticsearch": (
        "cluster.initial_master_nodes", "cluster.name", "cluster.routing.", "discovery.seed_hosts", "discovery.type",
        "discovery.zen.", "node.name", "node.roles", "path.data", "xpack.",
    ),
    "Kibana": (
        "elasticsearch.hosts", "elasticsearch.url", "elasticsearch.username", "kibana.", "logging.quiet",
        "server.basePath", "server.maxPayloadBytes",
    ),
    "Logstash": (
        "config.reload.automatic", "dead_letter_queue.", "path.config", "pipeline.batch.", "pipeline.ecs_compatibility",
        "pipeline.id", "pipeline.ordered", "pipeline.unsafe_shutdown", "pipeline.workers", "queue.type",
    ),
    "OpenSearch": ("opensearch.", "opensearch_security.", "plugins.security."),
    "Trino": (
        "connector.name", "discovery.uri", "http-server.", "node-scheduler.", "node.environment", "query.max-memory",
        "query.max-memory-per-node", "web-ui.",
    ),
    "Spring": ("logging.level.", "management.", "server.servlet.", "spring."),
    "Spark": ("spark.",),
    "Hudi": ("hoodie.",),
    "Fluss": ("bind.listeners", "coordinator.host", "kv.snapshot.", "remote.data.dir", "tablet-server."),
    "SeaTunnel": ("hazelcast.", "seatunnel."),
    "Kafka": ("broker.id", "log.dirs", "process.roles", "zookeeper.connect"),
    "Kafka Connect": ("connector.class", "tasks.max"),
    "Storm": ("nimbus.", "storm.", "supervisor.", "topology."),
    "Celeborn": ("celeborn.",),
    "Cassandra": ("cluster_name", "commitlog_directory", "seed_provider"),
    "Druid": ("druid.",),
    "Pinot": ("pinot.",),
    "Alluxio": ("alluxio.",),
    "HBase": ("hbase.",),
    "Ignite": ("ignite.",),
    "Pulsar": ("brokerServicePort", "pulsar.", "zookeeperServers"),
    "Airflow": ("airflow.",),
    "DataHub": ("datahub.",),
    "DolphinScheduler": ("dolphinscheduler.", "master.exec-threads", "worker.exec-threads"),
    "Kestra": ("kestra.",),
    "Micronaut": ("micronaut.",),
    "Quarkus": ("quarkus.",),
    "Traefik": ("entryPoints.", "providers.docker.", "providers.file."),
    "Prometheus": ("global.evaluation_interval", "global.scrape_interval", "rule_files"),
    "Grafana": ("grafana.",),
    "a Helm chart's values": ("fullnameOverride", "image.repository", "image.tag", "nameOverride", "replicaCount"),
}  # fmt: skip

_NAMES = regex(
    r"(?P<product>elasticsearch|opensearch|kibana|logstash|pipelines|filebeat|metricbeat|heartbeat|prometheus"
    r"|alertmanager|grafana|loki|promtail|otel[\w-]*|hazelcast[\w-]*|cassandra|storm|seatunnel[\w-]*|trino|presto"
    r"|spark-defaults|hive-site|core-site|hdfs-site|zoo|nginx|redis|mysql|postgresql|supervisord?|logrotate|traefik"
    r"|haproxy|mongod|neo4j|solr|kylin|zeppelin-[\w-]+|mkdocs|_config|pubspec|Chart|codecov|dependabot)"
    r"\.(?:ya?ml|conf|cfg|ini|properties|xml)",
)
"""The names of other products' own files."""
_TEMPLATE = regex(r"\.(?:j2|tpl|erb|tmpl|gotmpl|template|tftpl|tfpl|ftl|mustache)$")


def product_of_keys(keys: Iterable[str]) -> str | None:
    """Return the product to which one of the keys belongs; None if there is none."""
    return next((product for key in keys if (product := _product_of(key)) is not None), None)


def _product_of(key: str) -> str | None:
    parts = key.split(".")
    if (found := _EXACT.get(key)) is not None:
        return found
    for length in range(1, min(len(parts), 5)):
        if (found := _PREFIXES.get(".".join(parts[:length]) + ".")) is not None:
            return found
    return None


_EXACT = {key: product for product, keys in _KEYS.items() for key in keys if not key.endswith(".")}
_PREFIXES = {key: product for product, keys in _KEYS.items() for key in keys if key.endswith(".")}


def product_of_name(name: str) -> str | None:
    """Return the product that uses files with this name, or templates of them; None if there is none."""
    match = _NAMES.fullmatch(_TEMPLATE.sub("", name))
    return None if match is None else match["product"]
