"""Values of options with which a factory creates its table, where a value of the option's type alone is not enough.

They stand for no system: a factory does not connect to one until its table is read or written.
"""

from __future__ import annotations

_URL = "jdbc:mysql://localhost:3306/d"
_CDC = {"hostname": "localhost", "username": "u", "password": "p", "database-name": "d", "table-name": "t"}

SAMPLES: dict[str, dict[str, str]] = {
    "kafka": {"properties.bootstrap.servers": "localhost:9092", "topic": "t", "format": "json"},
    "upsert-kafka": {
        "properties.bootstrap.servers": "localhost:9092",
        "topic": "t",
        "key.format": "json",
        "value.format": "json",
    },
    "filesystem": {"path": "file:///tmp/flint", "format": "json"},
    "kinesis": {"stream": "s", "aws.region": "us-east-1", "format": "json"},
    "kinesis-legacy": {"stream": "s", "aws.region": "us-east-1", "format": "json"},
    "firehose": {"delivery-stream": "s", "aws.region": "us-east-1", "format": "json"},
    "dynamodb": {"table-name": "t", "aws.region": "us-east-1"},
    "jdbc": {"url": _URL, "table-name": "t"},
    "mongodb": {"uri": "mongodb://localhost:27017", "database": "d", "collection": "c"},
    "elasticsearch-6": {"hosts": "http://localhost:9200", "index": "i", "document-type": "d", "format": "json"},
    "elasticsearch-7": {"hosts": "http://localhost:9200", "index": "i", "format": "json"},
    "opensearch": {"hosts": "http://localhost:9200", "index": "i", "format": "json"},
    "opensearch-2": {"hosts": "http://localhost:9200", "index": "i", "format": "json"},
    "hbase-1.4": {"table-name": "t", "zookeeper.quorum": "localhost:2181"},
    "hbase-2.2": {"table-name": "t", "zookeeper.quorum": "localhost:2181"},
    "pulsar": {
        "topics": "persistent://public/default/t",
        "service-url": "pulsar://localhost:6650",
        "admin-url": "http://localhost:8080",
        "format": "json",
    },
    "mysql-cdc": _CDC,
    "postgres-cdc": {**_CDC, "schema-name": "public", "slot.name": "flink"},
    "oracle-cdc": {**_CDC, "schema-name": "s"},
    "sqlserver-cdc": {**_CDC, "schema-name": "s"},
    "db2-cdc": {**_CDC, "schema-name": "s"},
    "mongodb-cdc": {"hosts": "localhost:27017", "database": "d", "collection": "c"},
    "oceanbase-cdc": {
        "username": "u@t#c",
        "password": "p",
        "tenant-name": "t",
        "database-name": "d",
        "table-name": "t",
        "hostname": "localhost",
        "port": "2881",
        "logproxy.host": "localhost",
        "logproxy.port": "2983",
        "scan.startup.mode": "latest-offset",
        "rootserver-list": "127.0.0.1:2882:2881",
        "working-mode": "memory",
    },
    "tidb-cdc": {"pd-addresses": "localhost:2379", "database-name": "d", "table-name": "t"},
    "starrocks": {
        "jdbc-url": "jdbc:mysql://localhost:9030",
        "scan-url": "localhost:8030",
        "load-url": "localhost:8030",
        "database-name": "d",
        "table-name": "t",
        "username": "u",
        "password": "p",
    },
    "doris": {
        "fenodes": "localhost:8030",
        "table.identifier": "d.t",
        "username": "u",
        "password": "p",
        "sink.label-prefix": "l",
    },
    "avro-confluent": {"url": "http://localhost:8081", "schema-registry.url": "http://localhost:8081", "subject": "s"},
    "debezium-avro-confluent": {
        "url": "http://localhost:8081",
        "schema-registry.url": "http://localhost:8081",
        "subject": "s",
    },
    "pipeline source mysql": {
        "hostname": "localhost",
        "username": "u",
        "password": "p",
        "tables": "d.t",
        "server-time-zone": "UTC",
    },
    "pipeline sink doris": {"fenodes": "localhost:8030", "username": "u", "password": "p"},
    "pipeline sink starrocks": {
        "jdbc-url": "jdbc:mysql://localhost:9030",
        "load-url": "localhost:8030",
        "username": "u",
        "password": "p",
    },
}
