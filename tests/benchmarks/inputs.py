"""The files that are measured, made from a seed: the same ones in every run."""

from __future__ import annotations

import random
from pathlib import Path

SEED = 20260101

FLINT_TOML = 'flink-version = "1.20"\nplatform = "standalone"\n'

STOCK = """\
jobmanager:
  bind-host: localhost
  rpc:
    address: localhost
    port: 6123
  memory:
    process:
      size: 1600m
  execution:
    failover-strategy: region
taskmanager:
  bind-host: localhost
  host: localhost
  numberOfTaskSlots: 1
  memory:
    process:
      size: 1728m
parallelism:
  default: 1
rest:
  address: localhost
  bind-address: localhost
"""
"""The settings a release ships with."""

# What people add, each as (key, values to choose from).
CHOICES = (
    ("parallelism.default", ("1", "2", "4", "8")),
    ("taskmanager.numberOfTaskSlots", ("1", "2", "4")),
    ("taskmanager.memory.process.size", ("2g", "4g", "1728m")),
    ("jobmanager.memory.process.size", ("1600m", "2g")),
    ("execution.checkpointing.interval", ("1 min", "30 s", "10 min")),
    ("execution.checkpointing.timeout", ("10 min", "20 min")),
    ("state.backend.type", ("rocksdb", "hashmap")),
    ("rest.port", ("8081", "8082")),
    ("metrics.reporter.prom.port", ("9249", "9250")),
    ("restart-strategy.type", ("fixed-delay", "exponential-delay")),
)

# Families of keys without end, so that a file can be as long as one likes without a line being wrong.
ENDLESS = (
    "containerized.taskmanager.env.NAME_{}: value-{}",
    "containerized.master.env.NAME_{}: value-{}",
    "metrics.reporter.reporter{}.interval: {} s",
    "fs.s3a.bucket.b{}.endpoint: s3-{}.example.org",
)


def stock_folder(folder: Path) -> Path:
    """A folder with one `config.yaml` like that of a release, two thirds of it comments, and a flint.toml."""
    folder.mkdir(parents=True)
    comment = "# Lines that explain the settings below at some length, as the shipped file has them everywhere\n"
    lines = [f"{comment * 8}{line}" for line in STOCK.splitlines(keepends=True)]
    (folder / "config.yaml").write_text("".join(lines) + comment * 40, encoding="utf-8")
    (folder / "flint.toml").write_text(FLINT_TOML, encoding="utf-8")
    return folder


def many_files(folder: Path, number: int) -> Path:
    """A folder of small configuration directories, half of them legacy, of five to ten settings each."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text(FLINT_TOML, encoding="utf-8")
    for place in range(number):
        chosen = chance.sample(CHOICES, chance.randint(5, len(CHOICES)))
        text = "".join(f"{key}: {chance.choice(values)}\n" for key, values in chosen)
        cluster = folder / f"team-{place // 100}" / f"cluster-{place}"
        cluster.mkdir(parents=True)
        (cluster / ("config.yaml" if place % 2 else "flink-conf.yaml")).write_text(text, encoding="utf-8")
    return folder


def bad_files(folder: Path, number: int) -> Path:
    """A folder of `number` configuration directories, each with one finding that a pull request would be told of."""
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text(FLINT_TOML + 'select = ["FLK101"]\n', encoding="utf-8")
    for place in range(number):
        cluster = folder / f"team-{place // 100}" / f"cluster-{place}"
        cluster.mkdir(parents=True)
        text = f"parallelism.default: {place % 8 + 1}\nblob.storage.directory: /tmp/flink-{place}\n"
        (cluster / "flink-conf.yaml").write_text(text, encoding="utf-8")
    return folder


def many_keys(folder: Path, name: str, number: int) -> Path:
    """A folder with one file of `number` settings."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text(FLINT_TOML, encoding="utf-8")
    lines = ["parallelism.default: 2\n"]
    lines += [f"{chance.choice(ENDLESS).format(place, place)}\n" for place in range(1, number)]
    (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder


DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders-{number}
  namespace: shop
spec:
  image: registry.example.org/orders:{number}
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "{slots}"
    execution.checkpointing.interval: 1 min
    execution.checkpointing.tolerable-failed-checkpoints: "3"
    execution.checkpointing.min-pause: 30 s
    state.backend.type: rocksdb
    execution.checkpointing.incremental: "true"
    execution.checkpointing.dir: s3://shop/orders-{number}/checkpoints
    execution.checkpointing.savepoint-dir: s3://shop/orders-{number}/savepoints
    high-availability.type: kubernetes
    high-availability.storageDir: s3://shop/orders-{number}/ha
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - name: ENABLE_BUILT_IN_PLUGINS
              value: flink-s3-fs-presto-1.20.1.jar
          volumeMounts:
            - mountPath: /opt/flink/rocks
              name: rocks
      volumes:
        - name: rocks
          emptyDir: {{}}
  jobManager:
    resource: {{memory: 2048m, cpu: 1}}
  taskManager:
    resource: {{memory: 4096m, cpu: 2}}
  job:
    jarURI: local:///opt/flink/usrlib/orders.jar
    entryClass: org.example.Orders{number}
    parallelism: {parallelism}
    upgradeMode: savepoint
"""

JOB = """\
package org.example;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Reads orders, adds the price, and writes them on. */
public class Orders{number} {{
    private static final int CAPACITY = {capacity};

    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);
        KafkaSource<String> source = KafkaSource.<String>builder()
                .setBootstrapServers("kafka:9092")
                .setTopics("orders")
                .setGroupId("orders-{number}")
                .setStartingOffsets(OffsetsInitializer.committedOffsets())
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .build();
        DataStream<String> orders = env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders").uid("orders");
        DataStream<String> priced = AsyncDataStream.unorderedWait(
                orders, new Prices(), 30, TimeUnit.SECONDS, CAPACITY).uid("prices");
        priced.sinkTo(KafkaSink.<String>builder()
                .setBootstrapServers("kafka:9092")
                .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .setRecordSerializer(new Priced("priced"))
                .build()).uid("priced");
        env.execute("orders-{number}");
    }}
}}
"""

SCRIPT = """\
-- Revenue of a minute, number {number}
SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE orders (
  id BIGINT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'revenue-{number}', 'scan.startup.mode' = 'group-offsets', 'format' = 'json'
);
CREATE TABLE revenue (minute TIMESTAMP(3), revenue DECIMAL(10, 2), PRIMARY KEY (minute) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'revenue', 'properties.bootstrap.servers' = 'kafka:9092',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO revenue
SELECT window_start, SUM(price) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
"""

REGION = """\
-- Region {number}: what comes in, what was paid, what is owed
SET 'table.exec.state.ttl' = '{hours} h';
CREATE TABLE orders_{number} (
  order_id BIGINT,
  customer_id BIGINT,
  price DECIMAL(10, 2),
  currency STRING,
  ordered_at TIMESTAMP(3),
  processed AS PROCTIME(),
  WATERMARK FOR ordered_at AS ordered_at - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders-{number}',
  'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'revenue-{number}',
  'properties.auto.offset.reset' = 'earliest',
  'scan.startup.mode' = 'group-offsets',
  'scan.topic-partition-discovery.interval' = '5 min',
  'format' = 'json'
);

/* What a minute brings in,
   by its currency. */
CREATE TABLE revenue_{number} (
  window_start TIMESTAMP(3),
  currency STRING,
  revenue DECIMAL(10, 2),
  PRIMARY KEY (window_start, currency) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'revenue-{number}',
  'properties.bootstrap.servers' = 'kafka:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);

EXECUTE STATEMENT SET
BEGIN
INSERT INTO revenue_{number}
SELECT window_start, currency, SUM(price) AS revenue
FROM TABLE(TUMBLE(TABLE orders_{number}, DESCRIPTOR(ordered_at), INTERVAL '1' MINUTE))
WHERE price > 0
GROUP BY window_start, window_end, currency;

INSERT INTO owed
SELECT o.order_id, c.name, o.price - COALESCE(p.amount, 0) AS owed
FROM orders_{number} AS o
LEFT JOIN payments AS p ON p.order_id = o.order_id
JOIN customers FOR SYSTEM_TIME AS OF o.processed AS c ON c.id = o.customer_id
WHERE o.currency = 'EUR';
END;
"""


def long_script(lines: int) -> list[str]:
    """A script of Flink SQL of so many lines: settings, tables, windows and joins of one region after the other."""
    regions = range(lines // REGION.count("\n") + 1)
    return "\n".join(REGION.format(number=number, hours=number % 48 + 1) for number in regions).splitlines()[:lines]


COMPOSE = """\
services:
  jobmanager:
    image: flink:1.20.1
    command: jobmanager
    ports: ["127.0.0.1:8081:8081"]
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
        parallelism.default: {parallelism}
  taskmanager:
    image: flink:1.20.1
    command: taskmanager
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
        taskmanager.numberOfTaskSlots: {slots}
"""

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-config-{number}
data:
  flink-conf.yaml: |
    jobmanager.rpc.address: flink-jobmanager
    taskmanager.numberOfTaskSlots: {slots}
    parallelism.default: {parallelism}
    taskmanager.memory.process.size: 4g
    jobmanager.memory.process.size: 2g
  log4j-console.properties: |
    rootLogger.level = INFO
    rootLogger.appenderRef.console.ref = ConsoleAppender
    appender.console.name = ConsoleAppender
    appender.console.type = CONSOLE
"""

MIXED = (
    ("{0}/deployment.yaml", DEPLOYMENT), ("{0}/src/main/java/org/example/Orders{0}.java", JOB), ("{0}/job.sql", SCRIPT),
    ("{0}/docker-compose.yml", COMPOSE), ("{0}/config-map.yaml", CONFIG_MAP),
)  # fmt: skip
"""Files of a repository by path and text, to be filled with a number."""


def mixed_files(folder: Path, number: int) -> Path:
    """A folder of `number` files of five kinds, as repositories hold them, with others of no interest between them."""
    chance = random.Random(SEED)
    folder.mkdir(parents=True)
    (folder / "flint.toml").write_text('flink-version = "1.20"\n', encoding="utf-8")
    for place in range(number):
        name, text = MIXED[place % len(MIXED)]
        path = folder / name.format(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {"number": place, "slots": chance.choice((1, 2, 4)), "parallelism": chance.choice((2, 4, 8)),
                  "capacity": chance.choice((100, 200))}  # fmt: skip
        path.write_text(text.format_map(values), encoding="utf-8")
        (path.parent / "README.md").write_text("# Nothing of interest\n", encoding="utf-8")
    return folder
