"""One named file in a large project: what reading the project around it costs, cold and warm."""

from __future__ import annotations

import os
from pathlib import Path

from tests.benchmarks.measuring import FLINT, cost
from tests.benchmarks.table import Table

LONG_AGO = 1_600_000_000

JOB = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: job-{number}
spec:
  image: flink:1.20
  flinkVersion: v1_20
  serviceAccount: flink
  flinkConfiguration:
    execution.checkpointing.interval: 5min
    state.backend.type: rocksdb
    execution.checkpointing.dir: s3://acme/{number}
    high-availability.type: kubernetes
    high-availability.storageDir: s3://acme/ha
  jobManager: {{resource: {{memory: 2048m, cpu: 1}}}}
  taskManager: {{resource: {{memory: 4096m, cpu: 2}}}}
  job: {{jarURI: "local:///opt/flink/usrlib/job.jar", upgradeMode: last-state, parallelism: 2}}
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: flink-{number}, namespace: acme}}
data:
  flink-conf.yaml: |
    jobmanager.rpc.address: jobmanager-{number}
    taskmanager.numberOfTaskSlots: 4
    state.backend.type: rocksdb
    execution.checkpointing.interval: 1min
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: taskmanager-{number}, namespace: acme}}
spec:
  template:
    spec:
      containers:
      - name: taskmanager
        image: flink:1.20
        args: [taskmanager]
        volumeMounts: [{{name: conf, mountPath: /opt/flink/conf}}]
      volumes:
      - name: conf
        configMap: {{name: flink-{number}}}
"""
CONF = """\
jobmanager.rpc.address: jobmanager-{number}
taskmanager.memory.process.size: 4096m
taskmanager.numberOfTaskSlots: 4
state.backend.type: rocksdb
execution.checkpointing.dir: s3://acme/{number}
high-availability.type: zookeeper
high-availability.zookeeper.quorum: zookeeper:2181
high-availability.storageDir: s3://acme/ha
high-availability.cluster-id: cluster-{number}
"""
CONFIG_YAML = """\
taskmanager:
  memory: {{process: {{size: 4g}}}}
  numberOfTaskSlots: 4
execution:
  checkpointing: {{interval: 1min, dir: s3://acme/{number}}}
"""
COMPOSE = """\
services:
  jobmanager:
    image: flink:1.19
    command: jobmanager
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
        state.backend.type: rocksdb
  taskmanager:
    image: flink:1.19
    command: taskmanager
    environment:
      - |
        FLINK_PROPERTIES=
        jobmanager.rpc.address: jobmanager
        taskmanager.numberOfTaskSlots: 2
"""
SQL = """\
SET 'execution.checkpointing.interval' = '1min';
CREATE TABLE orders_{number} (id BIGINT, time TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'orders-{number}',
  'properties.bootstrap.servers' = 'kafka:9092', 'properties.group.id' = 'group-{number}', 'format' = 'json');
CREATE TABLE sums_{number} (id BIGINT, sum BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = 'sums-{number}', 'properties.bootstrap.servers' = 'kafka:9092', 'key.format' = 'json',
  'value.format' = 'json');
INSERT INTO sums_{number} SELECT id, COUNT(*) FROM orders_{number} GROUP BY id;
"""
JAVA = """\
package com.acme;

import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job{number} {{
    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60000);
        KafkaSink<String> sink = KafkaSink.<String>builder().setBootstrapServers("kafka:9092")
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).setTransactionalIdPrefix("job-{number}").build();
        env.fromElements("a").uid("source").sinkTo(sink).uid("sink");
        env.execute("job-{number}");
    }}
}}
"""
VALUES = """\
flink:
  image: flink:1.20
  flinkConfiguration:
    taskmanager.numberOfTaskSlots: "2"
    state.backend.type: rocksdb
"""
KUSTOMIZATION = """\
resources: [../../jobs]
patches:
- target: {{kind: FlinkDeployment, name: job-{number}}}
  patch: |-
    - op: add
      path: /spec/flinkConfiguration/state.backend.type
      value: rocksdb
"""
OTHERS = {
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: service-{number}}}\nspec:\n"
    + "".join(f"  setting{line}: value {line}\n" for line in range(40)),
    "values.yaml": "".join(f"setting{line}: value {line}\n" for line in range(60)),
    "Service.java": "package com.acme;\n\nimport java.util.List;\n\nclass Service{number} {{\n"
    + "".join(f"    int field{line} = {line};\n" for line in range(80))
    + "}}\n",
    "schema.sql": "".join(f"CREATE TABLE t{line} (id BIGINT, name VARCHAR(20));\n" for line in range(20)),
    "package.json": '{{"name": "service-{number}", "version": "1.0.0", "dependencies": {{"a": "1", "b": "2"}}}}\n',
}


FLINKS = {
    "jobs/job-{number}.yaml": JOB,
    "k8s/cluster-{number}.yaml": CONFIG_MAP,
    "legacy/{number}/flink-conf.yaml": CONF,
    "legacy/{number}/config.yaml": CONFIG_YAML,
    "local/docker-compose-{number}.yaml": COMPOSE,
    "sql/query-{number}.sql": SQL,
    "java/src/main/java/com/acme/Job{number}.java": JAVA,
    "values/flink-{number}.yaml": VALUES,
    "overlays/{number}/kustomization.yaml": KUSTOMIZATION,
}
"""The files of Flink's; every other one is a deployment."""


def named_file(table: Table, folder: Path) -> None:
    """Name one of Flink's files in a repository of 10,000: first without a cache, then again and again."""
    named = large_project(folder / "project")
    environment = {"FLINT_CACHE_DIR": str(folder / "cache")}
    root = folder / "project"
    for what, path in named.items():
        if what == "jobs":
            cold = cost((*FLINT, "check", path), root, runs=1, environment=environment)
            table.time("flint check, one file of 10 000, without a cache", cold.milliseconds, 6_000)
        warm = cost((*FLINT, "check", path), root, environment=environment)
        table.time(f"flint check, one file of 10 000 ({what})", warm.milliseconds, 400)


def large_project(root: Path, files: int = 10_000, flinks: int = 500) -> dict[str, str]:
    """Write a repository with a number of files, some of them Flink's; return one of each kind by the kind's folder."""
    (root / ".git").mkdir(parents=True)
    named: dict[str, str] = {}
    kinds = list(FLINKS)
    for number in range(flinks):
        kind = kinds[number // 2 % len(kinds)] if number % 2 else kinds[0]
        name = f"team-{number % 15}/{kind.format(number=number)}"
        _write(root / name, FLINKS[kind].format(number=number))
        named.setdefault(kind.partition("/")[0], name)
    names = list(OTHERS)
    for written in range(flinks, files):
        stem, _, ending = names[written % len(names)].partition(".")
        folder = root / f"team-{written % 15}" / "services" / stem
        _write(folder / f"{stem}-{written}.{ending}", OTHERS[names[written % len(names)]].format(number=written))
    for path in (root, *(path for path in root.rglob("*") if path.is_dir())):
        os.utime(path, (LONG_AGO, LONG_AGO))  # what has just been changed is not remembered
    return named


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (LONG_AGO, LONG_AGO))
