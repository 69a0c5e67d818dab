"""Whose file it is: evidence for and against, by keys, dialects, surroundings and the settings of flint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flink_flint.linter.filesystem import folders
from flink_flint.linter.formats import other_products, recognize
from flink_flint.linter.formats.key_evidence import evidence_of_keys
from flink_flint.linter.formats.standard_input import recognize_text
from tests.conftest import Flint

FLINK_SQL = "CREATE TABLE a (x INT) WITH ('connector' = 'datagen');\n"


def kind(name: str, text: str) -> str | None:
    found = recognize(name, text)
    return None if found is None else found.file_format.kind


@pytest.mark.parametrize(
    "text",
    [
        "rest:\n  port: 8080\n  address: 0.0.0.0\norders:\n  topic: a\n",
        "parallelism:\n  default: 4\nname: worker\n",
        "security:\n  ssl:\n    enabled: true\ndatabase:\n  url: jdbc\n",
        "metrics:\n  reporters: prom\nserver:\n  url: http://a\n",
        "cluster.name: prod\nnode.name: a\npath.data: /data\n",
        "pipeline.workers: 4\npipeline.batch.size: 125\nrest.port: 1\nweb.address: b\n",
        "query.max-memory: 5GB\nhttp-server.http.port: 8080\nrest.port: 1\n",
        "jobmanager:\n  replicas: 2\ntaskmanager:\n  replicas: 3\nimage:\n  tag: a\n",
    ],
)
def test_keys_of_other_products_outweigh_common_words(text: str) -> None:
    assert kind("config.yaml", text) is None
    assert kind("app.yaml.j2", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "jobmanager:\n  rpc:\n    address: jm\nacme:\n  team: orders\n",
        "taskmnager.numberOfTaskSlots: 2\nparallelism.default: 2\n",
        "rest:\n  port: 8081\n  address: jm\n  bind-port: 1\n",
    ],
)
def test_a_foreign_or_misspelled_section_does_not_hide_flinks(text: str) -> None:
    assert kind("config.yaml", text) == "config.yaml"


@pytest.mark.parametrize("name", ["sql-client-defaults.yaml", "sql-gateway-defaults.yaml"])
def test_an_environment_of_the_sql_client_or_gateway_is_no_configuration(name: str) -> None:
    text = (
        "sql-gateway:\n  endpoint:\n    rest:\n      address: 0.0.0.0\n      port: 8083\nexecution:\n  target: remote\n"
    )
    assert kind(name, text) is None
    assert kind("sql-gateway.yaml", text) == "config.yaml"


def test_what_mounts_a_file_is_evidence(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "conf" / "config.yaml"
    path.parent.mkdir()
    text = "rest:\n  port: 8081\n"
    path.write_text(text)
    assert kind(str(path), text) is None
    (tmp_path / "docker-compose.yml").write_text(
        "services:\n  jm:\n    image: flink:2.0\n    volumes: ['./conf/config.yaml:/opt/flink/conf/config.yaml']\n"
    )
    folders.forget()
    assert kind(str(path), text) == "config.yaml"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE s WITH ('connector'='jdbc', 'type'='source', 'query'='select 1');\n",
        "CREATE SOURCE s (id INT) WITH (connector='kafka') FORMAT PLAIN ENCODE JSON;\n" + FLINK_SQL,
        "SET 'auto.offset.reset' = 'earliest';\nCREATE STREAM s WITH (kafka_topic='t');\n",
        "SET 'a' = 'b';\nCREATE TABLE t (id INT) USING delta TBLPROPERTIES ('x' = 'y');\n",
        "CREATE TABLE t (id INT) WITH (format='ORC', partitioned_by=ARRAY['d']);\nSELECT PROCTIME();\n",
        "\\c db\nCREATE TABLE t (id SERIAL);\nSELECT '1'::int WHERE WATERMARK FOR a AS b;\n",
        "SET 'auto.offset.reset' = 'earliest';\nSELECT items->town FROM floods LIMIT 2;\n",
        "set  'ksql.streams.num.stream.threads'='2';\nINSERT INTO a SELECT * FROM b;\n",
        "SET 'a' = 'b';\nPRINT 'orders' FROM BEGINNING LIMIT 3;\n",
        "SET 'a' = 'b';\nSELECT a, COUNT(*) FROM b WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY a;\n",
        "CREATE CHANGELOG c (a INT, PRIMARY KEY (a)) WITH ('topic'='a', 'value.format'='json');\n",
        "CREATE TABLE t (a INT) WITH ('connectors' = '[{}]');\n",
        "CREATE TABLE t (a INT64, PRIMARY KEY (a) NOT ENFORCED);\n",
        "CREATE TABLE t (a STRING, PRIMARY KEY (a) NOT ENFORCED) OPTIONS (description = 'orders');\n",
        "CREATE TABLE t (a NUMBER(38, 0), PRIMARY KEY (a) NOT ENFORCED);\n",
    ],
)
def test_constructs_of_other_engines_outweigh_flinks(text: str) -> None:
    assert kind("job.sql", text) is None


@pytest.mark.parametrize(
    "text",
    [
        FLINK_SQL,
        FLINK_SQL + "SELECT * FROM orders /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */;\n",
        "CREATE TABLE print (a INT) WITH ('connector' = 'print');\nINSERT INTO\nprint SELECT a FROM o;\n",
        FLINK_SQL + "-- USING delta\nINSERT INTO a SELECT 'CREATE STREAM x EMIT CHANGES';\n",
        "SET 'table.sql-dialect' = 'hive';\nCREATE TABLE t (x INT) STORED AS ORC TBLPROPERTIES ('a'='b');\n",
    ],
)
def test_comments_strings_and_hives_dialect_are_no_evidence_against_flink(text: str) -> None:
    assert kind("job.sql", text) == "sql"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "flink-conf"),
        ("state.backend: rocksdb\n", "flink-conf"),
        ("taskmanager:\n  numberOfTaskSlots: 2\n", "config.yaml"),
        (FLINK_SQL, "sql"),
        ("# image\nFROM flink:1.20\n", "compose"),
        ("apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\n", "flinkdeployment"),
        ("services:\n  jm:\n    image: flink:1.20\n    command: jobmanager\n", "compose"),
        ('resource "aws_kinesisanalyticsv2_application" "a" {\n}\n', "msf"),
        ("import org.apache.flink.api.common.JobID;\nclass A {}\n", "source"),
        ("from pyflink.table import TableEnvironment\n", "source"),
        ("#!/bin/sh\nflink run -p 2 job.jar\n", "shell"),
        ("server:\n  port: 8080\nspring:\n  a: b\n", None),
        ("CREATE STREAM s WITH (kafka_topic='t');\n", None),
    ],
)
def test_standard_input_is_recognized_by_its_content(text: str, expected: str | None) -> None:
    found = recognize_text(text)
    assert (None if found is None else found.recognized.file_format.kind) == expected


def test_flint_toml_forces_and_forbids(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "app.txt").write_text("acme.team: orders\n")
    (tmp_path / "config.yaml").write_text("jobmanager.rpc.address: jm\nparallelism.default: 2\n")
    (tmp_path / "flint.toml").write_text('[files]\n"app.txt" = "flink-conf"\n"config.yaml" = "none"\n')
    report = json.loads(flint("check", ".", "--show-files", "--output-format", "json").stdout)
    (row,) = report["files"]
    assert (row["path"], row["kind"]) == ("app.txt", "flink-conf")
    assert row["recognition"]["reasons"] == ["+10 declared in flint's configuration"]
    (tmp_path / "flint.toml").write_text('[files]\n"app.txt" = "nonsense"\n')
    assert flint("check", ".").returncode == 2


def test_tests_are_listed_but_checked_only_on_request(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "src" / "test" / "resources" / "flink-conf.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("parallelism.default: many\n")
    found = json.loads(flint("check", ".", "--output-format", "json").stdout)
    assert (found["files"], found["findings"]) == (0, [])
    named = flint("check", "src/test/resources/flink-conf.yaml")
    assert named.returncode == 0
    (row,) = json.loads(flint("check", ".", "--show-files", "--output-format", "json").stdout)["files"]
    assert row["purpose"] == "test"
    assert flint("check", ".", "--include-tests").returncode == 1
    (tmp_path / "flint.toml").write_text('[[overrides]]\npaths = ["src/test"]\ninclude-tests = true\n')
    assert flint("check", ".").returncode == 1


def test_hazards_of_production_are_suggestions_in_examples(flint: Flint, tmp_path: Path) -> None:
    path = tmp_path / "examples" / "flink-conf.yaml"
    path.parent.mkdir()
    path.write_text("blob.storage.directory: /tmp/x\nparallelism.default: many\n")
    found = json.loads(flint("check", ".", "--output-format", "json").stdout)["findings"]
    assert {(one["key"], one["severity"]) for one in found if one["severity"] != "info"} == {
        ("parallelism.default", "error")
    }
    assert any(one["code"] == "FLK101" for one in found)


def test_what_of_a_script_is_passed_over_is_reported_once(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(FLINK_SQL + "FROBNICATE a;\nFROBNICATE b;\n")
    result = flint("check", ".", "--output-format", "json")
    assert result.stderr.count("job.sql: the statement in line 2 is passed over") == 1
    (document,) = json.loads(result.stdout)["coverage"]["documents"]
    assert "line 2" in document["unjudged"]


@pytest.mark.parametrize("key", [*other_products._EXACT, *(f"{prefix}x" for prefix in other_products._PREFIXES)])
def test_a_key_of_another_product_counts_against_a_file(key: str) -> None:
    found = evidence_of_keys(f"jobmanager.rpc.address: a\n{key}: b\n", nested=True)
    assert any(reason.startswith("-6 keys of ") for reason in found.reasons), found
